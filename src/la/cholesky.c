/* cholesky.c - see cholesky.h. With H in blocks, R11'R11 = H11, R12 = R11'^-1 H12, and H22 - R12'R12 is factored next. */
#include "la/cholesky.h"

#include <string.h>

enum { BLOCK = 64 };

typedef struct work {
  const svf_la *la;
  size_t n, ld;
  double *h;
  double *corner; /* BLOCK x BLOCK */
  double *minus;  /* BLOCK x ld: -R12 */
} work;

/* R11 of rows from..from+m-1. */
static bool factor_corner(const work *w, size_t from, size_t m, const atomic_int *stop) {
  size_t side = svf_padded(m);
  memset(w->corner, 0, side * side * sizeof *w->corner);
  for (size_t i = 0; i < m; i++)
    for (size_t j = i; j < m; j++) w->corner[i * side + j] = w->h[(from + i) * w->ld + from + j];
  if (!w->la->cholesky(m, side, w->corner, stop)) return false;
  for (size_t i = 0; i < m; i++)
    for (size_t j = i; j < m; j++) w->h[(from + i) * w->ld + from + j] = w->corner[i * side + j];
  return true;
}

/* Rows of R12, and what they take off below. */
static void take_off(const work *w, size_t from, size_t m) {
  size_t next = from + m, rest = w->ld - next;
  for (size_t i = 0; i < m; i++) {
    double *row = w->h + (from + i) * w->ld, scale = 1 / row[from + i];
    for (size_t e = 0; e < i; e++) {
      const double *above = w->h + (from + e) * w->ld;
      w->la->axpy(rest, -above[from + i], above + next, row + next);
    }
    for (size_t j = next; j < w->ld; j++) row[j] *= scale, w->minus[i * w->ld + j] = -row[j];
  }
  for (size_t i = next; i < w->n; i += BLOCK) {
    size_t some = w->n - i < BLOCK ? w->n - i : BLOCK;
    w->la->blocked->outer(some, w->ld - i, m, (svf_dense){w->minus + i, w->ld},
                          (svf_dense){w->h + from * w->ld + i, w->ld}, (svf_dense){w->h + i * w->ld + i, w->ld});
  }
}

bool svf_cholesky_blocked(const svf_la *la, size_t n, size_t ld, double *h, const atomic_int *stop,
                          svf_arena *scratch) {
  svf_mark mark = svf_arena_mark(scratch);
  work w = {la, n, ld, h, SVF_TAKE(scratch, double, BLOCK *BLOCK), SVF_TAKE(scratch, double, BLOCK *ld)};
  if (!w.corner || !w.minus) return false;
  bool fine = true;
  for (size_t k = 0; fine && k < n; k += BLOCK) {
    size_t m = n - k < BLOCK ? n - k : BLOCK;
    fine = !svf_la_stopped(stop) && factor_corner(&w, k, m, stop);
    if (fine && k + m < n) take_off(&w, k, m);
  }
  svf_arena_release(scratch, mark);
  return fine;
}
