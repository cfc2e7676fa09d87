/* test_cut_voronoi.c - Voronoi cells: every row in the cell of its nearest centre, in training, in the file and after; and
 * files whose centres are wrong. */
#include "support/mixed.h"
#include "support/toy.h"

enum { N = 200 };

static svf_message message;

/* The nearest centre by what the public interface says of the node. */
static size_t nearest(const svf_forest *forest, const svf_node_info *node, const svf_table *table, size_t row) {
  size_t d = node->term_count / node->centres, found = 0;
  double least = INFINITY;
  for (size_t c = 0; c < node->centres; c++) {
    double sum = 0;
    for (size_t j = 0; j < d; j++) {
      svf_encoded_info e;
      svf_forest_encoded(forest, j, &e);
      float x = (float)((svf_table_number(table, row, j) / 2 - e.shift / 2) * (2 * e.scale));
      sum += pow((double)x - node->terms[c * d + j].weight, 2);
    }
    if (sum < least) least = sum, found = c;
  }
  return found;
}

static void cells(void **state) {
  (void)state;
  svf_table *table = test_synth("friedman1", N, 5, 0, 1);
  svf_forest *forest = test_train("rf", "rows=all cut=voronoi trees=3 cells=12 seed=4", table, 2), *loaded;
  size_t size, rows[12] = {0};
  const void *bytes = svf_forest_bytes(forest, &size);
  assert_ok(svf_forest_from_bytes(bytes, size, &loaded, &message), &message);
  equal_bytes(forest, loaded);
  int32_t leaf[N * 3];
  svf_prediction out = {.leaves = leaf};
  assert_ok(svf_predict(loaded, table, NULL, &out, &message), &message);
  svf_node_info root;
  svf_forest_node(loaded, 1, 0, &root);
  assert_int_equal(root.centres, 12);
  assert_int_equal(root.right - root.left + 1, 12);
  for (size_t i = 0; i < N; i++) {
    assert_int_equal(leaf[i * 3 + 1], nearest(loaded, &root, table, i));
    rows[leaf[i * 3 + 1]]++;
  }
  for (size_t c = 0; c < 12; c++) {
    svf_leaf_info info;
    svf_forest_leaf(loaded, 1, c, &info);
    assert_int_equal(info.rows, rows[c]);
    assert_true(rows[c] > 0);
  }
  assert_memory_not_equal(leaf, leaf + N, sizeof *leaf * N); /* trees draw centres of their own */
  svf_forest_free(forest);
  svf_forest_free(loaded);
  svf_table_free(table);
}

/* Rows that are all the same leave one centre, and one cell. */
static void twins(void **state) {
  (void)state;
  double x[8] = {3, 3, 3, 3, 3, 3, 3, 3}, y[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  svf_matrix matrix = {.values = x, .rows = 8, .columns = 1, .row_stride = 1, .column_stride = 1};
  svf_table *table;
  svf_forest_info info;
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_values(table, y, &message), &message);
  svf_forest *forest = test_train("rf", "rows=all cut=voronoi trees=1 cells=4", table, 1);
  svf_forest_describe(forest, &info);
  assert_int_equal(info.leaves, 1);
  svf_forest_free(forest);
  svf_table_free(table);
}

static void refused(unsigned char *bytes, size_t size) {
  svf_forest *forest;
  svf_image_seal(bytes, size);
  assert_int_equal(svf_forest_from_bytes(bytes, size, &forest, &message), SVF_DATA);
  assert_null(forest);
}

static void spoilt(void **state) {
  (void)state;
  mixed m = {.n = 60, .seed = 2};
  svf_table *table = test_mixed(&m);
  svf_forest *forest = test_train("rf", "rows=all cut=voronoi trees=2 cells=4", table, 1);
  size_t size;
  const void *from = svf_forest_bytes(forest, &size);
  unsigned char *bytes = malloc(size);
  memcpy(bytes, from, size);
  svf_image_start *start = (svf_image_start *)(void *)bytes;
  svf_node_record *node = (svf_node_record *)(void *)(bytes + start->section[SVF_NODE].offset), was = node[0];
  svf_term *term = (svf_term *)(void *)(bytes + start->section[SVF_TERM].offset), first = term[0];
  uint32_t d = (uint32_t)forest->encoding.columns;
  const svf_node_record wrong[] = {{1, 0, was.count + 1, 0},
                                   {1, 0, was.count - 2, 0},
                                   {1, 1, was.count, 0},
                                   {1, 0, was.count, 1},
                                   {1, 0, 2 * d, 0},
                                   {1, 0, was.count + 2 * d, 0},
                                   {1, 0, was.count - 2 * d, 0},
                                   {2, 0, was.count, 0},
                                   {1, 0, 0, 0},
                                   {1, 0, UINT32_MAX / d * d / 2, 0}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    node[0] = wrong[i];
    refused(bytes, size);
  }
  node[0] = was;
  term[0].feature = 1;
  refused(bytes, size);
  term[0] = first;
  term[1].weight = NAN;
  refused(bytes, size);
  free(bytes);
  svf_forest_free(forest);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cells), cmocka_unit_test(twins), cmocka_unit_test(spoilt)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
