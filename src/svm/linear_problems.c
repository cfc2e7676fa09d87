/* linear_problems.c - see linear_problems.h. */
#include "svm/linear_problems.h"

#include <math.h>
#include <string.h>
#include "svm/linear_choice.h"

size_t svf_machine_count(svf_scheme scheme, size_t m) {
  if (scheme == SVF_ONE_VS_ONE) return m * (m - 1) / 2;
  if (scheme == SVF_ONE_VS_REST) return m == 2 ? 1 : m;
  return m;
}

void svf_machines_open(const svf_machines_problem *problem, const svf_machines_options *options,
                       svf_machines *machines) {
  svf_arena *arena = options->solver.arena;
  size_t count = svf_machine_count(options->scheme, problem->m);
  size_t ld = svf_padded(problem->points.d + problem->points.bias);
  *machines = (svf_machines){.count = count, .ld = ld, .held_out = NAN};
  machines->w = SVF_TAKE(arena, double, count *ld);
  machines->sigmoid = SVF_TAKE(arena, double, 2 * problem->m);
  for (size_t c = 0; machines->sigmoid && c < problem->m; c++)
    machines->sigmoid[2 * c] = -2, machines->sigmoid[2 * c + 1] = 0;
}

/* Is this one-vs-rest of more than two classes with LIBLINEAR's costs, where only positive rows get a class weight? */
static bool rest_is_one(const svf_work *k) {
  return k->options->scheme == SVF_ONE_VS_REST && k->problem->m > 2 && !k->options->rest_class;
}

const double *svf_work_base(const svf_work *k) { return rest_is_one(k) ? k->weight : k->cost; }

/* Labels and costs in the order of the folds. */
typedef struct ordering {
  const svf_work *work;
  const double *share; /* weight of each class, divided by `up` */
  double up;           /* 1; more where a class is so light that its weight would be infinite */
} ordering;

static void order_rows(void *context, size_t first, size_t end) {
  const ordering *o = context;
  const svf_work *k = o->work;
  const svf_machines_problem *p = k->problem;
  for (size_t i = first; i < end; i++) {
    size_t from = k->shared.order[i];
    k->label[i] = p->label[from];
    double weight = p->weight ? p->weight[from] : 1;
    if (k->weight) k->weight[i] = weight;
    k->cost[i] = weight * o->up * o->share[k->label[i]];
  }
}

bool svf_work_open(svf_work *k, const svf_machines_problem *p, const svf_machines_options *options,
                   const svf_machines *machines) {
  *k =
      (svf_work){.problem = p, .options = options, .machines = machines->count, .n = p->points.n, .ld = machines->ld};
  svf_arena *arena = options->solver.arena;
  size_t fits = k->machines * options->C_count, n = k->n;
  svf_shared_open(&k->shared, &p->points, p->fold, p->folds, &options->solver);
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
  for (size_t c = 0; options->balanced && c < p->m; c++)
    if (isinf(all / ((double)p->m * rows[c]))) o.up = 0x1p600;
  for (size_t c = 0; c < p->m; c++) {
    share[c] = options->balanced ? all / ((double)p->m * (rows[c] * o.up)) : 1;
    if (options->given) share[c] = options->given[c];
  }
  svf_solver_rows(&options->solver, n, order_rows, &o);
  return true;
}

/* The classes of machine number `machine`; minus -1: all the rest. Two classes have one machine, for the
 * second. */
static void sides(const svf_work *k, size_t machine, int32_t *plus, int32_t *minus) {
  *plus = k->problem->m == 2 ? 1 : (int32_t)machine;
  *minus = -1;
  if (k->options->scheme != SVF_ONE_VS_ONE) return;
  size_t a = 0, pairs = k->problem->m - 1;
  for (; machine >= pairs; pairs--, a++) machine -= pairs;
  *plus = (int32_t)a;
  *minus = (int32_t)(a + 1 + machine);
}

static svf_path_result result_of(const svf_work *k, size_t a) {
  return (svf_path_result){k->w + svf_work_at(k, a, 0) * k->ld,
                           k->held ? k->held + svf_work_at(k, a, 0) * k->n : NULL, k->gap + svf_work_at(k, a, 0),
                           k->problem->begin ? k->problem->begin[a] : NULL};
}

typedef struct posing {
  const svf_work *work;
  int32_t plus, minus;
  double *sign, *cost; /* n; cost NULL: the costs of the whole problem hold for this machine, too */
} posing;

static void pose_rows(void *context, size_t first, size_t end) {
  const posing *q = context;
  const svf_work *k = q->work;
  const double *rest = svf_work_base(k);
  for (size_t i = first; i < end; i++) q->sign[i] = k->label[i] == q->plus ? 1 : -1;
  for (size_t i = first; q->cost && i < end; i++) {
    int32_t y = k->label[i];
    q->cost[i] = y == q->plus ? k->cost[i] : q->minus < 0 || y == q->minus ? rest[i] : 0;
  }
}

/* The two-class problem of machine a; memory from the solver's arena, false: it ran out. */
static bool pose(const svf_work *k, size_t a, const svf_solver *solver, svf_binary *binary) {
  posing q = {.work = k};
  sides(k, a, &q.plus, &q.minus);
  q.sign = SVF_TAKE(solver->arena, double, k->n);
  if (q.minus >= 0 || rest_is_one(k)) q.cost = SVF_TAKE(solver->arena, double, k->n);
  if (svf_arena_failed(solver->arena)) return false;
  svf_solver_rows(solver, k->n, pose_rows, &q);
  *binary = (svf_binary){q.sign, q.cost ? q.cost : k->cost};
  return true;
}

typedef struct eaching {
  const svf_work *work;
  svf_machine_job job;
} eaching;

static bool do_one(void *context, size_t a, svf_worker *worker) {
  const eaching *e = context;
  svf_solver solver = svf_solver_on(&e->work->options->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  svf_path_result result = result_of(e->work, a);
  svf_binary binary;
  if (svf_solver_stopped(&solver)) return true; /* the result is not used */
  bool fine = pose(e->work, a, &solver, &binary) && e->job(e->work, &binary, &solver, &result);
  svf_arena_release(solver.arena, mark);
  return fine;
}

bool svf_work_each(const svf_work *k, svf_machine_job job) {
  eaching e = {k, job};
  return svf_solver_share(&k->options->solver, k->machines, do_one, &e);
}

bool svf_work_choose(svf_work *k, svf_machines *machines) {
  svf_choice choice = {&k->options->solver, k->n,    k->problem->m, k->label, k->options->scheme, k->machines,
                       k->options->C_count, k->held, k->weight};
  return svf_choice_make(&choice, &k->chosen, &machines->held_out, machines->sigmoid);
}

void svf_work_keep(const svf_work *k, svf_machines *machines) {
  machines->C = k->options->C[k->chosen];
  machines->gap = 0;
  for (size_t a = 0; a < k->machines; a++) {
    memcpy(machines->w + a * k->ld, k->w + svf_work_at(k, a, k->chosen) * k->ld, k->ld * sizeof(double));
    machines->gap = fmax(machines->gap, k->gap[svf_work_at(k, a, k->chosen)]);
  }
}
