/* kernel_gram.c - kernel functions on vectors of numbers, and rows of kernel matrices that are made when asked for. Where
 * not all rows have room, one that was not asked for lately makes place for a new one. */
#include <string.h>
#include "svm/kernel.h"

enum { LEAST_ROWS = 3 };

void svf_kernel_values(const svf_kernel *kernel, const svf_la *la, size_t n, double own, const double *square,
                       double *z) {
  if (kernel->kind == SVF_KERNEL_POLY) la->dual->powers(n, kernel->gamma, kernel->coef0, kernel->degree, z);
  if (kernel->kind == SVF_KERNEL_CHI2) la->dual->decays(n, kernel->gamma, z);
  if (kernel->kind != SVF_KERNEL_RBF) return;
  for (size_t i = 0; i < n; i++) {
    double distance = own + square[i] - 2 * z[i];
    z[i] = distance > 0 ? distance : 0;
  }
  la->dual->decays(n, kernel->gamma, z);
}

bool svf_gram_open(svf_gram *gram, const svf_la *la, size_t n, size_t bytes, svf_arena *arena) {
  size_t ld = svf_padded(n), fit = ld ? bytes / (ld * sizeof(float)) : 0;
  *gram = (svf_gram){.la = la, .n = n, .ld = ld, .capacity = fit < n ? fit : n};
  if (gram->capacity < LEAST_ROWS) gram->capacity = LEAST_ROWS;
  gram->memory = SVF_TAKE(arena, float, gram->capacity *ld);
  gram->diagonal = SVF_ZERO(arena, float, ld);
  gram->row = SVF_ZERO(arena, const float *, n);
  gram->holder = SVF_TAKE(arena, uint32_t, gram->capacity);
  gram->recent = SVF_ZERO(arena, unsigned char, n);
  return !svf_arena_failed(arena);
}

/* A room for one more row: a free one, or that of a row not asked for since the hand last passed it. */
static size_t find_room(svf_gram *gram, size_t keep) {
  if (gram->used < gram->capacity) return gram->used++;
  for (;; gram->hand = (gram->hand + 1) % gram->capacity) {
    uint32_t holder = gram->holder[gram->hand];
    if (holder == keep) continue;
    if (gram->recent[holder]) {
      gram->recent[holder] = 0;
      continue;
    }
    gram->row[holder] = NULL;
    size_t room = gram->hand;
    gram->hand = (room + 1) % gram->capacity;
    return room;
  }
}

const float *svf_gram_row(svf_gram *gram, size_t i, size_t keep) {
  gram->recent[i] = 1;
  if (gram->row[i]) return gram->row[i];
  size_t room = find_room(gram, keep);
  float *row = gram->memory + room * gram->ld;
  gram->fill(gram, i, row);
  for (size_t j = gram->n; j < gram->ld; j++) row[j] = 0;
  gram->holder[room] = (uint32_t)i;
  return gram->row[i] = row;
}
