/* ls_leaf.h - a least-squares leaf of some rows, without a tree. */
#ifndef SVF_TESTS_LS_LEAF_H
#define SVF_TESTS_LS_LEAF_H

#include "leaf/ls_svm.h"
#include "support/ground.h"

enum { MOST = 64 }; /* rows */

extern const svf_leaf svf_leaf_ls;

/* Of these rows, ascending; free the buffer. */
static inline svf_buffer train_on(test_ground *t, uint32_t *rows, size_t n) {
  svf_site site = {.name = 1, .rows = rows, .n = n};
  svf_buffer numbers = {0};
  svf_message message;
  svf_mark mark = svf_arena_mark(&t->worker.arena);
  assert_ok(svf_leaf_ls.train(&t->ground, &site, &numbers, &message), &message);
  svf_arena_release(&t->worker.arena, mark);
  return numbers;
}

/* Of the first n rows. */
static inline svf_buffer train_leaf(test_ground *t, size_t n) {
  uint32_t rows[MOST];
  for (size_t i = 0; i < n; i++) rows[i] = (uint32_t)i;
  return train_on(t, rows, n);
}

static inline svf_leaf_view view_of(const test_ground *t, const svf_buffer *numbers) {
  return (svf_leaf_view){.numbers = (const double *)(const void *)numbers->data,
                         .length = numbers->size / sizeof(double),
                         .d = t->frame.d,
                         .k = t->frame.k,
                         .fill = t->frame.fill,
                         .la = t->ground.la};
}

#endif
