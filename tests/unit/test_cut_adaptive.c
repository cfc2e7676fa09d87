/* test_cut_adaptive.c - cells of two stages: they tile the space, the best-scored candidate is that of a plain recount, and
 * empty cells say what they should. */
#include "support/ground.h"
#include "support/mixed.h"
#include "support/toy.h"
#include "cut/adaptive.h"

enum { N = 300, D = 10 };

static svf_message message;

/* ---- candidates ---- */

/* Mean squared error of cell means, from the planes alone: rows go down the list of cuts by hand. */
static double recount(const test_ground *t, const svf_slash *cut, size_t count) {
  double risk = 0;
  size_t home[N];
  for (size_t i = 0; i < N; i++) {
    home[i] = 0;
    for (size_t c = 0; c < count; c++) {
      const float *row = t->frame.x + i * t->frame.stride;
      const svf_term *term = cut[c].plane.term;
      if (home[i] == cut[c].plot && !(row[term->feature] < cut[c].plane.threshold)) home[i] = c + 1;
    }
  }
  for (size_t cell = 0; cell <= count; cell++) {
    double sum = 0, n = 0;
    for (size_t i = 0; i < N; i++)
      if (home[i] == cell) sum += t->frame.value[i], n++;
    for (size_t i = 0; i < N; i++)
      if (home[i] == cell) risk += (t->frame.value[i] - sum / n) * (t->frame.value[i] - sum / n);
  }
  return risk / N;
}

typedef struct choice {
  size_t trial, splits;
  double score, second; /* the best, and the best of another candidate */
} choice;

/* Every candidate again, scored by hand. */
static choice choose(test_ground *t, size_t splits, bool prefixes) {
  svf_kinds kinds;
  svf_patch patch;
  uint32_t rows[N];
  choice best = {.score = INFINITY, .second = INFINITY};
  assert_ok(svf_kinds_find(t->settings, &kinds, &message), &message);
  for (uint32_t i = 0; i < N; i++) rows[i] = i;
  svf_site root = {.name = 1, .rows = rows, .n = N};
  assert_true(svf_patch_open(&patch, &t->ground, &root, splits + 1, true));
  for (size_t trial = 0; trial < (size_t)t->settings->tree_candidates; trial++) {
    svf_slash cut[N];
    svf_term term[N];
    size_t count = 0;
    double score = INFINITY;
    svf_random random = svf_site_random(&t->ground, &root, SVF_USE_CUT, trial);
    svf_patch_begin(&patch);
    for (size_t i = 0; i < splits; i++) {
      cut[count] = (svf_slash){.plane.term = &term[count]};
      if (svf_adaptive_draw(&patch, &random, &cut[count]) && svf_patch_cut(&patch, &cut[count], 0)) count++;
    }
    assert_close(svf_patch_risk(&patch), recount(t, cut, count), 1e-9);
    size_t own = count;
    for (size_t c = prefixes ? 0 : count; c <= count; c++) {
      double penalised = t->settings->split_penalty * (double)(c * c) + recount(t, cut, c);
      if (penalised < score) score = penalised, own = c;
    }
    if (score < best.score) best = (choice){trial, own, score, best.score};
    else if (score < best.second) best.second = score;
  }
  return best;
}

static void best_scored(const char *pairs, bool prefixes) {
  test_ground t;
  svf_kinds kinds;
  test_ground_open(&t, test_synth("friedman1", N, D, 0, 3), "tbrf-c", pairs);
  assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
  choice best = choose(&t, (size_t)(t.settings->splits_per_row * N), prefixes);
  assert_true(best.second - best.score > 1e-6 * best.score); /* no tie that rounding could decide */
  uint32_t rows[N];
  for (uint32_t i = 0; i < N; i++) rows[i] = i;
  svf_bag bag = {.rows = rows, .n = N};
  svf_site *root = svf_grow(&t.ground, &kinds, &bag);
  assert_non_null(root);
  double risk = 0;
  size_t splits = 0, seen = 0;
  for (svf_site *site = root; site; site = svf_site_next(site)) {
    double sum = 0;
    splits += site->child[0] != NULL;
    if (site->child[0]) continue;
    for (size_t i = 0; i < site->n; i++) sum += t.frame.value[site->rows[i]], seen++;
    for (size_t i = 0; i < site->n; i++) risk += pow(t.frame.value[site->rows[i]] - sum / (double)site->n, 2) / N;
  }
  assert_int_equal(seen, N);
  assert_int_equal(splits, best.splits);
  assert_close(risk + t.settings->split_penalty * (double)(splits * splits), best.score, 1e-9);
  test_ground_close(&t);
}

