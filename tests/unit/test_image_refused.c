/* test_image_refused.c - model files that are wrong: cut short, changed, hostile, or no models at all. */
#include "support/toy.h"
#include "support/explore.h"

#include <sys/stat.h>
#include <unistd.h>

static svf_message message;

static void says(const char *words) {
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
}

static void refused(const void *bytes, size_t size, const char *words) {
  svf_forest *forest = (svf_forest *)&message;
  assert_int_equal(svf_forest_from_bytes(bytes, size, &forest, &message), SVF_DATA);
  assert_null(forest);
  says(words);
}

static void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static void every_truncation(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = toy_bytes(&size);
  for (size_t cut = 0; cut < size; cut++) refused(bytes, cut, cut < 8 ? "not an svforest model" : "is cut short");
  unsigned char *longer = calloc(1, size + 1);
  assert_non_null(longer);
  memcpy(longer, bytes, size);
  refused(longer, size + 1, "1 bytes follow its end");
  free(longer);
  free(bytes);
}

static void every_bit(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = toy_bytes(&size);
  for (size_t i = 0; i < 8 * size; i++) {
    bytes[i / 8] ^= (unsigned char)(1 << i % 8);
    refused(bytes, size, "");
    bytes[i / 8] ^= (unsigned char)(1 << i % 8);
  }
  free(bytes);
}

/* With length and checksum mended, a changed byte is refused or harmless. */
static void seal_every_byte(unsigned char *bytes, size_t size) {
  size_t opened = 0;
  unsigned char *copy = malloc(size);
  assert_non_null(copy);
  for (size_t i = 0; i < 4 * size; i++) {
    unsigned char old = bytes[i / 4], changed[4] = {old ^ 1, old ^ 0x80, 0, 0xff};
    memcpy(copy, bytes, size);
    copy[i / 4] = changed[i % 4];
    svf_image_seal(copy, size);
    svf_forest *forest;
    svf_status status = svf_forest_from_bytes(copy, size, &forest, &message);
    assert_true(status == SVF_OK || status == SVF_DATA);
    if (forest) explore(forest), opened++;
    svf_forest_free(forest);
  }
  assert_true(opened > 0);
  free(copy);
  free(bytes);
}

static void every_byte_sealed(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = toy_bytes(&size);
  seal_every_byte(bytes, size);
}

/* Changes one item of one section in a fresh image, mends the checksum and expects these words. */
#define SPOILT(section, type, index, change, words)                                                                  \
  do {                                                                                                               \
    size_t spoilt_size;                                                                                              \
    unsigned char *spoilt = toy_bytes(&spoilt_size);                                                                 \
    type *item = (type *)svf_section_data(spoilt, section) + (index);                                                \
    change;                                                                                                          \
    svf_image_seal(spoilt, spoilt_size);                                                                             \
    refused(spoilt, spoilt_size, words);                                                                             \
    free(spoilt);                                                                                                    \
  } while (0)

