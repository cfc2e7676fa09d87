/* machines.c - trains every machine of machines.h for every C, then keeps those of the best C. */
#include "svm/machines.h"

#include <math.h>
#include <string.h>
#include "svm/choice.h"
#include "svm/squared.h"

size_t svf_machine_count(svf_scheme scheme, size_t m) {
  if (scheme == SVF_ONE_VS_ONE) return m * (m - 1) / 2;
  if (scheme == SVF_ONE_VS_REST) return m == 2 ? 1 : m;
  return m;
}

/* Everything of every machine before C is chosen. */
typedef struct work {
  const svf_machines_problem *problem;
  const svf_machines_options *options;
  size_t machines;
  double *w;      /* [machine][C][ld] */
  float *held;    /* [machine][C][n], or NULL */
  double *gap;    /* [machine][C] */
  double *weight; /* n: row weights */
  double *cost;   /* n: row weight times class weight */
} work;

/* Place of a machine's result for one C among all of them. */
static size_t at(const work *k, size_t machine, size_t C) { return machine * k->options->C_count + C; }

static bool open_work(work *k) {
  const svf_machines_problem *p = k->problem;
  svf_arena *arena = k->options->solver.arena;
  size_t fits = k->machines * k->options->C_count, n = p->rows.n;
  k->w = SVF_ZERO(arena, double, fits * p->rows.ld);
  k->held = p->fold ? SVF_ZERO(arena, float, fits *n) : NULL;
  k->gap = SVF_ZERO(arena, double, fits);
  k->weight = SVF_TAKE(arena, double, n);
  k->cost = SVF_TAKE(arena, double, n);
  double *rows = SVF_ZERO(arena, double, p->m);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < n; i++) rows[p->label[i]]++;
  for (size_t i = 0; i < n; i++) {
    k->weight[i] = p->weight ? p->weight[i] : 1;
    double share = k->options->balanced ? (double)n / ((double)p->m * rows[p->label[i]]) : 1;
    if (k->options->given) share = k->options->given[p->label[i]];
    k->cost[i] = k->weight[i] * share;
  }
  return true;
}

/* One-vs-rest of more than two classes as LIBLINEAR has it: only the positives get their class weight. */
static bool rest_is_one(const work *k) {
  return k->options->scheme == SVF_ONE_VS_REST && k->problem->m > 2 && !k->options->rest_class;
}

/* Signs and costs of class `plus` against class `minus`, or against all others where minus < 0. */
static void pose(const work *k, int32_t plus, int32_t minus, double *sign, double *cost) {
  const double *rest = rest_is_one(k) ? k->weight : k->cost;
  for (size_t i = 0; i < k->problem->rows.n; i++) {
    int32_t y = k->problem->label[i];
    sign[i] = y == plus ? 1 : -1;
    cost[i] = y == plus ? k->cost[i] : minus < 0 || y == minus ? rest[i] : 0;
  }
}

/* The classes of machine number `machine`; minus -1: all the rest. Two classes have one machine, for the
 * second. */
static void sides(const work *k, size_t machine, int32_t *plus, int32_t *minus) {
  *plus = k->problem->m == 2 ? 1 : (int32_t)machine;
  *minus = -1;
  if (k->options->scheme != SVF_ONE_VS_ONE) return;
  size_t a = 0, pairs = k->problem->m - 1;
  for (; machine >= pairs; pairs--, a++) machine -= pairs;
  *plus = (int32_t)a;
  *minus = (int32_t)(a + 1 + machine);
}

static bool train_apart(work *k) {
  size_t n = k->problem->rows.n, ld = k->problem->rows.ld;
  svf_arena *arena = k->options->solver.arena;
  double *sign = SVF_TAKE(arena, double, n), *cost = SVF_TAKE(arena, double, n);
  svf_path_shared *shared = svf_path_open(k->problem, k->options, rest_is_one(k) ? k->weight : k->cost);
  if (!shared || svf_arena_failed(arena)) return false;
  svf_binary binary = {sign, cost};
  for (size_t a = 0; a < k->machines; a++) {
    int32_t plus, minus;
    if (k->options->solver.stop && atomic_load(k->options->solver.stop)) return true; /* the result is not used */
    sides(k, a, &plus, &minus);
    pose(k, plus, minus, sign, cost);
    float *held = k->held ? k->held + at(k, a, 0) * n : NULL;
    if (!svf_path_run(shared, &binary, k->w + at(k, a, 0) * ld, held, k->gap + at(k, a, 0))) return false;
  }
  return true;
}

/* Held-out scores of all classes from the joint machines w of the part without fold f. */
static void keep_joint(const work *k, size_t C, int32_t f, const double *w) {
  const svf_rows *rows = &k->problem->rows;
  for (size_t a = 0; a < k->machines; a++) {
    float *held = k->held + at(k, a, C) * rows->n;
    for (size_t i = 0; i < rows->n; i++)
      if (k->problem->fold[i] == f)
        held[i] = (float)k->options->solver.la->dot(rows->ld, w + a * rows->ld, rows->x + i * rows->ld);
  }
}

