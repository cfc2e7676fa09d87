/* test_partition.c - training in parts: the sample knows nothing of chunks, leaves are those of their rows, damage is seen. */
#include "forest/parts/partition.h"
#include "support/forest.h"

#include <math.h>

static svf_message message;

/* What chunks keep, put together, gives the sample of the whole table. */
static void chunks_do_not_matter(void **state) {
  (void)state;
  enum { N = 900, CHUNK = 170 };
  svf_table *table = test_synth("classification", N, 5, 5, 1);
  svf_settings *settings = test_settings("rf", " partition_rows=100");
  size_t whole[N + CHUNK], count, row[CHUNK], some, kept = 0, taken[N], again;
  uint64_t number[N], kept_number[N];
  assert_ok(svf_table_sample(settings, table, NULL, whole, &count, &message), &message);
  assert_in_range(count, 100, 105);
  for (size_t first = 0; first < N; first += CHUNK) {
    size_t n = N - first < CHUNK ? N - first : CHUNK;
    svf_table *chunk;
    for (size_t i = 0; i < n; i++) whole[count + i] = first + i, number[i] = first + i;
    assert_ok(svf_table_take(table, whole + count, n, &chunk, &message), &message);
    assert_ok(svf_table_sample(settings, chunk, number, row, &some, &message), &message);
    for (size_t i = 0; i < some; i++) kept_number[kept] = taken[kept] = first + row[i], kept++;
    svf_table_free(chunk);
  }
  svf_table *left;
  assert_ok(svf_table_take(table, taken, kept, &left, &message), &message);
  size_t *last = calloc(kept, sizeof *last);
  assert_ok(svf_table_sample(settings, left, kept_number, last, &again, &message), &message);
  assert_int_equal(again, count);
  for (size_t i = 0; i < count; i++) assert_int_equal(kept_number[last[i]], whole[i]);
  free(last);
  svf_table_free(left);
  svf_settings_free(settings);
  svf_table_free(table);
}

/* Every row is in one leaf of each tree; a leaf has as many rows as fall into it, and their shares. */
static void leaves_of_all_rows(void **state) {
  (void)state;
  enum { N = 800 };
  svf_table *table = test_synth("classification", N, 4, 3, 2);
  svf_forest *forest = test_train("et", " trees=4 partition_rows=120 min_leaf=5", table, 2);
  int32_t *leaf = calloc(N * 4, sizeof *leaf);
  double *probability = calloc(N * 3, sizeof *probability);
  svf_prediction out = {.leaves = leaf, .probabilities = probability};
  assert_ok(svf_predict(forest, table, NULL, &out, &message), &message);
  const int32_t *label = svf_table_labels(table);
  for (size_t i = 0; i < N; i += 37) {
    double mean[3] = {0};
    for (size_t t = 0; t < 4; t++) {
      size_t count = 0, of[3] = {0};
      for (size_t r = 0; r < N; r++)
        if (leaf[r * 4 + t] == leaf[i * 4 + t]) count++, of[label[r]]++;
      svf_leaf_info info;
      svf_forest_leaf(forest, t, (size_t)leaf[i * 4 + t], &info);
      assert_int_equal(info.rows, count);
      for (size_t c = 0; c < 3; c++) mean[c] += (double)of[c] / (double)count / 4;
    }
    for (size_t c = 0; c < 3; c++) assert_close(probability[i * 3 + c], mean[c], 1e-12);
  }
  free(leaf);
  free(probability);
  svf_forest_free(forest);
  svf_table_free(table);
}

/* How often a tree sees a row: on average once, as Poisson variables do, and the judges are the others. */
static void counts_by_number(void **state) {
  (void)state;
  svf_settings *settings = test_settings("rf", " partition_rows=100 seed=3");
  enum { N = 40000 };
  double sum = 0, square = 0, none = 0;
  for (uint32_t i = 0; i < N; i++) {
    double count = svf_bag_count(settings, 7, i);
    sum += count, square += count * count, none += count == 0;
  }
  assert_close(sum / N, 1, 0.02);
  assert_close(square / N - 1, 1, 0.04);
  assert_close(none / N, exp(-1), 0.01);
  svf_settings_free(settings);
}

/* The out-of-bag result of a tree is found again from the model and the table. */
static void out_of_bag_again(void **state) {
  (void)state;
  svf_table *table = test_synth("friedman1", 500, 5, 0, 4);
  svf_forest *forest = test_train("rf", " trees=5 partition_rows=150", table, 1);
  svf_oob_answers answers = {0};
  assert_ok(svf_forest_oob(forest, table, NULL, &answers, &message), &message);
  assert_true(answers.result > 0);
  svf_forest_free(forest);
  svf_table_free(table);
}

