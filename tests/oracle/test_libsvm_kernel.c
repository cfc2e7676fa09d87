/* test_libsvm_kernel.c - kernel machines against LIBSVM, and against the optimality conditions made from the raw rows. */
#include "oracle/kernel_support.h"

static const trial trials[] = {
    {{SVF_KERNEL_LINEAR, 0, 0, 0}, 60, 4, 2, 1, 1, false, false, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_LINEAR, 0, 0, 0}, 150, 20, 3, 10, 2, true, true, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_POLY, 1, 1, 1}, 80, 5, 2, .1, 1, false, true, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_POLY, 1, 1, 2}, 120, 6, 3, 1, 3, true, false, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_POLY, .5, 1, 3}, 200, 8, 4, 10, .5, true, true, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_POLY, .2, 0, 5}, 100, 10, 2, 100, 1, false, false, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_POLY, .1, 1, 9}, 150, 10, 3, .01, 1, true, true, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_RBF, .5, 0, 0}, 90, 3, 2, 1, 1, true, true, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_RBF, 4, 0, 0}, 300, 6, 5, 10, 1.5, true, true, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_RBF, 30, 0, 0}, 700, 4, 2, 100, 1, false, false, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_CHI2, 1, 0, 0}, 120, 12, 3, 1, 2, true, true, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_CHI2, .3, 0, 0}, 200, 5, 2, 100, 1, true, false, SVF_ONE_VS_ONE},
    {{SVF_KERNEL_PRECOMPUTED, .7, 0, 0}, 100, 6, 3, 3, 1, false, true, SVF_ONE_VS_ONE},
};
enum { TRIALS = sizeof trials / sizeof *trials };

static svf_arena arena;

static svf_solver solver_of(const svf_la *la) {
  return (svf_solver){.la = la, .tolerance = 1e-9, .max_steps = 100000, .arena = &arena};
}

/* D(beta) of one machine from the raw rows. */
static double dual_value(const rivals *r, const double *beta, const svf_kernel *kernel) {
  size_t n = r->from->n, d = r->from->d;
  double value = 0;
  for (size_t i = 0; i < n; i++) {
    if (beta[i] == 0) continue;
    value += fabs(beta[i]);
    for (size_t j = 0; j < n; j++)
      if (beta[j] != 0) value -= beta[i] * beta[j] * raw_kernel(kernel, d, r->x + i * d, r->x + j * d) / 2;
  }
  return value;
}

/* beta of machine a, in the order of the rows. */
static void ours_beta(const svf_kernel_set *set, const svf_kernel_machines *machines, size_t a, double *beta) {
  svf_sides_of sides = svf_kernel_sides(set, a);
  memset(beta, 0, set->n * sizeof *beta);
  const double *from = machines->beta + set->place[a];
  for (int s = 0; s < 2; from += svf_padded(sides.count[s++]))
    for (size_t i = 0; i < sides.count[s]; i++) beta[set->order[sides.from[s] + i]] = from[i];
}

/* The same of LIBSVM's model, copies of a row added up. */
static void their_beta(const rivals *r, const struct svm_model *model, size_t a, size_t b, double *beta) {
  size_t n = r->from->n, place[8], of[8] = {0}, copy = 0, at[1500];
  for (size_t i = 0; i < n; i++)
    for (int c = 0; c < (int)r->weight[i]; c++) at[copy++] = i;
  for (size_t c = 0; c < r->from->m; c++) of[model->label[c]] = c;
  for (size_t c = 0, next = 0; c < r->from->m; next += (size_t)model->nSV[c++]) place[c] = next;
  size_t one = of[a], two = of[b];
  memset(beta, 0, n * sizeof *beta);
  for (int side = 0; side < 2; side++) {
    size_t own = side ? two : one, other = side ? one : two;
    const double *coefficient = model->sv_coef[other < own ? other : other - 1];
    double sign = one < two ? 1 : -1;
    for (size_t s = place[own]; s < place[own] + (size_t)model->nSV[own]; s++)
      beta[at[model->sv_indices[s] - 1]] += sign * coefficient[s];
  }
}

