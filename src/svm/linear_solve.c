/* linear_solve.c - trains every machine of linear_machines.h for every C, then keeps those of the best C. */
#include "svm/linear_machines.h"

#include <math.h>
#include <string.h>
#include "svm/linear_choice.h"
#include "svm/linear_path.h"
#include "svm/linear_squared.h"

size_t svf_machine_count(svf_scheme scheme, size_t m) {
  if (scheme == SVF_ONE_VS_ONE) return m * (m - 1) / 2;
  if (scheme == SVF_ONE_VS_REST) return m == 2 ? 1 : m;
  return m;
}

/* Everything of every machine before C is chosen. Rows stand in the order of the form. */
typedef struct work {
  const svf_machines_problem *problem;
  const svf_machines_options *options;
  svf_form form;
  size_t machines, n, ld;
  int32_t *label;
  svf_path path;
  double *w;      /* [machine][C][ld] */
  float *held;    /* [machine][C][n], or NULL */
  double *gap;    /* [machine][C] */
  double *weight; /* n: row weights; NULL: all 1, and no machine asks for them */
  double *cost;   /* n: row weight times class weight */
  size_t chosen;  /* number of the C */
} work;

/* Place of a machine's result for one C among all of them. */
static size_t at(const work *k, size_t machine, size_t C) { return machine * k->options->C_count + C; }

/* One-vs-rest of more than two classes as LIBLINEAR has it: only the positives get their class weight. */
static bool rest_is_one(const work *k) {
  return k->options->scheme == SVF_ONE_VS_REST && k->problem->m > 2 && !k->options->rest_class;
}

/* Labels and costs in the order of the form. */
typedef struct ordering {
  const work *work;
  const double *share; /* weight of each class, divided by `up` */
  double up;           /* 1; more where a class is so light that its weight would be infinite */
} ordering;

static void order_rows(void *context, size_t first, size_t end) {
  const ordering *o = context;
  const work *k = o->work;
  const svf_machines_problem *p = k->problem;
  for (size_t i = first; i < end; i++) {
    size_t from = k->form.order[i];
    k->label[i] = p->label[from];
    double weight = p->weight ? p->weight[from] : 1;
    if (k->weight) k->weight[i] = weight;
    k->cost[i] = weight * o->up * o->share[k->label[i]];
  }
}

static bool open_work(work *k) {
  const svf_machines_problem *p = k->problem;
  svf_arena *arena = k->options->solver.arena;
  size_t fits = k->machines * k->options->C_count, n = k->n;
  svf_form_open(&k->form, &p->points, p->fold, p->folds, &k->options->solver);
  k->w = SVF_TAKE(arena, double, fits * k->ld);
  k->held = p->fold ? SVF_TAKE(arena, float, fits *n) : NULL;
  k->gap = SVF_TAKE(arena, double, fits);
  k->label = SVF_TAKE(arena, int32_t, n);
  if (p->weight || rest_is_one(k)) k->weight = SVF_TAKE(arena, double, n);
  k->cost = SVF_TAKE(arena, double, n);
  double *rows = SVF_ZERO(arena, double, p->m), all = 0; /* by weight */
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < n; i++) {
    double weight = p->weight ? p->weight[i] : 1;
    rows[p->label[i]] += weight, all += weight;
  }
  double *share = rows; /* of each class */
  ordering o = {k, share, 1};
  for (size_t c = 0; k->options->balanced && c < p->m; c++)
    if (isinf(all / ((double)p->m * rows[c]))) o.up = 0x1p600;
  for (size_t c = 0; c < p->m; c++) {
    share[c] = k->options->balanced ? all / ((double)p->m * (rows[c] * o.up)) : 1;
    if (k->options->given) share[c] = k->options->given[c];
  }
  svf_solver_rows(&k->options->solver, n, order_rows, &o);
  return true;
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