typedef struct steps {
  svf_portion *cuts, *rows, *leaves;
} steps;

static steps take_steps(const char *method, const char *pairs, const svf_table *table) {
  steps s;
  svf_settings *settings = test_settings(method, pairs);
  assert_ok(svf_partition(settings, table, NULL, svf_table_rows(table), NULL, &s.cuts, &message), &message);
  assert_ok(svf_route(s.cuts, table, 0, NULL, NULL, &s.rows, &message), &message);
  const svf_portion *rows = s.rows;
  assert_ok(svf_fit(s.cuts, &rows, 1, NULL, NULL, &s.leaves, &message), &message);
  svf_settings_free(settings);
  return s;
}

static void free_steps(steps *s) {
  svf_portion_free(s->cuts);
  svf_portion_free(s->rows);
  svf_portion_free(s->leaves);
}

/* Rows for some cells only give the same leaves as rows for all. */
static void some_cells(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 400, 3, 2, 5);
  steps s = take_steps("rf", " trees=3 max_depth=3 partition_rows=100", table);
  svf_portion_info info;
  svf_portion_describe(s.cuts, &info);
  svf_portion *leaves[2];
  svf_forest *a, *b;
  for (uint64_t half = 0; half < 2; half++) {
    svf_cells cells = {half * 5, half ? info.cells.count - 5 : 5};
    svf_portion *rows;
    assert_ok(svf_route(s.cuts, table, 0, &cells, NULL, &rows, &message), &message);
    svf_portion *chosen;
    size_t own_size, chosen_size;
    assert_ok(svf_portion_select(s.cuts, s.rows, &cells, &chosen, &message), &message);
    const void *own = svf_portion_bytes(rows, &own_size), *picked = svf_portion_bytes(chosen, &chosen_size);
    assert_int_equal(own_size, chosen_size);
    assert_memory_equal(own, picked, own_size);
    svf_portion_free(chosen);
    const svf_portion *all = rows;
    uint64_t count[64], sum = 0, first[64];
    assert_in_range(info.cells.count, 10, 64);
    assert_ok(svf_portion_count(s.cuts, rows, count, &message), &message);
    assert_ok(svf_portion_count(s.cuts, s.rows, first, &message), &message);
    assert_memory_equal(count, first + cells.first, cells.count * sizeof *count);
    for (uint64_t c = 0; c < info.cells.count; c++) sum += first[c];
    assert_int_equal(sum, 400 * 3);
    assert_int_equal(svf_portion_count(s.cuts, s.leaves, count, &message), SVF_USAGE);
    assert_int_equal(svf_fit(s.cuts, &all, 1, NULL, NULL, &leaves[half], &message), SVF_USAGE);
    assert_ok(svf_fit(s.cuts, &all, 1, &cells, NULL, &leaves[half], &message), &message);
    svf_portion_free(rows);
  }
  const svf_portion *both[] = {leaves[1], leaves[0]}, *one[] = {s.leaves};
  assert_ok(svf_portion_merge(s.cuts, both, 2, &a, &message), &message);
  assert_ok(svf_portion_merge(s.cuts, one, 1, &b, &message), &message);
  size_t size, other;
  const void *bytes = svf_forest_bytes(a, &size), *more = svf_forest_bytes(b, &other);
  assert_int_equal(size, other);
  assert_memory_equal(bytes, more, size);
  svf_forest_free(a);
  svf_forest_free(b);
  for (int half = 0; half < 2; half++) svf_portion_free(leaves[half]);
  free_steps(&s);
  svf_table_free(table);
}

