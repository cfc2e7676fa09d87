/* test_npy.c - NumPy array files to tables; the files are made here, byte by byte. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "data/read.h"

static svf_message message;
static char file[1 << 20];
static size_t size;

/* A file of the given version, header and numbers. */
static void make(int version, const char *header, const void *data, size_t bytes) {
  size_t length = strlen(header);
  memset(file, 0, sizeof file);
  memcpy(file, "\x93NUMPY", 6);
  file[6] = (char)version;
  file[8] = (char)(length & 255);
  file[9] = (char)(length >> 8);
  size = version == 1 ? 10 : 12;
  memcpy(file + size, header, length);
  size += length;
  if (bytes) memcpy(file + size, data, bytes);
  size += bytes;
}

static svf_status parse(svf_read_options options, const svf_encoding *like, svf_table **table) {
  svf_bytes bytes = {file, size};
  svf_read read = {.path = "data.npy", .options = &options, .like = like};
  return svf_npy_parse(&bytes, &read, table, &message);
}

static svf_table *good(void) {
  svf_table *table;
  if (parse((svf_read_options){0}, NULL, &table)) fail_msg("refused: %s", message.text);
  return table;
}

static void bad(const char *words) {
  svf_table *table;
  assert_int_equal(parse((svf_read_options){0}, NULL, &table), SVF_DATA);
  assert_null(table);
  if (!strstr(message.text, words)) fail_msg("%s\ninstead of %s", message.text, words);
}

static const double six[] = {1, 2, 0.5, 3, NAN, 1.5};

static void orders(void **state) {
  (void)state;
  for (int version = 1; version <= 3; version++) {
    make(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }   \n", six, sizeof six);
    svf_table *t = good();
    assert_int_equal(t->n, 2);
    assert_int_equal(t->d, 2);
    assert_false(t->named);
    assert_string_equal(t->column[1].name, "x2");
    assert_string_equal(t->target_name, "x3");
    assert_true(t->column[0].number[1] == 3 && t->column[1].number[0] == 2 && isnan(t->column[1].number[1]));
    assert_true(t->value[0] == 0.5 && t->value[1] == 1.5);
    svf_table_free(t);
  }
  make(1, "{'shape':(3,2),'fortran_order':True,'descr':'<f8'}", (double[]){1, 2, 3, 4, 5, 6}, sizeof six);
  svf_table *t = good();
  assert_true(t->column[0].number[2] == 3);
  assert_string_equal(t->classes.text[t->label[2]], "6");
  svf_table_free(t);
}

/* The same row 100, 1 (bool: 1, 1) in each type. */
static void types(void **state) {
  (void)state;
  static const struct {
    const char *descr;
    const char *bytes;
    size_t count;
    double first;
  } rows[] = {{"<f4", "\0\0\xc8\x42\0\0\x80\x3f", 8, 100},
              {"|i1", "\x9c\x01", 2, -100},
              {"|u1", "\x9c\x01", 2, 156},
              {"|b1", "\x01\x01", 2, 1},
              {"<i2", "\x9c\xff\x01\x00", 4, -100},
              {"<u2", "\x9c\xff\x01\x00", 4, 65436},
              {"<i4", "\x9c\xff\xff\xff\x01\0\0\0", 8, -100},
              {"<u4", "\x9c\xff\xff\xff\x01\0\0\0", 8, 4294967196.0},
              {"<i8", "\x9c\xff\xff\xff\xff\xff\xff\xff\x01\0\0\0\0\0\0\0", 16, -100}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char header[96];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1, 2), }", rows[i].descr);
    make(1, header, rows[i].bytes, rows[i].count);
    svf_table *t = good();
    assert_true(t->column[0].number[0] == rows[i].first);
    assert_string_equal(t->classes.text[0], "1");
    svf_table_free(t);
  }
}

