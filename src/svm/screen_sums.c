/* screen_sums.c - sides from running sums of x x' and of x by class: the linear discriminant, or least squares for numbers;
 * see screen.h. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "la/elementary.h"
#include "svm/screen.h"

#define ROUNDING 1e-9 /* of the sums: what is less is nothing */

/* Sums over some of the rows. */
typedef struct sums {
  double *a, *b, *count, *mass;
} sums;

typedef struct workroom {
  const double **row;
  double *weight, *factor, *solution, *mean;
  double **column;
} workroom;

static void add_block(const svf_screening *s, size_t block, const workroom *room, sums *sum) {
  const svf_screen *screen = s->screen;
  const svf_screen_set *rows = &screen->rows;
  size_t first = s->start[block], count = s->start[block + 1] - first;
  for (size_t q = 0; q < count; q++) {
    size_t i = s->order[first + q], c = rows->label ? (size_t)rows->label[i] : 0;
    double weight = rows->weight[i];
    room->row[q] = screen->x + i * screen->ld;
    room->weight[q] = weight;
    sum->count[c]++;
    sum->mass[c] += weight;
    screen->la->axpy(screen->ld, rows->value ? weight * rows->value[i] : weight, room->row[q],
                     sum->b + c * screen->ld);
  }
  svf_screen_rank(screen, count, room->row, room->weight, sum->a);
}

/* What a side has: the sums so far, or the rest. */
static double part(double all, double so_far, int side) { return side ? all - so_far : so_far; }

/* The sums of one side: into the factor, and by class into the columns. */
static void take_side(svf_screening *s, const sums *sum, int side, const workroom *room) {
  const svf_screen *screen = s->screen;
  size_t ld = screen->ld;
  for (size_t c = 0; c < screen->k; c++) {
    s->count[c] = part(screen->count[c], sum->count[c], side);
    s->mass[c] = part(screen->mass[c], sum->mass[c], side);
  }
  svf_screen_present(s);
  for (size_t j = 0; j < ld * ld; j++) room->factor[j] = part(screen->a[j], sum->a[j], side);
  for (size_t q = 0; q < s->m; q++) {
    size_t at = s->present[q] * ld;
    room->column[q] = room->solution + q * ld;
    for (size_t j = 0; j < ld; j++) room->column[q][j] = part(screen->b[at + j], sum->b[at + j], side);
  }
}

/* Turns the sums into those around the classes' means, and the columns into the means. Where rows of a class are alike,
 * rounding is all that is left of the sums: it must not decide. */
static void centre(const svf_screening *s, const workroom *room) {
  const svf_screen *screen = s->screen;
  size_t d = screen->p, ld = screen->ld;
  double trace = 0, mass = 0, size = 0;
  for (size_t j = 0; j < d; j++) size += room->factor[j * ld + j];
  for (size_t q = 0; q < s->m; q++) room->weight[q] = -1 / s->mass[s->present[q]], mass += s->mass[s->present[q]];
  screen->la->rank(d, ld, s->m, (const double *const *)room->column, room->weight, room->factor);
  for (size_t j = 0; j < d; j++) trace += room->factor[j * ld + j];
  double ridge = (.5 * fmax(trace, 0) / mass + ROUNDING * size) / (double)d + DBL_MIN;
  for (size_t j = 0; j < d; j++) room->factor[j * ld + j] += ridge;
  for (size_t q = 0; q < s->m; q++)
    for (size_t j = 0; j < d; j++) room->mean[q * ld + j] = room->column[q][j] *= -room->weight[q];
}

/* From S^-1 mean to the discriminant: over the covariance, and with the class's share. The inverse of a covariance of few
 * rows is too large by the factor n / (n - classes - d - 1), and scores from it too sure of themselves. */
static void discriminate(const svf_screening *s, const workroom *room) {
  const svf_screen *screen = s->screen;
  size_t d = screen->p, ld = screen->ld;
  double mass = 0, rows = 0;
  for (size_t q = 0; q < s->m; q++) mass += s->mass[s->present[q]], rows += s->count[s->present[q]];
  double used = (double)(s->m + d + 1), free_rows = rows > used + 1 ? rows - used : 1,
         scale = mass * free_rows / rows;
  for (size_t q = 0; q < s->m; q++) {
    double *w = room->column[q], share = s->mass[s->present[q]] / mass;
    for (size_t j = 0; j < d; j++) w[j] *= scale;
    s->w[q * screen->judge_ld + d] = (float)(svf_log(share) - .5 * screen->la->dot(ld, w, room->mean + q * ld));
  }
}

static bool solve(svf_screening *s, const sums *sum, int side, const workroom *room) {
  const svf_screen *screen = s->screen;
  size_t p = screen->p, ld = screen->ld;
  bool classes = screen->rows.label != NULL;
  take_side(s, sum, side, room);
  if (classes && s->m == 1) { /* nothing to tell apart: any solution says that class */
    memset(s->w, 0, screen->judge_ld * sizeof *s->w);
    return true;
  }
  if (classes) centre(s, room);
  for (size_t j = 0; !classes && j < p; j++) room->factor[j * ld + j] += screen->ridge;
  if (!screen->la->cholesky(p, ld, room->factor, screen->stop)) return false;
  screen->la->forward(p, ld, room->factor, s->m, room->column);
  screen->la->backward(p, ld, room->factor, s->m, room->column);
  if (classes) discriminate(s, room);
  for (size_t q = 0; q < s->m; q++)
    for (size_t j = 0; j < p; j++) s->w[q * screen->judge_ld + j] = (float)room->column[q][j];
  return true;
}

static bool open_room(const svf_screening *s, workroom *room, sums *sum) {
  const svf_screen *screen = s->screen;
  svf_arena *arena = s->arena;
  size_t n = screen->rows.points.n, square = screen->ld * screen->ld;
  *room = (workroom){SVF_TAKE(arena, const double *, n),
                     SVF_TAKE(arena, double, n + screen->k),
                     SVF_TAKE(arena, double, square),
                     SVF_TAKE(arena, double, screen->k * screen->ld),
                     SVF_ZERO(arena, double, screen->k * screen->ld),
                     SVF_TAKE(arena, double *, screen->k)};
  *sum = (sums){SVF_ZERO(arena, double, square), SVF_ZERO(arena, double, screen->k * screen->ld),
                SVF_ZERO(arena, double, screen->k), SVF_ZERO(arena, double, screen->k)};
  return !svf_arena_failed(arena);
}

bool svf_screen_sums(svf_screening *s) {
  workroom room;
  sums sum;
  if (!open_room(s, &room, &sum)) return false;
  size_t last = 0; /* boundary that is wanted: rows beyond it are in nobody's sums */
  for (size_t e = 0; e <= s->sweep->blocks; e++)
    if (svf_screen_wanted(s, e, 0) || svf_screen_wanted(s, e, 1)) last = e;
  for (size_t e = 0; e <= last && !svf_la_stopped(s->screen->stop); e++) {
    if (e) add_block(s, e - 1, &room, &sum);
    for (int side = 0; side < 2; side++) {
      if (!svf_screen_wanted(s, e, side)) continue;
      bool fine = solve(s, &sum, side, &room);
      svf_screen_judge(s, e, side, fine);
    }
  }
  return true;
}
