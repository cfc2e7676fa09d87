/* Cuts by the drop of the out-of-bag error: whole trees against a plain one that shares nothing with them but the random
 * streams and a solver; models handed over; the screening; nodes where there is nothing to choose. */
#include "support/ground.h"
#include "cut/oblique.h"
#include "pick/screening.h"
#include "svm/linear_squared.h"

enum { MOST = 60, DEEPEST = 3 };

/* ---- a plain tree ---- */

typedef struct naive {
  const test_ground *t;
  size_t cuts, leaves;
} naive;

typedef struct list {
  uint32_t row[MOST];
  size_t n;
} list;

/* Machines of one class against the rest, in double, on the rows of the list. */
typedef struct machines {
  _Alignas(64) double w[3][8];
  bool there[3];
} machines;

static machines fit(const naive *v, const list *rows) {
  const svf_frame *frame = v->t->ground.frame;
  static _Alignas(64) double x[MOST * 8];
  double sign[MOST], cost[MOST];
  svf_arena arena = {0};
  svf_solver solver = {.la = v->t->ground.la, .tolerance = 1e-10, .max_steps = 1000, .arena = &arena};
  svf_rows matrix = {rows->n, frame->d + 1, 8, x};
  machines m = {{{0}}, {false}};
  size_t classes = 0;
  memset(x, 0, sizeof x);
  for (size_t i = 0; i < rows->n; i++) {
    for (size_t j = 0; j < frame->d; j++) x[i * 8 + j] = (double)frame->x[rows->row[i] * frame->stride + j];
    x[i * 8 + frame->d] = 1;
    classes += !m.there[frame->label[rows->row[i]]];
    m.there[frame->label[rows->row[i]]] = true;
    cost[i] = 1;
  }
  for (int32_t c = 0; classes > 1 && c < (int32_t)frame->k; c++) {
    svf_solution found;
    for (size_t i = 0; i < rows->n; i++) sign[i] = frame->label[rows->row[i]] == c ? 1 : -1;
    svf_binary binary = {sign, cost};
    if (m.there[c]) assert_true(svf_squared_fit(&matrix, &binary, 1, &solver, m.w[c], &found));
  }
  svf_arena_free(&arena);
  return m;
}

static double weight_of(const naive *v, const list *judges) {
  const double *judged = v->t->frame.judged;
  double sum = 0;
  for (size_t i = 0; i < judges->n; i++) sum += judged ? judged[judges->row[i]] : 1;
  return sum;
}

static double wrong(const naive *v, const machines *m, const list *judges) {
  const svf_frame *frame = v->t->ground.frame;
  double sum = 0;
  for (size_t i = 0; i < judges->n; i++) {
    const float *row = frame->x + judges->row[i] * frame->stride;
    double best = -INFINITY;
    int32_t said = -1;
    for (int32_t c = 0; c < (int32_t)frame->k; c++) {
      double score = m->w[c][frame->d];
      for (size_t j = 0; j < frame->d; j++) score += m->w[c][j] * (double)row[j];
      if (!m->there[c]) score = -1;
      if (score > best) best = score, said = c;
    }
    if (said != frame->label[judges->row[i]]) sum += frame->judged ? frame->judged[judges->row[i]] : 1;
  }
  return sum;
}

static list side_of(const naive *v, const list *rows, uint32_t feature, float low, float high) {
  list taken = {.n = 0};
  for (size_t i = 0; i < rows->n; i++) {
    float x = v->t->frame.x[rows->row[i] * v->t->frame.stride + feature];
    if (x >= low && x < high) taken.row[taken.n++] = rows->row[i];
  }
  return taken;
}

typedef struct cut {
  uint32_t feature;
  float threshold, band;
} cut;

static float value(const naive *v, const list *rows, size_t i, uint32_t feature) {
  return v->t->frame.x[rows->row[i] * v->t->frame.stride + feature];
}

/* A feature that varies, drawn for candidates of a node; false: none does. */
static bool draw_feature(const naive *v, const list *rows, svf_random *random, uint32_t *chosen, float *range) {
  uint32_t feature[8], d = (uint32_t)v->t->frame.d;
  for (uint32_t j = 0; j < d; j++) feature[j] = j;
  for (uint32_t i = 0; i < d; i++) {
    uint32_t j = i + svf_below(random, d - i), f = feature[j];
    float low = INFINITY, high = -INFINITY;
    feature[j] = feature[i];
    for (size_t q = 0; q < rows->n; q++)
      low = fminf(low, value(v, rows, q, f)), high = fmaxf(high, value(v, rows, q, f));
    *chosen = f, *range = high - low;
    if (high > low) return true;
  }
  return false;
}

