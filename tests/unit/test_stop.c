/* The wish to stop in the middle of a machine: the kernels are counted, one of them raises the flag, and next to none of
 * the work may follow. */
#include "la/dual.h"
#include "la/eigen.h"
#include "support/test.h"
#include "support/rows.h"
#include "svm/kernel_set.h"
#include "svm/least_squares.h"
#include "svm/ls_gauss.h"

/* Kernels that count their multiplications and call those of `inner`. */
static struct {
  const svf_la *inner;
  svf_la la;
  svf_single single;
  svf_blocked blocked;
  svf_dual dual;
  atomic_int stop;
  size_t calls, raise_at; /* raise_at 0: never */
  double before, after;   /* work before the flag is up, and from the call that raises it on */
} watch;

/* looks: the kernel looks at the flag itself. */
static void count(double work, bool looks) {
  if (++watch.calls == watch.raise_at) atomic_store(&watch.stop, 1);
  if (!atomic_load(&watch.stop)) watch.before += work;
  else if (!looks) watch.after += work;
}

static double dot(size_t n, const double *x, const double *y) {
  count((double)n, false);
  return watch.inner->dot(n, x, y);
}
static void axpy(size_t n, double a, const double *x, double *y) {
  count((double)n, false);
  watch.inner->axpy(n, a, x, y);
}
static void product(size_t n, size_t ld, const double *x, const double *w, double *out) {
  count((double)(n * ld), false);
  watch.inner->product(n, ld, x, w, out);
}
static void rank(size_t p, size_t ld, size_t rows, const double *const *x, const double *a, double *h) {
  count(.5 * (double)(p * ld * rows), false);
  watch.inner->rank(p, ld, rows, x, a, h);
}
static bool cholesky(size_t p, size_t ld, double *h, const atomic_int *stop) {
  count((double)(p * p * p) / 6, true);
  return watch.inner->cholesky(p, ld, h, stop);
}
static void answers(size_t n, size_t ld, const float *x, size_t m, const double *w, double *s) {
  count((double)(n * ld * m), false);
  watch.inner->answers(n, ld, x, m, w, s);
}
static void rank32(size_t p, size_t ld, size_t rows, const float *const *x, const float *a, float *h) {
  count(.5 * (double)(p * ld * rows), false);
  watch.inner->single->rank(p, ld, rows, x, a, h);
}
static bool factor32(const svf_system *system, float *r, float *z) {
  count((double)(system->p * system->p * system->p) / 6, true);
  return watch.inner->single->factor(system, r, z);
}
static void scores32(size_t panels, size_t width, const float *x, size_t columns, const float *const *w,
                     float *const *s) {
  count((double)(panels * SVF_PANEL * width * columns), false);
  watch.inner->single->scores(panels, width, x, columns, w, s);
}
static void outer(size_t rows, size_t columns, size_t terms, svf_dense x, svf_dense z, svf_dense out) {
  count((double)(rows * columns * terms), false);
  watch.inner->blocked->outer(rows, columns, terms, x, z, out);
}
static void dots(size_t rows, size_t columns, size_t terms, svf_dense a, svf_dense v, svf_dense out) {
  count((double)(rows * columns * terms), false);
  watch.inner->blocked->dots(rows, columns, terms, a, v, out);
}
static void band_squares(size_t rows, size_t columns, size_t terms, svf_dense factor, svf_dense q, svf_dense square) {
  count((double)(rows * columns * terms * SVF_BAND), false);
  watch.inner->blocked->band_squares(rows, columns, terms, factor, q, square);
}
static void distances(svf_distance kind, const svf_asked *from, size_t panes, const float *pane, svf_dense out) {
  count((double)(from->n * from->d * panes * SVF_LANES), false);
  watch.inner->blocked->distances(kind, from, panes, pane, out);
}
static void gaussians(size_t n, double factor, const double *square, double *out) {
  count(8 * (double)n, false);
  watch.inner->blocked->gaussians(n, factor, square, out);
}
static svf_climb_end climb(svf_climb *c, size_t most, size_t *steps) {
  size_t before = *steps;
  svf_climb_end end = watch.inner->dual->climb(c, most, steps);
  count(4 * (double)(c->n * (*steps - before)), false);
  return end;
}
static void add(size_t n, double a, const float *x, double *y) {
  count((double)n, false);
  watch.inner->dual->add(n, a, x, y);
}
static void weigh(const svf_weighing *w, double *out) {
  count((double)(w->n * w->count * w->terms), false);
  watch.inner->dual->weigh(w, out);
}