static void spoilt_trees(void **state) {
  (void)state;
  SPOILT(SVF_TREE, svf_tree_record, 1, item->number = 2, "tree 1: its number");
  SPOILT(SVF_TREE, svf_tree_record, 0, item->nodes = 7, "tree 0: its size");
  SPOILT(SVF_TREE, svf_tree_record, 1, item->first_node = 4, "tree 1: its size");
  SPOILT(SVF_TREE, svf_tree_record, 0, item->depth = 3, "tree 0: its depth");
  SPOILT(SVF_TREE, svf_tree_record, 0, item->weight = NAN, "tree 0: its weight");
  SPOILT(SVF_TREE, svf_tree_record, 0, item->weight = -1, "tree 0: its weight");
  SPOILT(SVF_TREE, svf_tree_record, 0, item[0].weight = item[1].weight = 0, "no weight");
  SPOILT(SVF_NODE, svf_node_record, 0, item->right = 3, "do not make a tree");
  SPOILT(SVF_NODE, svf_node_record, 0, item->right = 0, "a node is wrong");
  SPOILT(SVF_NODE, svf_node_record, 1, item->right = 1, "do not make a tree");
  SPOILT(SVF_NODE, svf_node_record, 0, item->threshold = INFINITY, "a node is wrong");
  SPOILT(SVF_NODE, svf_node_record, 1, item->first = 1, "a node is wrong");
  SPOILT(SVF_NODE, svf_node_record, 0, item->first = 5, "a node is wrong");
  SPOILT(SVF_NODE, svf_node_record, 1, item->count = UINT32_MAX, "a node is wrong");
  SPOILT(SVF_NODE, svf_node_record, 0, item->count = 3, "a node is wrong");
  SPOILT(SVF_NODE, svf_node_record, 2, item->count = 1, "a node is wrong");
  SPOILT(SVF_NODE, svf_node_record, 3, item->first = 0, "a node is wrong");
  SPOILT(SVF_NODE, svf_node_record, 3, item->right = 4, "a node is wrong");
  SPOILT(SVF_TERM, svf_term, 1, item->feature = 5, "a node is wrong");
  SPOILT(SVF_TERM, svf_term, 1, item->weight = NAN, "a node is wrong");
  SPOILT(SVF_LEAF, svf_leaf_record, 1, item->first = 3, "a leaf is not where");
  SPOILT(SVF_LEAF, svf_leaf_record, 3, item->length = 3, "a leaf is not where");
  SPOILT(SVF_LEAF, svf_leaf_record, 3, item->length = 1, "a leaf makes no sense");
  SPOILT(SVF_NUMB, double, 7, *item = INFINITY, "not a number");
  SPOILT(SVF_NUMB, double, 0, *item = NAN, "not a number");
}

static void spoilt_encoding(void **state) {
  (void)state;
  SPOILT(SVF_META, svf_meta_record, 0, item->task = 0, "task is unknown");
  SPOILT(SVF_META, svf_meta_record, 0, item->task = SVF_TASK_REGRESS, "its target is a number");
  SPOILT(SVF_META, svf_meta_record, 0, item->classes = 1, "counts");
  SPOILT(SVF_META, svf_meta_record, 0, item->columns = UINT64_MAX, "counts");
  SPOILT(SVF_META, svf_meta_record, 0, item->named = 2, "makes no sense");
  SPOILT(SVF_META, svf_meta_record, 0, item->target.length = UINT32_MAX, "a name is not where");
  SPOILT(SVF_STRS, char, 3, *item = 0, "a name is not where");
  SPOILT(SVF_STRS, char, 6, *item = 'x', "a name is not where");
  SPOILT(SVF_CLAS, svf_class_record, 1, item->name.offset = 7, "a name is not where");
  SPOILT(SVF_LEVL, svf_text_record, 4, item->length += 1, "a name is not where");
  SPOILT(SVF_STRS, char, 18, memcpy(item, "age", 3), "the column name 'age' occurs twice");
  SPOILT(SVF_STRS, char, 22, *item = 'm', "the category 'm' occurs twice");
  SPOILT(SVF_FEAT, svf_feature_record, 1, item->levels = 3, "a name is not where");
  SPOILT(SVF_FEAT, svf_feature_record, 2, item->levels = UINT32_MAX, "do not fit its columns");
  SPOILT(SVF_FEAT, svf_feature_record, 1, item->first = 2, "do not fit its columns");
  SPOILT(SVF_COLS, svf_column_record, 4, item->level = 3, "do not fit its columns");
  SPOILT(SVF_COLS, svf_column_record, 1, item->feature = 0, "do not fit its columns");
  SPOILT(SVF_COLS, svf_column_record, 0, item->shift = NAN, "column 'age' is out of range");
  SPOILT(SVF_COLS, svf_column_record, 0, item->scale = INFINITY, "column 'age' is out of range");
  SPOILT(SVF_COLS, svf_column_record, 0, item->fill = 1e300, "column 'age' is out of range");
}

