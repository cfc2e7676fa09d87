/* kernel_smo.c - the dual of kernel.h by pairs of variables (sequential minimal optimisation).
 *
 * A step takes the row with the largest e that may rise and the partner that promises the largest gain to second order
 * (Fan, Chen and Lin, Working set selection using second order information, JMLR 2005), solves for these two, and updates
 * all e. Optimal up to eps: the largest e that may rise is at most eps above the smallest that may fall. Then the duality
 * gap is measured; where it is too large, eps becomes smaller and the steps go on. Every so many steps all rows between
 * their bounds move together (kernel_newton.c).
 *
 * Shrinking: rows at a bound whose e says that they will stay there are left out, and what is left is solved as a problem
 * of its own with its own copy of their part of K; then e is made anew for all rows, and the steps go on with all. */
#include <math.h>
#include <string.h>
#include "svm/kernel.h"

enum { SHRINK_FROM = 256, LOOK = 1024, LEAST_STEPS = 100, FIRST_WAIT = 96, FACES = 3 };
enum { PAIRS = 1024 }; /* between two looks at the stop flag */
static const double FIRST_EPS = 1e-3, LAST_EPS = 1e-12, LEAST_BEND = 1e-12;

typedef struct work {
  svf_gram *gram;
  svf_smo *smo;
  const svf_solver *solver;
  size_t n;
  svf_climb at;        /* see la/dual.h */
  size_t *steps, most; /* shared with the problems that shrinking makes */
  size_t wait, since;  /* pairs before the next step of all free rows, and since the last */
} work;

static double low_of(const svf_smo *smo, size_t i) { return smo->sign[i] > 0 ? 0 : -smo->C * smo->cost[i]; }
static double high_of(const svf_smo *smo, size_t i) { return smo->sign[i] > 0 ? smo->C * smo->cost[i] : 0; }

static bool open_work(work *w) {
  svf_arena *arena = w->solver->arena;
  size_t ld = svf_padded(w->n);
  double *memory = SVF_TAKE(arena, double, 4 * ld), *low = memory, *high = memory + ld, most = 0;
  if (!memory) return false;
  w->at = (svf_climb){.n = w->n,
                      .row = w->gram->row,
                      .recent = w->gram->recent,
                      .diagonal = w->gram->diagonal,
                      .low = low,
                      .high = high,
                      .beta = w->smo->beta,
                      .e = w->smo->e,
                      .rise = memory + 2 * ld,
                      .fall = memory + 3 * ld};
  for (size_t i = 0; i < w->n; i++) {
    double own = fabs((double)w->gram->diagonal[i]);
    low[i] = low_of(w->smo, i), high[i] = high_of(w->smo, i);
    svf_climb_sides(&w->at, i);
    if (own > most) most = own;
  }
  for (size_t i = w->n; i < ld; i++) w->at.rise[i] = -INFINITY, w->at.fall[i] = INFINITY;
  w->wait = FIRST_WAIT;
  w->at.least = (float)fmax(LEAST_BEND * most, 1e-30);
  return true;
}

static void find_lead(work *w) { w->at.lead = w->gram->la->dual->lead(w->n, w->smo->e, w->at.rise, w->at.fall); }

/* Steps of all free rows, a few in a row where bounds end them. The more they cost, or the less they do, the longer the wait
 * for the next. False: memory ran out. */
static bool climb_face(work *w) {
  svf_face_end end = {.bounded = true};
  for (int times = 0; times < FACES && end.bounded; times++)
    if (!svf_smo_face(w->gram, &w->at, w->solver, &end)) return false;
  size_t cost = end.free * end.free / 8 * end.free / w->n;
  w->wait = !end.moved ? 2 * w->wait : cost > FIRST_WAIT ? cost : FIRST_WAIT;
  w->since = 0;
  find_lead(w);
  return true;
}

/* Up to `budget` steps; done: optimal, or no further step is possible. False: memory ran out. */
static bool iterate(work *w, double eps, size_t budget, bool *done) {
  size_t end = budget < w->most - *w->steps ? *w->steps + budget : w->most;
  w->at.eps = eps;
  find_lead(w);
  for (*done = false;;) {
    size_t before = *w->steps, left = end - before, turn = w->wait - w->since;
    size_t most = left < turn ? left : turn;
    svf_climb_end how = w->gram->la->dual->climb(&w->at, most < PAIRS ? most : PAIRS, w->steps);
    w->since += *w->steps - before;
    *done = how == SVF_CLIMB_TOP || *w->steps >= w->most || svf_solver_stopped(w->solver);
    if (*done || *w->steps >= end) return true;
    if (how == SVF_CLIMB_ROW) svf_gram_row(w->gram, w->at.want, w->at.keep);
    else if (w->since >= w->wait && !climb_face(w)) return false;
  }
}