/* Feasible, and no pair of rows violates the conditions by more than 1e-4: all from the raw rows. */
static void certify(const rivals *r, const double *beta, int32_t plus, int32_t minus, const svf_kernel *kernel) {
  const trial *t = r->from;
  double sum = 0, up = -INFINITY, low = INFINITY, size = 0;
  for (size_t i = 0; i < t->n; i++) {
    bool rest = minus < 0 && r->label[i] != plus;
    if (r->label[i] != plus && r->label[i] != minus && !rest) {
      assert_true(beta[i] == 0);
      continue;
    }
    double sign = r->label[i] == plus ? 1 : -1, most = t->C * r->weight[i] * r->class_weight[r->label[i]], e = sign;
    assert_true(sign * beta[i] >= 0 && sign * beta[i] <= most * (1 + 1e-14));
    for (size_t j = 0; j < t->n; j++)
      if (beta[j] != 0) e -= beta[j] * raw_kernel(kernel, t->d, r->x + i * t->d, r->x + j * t->d);
    bool full = sign * beta[i] >= most * (1 - 1e-12), none = sign * beta[i] == 0;
    if (sign > 0 ? !full : !none) up = fmax(up, e);
    if (sign > 0 ? !none : !full) low = fmin(low, e);
    sum += beta[i];
    size += fabs(beta[i]);
  }
  assert_true(fabs(sum) <= 1e-11 * (1 + size));
  if (!(up - low <= 1e-4))
    fail_msg("violation %g, n %zu, kernel %d degree %u", up - low, t->n, kernel->kind, kernel->degree);
}

/* The kernel as LIBSVM has it; ours, too, but for the matrix that stands in the rows of a precomputed one. */
static const svf_kernel *true_kernel(const trial *t) {
  static const svf_kernel chi = {SVF_KERNEL_CHI2, .7, 0, 0};
  return t->kernel.kind == SVF_KERNEL_PRECOMPUTED ? &chi : &t->kernel;
}

/* Rows of the matrix instead of the rows themselves. */
static void make_matrix(rivals *r, float **matrix, const float ***row) {
  size_t n = r->from->n, d = r->from->d;
  *matrix = calloc(n * n, sizeof **matrix);
  *row = calloc(n, sizeof **row);
  for (size_t i = 0; i < n; i++) {
    (*row)[i] = *matrix + i * n;
    for (size_t j = 0; j < n; j++)
      (*matrix)[i * n + j] = (float)raw_kernel(true_kernel(r->from), d, r->x + i * d, r->x + j * d);
  }
  if (r->from->kernel.kind != SVF_KERNEL_PRECOMPUTED) return;
  r->ours.row = *row;
  r->ours.d = n;
}

static void compare(const rivals *r, const svf_kernel_set *set, const svf_kernel_machines *machines,
                    const struct svm_model *model) {
  size_t n = r->from->n;
  double *ours = calloc(n, sizeof *ours), *theirs = calloc(n, sizeof *theirs);
  const svf_kernel *kernel = true_kernel(r->from);
  for (size_t a = 0; a < set->machines; a++) {
    svf_sides_of sides = svf_kernel_sides(set, a);
    ours_beta(set, machines, a, ours);
    certify(r, ours, sides.plus, sides.minus, kernel);
    if (!model) continue;
    their_beta(r, model, (size_t)sides.plus, (size_t)sides.minus, theirs);
    double D = dual_value(r, ours, kernel), rival = dual_value(r, theirs, kernel);
    if (!(fabs(D - rival) <= 1e-6 * fabs(rival)))
      fail_msg("dual %.12g, LIBSVM's %.12g: kernel %d degree %u machine %zu", D, rival, kernel->kind, kernel->degree,
               a);
  }
  free(ours);
  free(theirs);
}

static void run_trial(const trial *t, uint64_t seed, const svf_la *la, size_t bytes) {
  rivals r;
  float *matrix;
  const float **row;
  svf_kernel_set set;
  svf_kernel_machines machines;
  svf_mark mark = svf_arena_mark(&arena);
  rivals_open(&r, t, seed);
  make_matrix(&r, &matrix, &row);
  r.ours.solver = solver_of(la);
  r.ours.bytes = bytes;
  if (t->kernel.kind == SVF_KERNEL_PRECOMPUTED) { /* LIBSVM is to see the same matrix */
    trial same = *t;
    same.kernel = *true_kernel(t);
    r.from = &same;
    free(r.node), free(r.theirs.x), free(r.theirs.y);
    tell_libsvm(&r);
    r.from = t;
  }
  assert_true(svf_kernel_open(&set, &r.ours) && svf_kernel_take(&set, &t->kernel));
  assert_true(svf_kernel_train(&set, t->C, &machines));
  assert_true(machines.gap <= 1e-6);
  struct svm_model *model = t->scheme == SVF_ONE_VS_ONE ? svm_train(&r.theirs, &r.how) : NULL;
  compare(&r, &set, &machines, model);
  if (model) svm_free_and_destroy_model(&model);
  free(matrix);
  free(row);
  rivals_close(&r);
  svf_arena_release(&arena, mark);
}