/* Crammer-Singer has one solution for all classes: fitted per C, and per fold for the held-out scores. */
static bool train_joint(work *k) {
  const svf_machines_problem *p = k->problem;
  const svf_solver *solver = &k->options->solver;
  size_t n = p->rows.n, ld = p->rows.ld;
  double *part = SVF_TAKE(solver->arena, double, n), *w = SVF_TAKE(solver->arena, double, p->m *ld);
  if (svf_arena_failed(solver->arena)) return false;
  for (size_t c = 0; c < k->options->C_count; c++) {
    double C = k->options->C[c];
    svf_fit fit;
    if (!svf_crammer_fit(&p->rows, p->label, p->m, k->cost, C, solver, w, &fit)) return false;
    for (size_t a = 0; a < p->m; a++) {
      memcpy(k->w + at(k, a, c) * ld, w + a * ld, ld * sizeof(double));
      k->gap[at(k, a, c)] = fit.gap;
    }
    for (int32_t f = 0; k->held && f < (int32_t)p->folds; f++) {
      for (size_t i = 0; i < n; i++) part[i] = p->fold[i] == f ? 0 : k->cost[i];
      if (!svf_crammer_fit(&p->rows, p->label, p->m, part, C, solver, w, &fit)) return false;
      keep_joint(k, c, f, w);
    }
  }
  return true;
}

/* The gap of a kept machine of the squared hinge, from the rows themselves; where it is too large the machine is trained
 * once more by itself. */
static bool certify(const work *k, size_t a, double C, double *w, double *gap) {
  const svf_machines_problem *p = k->problem;
  const svf_solver *solver = &k->options->solver;
  double *sign = SVF_TAKE(solver->arena, double, p->rows.n), *cost = SVF_TAKE(solver->arena, double, p->rows.n);
  if (svf_arena_failed(solver->arena)) return false;
  svf_binary binary = {sign, cost};
  svf_fit fit;
  int32_t plus, minus;
  sides(k, a, &plus, &minus);
  pose(k, plus, minus, sign, cost);
  if (!svf_squared_certify(&p->rows, &binary, C, solver, w, &fit)) return false;
  bool stopped = solver->stop && atomic_load(solver->stop);
  if (fit.gap > solver->tolerance && !stopped && !svf_squared_fit(&p->rows, &binary, C, solver, w, &fit))
    return false;
  *gap = fit.gap;
  return true;
}

/* Takes the chosen C's machines out of the work. */
static bool keep(const work *k, size_t C, svf_machines *machines) {
  svf_arena *arena = k->options->solver.arena;
  size_t ld = k->problem->rows.ld;
  bool squared = k->options->loss == SVF_SQUARED_HINGE && k->options->scheme != SVF_CRAMMER_SINGER;
  machines->C = k->options->C[C];
  machines->gap = 0;
  for (size_t a = 0; a < k->machines; a++) {
    double *w = machines->w + a * ld, gap = k->gap[at(k, a, C)];
    memcpy(w, k->w + at(k, a, C) * ld, ld * sizeof(double));
    svf_mark mark = svf_arena_mark(arena);
    if (squared && !certify(k, a, machines->C, w, &gap)) return false;
    svf_arena_release(arena, mark);
    machines->gap = fmax(machines->gap, gap);
  }
  return true;
}

bool svf_machines_train(const svf_machines_problem *problem, const svf_machines_options *options,
                        svf_machines *machines) {
  svf_arena *arena = options->solver.arena;
  size_t count = svf_machine_count(options->scheme, problem->m), best = 0;
  *machines = (svf_machines){.count = count, .held_out = NAN};
  machines->w = SVF_TAKE(arena, double, count * problem->rows.ld);
  machines->sigmoid = SVF_TAKE(arena, double, 2 * problem->m);
  svf_mark mark = svf_arena_mark(arena);
  work k = {.problem = problem, .options = options, .machines = count};
  if (!open_work(&k)) return false;
  if (!(options->scheme == SVF_CRAMMER_SINGER ? train_joint(&k) : train_apart(&k))) return false;
  for (size_t c = 0; c < problem->m; c++) machines->sigmoid[2 * c] = -2, machines->sigmoid[2 * c + 1] = 0;
  bool stopped = options->solver.stop && atomic_load(options->solver.stop);
  if (k.held && !stopped) {
    svf_choice choice = {problem, options->scheme, count, options->C_count, k.held, k.weight, arena};
    if (!svf_choice_make(&choice, &best, &machines->held_out, machines->sigmoid)) return false;
  }
  if (!keep(&k, best, machines)) return false;
  svf_arena_release(arena, mark);
  return true;
}