static void whole_candidates(void **state) {
  (void)state;
  best_scored("cells=1 splits_per_row=0.05 tree_candidates=12", false);
  best_scored("cells=1 splits_per_row=0.05 tree_candidates=12 range=cell split_penalty=0.01", false);
  best_scored("cells=1 splits_per_row=0.1 tree_candidates=5 cell_choice=uniform draws=1", false);
}

static void all_prefixes(void **state) {
  (void)state;
  best_scored("cells=1 splits_per_row=0.1 tree_candidates=8 prefixes=yes split_penalty=0.05", true);
  best_scored("cells=1 splits_per_row=0.2 tree_candidates=8 prefixes=yes split_penalty=0.001 range=cell", true);
}

/* A constant leaf's own risk is the risk of constants: both choose the same trees. */
static void risk_of_leaves(void **state) {
  (void)state;
  mixed m = {.n = N, .missing = true, .weights = true, .seed = 3};
  svf_table *table = test_mixed(&m);
  const char *pairs[] = {"trees=3 cells=4 candidate_risk=constant", "trees=3 cells=4 candidate_risk=leaf"};
  svf_forest *a = test_train("tbrf-c", pairs[0], table, 1), *b = test_train("tbrf-c", pairs[1], table, 2);
  assert_int_equal(a->parts.nodes, b->parts.nodes);
  assert_memory_equal(a->parts.node, b->parts.node, a->parts.nodes * sizeof *a->parts.node);
  svf_forest *l = test_train("tbrf-l", "trees=2 cells=4 candidate_risk=leaf", table, 2);
  assert_true(test_result(l, table) < .1);
  svf_forest_free(a);
  svf_forest_free(b);
  svf_forest_free(l);
  svf_table_free(table);
}

/* ---- rows that move ---- */

/* Cuts a patch 60 times; slips for plots of up to `most` rows, 0: none. */
static void cut_often(test_ground *t, svf_site *root, size_t most, svf_patch *p) {
  svf_term term;
  svf_slash slash = {.plane.term = &term};
  svf_random random = svf_site_random(&t->ground, root, SVF_USE_CUT, 0);
  assert_true(svf_patch_open(p, &t->ground, root, 61, false));
  assert_non_null(p->slips.x);
  p->slips.most = most;
  svf_patch_begin(p);
  while (p->count < 61)
    if (svf_adaptive_draw(p, &random, &slash)) svf_patch_cut(p, &slash, 1);
}

/* Each plot's slips are its rows in the table. */
static void slips_match(const test_ground *t, const svf_patch *p) {
  for (size_t c = 0; c < p->count; c++)
    for (size_t i = p->plot[c].from; i < p->plot[c].from + p->plot[c].n && svf_slips_hold(&p->slips, p->plot[c].n);
         i++) {
      const float *row = t->frame.x + p->site->rows[p->order[i]] * t->frame.stride;
      assert_memory_equal(p->slips.x + i * p->slips.span, row, t->frame.d * sizeof *row);
    }
}

/* Slips are the table's rows in another place: cuts come out the same with them, without, and with slips of small plots
 * only; with missing values and with rows that stand twice in the bag. */
static void slips_follow(void **state) {
  (void)state;
  static const size_t most[] = {N, 40, 1, 0};
  mixed m = {.n = N, .missing = true, .seed = 5};
  test_ground t;
  svf_kinds kinds;
  svf_patch first, other;
  uint32_t rows[N];
  test_ground_open(&t, test_mixed(&m), "tbrf-c", "range=data");
  assert_ok(svf_kinds_find(t.settings, &kinds, &message), &message);
  for (uint32_t i = 0; i < N; i++) rows[i] = i / 3 * 2;
  svf_site root = {.name = 1, .rows = rows, .n = N};
  for (size_t k = 0; k < 4; k++) {
    svf_patch *p = k ? &other : &first;
    cut_often(&t, &root, most[k], p);
    slips_match(&t, p);
    assert_memory_equal(p->order, first.order, N * sizeof *p->order);
    assert_memory_equal(p->home, first.home, N * sizeof *p->home);
    for (size_t c = 0; c < p->count; c++) {
      assert_int_equal(p->plot[c].from, first.plot[c].from);
      assert_int_equal(p->plot[c].n, first.plot[c].n);
      for (size_t i = 0; i < p->plot[c].n; i++) assert_int_equal(p->home[p->order[p->plot[c].from + i]], c);
    }
  }
  test_ground_close(&t);
}

