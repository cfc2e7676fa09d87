/* kernel_set.c - trains the machines of a set, and asks them. */
#include "svm/kernel_set.h"

#include <math.h>
#include <string.h>

enum { ROWS = 32, MANY = 8, QUARTER = 256 << 20 };

/* ---- one machine at work ---- */

typedef struct bout {
  const svf_kernel_set *set;
  svf_sides_of sides;
  size_t n;
  svf_gram gram;
  double *wide, *z; /* for rows that are made */
  double *sign, *cost, *part;
  svf_smo smo;
} bout;

static size_t row_of(const bout *b, size_t i) {
  return i < b->sides.count[0] ? b->sides.from[0] + i : b->sides.from[1] + i - b->sides.count[0];
}

static void copy_row(const svf_gram *gram, size_t i, float *row) {
  const bout *b = gram->source;
  const float *from = b->set->gram + row_of(b, i) * svf_padded(b->set->n);
  memcpy(row, from + b->sides.from[0], b->sides.count[0] * sizeof *row);
  memcpy(row + b->sides.count[0], from + b->sides.from[1], b->sides.count[1] * sizeof *row);
}

static void make_row(const svf_gram *gram, size_t i, float *row) {
  const bout *b = gram->source;
  svf_kernel_row(b->set, row_of(b, i), &b->sides, b->wide, b->z);
  for (size_t j = 0; j < b->n; j++) row[j] = (float)b->z[j];
}

/* One-vs-rest of more than two classes as LIBLINEAR has it: only the positives get their class weight. */
static bool rest_is_one(const svf_kernel_set *set) {
  return set->problem->scheme == SVF_ONE_VS_REST && set->m > 2 && !set->problem->rest_class;
}

static bool open_bout(bout *b, const svf_kernel_set *set, size_t machine, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  *b = (bout){.set = set, .sides = svf_kernel_sides(set, machine)};
  b->n = b->sides.count[0] + b->sides.count[1];
  size_t ld = svf_padded(b->n), bytes = set->problem->bytes ? set->problem->bytes : QUARTER;
  b->wide = SVF_TAKE(arena, double, set->ld);
  b->z = SVF_ZERO(arena, double, ld);
  b->sign = SVF_ZERO(arena, double, ld);
  b->cost = SVF_ZERO(arena, double, ld);
  b->part = SVF_ZERO(arena, double, ld);
  b->smo.beta = SVF_TAKE(arena, double, ld);
  b->smo.e = SVF_TAKE(arena, double, ld);
  if (svf_arena_failed(arena) || !svf_gram_open(&b->gram, solver->la, b->n, bytes, arena)) return false;
  b->gram.fill = set->dense ? copy_row : make_row;
  b->gram.source = b;
  b->smo.sign = b->sign;
  for (size_t i = 0; i < b->n; i++) {
    size_t row = row_of(b, i);
    bool plus = set->label[row] == b->sides.plus;
    b->sign[i] = plus ? 1 : -1;
    b->cost[i] = !plus && rest_is_one(set) ? set->weight[row] : set->cost[row];
    b->gram.diagonal[i] = set->diagonal[row];
  }
  return true;
}

/* What the way the kernel is kept adds to the bias. */
static double shift_of(const bout *b) {
  double sum = 0;
  for (size_t i = 0; i < b->n; i++) sum += b->smo.beta[i] * b->set->offset[row_of(b, i)];
  return sum;
}

/* ---- on all rows ---- */

typedef struct training {
  const svf_kernel_set *set;
  svf_kernel_machines *machines;
  double *gap;
} training;

