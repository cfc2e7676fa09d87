/* buffer.c - see buffer.h. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_capacity(svf_buffer *buffer, size_t capacity) {
  unsigned char *data = realloc(buffer->data, capacity);
  if (!data) return false;
  buffer->data = data;
  buffer->capacity = capacity;
  return true;
}

bool svf_buffer_reserve(svf_buffer *buffer, size_t size) {
  if (buffer->failed) return false;
  if (size <= buffer->capacity - buffer->size) return true;
  buffer->failed = size > SIZE_MAX / 2 - buffer->size || !set_capacity(buffer, buffer->size + size);
  return !buffer->failed;
}

void *svf_buffer_grow(svf_buffer *buffer, size_t size) {
  if (buffer->failed) return NULL;
  if (!buffer->data || size > buffer->capacity - buffer->size) {
    size_t more = buffer->capacity - buffer->size + buffer->capacity / 2 + 256;
    if (!svf_buffer_reserve(buffer, size > more ? size : more)) return NULL;
  }
  void *room = buffer->data + buffer->size;
  buffer->size += size;
  return room;
}

bool svf_buffer_add(svf_buffer *buffer, const void *bytes, size_t size) {
  void *room = svf_buffer_grow(buffer, size);
  if (room && size) memcpy(room, bytes, size);
  return room != NULL;
}

bool svf_buffer_print(svf_buffer *buffer, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  char *room = length < 0 ? NULL : svf_buffer_grow(buffer, (size_t)length + 1);
  if (room) {
    vsnprintf(room, (size_t)length + 1, format, again);
    buffer->size--;
  }
  va_end(again);
  va_end(arguments);
  return room != NULL;
}

bool svf_buffer_align(svf_buffer *buffer, size_t align) {
  size_t pad = (align - buffer->size % align) % align;
  void *room = svf_buffer_grow(buffer, pad);
  if (room) memset(room, 0, pad);
  return room != NULL;
}

void svf_buffer_free(svf_buffer *buffer) {
  free(buffer->data);
  *buffer = (svf_buffer){0};
}
