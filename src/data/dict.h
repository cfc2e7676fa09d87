/* dict.h - texts numbered in the order they are first seen, in one block of memory. */
#ifndef SVF_DATA_DICT_H
#define SVF_DATA_DICT_H

#include "base/buffer.h"
#include "data/table.h"

typedef struct svf_dict_entry {
  size_t at, length; /* in the block of texts */
  uint64_t hash;
} svf_dict_entry;

typedef struct svf_dict_slot {
  int32_t code; /* an entry's number, or -1 */
  uint32_t tag; /* upper half of its hash */
} svf_dict_slot;

typedef struct svf_dict {
  svf_buffer text;       /* each text with a 0 after it */
  svf_dict_entry *entry; /* `room` of them */
  int32_t count, room;
  svf_dict_slot *slot; /* 2 * room of them, a power of two */
} svf_dict;            /* all zero: empty and ready */

/* The number of a text, given to it now if it is new; -1: memory ran out, or 2^30 texts are there. */
int32_t svf_dict_code(svf_dict *dict, const char *text, size_t length);

/* Moves the texts, sorted bytewise, to `names`, and changes n codes (-1 stays) to match; the dictionary is
 * empty then. False: memory ran out and nothing but the dictionary changed. */
bool svf_dict_sort(svf_dict *dict, svf_names *names, int32_t *code, size_t n);

void svf_dict_free(svf_dict *dict);

#endif
