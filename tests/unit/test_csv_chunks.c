/* test_csv_chunks.c - reading CSV in chunks by threads: the same table and the same message for any number of
 * threads, any size of chunks, from memory and from a file; and both as a reader without any of that says. */
#include "support/test.h"
#include <stdarg.h>
#include <unistd.h>
#include "base/random.h"
#include "data/input.h"
#include "support/same_table.h"

static char path[] = "/tmp/svf_chunks_XXXXXX";

typedef struct outcome {
  svf_status status;
  svf_table *table;
  svf_message message;
} outcome;

static outcome from_memory(const char *text, svf_read_options options, size_t chunk) {
  svf_bytes bytes = {(char *)(size_t)text, strlen(text)};
  svf_read read = {.path = path, .options = &options, .chunk = chunk};
  outcome made = {.message = {.text = ""}};
  made.status = svf_csv_parse(&bytes, &read, &made.table, &made.message);
  return made;
}

static outcome from_file(svf_read_options options, size_t chunk) {
  svf_input input;
  svf_read read = {.path = path, .options = &options, .chunk = chunk};
  outcome made = {.message = {.text = ""}};
  assert_true(svf_input_open(path, &input));
  made.status = svf_csv_read(&input, &read, &made.table, &made.message);
  svf_input_close(&input);
  return made;
}

static void same(const outcome *whole, outcome part, const char *text, int threads, size_t chunk) {
  if (part.status != whole->status || strcmp(part.message.text, whole->message.text) ||
      !same_table(part.table, whole->table))
    fail_msg("%d threads, chunks of %zu: %d '%s' instead of %d '%s' for\n%s", threads, chunk, part.status,
             part.message.text, whole->status, whole->message.text, text);
  svf_table_free(part.table);
}

static void put(const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  fclose(file);
}

/* Reads the text in every way; the answer of one thread in one chunk. */
static outcome every_way(const char *text, svf_read_options options) {
  static const int threads[] = {1, 2, 3, 8};
  static const size_t chunks[] = {1, 2, 3, 5, 8, 13, 64, 1 << 20};
  options.threads = 1;
  outcome whole = from_memory(text, options, 1 << 20);
  if (*text) put(text);
  for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
      options.threads = threads[t];
      same(&whole, from_memory(text, options, chunks[c]), text, threads[t], chunks[c]);
      if (*text && (t == 2 || c == 3)) same(&whole, from_file(options, chunks[c]), text, threads[t], chunks[c]);
    }
  return whole;
}

static void good(const char *text, size_t rows) {
  outcome made = every_way(text, (svf_read_options){0});
  if (made.status) fail_msg("refused: %s\n%s", made.message.text, text);
  assert_int_equal(made.table->n, rows);
  svf_table_free(made.table);
}

static void bad(const char *text, const char *words) {
  outcome made = every_way(text, (svf_read_options){0});
  assert_int_equal(made.status, SVF_DATA);
  if (!strstr(made.message.text, words)) fail_msg("'%s' instead of '%s'", made.message.text, words);
}

static void tables(void **state) {
  (void)state;
  good("a,b,y\n1,2,0.5\n-3,4e1,7.25\n", 2);
  good("a,b,y\r\n1,2,0.5\r\n\r\n-3,4e1,7.25", 2);
  good("a,b,y\r1,x,p\r2,z,q", 2);
  good("\xEF\xBB\xBF\n\n  a;b;y\n1;x;p\n \r\n2;z;q\n\n\n", 2);
  good("a,b,y\n\"1\",\"x\ny\",p\n2,\"\"\"q\"\", r\n\n\n\",p\n3,\" \",q\n", 3);
  good("a\tb\n\t1\n2\t1\n\t2\n3\t1\n", 4);
  good("a,note,y\n1,\"one\r\ntwo\r\nthree\",1\r\n2,3\" pipe,2\r\n3,\"4\"\"\",1", 3);
  good("a,y\n1,u\n2,v\n3,w\nx,u\n5,v\n6,u\n", 6); /* late text: a second walk */
  good("a,b,k,\n1,2,x, \n3,4,y,\"\"\n5,6,x,\n", 3);
  good("1,2\n3,4\n5,6\n", 3);
}

static void refusals(void **state) {
  (void)state;
  bad("", "the file is empty");
  bad(" \n\r\n \n", "the file is empty");
  bad("a,y\n", "no row of data");
  bad("a,b\n1,2\n3\n4,5,6\n7,8\n9\n", ":3: row has 1 cell, the header has 2"); /* several chunks have one */
  bad("a,b\n\"1\n1\",2\n3,4,5\n6\n", ":4: row has 3 cells");
  bad("a,b\n1,2\n\"x,3\n4,5\n6,\"7\"\n8,9\n", ":3: a quote");
  bad("a,b\n1,2\n3,\"x\"y\n\"4,5\n", ":3: a quote");
  bad("a,b\n1,2\n3,4\n5,\"6\n\n\n", ":4: a quote");
  bad("a,y\n1,2\ninf,3\n4,1e999\n5,6\n", ":3: column 'a'");
  bad("a,y\n1,2\n2,1e999\ninf,3\n", ":4: column 'a'"); /* by column first */
  bad("a,y\n1,2\n2,\n3,\n", ":3: column 'y': the target is missing");
  bad("a,y\n1,\"p\nq\"\n2,\n3,\n", ":4: column 'y': the target is missing");
}