static void spoilt_gains(void **state) {
  (void)state;
  SPOILT(SVF_GAIN, svf_gain_record, 0, item->gain = NAN, "a gain is wrong");
  SPOILT(SVF_GAIN, svf_gain_record, 0, item->gain = INFINITY, "a gain is wrong");
  SPOILT(SVF_GAIN, svf_gain_record, 0, item->gain = 0, "a gain is wrong");
  SPOILT(SVF_GAIN, svf_gain_record, 0, item->feature = 2, "a gain is wrong"); /* the next has it too */
  SPOILT(SVF_GAIN, svf_gain_record, 1, item->feature = 3, "a gain is wrong");
  SPOILT(SVF_GAIN, svf_gain_record, 0, item->tree = 1, "a gain is wrong");
  SPOILT(SVF_GAIN, svf_gain_record, 1, item->tree = 2, "a gain is wrong");
  SPOILT(SVF_CLAS, svf_class_record, 0, item->weight = -1, "the weight of a class");
  SPOILT(SVF_CLAS, svf_class_record, 0, item->weight = 0, "class weights that its settings do not use");
  SPOILT(SVF_CLAS, svf_class_record, 1, item->weight = NAN, "the weight of a class");
  SPOILT(SVF_CLAS, svf_class_record, 1, item->weight = 2, "class weights that its settings do not use");
}

/* The toy with two features made of its number: age*age, and the distance from 30. */
static unsigned char *made_bytes(size_t *size) {
  toy t;
  toy_make(&t, 0);
  svf_part_of parts[] = {{0, 0}, {0, 0}, {30, 0}};
  svf_feature feature[5];
  svf_encoded column[7];
  memcpy(feature, t.feature, sizeof t.feature);
  memcpy(column, t.column, sizeof t.column);
  feature[3] = (svf_feature){.name = "square", .first = 5, .width = 1, .recipe = {SVF_RECIPE_PRODUCT, parts, 2}};
  feature[4] = (svf_feature){.name = "far", .first = 6, .width = 1, .recipe = {SVF_RECIPE_DISTANCE, parts + 2, 1}};
  column[5] = (svf_encoded){3, -1, 0, 1, 0, false};
  column[6] = (svf_encoded){4, -1, 0, .5, 0, false};
  t.encoding.feature = feature;
  t.encoding.column = column;
  t.encoding.columns = 7;
  t.encoding.made = 2;
  svf_forest *forest = toy_open(&t.parts), *again;
  svf_buffer image;
  assert_ok(svf_image_make(&forest->parts, &image, &message), &message);
  assert_ok(svf_forest_from_bytes(image.data, image.size, &again, &message), &message);
  equal_bytes(forest, again);
  explore(again);
  char text[32];
  svf_forest_feature_text(again, 3, text, sizeof text);
  assert_string_equal(text, "age*age");
  svf_forest_free(forest);
  svf_forest_free(again);
  *size = image.size;
  return image.data;
}

#define SPOILT_MADE(section, type, index, change, words)                                                             \
  do {                                                                                                               \
    size_t spoilt_size;                                                                                              \
    unsigned char *spoilt = made_bytes(&spoilt_size);                                                                \
    type *item = (type *)svf_section_data(spoilt, section) + (index);                                                \
    change;                                                                                                          \
    svf_image_seal(spoilt, spoilt_size);                                                                             \
    refused(spoilt, spoilt_size, words);                                                                             \
    free(spoilt);                                                                                                    \
  } while (0)