/* What is drawn on one feature: all of its values in a random order if they are few, else those of drawn rows. */
typedef struct drawn {
  float value[MOST];
  size_t count, spent; /* spent: by how many the node may have fewer on other features */
  bool few;
} drawn;

static drawn draw_values(const naive *v, const list *rows, svf_random *random, uint32_t feature, size_t wanted) {
  drawn d = {.count = 0};
  float different[MOST];
  size_t count = 0;
  for (size_t i = 0; i < rows->n; i++) {
    bool first = true;
    for (size_t j = 0; j < i; j++) first = first && value(v, rows, i, feature) != value(v, rows, j, feature);
    if (first) different[count++] = value(v, rows, i, feature);
  }
  d.few = count - 1 <= wanted;
  d.spent = d.few ? count - 1 : wanted;
  while (d.few ? count > 0 : d.count < wanted) {
    size_t at = svf_random_below(random, d.few ? count : rows->n);
    d.value[d.count++] = d.few ? different[at] : value(v, rows, at, feature);
    if (d.few) different[at] = different[--count]; /* the last takes the place of the one that was drawn */
  }
  return d;
}

/* Does the cut leave rows on both sides, and not too many on both? */
static bool divides(const naive *v, const list *rows, const cut *c) {
  size_t below = side_of(v, rows, c->feature, -INFINITY, c->threshold).n;
  size_t left = side_of(v, rows, c->feature, -INFINITY, c->threshold + c->band).n;
  size_t right = side_of(v, rows, c->feature, c->threshold - c->band, INFINITY).n;
  return below >= 1 && below < rows->n && left < rows->n && right < rows->n &&
         4 * (left + right - rows->n) <= rows->n;
}

static bool is_there(const cut *cuts, size_t count, const cut *c) {
  for (size_t i = 0; i < count; i++)
    if (cuts[i].feature == c->feature && cuts[i].threshold == c->threshold) return true;
  return false;
}

/* The candidates of a node, drawn as cut/project.c says: a feature that varies, a coin, thresholds; those of a feature of
 * few values once. */
static size_t draw(const naive *v, const list *rows, uint64_t name, cut *cuts) {
  const svf_settings *settings = v->t->settings;
  size_t count = 0, each = (size_t)settings->threshold_candidates, left = (size_t)settings->cut_candidates * each;
  for (size_t a = 0; left; a++) {
    svf_random random = svf_random_at((svf_place){(uint64_t)settings->seed, SVF_USE_CUT, v->t->ground.tree, a, name});
    cut new;
    float range;
    if (!draw_feature(v, rows, &random, &new.feature, &range)) break;
    svf_random_below(&random, 2);
    drawn d = draw_values(v, rows, &random, new.feature, left < each ? left : each);
    new.band = (float)settings->overlap.item[0] * range;
    for (size_t i = 0; i < d.count; i++) {
      new.threshold = d.value[i];
      if (divides(v, rows, &new) && !(d.few && is_there(cuts, count, &new))) cuts[count++] = new;
    }
    left -= d.spent;
  }
  return count;
}

static void same_list(const uint32_t *rows, size_t n, const list *expected) {
  uint32_t sorted[MOST];
  assert_int_equal(n, expected->n);
  memcpy(sorted, rows, n * sizeof *rows);
  for (size_t i = 1; i < n; i++) /* an inner node's list was divided in place */
    for (size_t j = i; j > 0 && sorted[j - 1] > sorted[j]; j--) {
      uint32_t moved = sorted[j];
      sorted[j] = sorted[j - 1], sorted[j - 1] = moved;
    }
  assert_memory_equal(sorted, expected->row, n * sizeof *rows);
}