/* ---- shrinking ---- */

static bool stays(const work *w, size_t i) {
  bool rises = w->at.rise[i] == 0, falls = w->at.fall[i] == 0;
  if (rises && falls) return true;
  return (rises && w->smo->e[i] >= w->at.lead.low) || (falls && w->smo->e[i] <= w->at.lead.up);
}

typedef struct part {
  svf_gram *from;
  uint32_t *row; /* which rows of it */
} part;

static void fill_part(const svf_gram *gram, size_t i, float *row) {
  const part *p = gram->source;
  const float *from = svf_gram_row(p->from, p->row[i], p->row[i]);
  for (size_t j = 0; j < gram->n; j++) row[j] = from[p->row[j]];
}

static void gather(size_t n, const uint32_t *row, const double *from, double *to) {
  for (size_t i = 0; i < n; i++) to[i] = from[row[i]];
  for (size_t i = n; i < svf_padded(n); i++) to[i] = 0;
}

/* e of all rows from beta. */
static void renew(svf_gram *gram, svf_smo *smo, const svf_solver *solver) {
  memcpy(smo->e, smo->sign, gram->ld * sizeof *smo->e);
  for (size_t j = 0; j < gram->n && !svf_solver_stopped(solver); j++)
    if (smo->beta[j] != 0) gram->la->dual->add(gram->n, -smo->beta[j], svf_gram_row(gram, j, j), smo->e);
}

static bool solve(work *w, double eps);

/* The problem of `count` rows by itself. False: memory ran out. */
static bool solve_part(const work *w, uint32_t *row, size_t count, double eps) {
  svf_arena *arena = w->solver->arena;
  size_t ld = svf_padded(count), bytes = w->gram->capacity * w->gram->ld * sizeof(float);
  double *memory = SVF_TAKE(arena, double, 4 * ld);
  part p = {w->gram, row};
  svf_gram gram;
  if (!memory || !svf_gram_open(&gram, w->gram->la, count, bytes, arena)) return false;
  gram.fill = fill_part;
  gram.source = &p;
  svf_smo smo = {memory, memory + ld, w->smo->C, memory + 2 * ld, memory + 3 * ld};
  for (size_t i = 0; i < count; i++) gram.diagonal[i] = w->gram->diagonal[row[i]];
  gather(count, row, w->smo->sign, memory);
  gather(count, row, w->smo->cost, memory + ld);
  gather(count, row, w->smo->beta, smo.beta);
  gather(count, row, w->smo->e, smo.e);
  work small = {.gram = &gram, .smo = &smo, .solver = w->solver, .n = count, .steps = w->steps, .most = w->most};
  if (!open_work(&small) || !solve(&small, eps)) return false;
  for (size_t i = 0; i < count; i++) {
    w->smo->beta[row[i]] = smo.beta[i];
    svf_climb_sides(&w->at, row[i]);
  }
  return true;
}

static bool shrink(const work *w, double eps) {
  svf_arena *arena = w->solver->arena;
  svf_mark mark = svf_arena_mark(arena);
  uint32_t *row = SVF_TAKE(arena, uint32_t, w->n);
  size_t count = 0;
  if (!row) return false;
  for (size_t i = 0; i < w->n; i++)
    if (stays(w, i)) row[count++] = (uint32_t)i;
  bool fine = true;
  if (count > 1 && 3 * count < 2 * w->n) {
    fine = solve_part(w, row, count, eps);
    if (fine) renew(w->gram, w->smo, w->solver);
  }
  svf_arena_release(arena, mark);
  return fine;
}

static bool solve(work *w, double eps) {
  size_t budget = w->n < SHRINK_FROM ? w->most : w->n / 2 > LOOK ? w->n / 2 : LOOK;
  bool done;
  for (;;) {
    if (!iterate(w, eps, budget, &done)) return false;
    if (done) return true;
    if (!shrink(w, eps)) return false;
  }
}

/* ---- the whole ---- */

/* e of the rows between the bounds; where there are none, the middle of what is allowed. */
static double bias_of(const work *w) {
  double sum = 0, up = w->at.lead.up, low = w->at.lead.low;
  size_t count = 0;
  for (size_t i = 0; i < w->n; i++)
    if (w->at.rise[i] == 0 && w->at.fall[i] == 0) sum += w->smo->e[i], count++;
  if (count) return sum / (double)count;
  if (isinf(up) && isinf(low)) return 0;
  return isinf(up) ? low : isinf(low) ? up : up / 2 + low / 2;
}

