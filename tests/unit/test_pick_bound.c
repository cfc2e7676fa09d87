/* The bound of RCF: its terms by their formulas, the exact least against brute force and against drawn sequences, every
 * machine trained once, parts that merge into the whole. */
#include "leaf/leaf.h"
#include "pick/bound.h"
#include "pick/pick.h"
#include "support/ground.h"
#include "support/toy.h"
#include "forest/growth/plant.h"

extern const svf_pick svf_pick_bound;

enum { LEAVES = 4, DRAFTS = 3, SEQUENCES = 81 /* DRAFTS ^ LEAVES */ };

typedef struct tree {
  test_ground t;
  svf_site site[LEAVES];
  svf_draft draft[LEAVES][DRAFTS];
  svf_leaf_case leaf[LEAVES];
} tree;

static void open_tree(tree *q, uint64_t seed, const char *pairs) {
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = SVF_USE_SYNTH});
  test_ground_open(&q->t, test_synth("classification", 400, 9, 3, seed), "rcf", pairs);
  for (size_t k = 0; k < LEAVES; k++) {
    q->site[k] = (svf_site){.depth = 1 + svf_random_below(&random, 4), .name = svf_random_u64(&random)};
    double weight = 40 + (double)svf_random_below(&random, 120);
    for (size_t d = 0; d < DRAFTS; d++)
      q->draft[k][d] = (svf_draft){.right = weight * (.5 + .5 * svf_random_unit(&random)),
                                   .capacity = d == 2 ? INFINITY : 10 + 90 * (double)d};
    q->leaf[k] = (svf_leaf_case){&q->site[k], weight, q->draft[k], DRAFTS, 0};
  }
}

/* The criterion of a choice, term by term as the paper has it: c = 3, |F| = 9, r = 3, m = 400. */
static double criterion(const tree *q, const size_t *choice) {
  double m = 400, c = 3, r = 3, eta = r / 9, sum = 0, gamma = q->t.settings->bound_scale;
  for (size_t k = 0; k < LEAVES; k++) {
    const svf_draft *draft = &q->draft[k][choice[k]];
    double v = draft->capacity, depth = (double)q->site[k].depth;
    double growth = v >= m ? m * log(2) : fmin(m * log(2), v * log(exp(1) * m / v));
    double A = sqrt(2 * depth * (r * log(exp(1) / eta) + log(2 * m * r)) / m) + sqrt(2 * growth / m);
    sum += (q->leaf[k].weight - draft->right) / m + fmin(8 * c * gamma * A, draft->right / m);
  }
  return sum;
}

static double taken(const tree *q) {
  size_t choice[LEAVES];
  for (size_t k = 0; k < LEAVES; k++) choice[k] = q->leaf[k].taken;
  return criterion(q, choice);
}

static double brute_force(const tree *q) {
  double least = INFINITY;
  for (size_t s = 0; s < SEQUENCES; s++) {
    size_t choice[LEAVES], rest = s;
    for (size_t k = 0; k < LEAVES; k++, rest /= DRAFTS) choice[k] = rest % DRAFTS;
    least = fmin(least, criterion(q, choice));
  }
  return least;
}

static void exact_is_the_least(void **state) {
  (void)state;
  static const char *const scales[] = {"0.0001", "0.001", "0.005", "0.02", "1"};
  size_t worse = 0;
  for (uint64_t seed = 0; seed < 20; seed++)
    for (size_t s = 0; s < 5; s++) {
      char pairs[100];
      tree exact, drawn;
      snprintf(pairs, sizeof pairs, "sequences=all bound_scale=%s", scales[s]);
      open_tree(&exact, seed, pairs);
      svf_pick_bound.leaves(&exact.t.ground, exact.leaf, LEAVES);
      double least = taken(&exact);
      assert_close(least, brute_force(&exact), 1e-12);
      for (int p = 1; p < 40; p += 13) {
        snprintf(pairs, sizeof pairs, "sequences=%d bound_scale=%s", p, scales[s]);
        open_tree(&drawn, seed, pairs);
        svf_pick_bound.leaves(&drawn.t.ground, drawn.leaf, LEAVES);
        assert_true(taken(&drawn) >= least * (1 - 1e-12));
        worse += taken(&drawn) > least * (1 + 1e-9);
        test_ground_close(&drawn.t);
      }
      test_ground_close(&exact.t);
    }
  assert_true(worse > 20); /* one drawn sequence is seldom the best */
}

/* More sequences never have a larger bound: the first ones are drawn again. */
static void more_sequences(void **state) {
  (void)state;
  double last = INFINITY;
  for (int p = 1; p < 60; p++) {
    char pairs[100];
    tree q;
    snprintf(pairs, sizeof pairs, "sequences=%d bound_scale=0.002", p);
    open_tree(&q, 7, pairs);
    svf_pick_bound.leaves(&q.t.ground, q.leaf, LEAVES);
    assert_true(taken(&q) <= last);
    last = taken(&q);
    test_ground_close(&q.t);
  }
}