static void open_watch(void) {
  const svf_la *la = svf_la_choose(false);
  watch.inner = la;
  watch.la = *la, watch.single = *la->single, watch.blocked = *la->blocked, watch.dual = *la->dual;
  watch.la.single = &watch.single, watch.la.blocked = &watch.blocked, watch.la.dual = &watch.dual;
  watch.la.dot = dot, watch.la.axpy = axpy, watch.la.product = product, watch.la.rank = rank;
  watch.la.cholesky = cholesky, watch.la.answers = answers;
  watch.single.rank = rank32, watch.single.factor = factor32, watch.single.scores = scores32;
  watch.blocked.outer = outer, watch.blocked.dots = dots, watch.blocked.band_squares = band_squares;
  watch.blocked.distances = distances, watch.blocked.gaussians = gaussians;
  watch.dual.climb = climb, watch.dual.add = add, watch.dual.weigh = weigh;
}

/* A machine at work with the counted kernels; the arena is its own. */
typedef void (*machine)(const svf_solver *solver);

static void run(machine train, size_t raise_at) {
  svf_arena arena = {0};
  atomic_store(&watch.stop, 0);
  watch.calls = 0, watch.raise_at = raise_at;
  watch.before = watch.after = 0;
  train(&(svf_solver){.la = &watch.la, .tolerance = 1e-6, .max_steps = 1000, .stop = &watch.stop, .arena = &arena});
  svf_arena_free(&arena);
}

/* Raises the flag at many moments; share: how much of all work may follow at most. Solvers look at
 * the flag after a fixed amount of work, which is a large share of problems as small as these. */
static void check(machine train, double share) {
  enum { MOMENTS = 60 };
  run(train, 0);
  double all = watch.before;
  size_t calls = watch.calls;
  assert_true(calls > MOMENTS);
  for (size_t m = 0; m < MOMENTS; m++) {
    run(train, 1 + calls * m / MOMENTS);
    if (watch.after > share * all)
      fail_msg("moment %zu of %d: %.2g of the work follows the wish to stop", m, MOMENTS, watch.after / all);
  }
}

static void train_gauss(const svf_solver *solver) {
  enum { N = 400, D = 40 };
  static const double width[] = {.5, 1}, C[] = {.1, 1, 10, 100};
  test_rows t = test_rows_make(solver->arena, 1, N, D, 2);
  svf_points points = test_points(solver->arena, &t);
  float *pane = SVF_TAKE(solver->arena, float, svf_padded(N) * D);
  for (size_t i = 0; i < N * D; i++)
    pane[(i / D / SVF_LANES * D + i % D) * SVF_LANES + i / D % SVF_LANES] = points.x[i];
  svf_gauss_problem problem = {.rows = {points.x, N, D, D},
                               .pane = pane,
                               .targets = 1,
                               .y = t.sign,
                               .width = width,
                               .widths = 2,
                               .relative = true,
                               .C = C,
                               .C_count = 4};
  svf_gauss result;
  assert_true(svf_gauss_fit(&problem, solver, &result));
}

static void train_squares(const svf_solver *solver) {
  enum { N = 160, D = 120 };
  static const double C[] = {.1, 1, 10};
  test_rows t = test_rows_make(solver->arena, 2, N, D, 2);
  svf_squares_problem problem = {.rows = t.rows, .targets = 1, .y = t.sign, .C = C, .C_count = 3};
  svf_squares result;
  assert_true(svf_least_squares(&problem, solver, &result));
}

