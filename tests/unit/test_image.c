/* test_image.c - model files that are right: the same bytes again, and every accessor. */
#include "support/toy.h"
#include "support/explore.h"

#include <unistd.h>

static svf_message message;

static void save_load_save(void **state) {
  (void)state;
  svf_forest *made = toy_forest(), *loaded, *copied;
  assert_ok(svf_forest_save(made, "test_image.svf", &message), &message);
  assert_ok(svf_forest_load("test_image.svf", &loaded, &message), &message);
  equal_bytes(made, loaded);
  assert_ok(svf_forest_save(loaded, "test_image.svf", &message), &message); /* while it is mapped */
  explore(loaded);
  size_t size;
  const void *bytes = svf_forest_bytes(loaded, &size);
  assert_ok(svf_forest_from_bytes(bytes, size, &copied, &message), &message);
  svf_forest *again = toy_open(&copied->parts);
  equal_bytes(made, again);
  svf_forest *all[] = {made, loaded, copied, again};
  for (int i = 0; i < 4; i++) svf_forest_free(all[i]);
  svf_forest_free(NULL);
  unlink("test_image.svf");
}

static void ids(void **state) {
  (void)state;
  toy t;
  char *names[] = {(char *)"key", (char *)"\\a\\n\nb\\", (char *)"=id="};
  toy_make(&t, 0);
  svf_forest *without = toy_open(&t.parts);
  t.encoding.ids = (svf_names){names, 3};
  svf_forest *made = toy_open(&t.parts), *again = toy_open(&made->parts);
  assert_int_equal(svf_forest_ids(without), 0);
  assert_null(svf_forest_id_name(without, 0));
  assert_int_equal(svf_forest_ids(made), 3);
  for (size_t i = 0; i < 3; i++) assert_string_equal(svf_forest_id_name(made, i), names[i]);
  equal_bytes(made, again);
  svf_forest_free(without);
  svf_forest_free(made);
  svf_forest_free(again);
}

static void accessors(void **state) {
  (void)state;
  svf_forest *forest = toy_forest();
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  assert_string_equal(info.method, "toy");
  assert_int_equal(info.task, SVF_TASK_CLASS);
  assert_int_equal(info.trees, 2);
  assert_int_equal(info.nodes, 6);
  assert_int_equal(info.leaves, 4);
  assert_int_equal(info.rows, 21);
  assert_int_equal(info.features, 3);
  assert_int_equal(info.encoded, 5);
  assert_int_equal(info.classes, 2);
  assert_int_equal(info.scores, 2);
  assert_int_equal(info.max_depth, 2);
  assert_int_equal(info.unconverged, 0);
  assert_true(isnan(info.oob));
  assert_string_equal(svf_forest_target_name(forest), "bought");
  assert_string_equal(svf_forest_class_name(forest, 1), "yes");
  assert_null(svf_forest_class_name(forest, 2));
  assert_string_equal(svf_forest_feature_name(forest, 2), "colour");
  assert_null(svf_forest_feature_name(forest, 3));
  assert_string_equal(svf_settings_method(svf_forest_settings(forest)), "toy");
  svf_encoded_info column;
  svf_forest_encoded(forest, 3, &column);
  assert_int_equal(column.feature, 2);
  assert_string_equal(column.category, "blue");
  assert_close(column.fill, 1, 0);
  svf_forest_encoded(forest, 0, &column);
  assert_null(column.category);
  assert_close(column.scale, .5, 0);
  svf_forest_free(forest);
}

