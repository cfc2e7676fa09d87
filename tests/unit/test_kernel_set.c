/* All machines of a set: held-out scores against machines trained on the rest, with or without room for the matrix, on one
 * thread or several; starts for the next C; rows that are made again. */
#include "data/folds.h"
#include "support/test.h"
#include "svm/kernel_set.h"

enum { N = 120, D = 4, M = 3, FOLDS = 3, COSTS = 3 };
static const double costs[COSTS] = {.05, 1, 20};

typedef struct world {
  svf_arena arena;
  float x[N * D];
  const float *row[N];
  int32_t label[N], fold[N];
  double weight[N];
  svf_kernel_problem problem;
} world;

static void open_world(world *w, svf_scheme scheme) {
  svf_random random = svf_random_at((svf_place){.seed = 8, .use = SVF_USE_SYNTH});
  memset(w, 0, sizeof *w);
  for (size_t i = 0; i < N; i++) {
    w->label[i] = (int32_t)svf_random_below(&random, M);
    w->weight[i] = .5 + svf_random_unit(&random);
    w->row[i] = w->x + i * D;
    for (size_t j = 0; j < D; j++) w->x[i * D + j] = (float)(.2 * w->label[i] * (j == 1) + svf_random_unit(&random));
  }
  assert_true(svf_stratified(&random, w->label, N, FOLDS, &w->arena, w->fold));
  w->problem = (svf_kernel_problem){
      .n = N,
      .d = D,
      .row = w->row,
      .label = w->label,
      .m = M,
      .weight = w->weight,
      .fold = w->fold,
      .folds = FOLDS,
      .scheme = scheme,
      .solver = {.la = svf_la_choose(false), .tolerance = 1e-6, .max_steps = 1000, .arena = &w->arena}};
}

static const svf_kernel kernels[] = {
    {SVF_KERNEL_LINEAR, 0, 0, 1}, {SVF_KERNEL_POLY, .5, 1, 3}, {SVF_KERNEL_RBF, 2, 0, 1}, {SVF_KERNEL_CHI2, 1, 0, 1}};

/* Class scores of row i from machines that never saw its fold, trained by themselves. */
static void naive_held(world *w, const svf_kernel *kernel, double C, size_t i, double *score) {
  svf_kernel_set set;
  svf_kernel_machines machines;
  const float *row[N];
  int32_t label[N];
  double weight[N], machine[8];
  size_t n = 0;
  for (size_t k = 0; k < N; k++)
    if (w->fold[k] != w->fold[i]) row[n] = w->row[k], label[n] = w->label[k], weight[n++] = w->weight[k];
  svf_mark mark = svf_arena_mark(&w->arena);
  svf_kernel_problem problem = w->problem;
  problem.n = n, problem.row = row, problem.label = label, problem.weight = weight, problem.fold = NULL;
  assert_true(svf_kernel_open(&set, &problem) && svf_kernel_take(&set, kernel) &&
              svf_kernel_train(&set, C, &machines));
  for (size_t a = 0; a < set.machines; a++) {
    svf_sides_of sides = svf_kernel_sides(&set, a);
    const double *beta = machines.beta + set.place[a];
    machine[a] = machines.bias[a];
    for (int s = 0; s < 2; beta += svf_padded(sides.count[s++]))
      for (size_t k = 0; k < sides.count[s]; k++) {
        const float *z = set.x + (sides.from[s] + k) * set.ld, *x = w->row[i];
        double dot = 0, distance = 0, chi = 0;
        for (size_t j = 0; j < D; j++) {
          double a1 = x[j], b1 = z[j];
          dot += a1 * b1, distance += (a1 - b1) * (a1 - b1), chi += (a1 - b1) * (a1 - b1) / (a1 + b1);
        }
        double K = kernel->kind == SVF_KERNEL_LINEAR ? dot
                   : kernel->kind == SVF_KERNEL_POLY
                       ? pow(kernel->gamma * dot + kernel->coef0, kernel->degree)
                       : exp(-kernel->gamma * (kernel->kind == SVF_KERNEL_RBF ? distance : chi));
        machine[a] += beta[k] * K;
      }
  }
  svf_class_scores(w->problem.scheme, M, machine, score);
  svf_arena_release(&w->arena, mark);
}

