/* toy.h - a small forest made by hand, without training: two trees over a number, a category of two levels
 * and one of three, constant leaves. */
#ifndef SVF_TESTS_TOY_H
#define SVF_TESTS_TOY_H

#include "forest/file/image.h"
#include "support/test.h"

typedef struct toy {
  svf_settings settings;
  svf_encoding encoding;
  svf_feature feature[3];
  svf_encoded column[5];
  char *classes[2], *two[2], *three[3];
  svf_tree_record tree[2];
  svf_node_record node[6];
  svf_term term[3];
  svf_leaf_record leaf[4];
  double number[8];
  svf_gain_record gain[2];
  svf_parts parts;
} toy;

/* first 0: both trees; 1: the second alone, as another part of the same forest. */
static inline void toy_make(toy *t, uint32_t first) {
  *t = (toy){.classes = {(char *)"no", (char *)"yes"},
             .two = {(char *)"f", (char *)"m"},
             .three = {(char *)"", (char *)"blue", (char *)"dark, \"red\""},
             .column = {{0, -1, 1, .5, .25, false},
                        {1, 1, 0, 1, 0, false},
                        {2, 0, 0, 1, 0, false},
                        {2, 1, 0, 1, 1, false},
                        {2, 2, 0, 0, 0, false}},
             .tree = {{0, 0, 5, 3, 0, 2, 1, NAN}, {5, 3, 1, 1, 1, 0, 1, .75}},
             .node = {{4, 0, 2 + 1, .5f}, {3, 1, 2 * 2, -1}, {0, 0, 0, 0}, {0, 1, 0, 0}, {0, 2, 0, 0}, {0, 0, 0, 0}},
             .term = {{0, 1}, {1, .5f}, {4, -2}},
             .leaf = {{0, 2, 7}, {2, 2, 5}, {4, 2, 9}, {6, 2, 21}},
             .number = {1, 0, .4, .6, 0, 1, .5, .5},
             .gain = {{0, 0, .25}, {0, 2, .125}}};
  svf_settings_reset(&t->settings);
  strcpy(t->settings.method, "toy");
  strcpy(t->settings.leaf, "constant");
  strcpy(t->settings.vote, "mean");
  t->settings.first_tree = first;
  t->settings.trees = 2 - first;
  t->feature[0] = (svf_feature){.name = "age", .first = 0, .width = 1};
  t->feature[1] = (svf_feature){.name = "sex", .levels = {t->two, 2}, .first = 1, .width = 1};
  t->feature[2] = (svf_feature){.name = "colour", .levels = {t->three, 3}, .first = 2, .width = 3};
  t->encoding = (svf_encoding){.features = 3,
                               .columns = 5,
                               .feature = t->feature,
                               .column = t->column,
                               .named = true,
                               .task = SVF_TASK_CLASS,
                               .target_name = (char *)"bought",
                               .classes = {t->classes, 2}};
  t->parts = (svf_parts){.settings = &t->settings,
                         .encoding = &t->encoding,
                         .rows = 21,
                         .tree = t->tree + first,
                         .node = t->node + (first ? 5 : 0),
                         .term = t->term,
                         .leaf = t->leaf + (first ? 3 : 0),
                         .number = t->number + (first ? 6 : 0),
                         .gain = t->gain,
                         .trees = 2 - first,
                         .nodes = first ? 1 : 6,
                         .terms = first ? 0 : 3,
                         .leaves = first ? 1 : 4,
                         .numbers = first ? 2 : 8,
                         .gains = first ? 0 : 2};
  if (first) t->tree[1].first_node = t->tree[1].first_leaf = t->leaf[3].first = 0;
}

static inline svf_forest *toy_open(const svf_parts *parts) {
  svf_message message;
  svf_buffer image;
  svf_forest *forest;
  assert_ok(svf_image_make(parts, &image, &message), &message);
  assert_ok(svf_image_open(image.data, image.size, false, NULL, &forest, &message), &message);
  return forest;
}

static inline svf_forest *toy_forest(void) {
  toy t;
  toy_make(&t, 0);
  return toy_open(&t.parts);
}

/* A copy of the toy's image for the caller to change and free. */
static inline unsigned char *toy_bytes(size_t *size) {
  svf_forest *forest = toy_forest();
  const void *bytes = svf_forest_bytes(forest, size);
  unsigned char *copy = malloc(*size);
  assert_non_null(copy);
  memcpy(copy, bytes, *size);
  svf_forest_free(forest);
  return copy;
}

static inline void equal_bytes(const svf_forest *a, const svf_forest *b) {
  size_t size_a, size_b;
  const void *bytes_a = svf_forest_bytes(a, &size_a), *bytes_b = svf_forest_bytes(b, &size_b);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(bytes_a, bytes_b, size_a);
}

#endif
