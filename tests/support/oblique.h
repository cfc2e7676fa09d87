/* oblique.h - a node of an oblique cut for tests: the whole table, with what the cut's begin makes. */
#ifndef SVF_TESTS_OBLIQUE_H
#define SVF_TESTS_OBLIQUE_H

#include "support/ground.h"
#include "cut/oblique.h"

/* The root of tree number `tree`; ground->notes are set. */
static inline svf_site test_root(test_ground *t, const svf_cut *cut, uint32_t tree) {
  t->ground.tree = tree;
  svf_bag bag = svf_bag_draw(&t->ground);
  svf_site site = {.name = 1, .rows = bag.rows, .n = bag.n};
  t->ground.weight = (double)bag.n;
  t->ground.notes = cut->begin(&t->ground, &site);
  assert_non_null(t->ground.notes);
  return site;
}

/* The plane's value of a row, as the model sums it. */
static inline float test_project(const svf_plane *plane, const float *row) {
  float sum = 0;
  for (size_t i = 0; i < plane->count; i++) sum += plane->term[i].weight * row[plane->term[i].feature];
  return sum;
}

/* The plane keeps min_leaf rows on each side and has the best threshold and gain of its direction. */
static inline void test_plane(test_ground *t, const svf_site *site, const svf_plane *plane) {
  float *value = malloc(site->n * sizeof *value);
  size_t left = 0;
  for (size_t i = 0; i < site->n; i++) {
    const float *row = t->frame.x + site->rows[i] * t->frame.stride;
    int side = svf_plane_side(plane->term, plane->count, plane->threshold, row);
    left += side < 0 ? plane->missing_left : !side;
    value[i] = test_project(plane, row);
  }
  assert_true(left >= t->ground.min_leaf && site->n - left >= t->ground.min_leaf);
  svf_search search;
  assert_true(svf_search_open(&search, &t->ground, site, NULL));
  svf_found found = {.gain = search.least};
  assert_true(svf_search_column(&search, value, &found));
  assert_true(found.threshold == plane->threshold && found.missing_left == plane->missing_left);
  assert_close(found.gain, plane->gain, 1e-11);
  free(value);
}

/* n x d numbers (NaN: missing) and labels in 0..classes-1. */
static inline svf_table *test_matrix(const double *x, size_t n, size_t d, const int32_t *label, size_t classes) {
  static const char *const names[] = {"a", "b", "c"};
  svf_message message;
  svf_table *table = NULL;
  svf_matrix matrix = {x, 0, n, d, (ptrdiff_t)d, 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_classes(table, label, names, classes, &message), &message);
  return table;
}

#endif
