/* buffer.h - a run of bytes that grows, with remembered failure. */
#ifndef SVF_BASE_BUFFER_H
#define SVF_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct svf_buffer {
  unsigned char *data; /* malloc'd */
  size_t size, capacity;
  bool failed;
} svf_buffer; /* all zero: empty and ready */

/* Room for `size` more bytes at the end, counted in; NULL (and remembered) on failure. */
void *svf_buffer_grow(svf_buffer *buffer, size_t size);
/* Room for `size` more bytes, not counted in, so that none of them moves what is there. */
bool svf_buffer_reserve(svf_buffer *buffer, size_t size);
/* Appends a copy of the bytes. */
bool svf_buffer_add(svf_buffer *buffer, const void *bytes, size_t size);
/* Appends text as printf writes it, without the final 0. */
bool svf_buffer_print(svf_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fills with 0 up to a multiple of `align`. */
bool svf_buffer_align(svf_buffer *buffer, size_t align);
void svf_buffer_free(svf_buffer *buffer);

#endif