static void spoilt_made_features(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = made_bytes(&size);
  seal_every_byte(bytes, size);
  SPOILT_MADE(SVF_PART, svf_part_record, 0, item->column = 1, "a made feature is wrong"); /* a category */
  SPOILT_MADE(SVF_PART, svf_part_record, 1, item->column = 3, "a made feature is wrong"); /* made itself */
  SPOILT_MADE(SVF_PART, svf_part_record, 0, item->column = UINT32_MAX, "a made feature is wrong");
  SPOILT_MADE(SVF_PART, svf_part_record, 0, item->centre = 1, "a made feature is wrong");
  SPOILT_MADE(SVF_PART, svf_part_record, 2, item->centre = NAN, "a made feature is wrong");
  SPOILT_MADE(SVF_PART, svf_part_record, 2, item->zero = 1, "a made feature is wrong");
  SPOILT_MADE(SVF_FEAT, svf_feature_record, 3, item->recipe = 3, "a made feature is wrong");
  SPOILT_MADE(SVF_FEAT, svf_feature_record, 3, item->recipe = 0, "a made feature is wrong");
  SPOILT_MADE(SVF_FEAT, svf_feature_record, 3, item->parts = 0, "a made feature is wrong");
  SPOILT_MADE(SVF_FEAT, svf_feature_record, 3, item->parts = UINT32_MAX, "a made feature is wrong");
  SPOILT_MADE(SVF_FEAT, svf_feature_record, 4, item->parts = 2, "a made feature is wrong");
  SPOILT_MADE(SVF_FEAT, svf_feature_record, 3, item->parts = 1, "do not fit"); /* one is left over */
  SPOILT_MADE(SVF_FEAT, svf_feature_record, 0, item->parts = 1, "a made feature is wrong");
  SPOILT_MADE(SVF_FEAT, svf_feature_record, 4, (item->recipe = 0, item->parts = 0), "a made feature is wrong");
}

/* The toy with two more columns: a date with days, month and hour, and one with days alone. */
static unsigned char *dates_bytes(size_t *size) {
  toy t;
  toy_make(&t, 0);
  svf_feature feature[5];
  svf_encoded column[9];
  memcpy(feature, t.feature, sizeof t.feature);
  memcpy(column, t.column, sizeof t.column);
  feature[3] = (svf_feature){.name = "when", .date = true, .first = 5, .width = 3};
  feature[4] = (svf_feature){.name = "born", .date = true, .first = 8, .width = 1};
  static const int32_t role[] = {SVF_ROLE_DAYS, SVF_ROLE_MONTH, SVF_ROLE_HOUR, SVF_ROLE_DAYS};
  for (uint32_t c = 0; c < 4; c++) column[5 + c] = (svf_encoded){3 + c / 3, role[c], 15000, .001, 0, false};
  t.encoding.feature = feature;
  t.encoding.column = column;
  t.encoding.columns = 9;
  t.encoding.features = 5;
  svf_forest *forest = toy_open(&t.parts), *again;
  svf_buffer image;
  assert_ok(svf_image_make(&forest->parts, &image, &message), &message);
  assert_ok(svf_forest_from_bytes(image.data, image.size, &again, &message), &message);
  equal_bytes(forest, again);
  explore(again);
  static const char *const parts[] = {"days", "month", "hour", "days"};
  for (size_t c = 0; c < 4; c++) {
    svf_encoded_info info;
    svf_forest_encoded(again, 5 + c, &info);
    assert_string_equal(info.part, parts[c]);
  }
  assert_true(svf_forest_is_date(again, 3) && svf_forest_is_date(again, 4) && !svf_forest_is_date(again, 0));
  svf_forest_free(forest);
  svf_forest_free(again);
  *size = image.size;
  return image.data;
}

#define SPOILT_DATES(section, type, index, change)                                                                   \
  do {                                                                                                               \
    size_t spoilt_size;                                                                                              \
    unsigned char *spoilt = dates_bytes(&spoilt_size);                                                               \
    type *item = (type *)svf_section_data(spoilt, section) + (index);                                                \
    change;                                                                                                          \
    svf_image_seal(spoilt, spoilt_size);                                                                             \
    refused(spoilt, spoilt_size, "do not fit its columns");                                                          \
    free(spoilt);                                                                                                    \
  } while (0)

