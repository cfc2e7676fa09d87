/* names.h - finding one of many names: an index for lists of thousands, and the test that all differ. */
#ifndef SVF_DATA_NAMES_H
#define SVF_DATA_NAMES_H

#include "data/table.h"

typedef struct svf_name_entry {
  const char *text; /* borrowed */
  int32_t at;       /* position in the list */
} svf_name_entry;

typedef struct svf_name_index {
  svf_name_entry *entry; /* sorted bytewise, equal texts by position */
  size_t count;
} svf_name_index;

/* The texts must outlive the index; false (and *index empty) if memory ran out. */
bool svf_name_index_make(char *const *text, size_t count, svf_name_index *index);
/* Position of the first equal text, or -1. */
int32_t svf_name_index_find(const svf_name_index *index, const char *text);
/* A text that is in the list twice, or NULL. */
const char *svf_name_index_twice(const svf_name_index *index);
void svf_name_index_free(svf_name_index *index);

bool svf_names_equal(const svf_names *a, const svf_names *b);
/* Copies a list of the caller, refusing NULL and repeated names; what: "class", "category", ... */
svf_status svf_names_take(const char *const *text, size_t count, const char *what, svf_names *names,
                          svf_message *message);

#endif
