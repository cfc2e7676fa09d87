/* walk.h - many rows through a tree in eight bytes a node: a part of kernels.c, which includes it and nobody else does.
 *
 * All rows take a few steps, then those that are in a leaf are left out, and so on: no branch depends on where a row
 * goes, and the processor has the steps of many rows before it while some wait for memory. (Gathers of AVX-512, two
 * times 16 rows abreast, took 1.2 to 1.5 times as long.) */
#ifndef SVF_LA_WALK_H
#define SVF_LA_WALK_H

enum { STEPS = 4, TOGETHER = 8 }; /* between two looks; rows in registers */

static bool keys(size_t n, const float *x, uint32_t *key) {
  uint32_t missing = 0;
  for (size_t i = 0; i < n; i++) {
    key[i] = svf_key(x[i]);
    missing |= (uint32_t)(key[i] == SVF_MISSING_KEY);
  }
  return missing;
}

static inline __attribute__((always_inline)) uint32_t step_on(const svf_walk *w, uint32_t at, const uint32_t *row,
                                                              const bool missing) {
  uint32_t word = w->step[at].word, key = row[word & ((1u << w->bits) - 1)];
  uint32_t left = key < w->step[at].key;
  if (missing) left |= (uint32_t)(key == SVF_MISSING_KEY) & (word >> w->bits);
  return (word >> (w->bits + 1)) + 1 - left;
}

/* `count` rows take a few steps; returns how many are listed now. */
static inline __attribute__((always_inline)) size_t walk_some(const svf_walk *w, size_t i, const int count,
                                                              const bool missing, size_t listed) {
  uint32_t at[TOGETHER], number[TOGETHER];
  const uint32_t *row[TOGETHER];
  for (int r = 0; r < count; r++) {
    number[r] = w->live[i + (size_t)r];
    at[r] = w->here[i + (size_t)r];
    row[r] = w->x + number[r] * w->stride;
  }
#pragma GCC unroll 4
  for (int s = 0; s < STEPS; s++)
#pragma GCC unroll 8
    for (int r = 0; r < count; r++) at[r] = step_on(w, at[r], row[r], missing);
  for (int r = 0; r < count; r++) {
    uint32_t key = w->step[at[r]].key;
    w->said[number[r]] = key;
    w->live[listed] = number[r];
    w->here[listed] = at[r];
    listed += key >= SVF_LEAST_KEY;
  }
  return listed;
}

static inline __attribute__((always_inline)) void walk_all(const svf_walk *w, const bool missing) {
  for (size_t i = 0; i < w->n; i++) w->here[i] = 1;
  for (size_t live = w->n; live;) {
    size_t i = 0, listed = 0;
    for (; i + TOGETHER <= live; i += TOGETHER) listed = walk_some(w, i, TOGETHER, missing, listed);
    for (; i < live; i++) listed = walk_some(w, i, 1, missing, listed);
    live = listed;
  }
}

static void walk(const svf_walk *w) {
  if (w->missing) walk_all(w, true);
  else walk_all(w, false);
}

#endif