static svf_path_result result_of(const work *k, size_t a) {
  return (svf_path_result){k->w + at(k, a, 0) * k->ld, k->held ? k->held + at(k, a, 0) * k->n : NULL,
                           k->gap + at(k, a, 0), k->problem->begin ? k->problem->begin[a] : NULL};
}

typedef struct posing {
  const work *work;
  int32_t plus, minus;
  double *sign, *cost; /* n; cost NULL: every row has its own */
} posing;

static void pose_rows(void *context, size_t first, size_t end) {
  const posing *q = context;
  const work *k = q->work;
  const double *rest = rest_is_one(k) ? k->weight : k->cost;
  for (size_t i = first; i < end; i++) q->sign[i] = k->label[i] == q->plus ? 1 : -1;
  for (size_t i = first; q->cost && i < end; i++) {
    int32_t y = k->label[i];
    q->cost[i] = y == q->plus ? k->cost[i] : q->minus < 0 || y == q->minus ? rest[i] : 0;
  }
}

/* The two-class problem of machine a; memory from the solver's arena, false: it ran out. */
static bool pose(const work *k, size_t a, const svf_solver *solver, svf_binary *binary) {
  posing q = {.work = k};
  sides(k, a, &q.plus, &q.minus);
  q.sign = SVF_TAKE(solver->arena, double, k->n);
  if (q.minus >= 0 || rest_is_one(k)) q.cost = SVF_TAKE(solver->arena, double, k->n);
  if (svf_arena_failed(solver->arena)) return false;
  svf_solver_rows(solver, k->n, pose_rows, &q);
  *binary = (svf_binary){q.sign, q.cost ? q.cost : k->cost};
  return true;
}

