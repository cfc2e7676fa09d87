/* A toy kind of each seam, added as CONTRIBUTING.md says: one struct, used through the seam alone. */
#include "support/ground.h"
#include "forest/answers/tree_answers.h"

/* cut: the middle of feature 0, as many candidates as asked for, each a little further right */
static bool middle(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  if (trial >= 4 || site->n < 2) return false;
  plane->term = SVF_TAKE(ground->arena, svf_term, 1);
  if (!plane->term) return false;
  plane->term[0] = (svf_term){0, 1};
  plane->count = 1;
  plane->threshold = .2f + .2f * (float)trial;
  svf_sides sides = svf_plane_count(ground->frame, site->rows, site->n, plane);
  return sides.left && sides.right;
}
static const svf_cut toy_cut = {.kind.name = "toy", .kind.help = "the middle", .propose = middle};

/* pick: prefers balance, and judges by rows that the tree does not train on */
static double balance(const svf_ground *ground, const svf_site *site, const svf_plane *plane) {
  svf_sides sides = svf_plane_count(ground->frame, site->judges, site->judge_count, plane);
  double all = (double)site->judge_count;
  return all > 0 ? fmin((double)sides.left, (double)sides.right) / all : 0;
}
static const svf_pick toy_pick = {.kind.name = "toy", .kind.help = "balance", .node = balance, .judges = true};

/* cut order: shallowest first */
static size_t shallowest(const svf_ground *ground, svf_site *const *open, size_t count) {
  (void)ground;
  size_t best = 0;
  for (size_t i = 1; i < count; i++)
    if (open[i]->depth < open[best]->depth) best = i;
  return best;
}

static void check_tree(const svf_site *root, const svf_frame *frame) {
  for (const svf_site *site = root; site; site = svf_site_next(site)) {
    if (!site->child[0]) continue;
    assert_int_equal(site->child[0]->n + site->child[1]->n, site->n);
    assert_int_equal(site->child[0]->judge_count + site->child[1]->judge_count, site->judge_count);
    for (int side = 0; side < 2; side++)
      for (size_t i = 0; i < site->child[side]->n; i++) {
        const float *row = frame->x + site->child[side]->rows[i] * frame->stride;
        assert_int_equal(svf_plane_side(site->plane.term, site->plane.count, site->plane.threshold, row), side);
        if (i && !site->child[side]->child[0])
          assert_true(site->child[side]->rows[i] >= site->child[side]->rows[i - 1]);
      }
  }
}

static void a_toy_cut_and_pick_grow_a_tree(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("classification", 300, 3, 2, 1), "rsvt", "rows=bootstrap max_depth=3");
  svf_kinds kinds;
  svf_message message;
  assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
  kinds.cut = &toy_cut;
  kinds.pick = &toy_pick;
  svf_bag bag = svf_bag_draw(&t.ground);
  assert_int_equal(bag.n, 300);
  assert_true(bag.judge_count > 60 && bag.judge_count < 160);
  svf_site *root = svf_grow(&t.ground, &kinds, &bag);
  assert_non_null(root);
  assert_non_null(root->child[0]);
  /* the pick's best of the four candidates, recomputed */
  double best = 0, threshold = 0;
  for (size_t trial = 0; trial < 4; trial++) {
    svf_plane plane = {0};
    size_t left = 0;
    if (!middle(&t.ground, root, trial, &plane)) break;
    for (size_t i = 0; i < root->judge_count; i++)
      left += t.frame.x[root->judges[i] * t.frame.stride] < plane.threshold;
    double worth = fmin((double)left, (double)(root->judge_count - left)) / (double)root->judge_count;
    if (worth > best) best = worth, threshold = plane.threshold;
  }
  assert_close(root->plane.threshold, threshold, 1e-7);
  check_tree(root, &t.frame);
  test_ground_close(&t);
}