static void zero_bytes(void **state) {
  (void)state;
  static const char text[] = "a,b\n\"1,2\n3,4\n5\0006,\0007\n";
  for (size_t chunk = 1; chunk < sizeof text; chunk++) {
    svf_bytes bytes = {(char *)(size_t)text, sizeof text - 1};
    svf_read_options options = {.threads = 2};
    svf_read read = {.path = "zero", .options = &options, .chunk = chunk};
    svf_message message;
    svf_table *table;
    assert_int_equal(svf_csv_parse(&bytes, &read, &table, &message), SVF_DATA);
    assert_non_null(strstr(message.text, "zero:4: a byte 0"));
  }
}

/* A file that is shorter than it was. */
static void changed(void **state) {
  (void)state;
  svf_input input;
  svf_read read = {.path = path, .chunk = 16};
  svf_message message;
  svf_table *table;
  put("a,y\n1,2\n3,4\n5,6\n7,8\n");
  assert_true(svf_input_open(path, &input));
  input.size += 100;
  assert_int_equal(svf_csv_read(&input, &read, &table, &message), SVF_IO);
  assert_non_null(strstr(message.text, "was changed"));
  assert_null(table);
  svf_input_close(&input);
  assert_false(svf_input_open("/no/such/file", &input));
  assert_false(svf_input_open("/tmp", &input));
}

/* ---- against a reader that goes byte by byte ---- */

enum { MOST_CELLS = 400, MOST_TEXT = 4000 };

typedef struct naive { /* cells of columns in a fixed number, separated by commas, lines by LF */
  char cell[MOST_CELLS][64];
  size_t cells, records, width[MOST_CELLS], line[MOST_CELLS];
  size_t broken; /* line of the quote; 0: none */
} naive;

/* Reads one cell, without the blanks around it; false: broken quotes. */
static bool naive_cell(const char **at, size_t *line, char *out) {
  while (**at == ' ' || **at == '\r') ++*at;
  size_t length = 0, opened = *line;
  if (**at != '"') {
    while (**at && **at != ',' && **at != '\n') out[length++] = *(*at)++;
    while (length && strchr(" \r", out[length - 1])) length--;
    out[length] = 0;
    return true;
  }
  for (++*at; **at && (**at != '"' || (*at)[1] == '"'); ++*at) {
    if (**at == '"') ++*at;
    *line += **at == '\n';
    out[length++] = **at;
  }
  out[length] = 0;
  bool closed = **at == '"';
  *at += closed;
  while (**at == ' ' || **at == '\r') ++*at;
  if (closed && strchr(",\n", **at)) return true;
  *line = opened;
  return false;
}

static bool blank_line(const char *at) { return at[strspn(at, " \r")] == '\n' || !at[strspn(at, " \r")]; }

static void naive_read(const char *at, naive *to) {
  to->cells = to->records = to->broken = 0;
  for (size_t line = 1; *at;) {
    if (blank_line(at)) {
      at += strspn(at, " \r");
      at += *at == '\n';
      line++;
      continue;
    }
    size_t width = 0;
    to->line[to->records] = line;
    do {
      if (!naive_cell(&at, &line, to->cell[to->cells++])) {
        to->broken = line;
        return;
      }
      width++;
    } while (*at == ',' && at++);
    to->width[to->records++] = width;
    at += *at == '\n';
    line++;
  }
}

static const char *const words[] = {"1",
                                    "-2.5",
                                    "0.12345678901234567",
                                    "1e3",
                                    "red",
                                    "\"blue\"",
                                    "",
                                    "NA",
                                    " 7 ",
                                    "\"a,b\"",
                                    "\"\"",
                                    "\"x\ny\"",
                                    "3\" in",
                                    "green",
                                    "12",
                                    "0.25",
                                    "\"say \"\"hi\"\"\"",
                                    "?",
                                    "\"\r\n\n,\" ",
                                    "word",
                                    "-0"};
static const char *const wrong[] = {"\"open", "\"a\"b", "1,2", "\"", "\n4", "5\n6", "inf"};

#define PICK(list, random) list[svf_random_below(random, sizeof list / sizeof *list)]

static void make_text(svf_random *random, char *text) {
  size_t rows = 1 + svf_random_below(random, 30);
  bool spoilt = svf_random_below(random, 2), calm = svf_random_below(random, 3) == 0;
  strcpy(text, "p q,second,\"third\"\n");
  for (size_t i = 0; i < rows; i++)
    for (int j = 0; j < 3; j++) {
      bool odd = spoilt && svf_random_below(random, 40) == 0;
      strcat(text, odd ? PICK(wrong, random) : calm ? words[svf_random_below(random, 4)] : PICK(words, random));
      static const char *const ends[] = {"\n", "\n", "\n", "\r\n", " \n", "\n\n", "\n \r\n"};
      strcat(text, j < 2 ? "," : i + 1 == rows && svf_random_below(random, 2) ? "" : PICK(ends, random));
    }
}

