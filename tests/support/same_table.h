/* same_table.h - are two tables the same, bit for bit? */
#ifndef SVF_TESTS_SAME_TABLE_H
#define SVF_TESTS_SAME_TABLE_H

#include <string.h>
#include "data/table.h"

static inline bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static inline bool same_names(const svf_names *a, const svf_names *b) {
  bool same = a->count == b->count;
  for (size_t i = 0; same && i < a->count; i++) same = strcmp(a->text[i], b->text[i]) == 0;
  return same;
}

/* Arrays of numbers, or no arrays. */
static inline bool same_bytes(const void *a, const void *b, size_t size) {
  return a && b ? memcmp(a, b, size) == 0 : a == b;
}

static inline bool same_column(const svf_column *a, const svf_column *b, size_t n) {
  return same_text(a->name, b->name) && a->text_line == b->text_line && a->date == b->date &&
         same_names(&a->levels, &b->levels) && same_bytes(a->number, b->number, n * sizeof(double)) &&
         same_bytes(a->code, b->code, n * sizeof(int32_t));
}

static inline bool same_kept(const svf_table *a, const svf_table *b) {
  bool same = a->kept_count == b->kept_count;
  for (size_t k = 0; same && k < a->kept_count; k++) {
    same = same_text(svf_table_kept_name(a, k), svf_table_kept_name(b, k));
    for (size_t i = 0; same && i < a->n; i++)
      same = same_text(svf_table_kept_text(a, i, k), svf_table_kept_text(b, i, k));
  }
  return same;
}

static inline bool same_table(const svf_table *a, const svf_table *b) {
  if (!a || !b) return a == b;
  size_t n = a->n;
  bool same = n == b->n && a->d == b->d && a->named == b->named && a->task == b->task &&
              same_text(a->target_name, b->target_name) && same_names(&a->classes, &b->classes) &&
              same_names(&a->remarks, &b->remarks) && same_kept(a, b);
  for (size_t j = 0; same && j < a->d; j++) same = same_column(&a->column[j], &b->column[j], n);
  return same && same_bytes(a->label, b->label, n * sizeof(int32_t)) &&
         same_bytes(a->value, b->value, n * sizeof(double)) && same_bytes(a->weight, b->weight, n * sizeof(double));
}

#endif