static void spoilt_dates(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = dates_bytes(&size);
  seal_every_byte(bytes, size);
  SPOILT_DATES(SVF_COLS, svf_column_record, 0, item->level = SVF_ROLE_MONTH); /* a number */
  SPOILT_DATES(SVF_COLS, svf_column_record, 5, item->level = SVF_ROLE_NUMBER);
  SPOILT_DATES(SVF_COLS, svf_column_record, 5, item->level = SVF_ROLE_MONTH);
  SPOILT_DATES(SVF_COLS, svf_column_record, 6, item->level = SVF_ROLE_DAYS);
  SPOILT_DATES(SVF_COLS, svf_column_record, 6, item->level = SVF_ROLE_HOUR); /* twice */
  SPOILT_DATES(SVF_COLS, svf_column_record, 7, item->level = SVF_ROLE_HOUR - 1);
  SPOILT_DATES(SVF_COLS, svf_column_record, 7, item->level = SVF_ROLE_NUMBER);
  SPOILT_DATES(SVF_COLS, svf_column_record, 8, item->level = SVF_ROLE_WEEKDAY);
  SPOILT_DATES(SVF_COLS, svf_column_record, 2, item->level = SVF_ROLE_DAYS); /* a category */
  SPOILT_DATES(SVF_COLS, svf_column_record, 7, item->feature = 4);
  SPOILT_DATES(SVF_FEAT, svf_feature_record, 3, item->width = 2);
  SPOILT_DATES(SVF_FEAT, svf_feature_record, 3, item->width = 0);
  SPOILT_DATES(SVF_FEAT, svf_feature_record, 3, item->width = 5);
  SPOILT_DATES(SVF_FEAT, svf_feature_record, 0, item->width = 2);
}

static char *find(char *text, const char *words) {
  char *found = strstr(text, words);
  assert_non_null(found);
  return found;
}

static void spoilt_settings(void **state) {
  (void)state;
  SPOILT(SVF_SETT, char, 0, item[0] = 'M', "do not start with a method");
  SPOILT(SVF_SETT, char, 0, item[7] = '/', "no name of a method");
  SPOILT(SVF_SETT, char, 0, item[12] = 0, "not text");
  SPOILT(SVF_SETT, char, 0, *find(item, "seed") = 'f', "does not know");
  SPOILT(SVF_SETT, char, 0, find(item, "trees=2")[6] = '3', "does not have the number of trees");
  SPOILT(SVF_SETT, char, 0, find(item, "trees=2")[6] = '0', "trees=0: must be");
  SPOILT(SVF_SETT, char, 0, memcpy(find(item, "cut=random"), "cut=rondam", 10), "there is no such cut");
  SPOILT(SVF_SETT, char, 0, memcpy(find(item, "vote=mean"), "leaf=mean", 9), "'leaf' occurs twice");
  SPOILT(SVF_SETT, char, 0, *find(item, "=mean") = 'x', "has no value");
}

/* An image of the toy with ids, in which `words` are overwritten by others of the same length. */
static void spoilt_id(const char *words, const char *others, const char *due) {
  toy t;
  char *ids[] = {(char *)"key", (char *)"a\\b\nc"};
  svf_buffer image;
  toy_make(&t, 0);
  t.encoding.ids = (svf_names){ids, 2};
  assert_ok(svf_image_make(&t.parts, &image, &message), &message);
  svf_image_start *start = (svf_image_start *)(void *)image.data;
  memcpy(find((char *)image.data + start->section[SVF_SETT].offset, words), others, strlen(others));
  svf_image_seal(image.data, image.size);
  refused(image.data, image.size, due);
  svf_buffer_free(&image);
}

static void spoilt_ids(void **state) {
  (void)state;
  spoilt_id("id=a\\\\b\\nc", "id=a\\xb\\nc", "the name of an id is wrong");
  spoilt_id("b\\nc\n", "bnc\\\n", "the name of an id is wrong");
  spoilt_id("id=key\n", "id=\nid=", "the name of an id is wrong");
  spoilt_id("key\nid=a\\\\b\\nc", "a\nid=a\nid=keyx", "the id 'a' occurs twice");
  spoilt_id("id=a", "ab=a", "a setting follows the ids");
  spoilt_id("id=key", "ie=key", "a setting 'ie' that this version");
}

