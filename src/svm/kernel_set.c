/* kernel_set.c - trains the machines of a set. */
#include "svm/kernel_set.h"

#include <math.h>
#include <string.h>

enum { QUARTER = 256 << 20 };

/* ---- one machine at work ---- */

typedef struct bout {
  const svf_kernel_set *set;
  svf_sides_of sides;
  size_t n, all;               /* rows in use, rows of the machine */
  uint32_t *place;             /* n: where among the machine's rows it stands */
  uint32_t *row;               /* n: which row of the set it is */
  size_t runs, *from, *length; /* the rows in use stand in so many runs, a class in two at most */
  svf_gram gram;
  double *wide, *z; /* for rows that are made */
  double *sign, *cost;
  svf_smo smo;
} bout;

static void copy_row(const svf_gram *gram, size_t i, float *row) {
  const bout *b = gram->source;
  const float *from = b->set->gram + b->row[i] * svf_padded(b->set->n);
  for (size_t r = 0; r < b->runs; row += b->length[r++]) memcpy(row, from + b->from[r], b->length[r] * sizeof *row);
}

static void make_row(const svf_gram *gram, size_t i, float *row) {
  const bout *b = gram->source;
  svf_kernel_row(b->set, b->row[i], &b->sides, b->wide, b->z);
  for (size_t j = 0; j < b->n; j++) row[j] = (float)b->z[b->place[j]];
}

/* One-vs-rest of more than two classes as LIBLINEAR has it: only the positives get their class weight. */
static bool rest_is_one(const svf_kernel_set *set) {
  return set->problem->scheme == SVF_ONE_VS_REST && set->m > 2 && !set->problem->rest_class;
}

/* The machine's rows, without those of fold `out` (-1: with all). */
static void list_rows(bout *b, int32_t out) {
  uint32_t place = 0;
  for (int r = 0; r < 2; r++)
    for (size_t i = b->sides.from[r]; i < b->sides.from[r] + b->sides.count[r]; i++, place++)
      if (b->set->fold[i] != out) {
        if (!b->n || b->row[b->n - 1] + 1 != i) b->from[b->runs] = i, b->length[b->runs++] = 0;
        b->length[b->runs - 1]++;
        b->row[b->n] = (uint32_t)i;
        b->place[b->n++] = place;
      }
}

static bool open_bout(bout *b, const svf_kernel_set *set, size_t machine, int32_t out, const svf_solver *solver) {
  svf_arena *arena = solver->arena;
  *b = (bout){.set = set, .sides = svf_kernel_sides(set, machine)};
  b->all = b->sides.count[0] + b->sides.count[1];
  size_t ld = svf_padded(b->all), bytes = set->problem->bytes ? set->problem->bytes : QUARTER;
  b->row = SVF_TAKE(arena, uint32_t, b->all);
  b->place = SVF_TAKE(arena, uint32_t, b->all);
  b->from = SVF_TAKE(arena, size_t, 2 * set->m);
  b->length = SVF_TAKE(arena, size_t, 2 * set->m);
  b->wide = SVF_TAKE(arena, double, set->ld);
  b->z = SVF_ZERO(arena, double, ld);
  b->sign = SVF_ZERO(arena, double, ld);
  b->cost = SVF_ZERO(arena, double, ld);
  b->smo = (svf_smo){b->sign, b->cost, 0, SVF_TAKE(arena, double, ld), SVF_TAKE(arena, double, ld)};
  if (svf_arena_failed(arena)) return false;
  list_rows(b, out);
  if (!svf_gram_open(&b->gram, solver->la, b->n, bytes, arena)) return false;
  b->gram.fill = set->dense ? copy_row : make_row;
  b->gram.source = b;
  for (size_t i = 0; i < b->n; i++) {
    size_t row = b->row[i];
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
  for (size_t i = 0; i < b->n; i++) sum += b->smo.beta[i] * b->set->offset[b->row[i]];
  return sum;
}

/* To the places of the machine's rows; those that were not in use have 0. */
static void write_beta(const bout *b, double *beta) {
  size_t first = b->sides.count[0], pad = svf_padded(first) - first;
  for (size_t i = 0; i < b->n; i++) beta[b->place[i] + (b->place[i] < first ? 0 : pad)] = b->smo.beta[i];
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
  bool fine = open_bout(&b, t->set, a, -1, &solver);
  if (fine) {
    b.smo.C = t->machines->C;
    svf_smo_reset(&b.smo, b.n);
    fine = svf_smo_run(&b.gram, &b.smo, &solver, &fit);
  }
  if (fine) {
    write_beta(&b, t->machines->beta + t->set->place[a]);
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

/* ---- held out ---- */

typedef struct holding {
  const double *C;
  svf_asking *asking; /* where the outcome goes */
} holding;

/* What a machine has come to for one C. */
static void write_held(const bout *b, svf_asking *k, size_t at, size_t C) {
  for (size_t i = 0; i < b->n; i++) k->beta[(at + i) * k->C_count + C] = b->smo.beta[i];
}

/* A machine without one fold, for every C. */
static bool hold_one(void *context, size_t piece, svf_worker *worker) {
  const holding *h = context;
  svf_asking *k = h->asking;
  const svf_kernel_set *set = k->set;
  svf_solver solver = svf_solver_on(&set->problem->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  size_t a = piece / k->parts, f = piece % k->parts, at = f * set->place[set->machines] + set->place[a];
  solver.tolerance = INFINITY; /* choices and sigmoids do not need the gap: a small violation is enough */
  bout b;
  bool fine = open_bout(&b, set, a, (int32_t)f, &solver);
  b.smo.C = h->C[0];
  if (fine) svf_smo_reset(&b.smo, b.n);
  if (fine && set->dense) svf_smo_crowd(&b.gram, &b.smo, &solver);
  for (size_t c = 0; fine && c < k->C_count && !svf_solver_stopped(&solver); c++) {
    svf_smo_fit fit;
    if (c) svf_smo_rescale(&b.smo, b.n, h->C[c]);
    fine = svf_smo_run(&b.gram, &b.smo, &solver, &fit);
    if (!fine) break;
    write_held(&b, k, at, c);
    k->kept[(f * k->C_count + c) * set->machines + a] = fit.bias;
  }
  if (fine) memcpy(k->row + at, b.row, b.n * sizeof *b.row);
  if (fine) svf_asking_close_up(k, f, a, b.n);
  svf_arena_release(solver.arena, mark);
  return fine;
}

bool svf_kernel_hold(const svf_kernel_set *set, const double *C, size_t C_count, double *score) {
  const svf_solver *solver = &set->problem->solver;
  svf_mark mark = svf_arena_mark(solver->arena);
  svf_asking k;
  holding h = {C, &k};
  bool fine = svf_asking_open(&k, set, set->problem->folds, C_count);
  k.score = score;
  fine = fine && svf_solver_share(solver, set->machines * k.parts, hold_one, &h) && svf_kernel_ask_all(&k);
  svf_arena_release(solver->arena, mark);
  return fine;
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
    svf_calibrate(set->problem->solver.la, set->n, own, hit, set->weight, &sigmoid[2 * c], &sigmoid[2 * c + 1]);
  }
  svf_arena_release(arena, mark);
  return fine;
}
