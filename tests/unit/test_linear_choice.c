/* test_linear_choice.c - which C, and its sigmoids, against loops over all rows at once: fewer rows than a piece, and several pieces
 * with a rest. */
#include "svm/linear_choice.h"

#include "support/test.h"

enum { C_COUNT = 3, BINS = 64, MOST = 4 };

typedef struct trial {
  size_t n, m, machines;
  svf_scheme scheme;
  int32_t *label;
  float *held;
  double *weight; /* NULL: 1 */
} trial;

/* Scores that say more of the class the larger C's number, up to the second. */
static trial draw(svf_arena *arena, size_t n, size_t m, svf_scheme scheme, bool weighted) {
  svf_random random = svf_random_at((svf_place){.seed = n + m});
  trial t = {.n = n, .m = m, .scheme = scheme, .machines = svf_machine_count(scheme, m)};
  t.label = SVF_TAKE(arena, int32_t, n);
  t.held = SVF_TAKE(arena, float, t.machines *C_COUNT *n);
  t.weight = weighted ? SVF_TAKE(arena, double, n) : NULL;
  for (size_t i = 0; i < n; i++) {
    t.label[i] = (int32_t)svf_random_below(&random, m);
    if (weighted) t.weight[i] = .5 + svf_random_unit(&random);
    for (size_t a = 0; a < t.machines; a++)
      for (size_t c = 0; c < C_COUNT; c++) {
        bool hit = m == 2 ? t.label[i] == 1 : t.label[i] == (int32_t)(a % m);
        double share = c == 1 ? .8 : .3;
        t.held[(a * C_COUNT + c) * n + i] = (float)((hit ? share : -share) + svf_random_normal(&random));
      }
  }
  return t;
}

static void score(const trial *t, size_t c, size_t i, double *out) {
  double machine[MOST * MOST];
  for (size_t a = 0; a < t->machines; a++) machine[a] = t->held[(a * C_COUNT + c) * t->n + i];
  svf_class_scores(t->scheme, t->m, machine, out);
}

static double weigh(const trial *t, size_t i) { return t->weight ? t->weight[i] : 1; }

static double right_share(const trial *t, size_t c) {
  double right = 0, all = 0, s[MOST];
  for (size_t i = 0; i < t->n; i++) {
    score(t, c, i, s);
    right += svf_largest(t->m, s) == (size_t)t->label[i] ? weigh(t, i) : 0;
    all += weigh(t, i);
  }
  return right / all;
}

static void sigmoid_of(const trial *t, const svf_la *la, size_t c, size_t class, double *a, double *b) {
  double low = INFINITY, high = -INFINITY, s[MOST], sum[2 * BINS] = {0}, weight[2 * BINS] = {0};
  unsigned char hit[2 * BINS];
  size_t used = 0;
  for (size_t i = 0; i < t->n; i++) {
    score(t, c, i, s);
    low = fmin(low, s[class]), high = fmax(high, s[class]);
  }
  for (size_t i = 0; i < t->n; i++) {
    score(t, c, i, s);
    size_t bin = (size_t)fmin(BINS - 1, (s[class] - low) * (BINS / (high - low)));
    bin = 2 * bin + (t->label[i] == (int32_t) class);
    sum[bin] += weigh(t, i) * s[class];
    weight[bin] += weigh(t, i);
  }
  for (size_t q = 0; q < 2 * BINS; q++)
    if (weight[q] > 0) hit[used] = q % 2, sum[used] = sum[q] / weight[q], weight[used++] = weight[q];
  svf_calibrate(la, used, sum, hit, weight, a, b);
}

static void check(size_t n, size_t m, svf_scheme scheme, bool weighted) {
  svf_arena arena = {0};
  svf_solver solver = {.la = svf_la_choose(false), .arena = &arena};
  trial t = draw(&arena, n, m, scheme, weighted);
  svf_choice choice = {&solver, n, m, t.label, scheme, t.machines, C_COUNT, t.held, t.weight};
  size_t best = 9, likely = 0;
  double share, sigmoid[2 * MOST], a, b;
  assert_true(svf_choice_make(&choice, &best, &share, sigmoid));
  for (size_t c = 1; c < C_COUNT; c++)
    if (right_share(&t, c) > right_share(&t, likely)) likely = c;
  assert_int_equal(best, likely);
  assert_close(share, right_share(&t, best), 1e-12);
  for (size_t c = m == 2; c < m; c++) {
    sigmoid_of(&t, solver.la, best, c, &a, &b);
    assert_close(sigmoid[2 * c], a, 1e-9);
    assert_close(sigmoid[2 * c + 1], b, 1e-9);
  }
  svf_arena_free(&arena);
}

static void the_choice_of_all_rows(void **state) {
  (void)state;
  static const size_t sizes[] = {200, SVF_PIECE, 2 * SVF_PIECE + 777};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int weighted = 0; weighted < 2; weighted++) {
      check(sizes[s], 2, SVF_ONE_VS_REST, weighted);
      check(sizes[s], 2, SVF_ONE_VS_ONE, weighted);
      check(sizes[s], 3, SVF_ONE_VS_REST, weighted);
      check(sizes[s], 4, SVF_ONE_VS_ONE, weighted);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_choice_of_all_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
