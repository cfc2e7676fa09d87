/* test_statistics.c - categories of many levels: statistics of the target from other rows, against sums made naively. */
#include "support/explore.h"
#include "support/forest.h"
#include "support/test.h"
#include "base/random.h"
#include "data/match.h"
#include "data/statistics.h"
#include "forest/file/image.h"

enum { N = 300, LEVELS = 40 };

static svf_message message;

typedef struct sample {
  int32_t code[N], label[N];
  double value[N], weight[N];
  size_t classes;
} sample;

static sample draw(size_t classes, uint64_t seed) {
  sample s = {.classes = classes};
  svf_random random = svf_random_at((svf_place){.seed = seed});
  for (size_t i = 0; i < N; i++) {
    s.code[i] = (int32_t)svf_random_below(&random, LEVELS + 1) - 1;
    if (s.code[i] == LEVELS - 1) s.code[i] = 0; /* a level without rows */
    s.label[i] = classes ? (int32_t)svf_random_below(&random, classes) : 0;
    s.value[i] = 100 * svf_random_normal(&random) + s.code[i];
    s.weight[i] = svf_random_below(&random, 5) ? svf_random_unit(&random) : 0;
  }
  return s;
}

static svf_table *table_of(const sample *s, bool weights) {
  char text[LEVELS][8];
  const char *names[LEVELS];
  double x[2 * N];
  svf_table *table;
  for (size_t l = 0; l < LEVELS; l++) snprintf(text[l], sizeof text[l], "l%02zu", l), names[l] = text[l];
  for (size_t i = 0; i < N; i++) x[2 * i] = 0, x[2 * i + 1] = (double)i;
  svf_matrix matrix = {.values = x, .rows = N, .columns = 2, .row_stride = 2, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &table, &message), &message);
  assert_ok(svf_table_set_categories(table, 0, s->code, names, LEVELS, &message), &message);
  if (s->classes) assert_ok(svf_table_set_classes(table, s->label, names, s->classes, &message), &message);
  else assert_ok(svf_table_set_values(table, s->value, &message), &message);
  if (weights) assert_ok(svf_table_set_weights(table, s->weight, &message), &message);
  return table;
}

/* Unscaled: encoded values are the statistics. */
static const svf_coding coding = {.scale = SVF_SCALE_NONE, .one_hot = 16, .seed = 3};

typedef struct encoded {
  svf_encoding encoding;
  svf_frame train, later;
} encoded;

static encoded encode(const svf_table *table, const svf_coding *how) {
  encoded e;
  assert_ok(svf_encoding_learn(table, how, NULL, &e.encoding, &message), &message);
  assert_ok(svf_encode_training(&e.encoding, table, how, NULL, &e.train, &message), &message);
  assert_ok(svf_encode(&e.encoding, table, NULL, &e.later, &message), &message);
  return e;
}

static void encoded_free(encoded *e) {
  svf_frame_free(&e->train);
  svf_frame_free(&e->later);
  svf_encoding_free(&e->encoding);
}

/* The statistic of a level from the rows whose fold is not `without`. */
static double naive(const sample *s, const double *weight, int32_t class, int32_t level, int without) {
  double all[2] = {0, 0}, here[2] = {0, 0}, mean = 0;
  size_t count = 0;
  for (size_t i = 0; i < N; i++)
    if (!weight || weight[i] > 0) mean += weight ? weight[i] : 1, count++;
  mean /= (double)count;
  for (size_t i = 0; i < N; i++) {
    svf_random random = svf_random_at((svf_place){coding.seed, SVF_USE_LEVELS, 0, i, 0});
    if ((int)svf_random_below(&random, 10) == without) continue;
    double w = (weight ? weight[i] : 1) / mean, y = s->classes ? s->label[i] == class : s->value[i];
    all[0] += w, all[1] += w * y;
    if (s->code[i] == level || (s->code[i] < 0 && level < 0)) here[0] += w, here[1] += w * y;
  }
  return (here[1] + 10 * all[1] / all[0]) / (here[0] + 10);
}