static size_t type_at(size_t type, size_t cell, char *bytes, double *value) {
  double real = (double)cell * 0.37 - 100;
  float single = (float)real;
  int16_t whole = (int16_t)(cell * 7 - 300);
  *value = type == 0 ? real : type == 1 ? (double)single : (double)whole;
  const void *from = type == 0 ? (const void *)&real : type == 1 ? (const void *)&single : (const void *)&whole;
  size_t bytes_each = type == 0 ? 8 : type == 1 ? 4 : 2;
  memcpy(bytes, from, bytes_each);
  return bytes_each;
}

/* An array of n x d numbers, number i*d + j in row i and column j; odd: the cell whose value is infinite, or SIZE_MAX. */
static void make_array(size_t n, size_t d, size_t type, bool fortran, size_t odd) {
  static const char *const descr[] = {"<f8", "<f4", "<i2"};
  static char numbers[sizeof file / 2];
  char header[128];
  snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': (%zu, %zu), }", descr[type],
           fortran ? "True" : "False", n, d);
  size_t used = 0;
  for (size_t at = 0; at < n * d; at++) {
    size_t cell = fortran ? at % n * d + at / n : at;
    double value, infinity = -INFINITY;
    used += type_at(type, cell, numbers + used, &value);
    if (cell == odd) memcpy(numbers + used - 8, &infinity, 8);
  }
  make(1, header, numbers, used);
}

/* As a table of features alone, for a model, with any number of threads. */
static void check_array(size_t n, size_t d, size_t type, bool fortran) {
  svf_feature *features = calloc(d, sizeof *features);
  svf_encoding like = {.features = d, .feature = features, .task = SVF_TASK_REGRESS};
  assert_non_null(features);
  make_array(n, d, type, fortran, SIZE_MAX);
  for (int threads = 1; threads <= 3; threads++) {
    svf_table *t;
    if (parse((svf_read_options){.threads = threads}, &like, &t)) fail_msg("refused: %s", message.text);
    assert_int_equal(t->n, n);
    assert_int_equal(t->d, d);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < d; j++) {
        char bytes[8];
        double due, got = t->column[j].number[i];
        type_at(type, i * d + j, bytes, &due);
        if (got != due)
          fail_msg("%zu x %zu, type %zu: row %zu, column %zu is %g, not %g", n, d, type, i, j, got, due);
      }
    svf_table_free(t);
  }
  free(features);
}

/* Every cell is where it was, whatever the shape, the order and the threads. */
static void shapes(void **state) {
  (void)state;
  static const size_t rows[] = {1, 2, 3, 8, 63, 64, 65, 129, 500}, columns[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 83};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
      for (size_t type = 0; type < 3; type++) {
        check_array(rows[r], columns[c], type, false);
        check_array(rows[r], columns[c], type, true);
      }
  for (size_t type = 0; type < 3; type++) check_array(9, 4600, type, false); /* few rows fill a piece */
}

/* Wherever it is, and just in a column that is wanted. */
static void infinite(void **state) {
  (void)state;
  static const size_t shape[][2] = {{1, 2}, {5, 3}, {64, 8}, {67, 9}, {700, 21}};
  for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
    for (size_t k = 0; k < 40; k++) {
      size_t n = shape[s][0], d = shape[s][1], odd = (k * 7919 + k) % (n * d);
      char words[96];
      make_array(n, d, 0, k % 2, odd);
      snprintf(words, sizeof words, "data.npy: row %zu, column 'x%zu': the value is infinite", odd / d + 1,
               odd % d + 1);
      bad(words);
      if (d < 3) continue;
      char name[24];
      const char *drop[] = {name};
      snprintf(name, sizeof name, "x%zu", odd % d + 1);
      svf_table *t;
      assert_int_equal(parse((svf_read_options){.drop = drop, .drop_count = 1}, NULL, &t), SVF_OK);
      svf_table_free(t);
    }
}