/* ---- boxes ---- */

typedef struct cell {
  float low[D], high[D];
  size_t leaf;
} cell;

/* The boxes of a tree's leaves, by walking from the root. */
static size_t boxes(const svf_forest *forest, size_t tree, size_t node, cell at, cell *out, size_t count) {
  svf_node_info info;
  svf_forest_node(forest, tree, node, &info);
  if (!info.right) {
    at.leaf = info.leaf;
    out[count] = at;
    return count + 1;
  }
  assert_int_equal(info.term_count, 1);
  cell left = at, right = at;
  size_t j = info.terms[0].feature;
  left.high[j] = right.low[j] = (float)info.threshold;
  assert_true(left.low[j] < left.high[j] && right.low[j] <= right.high[j]); /* cut within the cell */
  count = boxes(forest, tree, info.left, left, out, count);
  return boxes(forest, tree, info.right, right, out, count);
}

static void tile(const char *pairs) {
  svf_table *table = test_synth("friedman1", N, D, 0, 4), *points = test_synth("friedman1", 200, D, 0, 5);
  svf_forest *forest = test_train("tbrf-c", pairs, table, 2);
  int32_t leaf[200 * 2];
  svf_prediction out = {.leaves = leaf};
  assert_ok(svf_predict(forest, points, NULL, &out, &message), &message);
  for (size_t tree = 0; tree < 2; tree++) {
    cell *box = calloc(4 * N, sizeof *box), all = {.leaf = 0};
    for (size_t j = 0; j < D; j++) all.low[j] = -1000, all.high[j] = 1000;
    size_t count = boxes(forest, tree, 0, all, box, 0);
    for (size_t i = 0; i < 200; i++) {
      size_t hits = 0;
      for (size_t b = 0; b < count; b++) {
        bool inside = true;
        for (size_t j = 0; j < D; j++) {
          svf_encoded_info e;
          svf_forest_encoded(forest, j, &e);
          float x = (float)((svf_table_number(points, i, j) / 2 - e.shift / 2) * (2 * e.scale));
          inside = inside && x >= box[b].low[j] && x < box[b].high[j];
        }
        hits += inside;
        if (inside) assert_int_equal(box[b].leaf, leaf[i * 2 + tree]);
      }
      assert_int_equal(hits, 1);
    }
    free(box);
  }
  svf_forest_free(forest);
  svf_table_free(table);
  svf_table_free(points);
}

static void tiles(void **state) {
  (void)state;
  tile("trees=2 cells=20 range=cell splits_per_row=1");
  tile("trees=2 cells=1 range=cell splits_per_row=2 cell_choice=uniform");
  tile("trees=2 cell_rows=10 range=data");
}

/* ---- empty cells ---- */

static double mean_of(const svf_table *table) {
  double sum = 0;
  for (size_t i = 0; i < svf_table_rows(table); i++) sum += svf_table_values(table)[i];
  return sum / (double)svf_table_rows(table);
}

static double value_at(const svf_forest *forest, size_t leaf) {
  svf_leaf_info info;
  svf_forest_leaf(forest, 0, leaf, &info);
  return info.numbers[0];
}

static void vacancies(void **state) {
  (void)state;
  svf_table *table = test_synth("friedman1", N, D, 0, 6);
  const char *pairs[] = {"trees=1 cells=1 range=cell splits_per_row=1.5 vacancy=mean",
                         "trees=1 cells=1 range=cell splits_per_row=1.5 vacancy=nn"};
  for (int nn = 0; nn < 2; nn++) {
    svf_forest *forest = test_train("tbrf-c", pairs[nn], table, 2);
    cell *box = calloc(4 * N, sizeof *box), all = {.leaf = 0};
    for (size_t j = 0; j < D; j++) all.high[j] = 1; /* features are scaled to [0, 1] */
    size_t count = boxes(forest, 0, 0, all, box, 0), empty = 0;
    for (size_t b = 0; b < count; b++) {
      svf_leaf_info info;
      svf_forest_leaf(forest, 0, box[b].leaf, &info);
      if (info.rows) continue;
      double least = INFINITY, said = mean_of(table);
      for (size_t o = 0; nn && o < count; o++) {
        double apart = 0;
        svf_forest_leaf(forest, 0, box[o].leaf, &info);
        for (size_t j = 0; j < D; j++)
          apart += pow(((double)box[b].low[j] + box[b].high[j]) - ((double)box[o].low[j] + box[o].high[j]), 2);
        if (info.rows && apart < least) least = apart, said = value_at(forest, box[o].leaf);
      }
      assert_close(value_at(forest, box[b].leaf), said, 1e-9);
      empty++;
    }
    assert_true(empty > 10);
    free(box);
    svf_forest_free(forest);
  }
  svf_table_free(table);
}