/* Any byte of a file changed, with and without a checksum that says so: refused, or what follows is refused or done. */
static void damage(const svf_portion *portion, const steps *s) {
  size_t size;
  const void *bytes = svf_portion_bytes(portion, &size);
  unsigned char *copy = malloc(size);
  for (size_t at = 0; at < size; at += at < 1200 ? 1 : 41) {
    svf_portion *opened, *leaves = NULL;
    svf_forest *forest = NULL;
    memcpy(copy, bytes, size);
    copy[at] ^= 1u << at % 8;
    assert_int_equal(svf_portion_from_bytes(copy, size, &opened, &message), SVF_DATA);
    svf_image_seal(copy, size);
    if (!memcmp(copy, bytes, size)) continue; /* it was in the checksum */
    if (svf_portion_from_bytes(copy, size, &opened, &message)) continue;
    const svf_portion *one = opened, *base = opened->kind == SVF_PORTION_CUTS ? opened : s->cuts, *rows = s->rows;
    if (opened->kind == SVF_PORTION_ROWS && !svf_fit(base, &one, 1, NULL, NULL, &leaves, &message)) one = leaves;
    if (opened->kind == SVF_PORTION_CUTS)
      assert_int_not_equal(svf_fit(base, &rows, 1, NULL, NULL, &leaves, &message), SVF_OK);
    if (one->kind == SVF_PORTION_LEAVES) svf_portion_merge(base, &one, 1, &forest, &message);
    svf_forest_free(forest);
    svf_portion_free(leaves);
    svf_portion_free(opened);
  }
  for (size_t cut = 0; cut < size; cut += 97) {
    svf_portion *opened;
    assert_int_equal(svf_portion_from_bytes(bytes, cut, &opened, &message), SVF_DATA);
  }
  free(copy);
}

static void damaged(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 130, 2, 2, 6);
  steps s = take_steps("rf", " trees=1 max_depth=2 partition_rows=100", table);
  damage(s.cuts, &s);
  damage(s.rows, &s);
  damage(s.leaves, &s);
  free_steps(&s);
  svf_table_free(table);
}

static bool in(const char *const *list, const char *name) {
  while (*list && strcmp(*list, name)) list++;
  return *list;
}

/* docs/scale.md says which methods can be trained in parts: these, and the others give a reason. */
static void methods(void **state) {
  (void)state;
  static const char *const no[] = {"rsvf",       "rcf",    "rf-svm", "rbf-svm", "poly-svm", "chi2-svm",
                                   "linear-svm", "ls-svm", "boost",  "boost-l", "auto",     NULL},
                           *const yes[] = {"rsvt",
                                           "rsvt-full",
                                           "rsvt-ccf",
                                           "et-svm",
                                           "rf",
                                           "et",
                                           "ccf",
                                           "random-rotation",
                                           "random-projection",
                                           "rotation-forest",
                                           "tbrf-c",
                                           "tbrf-l",
                                           "tbrf-g",
                                           "vp-svm",
                                           NULL};
  svf_table *table = test_synth("classification", 260, 3, 3, 7);
  for (size_t m = 0; m < svf_method_count(); m++) {
    const char *name = svf_method_at(m)->name;
    if (in(no, name)) {
      svf_settings *settings = test_settings(name, " partition_rows=100");
      assert_int_equal(svf_settings_check(settings, SVF_TASK_CLASS, &message), SVF_USAGE);
      svf_settings_free(settings);
    }
    if (!in(yes, name)) continue;
    svf_forest *forest = test_train(name, " trees=1 partition_rows=100", table, 1);
    assert_true(test_result(forest, table) > 0.5);
    svf_forest_free(forest);
  }
  svf_table_free(table);
}

static void joined(void **state) {
  (void)state;
  static const char *const first[] = {"b", "a"}, *const second[] = {"c", "b"};
  static const char *const small[] = {"2", "10"}, *const large[] = {"9"};
  const double x[] = {1, 2, 3};
  const int32_t code[] = {0, 1, -1}, label[] = {0, 1, 0}, nine[] = {0, 0, 0};
  svf_matrix matrix = {x, 0, 3, 1, 1, 1};
  svf_table *table[2], *all;
  for (int t = 0; t < 2; t++) {
    assert_ok(svf_table_new(&matrix, NULL, &table[t], &message), &message);
    assert_ok(svf_table_set_categories(table[t], 0, code, t ? second : first, 2, &message), &message);
    assert_ok(svf_table_set_classes(table[t], t ? nine : label, t ? large : small, t ? 1 : 2, &message), &message);
  }
  const svf_table *both[] = {table[0], table[1]};
  assert_ok(svf_table_join(both, 2, &all, &message), &message);
  static const int32_t codes[] = {1, 0, -1, 2, 1, -1}, labels[] = {0, 2, 0, 1, 1, 1};
  assert_memory_equal(all->column[0].code, codes, sizeof codes);
  assert_memory_equal(all->label, labels, sizeof labels);
  assert_string_equal(all->classes.text[1], "9");
  svf_table_free(all);
  for (int t = 0; t < 2; t++) svf_table_free(table[t]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks_do_not_matter),
      cmocka_unit_test(leaves_of_all_rows),
      cmocka_unit_test(counts_by_number),
      cmocka_unit_test(out_of_bag_again),
      cmocka_unit_test(some_cells),
      cmocka_unit_test(damaged),
      cmocka_unit_test(joined),
      cmocka_unit_test(methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