/* Classes of a column's role, in order; numbers have one. */
static void against_naive(size_t classes, bool weights) {
  sample s = draw(classes, classes + weights);
  svf_table *table = table_of(&s, weights);
  encoded e = encode(table, &coding);
  const double *weight = weights ? s.weight : NULL;
  size_t first = classes == 2, columns = classes > 2 ? classes : 1;
  assert_int_equal(e.encoding.feature[0].width, columns + 1);
  for (size_t c = 0; c < columns; c++) {
    int32_t class = (int32_t)(first + c);
    assert_int_equal(e.encoding.column[c].level, SVF_ROLE_STATISTIC - class);
    for (size_t i = 0; i < N; i++) {
      svf_random random = svf_random_at((svf_place){coding.seed, SVF_USE_LEVELS, 0, i, 0});
      int fold = (int)svf_random_below(&random, 10);
      double expected = naive(&s, weight, class, s.code[i], fold), full = naive(&s, weight, class, s.code[i], -1);
      assert_close(e.train.x[i * e.train.stride + c], expected, 1e-5 * (1 + fabs(expected)));
      assert_close(e.later.x[i * e.later.stride + c], full, 1e-5 * (1 + fabs(full)));
    }
    float row[64];
    const double unseen[] = {LEVELS + 5, 0}, empty[] = {LEVELS - 1, 0};
    double prior = naive(&s, weight, class, LEVELS + 5, -1);
    assert_int_equal(svf_encode_row(&e.encoding, unseen, row), 1);
    assert_close(row[c], prior, 1e-5 * (1 + fabs(prior)));
    assert_close(row[columns], 0, 0);
    assert_int_equal(svf_encode_row(&e.encoding, empty, row), 0);
    assert_close(row[c], prior, 1e-5 * (1 + fabs(prior)));
  }
  encoded_free(&e);
  svf_table_free(table);
}

static void sums(void **state) {
  (void)state;
  for (size_t classes = 0; classes < 5; classes++)
    for (int weights = 0; weights < 2; weights++)
      if (classes != 1) against_naive(classes, weights);
}

/* Whatever the target of a row is, its own statistic has the same bits. */
static void never_its_own_row(void **state) {
  (void)state;
  for (size_t classes = 0; classes < 4; classes++) {
    if (classes == 1) continue;
    sample s = draw(classes, 20 + classes);
    svf_table *table = table_of(&s, true);
    encoded e = encode(table, &coding);
    size_t columns = e.encoding.feature[0].width, changed = 0;
    for (size_t row = 0; row < N; row += 7) {
      sample other = s;
      other.value[row] = row % 2 ? 1e150 : -3e-150;
      other.label[row] = classes ? (s.label[row] + 1) % (int32_t)classes : 0;
      svf_table *again = table_of(&other, true);
      encoded o = encode(again, &coding);
      assert_memory_equal(o.train.x + row * o.train.stride, e.train.x + row * e.train.stride,
                          columns * sizeof(float));
      changed += memcmp(o.train.x, e.train.x, N * e.train.stride * sizeof(float)) != 0;
      encoded_free(&o);
      svf_table_free(again);
    }
    assert_true(changed > N / 7 / 2); /* others' did */
    encoded_free(&e);
    svf_table_free(table);
  }
}

/* Targets of any size, one row per level, rows of one fold, weights of 0: nothing but numbers comes out. */
static void edges(void **state) {
  (void)state;
  static const double sizes[] = {1e-150, 1e150, 1.7e308, 5e-324};
  for (svf_scale scale = SVF_SCALE_UNIT; scale <= SVF_SCALE_ROBUST; scale++)
    for (size_t size = 0; size < 4; size++)
      for (int few = 0; few < 3; few++) {
        sample s = draw(0, size);
        for (size_t i = 0; i < N; i++) {
          s.value[i] = (i % 3 ? sizes[size] : -sizes[size]);
          s.weight[i] = few == 1 ? i == 4 || i == 9 : few == 2 ? i == 4 : 1e300;
        }
        svf_table *table = table_of(&s, true);
        svf_coding how = coding;
        how.scale = scale;
        encoded e = encode(table, &how);
        double limit = scale == SVF_SCALE_NONE ? SVF_UNSCALED_LIMIT : SVF_ENCODED_LIMIT;
        for (size_t i = 0; i < N; i++)
          for (size_t c = 0; c < 2; c++) {
            float x = e.train.x[i * e.train.stride + c];
            if (few == 2) assert_true(e.train.missing); /* the only row with weight has nothing but itself */
            else assert_true(fabsf(x) <= (float)limit);
            assert_true(fabsf(e.later.x[i * e.later.stride + c]) <= (float)limit);
          }
        encoded_free(&e);
        svf_table_free(table);
      }
}

/* Many classes: the most frequent ones, in the order of their codes. */
static void few_classes(void **state) {
  (void)state;
  sample s = draw(LEVELS, 2);
  for (size_t i = 0; i < N; i++) s.label[i] = (int32_t)(i % 5 ? i % 33 : LEVELS - 1);
  svf_table *table = table_of(&s, false);
  encoded e = encode(table, &coding);
  assert_int_equal(e.encoding.feature[0].width, SVF_STATISTIC_COLUMNS + 1);
  assert_int_equal(e.encoding.column[SVF_STATISTIC_COLUMNS - 1].level, SVF_ROLE_STATISTIC - (LEVELS - 1));
  assert_int_equal(e.encoding.column[SVF_STATISTIC_COLUMNS].level, SVF_ROLE_FREQUENCY);
  encoded_free(&e);
  svf_table_free(table);
}