static void train_linear(const svf_solver *solver, size_t n, size_t d) {
  static const double C[] = {.25, 1, 4};
  test_rows t = test_rows_make(solver->arena, 3, n, d, 3);
  svf_machines_problem problem = {
      .points = test_points(solver->arena, &t), .label = t.label, .m = 3, .fold = t.fold, .folds = 3};
  svf_machines_options options = {.C = C, .C_count = 3, .solver = *solver};
  svf_machines machines;
  assert_true(svf_machines_train(&problem, &options, &machines));
}
static void train_wide(const svf_solver *solver) { train_linear(solver, 300, 900); }
static void train_long(const svf_solver *solver) { train_linear(solver, 900, 200); }

static void train_kernel(const svf_solver *solver, size_t bytes) {
  enum { N = 600, D = 24 };
  static const double C[] = {.1, 1, 10};
  test_rows t = test_rows_make(solver->arena, 4, N, D, 2);
  svf_points points = test_points(solver->arena, &t);
  const float **row = SVF_TAKE(solver->arena, const float *, N);
  double *score = SVF_TAKE(solver->arena, double, 3 * N * 2);
  for (size_t i = 0; i < N; i++) row[i] = points.x + i * D;
  svf_kernel_problem problem = {.n = N,
                                .d = D,
                                .row = row,
                                .label = t.label,
                                .m = 2,
                                .fold = t.fold,
                                .folds = 3,
                                .scheme = SVF_ONE_VS_REST,
                                .bytes = bytes,
                                .solver = *solver};
  svf_kernel kernel = {SVF_KERNEL_RBF, .5, 0, 1};
  svf_kernel_set set;
  svf_kernel_machines machines;
  assert_true(svf_kernel_open(&set, &problem) && svf_kernel_take(&set, &kernel));
  assert_true(svf_kernel_hold(&set, C, 3, score) && svf_kernel_train(&set, 10, &machines));
  assert_true(svf_kernel_ask(&set, &machines, score));
}
static void train_dense(const svf_solver *solver) { train_kernel(solver, 0); }
static void train_sparse(const svf_solver *solver) { train_kernel(solver, 1 << 17); }

static void least_squares_machines(void **state) {
  (void)state;
  check(train_gauss, .015);
  check(train_squares, .05);
}

static void linear_machines(void **state) {
  (void)state;
  check(train_wide, .1);
  check(train_long, .02);
}

static void kernel_machines(void **state) {
  (void)state;
  check(train_dense, .06);
  check(train_sparse, .02);
}

/* Factors that see the flag before they begin leave the matrix as it is. */
static void factors(void **state) {
  (void)state;
  enum { N = 24 };
  double h[N * N] = {0}, copy[N * N];
  float h32[N * (N + 16)] = {0}, one[N], r[N * (N + 16)], z[N + 16] = {0};
  uint32_t pivot[N];
  atomic_int stop = 1;
  for (size_t i = 0; i < N; i++) h[i * N + i] = 2, h32[i * (N + 16) + i] = 2, one[i] = 1;
  memcpy(copy, h, sizeof h);
  for (size_t t = 0; svf_la_at(t); t++) {
    svf_system system = {N, N + 8, h32, 1, one, &stop};
    assert_false(svf_la_at(t)->cholesky(N, N, h, &stop));
    assert_false(svf_la_at(t)->single->factor(&system, r, z));
    assert_memory_equal(h, copy, sizeof h);
  }
  assert_int_equal(svf_cholesky_pivoted(N, N, h, 1e-6, pivot, &stop), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(least_squares_machines), cmocka_unit_test(linear_machines),
                                     cmocka_unit_test(kernel_machines), cmocka_unit_test(factors)};
  open_watch();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