/* Compares a node, and those below it, with what the paper's steps give for these lists. */
static void compare(naive *v, const svf_site *site, const list *rows, const list *judges, size_t depth) {
  const svf_frame *frame = v->t->ground.frame;
  cut cuts[64];
  same_list(site->rows, site->n, rows);
  same_list(site->judges, site->judge_count, judges);
  bool pure = true;
  for (size_t i = 1; i < rows->n; i++) pure = pure && frame->label[rows->row[i]] == frame->label[rows->row[0]];
  size_t count = depth < DEEPEST && !pure && judges->n ? draw(v, rows, site->name, cuts) : 0, best = count;
  machines own = fit(v, rows);
  double e = wrong(v, &own, judges) / weight_of(v, judges), most = 0;
  for (size_t a = 0; a < count; a++) {
    list part[4];
    double all = 0, errors = 0;
    for (int side = 0; side < 2; side++) {
      float low = side ? cuts[a].threshold - cuts[a].band : -INFINITY,
            high = side ? INFINITY : cuts[a].threshold + cuts[a].band;
      part[side] = side_of(v, rows, cuts[a].feature, low, high);
      part[2 + side] = side_of(v, judges, cuts[a].feature, low, high);
      machines m = fit(v, &part[side]);
      errors += wrong(v, &m, &part[2 + side]);
      all += weight_of(v, &part[2 + side]);
    }
    double drop = e - errors / all;
    if (drop > most) most = drop, best = a;
  }
  if (best == count) {
    assert_null(site->child[0]);
    v->leaves++;
    return;
  }
  assert_non_null(site->child[0]);
  assert_int_equal(site->plane.term[0].feature, cuts[best].feature);
  assert_true(site->plane.threshold == cuts[best].threshold && site->plane.band == cuts[best].band);
  v->cuts++;
  for (int side = 0; side < 2; side++) {
    float low = side ? cuts[best].threshold - cuts[best].band : -INFINITY;
    float high = side ? INFINITY : cuts[best].threshold + cuts[best].band;
    list below = side_of(v, rows, cuts[best].feature, low, high),
         above = side_of(v, judges, cuts[best].feature, low, high);
    compare(v, site->child[side], &below, &above, depth + 1);
  }
}

/* ---- ---- */

static svf_site *grow(test_ground *t, svf_bag *bag) {
  svf_kinds kinds;
  svf_message message;
  assert_ok(svf_kinds_find(t->settings, &kinds, &message), &message);
  t->ground.leaf = kinds.leaf;
  *bag = svf_bag_draw(&t->ground);
  svf_site *root = svf_grow(&t->ground, &kinds, bag);
  assert_non_null(root);
  return root;
}

/* The bootstrap by hand: n draws, each row as often as it came; the others judge. */
static void bootstrap(const test_ground *t, list *rows, list *judges) {
  size_t n = t->frame.n, times[MOST] = {0};
  svf_random random = svf_random_at((svf_place){(uint64_t)t->settings->seed, SVF_USE_ROWS, t->ground.tree, 0, 0});
  for (size_t i = 0; i < n; i++) times[svf_random_below(&random, n)]++;
  rows->n = judges->n = 0;
  for (uint32_t i = 0; i < n; i++) {
    for (size_t q = 0; q < times[i]; q++) rows->row[rows->n++] = i;
    if (!times[i]) judges->row[judges->n++] = i;
  }
}

#define SMALL "cut_candidates=3 threshold_candidates=4 max_depth=3 "

/* Every column but the first to that many values. */
static void round_columns(test_ground *t, float values) {
  for (size_t i = 0; i < t->frame.n; i++)
    for (size_t j = 1; j < t->frame.d; j++) {
      float *x = &t->frame.x[i * t->frame.stride + j];
      *x = fminf(fmaxf(floorf(*x + values / 2), 0), values - 1);
    }
}

static void exact_trees_are_the_plain_ones(void **state) {
  (void)state;
  static const char *const pairs[] = {SMALL "screen=exact", SMALL "screen=exact overlap=0.05",
                                      SMALL "keep=1000 doubt=1000000 overlap=0.02", /* all survive the screening */
                                      SMALL "screen=exact", SMALL "keep=1000 doubt=1000000"};
  size_t cuts = 0, leaves = 0;
  for (int p = 0; p < 5; p++)
    for (uint32_t tree = 0; tree < 12; tree++) {
      test_ground t;
      test_ground_open(
          &t, test_synth(tree % 2 ? "moons" : "classification", MOST, tree % 2 ? 0 : 4, tree % 2 ? 0 : 3, tree),
          "rsvf", pairs[p]);
      t.ground.tree = tree;
      if (tree / 2 % 3) round_columns(&t, tree / 2 % 3 == 1 ? 2 : 4);
      double judged[MOST]; /* as class weights make it */
      for (size_t i = 0; i < MOST; i++) judged[i] = 1 + 3 * t.frame.label[i];
      if (p > 2) t.frame.judged = judged;
      naive v = {.t = &t};
      list rows, judges;
      svf_bag bag;
      svf_site *root = grow(&t, &bag);
      bootstrap(&t, &rows, &judges);
      compare(&v, root, &rows, &judges, 0);
      cuts += v.cuts, leaves += v.leaves;
      test_ground_close(&t);
    }
  assert_true(cuts > 50 && leaves > 100);
}