static bool train_one(void *context, size_t a, svf_worker *worker) {
  const training *t = context;
  svf_solver solver = svf_solver_on(&t->set->problem->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  svf_smo_fit fit = {0};
  bout b;
  bool fine = open_bout(&b, t->set, a, &solver);
  if (fine) {
    b.smo.cost = b.cost;
    b.smo.C = t->machines->C;
    svf_smo_reset(&b.smo, b.n);
    fine = svf_smo_run(&b.gram, &b.smo, &solver, &fit);
  }
  if (fine) {
    memcpy(t->machines->beta + t->set->place[a], b.smo.beta, b.n * sizeof(double));
    t->machines->kept[a] = fit.bias;
    t->machines->bias[a] = fit.bias - shift_of(&b);
    t->gap[a] = isnan(fit.gap) ? INFINITY : fit.gap;
  }
  svf_arena_release(solver.arena, mark);
  return fine;
}

bool svf_kernel_train(const svf_kernel_set *set, double C, svf_kernel_machines *machines) {
  const svf_solver *solver = &set->problem->solver;
  *machines = (svf_kernel_machines){.C = C};
  machines->beta = SVF_ZERO(solver->arena, double, set->place[set->machines]);
  machines->bias = SVF_TAKE(solver->arena, double, set->machines);
  machines->kept = SVF_TAKE(solver->arena, double, set->machines);
  training t = {set, machines, SVF_TAKE(solver->arena, double, set->machines)};
  if (svf_arena_failed(solver->arena) || !svf_solver_share(solver, set->machines, train_one, &t)) return false;
  for (size_t a = 0; a < set->machines; a++) machines->gap = fmax(machines->gap, t.gap[a]);
  return true;
}

/* ---- what machines say of the set's own rows ---- */

/* Machines of `parts` folds (1: of all rows) and C_count costs. */
typedef struct asking {
  const svf_kernel_set *set;
  size_t parts, C_count;
  const double *beta; /* [part][C] of place[machines] numbers */
  const double *kept; /* [part][C][machine] */
  double *score;      /* [C][n][m] */
} asking;

/* Row i of the kernel, as floats. */
static const float *kernel_row(const svf_kernel_set *set, size_t i, double *wide, double *z, float *row) {
  svf_sides_of all = {.count = {set->n}};
  if (set->dense) return set->gram + i * svf_padded(set->n);
  svf_kernel_row(set, i, &all, wide, z);
  for (size_t j = 0; j < set->n; j++) row[j] = (float)z[j];
  return row;
}

static void ask_row(const asking *k, size_t i, const float *row, double *machine) {
  const svf_kernel_set *set = k->set;
  size_t part = k->parts > 1 ? (size_t)set->fold[i] : 0;
  for (size_t C = 0; C < k->C_count; C++) {
    size_t at = part * k->C_count + C;
    const double *beta = k->beta + at * set->place[set->machines];
    for (size_t a = 0; a < set->machines; a++) {
      svf_sides_of sides = svf_kernel_sides(set, a);
      const double *own = beta + set->place[a];
      double sum = k->kept[at * set->machines + a];
      for (int r = 0; r < 2; own += sides.count[r++])
        sum += set->problem->solver.la->dual->blend(sides.count[r], own, row + sides.from[r]);
      machine[a] = sum;
    }
    svf_class_scores(set->problem->scheme, set->m, machine, k->score + (C * set->n + i) * set->m);
  }
}

static bool ask_rows(void *context, size_t block, svf_worker *worker) {
  const asking *k = context;
  const svf_kernel_set *set = k->set;
  svf_solver solver = svf_solver_on(&set->problem->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  double *wide = SVF_TAKE(solver.arena, double, set->ld), *z = SVF_TAKE(solver.arena, double, svf_padded(set->n));
  double *machine = SVF_TAKE(solver.arena, double, set->machines);
  float *row = SVF_TAKE(solver.arena, float, set->n);
  bool fine = !svf_arena_failed(solver.arena);
  size_t first = block * ROWS, end = first + ROWS < set->n ? first + ROWS : set->n;
  for (size_t i = first; fine && i < end; i++) ask_row(k, i, kernel_row(set, i, wide, z, row), machine);
  svf_arena_release(solver.arena, mark);
  return fine;
}

static bool ask_all(asking *k) {
  return svf_solver_share(&k->set->problem->solver, (k->set->n + ROWS - 1) / ROWS, ask_rows, k);
}

bool svf_kernel_ask(const svf_kernel_set *set, const svf_kernel_machines *machines, double *score) {
  asking k = {set, 1, 1, machines->beta, machines->kept, score};
  return ask_all(&k);
}

/* ---- held out ---- */

typedef struct holding {
  const svf_kernel_set *set;
  const double *C;
  size_t C_count, folds, together; /* folds of a machine that one piece of work has */
  double *beta, *kept;             /* as in asking */
} holding;

/* Machine a without fold f, for every C. */
static bool hold_fold(const holding *h, bout *b, size_t a, size_t f, const svf_solver *solver) {
  const svf_kernel_set *set = h->set;
  for (size_t i = 0; i < b->n; i++) b->part[i] = set->fold[row_of(b, i)] == (int32_t)f ? 0 : b->cost[i];
  b->smo.cost = b->part;
  b->smo.C = h->C[0];
  svf_smo_reset(&b->smo, b->n);
  for (size_t c = 0; c < h->C_count; c++) {
    svf_smo_fit fit;
    size_t at = f * h->C_count + c;
    if (c) svf_smo_rescale(&b->smo, b->n, h->C[c]);
    if (!svf_smo_run(&b->gram, &b->smo, solver, &fit)) return false;
    memcpy(h->beta + at * set->place[set->machines] + set->place[a], b->smo.beta, b->n * sizeof(double));
    h->kept[at * set->machines + a] = fit.bias;
  }
  return true;
}

static bool hold_one(void *context, size_t piece, svf_worker *worker) {
  const holding *h = context;
  svf_solver solver = svf_solver_on(&h->set->problem->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  size_t pieces = h->folds / h->together, a = piece / pieces, first = piece % pieces * h->together;
  bout b;
  bool fine = open_bout(&b, h->set, a, &solver);
  for (size_t f = first; fine && f < first + h->together; f++) fine = hold_fold(h, &b, a, f, &solver);
  svf_arena_release(solver.arena, mark);
  return fine;
}

bool svf_kernel_hold(const svf_kernel_set *set, const double *C, size_t C_count, double *score) {
  const svf_solver *solver = &set->problem->solver;
  svf_mark mark = svf_arena_mark(solver->arena);
  size_t folds = set->problem->folds, fits = folds * C_count;
  holding h = {.set = set, .C = C, .C_count = C_count, .folds = folds};
  h.together = set->machines < MANY ? 1 : folds; /* few machines: their folds are work for other threads */
  h.beta = SVF_ZERO(solver->arena, double, fits * set->place[set->machines]);
  h.kept = SVF_TAKE(solver->arena, double, fits * set->machines);
  asking k = {set, folds, C_count, h.beta, h.kept, score};
  bool fine = !svf_arena_failed(solver->arena) &&
              svf_solver_share(solver, set->machines * (folds / h.together), hold_one, &h) && ask_all(&k);
  svf_arena_release(solver->arena, mark);
  return fine;
}

double svf_kernel_right(const svf_kernel_set *set, const double *score) {
  double right = 0;
  for (size_t i = 0; i < set->n; i++)
    if (svf_largest(set->m, score + i * set->m) == (size_t)set->label[i]) right += set->weight[i];
  return right;
}

bool svf_kernel_calibrate(const svf_kernel_set *set, const double *score, double *sigmoid) {
  svf_arena *arena = set->problem->solver.arena;
  svf_mark mark = svf_arena_mark(arena);
  double *own = SVF_TAKE(arena, double, set->n);
  unsigned char *hit = SVF_TAKE(arena, unsigned char, set->n);
  bool fine = !svf_arena_failed(arena);
  for (size_t c = 0; fine && c < set->m; c++) {
    for (size_t i = 0; i < set->n; i++) {
      own[i] = score[i * set->m + c];
      hit[i] = set->label[i] == (int32_t)c;
    }
    svf_calibrate(set->n, own, hit, set->weight, &sigmoid[2 * c], &sigmoid[2 * c + 1]);
  }
  svf_arena_release(arena, mark);
  return fine;
}