static void walk_tree(void **state) {
  (void)state;
  svf_forest *forest = toy_forest();
  svf_tree_info tree;
  svf_node_info node;
  svf_leaf_info leaf;
  char text[64], little[6];
  svf_forest_tree(forest, 1, &tree);
  assert_int_equal(tree.number, 1);
  assert_int_equal(tree.leaves, 1);
  assert_close(tree.oob, .75, 0);
  svf_forest_node(forest, 0, 1, &node);
  assert_int_equal(node.left, 2);
  assert_int_equal(node.right, 3);
  assert_int_equal(node.term_count, 2);
  assert_int_equal(node.terms[1].feature, 4);
  assert_false(node.missing_left);
  svf_forest_node(forest, 0, 0, &node);
  assert_true(node.missing_left);
  assert_close(node.threshold, .5, 0);
  svf_forest_node(forest, 0, 4, &node);
  assert_int_equal(node.left + node.right, 0);
  assert_int_equal(node.leaf, 2);
  svf_forest_leaf(forest, 0, 1, &leaf);
  assert_int_equal(leaf.rows, 5);
  assert_int_equal(leaf.length, 2);
  assert_close(leaf.numbers[1], .6, 0);
  size_t length = svf_forest_leaf_text(forest, 0, 1, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_int_equal(svf_forest_leaf_text(forest, 0, 1, little, sizeof little), length);
  assert_memory_equal(little, text, 5);
  assert_int_equal(little[5], 0);
  assert_int_equal(svf_forest_leaf_text(forest, 0, 1, NULL, 0), length);
  assert_int_equal(svf_forest_leaf_text(forest, 0, 3, text, sizeof text), 0);
  svf_forest_node(forest, 2, 0, &node);
  svf_forest_leaf(forest, 0, 3, &leaf);
  svf_forest_tree(forest, 2, &tree);
  assert_int_equal(node.right + leaf.length + tree.nodes, 0);
  svf_forest_free(forest);
}

/* Regression, one number, one root: the smallest forest there is. */
static void regression(void **state) {
  (void)state;
  toy t;
  toy_make(&t, 1);
  t.encoding =
      (svf_encoding){.features = 1, .columns = 1, .feature = t.feature, .column = t.column, .task = SVF_TASK_REGRESS};
  t.leaf[3].length = 1;
  t.parts.numbers = 1;
  svf_forest *forest = toy_open(&t.parts);
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  assert_int_equal(info.classes, 0);
  assert_int_equal(info.scores, 1);
  assert_int_equal(info.first_tree, 1);
  assert_string_equal(svf_forest_target_name(forest), "");
  explore(forest);
  svf_forest_free(forest);
}

/* precision=single: the same numbers in half the bytes, rounded once. */
static void single_precision(void **state) {
  (void)state;
  toy t;
  toy_make(&t, 0);
  t.settings.precision = SVF_PRECISION_SINGLE;
  svf_forest *forest = toy_open(&t.parts), *again = toy_open(&forest->parts);
  equal_bytes(forest, again);
  svf_leaf_info leaf;
  svf_forest_leaf(forest, 0, 1, &leaf);
  assert_null(leaf.numbers);
  assert_true(leaf.singles[1] == .6f);
  assert_int_equal(svf_section_count(forest->image, SVF_NUMB), 8);
  explore(forest);
  svf_forest_free(again);
  svf_forest_free(forest);
  t.number[2] = 1e300;
  svf_buffer image;
  assert_int_equal(svf_image_make(&t.parts, &image, &message), SVF_DATA);
  assert_non_null(strstr(message.text, "1e+300, which precision=single cannot"));
}

/* A cut along one column stands in its node; written as a term, as parts of a forest in the making are, it is the same
 * model. */
static void cuts_along_a_column_need_no_term(void **state) {
  (void)state;
  svf_forest *forest = toy_forest();
  assert_int_equal(forest->parts.terms, 2);
  assert_int_equal(forest->parts.node[0].count, 1);
  svf_node_info node;
  svf_forest_node(forest, 0, 0, &node);
  assert_int_equal(node.term_count, 1);
  assert_true(node.terms[0].feature == 0 && node.terms[0].weight == 1 && node.missing_left);
  svf_forest_free(forest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(save_load_save),
      cmocka_unit_test(ids),
      cmocka_unit_test(accessors),
      cmocka_unit_test(walk_tree),
      cmocka_unit_test(regression),
      cmocka_unit_test(single_precision),
      cmocka_unit_test(cuts_along_a_column_need_no_term),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
