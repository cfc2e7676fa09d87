/* The screening of divisions: every side recomputed from its rows alone, by plain elimination. */
#include "support/test.h"
#include <math.h>
#include "base/random.h"
#include "svm/screen.h"
#include "support/solve.h"

enum { N = 70, JUDGES = 50, D = 60, K = 3, BLOCKS = 5, CUTS = 4 };

typedef struct setup {
  svf_screen screen;
  float x[N + JUDGES][D];
  int32_t label[N + JUDGES];
  double value[N + JUDGES], weight[N + JUDGES];
  uint32_t block[N + JUDGES];
  size_t n, d;
} setup;

/* Rows of some classes; class 2 is in the last two blocks only. */
static void make(setup *t, size_t n, size_t d, bool classes) {
  svf_random random = svf_random_at((svf_place){.seed = n + d});
  t->n = n;
  t->d = d;
  for (size_t i = 0; i < n + JUDGES; i++) {
    t->block[i] = (uint32_t)svf_random_below(&random, BLOCKS);
    t->label[i] = (int32_t)svf_random_below(&random, t->block[i] > 2 ? 3 : 2);
    t->weight[i] = .5 + svf_random_unit(&random);
    for (size_t j = 0; j < d; j++) t->x[i][j] = (float)(svf_random_normal(&random) + (j % 3 == (size_t)t->label[i]));
    t->value[i] = t->x[i][0] - t->x[i][1] + svf_random_normal(&random);
  }
  svf_points rows = {.n = n, .d = d, .x = t->x[0], .stride = D},
             judges = {.n = JUDGES, .d = d, .x = t->x[n], .stride = D};
  t->screen =
      (svf_screen){.rows = {rows, classes ? t->label : NULL, classes ? NULL : t->value, t->weight},
                   .judges = {judges, classes ? t->label + n : NULL, classes ? NULL : t->value + n, t->weight + n},
                   .k = classes ? K : 1,
                   .ridge = .5,
                   .la = svf_la_choose(false)};
}

static double at(const setup *t, size_t i, size_t j) { return j < t->d ? (double)t->x[i][j] : 1; }
static bool inside(const setup *t, size_t i, size_t from, size_t to) {
  return t->block[i] >= from && t->block[i] < to;
}

/* Scores of all judges by the discriminant of the rows in blocks from..to-1; rows of a class that is not there: -1e30. */
static void discriminant(const setup *t, size_t from, size_t to, double score[JUDGES][K]) {
  static double a[D + 1][D + 1], mean[K][D + 1], w[D + 1];
  double mass[K] = {0}, all = 0, rows = 0, classes = 0, trace = 0;
  memset(mean, 0, sizeof mean);
  for (size_t i = 0; i < t->n; i++)
    if (inside(t, i, from, to)) {
      mass[t->label[i]] += t->weight[i], all += t->weight[i], rows++;
      for (size_t j = 0; j < t->d; j++) mean[t->label[i]][j] += t->weight[i] * at(t, i, j);
    }
  for (size_t c = 0; c < K; c++) {
    classes += mass[c] > 0;
    for (size_t j = 0; j < t->d; j++) mean[c][j] /= mass[c];
  }
  for (size_t c = 0; c < K; c++) {
    memset(a, 0, sizeof a);
    for (size_t i = 0; i < t->n; i++)
      for (size_t j = 0; inside(t, i, from, to) && j < t->d; j++)
        for (size_t l = 0; l < t->d; l++)
          a[j][l] += t->weight[i] * (at(t, i, j) - mean[t->label[i]][j]) * (at(t, i, l) - mean[t->label[i]][l]);
    trace = 0;
    for (size_t j = 0; j < t->d; j++) trace += a[j][j];
    for (size_t j = 0; j < t->d; j++) a[j][j] += .5 * trace / (all * (double)t->d);
    memcpy(w, mean[c], sizeof w);
    if (mass[c] > 0) test_solve(t->d, D + 1, a[0], w);
    for (size_t q = 0; q < JUDGES; q++) {
      score[q][c] = mass[c] > 0 ? log(mass[c] / all) : -1e30;
      for (size_t j = 0; mass[c] > 0 && j < t->d; j++)
        score[q][c] +=
            all * fmax(rows - classes - (double)t->d - 1, 1) / rows * w[j] * (at(t, t->n + q, j) - mean[c][j] / 2);
    }
  }
}

/* Scores by least squares of 0/1 targets times 4, or of the value. */
static void squares(const setup *t, size_t from, size_t to, double score[JUDGES][K]) {
  static double a[D + 1][D + 1], w[D + 1];
  for (size_t c = 0; c < t->screen.k; c++) {
    bool there = !t->screen.rows.label;
    memset(a, 0, sizeof a);
    memset(w, 0, sizeof w);
    for (size_t j = 0; j <= t->d; j++) a[j][j] = .5;
    for (size_t i = 0; i < t->n; i++) {
      if (!inside(t, i, from, to)) continue;
      double target = t->screen.rows.label ? 4 * (t->label[i] == (int32_t)c) : t->value[i];
      there = there || target > 0;
      for (size_t j = 0; j <= t->d; j++) {
        w[j] += t->weight[i] * target * at(t, i, j);
        for (size_t l = 0; l <= t->d; l++) a[j][l] += t->weight[i] * at(t, i, j) * at(t, i, l);
      }
    }
    test_solve(t->d + 1, D + 1, a[0], w);
    for (size_t q = 0; q < JUDGES; q++) {
      score[q][c] = there ? 0 : -1e30;
      for (size_t j = 0; j <= t->d; j++) score[q][c] += w[j] * at(t, t->n + q, j);
    }
  }
}

