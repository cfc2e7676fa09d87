/* test_platt.c - Platt's sigmoid: optimality from raw data, units, weights, and the cases without a curve. */
#include "support/test.h"
#include "svm/solver.h"

enum { N = 400 };

typedef struct scores {
  double score[N], weight[N];
  unsigned char hit[N];
} scores;

static scores draw(uint64_t seed, double a, double b) {
  svf_random random = svf_random_at((svf_place){.seed = seed});
  scores s;
  for (size_t i = 0; i < N; i++) {
    s.score[i] = 2 * svf_random_normal(&random);
    s.hit[i] = svf_random_unit(&random) < 1 / (1 + exp(a * s.score[i] + b));
    s.weight[i] = 0.1 + svf_random_unit(&random);
  }
  return s;
}

/* The derivatives of the cross-entropy by a and b, per row. */
static void slopes(size_t n, const scores *s, const double *weight, double a, double b, double slope[2]) {
  double count[2] = {0};
  slope[0] = slope[1] = 0;
  for (size_t i = 0; i < n; i++) count[s->hit[i]] += weight ? weight[i] : 1;
  for (size_t i = 0; i < n; i++) {
    double target = s->hit[i] ? (count[1] + 1) / (count[1] + 2) : 1 / (count[0] + 2);
    double p = 1 / (1 + exp(svf_sigmoid_clip(a * s->score[i] + b))), v = weight ? weight[i] : 1;
    slope[0] += v * (target - p) * s->score[i] / (double)n;
    slope[1] += v * (target - p) / (double)n;
  }
}

static void test_optimal(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    scores s = draw(seed, -0.2 * (double)(seed + 1), (double)(seed % 5) - 2);
    const double *weight = seed % 2 ? s.weight : NULL;
    double a, b, slope[2];
    svf_calibrate(svf_la_choose(false), N, s.score, s.hit, weight, &a, &b);
    slopes(N, &s, weight, a, b, slope);
    assert_true(a < 0);
    assert_true(fabs(slope[0]) < 1e-9 && fabs(slope[1]) < 1e-9);
  }
}

/* Scores in another unit, from another zero. */
static void test_units(void **state) {
  (void)state;
  scores s = draw(3, -1, 0.5), moved = s;
  double a, b, c, d;
  svf_calibrate(svf_la_choose(false), N, s.score, s.hit, NULL, &a, &b);
  for (double unit = 1e-8; unit < 1e9; unit *= 1e4) {
    for (size_t i = 0; i < N; i++) moved.score[i] = unit * (s.score[i] + 10);
    svf_calibrate(svf_la_choose(false), N, moved.score, moved.hit, NULL, &c, &d);
    assert_close(c * unit, a, 1e-8);
    assert_close(d, b - 10 * a, 1e-7);
  }
}

/* Weight 2 is the row twice, weight 0 the row not there. */
static void test_weights(void **state) {
  (void)state;
  scores s = draw(4, -2, 0);
  double a, b, c, d;
  for (size_t i = 0; i < N / 2; i++) {
    s.score[N / 2 + i] = s.score[i], s.hit[N / 2 + i] = s.hit[i];
    s.weight[i] = 2, s.weight[N / 2 + i] = 0;
  }
  svf_calibrate(svf_la_choose(false), N, s.score, s.hit, NULL, &a, &b);
  svf_calibrate(svf_la_choose(false), N, s.score, s.hit, s.weight, &c, &d);
  assert_close(a, c, 1e-9);
  assert_close(b, d, 1e-9);
}

/* Scores that point the wrong way get the best flat curve. */
static void test_falling(void **state) {
  (void)state;
  scores s = draw(5, 1.5, 0.3);
  double a, b, slope[2];
  svf_calibrate(svf_la_choose(false), N, s.score, s.hit, NULL, &a, &b);
  slopes(N, &s, NULL, a, b, slope);
  assert_true(a == 0 && fabs(slope[1]) < 1e-9);
  for (size_t i = 0; i < N; i++) s.score[i] = 7;
  svf_calibrate(svf_la_choose(false), N, s.score, s.hit, NULL, &a, &b);
  slopes(N, &s, NULL, a, b, slope);
  assert_true(a == 0 && fabs(slope[1]) < 1e-9);
}

static void test_degenerate(void **state) {
  (void)state;
  scores s = draw(6, -1, 0);
  double a, b, slope[2];
  svf_calibrate(svf_la_choose(false), 0, NULL, NULL, NULL, &a, &b);
  assert_true(a == -2 && b == 0);
  memset(s.hit, 1, sizeof s.hit);
  svf_calibrate(svf_la_choose(false), N, s.score, s.hit, NULL, &a, &b);
  assert_true(a == -2 && b == 0);
  for (size_t i = 0; i < N; i++) s.hit[i] = s.score[i] > 0, s.weight[i] = s.hit[i];
  svf_calibrate(svf_la_choose(false), N, s.score, s.hit, s.weight, &a, &b); /* the misses weigh nothing */
  assert_true(a == -2 && b == 0);
  svf_calibrate(svf_la_choose(false), N, s.score, s.hit, NULL, &a, &b); /* parted perfectly: steep, but finite */
  slopes(N, &s, NULL, a, b, slope);
  assert_true(a < -1 && isfinite(a) && isfinite(b) && fabs(slope[0]) < 1e-7);
  for (size_t i = 0; i < 2; i++) s.score[i] = i ? 1e6 : -1e6, s.hit[i] = (unsigned char)i;
  svf_calibrate(svf_la_choose(false), 2, s.score, s.hit, NULL, &a, &b);
  assert_close(1 / (1 + exp(a * 1e6 + b)), 2.0 / 3, 1e-9);
}

static void test_endless_scores(void **state) {
  (void)state;
  static const double score[] = {1, INFINITY, -1, -INFINITY};
  static const unsigned char hit[] = {1, 1, 0, 0};
  double a, b;
  svf_calibrate(svf_la_choose(false), 4, score, hit, NULL, &a, &b);
  assert_true(isfinite(a) && isfinite(b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_endless_scores), cmocka_unit_test(test_optimal), cmocka_unit_test(test_units),
      cmocka_unit_test(test_weights),        cmocka_unit_test(test_falling), cmocka_unit_test(test_degenerate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