static void held_out(void **state) {
  (void)state;
  static const svf_scheme schemes[] = {SVF_ONE_VS_ONE, SVF_ONE_VS_REST};
  for (size_t s = 0; s < 2; s++)
    for (size_t q = 0; q < 4; q++)
      for (size_t bytes = 0; bytes < 2; bytes++) {
        world w;
        svf_kernel_set set;
        double score[COSTS * N * M];
        open_world(&w, schemes[s]);
        w.problem.bytes = bytes * 20000; /* 0: enough for all */
        assert_true(svf_kernel_open(&set, &w.problem) && svf_kernel_take(&set, &kernels[q]));
        assert_true(set.dense == !bytes);
        assert_true(svf_kernel_hold(&set, costs, COSTS, score));
        for (size_t C = 0; C < COSTS; C++)
          for (size_t i = 0; i < N; i += 61) {
            double again[M];
            naive_held(&w, &kernels[q], costs[C], set.order[i], again);
            for (size_t c = 0; c < M; c++)
              if (!(fabs(again[c] - score[(C * N + i) * M + c]) <= 5e-3))
                fail_msg("kernel %zu, C %g, row %zu: %g, again %g", q, costs[C], i, score[(C * N + i) * M + c],
                         again[c]);
          }
        svf_arena_free(&w.arena);
      }
}

typedef struct shared_run {
  const svf_kernel_set *set;
  svf_kernel_problem problem;
  double score[COSTS * N * M];
} shared_run;

static svf_status run_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  shared_run *run = context;
  svf_kernel_set set;
  (void)index;
  run->problem.solver.worker = worker;
  run->problem.solver.arena = &worker->arena;
  run->problem.solver.stop = worker->stop;
  bool fine = svf_kernel_open(&set, &run->problem) && svf_kernel_take(&set, &kernels[1]) &&
              svf_kernel_hold(&set, costs, COSTS, run->score);
  return fine ? SVF_OK : svf_no_memory(message, "a set");
}

/* One job whose pieces other threads take over: the same bits for any number of them. */
static void threads(void **state) {
  (void)state;
  static shared_run run[3];
  world w;
  open_world(&w, SVF_ONE_VS_ONE);
  for (int t = 0; t < 3; t++) {
    svf_pool pool;
    svf_message message;
    svf_run how = {.threads = 1 + 2 * t};
    svf_stage stage = {"test", 0, 1, NULL};
    run[t].problem = w.problem;
    assert_ok(svf_pool_open(&pool, &how, &message), &message);
    pool.shared = true;
    assert_ok(svf_pool_run(&pool, &stage, 1, run_job, &run[t], &message), &message);
    svf_pool_close(&pool);
    assert_memory_equal(run[0].score, run[t].score, sizeof run[0].score);
  }
  svf_arena_free(&w.arena);
}

/* Class weights as if rows were repeated; a set with a class whose rows are all in one fold is no trouble. */
static void lonely_class(void **state) {
  (void)state;
  world w;
  svf_kernel_set set;
  double score[N * M];
  open_world(&w, SVF_ONE_VS_ONE);
  for (size_t i = 0; i < N; i++)
    if (w.label[i] == 2) w.label[i] = 1;
  w.label[0] = 2;
  assert_true(svf_kernel_open(&set, &w.problem) && svf_kernel_take(&set, &kernels[2]));
  assert_true(svf_kernel_hold(&set, costs + 1, 1, score));
  for (size_t i = 0; i < N * M; i++) assert_true(isfinite(score[i]));
  double sigmoid[2 * M];
  assert_true(svf_kernel_calibrate(&set, score, sigmoid));
  for (size_t c = 0; c < M; c++) assert_true(sigmoid[2 * c] <= 0 && isfinite(sigmoid[2 * c + 1]));
  svf_arena_free(&w.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(held_out), cmocka_unit_test(threads),
                                     cmocka_unit_test(lonely_class)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