/* What was handed over is what the leaf's own training gives, also where that draws folds. */
static void models_are_those_of_the_leaves(void **state) {
  (void)state;
  static const char *const pairs[] = {"max_depth=3 keep=2 doubt=1000000",
                                      "max_depth=3 screen=exact cut_candidates=2 C=0 folds=3 overlap=0.1",
                                      "max_depth=2 keep=1 doubt=1000000 leaf=constant"};
  for (int p = 0; p < 3; p++) {
    test_ground t;
    test_ground_open(&t, test_synth("classification", 200, 4, 3, 7), "rsvf", pairs[p]);
    svf_bag bag;
    size_t leaves = 0;
    for (svf_site *site = grow(&t, &bag); site; site = svf_site_next(site)) {
      svf_buffer numbers = {0};
      svf_message message;
      if (site->child[0] || !site->ready.numbers) continue;
      assert_ok(t.ground.leaf->train(&t.ground, site, &numbers, &message), &message);
      assert_int_equal(numbers.size, site->ready.length * sizeof(double));
      assert_memory_equal(numbers.data, site->ready.numbers, numbers.size);
      svf_buffer_free(&numbers);
      leaves++;
    }
    assert_true(leaves > 1);
    test_ground_close(&t);
  }
}

/* The planes of a site and what the screening says of them, in scratch. */
static svf_planes screened(const test_ground *t, const svf_site *site, svf_worth **worth) {
  svf_kinds kinds;
  svf_message message;
  svf_ground ground = t->ground;
  assert_ok(svf_kinds_find(t->settings, &kinds, &message), &message);
  ground.notes = kinds.cut->begin(&ground, site);
  svf_planes planes = kinds.cut->candidates(&ground, site);
  *worth = SVF_TAKE(&ground.worker->arena, svf_worth, planes.count);
  assert_true(svf_screen_planes(&ground, site, &planes, true, *worth));
  return planes;
}

/* A drop is a mean over judges, and its noise what follows from how they differ: asked one by one, they say so. */
static void the_noise_is_that_of_the_judges(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("classification", 150, 4, 3, 5), "rsvf", "cut_candidates=3");
  svf_bag bag = svf_bag_draw(&t.ground);
  svf_site site = {.name = 1, .rows = bag.rows, .n = bag.n, .judges = bag.judges, .judge_count = bag.judge_count};
  svf_worth *all, *one;
  double sum[64] = {0}, square[64] = {0}, n = (double)bag.judge_count;
  svf_planes planes = screened(&t, &site, &all);
  assert_true(planes.count > 5 && planes.count < 64);
  for (size_t i = 0; i < bag.judge_count; i++) {
    site.judges = bag.judges + i, site.judge_count = 1;
    screened(&t, &site, &one);
    for (size_t q = 0; q < planes.count; q++) sum[q] += one[q].drop, square[q] += one[q].drop * one[q].drop;
  }
  size_t told = 0;
  for (size_t q = 0; q < planes.count; q++) {
    if (all[q].drop == -INFINITY) continue; /* a side without spread */
    assert_close(all[q].drop, sum[q] / n, 1e-5);
    assert_close(all[q].noise, sqrt(square[q]) / n, 1e-5);
    told++;
  }
  assert_true(told > 5);
  test_ground_close(&t);
}

