/* The least-squares leaf with a metric of its own: rounds and answers beside plain loops as xRFM has them, rounds that judges choose,
 * slopes, lengths of columns, floats, hostile numbers. */
#include "support/ls_leaf.h"
#include "support/solve.h"

enum { N = 48, D = 5 };
#define GIVEN "gamma=0.7 C=20 metric_judges=0 metric_rounds=2 "

static svf_ls_view read_view(const svf_leaf_view *leaf) {
  svf_ls_view view;
  assert_true(svf_leaf_ls.valid(leaf));
  assert_true(svf_ls_read(leaf, &view));
  return view;
}

static double map_at(const svf_ls_view *view, size_t i, size_t j) {
  size_t row = i < j ? i : j, other = i < j ? j : i;
  if (!view->full) return i == j ? svf_leaf_number(view->leaf, view->map + i) : 0;
  return svf_leaf_number(view->leaf, view->map + row * D - row * (row + 1) / 2 + other);
}

typedef struct naive {
  double M[D][D], alpha[N];
} naive;

static double far(const naive *m, const float *x, const float *z) {
  double sum = 0;
  for (size_t i = 0; i < D; i++)
    for (size_t j = 0; j < D; j++) sum += ((double)x[i] - z[i]) * m->M[i][j] * ((double)x[j] - z[j]);
  return sqrt(fmax(sum, 0));
}

/* A fit of y - mean over half of its range. */
static void fit(naive *m, const svf_frame *frame, const double *y) {
  static double K[N][N];
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < N; j++)
      K[i][j] = exp(-.7 * far(m, frame->x + i * frame->stride, frame->x + j * frame->stride)) + (i == j) / 20.;
    m->alpha[i] = y[i];
  }
  test_solve(N, N, K[0], m->alpha);
}

/* M of the gradients in the features, over its largest entry. */
static void turn(naive *m, const svf_frame *frame, bool full) {
  double G[D][D] = {{0}}, most = 0;
  for (size_t i = 0; i < N; i++) {
    double g[D] = {0};
    const float *x = frame->x + i * frame->stride;
    for (size_t l = 0; l < N; l++) {
      const float *z = frame->x + l * frame->stride;
      double apart = far(m, x, z), w = apart > 0 ? -.7 * m->alpha[l] * exp(-.7 * apart) / apart : 0;
      for (size_t a = 0; a < D; a++)
        for (size_t b = 0; b < D; b++) g[a] += w * m->M[a][b] * ((double)x[b] - z[b]);
    }
    for (size_t a = 0; a < D; a++)
      for (size_t b = 0; b < D; b++) G[a][b] += full || a == b ? g[a] * g[b] : 0;
  }
  for (size_t a = 0; a < D; a++) most = fmax(most, G[a][a]);
  for (size_t a = 0; a < D; a++)
    for (size_t b = 0; b < D; b++) m->M[a][b] = G[a][b] / most;
}

/* T T = M, answers are those of the last fit, and the lengths of T's columns are the diagonal of M. Rows are kept as floats, hence
 * the tolerance. */
