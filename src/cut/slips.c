/* slips.c - see slips.h. */
#include "cut/slips.h"

#include <string.h>

enum { VECTOR = 4, WIDEST = 64, SPARE = 1 << 22 }; /* floats */

bool svf_slips_open(svf_slips *s, svf_arena *arena, size_t n, size_t d) {
  *s = (svf_slips){.span = (d + VECTOR - 1) / VECTOR * VECTOR};
  if (d > WIDEST) return true;
  s->most = SPARE / s->span < n ? SPARE / s->span : n;
  s->x = SVF_TAKE(arena, float, n * s->span);
  s->spare = SVF_TAKE(arena, float, s->most * s->span);
  return !svf_arena_failed(arena);
}

void svf_slips_fill(const svf_slips *s, const svf_frame *frame, const uint32_t *rows, const uint32_t *order,
                    size_t from, size_t n) {
  float *to = s->x + from * s->span;
  for (size_t i = 0; i < n; i++, to += s->span)
    memcpy(to, frame->x + rows[order[i]] * frame->stride, frame->d * sizeof *to);
}

static void move(float *to, const float *from, size_t span) {
  for (size_t j = 0; j < span; j += VECTOR) memmove(to + j, from + j, VECTOR * sizeof *to);
}

void svf_slips_deal(const svf_slips *s, size_t from, size_t n, const unsigned char *side) {
  float *x = s->x + from * s->span, *left = x, *right = s->spare;
  size_t span = s->span;
  for (size_t i = 0; i < n; i++) { /* without a branch: sides are as good as random */
    move(side[i] ? right : left, x + i * span, span);
    right += side[i] ? span : 0;
    left += side[i] ? 0 : span;
  }
  memcpy(left, s->spare, (size_t)(right - s->spare) * sizeof *x);
}