static void capacity_beyond_m(void **state) {
  (void)state;
  svf_bound_terms terms = {100, 3, 2, 10};
  assert_close(svf_bound_machines(&terms, 100), sqrt(2 * log(2)), 1e-14);
  assert_close(svf_bound_machines(&terms, INFINITY), sqrt(2 * log(2)), 1e-14);
  assert_close(svf_bound_machines(&terms, 5), sqrt(2 * 5 * log(exp(1) * 100 / 5) / 100), 1e-14);
  assert_true(svf_bound_questions(&terms, 0) == 0);
}

/* ---- every machine once ---- */

extern const svf_leaf svf_leaf_kernel;
static atomic_size_t drafted, finished;

static svf_status count_draft(const svf_ground *ground, const svf_site *site, svf_draft *draft,
                              svf_message *message) {
  atomic_fetch_add(&drafted, svf_leaf_kernel.drafts(ground->settings));
  return svf_leaf_kernel.draft(ground, site, draft, message);
}

static svf_status count_finish(const svf_ground *ground, const svf_site *site, svf_buffer *numbers,
                               svf_message *message) {
  atomic_fetch_add(&finished, 1);
  return svf_leaf_kernel.finish(ground, site, numbers, message);
}

static svf_status no_training(const svf_ground *ground, const svf_site *site, svf_buffer *numbers,
                              svf_message *message) {
  (void)ground, (void)site, (void)numbers;
  return svf_fail(message, SVF_DATA, "a machine was trained a second time");
}

/* A batch of trees with leaves that count; gives the number of leaves. */
static size_t plant(test_ground *t, const svf_leaf *leaf) {
  enum { TREES = 3 };
  svf_message message;
  svf_pool pool;
  svf_run run = {.threads = 2};
  svf_sapling sapling[TREES] = {0};
  svf_planting p = {.settings = t->settings,
                    .encoding = &t->encoding,
                    .frame = &t->frame,
                    .la = t->ground.la,
                    .pool = &pool,
                    .low = t->low,
                    .high = t->high,
                    .prepared = t->ground.prepared};
  assert_ok(svf_kinds_find(t->settings, &p.kinds, &message), &message);
  assert_ok(svf_pool_open(&pool, &run, &message), &message);
  p.kinds.leaf = leaf;
  assert_ok(leaf->prepare(&t->frame, t->settings, &t->arena, &p.shared, &message), &message);
  assert_ok(svf_plant(&p, sapling, 0, TREES, &message), &message);
  size_t leaves = p.records.leaf.size / sizeof(svf_leaf_record);
  for (size_t i = 0; i < TREES; i++) svf_sapling_free(&sapling[i]);
  svf_records_free(&p.records);
  svf_pool_close(&pool);
  return leaves;
}

static void each_machine_once(void **state) {
  (void)state;
  static const char *const sequences[] = {"1", "10", "1000", "all"};
  svf_leaf counting = svf_leaf_kernel;
  counting.draft = count_draft;
  counting.finish = count_finish;
  counting.train = no_training;
  for (size_t s = 0; s < 4; s++) {
    char pairs[100];
    test_ground t;
    snprintf(pairs, sizeof pairs, "degrees=1,2,3 C=1 max_depth=2 sequences=%s", sequences[s]);
    test_ground_open(&t, test_synth("classification", 200, 6, 3, 2), "rcf", pairs);
    drafted = finished = 0;
    size_t leaves = plant(&t, &counting);
    assert_true(leaves > 3);
    assert_int_equal(drafted, 3 * leaves);
    assert_int_equal(finished, leaves);
    test_ground_close(&t);
  }
}

/* ---- forests ---- */

/* C is chosen from the same trees whatever part of the forest is trained. */
static void parts_merge(void **state) {
  (void)state;
  static const char common[] = "degrees=1,3 C_grid=0.1,10 choice_trees=2 max_depth=2";
  svf_table *table = test_synth("classification", 150, 5, 3, 3);
  char pairs[160];
  svf_message message;
  svf_forest *part[2], *merged = NULL;
  snprintf(pairs, sizeof pairs, "%s trees=4", common);
  svf_forest *whole = test_train("rcf", pairs, table, 3);
  for (int i = 0; i < 2; i++) {
    snprintf(pairs, sizeof pairs, "%s trees=2 first_tree=%d", common, 2 * i);
    part[i] = test_train("rcf", pairs, table, 1);
  }
  const svf_forest *both[] = {part[1], part[0]};
  assert_ok(svf_forest_merge(both, 2, &merged, &message), &message);
  equal_bytes(whole, merged);
  svf_forest_free(whole);
  svf_forest_free(merged);
  for (int i = 0; i < 2; i++) svf_forest_free(part[i]);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_is_the_least), cmocka_unit_test(more_sequences), cmocka_unit_test(capacity_beyond_m),
      cmocka_unit_test(each_machine_once),  cmocka_unit_test(parts_merge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