static void the_order_of_cuts_does_not_change_by_place_trees(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("classification", 300, 3, 2, 1), "rsvt", "min_leaf=10");
  svf_kinds kinds;
  svf_message message;
  assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
  svf_bag bag = svf_bag_draw(&t.ground), again = svf_bag_draw(&t.ground);
  svf_cut wide = *kinds.cut;
  wide.next = shallowest;
  svf_site *deep = svf_grow(&t.ground, &kinds, &bag);
  kinds.cut = &wide;
  svf_site *broad = svf_grow(&t.ground, &kinds, &again);
  for (; deep || broad; deep = svf_site_next(deep), broad = svf_site_next(broad)) {
    assert_true(deep && broad && deep->n == broad->n && deep->plane.threshold == broad->plane.threshold);
    if (!svf_site_next(deep)) break;
  }
  assert_null(svf_site_next(broad));
  test_ground_close(&t);
}

static void bags(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("moons", 1000, 0, 0, 1), "rsvt", "rows=subsample sample_fraction=0.3");
  svf_bag bag = svf_bag_draw(&t.ground);
  assert_int_equal(bag.n, 300);
  assert_int_equal(bag.judge_count, 700);
  for (size_t i = 1; i < bag.n; i++) assert_true(bag.rows[i] > bag.rows[i - 1]);
  t.ground.tree = 1;
  svf_bag other = svf_bag_draw(&t.ground);
  assert_true(memcmp(bag.rows, other.rows, 300 * sizeof *bag.rows) != 0);
  test_ground_close(&t);
}

static void rows_of_weight_zero_are_in_no_bag(void **state) {
  (void)state;
  svf_table *table = test_synth("moons", 100, 0, 0, 1);
  double weight[100];
  for (int i = 0; i < 100; i++) weight[i] = i % 2;
  svf_message message;
  assert_ok(svf_table_set_weights(table, weight, &message), &message);
  test_ground t;
  test_ground_open(&t, table, "rsvt", "rows=bootstrap");
  svf_bag bag = svf_bag_draw(&t.ground);
  assert_int_equal(bag.n, 50);
  for (size_t i = 0; i < bag.n; i++) assert_int_equal(bag.rows[i] % 2, 1);
  for (size_t i = 0; i < bag.judge_count; i++) assert_int_equal(bag.judges[i] % 2, 1);
  test_ground_close(&t);
}

/* votes: three trees, three classes */
static void say(const char *vote, const double *score, const double *share, size_t trees, double expected) {
  svf_settings *settings = test_settings("rsvt", "");
  snprintf(settings->vote, sizeof settings->vote, "%s", vote);
  svf_kinds kinds;
  svf_message message;
  assert_ok(svf_kinds_find(settings, &kinds, &message), &message);
  double votes[3] = {0}, shares[3] = {0}, weight = 0;
  svf_tally tally = {.votes = votes, .shares = shares, .weight = &weight, .k = 3};
  for (size_t t = 0; t < trees; t++) svf_tally_add(kinds.vote, 3, 1, score + 3 * t, share + 3 * t, &tally, 0);
  assert_true(svf_tally_end(kinds.vote, 3, true, &tally, 0) == expected);
  svf_settings_free(settings);
}

static void votes_and_their_ties(void **state) {
  (void)state;
  const double score[] = {.9, 0, -1, -1, .2, .1, -1, .3, .2}, share[] = {.98, .01, .01, .1, .5, .4, .1, .5, .4};
  say("majority", score, share, 3, 1);       /* one for class 0, two for class 1 */
  say("majority", score, share, 2, 0);       /* a tie: the sums of shares are 1.08 and .51 */
  say("mean", score, share, 3, 0);           /* 1.18 against 1.01 */
  say("max-confidence", score, share, 3, 0); /* the lead of .9 over 0 is the largest */
  const double even[] = {0, 0, 0, 0, 0, 0}, flat[] = {.3, .3, .3, .3, .3, .3};
  say("majority", even, flat, 2, 0); /* nothing to choose: the first class */
  say("max-confidence", even, flat, 2, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_toy_cut_and_pick_grow_a_tree),
                                     cmocka_unit_test(the_order_of_cuts_does_not_change_by_place_trees),
                                     cmocka_unit_test(bags), cmocka_unit_test(rows_of_weight_zero_are_in_no_bag),
                                     cmocka_unit_test(votes_and_their_ties)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