static void rounds_are_those_of_xrfm(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    test_ground t;
    naive m = {0};
    for (size_t j = 0; j < D; j++) m.M[j][j] = 1;
    bool full = kind != 1;
    double y[N], low = INFINITY, high = -INFINITY, mean = 0, tolerance = kind == 2 ? 1e-4 : 2e-5;
    test_ground_open(&t, test_synth("friedman1", N, D, 0, 3), "xrfm",
                     kind == 2   ? GIVEN "precision=single"
                     : kind == 1 ? GIVEN "metric=diagonal"
                                 : GIVEN "trees=1");
    for (size_t i = 0; i < N; i++) {
      low = fmin(low, t.frame.value[i]), high = fmax(high, t.frame.value[i]);
      mean += t.frame.value[i] / N;
    }
    for (size_t i = 0; i < N; i++) y[i] = (t.frame.value[i] - mean) / (high - low) * 2;
    for (int r = 0; r < 2; r++) fit(&m, &t.frame, y), turn(&m, &t.frame, full);
    fit(&m, &t.frame, y);
    svf_buffer numbers = train_leaf(&t, N);
    svf_leaf_view leaf = view_of(&t, &numbers);
    float *single = malloc(leaf.length * sizeof *single);
    for (size_t i = 0; i < leaf.length; i++) single[i] = (float)leaf.numbers[i];
    if (kind == 2) leaf.singles = single;
    svf_ls_view view = read_view(&leaf);
    assert_true(view.map && view.full == full);
    for (size_t a = 0; a < D; a++) {
      for (size_t b = 0; b < D; b++) {
        double square = 0;
        for (size_t c = 0; c < D; c++) square += map_at(&view, a, c) * map_at(&view, c, b);
        assert_close(square, m.M[a][b], tolerance);
      }
      assert_close(svf_leaf_ls.length(&leaf, a), m.M[a][a], tolerance);
    }
    svf_arena scratch = {0};
    for (size_t i = 0; i < N; i += 5) {
      float row[D];
      const float *rows[] = {row};
      double score, due = 0;
      for (size_t j = 0; j < D; j++) row[j] = t.frame.x[i * t.frame.stride + j] + .1f;
      for (size_t l = 0; l < N; l++) due += m.alpha[l] * exp(-.7 * far(&m, row, t.frame.x + l * t.frame.stride));
      assert_true(svf_leaf_ls.predict(&leaf, rows, 1, &scratch, &score, NULL));
      assert_close(score, mean + due * (high - low) / 2, tolerance);
    }
    svf_arena_free(&scratch);
    free(single);
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

/* The mean size of the gradient at the rows that are looked at, by differences of the leaf's own answers. */
static void slopes_are_those_of_the_features(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("friedman1", 32, D, 0, 3), "xrfm", GIVEN "kernel=rbf");
  svf_buffer numbers = train_leaf(&t, 32);
  svf_leaf_view leaf = view_of(&t, &numbers);
  double sum[D] = {0}, due[D] = {0}, scratch[2 * 16];
  svf_arena arena = {0};
  svf_leaf_ls.weights(&leaf, scratch, sum);
  for (size_t i = 0; i < 32; i++)
    for (size_t j = 0; j < D; j++) {
      float row[2][D];
      const float *rows[] = {row[0], row[1]};
      double score[2], step = .01;
      for (size_t c = 0; c < D; c++) row[0][c] = row[1][c] = t.frame.x[i * t.frame.stride + c];
      row[0][j] -= (float)step, row[1][j] += (float)step;
      assert_true(svf_leaf_ls.predict(&leaf, rows, 2, &arena, score, NULL));
      due[j] += fabs(score[1] - score[0]) / ((double)row[1][j] - row[0][j]) / 32;
    }
  for (size_t j = 0; j < D; j++) assert_close(sum[j], due[j], 1e-2);
  svf_arena_free(&arena);
  svf_buffer_free(&numbers);
  test_ground_close(&t);
}

/* One column matters: rounds are taken. Too few rows to judge: none is, and distances are those of the rows. */
static void judges_choose_the_rounds(void **state) {
  (void)state;
  for (int few = 0; few < 2; few++) {
    test_ground t;
    test_ground_open(&t, test_synth("friedman1", 60, D, 0, 3), "xrfm", "metric_judges=0.2 widths=1 C=100");
    double value[60];
    for (size_t i = 0; i < 60; i++) value[i] = sin(3 * t.frame.x[i * t.frame.stride + 2]);
    t.frame.value = value;
    svf_buffer numbers = train_leaf(&t, few ? 14 : 60);
    svf_leaf_view leaf = view_of(&t, &numbers);
    svf_ls_view view = read_view(&leaf);
    for (size_t i = 0; i < D; i++)
      for (size_t j = 0; j < D; j++) {
        double entry = map_at(&view, i, j);
        if (few) assert_true(entry == (i == j));
        else if (i == 2 && j == 2) assert_true(entry > .9);
        else assert_true(fabs(entry) < .5);
      }
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

static void hostile_numbers_are_refused(void **state) {
  (void)state;
  for (int full = 0; full < 2; full++) {
    test_ground t;
    test_ground_open(&t, test_synth("classification", 40, D, 3, 3), "xrfm",
                     full ? GIVEN "calibration=none" : GIVEN "calibration=none metric=diagonal");
    svf_buffer numbers = train_leaf(&t, 40);
    svf_leaf_view leaf = view_of(&t, &numbers);
    svf_ls_view view = read_view(&leaf);
    double *number = (double *)(void *)numbers.data, form = number[SVF_LS_FORM];
    for (size_t i = view.map; i < view.map + svf_metric_count(D, full); i++) {
      double keep = number[i];
      number[i] = i % 2 ? 2.5 : -3;
      assert_false(svf_leaf_ls.valid(&leaf));
      number[i] = keep;
    }
    for (size_t length = 0; length < leaf.length; length++) {
      svf_leaf_view less = leaf;
      less.length = length;
      assert_false(svf_leaf_ls.valid(&less));
    }
    for (int flags = 0; flags < 8; flags++) {
      number[SVF_LS_FORM] = SVF_LS_LAPLACE + flags * SVF_LS_FORMS;
      assert_true(svf_leaf_ls.valid(&leaf) == (number[SVF_LS_FORM] == form));
    }
    const double pure[] = {1, SVF_LS_LAPLACE + 2 * SVF_LS_FORMS, 0, 0, 1};
    leaf.numbers = pure, leaf.length = 5;
    assert_false(svf_leaf_ls.valid(&leaf));
    svf_buffer_free(&numbers);
    test_ground_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_are_those_of_xrfm), cmocka_unit_test(slopes_are_those_of_the_features),
      cmocka_unit_test(judges_choose_the_rounds), cmocka_unit_test(hostile_numbers_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
