/* The search for a threshold against a plain one that counts both sides anew for every place. */
#include "support/ground.h"
#include "cut/threshold.h"

/* weight * impurity of the rows of one side. */
static double impurity(const test_ground *t, const svf_site *site, const unsigned char *left, int side) {
  const svf_frame *frame = &t->frame;
  double *sum = calloc(frame->k, sizeof *sum), total = 0, result = 0, mean = 0;
  for (size_t i = 0; i < site->n; i++) {
    if (left[i] == side) continue;
    uint32_t row = site->rows[i];
    double w = frame->weight ? frame->weight[row] : 1;
    total += w;
    if (frame->label) sum[frame->label[row]] += w;
    else mean += w * frame->value[row];
  }
  for (size_t c = 0; frame->label && c < frame->k; c++) {
    double p = total > 0 ? sum[c] / total : 0;
    if (p > 0) result += t->settings->criterion == SVF_CRITERION_ENTROPY ? -p * log2(p) : p * (1 - p);
  }
  result *= total;
  for (size_t i = 0; !frame->label && i < site->n; i++) {
    uint32_t row = site->rows[i];
    if (left[i] == side) continue;
    double off = frame->value[row] - mean / total;
    result += (frame->weight ? frame->weight[row] : 1) * off * off;
  }
  free(sum);
  return result;
}

static double gain_of(const test_ground *t, const svf_site *site, const float *value, float threshold,
                      bool missing_left, size_t *least) {
  unsigned char *left = malloc(site->n), *none = calloc(site->n, 1);
  size_t count = 0;
  for (size_t i = 0; i < site->n; i++) {
    left[i] = value[i] == value[i] ? value[i] < threshold : missing_left;
    count += left[i];
  }
  *least = count < site->n - count ? count : site->n - count;
  double gain = impurity(t, site, none, 1) - impurity(t, site, left, 0) - impurity(t, site, left, 1);
  free(left);
  free(none);
  return gain;
}

/* The best gain over every place and both sides for the missing. */
static double naive(const test_ground *t, const svf_site *site, const float *value) {
  double best = 0;
  for (size_t i = 0; i < site->n; i++)
    for (int missing_left = 0; missing_left < 2; missing_left++) {
      size_t least;
      if (value[i] != value[i]) continue;
      double gain = gain_of(t, site, value, value[i], missing_left, &least);
      if (least >= t->ground.min_leaf && gain > best) best = gain;
    }
  return best;
}

/* A column of few or many distinct values that goes a little with the target; some missing, some -0. */
static void make_column(test_ground *t, const svf_site *site, uint64_t seed, float *value) {
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = 99});
  size_t levels = (size_t)1 << svf_random_below(&random, 8), missing = svf_random_below(&random, 3);
  for (size_t i = 0; i < site->n; i++) {
    uint32_t row = site->rows[i];
    double follow = t->frame.label ? t->frame.label[row] : t->frame.value[row] / 10;
    value[i] = (float)(floor((svf_random_normal(&random) + follow) * (double)levels) / (double)levels);
    if (seed % 5 == 0) value[i] *= 1e30f;
    if (value[i] == 0 && i % 2) value[i] = -0.f;
    if (missing && svf_random_below(&random, 4) == 0) value[i] = NAN;
  }
}

static void compare(svf_table *table, const char *pairs, bool weights) {
  test_ground t;
  size_t n = svf_table_rows(table);
  double *weight = malloc(n * sizeof *weight);
  svf_message message;
  for (size_t i = 0; i < n; i++) weight[i] = (double)(i % 4) * 1e-3 + (i % 7 == 0);
  if (weights) assert_ok(svf_table_set_weights(table, weight, &message), &message);
  test_ground_open(&t, table, "rsvt", pairs);
  float *value = malloc(n * sizeof *value);
  for (uint64_t seed = 0; seed < 40; seed++) {
    t.ground.tree = (uint32_t)seed;
    t.ground.min_leaf = 1 + seed % 7;
    svf_bag bag = svf_bag_draw(&t.ground);
    svf_site site = {.name = 1, .rows = bag.rows, .n = seed % 2 ? bag.n : bag.n / 3};
    t.ground.weight = 1;
    double *xlogx = seed % 3 ? svf_xlogx(&t.worker.arena, site.n) : NULL;
    svf_search search;
    assert_true(svf_search_open(&search, &t.ground, &site, xlogx));
    svf_found found = {.gain = search.least};
    make_column(&t, &site, seed, value);
    bool any = svf_search_column(&search, value, &found);
    double best = naive(&t, &site, value), scale = (double)n;
    size_t least = 0;
    if (any) {
      assert_close(gain_of(&t, &site, value, found.threshold, found.missing_left, &least) / scale, found.gain / scale,
                   1e-11);
      assert_true(least >= t.ground.min_leaf);
      assert_close(found.gain / scale, best / scale, 1e-11);
    } else {
      assert_close(best / scale, 0, 1e-11);
    }
  }
  free(value);
  free(weight);
  test_ground_close(&t);
}

static void agrees_with_the_plain_search(void **state) {
  (void)state;
  static const char *const pairs[] = {"criterion=entropy", "criterion=gini", "criterion=entropy rows=bootstrap",
                                      "criterion=auto rows=bootstrap"};
  for (int p = 0; p < 4; p++)
    for (int weights = 0; weights < 2; weights++) {
      compare(test_synth("classification", 150, 4, 3, 1), pairs[p], weights);
      compare(test_synth("friedman1", 120, 0, 0, 1),
              p % 2 ? "criterion=variance rows=bootstrap" : "criterion=variance", weights);
    }
}

/* The place stands halfway between neighbours, and between neighbouring floats at the upper one. */
static void places_stand_between_neighbours(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("moons", 4, 0, 0, 1), "rsvt", "criterion=entropy");
  int32_t label[] = {0, 0, 1, 1};
  t.frame.label = label;
  uint32_t rows[] = {0, 1, 2, 3};
  svf_site site = {.name = 1, .rows = rows, .n = 4};
  svf_search search;
  assert_true(svf_search_open(&search, &t.ground, &site, NULL));
  float above = nextafterf(1, 2), value[][4] = {{1, 2, 5, 6}, {0, 1, above, 3}, {6, 5, 2, 1}, {1, 1, 1, 1}};
  const float expected[] = {3.5f, above, 3.5f, 0};
  for (int i = 0; i < 4; i++) {
    svf_found found = {.gain = search.least};
    assert_int_equal(svf_search_column(&search, value[i], &found), i < 3);
    if (i < 3) assert_true(found.threshold == expected[i]);
    if (i < 3) assert_close(found.gain, 4, 1e-12); /* one bit per row */
  }
  test_ground_close(&t);
}

static void a_gain_must_reach_what_is_asked(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    test_ground t;
    test_ground_open(&t, test_synth("moons", 4, 0, 0, 1), "rsvt",
                     i ? "criterion=entropy min_gain=0.99" : "criterion=entropy min_gain=1.01");
    int32_t label[] = {0, 0, 1, 1};
    t.frame.label = label;
    t.ground.weight = 4;
    uint32_t rows[] = {0, 1, 2, 3};
    svf_site site = {.name = 1, .rows = rows, .n = 4};
    svf_search search;
    float value[] = {1, 2, 3, 4};
    assert_true(svf_search_open(&search, &t.ground, &site, NULL));
    svf_found found = {.gain = search.least};
    assert_int_equal(svf_search_column(&search, value, &found), i);
    test_ground_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_plain_search),
                                     cmocka_unit_test(places_stand_between_neighbours),
                                     cmocka_unit_test(a_gain_must_reach_what_is_asked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
