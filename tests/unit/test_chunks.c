/* test_chunks.c - tables in chunks: put together they are the whole table, whatever their size; and training from disk: the bytes of
 * memory for any memory, also where it was stopped and continued. */
#include <dirent.h>
#include <unistd.h>
#include "data/table.h"
#include "support/forest.h"
#include "support/same_table.h"
#include "svforest_parts.h"

enum { ROWS = 20000, FEATURES = 4 };

static char folder[] = "/tmp/svf_chunks_XXXXXX";
static char path[64], scratch[64];
static svf_message message;

static FILE *create(const char *name) {
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  return file;
}

/* Quotes, separators and line breaks in text; blanks; dates. */
static void write_csv(void) {
  FILE *file = create("rows.csv");
  fputs("size,\"the \"\"colour\"\"\",when,kind\n", file);
  for (int i = 0; i < ROWS; i++) {
    if (i % 11) fprintf(file, "%d.5", i * 7 % 101);
    fprintf(file, ",\"%s%s\",2024-01-%02d,%s\n", i % 2 ? "red" : "blue", i % 3 ? "" : ",\n\"\"x\"\"", 1 + i % 28,
            i % 5 ? "no" : "yes");
  }
  fclose(file);
}

/* Comments and blank lines; an index that occurs once. */
static void write_libsvm(void) {
  FILE *file = create("rows.libsvm");
  for (int i = 0; i < ROWS; i++) {
    if (i % 1000 == 500) fputs("# a remark\n\n", file);
    fprintf(file, "%d 1:%d.25 3:%d%s\n", i % 3, i % 7, i % 97, i == ROWS - 10 ? " 6:1" : "");
  }
  fclose(file);
}

static void write_npy(bool fortran) {
  FILE *file = create("rows.npy");
  char header[118];
  memset(header, ' ', sizeof header);
  int length =
      sprintf(header, "{'descr': '<f4', 'fortran_order': %s, 'shape': (%d, 3), }", fortran ? "True" : "False", ROWS);
  header[length] = ' ';
  header[sizeof header - 1] = '\n';
  fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
  fwrite(header, 1, sizeof header, file);
  for (int k = 0; k < 3 * ROWS; k++) {
    int i = fortran ? k % ROWS : k / 3, j = fortran ? k / ROWS : k % 3;
    float x = j < 2 ? (float)(i * (j + 3) % 1009) / 1009 : (float)(i % 4);
    fwrite(&x, sizeof x, 1, file);
  }
  fclose(file);
}

/* Texts of lines are where they are in the file, and chunks have only some. */
static bool alike(svf_table *joined, svf_table *whole) {
  for (size_t j = 0; j < whole->d; j++) joined->column[j].text_line = whole->column[j].text_line;
  return same_table(joined, whole);
}

static void check_chunks(svf_chunks *chunks, svf_table *whole, size_t rows) {
  size_t count = svf_chunks_divide(chunks, rows);
  assert_in_range(count, 1, ROWS);
  assert_int_equal(svf_chunks_first(chunks, 0), 0);
  assert_int_equal(svf_chunks_first(chunks, count), ROWS);
  const svf_table **part = calloc(count, sizeof *part);
  for (size_t c = 0; c < count; c++) {
    svf_table *table;
    assert_ok(svf_chunks_read(chunks, c, NULL, &table, &message), &message);
    assert_int_equal(svf_table_rows(table), svf_chunks_first(chunks, c + 1) - svf_chunks_first(chunks, c));
    part[c] = table;
  }
  svf_table *joined;
  assert_ok(svf_table_join(part, count, &joined, &message), &message);
  if (!alike(joined, whole)) fail_msg("%s: chunks of %zu rows, joined, are another table", path, rows);
  svf_table_free(joined);
  for (size_t c = 0; c < count; c++) svf_table_free((svf_table *)part[c]);
  free(part);
  svf_table *none;
  assert_int_equal(svf_chunks_read(chunks, count, NULL, &none, &message), SVF_USAGE);
  assert_null(none);
}

static void check_file(size_t columns) {
  static const size_t sizes[] = {700, 5000, ROWS - 1, SIZE_MAX};
  svf_table *whole;
  svf_chunks *chunks;
  assert_ok(svf_table_read(path, NULL, &whole, &message), &message);
  assert_ok(svf_chunks_open(path, NULL, &chunks, &message), &message);
  assert_int_equal(svf_chunks_rows(chunks), ROWS);
  assert_int_equal(svf_chunks_columns(chunks), columns);
  assert_int_equal(svf_chunks_first(chunks, 1), ROWS); /* at first there is one */
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) check_chunks(chunks, whole, sizes[i]);
  size_t fewest = svf_chunks_divide(chunks, 1);
  for (size_t c = 0; c < fewest; c++) assert_true(svf_chunks_first(chunks, c) < svf_chunks_first(chunks, c + 1));
  svf_chunks_free(chunks);
  svf_table_free(whole);
}

