/* screen_gram.c - least squares of the sides from the leading parts of two factors of K; see screen.h. */
#include <math.h>
#include <string.h>
#include "svm/screen.h"

enum { LOG_ODDS = 4 };

typedef struct workroom {
  double *factor, *target, *alpha; /* k_ld x k_ld, k x k_ld, k_ld */
  double **column;                 /* k: the targets, solved forward */
  uint32_t *order;
} workroom;

/* Rows in the order of the sides that begin with the first of them: as they are, or backwards. */
static bool factor(const svf_screening *s, int side, const workroom *room) {
  const svf_screen *screen = s->screen;
  const svf_screen_set *rows = &screen->rows;
  size_t n = rows->points.n, ld = screen->k_ld;
  memset(room->factor, 0, ld * ld * sizeof(double));
  memset(room->target, 0, screen->k * ld * sizeof(double));
  for (size_t i = 0; i < n; i++) room->order[i] = s->order[side ? n - 1 - i : i];
  for (size_t i = 0; i < n; i++) {
    if (svf_la_stopped(screen->stop)) return false;
    size_t row = room->order[i], c = rows->label ? (size_t)rows->label[row] : 0;
    for (size_t j = i; j < n; j++) room->factor[i * ld + j] = screen->k_rows[row * ld + room->order[j]];
    room->factor[i * ld + i] += screen->ridge / rows->weight[row];
    room->target[c * ld + i] = rows->value ? rows->value[row] : 1;
  }
  for (size_t c = 0; c < screen->k; c++) room->column[c] = room->target + c * ld;
  if (!screen->la->cholesky(n, ld, room->factor, screen->stop)) return false;
  screen->la->forward(n, ld, room->factor, screen->k, room->column);
  return true;
}

/* The solution of the first `count` rows. Targets 0 and 1 stand for -1 and 1, and a machine's score s counts as log-odds
 * 2 s as everywhere where it is not calibrated: that makes 4. */
static void solve(svf_screening *s, size_t count, const workroom *room) {
  const svf_screen *screen = s->screen;
  const int32_t *label = screen->rows.label;
  memset(s->count, 0, screen->k * sizeof *s->count);
  for (size_t i = 0; i < count; i++) s->count[label ? label[room->order[i]] : 0]++;
  svf_screen_present(s);
  double scale = label ? LOG_ODDS : 1;
  memset(s->w, 0, s->m * screen->judge_ld * sizeof *s->w);
  for (size_t q = 0; q < s->m; q++) {
    memcpy(room->alpha, room->column[s->present[q]], count * sizeof(double));
    memset(room->alpha + count, 0, (screen->k_ld - count) * sizeof(double));
    screen->la->backward(count, screen->k_ld, room->factor, 1, &room->alpha);
    for (size_t i = 0; i < count; i++) s->w[q * screen->judge_ld + room->order[i]] = (float)(scale * room->alpha[i]);
  }
}

static void sweep_side(svf_screening *s, int side, const workroom *room) {
  size_t n = s->screen->rows.points.n;
  bool fine = factor(s, side, room);
  for (size_t e = 0; e <= s->sweep->blocks; e++) {
    if (svf_la_stopped(s->screen->stop)) return;
    if (!svf_screen_wanted(s, e, side)) continue;
    if (fine) solve(s, side ? n - s->start[e] : s->start[e], room);
    svf_screen_judge(s, e, side, fine);
  }
}

bool svf_screen_gram(svf_screening *s) {
  size_t k = s->screen->k, ld = s->screen->k_ld;
  workroom room = {SVF_TAKE(s->arena, double, ld *ld), SVF_TAKE(s->arena, double, k *ld),
                   SVF_TAKE(s->arena, double, ld), SVF_TAKE(s->arena, double *, k), SVF_TAKE(s->arena, uint32_t, ld)};
  if (svf_arena_failed(s->arena)) return false;
  for (int side = 0; side < 2; side++) sweep_side(s, side, &room);
  return true;
}