/* From a file, which is read by pieces, the table is the same, whatever the name; a file of another kind is refused. */
static void from_file(void **state) {
  (void)state;
  static const char *const names[] = {"test_npy.npy", "test_npy.bin", "test_npy.csv"};
  make_array(700, 40, 0, false, SIZE_MAX);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    FILE *out = fopen(names[k], "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(file, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    svf_table *t;
    assert_int_equal(svf_read_table(names[k], NULL, NULL, &t, &message), SVF_OK);
    assert_int_equal(t->n, 700);
    assert_true(t->column[38].number[699] == (double)(699 * 40 + 38) * 0.37 - 100);
    svf_table_free(t);
    assert_int_equal(svf_read_table(names[k], &(svf_read_options){.memory_limit = 1000}, NULL, &t, &message),
                     SVF_MEMORY);
    remove(names[k]);
  }
}

static void refusals(void **state) {
  (void)state;
  const char *header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  make(1, header, six, sizeof six);
  for (size_t whole = size, cut = 0; cut < whole; cut++) { /* cut anywhere */
    size = cut;
    bad("data.npy: ");
  }
  make(1, header, six, sizeof six);
  size++;
  bad("bytes after the end");
  make(4, header, six, sizeof six);
  bad("version 4");
  make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", six, sizeof six);
  bad("an array of 1 axes");
  make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", six, 8);
  bad("an array of 0 axes");
  make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }", six, sizeof six);
  bad("an array of 3 axes");
  make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", six, 0);
  bad("empty: 0 x 3");
  make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999999, 3), }", six, 48);
  bad("not that of a plain array");
  make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999999999, 999999999999999999), }", six, 48);
  bad("cut short");
  make(1, "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }", six, sizeof six);
  bad("type '>f8'");
  make(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }", six, sizeof six);
  bad("not that of a plain array");
  make(1, "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 3), }", six, sizeof six);
  bad("not that of a plain array");
  make(1, header, (double[]){1, 2, 0.5, 3, INFINITY, 1.5}, sizeof six);
  bad("data.npy: row 2, column 'x2': the value is infinite");
  make(1, header, (double[]){1, 2, 0.5, 3, 4, NAN}, sizeof six);
  bad("data.npy: row 2, column 'x3': the target is missing");
}

static void options(void **state) {
  (void)state;
  make(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", six, sizeof six);
  svf_table *t;
  assert_int_equal(parse((svf_read_options){.target = "1"}, NULL, &t), SVF_OK);
  assert_string_equal(t->column[0].name, "x2");
  assert_string_equal(t->classes.text[0], "1");
  svf_table_free(t);
  assert_int_equal(parse((svf_read_options){.target = "4"}, NULL, &t), SVF_USAGE);
  assert_int_equal(parse((svf_read_options){.memory_limit = 8}, NULL, &t), SVF_MEMORY);
  svf_feature features[3] = {{.name = "x1"}, {.name = "x2"}, {.name = "x3"}};
  svf_encoding like = {.features = 3, .feature = features, .task = SVF_TASK_REGRESS};
  assert_int_equal(parse((svf_read_options){0}, &like, &t), SVF_OK);
  assert_int_equal(t->d, 3);
  assert_null(t->target_name);
  svf_table_free(t);
  like.features = 2;
  assert_int_equal(parse((svf_read_options){0}, &like, &t), SVF_OK);
  assert_true(t->value[1] == 1.5);
  svf_table_free(t);
  like.target_name = (char *)"x1"; /* where it was at training */
  assert_int_equal(parse((svf_read_options){0}, &like, &t), SVF_OK);
  assert_string_equal(t->target_name, "x1");
  assert_true(t->value[1] == 3);
  svf_table_free(t);
  like.target_name = (char *)"x4"; /* that is no column here */
  assert_int_equal(parse((svf_read_options){0}, &like, &t), SVF_OK);
  assert_string_equal(t->target_name, "x3");
  svf_table_free(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders),    cmocka_unit_test(types),    cmocka_unit_test(shapes),  cmocka_unit_test(infinite),
      cmocka_unit_test(from_file), cmocka_unit_test(refusals), cmocka_unit_test(options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