/* A node is cut where the screening says, if that is sure; else leaves were trained, and decided. */
static void doubt_is_left_to_real_leaves(void **state) {
  (void)state;
  size_t sure = 0, doubtful = 0, kept = 0;
  for (uint32_t tree = 0; tree < 4; tree++) {
    test_ground t; /* with a band the lists of a parent stay as they were */
    test_ground_open(&t, test_synth("classification", 300, 4, 3, tree), "rsvf", "max_depth=5 overlap=0.01");
    svf_bag bag;
    svf_site *site = grow(&t, &bag);
    for (; site; site = svf_site_next(site)) {
      svf_worth *worth;
      if (!site->child[0] && (site->depth == 5 || !site->judge_count || !site->ready.numbers)) continue;
      svf_planes planes = screened(&t, site, &worth);
      size_t best = 0;
      for (size_t q = 1; q < planes.count; q++)
        if (worth[q].drop > worth[best].drop) best = q;
      if (planes.count && worth[best].drop > t.settings->doubt * worth[best].noise) {
        assert_non_null(site->child[0]);
        assert_true(site->plane.threshold == planes.item[best].threshold);
        sure++;
      } else {
        assert_non_null(site->ready.numbers);
        assert_true(!site->child[0] || site->child[0]->ready.numbers);
        doubtful += !!site->child[0], kept += !site->child[0];
      }
    }
    test_ground_close(&t);
  }
  assert_true(sure > 10 && doubtful > 2 && kept > 2);
}

/* Rows within the band, and those alone, train both sides; judges alike; missing rows go to one side. */
static void the_band_is_in_both_children(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("classification", 300, 3, 2, 3), "rsvf", "overlap=0.05 max_depth=4 keep=0");
  for (size_t i = 0; i < 300; i += 7) t.frame.x[i * t.frame.stride + i % 3] = NAN;
  t.frame.missing = true;
  svf_bag bag;
  size_t both = 0;
  for (svf_site *site = grow(&t, &bag); site; site = svf_site_next(site)) {
    if (!site->child[0]) continue;
    const svf_plane *plane = &site->plane;
    size_t left = 0, right = 0;
    for (size_t i = 0; i < site->n; i++) {
      float x = t.frame.x[site->rows[i] * t.frame.stride + plane->term[0].feature];
      bool low = isnan(x) ? plane->missing_left : x < plane->threshold + plane->band;
      bool high = isnan(x) ? !plane->missing_left : x >= plane->threshold - plane->band;
      if (low) assert_int_equal(site->child[0]->rows[left++], site->rows[i]);
      if (high) assert_int_equal(site->child[1]->rows[right++], site->rows[i]);
      both += low && high;
    }
    assert_true(left == site->child[0]->n && right == site->child[1]->n);
  }
  assert_true(both > 20);
  test_ground_close(&t);
}

static svf_forest *train(const char *pairs, const svf_table *table, int threads) {
  svf_settings *settings = test_settings("rsvf", pairs);
  svf_message message;
  svf_run run = {.threads = threads};
  svf_forest *forest = NULL;
  assert_ok(svf_train(settings, table, &run, &forest, &message), &message);
  svf_settings_free(settings);
  return forest;
}

static void equal_bytes(const svf_forest *a, const svf_forest *b) {
  size_t size, other;
  const void *x = svf_forest_bytes(a, &size), *y = svf_forest_bytes(b, &other);
  assert_int_equal(size, other);
  assert_memory_equal(x, y, size);
}

static void threads_do_not_show(void **state) {
  (void)state;
  static const char *const pairs[] = {"trees=3 max_depth=4", "trees=1 max_depth=3 keep=3 doubt=1000000 overlap=0.02",
                                      "trees=2 max_depth=2 screen=exact cut_candidates=2 threshold_candidates=3"};
  static const int threads[] = {2, 3, 8};
  svf_table *table = test_synth("classification", 700, 6, 4, 2);
  for (int p = 0; p < 3; p++) {
    svf_forest *one = train(pairs[p], table, 1);
    for (int i = 0; i < 3; i++) {
      svf_forest *other = train(pairs[p], table, threads[i]);
      equal_bytes(one, other);
      svf_forest_free(other);
    }
    svf_forest_free(one);
  }
  svf_table_free(table);
}