/* The error of one judge. */
static double error_of(const setup *t, size_t q, double score[JUDGES][K]) {
  size_t i = t->n + q;
  double other = -1e30, off = score[q][0] - t->value[i];
  for (int32_t c = 0; c < K; c++)
    if (c != t->label[i]) other = fmax(other, score[q][c]);
  return t->screen.rows.label ? 1 / (1 + exp(fmin(500, score[q][t->label[i]] - other))) : off * off;
}

/* Weighted errors of the judges in blocks from..to-1, and the squares of their distance from other ones. */
static double errors(const setup *t, size_t from, size_t to, double score[JUDGES][K], double others[JUDGES][K],
                     double *squares) {
  double sum = *squares = 0;
  for (size_t q = 0; q < JUDGES; q++) {
    if (!inside(t, t->n + q, from, to)) continue;
    double error = error_of(t, q, score), change = error - error_of(t, q, others);
    sum += t->weight[t->n + q] * error;
    *squares += t->weight[t->n + q] * change * change;
  }
  return sum;
}

static void check(setup *t, bool gram) {
  static const uint32_t left_end[CUTS] = {1, 3, 4, 3}, right_start[CUTS] = {1, 2, 4, 3};
  double wrong[2 * CUTS], change[2 * CUTS], score[JUDGES][K], all[JUDGES][K], whole, expected;
  svf_arena arena = {0};
  svf_sweep sweep = {BLOCKS, CUTS, t->block, t->block + t->n, left_end, right_start, wrong, change};
  assert_true(svf_screen_open(&t->screen, &arena));
  assert_int_equal(t->screen.gram, gram);
  assert_true(svf_screen_whole(&t->screen, &arena, &whole));
  assert_true(svf_screen_sweep(&t->screen, &sweep, &arena));
  bool sums = t->screen.rows.label && !gram;
  (sums ? discriminant : squares)(t, 0, BLOCKS, all);
  for (size_t q = 0; q <= 2 * CUTS; q++) {
    size_t from = q < 2 * CUTS && q % 2 ? right_start[q / 2] : 0;
    size_t to = q < 2 * CUTS && !(q % 2) ? left_end[q / 2] : BLOCKS;
    (sums ? discriminant : squares)(t, from, to, score);
    assert_close(q < 2 * CUTS ? wrong[q] : whole, errors(t, from, to, score, all, &expected), 2e-4);
    if (q < 2 * CUTS) assert_close(change[q], expected, 1e-3);
  }
  svf_arena_free(&arena);
}

static void the_discriminant_of_every_side(void **state) {
  (void)state;
  static setup t;
  make(&t, N, 4, true);
  check(&t, false);
}

static void least_squares_of_every_side_of_few_rows(void **state) {
  (void)state;
  static setup t;
  make(&t, 30, D, true);
  check(&t, true);
}

static void least_squares_of_numbers(void **state) {
  (void)state;
  static setup t;
  make(&t, N, 4, false);
  check(&t, false);
  make(&t, 30, D, false);
  check(&t, true);
}

/* Rows 0 and 3 of one class, 1 and 2 of another: all there is within a class on a side is rounding. */
static void sides_of_rows_that_are_alike(void **state) {
  (void)state;
  static setup t;
  static const uint32_t left_end[CUTS] = {1, 2, 3, 2}, right_start[CUTS] = {1, 2, 3, 2};
  double wrong[2 * CUTS], change[2 * CUTS], whole;
  for (size_t d = 1; d < 4; d++) {
    make(&t, N, d, true);
    for (size_t i = 0; i < N + JUDGES; i++) {
      t.block[i] %= 4;
      t.label[i] = t.block[i] == 1 || t.block[i] == 2;
      for (size_t j = 0; j < d; j++) t.x[i][j] = .1F + (float)t.block[i] / 3 * (float)(j + 1);
    }
    svf_arena arena = {0};
    svf_sweep sweep = {4, CUTS, t.block, t.block + N, left_end, right_start, wrong, change};
    assert_true(svf_screen_open(&t.screen, &arena));
    assert_true(svf_screen_sweep(&t.screen, &sweep, &arena));
    assert_close(wrong[0], 0, 1e-6); /* one class, one row */
    assert_close(wrong[5], 0, 1e-6);
    assert_close(wrong[2], 0, 1e-6); /* two classes, a row each */
    assert_close(wrong[3], 0, 1e-6);
    assert_true(svf_screen_whole(&t.screen, &arena, &whole));
    assert_true(whole > 1); /* one class between the rows of the other */
    svf_arena_free(&arena);
  }
}

static void memory_may_run_out(void **state) {
  (void)state;
  static setup t;
  make(&t, N, 4, true);
  t.screen.rows.points.n = SIZE_MAX / 8; /* refused before a row is looked at */
  svf_arena arena = {0};
  assert_false(svf_screen_open(&t.screen, &arena));
  svf_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_discriminant_of_every_side), cmocka_unit_test(least_squares_of_every_side_of_few_rows),
      cmocka_unit_test(least_squares_of_numbers), cmocka_unit_test(sides_of_rows_that_are_alike),
      cmocka_unit_test(memory_may_run_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