static void files(void **state) {
  (void)state;
  write_csv();
  check_file(4);
  write_libsvm();
  check_file(7); /* 1 to 6, and the target */
  write_npy(false);
  check_file(3);
  write_npy(true);
  check_file(3);
}

static void refuse_file(const char *words) {
  svf_chunks *chunks;
  svf_status status = svf_chunks_open(path, NULL, &chunks, &message);
  assert_true(status == SVF_IO || status == SVF_DATA);
  assert_null(chunks);
  if (!strstr(message.text, words)) fail_msg("'%s' lacks '%s'", message.text, words);
}

static void refused_files(void **state) {
  (void)state;
  snprintf(path, sizeof path, "%s/absent", folder);
  refuse_file("cannot be read in chunks");
  fclose(create("rows.csv"));
  refuse_file("cannot be read in chunks");
  FILE *file = create("rows.libsvm");
  fputs("# no row\n\n", file);
  fclose(file);
  refuse_file("no row of data");
  file = create("rows.csv");
  fputs("\x1f\x8b packed", file);
  fclose(file);
  refuse_file("packed");
}

/* ---- a source of rows ---- */

typedef struct source {
  const svf_table *table;
  size_t lost; /* rows that do not come */
  size_t reads;
} source;

static svf_status read_rows(void *user, uint64_t first, size_t rows, const svf_portion *cuts, svf_table **table,
                            svf_message *why) {
  source *s = user;
  size_t *place = calloc(rows, sizeof *place);
  (void)cuts;
  assert_non_null(place);
  for (size_t i = 0; i < rows; i++) place[i] = (size_t)first + i;
  s->reads++;
  svf_status status = svf_table_take(s->table, place, rows - s->lost, table, why);
  free(place);
  return status;
}

static svf_chunks *chunks_of(source *s) {
  svf_chunks *chunks;
  svf_row_source rows = {"the table", svf_table_rows(s->table), FEATURES + 1, read_rows, s};
  assert_ok(svf_chunks_from(&rows, &chunks, &message), &message);
  return chunks;
}

static void sources(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 500, FEATURES, 3, 4), *part;
  source s = {.table = table};
  svf_row_source none = {"nothing", 0, 1, read_rows, &s};
  svf_chunks *chunks;
  assert_int_equal(svf_chunks_from(&none, &chunks, &message), SVF_DATA);
  assert_null(chunks);
  chunks = chunks_of(&s);
  assert_int_equal(svf_chunks_divide(chunks, 150), 4);
  assert_int_equal(svf_chunks_first(chunks, 3), 450);
  assert_ok(svf_chunks_read(chunks, 3, NULL, &part, &message), &message);
  assert_int_equal(svf_table_rows(part), 50);
  for (size_t i = 0; i < 50; i++) assert_true(svf_table_number(part, i, 1) == svf_table_number(table, 450 + i, 1));
  svf_table_free(part);
  s.lost = 1;
  assert_int_equal(svf_chunks_read(chunks, 1, NULL, &part, &message), SVF_DATA);
  assert_null(part);
  assert_string_equal(message.text,
                      "the table, rows 151 to 300: 149 rows came instead of 150: the table has changed");
  svf_chunks_free(chunks);
  svf_table_free(table);
}

/* ---- training ---- */

static void same_forest(const svf_forest *a, const svf_forest *b) {
  size_t size, other;
  const void *bytes = svf_forest_bytes(a, &size), *others = svf_forest_bytes(b, &other);
  assert_int_equal(size, other);
  assert_memory_equal(bytes, others, size);
}

typedef struct watch {
  size_t calls, stop_at; /* 0: never */
  double done;
} watch;

static int look(void *user, const svf_progress *progress) {
  watch *w = user;
  assert_true(progress->done >= w->done && progress->done <= 1 + 1e-9);
  w->done = progress->done;
  return ++w->calls == w->stop_at;
}

static svf_status from_disk(source *s, const char *pairs, size_t memory, watch *w, svf_forest **forest) {
  svf_settings *settings = test_settings("rsvt-full", pairs);
  svf_chunks *chunks = chunks_of(s);
  svf_disk_options options = {.folder = scratch, .memory = memory};
  svf_run run = {.threads = 2, .callback = w ? look : NULL, .user = w};
  svf_status status = svf_train_from_disk(settings, chunks, &options, &run, forest, &message);
  svf_chunks_free(chunks);
  svf_settings_free(settings);
  return status;
}