static void spoilt(const svf_forest *forest, svf_section section, size_t at, const void *value, size_t length,
                   const char *words) {
  unsigned char *copy = malloc(forest->size);
  svf_forest *read;
  assert_non_null(copy);
  memcpy(copy, forest->image, forest->size);
  memcpy(copy + ((const unsigned char *)svf_section_data(copy, section) - copy) + at, value, length);
  svf_image_seal(copy, forest->size);
  assert_int_equal(svf_forest_from_bytes(copy, forest->size, &read, &message), SVF_DATA);
  if (!strstr(message.text, words)) fail_msg("no '%s' in: %s", words, message.text);
  free(copy);
}

/* With the checksum mended, a changed byte of what describes statistics is refused or harmless. */
static void every_byte(const svf_forest *forest) {
  static const svf_section sections[] = {SVF_META, SVF_FEAT, SVF_COLS, SVF_STAT};
  unsigned char *copy = malloc(forest->size);
  assert_non_null(copy);
  for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
    size_t first = (size_t)((const unsigned char *)svf_section_data(forest->image, sections[s]) - forest->image);
    size_t count = svf_section_count(forest->image, sections[s]) * svf_section_kinds[sections[s]].item;
    for (size_t i = first; i < first + count; i++) {
      svf_forest *read;
      memcpy(copy, forest->image, forest->size);
      copy[i] ^= (unsigned char)(i % 3 ? 0x80 : 0xff);
      svf_image_seal(copy, forest->size);
      svf_status status = svf_forest_from_bytes(copy, forest->size, &read, &message);
      assert_true(status == SVF_OK || status == SVF_DATA);
      if (read) explore(read);
      svf_forest_free(read);
    }
  }
  free(copy);
}

static void hostile(const svf_forest *forest) {
  static const float bad[] = {NAN, INFINITY, 2e15f};
  static const int32_t level[] = {SVF_ROLE_STATISTIC - 3, SVF_ROLE_FREQUENCY, 7, SVF_ROLE_NUMBER};
  static const uint32_t many = UINT32_MAX, more = 5;
  size_t at = offsetof(svf_column_record, level), one = sizeof(svf_column_record);
  for (size_t i = 0; i < 3; i++)
    spoilt(forest, SVF_STAT, 4, &bad[i], 4, "a statistic of column 'x1' is out of range");
  for (size_t i = 0; i < 4; i++) spoilt(forest, SVF_COLS, one + at, &level[i], 4, "do not fit its columns");
  spoilt(forest, SVF_COLS, 3 * one + at, &level[0], 4, "do not fit its columns");
  spoilt(forest, SVF_FEAT, offsetof(svf_feature_record, levels), &many, 4, "do not fit its columns");
  spoilt(forest, SVF_FEAT, offsetof(svf_feature_record, width), &more, 4, "do not fit its columns");
  every_byte(forest);
}

/* A forest: equal bytes for any number of threads, from its bytes the same answers and out-of-bag rows; hostile files. */
static void forests(void **state) {
  (void)state;
  sample s = draw(3, 8);
  svf_table *table = table_of(&s, true);
  svf_settings *settings =
      test_settings("rsvt-full", "rows=bootstrap trees=3 C=1 folds=0 class_weight=balanced one_hot_levels=16");
  svf_forest *forest[2], *read;
  const void *bytes[2];
  size_t size[2];
  for (int t = 0; t < 2; t++) {
    svf_run run = {.threads = 1 + 2 * t};
    assert_ok(svf_train(settings, table, &run, &forest[t], &message), &message);
    bytes[t] = forest[t]->image, size[t] = forest[t]->size;
  }
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(bytes[0], bytes[1], size[0]);
  assert_ok(svf_forest_from_bytes(bytes[0], size[0], &read, &message), &message);
  svf_oob_answers answers = {0};
  assert_ok(svf_forest_oob(read, table, NULL, &answers, &message), &message);
  assert_close(answers.result, forest[0]->oob, 1e-12);
  double mean[2];
  svf_permutation permutation = {.repeats = 1, .oob = true, .mean = mean};
  assert_ok(svf_forest_permute(read, table, NULL, &permutation, &message), &message);
  svf_encoded_info info;
  svf_forest_encoded(read, 1, &info);
  assert_string_equal(info.part, "share");
  assert_string_equal(info.part_class, "l01");
  svf_forest_encoded(read, 3, &info);
  assert_string_equal(info.part, "frequency");
  assert_null(info.part_class);
  hostile(read);
  svf_forest_free(read);
  svf_forest_free(forest[0]);
  svf_forest_free(forest[1]);
  svf_settings_free(settings);
  svf_table_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(never_its_own_row),
                                     cmocka_unit_test(edges), cmocka_unit_test(few_classes),
                                     cmocka_unit_test(forests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
