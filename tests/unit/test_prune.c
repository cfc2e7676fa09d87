/* Pruning: a naive pruning of the unpruned tree gives the same tree; rows held out are no one's rows. */
#include "support/ground.h"

static svf_message message;

enum { N = 300 };

/* A node of a naive tree: grown without pruning, rows by routing. */
typedef struct node {
  const svf_site *site;
  struct node *child[2];
  uint32_t rows[N], held[N];
  size_t n, held_count;
} node;

static void route(const svf_frame *frame, const svf_plane *plane, const uint32_t *rows, size_t n, node *left,
                  node *right, bool held) {
  for (size_t i = 0; i < n; i++) {
    int side = svf_plane_side(plane->term, plane->count, plane->threshold, frame->x + rows[i] * frame->stride);
    if (side < 0) side = plane->missing_left ? 0 : 1;
    node *to = side ? right : left;
    if (held) to->held[to->held_count++] = rows[i];
    else to->rows[to->n++] = rows[i];
  }
}

static void build(const svf_frame *frame, node *at) {
  if (!at->site->child[0]) return;
  for (int side = 0; side < 2; side++) {
    at->child[side] = calloc(1, sizeof *at);
    at->child[side]->site = at->site->child[side];
  }
  route(frame, &at->site->plane, at->rows, at->n, at->child[0], at->child[1], false);
  route(frame, &at->site->plane, at->held, at->held_count, at->child[0], at->child[1], true);
  for (int side = 0; side < 2; side++) build(frame, at->child[side]);
}

/* Held-out error of a constant leaf: the first of the most frequent classes, or the mean. */
static double constant_error(const svf_frame *frame, const node *at) {
  double count[8] = {0}, mean = 0, error = 0;
  size_t top = 0;
  for (size_t i = 0; i < at->n; i++) {
    if (frame->label) count[frame->label[at->rows[i]]]++;
    else mean += frame->value[at->rows[i]] / (double)at->n;
  }
  for (size_t c = 1; c < 8; c++)
    if (count[c] > count[top]) top = c;
  for (size_t i = 0; i < at->held_count; i++)
    error += frame->label ? (size_t)frame->label[at->held[i]] != top : pow(frame->value[at->held[i]] - mean, 2);
  return error;
}

static void drop(node *at) {
  for (int side = 0; side < 2; side++)
    if (at->child[side]) drop(at->child[side]);
  free(at);
}

/* Bottom-up; returns the error of what is left. */
static double prune(const svf_frame *frame, node *at) {
  double own = constant_error(frame, at);
  if (!at->child[0]) return own;
  double below = prune(frame, at->child[0]) + prune(frame, at->child[1]);
  if (own > below) return below;
  for (int side = 0; side < 2; side++) drop(at->child[side]), at->child[side] = NULL;
  return own;
}

/* Same shape, same rows in the leaves, in order. Returns the leaves. */
static size_t compare(const node *naive, const svf_site *site) {
  assert_int_equal(naive->child[0] != NULL, site->child[0] != NULL);
  assert_int_equal(naive->n, site->n);
  if (naive->child[0]) return compare(naive->child[0], site->child[0]) + compare(naive->child[1], site->child[1]);
  assert_memory_equal(naive->rows, site->rows, site->n * sizeof *site->rows);
  assert_int_equal(site->plane.count, 0);
  return 1;
}

static void agrees(svf_table *table, const char *pairs) {
  test_ground t;
  svf_kinds kinds;
  test_ground_open(&t, table, "rsvt", pairs);
  assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
  size_t before = 0, after = 0;
  for (uint32_t tree = 0; tree < 10; tree++) {
    t.ground.tree = tree;
    svf_bag bag = svf_bag_draw(&t.ground);
    size_t all = bag.n, distinct = 0, held_distinct = 0;
    for (size_t i = 0; i < all; i++) distinct += !i || bag.rows[i] != bag.rows[i - 1];
    svf_held held = svf_hold_out(&t.ground, &bag);
    assert_int_equal(bag.n + held.n, all);
    bool in[N] = {false};
    for (size_t i = 0; i < bag.n; i++) in[bag.rows[i]] = true;
    for (size_t i = 0; i < held.n; i++) {
      assert_false(in[held.rows[i]]);
      held_distinct += !i || held.rows[i] != held.rows[i - 1];
    }
    assert_int_equal(held_distinct, (size_t)(t.settings->prune * (double)distinct));
    node *naive = calloc(1, sizeof *naive);
    memcpy(naive->rows, bag.rows, bag.n * sizeof *bag.rows);
    memcpy(naive->held, held.rows, held.n * sizeof *held.rows);
    naive->n = bag.n;
    naive->held_count = held.n;
    svf_site *root = svf_grow(&t.ground, &kinds, &bag);
    assert_non_null(root);
    for (svf_site *site = root; site; site = svf_site_next(site)) before += !site->child[0];
    naive->site = root;
    build(&t.frame, naive);
    prune(&t.frame, naive);
    assert_ok(svf_prune(&t.ground, kinds.leaf, root, held, &message), &message);
    after += compare(naive, root);
    drop(naive);
  }
  assert_true(after < before && after > 10); /* something was pruned, something was left */
  test_ground_close(&t);
}

static void as_a_naive_pruning(void **state) {
  (void)state;
  agrees(test_synth("classification", N, 4, 3, 1), "leaf=constant class_weight=none refused=redraw prune=0.3");
  agrees(test_synth("classification", N, 4, 3, 1),
         "rows=bootstrap leaf=constant class_weight=none refused=redraw prune=0.5");
  agrees(test_synth("friedman1", N, 0, 0, 1), "leaf=constant vote=mean refused=redraw prune=0.25 min_leaf=3");
}

/* With machines in the leaves it trains, and is smaller. */
static void machines_too(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", N, 4, 3, 1);
  svf_forest *whole = test_train("rsvt-full", "C=1", table, 1),
             *pruned = test_train("rsvt-full", "C=1 prune=0.3", table, 2);
  svf_forest_info a, b;
  svf_forest_describe(whole, &a);
  svf_forest_describe(pruned, &b);
  assert_true(b.leaves < a.leaves && b.leaves > b.trees);
  assert_true(test_result(pruned, table) > .6);
  svf_forest_free(whole);
  svf_forest_free(pruned);
  svf_settings *settings = test_settings("linear-svm", "prune=0.2");
  assert_int_equal(svf_settings_check(settings, SVF_TASK_CLASS, &message), SVF_USAGE);
  assert_non_null(strstr(message.text, "prune removes cuts of single nodes, and cut=none"));
  svf_settings_free(settings);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_a_naive_pruning), cmocka_unit_test(machines_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