/* Numbers in single precision: item and setting must agree, and each number is looked at. */
static void spoilt_singles(void **state) {
  (void)state;
  toy t;
  toy_make(&t, 0);
  t.settings.precision = SVF_PRECISION_SINGLE;
  svf_buffer image;
  for (int i = 0; i < 3; i++) {
    assert_ok(svf_image_make(&t.parts, &image, &message), &message);
    svf_image_start *start = (svf_image_start *)(void *)image.data;
    char *settings = (char *)image.data + start->section[SVF_SETT].offset;
    float *number = (float *)(void *)(image.data + start->section[SVF_NUMB].offset);
    if (i == 0) number[7] = NAN;
    if (i == 1) start->section[SVF_NUMB].item = sizeof(double);
    if (i == 2) memcpy(find(settings, "precision=single"), "precision=double", 16);
    svf_image_seal(image.data, image.size);
    refused(image.data, image.size, i ? "precision that its settings say" : "not a number");
    svf_buffer_free(&image);
  }
}

static void spoilt_sections(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = toy_bytes(&size);
  svf_image_start *start = (svf_image_start *)(void *)bytes, old = *start;
  svf_image_section *section = start->section;
  struct {
    uint64_t *at, value;
  } change[] = {{&section[SVF_STRS].offset, 0},
                {&section[SVF_STRS].offset, old.section[SVF_STRS].offset + 1},
                {&section[SVF_STRS].bytes, UINT64_MAX},
                {&section[SVF_NUMB].bytes, old.section[SVF_NUMB].bytes - 8},
                {&section[SVF_NODE].bytes, old.section[SVF_NODE].bytes - 1},
                {&section[SVF_META].bytes, 0}};
  for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
    *change[i].at = change[i].value;
    svf_image_seal(bytes, size);
    refused(bytes, size, "section");
    *start = old;
  }
  section[SVF_TERM].item = 0;
  svf_image_seal(bytes, size);
  refused(bytes, size, "section TERM");
  *start = old;
  memcpy(section[SVF_NODE].tag, "MODE", 4);
  svf_image_seal(bytes, size);
  refused(bytes, size, "section NODE");
  *start = old;
  bytes[section[SVF_STRS].offset - 1] = 1;
  svf_image_seal(bytes, size);
  refused(bytes, size, "section STRS");
  free(bytes);
}

static void other_files(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = toy_bytes(&size);
  svf_forest *forest;
  svf_image_header *header = (svf_image_header *)(void *)bytes;
  refused("hello, world", 12, "the model: not an svforest model");
  header->version = 3;
  refused(bytes, size, "made by a newer version of svforest (format 3); this one reads formats 1 to 2");
  header->version = 1;
  header->checksum ^= (uint64_t)1 << 63;
  refused(bytes, size, "the checksum does not match");
  write_file("test_image.bad", bytes, 1000);
  assert_int_equal(svf_forest_load("test_image.bad", &forest, &message), SVF_DATA);
  says("test_image.bad is cut short: 1000 of ");
  write_file("test_image.bad", "", 0);
  assert_int_equal(svf_forest_load("test_image.bad", &forest, &message), SVF_DATA);
  says("test_image.bad: not an svforest model: it is empty");
  unlink("test_image.bad");
  assert_int_equal(svf_forest_load("test_image.bad", &forest, &message), SVF_IO);
  says("test_image.bad: No such file");
  assert_int_equal(svf_forest_load(".", &forest, &message), SVF_IO);
  says("directory");
  assert_int_equal(mkfifo("test_image.pipe", 0600), 0);
  assert_int_equal(svf_forest_load("test_image.pipe", &forest, &message), SVF_IO);
  unlink("test_image.pipe");
  assert_int_equal(svf_forest_load("test_image.bad", &forest, NULL), SVF_IO);
  assert_null(forest);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_truncation),     cmocka_unit_test(every_bit),       cmocka_unit_test(every_byte_sealed),
      cmocka_unit_test(spoilt_sections),      cmocka_unit_test(spoilt_settings), cmocka_unit_test(spoilt_ids),
      cmocka_unit_test(spoilt_encoding),      cmocka_unit_test(spoilt_trees),    cmocka_unit_test(spoilt_gains),
      cmocka_unit_test(spoilt_made_features), cmocka_unit_test(spoilt_dates),    cmocka_unit_test(spoilt_singles),
      cmocka_unit_test(other_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
