/* descend.h - rows to the leaves of a tree of cuts along one column: a part of kernels.c, which includes it and nobody
 * else does. Several rows walk abreast: while one waits for its next node, the others go on. Which way a row goes no
 * processor can guess, so masks choose and not branches. (Gathers of AVX-512 were no faster on 511 to 51,111 nodes.) */
#ifndef SVF_LA_DESCEND_H
#define SVF_LA_DESCEND_H

enum { ABREAST = 8 };

/* From a node to its child, from a leaf to itself. */
static inline uint32_t step(const svf_fork *node, uint32_t at, const float *row) {
  const svf_fork *here = &node[at];
  uint32_t left = at + 1, right = here->right, inner = 0u - (right != 0);
  float x = row[here->first & inner];
  uint32_t over = 0u - (uint32_t) !((x < here->threshold) | ((x != x) & (int)here->count));
  return at + ((left + ((right - left) & over) - at) & inner);
}

static void descend_abreast(const svf_fork *node, const float *const *row, uint32_t *leaf) {
  uint32_t at[ABREAST] = {0}, moved;
  do {
    moved = 0;
#pragma GCC unroll 8
    for (int r = 0; r < ABREAST; r++) {
      uint32_t next = step(node, at[r], row[r]);
      moved |= next ^ at[r];
      at[r] = next;
    }
  } while (moved);
  for (int r = 0; r < ABREAST; r++) leaf[r] = node[at[r]].first;
}

static uint32_t descend_alone(const svf_fork *node, const float *row) {
  const svf_fork *here = node;
  while (here->right) {
    float x = row[here->first];
    bool left = x < here->threshold || (x != x && here->count);
    here = left ? here + 1 : node + here->right;
  }
  return here->first;
}

static void descend(const svf_fork *node, size_t n, const float *const *row, uint32_t *leaf) {
  size_t i = 0;
  for (; i + ABREAST <= n; i += ABREAST) descend_abreast(node, row + i, leaf + i);
  for (; i < n; i++) leaf[i] = descend_alone(node, row[i]);
}

#endif