/* Machine a for every C, by whichever thread. */
static bool train_one(void *context, size_t a, svf_worker *worker) {
  const work *k = context;
  svf_solver solver = svf_solver_on(&k->options->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  svf_path_result result = result_of(k, a);
  svf_binary binary;
  if (solver.stop && atomic_load(solver.stop)) return true; /* the result is not used */
  bool fine = pose(k, a, &solver, &binary) && svf_path_run(&k->path, &binary, &solver, &result);
  svf_arena_release(solver.arena, mark);
  return fine;
}

static bool train_apart(work *k) {
  const double *base = rest_is_one(k) ? k->weight : k->cost;
  return svf_path_open(&k->path, &k->form, k->options, base, k->held != NULL) &&
         svf_solver_share(&k->options->solver, k->machines, train_one, k);
}

/* Held-out scores of all classes from the joint machines w of the part without fold f. */
static void keep_joint(const work *k, const svf_rows *rows, size_t C, size_t f, const double *w) {
  for (size_t a = 0; a < k->machines; a++) {
    float *held = k->held + at(k, a, C) * k->n;
    for (size_t i = k->form.start[f]; i < k->form.start[f + 1]; i++)
      held[i] = (float)k->options->solver.la->dot(k->ld, w + a * k->ld, rows->x + i * k->ld);
  }
}

/* Crammer-Singer has one solution for all classes: fitted per C, and per fold for the held-out scores. */
static bool train_joint(work *k) {
  const svf_solver *solver = &k->options->solver;
  size_t m = k->problem->m;
  svf_rows rows = svf_form_widen(&k->form, solver);
  double *part = SVF_TAKE(solver->arena, double, k->n), *w = SVF_TAKE(solver->arena, double, m * k->ld);
  if (svf_arena_failed(solver->arena)) return false;
  for (size_t c = 0; c < k->options->C_count; c++) {
    double C = k->options->C[c];
    svf_solution fit;
    if (!svf_crammer_fit(&rows, k->label, m, k->cost, C, solver, w, &fit)) return false;
    for (size_t a = 0; a < m; a++) {
      memcpy(k->w + at(k, a, c) * k->ld, w + a * k->ld, k->ld * sizeof(double));
      k->gap[at(k, a, c)] = fit.gap;
    }
    for (size_t f = 0; k->held && f < k->form.folds; f++) {
      memcpy(part, k->cost, k->n * sizeof *part);
      for (size_t i = k->form.start[f]; i < k->form.start[f + 1]; i++) part[i] = 0;
      if (!svf_crammer_fit(&rows, k->label, m, part, C, solver, w, &fit)) return false;
      keep_joint(k, &rows, c, f, w);
    }
  }
  return true;
}

/* Solves machine a for the chosen C where that is still to be done. Its gap comes from the rows themselves in double;
 * where it is too large the machine is trained once more by itself. */
static bool finish(const work *k, size_t a, const svf_solver *solver) {
  svf_path_result result = result_of(k, a);
  double *w = result.w + k->chosen * k->ld, C = k->options->C[k->chosen];
  svf_binary binary;
  svf_solution fit;
  if (!pose(k, a, solver, &binary) || !svf_path_finish(&k->path, &binary, solver, k->chosen, &result)) return false;
  if (k->options->loss != SVF_SQUARED_HINGE) return true;
  if (!svf_form_certify(&k->form, &binary, C, solver, w, &fit)) return false;
  bool stopped = solver->stop && atomic_load(solver->stop);
  if (!(fit.gap <= solver->tolerance) && !stopped) {
    svf_rows rows = svf_form_widen(&k->form, solver);
    if (svf_arena_failed(solver->arena) || !svf_squared_fit(&rows, &binary, C, solver, w, &fit)) return false;
  }
  result.gap[k->chosen] = isnan(fit.gap) ? INFINITY : fit.gap; /* an objective beyond all numbers is not solved */
  return true;
}

static bool finish_one(void *context, size_t a, svf_worker *worker) {
  const work *k = context;
  svf_solver solver = svf_solver_on(&k->options->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  bool fine = finish(k, a, &solver);
  svf_arena_release(solver.arena, mark);
  return fine;
}

/* Takes the chosen C's machines out of the work. */
static bool keep(work *k, svf_machines *machines) {
  bool joint = k->options->scheme == SVF_CRAMMER_SINGER;
  machines->C = k->options->C[k->chosen];
  machines->gap = 0;
  if (!joint && !svf_solver_share(&k->options->solver, k->machines, finish_one, k)) return false;
  for (size_t a = 0; a < k->machines; a++) {
    memcpy(machines->w + a * k->ld, k->w + at(k, a, k->chosen) * k->ld, k->ld * sizeof(double));
    machines->gap = fmax(machines->gap, k->gap[at(k, a, k->chosen)]);
  }
  return true;
}

bool svf_machines_train(const svf_machines_problem *problem, const svf_machines_options *options,
                        svf_machines *machines) {
  svf_arena *arena = options->solver.arena;
  size_t count = svf_machine_count(options->scheme, problem->m);
  size_t ld = svf_padded(problem->points.d + problem->points.bias);
  *machines = (svf_machines){.count = count, .ld = ld, .held_out = NAN};
  machines->w = SVF_TAKE(arena, double, count *ld);
  machines->sigmoid = SVF_TAKE(arena, double, 2 * problem->m);
  svf_mark mark = svf_arena_mark(arena);
  work k = {.problem = problem, .options = options, .machines = count, .n = problem->points.n, .ld = ld};
  if (!open_work(&k)) return false;
  if (!(options->scheme == SVF_CRAMMER_SINGER ? train_joint(&k) : train_apart(&k))) return false;
  for (size_t c = 0; c < problem->m; c++) machines->sigmoid[2 * c] = -2, machines->sigmoid[2 * c + 1] = 0;
  bool stopped = options->solver.stop && atomic_load(options->solver.stop);
  if (k.held && !stopped) {
    svf_choice choice = {&options->solver, k.n,    problem->m, k.label, options->scheme, count,
                         options->C_count, k.held, k.weight};
    if (!svf_choice_make(&choice, &k.chosen, &machines->held_out, machines->sigmoid)) return false;
  }
  if (!stopped && !keep(&k, machines)) return false;
  svf_arena_release(arena, mark);
  return true;
}