static void drop_scratch(void) {
  char name[400];
  DIR *files_there = opendir(scratch);
  for (struct dirent *entry; files_there && (entry = readdir(files_there));) {
    snprintf(name, sizeof name, "%s/%s", scratch, entry->d_name);
    unlink(name);
  }
  if (files_there) closedir(files_there);
  rmdir(scratch);
}

#define PAIRS " trees=2 partition_rows=200 min_leaf=40"

static void any_memory(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 3000, FEATURES, 3, 7);
  svf_forest *whole = test_train("rsvt-full", PAIRS, table, 1), *forest;
  static const size_t memory[] = {150000, 400000, 0};
  size_t reads = SIZE_MAX;
  for (size_t m = 0; m < sizeof memory / sizeof *memory; m++) {
    source s = {.table = table};
    watch w = {0};
    assert_ok(from_disk(&s, PAIRS, memory[m], &w, &forest), &message);
    same_forest(whole, forest);
    svf_forest_free(forest);
    assert_true(s.reads < reads); /* more memory, larger chunks */
    reads = s.reads;
    assert_int_equal(access(scratch, F_OK), -1);
  }
  assert_int_equal(reads, 2);
  svf_forest_free(whole);
  svf_table_free(table);
}

/* What a killed run was writing. */
static void leave_temporary(void) {
  char name[96];
  snprintf(name, sizeof name, "%s/rows.0.0.1.0.tmp", scratch);
  FILE *file = fopen(name, "wb");
  assert_non_null(file);
  fclose(file);
}

/* Stopped at every place where it can be, and continued. */
static void stopped(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 3000, FEATURES, 3, 7);
  svf_forest *whole = test_train("rsvt-full", PAIRS, table, 1), *forest;
  source s = {.table = table};
  for (size_t at = 1;; at++) {
    watch w = {.stop_at = at};
    svf_status status = from_disk(&s, PAIRS, 150000, &w, &forest);
    if (status) {
      assert_int_equal(status, SVF_STOPPED);
      assert_null(forest);
      assert_int_equal(access(scratch, F_OK), 0);
      leave_temporary();
      assert_ok(from_disk(&s, PAIRS, 150000, NULL, &forest), &message);
    }
    same_forest(whole, forest);
    svf_forest_free(forest);
    assert_int_equal(access(scratch, F_OK), -1);
    if (!status) break;
    if (at > 10) at += at / 2;
  }
  svf_forest_free(whole);
  svf_table_free(table);
}

/* Stops after the chunks are routed, and leaves the folder. */
static void leave_folder(source *s) {
  svf_forest *forest;
  char name[96];
  snprintf(name, sizeof name, "%s/rows.0.0", scratch);
  for (size_t at = 1; access(name, F_OK); at++) {
    watch w = {.stop_at = at};
    assert_int_equal(from_disk(s, PAIRS, 150000, &w, &forest), SVF_STOPPED);
  }
}

static void refused_runs(void **state) {
  (void)state;
  svf_table *table = test_synth("classification", 3000, FEATURES, 3, 7);
  source s = {.table = table};
  svf_forest *forest;
  leave_folder(&s);
  assert_int_equal(from_disk(&s, PAIRS " seed=9", 150000, NULL, &forest), SVF_DATA);
  assert_non_null(strstr(message.text, "holds the parts of another job"));
  assert_int_equal(from_disk(&s, PAIRS, 160000, NULL, &forest), SVF_DATA);
  drop_scratch();
  assert_int_equal(from_disk(&s, "", 150000, NULL, &forest), SVF_USAGE);
  assert_non_null(strstr(message.text, "set partition_rows"));
  assert_int_equal(from_disk(&s, PAIRS, 100, NULL, &forest), SVF_DATA);
  assert_non_null(strstr(message.text, "do not fit into the memory"));
  drop_scratch();
  s.lost = 2;
  assert_int_equal(from_disk(&s, PAIRS, 150000, NULL, &forest), SVF_DATA);
  assert_non_null(strstr(message.text, "the table has changed"));
  drop_scratch();
  svf_table_free(table);
}

static int open_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(scratch, sizeof scratch, "%s/scratch", folder);
  return 0;
}

static int close_folder(void **state) {
  static const char *const names[] = {"rows.csv", "rows.libsvm", "rows.npy"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files),      cmocka_unit_test(refused_files), cmocka_unit_test(sources),
      cmocka_unit_test(any_memory), cmocka_unit_test(stopped),       cmocka_unit_test(refused_runs),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