static bool missing(const char *text) {
  static const char *const known[] = {"", "?", "NA", "nan"};
  for (size_t i = 0; i < 4; i++)
    if (strcmp(text, known[i]) == 0) return true;
  return false;
}

static void check_cell(const svf_column *column, size_t row, const char *text) {
  bool blank = missing(text + strspn(text, " \t\r\n"));
  if (column->number) {
    double value = blank ? NAN : strtod(text, NULL);
    assert_true(blank ? isnan(column->number[row]) : column->number[row] == value);
  } else if (blank) assert_int_equal(column->code[row], -1);
  else assert_string_equal(column->levels.text[column->code[row]], text);
}

static void against_naive(void **state) {
  (void)state;
  static naive read;
  static char text[MOST_TEXT];
  svf_random random = svf_random_at((svf_place){.seed = 5});
  size_t counts[4] = {0};
  for (int i = 0; i < 300; i++) {
    make_text(&random, text);
    naive_read(text, &read);
    static const char *const keep[] = {"third", "p q", "3"};
    outcome made = every_way(text, (svf_read_options){.target = "p q", .keep = keep, .keep_count = 3});
    char words_due[64] = "";
    size_t ragged = 0;
    while (ragged < read.records && read.width[ragged] == 3) ragged++;
    if (read.broken) snprintf(words_due, sizeof words_due, "%s:%zu: a quote", path, read.broken);
    else if (ragged < read.records)
      snprintf(words_due, sizeof words_due, "%s:%zu: row has %zu cell", path, read.line[ragged], read.width[ragged]);
    counts[read.broken ? 0 : *words_due ? 1 : made.status ? 2 : 3]++;
    if (*words_due && !strstr(made.message.text, words_due))
      fail_msg("'%s' instead of '%s' for\n%s", made.message.text, words_due, text);
    if (!made.status) {
      assert_int_equal(made.table->n, read.records - made.table->named);
      assert_int_equal(svf_table_kept(made.table), 2);
      for (size_t row = made.table->named; row < read.records; row++) {
        for (size_t j = 1; j < 3; j++)
          check_cell(&made.table->column[j - 1], row - made.table->named, read.cell[3 * row + j]);
        assert_string_equal(svf_table_kept_text(made.table, row - made.table->named, 0), read.cell[3 * row + 2]);
        assert_string_equal(svf_table_kept_text(made.table, row - made.table->named, 1), read.cell[3 * row]);
      }
    }
    svf_table_free(made.table);
  }
  for (int i = 0; i < 4; i++) assert_in_range(counts[i], 10, 290); /* each outcome was there */
}

/* More than one chunk of the usual size. */
static void large(void **state) {
  (void)state;
  enum { ROWS = 40000 };
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs("x,word,y\n", file);
  for (int i = 0; i < ROWS; i++) fprintf(file, "%d.%07d,w%d,%d\n", i, i, i * 7 % 1000, i % 3);
  fclose(file);
  svf_table *first = NULL;
  for (int threads = 1; threads <= 3; threads++) {
    svf_message message;
    svf_table *table;
    svf_read_options options = {.threads = threads, .format = SVF_FORMAT_CSV};
    assert_int_equal(svf_read_table(path, &options, NULL, &table, &message), SVF_OK);
    if (first) {
      assert_true(same_table(first, table));
      svf_table_free(table);
    } else first = table;
  }
  assert_int_equal(first->n, ROWS);
  assert_int_equal(first->column[1].levels.count, 1000);
  for (int i = 0; i < ROWS; i++) {
    char text[32];
    snprintf(text, sizeof text, "%d.%07d", i, i);
    assert_true(first->column[0].number[i] == strtod(text, NULL));
    assert_int_equal(atoi(first->column[1].levels.text[first->column[1].code[i]] + 1), i * 7 % 1000);
    assert_int_equal(first->label[i], i % 3);
  }
  svf_table_free(first);
}

static void threads_refused(void **state) {
  (void)state;
  svf_message message;
  svf_table *table;
  put("a,y\n1,2\n");
  svf_read_options options = {.threads = -1, .format = SVF_FORMAT_CSV};
  assert_int_equal(svf_read_table(path, &options, NULL, &table, &message), SVF_USAGE);
}

static int open_file(void **state) {
  (void)state;
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int close_file(void **state) {
  (void)state;
  return unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables),          cmocka_unit_test(refusals), cmocka_unit_test(zero_bytes),
      cmocka_unit_test(changed),         cmocka_unit_test(large),    cmocka_unit_test(against_naive),
      cmocka_unit_test(threads_refused),
  };
  return cmocka_run_group_tests(tests, open_file, close_file);
}
