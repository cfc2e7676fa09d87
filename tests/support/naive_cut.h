/* naive_cut.h - the slow way to the best cut: every threshold of every encoded column, every set of levels of a category,
 * impurities by their definition. */
#ifndef SVF_TESTS_NAIVE_CUT_H
#define SVF_TESTS_NAIVE_CUT_H

#include <float.h>
#include "support/ground.h"

/* weight * impurity of the rows on one side (0, 1), or of all (-1); *count: how many there are. */
static inline double naive_impurity(const test_ground *t, const svf_site *site, const unsigned char *right, int side,
                                    size_t *count) {
  const svf_frame *frame = &t->frame;
  double all = 0, mean = 0, impurity = 0, *of = calloc(frame->k, sizeof *of);
  *count = 0;
  for (size_t i = 0; i < site->n; i++) {
    if (side >= 0 && right[i] != side) continue;
    uint32_t row = site->rows[i];
    double w = frame->weight ? frame->weight[row] : 1;
    ++*count;
    all += w;
    if (frame->label) of[frame->label[row]] += w;
    else mean += w * frame->value[row];
  }
  if (frame->label) {
    bool entropy = t->settings->criterion == SVF_CRITERION_ENTROPY;
    for (size_t c = 0; c < frame->k; c++) {
      double p = all > 0 ? of[c] / all : 0;
      impurity += entropy ? (p > 0 ? -p * log2(p) : 0) : p * (1 - p);
    }
    impurity *= all;
  } else {
    for (size_t i = 0; i < site->n; i++) {
      uint32_t row = site->rows[i];
      double e = frame->value[row] - mean / all;
      if (side < 0 || right[i] == side) impurity += (frame->weight ? frame->weight[row] : 1) * e * e;
    }
  }
  free(of);
  return impurity;
}

/* By how much a plane lowers weight * impurity; -1: a side has fewer than min_leaf rows. */
static inline double naive_gain(const test_ground *t, const svf_site *site, const svf_plane *plane) {
  unsigned char *right = malloc(site->n + 1);
  size_t count[3];
  svf_plane_sides(&t->frame, plane, site->rows, site->n, right);
  double gain = naive_impurity(t, site, right, -1, &count[2]) - naive_impurity(t, site, right, 0, &count[0]) -
                naive_impurity(t, site, right, 1, &count[1]);
  free(right);
  return count[0] < t->ground.min_leaf || count[1] < t->ground.min_leaf ? -1 : gain;
}

static inline int naive_order(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* The distinct values of a column in the site, ascending; returns how many. */
static inline size_t naive_values(const test_ground *t, const svf_site *site, uint32_t column, float *value) {
  size_t n = 0, distinct = 0;
  for (size_t i = 0; i < site->n; i++) {
    float x = t->frame.x[site->rows[i] * t->frame.stride + column];
    if (x == x) value[n++] = x;
  }
  qsort(value, n, sizeof *value, naive_order);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || value[i] != value[i - 1]) value[distinct++] = value[i];
  return distinct;
}

/* The largest gain of any set of the levels of a column of codes; few levels. */
static inline double naive_levels(const test_ground *t, const svf_site *site, uint32_t column) {
  uint32_t levels = t->frame.levels[column], listed[8];
  svf_term term[8];
  double best = -1;
  assert_true(levels <= 8);
  for (uint32_t set = 0; set < 1u << levels; set++)
    for (int left = 0; left < 2; left++) {
      size_t count = 0;
      for (uint32_t l = 0; l < levels; l++)
        if (set >> l & 1) listed[count++] = l;
      svf_levels_write(column, listed, count, levels, term);
      svf_plane plane = {
          .term = term, .count = svf_levels_terms(count, levels), .threshold = NAN, .missing_left = left};
      best = fmax(best, naive_gain(t, site, &plane));
    }
  return best;
}

/* The largest gain of any cut; -1: there is none. */
static inline double naive_best(const test_ground *t, const svf_site *site) {
  float *value = malloc((site->n + 1) * sizeof *value);
  double best = -1;
  for (uint32_t j = 0; j < t->frame.d; j++) {
    if (t->frame.levels[j]) {
      best = fmax(best, naive_levels(t, site, j));
      continue;
    }
    size_t distinct = naive_values(t, site, j, value);
    svf_term term = {j, 1};
    for (size_t i = 0; i < distinct; i++)
      for (int left = 0; left < 2; left++) {
        float threshold = i + 1 < distinct ? value[i] / 2 + value[i + 1] / 2 : FLT_MAX;
        if (i + 1 < distinct && !(threshold > value[i])) threshold = value[i + 1];
        svf_plane plane = {.term = &term, .count = 1, .threshold = threshold, .missing_left = left};
        best = fmax(best, naive_gain(t, site, &plane));
      }
  }
  free(value);
  return best;
}

#endif