/* Kernel values beyond all numbers, or a kernel that is none (P below 0), are not solved. */
static double relative_gap(double primal, double dual) {
  if (primal == 0 && dual == 0) return 0;
  if (!(primal > 0) || !isfinite(primal) || !isfinite(dual)) return 1;
  return fmax(0, (primal - dual) / primal);
}

static void measure(work *w, svf_smo_fit *fit) {
  const svf_smo *smo = w->smo;
  find_lead(w);
  double bend = 0, slack = 0, linear = 0, bias = bias_of(w);
  for (size_t i = 0; i < w->n; i++) {
    bend += smo->beta[i] * (smo->sign[i] - smo->e[i]);
    linear += smo->beta[i] * smo->sign[i];
    slack += smo->cost[i] * fmax(0, smo->sign[i] * (smo->e[i] - bias)); /* 1 - y s = y (e - b) */
  }
  *fit = (svf_smo_fit){.bias = bias, .primal = bend / 2 + smo->C * slack, .dual = linear - bend / 2};
  fit->violation = fmax(0, w->at.lead.up - w->at.lead.low);
  fit->gap = relative_gap(fit->primal, fit->dual);
  fit->steps = *w->steps;
}

void svf_smo_reset(svf_smo *smo, size_t n) {
  memset(smo->beta, 0, svf_padded(n) * sizeof *smo->beta);
  memcpy(smo->e, smo->sign, svf_padded(n) * sizeof *smo->e);
}

/* D along the ray r beta is r lin - r^2/2 bend. */
static void along(const svf_smo *smo, size_t n, double *lin, double *bend) {
  *lin = *bend = 0;
  for (size_t i = 0; i < n; i++) {
    *lin += smo->beta[i] * smo->sign[i];
    *bend += smo->beta[i] * (smo->sign[i] - smo->e[i]);
  }
}

void svf_smo_crowd(svf_gram *gram, svf_smo *smo, const svf_solver *solver) {
  double room[2] = {0}, lin, bend;
  for (size_t i = 0; i < gram->n; i++) room[smo->sign[i] > 0] += smo->C * smo->cost[i];
  double left[2] = {fmin(room[0], room[1]), fmin(room[0], room[1])};
  for (size_t i = 0; i < gram->n; i++) {
    double *rest = &left[smo->sign[i] > 0], most = smo->C * smo->cost[i];
    bool whole = *rest >= most || room[smo->sign[i] > 0] <= room[smo->sign[i] < 0];
    smo->beta[i] = smo->sign[i] * (whole ? most : fmax(0, *rest));
    *rest -= most;
  }
  renew(gram, smo, solver);
  along(smo, gram->n, &lin, &bend);
  if (!(lin >= bend)) svf_smo_reset(smo, gram->n);
}

/* The best r that the new C allows. Where that is all it allows, rows at a bound stay at it; where nothing was at one, the
 * solution stays as it is. */
void svf_smo_rescale(svf_smo *smo, size_t n, double C) {
  svf_smo old = *smo;
  double lin, bend, most = C / old.C;
  along(smo, n, &lin, &bend);
  double r = lin < most * bend ? fmax(1, lin / bend) : most;
  smo->C = C;
  for (size_t i = 0; i < n; i++) {
    double beta = old.beta[i], low = low_of(smo, i), high = high_of(smo, i);
    bool stays = r == most && (beta <= low_of(&old, i) || beta >= high_of(&old, i));
    smo->beta[i] = !stays ? beta * r : beta <= low_of(&old, i) ? low : high;
    smo->e[i] = smo->sign[i] - (smo->sign[i] - smo->e[i]) * r;
  }
}

bool svf_smo_run(svf_gram *gram, svf_smo *smo, const svf_solver *solver, svf_smo_fit *fit) {
  svf_mark mark = svf_arena_mark(solver->arena);
  size_t steps = 0, n = gram->n;
  work w = {.gram = gram, .smo = smo, .solver = solver, .n = n, .steps = &steps};
  w.most = solver->max_steps * (n > LEAST_STEPS ? n : LEAST_STEPS);
  bool fine = open_work(&w);
  for (double eps = FIRST_EPS; fine;) {
    fine = solve(&w, eps);
    if (!fine) break;
    measure(&w, fit);
    if (fit->gap <= solver->tolerance || steps >= w.most || eps < LAST_EPS || svf_solver_stopped(solver)) break;
    eps *= fmin(.3, fmax(.01, solver->tolerance / fit->gap / 2));
  }
  svf_arena_release(solver->arena, mark);
  return fine;
}