/* ---- the rest ---- */

static void any_threads(void **state) {
  (void)state;
  svf_table *table = test_synth("friedman1", N, D, 0, 7);
  const char *pairs[] = {"trees=2 cells=7", "trees=1 cells=9 oblique=yes splits_per_row=0.3",
                         "trees=3 cells=5 range=cell vacancy=nn splits_per_row=1"};
  static const int threads[] = {2, 3, 8};
  for (size_t p = 0; p < 3; p++) {
    svf_forest *one = test_train("tbrf-c", pairs[p], table, 1);
    for (size_t i = 0; i < 3; i++) {
      svf_forest *other = test_train("tbrf-c", pairs[p], table, threads[i]);
      equal_bytes(one, other);
      svf_forest_free(other);
    }
    svf_forest_free(one);
  }
  svf_table_free(table);
}

/* One row to a cell, one value for all rows: no machine, no cut. */
static void little_to_do(void **state) {
  (void)state;
  double x[] = {1, 2, 3, 4, 5, 6}, y[] = {3, 1, 4, 1, 5, 9}, same[] = {2, 2, 2, 2, 2, 2};
  const char *methods[] = {"tbrf-c", "tbrf-l", "tbrf-g", "vp-svm"};
  for (size_t m = 0; m < 4; m++)
    for (int flat = 0; flat < 2; flat++) {
      svf_matrix matrix = {.values = x, .rows = 6, .columns = 1, .row_stride = 1, .column_stride = 1};
      svf_table *table;
      svf_forest_info info;
      assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
      assert_ok(svf_table_set_values(table, flat ? same : y, &message), &message);
      svf_forest *forest = test_train(methods[m], "trees=3 cells=6", table, 2);
      double error = test_result(forest, table);
      svf_forest_describe(forest, &info);
      if (flat || strcmp(methods[m], "tbrf-c")) assert_true(error < 1e-12);
      if (flat && m < 3) assert_int_equal(info.leaves, 3);
      if (!flat) assert_true(info.leaves >= 15);
      svf_forest_free(forest);
      svf_table_free(table);
    }
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *method, *pairs, *words;
  } wrong[] = {{"rf", "cut=adaptive oblique=yes vacancy=nn", "use vacancy=mean"},
               {"tbrf-c", "oblique=yes range=cell", "leave it out"},
               {"tbrf-c", "prefixes=yes candidate_risk=leaf", "use prefixes=no"},
               {"rf", "pick=best-scored", "use cut=adaptive"},
               {"tbrf-c", "prune=0.2", "leave it out"},
               {"tbrf-c", "cells=5 cell_rows=20", "leave one of them out"},
               {"vp-svm", "cells=5 cell_rows=20", "cell_rows=20 contradicts cells=5"},
               {"vp-svm", "tree_candidates=3", "tree_candidates has no meaning"},
               {"vp-svm", "pick=best-scored", "use cut=adaptive"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    svf_settings *settings = test_settings(wrong[i].method, wrong[i].pairs);
    assert_int_equal(svf_settings_check(settings, SVF_TASK_REGRESS, &message), SVF_USAGE);
    if (!strstr(message.text, wrong[i].words)) fail_msg("no '%s' in: %s", wrong[i].words, message.text);
    svf_settings_free(settings);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_candidates), cmocka_unit_test(all_prefixes), cmocka_unit_test(risk_of_leaves),
      cmocka_unit_test(slips_follow),     cmocka_unit_test(tiles),        cmocka_unit_test(vacancies),
      cmocka_unit_test(any_threads),      cmocka_unit_test(little_to_do), cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