static void test_duals(void **state) {
  (void)state;
  for (size_t q = 0; q < TRIALS; q++) run_trial(&trials[q], q, svf_la_choose(false), 0);
}

/* Without room for the matrices rows are made when asked for, and some are made again. */
static void test_little_room(void **state) {
  (void)state;
  for (size_t q = 0; q < TRIALS; q++) {
    size_t n = trials[q].n;
    run_trial(&trials[q], q, svf_la_choose(false), n * sizeof(float) * (n / 4));
  }
}

static void test_tables(void **state) {
  (void)state;
  for (size_t i = 0; svf_la_at(i); i++)
    for (size_t q = 0; q < TRIALS; q += 3) run_trial(&trials[q], q + 50, svf_la_at(i), 0);
}

static void test_rest(void **state) {
  (void)state;
  for (size_t q = 0; q < TRIALS; q++) {
    trial t = trials[q];
    t.scheme = SVF_ONE_VS_REST;
    run_trial(&t, q + 100, svf_la_choose(false), 0);
  }
}

/* ---- predictions ---- */

/* Class of a row by the machines, from the definition; tied: two classes have as many wins, or a score is near 0. */
static int32_t predict(const rivals *r, const svf_kernel_set *set, const svf_kernel_machines *machines,
                       const float *x, bool *tied) {
  double score[64], wins[8] = {0};
  *tied = false;
  for (size_t a = 0; a < set->machines; a++) {
    svf_sides_of sides = svf_kernel_sides(set, a);
    const double *beta = machines->beta + set->place[a];
    score[a] = machines->bias[a];
    for (int s = 0; s < 2; beta += svf_padded(sides.count[s++]))
      for (size_t i = 0; i < sides.count[s]; i++)
        score[a] += beta[i] * raw_kernel(&set->kernel, r->from->d, x, r->row[set->order[sides.from[s] + i]]);
    if (fabs(score[a]) < 1e-4) *tied = true;
    wins[score[a] > 0 ? sides.plus : sides.minus]++;
  }
  int32_t best = 0;
  for (int32_t c = 1; c < (int32_t)r->from->m; c++)
    if (wins[c] > wins[best]) best = c;
  for (int32_t c = 0; c < (int32_t)r->from->m; c++) *tied |= c != best && wins[c] == wins[best];
  return best;
}

static void test_predictions(void **state) {
  (void)state;
  size_t asked = 0;
  for (size_t q = 0; q < TRIALS; q++) {
    const trial *t = &trials[q];
    if (t->kernel.kind >= SVF_KERNEL_CHI2) continue;
    rivals r;
    svf_kernel_set set;
    svf_kernel_machines machines;
    svf_mark mark = svf_arena_mark(&arena);
    rivals_open(&r, t, q + 200);
    r.ours.solver = solver_of(svf_la_choose(false));
    assert_true(svf_kernel_open(&set, &r.ours) && svf_kernel_take(&set, &t->kernel));
    assert_true(svf_kernel_train(&set, t->C, &machines));
    struct svm_model *model = svm_train(&r.theirs, &r.how);
    svf_random random = svf_random_at((svf_place){.seed = q, .use = SVF_USE_SYNTH, .tree = 1});
    for (size_t i = 0; i < 300; i++) {
      float x[32];
      struct svm_node node[33];
      bool tied;
      for (size_t j = 0; j < t->d; j++) {
        x[j] = (float)svf_random_unit(&random);
        node[j] = (struct svm_node){(int)j + 1, (double)x[j]};
      }
      node[t->d].index = -1;
      int32_t mine = predict(&r, &set, &machines, x, &tied);
      if (tied) continue;
      assert_int_equal(mine, (int32_t)svm_predict(model, node));
      asked++;
    }
    svm_free_and_destroy_model(&model);
    rivals_close(&r);
    svf_arena_release(&arena, mark);
  }
  assert_true(asked > 2000);
}

static int close_arena(void **state) {
  (void)state;
  svf_arena_free(&arena);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_duals), cmocka_unit_test(test_little_room), cmocka_unit_test(test_tables),
      cmocka_unit_test(test_rest),  cmocka_unit_test(test_predictions),
  };
  return cmocka_run_group_tests(tests, NULL, close_arena);
}