/* Errors of three folds by ten trees each. */
static double folds_error(const svf_table *table, const char *pairs) {
  size_t n = svf_table_rows(table), rows[400], wrong_ones = 0;
  int32_t fold[400];
  double said[400];
  svf_message message;
  assert_ok(svf_table_folds(table, 3, 0, fold, &message), &message);
  for (int32_t f = 0; f < 3; f++) {
    svf_table *part[2];
    for (int inside = 0; inside < 2; inside++) {
      size_t count = 0;
      for (size_t i = 0; i < n; i++)
        if ((fold[i] == f) == inside) rows[count++] = i;
      assert_ok(svf_table_take(table, rows, count, &part[inside], &message), &message);
    }
    svf_forest *forest = train(pairs, part[0], 1);
    svf_prediction prediction = {.values = said};
    assert_ok(svf_predict(forest, part[1], NULL, &prediction, &message), &message);
    for (size_t i = 0; i < svf_table_rows(part[1]); i++) wrong_ones += said[i] != svf_table_labels(part[1])[i];
    svf_forest_free(forest);
    svf_table_free(part[0]);
    svf_table_free(part[1]);
  }
  return (double)wrong_ones;
}

static void the_overlap_is_chosen_by_folds(void **state) {
  (void)state;
  static const char *const one[] = {"0", "0.02", "0.1"};
  svf_table *table = test_synth("moons", 200, 0, 0, 3);
  char pairs[128], best[128] = "";
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    snprintf(pairs, sizeof pairs, "trees=10 max_depth=3 overlap=%s", one[i]);
    double error = folds_error(table, pairs);
    if (error < least) least = error, snprintf(best, sizeof best, "trees=12 max_depth=3 overlap=%s", one[i]);
  }
  svf_forest *chosen = train("trees=12 max_depth=3 overlap=0,0.02,0.1", table, 2), *given = train(best, table, 1);
  equal_bytes(chosen, given);
  svf_forest_free(chosen);
  svf_forest_free(given);
  svf_table_free(table);
}

static void nothing_to_choose(void **state) {
  (void)state;
  svf_forest_info info;
  svf_table *table = test_synth("moons", 100, 0, 0, 1), *five = NULL;
  svf_message message;
  svf_forest *forest = train("rows=subsample sample_fraction=1 trees=2", table, 1); /* nobody is left to judge */
  svf_forest_describe(forest, &info);
  assert_int_equal(info.leaves, 2);
  svf_forest_free(forest);
  const size_t rows[] = {0, 1, 2, 3, 4};
  assert_ok(svf_table_take(table, rows, 5, &five, &message), &message);
  for (int p = 0; p < 3; p++) {
    static const char *const pairs[] = {"trees=30", "trees=30 keep=2 doubt=1000000 overlap=0.1",
                                        "trees=30 screen=exact"};
    forest = train(pairs[p], five, 2);
    svf_forest_describe(forest, &info);
    assert_true(info.leaves >= 30);
    svf_forest_free(forest);
  }
  svf_table_free(five);
  svf_table_free(table);
}

/* More numbers than rows at every node. */
static void few_rows_of_many_features(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 80, 150, 3, 4);
  svf_forest_info info;
  svf_forest *forest = train("trees=5 max_depth=3", table, 2);
  svf_forest_describe(forest, &info);
  assert_true(info.leaves > 5);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void refused(const char *method, const char *pairs, const char *words) {
  svf_settings *settings = test_settings(method, pairs);
  svf_message message = {""};
  assert_int_equal(svf_settings_check(settings, SVF_TASK_CLASS, &message), SVF_USAGE);
  if (!strstr(message.text, words)) fail_msg("%s", message.text);
  svf_settings_free(settings);
}

static void what_makes_no_sense_is_refused(void **state) {
  (void)state;
  refused("rsvf", "rows=all", "out-of-bag");
  refused("rsvf", "screen=exact keep=3", "keep is not used");
  refused("rsvf", "screen=exact doubt=3", "doubt is not used");
  refused("rsvf", "keep=0 doubt=3", "doubt is not used with keep=0");
  refused("rsvf", "criterion=gini", "criterion is not used");
  refused("random-projection", "overlap=0.1", "threshold_candidates");
  refused("random-projection", "keep=2", "keep has no meaning");
  refused("rf", "overlap=0.1", "overlap has no meaning");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_trees_are_the_plain_ones),  cmocka_unit_test(models_are_those_of_the_leaves),
      cmocka_unit_test(the_noise_is_that_of_the_judges), cmocka_unit_test(doubt_is_left_to_real_leaves),
      cmocka_unit_test(the_band_is_in_both_children),    cmocka_unit_test(threads_do_not_show),
      cmocka_unit_test(the_overlap_is_chosen_by_folds),  cmocka_unit_test(nothing_to_choose),
      cmocka_unit_test(few_rows_of_many_features),       cmocka_unit_test(what_makes_no_sense_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
