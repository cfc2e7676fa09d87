/* test_csv.c - CSV texts to tables: dialects, headers, roles, tasks, refusals; and how a file's bytes are
 * read. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "data/read.h"

static svf_message message;

static svf_status parse_like(const char *text, svf_read_options options, const svf_encoding *like,
                             svf_table **table) {
  svf_bytes bytes = {(char *)text, strlen(text)};
  svf_read read = {.path = "data.csv", .options = &options, .like = like};
  message.text[0] = 0;
  return svf_csv_parse(&bytes, &read, table, &message);
}

static svf_table *good_like(const char *text, svf_read_options options, const svf_encoding *like) {
  svf_table *table;
  svf_status status = parse_like(text, options, like, &table);
  if (status) fail_msg("refused: %s\n%s", message.text, text);
  return table;
}

static svf_table *good(const char *text) { return good_like(text, (svf_read_options){0}, NULL); }

/* Is refused with this status and with these words in the message. */
static void bad_like(const char *text, svf_read_options options, const svf_encoding *like, svf_status status,
                     const char *words) {
  svf_table *table;
  svf_status got = parse_like(text, options, like, &table);
  assert_null(table);
  if (got != status || !strstr(message.text, words))
    fail_msg("status %d: %s\ninstead of %d: %s", got, message.text, status, words);
}

static void bad(const char *text, const char *words) { bad_like(text, (svf_read_options){0}, NULL, SVF_DATA, words); }

static void is_text(const svf_table *table, size_t row, size_t column, const char *text) {
  const svf_column *c = &table->column[column];
  assert_non_null(c->code);
  if (!text) assert_int_equal(c->code[row], -1);
  else assert_string_equal(c->levels.text[c->code[row]], text);
}

static void is_number(const svf_table *table, size_t row, size_t column, double value) {
  assert_non_null(table->column[column].number);
  double got = table->column[column].number[row];
  assert_true(isnan(value) ? isnan(got) : got == value);
}

static void plain(void **state) {
  (void)state;
  svf_table *t = good("a,b,y\n1,2,0.5\n-3,4e1,7.25\n");
  assert_int_equal(t->n, 2);
  assert_int_equal(t->d, 2);
  assert_true(t->named);
  assert_string_equal(t->path, "data.csv");
  assert_string_equal(t->column[0].name, "a");
  assert_string_equal(t->column[1].name, "b");
  assert_string_equal(t->target_name, "y");
  is_number(t, 0, 0, 1);
  is_number(t, 1, 0, -3);
  is_number(t, 1, 1, 40);
  assert_int_equal(t->task, SVF_TASK_REGRESS);
  assert_true(t->value[1] == 7.25);
  svf_table_free(t);
}

/* A feed in quotes does not end a line where lines end in returns, nor a return where they end in feeds; and a stray quote
 * does not hide the feeds. */
static void ends_of_lines_in_quotes(void **state) {
  (void)state;
  svf_table *t = good("a,b,y\r1,\"two\nlines\",p\r2,z,q\r");
  assert_int_equal(t->n, 2);
  is_text(t, 0, 1, "two\nlines");
  svf_table_free(t);
  t = good("a,b,y\n1,\"two\rlines\",p\n2,z,q\n");
  assert_int_equal(t->n, 2);
  is_text(t, 0, 1, "two\rlines");
  svf_table_free(t);
  t = good("a,5\" disk,y\n1,x,p\n2,z,q\n");
  assert_int_equal(t->n, 2);
  assert_string_equal(t->column[1].name, "5\" disk");
  svf_table_free(t);
}

static void decimal_commas_are_remarked(void **state) {
  (void)state;
  static const char *const texts[] = {"a;b;y\n1;2,5;p\n2;-3,25;q\n3;7;p\n", "a;b;y\n1;x;1,5\n2;z;2,5\n3;x;3,5\n"};
  static const char *const quiet[] = {"a;b;y\n1;2,5;p\n2;3,x;q\n", "a;b;y\n1;2.5;p\n2;3.5;q\n",
                                      "a,b,y\n1,\"1,2,3\",p\n2,\"2,\",q\n", "a,b,y\n1,07,p\n2,\",5\",q\n"};
  for (size_t i = 0; i < 2; i++) {
    svf_table *t = good(texts[i]);
    assert_int_equal(svf_table_remark(t, 0, &message), 1);
    assert_non_null(strstr(message.text, i ? "'y' has numbers with a decimal comma, which are taken as 3 classes"
                                           : "data.csv: column 'b' has numbers with a decimal comma"));
    svf_table_free(t);
  }
  for (size_t i = 0; i < 4; i++) {
    svf_table *t = good(quiet[i]);
    assert_int_equal(svf_table_remark(t, 0, &message), 0);
    svf_table_free(t);
  }
}

/* A column of numbers with a few other cells becomes a category, which is said with the line of the first. */
static void few_other_cells_are_remarked(void **state) {
  (void)state;
  for (size_t wrong = 0; wrong < 5; wrong++) {
    char text[600] = "a,b,y\n";
    for (size_t i = 0; i < 25; i++)
      sprintf(text + strlen(text), "%zu,%s,%zu\n", i, i >= 7 && i < 7 + wrong ? "n/k" : i == 3 ? "" : "1.5e1", i % 2);
    svf_table *t = good(text);
    assert_int_equal(svf_table_remark(t, 0, &message), wrong == 1 || wrong == 2);
    if (wrong == 2)
      assert_string_equal(
          message.text,
          "data.csv:9: column 'b': 'n/k' is not a number. All but 2 of 24 cells are numbers, but the column "
          "is now taken as categories; correct the others or leave them blank");
    svf_table_free(t);
  }
}

/* The same table in every dialect. */
static void dialects(void **state) {
  (void)state;
  static const char *const texts[] = {
      "a,b,y\n1,x,p\n2,z,q\n",
      "a,b,y\r\n1,x,p\r\n2,z,q\r\n",
      "a,b,y\r1,x,p\r2,z,q",
      "\"a\",b,y\r1,\"x\",p\r2,z,\"q\"\r",
      ("\xEF\xBB\xBF"
       "a;b;y\n1;x;p\n2;z;q"),
      "a\tb\ty\n1\tx\tp\n2\tz\tq\n",
      "\n\n a , b , y \n\n  1 ,x , p\n \r\n2,z,q \n\n",
      "\"a\",\"b\",\"y\"\n\"1\",\"x\",\"p\"\n 2 , \"z\" ,q\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    svf_table *t = good(texts[i]);
    assert_int_equal(t->n, 2);
    assert_int_equal(t->d, 2);
    assert_string_equal(t->column[0].name, "a");
    is_number(t, 0, 0, 1);
    is_number(t, 1, 0, 2);
    is_text(t, 0, 1, "x");
    is_text(t, 1, 1, "z");
    assert_int_equal(t->task, SVF_TASK_CLASS);
    assert_string_equal(t->classes.text[t->label[1]], "q");
    svf_table_free(t);
  }
}

static void separators(void **state) {
  (void)state;
  svf_table *t = good("name;note;y\na;\"1,2\";1\nb;x,y,z;2\n");
  is_text(t, 0, 1, "1,2");
  is_text(t, 1, 1, "x,y,z");
  svf_table_free(t);
  t = good("a,b\n1;5,2\n3,4\n"); /* not in each line: the comma */
  is_text(t, 0, 0, "1;5");
  svf_table_free(t);
  t = good("a\tb\n\t1\n2\t1\n"); /* a blank first cell of a tab-separated row */
  is_number(t, 0, 0, NAN);
  is_number(t, 1, 0, 2);
  svf_table_free(t);
}

static void quotes(void **state) {
  (void)state;
  svf_table *t = good("a,b,y\n\"one\ntwo\",\"say \"\"hi\"\", you\",1\n\" x \",3\" pipe,2\n\"\",\"NA\",1\n");
  is_text(t, 0, 0, "one\ntwo");
  is_text(t, 0, 1, "say \"hi\", you");
  is_text(t, 1, 0, " x ");
  is_text(t, 1, 1, "3\" pipe");
  is_text(t, 2, 0, NULL);
  is_text(t, 2, 1, NULL);
  assert_int_equal(t->column[0].text_line, 2);
  svf_table_free(t);
  bad("a,b\n1,2\n\"x,3\n4,5\n", "data.csv:3: a quote");
  bad("a,b\n1,2\n3,\"x\"y\n", "data.csv:3: a quote");
  bad("a,b\n\"1\n1\",2\n3\n", "data.csv:4: row has 1 cell, the header has 2");
}

static void missing(void **state) {
  (void)state;
  svf_table *t = good("a,b,c,y\n,NA,x,1\n?,1,?,1\nNaN,na,nan,2\n nan ,2,,2\n");
  for (size_t i = 0; i < 4; i++) is_number(t, i, 0, NAN);
  is_number(t, 1, 1, 1);
  is_number(t, 2, 1, NAN);
  is_text(t, 0, 2, "x");
  for (size_t i = 1; i < 4; i++) is_text(t, i, 2, NULL);
  svf_table_free(t);
}

static void headers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool header;
  } rows[] = {
      {"a,b\n1,2\n", true},
      {"1,2\n3,4\n", false},
      {"5.1,setosa\n4.9,virginica\n", false},
      {"0,1,y\n3,4,5\n", true},   /* y over numbers */
      {"red,1\nblue,2\n", false}, /* text over text, and a number beside it */
      {"a,b\nx,y\nx,z\n", true},  /* all text, none of the first row again */
      {"a,b\nx,y\na,z\n", false}, /* a is there again */
      {"a,b\nb,a\nb,a\n", true},  /* but not in its own column */
      {",b\n0,x\n1,y\n", true},   /* a blank name */
      {"?,b\nz,x\nw,y\n", false}, /* a missing value */
      {"a,?\n1,x\n2,y\n", true},
      {"NA,2\n1,2\n", false},
      {"inf,x\n1,y\n2,z\n", false}, /* infinite is no name; then it is refused below */
  };
  for (size_t i = 0; i + 1 < sizeof rows / sizeof *rows; i++) {
    svf_table *t = good(rows[i].text);
    if (t->named != rows[i].header) fail_msg("header: %d in\n%s", t->named, rows[i].text);
    svf_table_free(t);
  }
  bad(rows[12].text, "data.csv:1: column 'x1': a number is infinite");
  svf_table *t = good(",b\n0,x\n1,y\n");
  assert_string_equal(t->column[0].name, "x1");
  svf_table_free(t);
  t = good("1,2,0\n3,4,1\n");
  assert_string_equal(t->column[1].name, "x2");
  assert_string_equal(t->target_name, "x3");
  svf_table_free(t);
}

/* A separator at the end of every line. */
static void trailing_separator(void **state) {
  (void)state;
  svf_table *t = good("a,b,k,\n1,2,x, \n3,4,y,\"\"\n");
  assert_int_equal(t->d, 2);
  assert_string_equal(t->target_name, "k");
  svf_table_free(t);
  t = good("a,b,\n1,2,x\n3,4,y\n"); /* a column without a name */
  assert_string_equal(t->target_name, "x3");
  svf_table_free(t);
  bad("a,b,k\n1,2,\n3,4,\n", "data.csv:2: column 'k': the target is missing");
  bad("a,b,k,\n1,2,x,\n3,4,y\n", "data.csv:3: row has 3 cells, the header has 4");
}

/* Text far below numbers: the column is read again, and the header stays one. */
static void late_text(void **state) {
  (void)state;
  enum { ROWS = 1000 };
  char *text = malloc(ROWS * 40), *at = text;
  at += sprintf(at, "a,b,y\n");
  for (int i = 0; i < ROWS; i++) at += sprintf(at, i == 900 ? "%d,word,1\n" : "%d,%d.50,2\n", i, i);
  svf_table *t = good(text);
  assert_true(t->named);
  assert_int_equal(t->n, ROWS);
  is_number(t, 999, 0, 999);
  is_text(t, 7, 1, "7.50");
  is_text(t, 900, 1, "word");
  assert_int_equal(t->column[1].text_line, 902);
  assert_int_equal(t->column[1].levels.count, ROWS);
  for (size_t i = 1; i < ROWS; i++)
    assert_true(strcmp(t->column[1].levels.text[i - 1], t->column[1].levels.text[i]) < 0);
  svf_table_free(t);
  free(text);
}

static void infinite(void **state) {
  (void)state;
  bad("a,y\n1,2\ninf,3\n", "data.csv:3: column 'a': a number is infinite");
  bad("a,y\n1,2\n\n-Infinity,3\n", "data.csv:4: column 'a'");
  bad("a,y\n1e999,2\n", "data.csv:2: column 'a'");
  bad("a,y\n1,2\n1,-1e400\n", "data.csv:3: column 'y'");
  svf_table *t = good("a,y\n1e308,2\n-1e308,3\n");
  is_number(t, 0, 0, 1e308);
  svf_table_free(t);
  t = good("a,y\nx,2\ninf,3\n1,4\n"); /* a word among words */
  is_text(t, 1, 0, "inf");
  svf_table_free(t);
}

static void refusals(void **state) {
  (void)state;
  bad("", "data.csv: the file is empty");
  bad("\n \r\n\t\n", "data.csv: the file is empty");
  bad("\xEF\xBB\xBF", "empty");
  bad("a,b,c\n", "data.csv: there is a header but no row of data");
  bad("a,b,c,d,e\n1,2,3,4,5\n1,2,3,4\n", "data.csv:3: row has 4 cells, the header has 5");
  bad("1,2,3\n1,2,3,4\n", "data.csv:2: row has 4 cells, the first row has 3");
  bad("a,b,c\n1,2,3\n\n1,2,3,\n", "data.csv:4: row has 4 cells, the header has 3");
  bad("a,b,a\n1,2,3\n", "columns 1 and 3 are both named 'a'");
  bad("a,a,y\np,q,r\ns,q,r\n", "columns 1 and 2 are both named 'a'");
  bad("a,y\n1,2\n3,\n", "data.csv:3: column 'y': the target is missing");
  bad("a,y\n1,p\n3,?\n", "data.csv:3: column 'y': the target is missing");
  bad("a\n1\n", "no column is left");
  svf_bytes bytes = {(char *)"a,y\n1,2\n3,\0004\n", 13};
  svf_read read = {.path = "data.csv"};
  svf_table *table;
  assert_int_equal(svf_csv_parse(&bytes, &read, &table, &message), SVF_DATA);
  assert_non_null(strstr(message.text, "data.csv:3: a byte 0"));
  assert_int_equal(svf_csv_parse(&bytes, &read, &table, NULL), SVF_DATA);
}

static void roles(void **state) {
  (void)state;
  const char *text = "a,b,2,w\n1,2,0,1\n3,4,1,0\n";
  const char *drop[] = {"b", "w"};
  svf_table *t = good_like(text, (svf_read_options){.target = "a", .drop = drop, .drop_count = 2}, NULL);
  assert_string_equal(t->target_name, "a");
  assert_int_equal(t->d, 1);
  assert_string_equal(t->column[0].name, "2");
  svf_table_free(t);
  t = good_like(text, (svf_read_options){.target = "2", .weight = "w"}, NULL); /* a name before a number */
  assert_string_equal(t->target_name, "2");
  assert_true(t->weight[0] == 1 && t->weight[1] == 0);
  svf_table_free(t);
  t = good_like(text, (svf_read_options){.target = "1", .weight = "4"}, NULL);
  assert_string_equal(t->target_name, "a");
  svf_table_free(t);
  t = good_like(text, (svf_read_options){.weight = "w"}, NULL); /* the last that is left */
  assert_string_equal(t->target_name, "2");
  svf_table_free(t);
  svf_read_options no_target = {.target = "z"}, zero = {.target = "0"}, far = {.weight = "5"};
  bad_like(text, no_target, NULL, SVF_USAGE, "no column 'z' for the target; the 4 columns are a, b, 2, w");
  bad_like(text, zero, NULL, SVF_USAGE, "no column '0'");
  bad_like(text, far, NULL, SVF_USAGE, "no column '5' for the weights");
  bad_like(text, (svf_read_options){.target = "b", .drop = drop, .drop_count = 1}, NULL, SVF_USAGE,
           "'b' cannot be both");
  bad_like(text, (svf_read_options){.target = "b", .weight = "b"}, NULL, SVF_USAGE, "'b' cannot be both");
}

static void weights(void **state) {
  (void)state;
  svf_read_options options = {.weight = "w"};
  bad_like("w,a,y\n1,1,2\n-1,1,2\n", options, NULL, SVF_DATA, "data.csv:3: column 'w': a row weight must not be neg");
  bad_like("w,a,y\n1,1,2\n,1,2\n", options, NULL, SVF_DATA, "data.csv:3: column 'w': a row weight is missing");
  bad_like("w,a,y\n1,1,2\ninf,1,2\n", options, NULL, SVF_DATA, "data.csv:3: column 'w': a number is infinite");
  bad_like("w,a,y\n1,1,2\nx,1,2\n", options, NULL, SVF_DATA, "data.csv:3: column 'w': a row weight must be a number");
  bad_like("w,a,y\n1e308,1,2\n1e308,1,2\n", options, NULL, SVF_DATA, "column 'w': the row weights are too large");
  bad_like("w,a,y\n0,1,2\n0,1,2\n", options, NULL, SVF_DATA, "column 'w': the row weights are all 0");
}

static void tasks(void **state) {
  (void)state;
  svf_table *t = good("a,y\n1,10\n1,-1\n1,2\n1,10.0\n"); /* whole numbers: classes in numeric order */
  assert_int_equal(t->task, SVF_TASK_CLASS);
  assert_int_equal(t->classes.count, 3);
  assert_string_equal(t->classes.text[0], "-1");
  assert_string_equal(t->classes.text[1], "2");
  assert_string_equal(t->classes.text[2], "10");
  assert_int_equal(t->label[0], 2);
  assert_int_equal(t->label[3], 2);
  assert_null(t->value);
  svf_table_free(t);
  t = good("a,y\n1,10\n1,9\n1,b\n"); /* one text: classes in order of bytes */
  assert_string_equal(t->classes.text[0], "10");
  assert_string_equal(t->classes.text[1], "9");
  svf_table_free(t);
  t = good_like("a,y\n1,2.5\n1,1\n1,0.1\n", (svf_read_options){.task = SVF_TASK_CLASS}, NULL);
  assert_string_equal(t->classes.text[0], "0.1");
  assert_string_equal(t->classes.text[2], "2.5");
  svf_table_free(t);
  t = good_like("a,y\n1,2\n1,1\n", (svf_read_options){.task = SVF_TASK_REGRESS}, NULL);
  assert_true(t->value[0] == 2 && !t->label && t->classes.count == 0);
  svf_table_free(t);
  bad_like("a,y\n1,2\n1,x\n", (svf_read_options){.task = SVF_TASK_REGRESS}, NULL, SVF_DATA,
           "data.csv:3: column 'y': the target of a regression must be a number");
}

static char *count_up(int rows) {
  char *text = malloc((size_t)rows * 16 + 16), *at = text;
  at += sprintf(at, "a,y\n");
  for (int i = 0; i < rows; i++) at += sprintf(at, "0,%d\n", i);
  return text;
}

static void many_classes(void **state) {
  (void)state;
  char *text = count_up(50);
  svf_table *t = good(text);
  assert_int_equal(t->classes.count, 50);
  svf_table_free(t);
  free(text);
  text = count_up(51);
  t = good(text);
  assert_int_equal(t->task, SVF_TASK_REGRESS);
  svf_table_free(t);
  free(text);
  text = count_up(10001);
  svf_read_options options = {.task = SVF_TASK_CLASS};
  bad_like(text, options, NULL, SVF_DATA, "column 'y': more than 10000 classes");
  *strrchr(text, '1') = '0';
  t = good_like(text, options, NULL);
  assert_int_equal(t->classes.count, 10000);
  svf_table_free(t);
  free(text);
}

/* A model of a number `age`, categories `code` (levels 01, 1, x), and a target. */
static char *code_levels[] = {(char *)"01", (char *)"1", (char *)"x"};
static char *class_names[] = {(char *)"1", (char *)"2.5", (char *)"no"};
static svf_feature model_features[] = {{.name = "age"}, {.name = "code", .levels = {code_levels, 3}}};
static const svf_encoding model = {.features = 2,
                                   .feature = model_features,
                                   .named = true,
                                   .task = SVF_TASK_CLASS,
                                   .target_name = (char *)"y",
                                   .classes = {class_names, 3}};

static void for_model(void **state) {
  (void)state;
  svf_read_options none = {0};
  svf_table *t = good_like("y,code,extra,age\n1.0,01,5,3\nno,1,5,4\n?,?,5,5\nnew,01,6,2\n", none, &model);
  assert_int_equal(t->d, 3);
  is_text(t, 0, 0, "01"); /* numbers keep their text */
  is_text(t, 1, 0, "1");
  is_text(t, 2, 0, NULL);
  is_number(t, 0, 2, 3);
  assert_int_equal(t->classes.count, 3);
  assert_int_equal(t->label[0], 0);
  assert_int_equal(t->label[1], 2);
  assert_int_equal(t->label[2], -1);
  assert_int_equal(t->label[3], -1);
  svf_table_free(t);
  t = good_like("code,age\n01,3\n", none, &model); /* no target */
  assert_int_equal(t->task, SVF_TASK_AUTO);
  assert_null(t->target_name);
  assert_int_equal(t->d, 2);
  svf_table_free(t);
  t = good_like("age,code,label\n3,x,2.50\n", (svf_read_options){.target = "label"}, &model);
  assert_string_equal(t->target_name, "label");
  assert_int_equal(t->label[0], 1);
  svf_table_free(t);
}

static void for_model_without_header(void **state) {
  (void)state;
  svf_read_options none = {0};
  svf_table *t = good_like("3,01\n4,1\n", none, &model);
  assert_false(t->named);
  assert_int_equal(t->d, 2);
  is_text(t, 1, 1, "1");
  svf_table_free(t);
  t = good_like("3,01,no\n4,x,no\n", none, &model);
  assert_int_equal(t->d, 2);
  assert_int_equal(t->label[0], 2);
  svf_table_free(t);
  t = good_like("no,3,01\n", (svf_read_options){.target = "1"}, &model);
  assert_int_equal(t->label[0], 2);
  is_text(t, 0, 1, "01");
  svf_table_free(t);
  svf_encoding unnamed = model; /* trained with --target 1 */
  unnamed.named = false;
  unnamed.target_name = (char *)"x1";
  t = good_like("no,3,01\nno,4,1\n", none, &unnamed);
  assert_int_equal(t->label[0], 2);
  is_number(t, 1, 0, 4);
  svf_table_free(t);
  bad_like("1,2,3,4\n", none, &model, SVF_DATA, "4 columns of features, but the model was trained on 2");
  t = good_like("code,age\nx,?\n", none, &model); /* the model's names make a header */
  assert_true(t->named);
  svf_table_free(t);
}

static void for_regression(void **state) {
  (void)state;
  svf_encoding regression = model;
  regression.task = SVF_TASK_REGRESS;
  regression.classes = (svf_names){0};
  svf_table *t = good_like("age,code,y\n1,x,2\n1,x,\n", (svf_read_options){0}, &regression);
  assert_true(t->value[0] == 2 && isnan(t->value[1]));
  svf_table_free(t);
  bad_like("age,code,y\n1,x,2\n1,x,b\n", (svf_read_options){0}, &regression, SVF_DATA, "data.csv:3: column 'y'");
}

static void memory(void **state) {
  (void)state;
  bad_like("a,y\n1,2\n3,4\n", (svf_read_options){.memory_limit = 100}, NULL, SVF_MEMORY,
           "a table of 2 rows and 2 columns would need");
  /* A wide first row over many short ones is a ragged file, whatever it would take. */
  char *text = malloc(40001);
  memset(text, ',', 20000);
  for (int i = 20000; i < 40000; i += 2) memcpy(text + i, "\n1", 2);
  text[40000] = 0;
  bad_like(text, (svf_read_options){.memory_limit = 1 << 20}, NULL, SVF_DATA,
           ":2: row has 1 cell, the first row has 20001");
  free(text);
}

/* ---- bytes ---- */

static char folder[] = "/tmp/svf_csv_XXXXXX";
static char path[64];

static void put(const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
}

static size_t pack(const char *text, unsigned char *out, size_t room) {
  z_stream stream = {0};
  assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = (unsigned char *)(size_t)text;
  stream.avail_in = (uInt)strlen(text);
  stream.next_out = out;
  stream.avail_out = (uInt)room;
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  deflateEnd(&stream);
  return stream.total_out;
}

static void refused(const char *from, size_t limit, svf_status status, const char *words) {
  svf_bytes bytes;
  assert_int_equal(svf_bytes_read(from, limit, &bytes, &message), status);
  assert_null(bytes.data);
  if (!strstr(message.text, words)) fail_msg("%s instead of %s", message.text, words);
}

static void holds(const char *text) {
  svf_bytes bytes;
  assert_int_equal(svf_bytes_read(path, 0, &bytes, &message), SVF_OK);
  assert_int_equal(bytes.size, strlen(text));
  assert_string_equal(bytes.data, text);
  svf_bytes_free(&bytes);
}

static void files(void **state) {
  (void)state;
  put("a,y\n1,2\n", 8);
  holds("a,y\n1,2\n");
  put("", 0);
  holds("");
  put("abc", 3);
  refused(path, 4, SVF_MEMORY, "would need");
  refused(folder, 0, SVF_IO, "is a directory");
  refused("/no/such/file", 0, SVF_IO, strerror(ENOENT));
}

static void packed_files(void **state) {
  (void)state;
  unsigned char packed[4096];
  size_t first = pack("a,y\n1,2\n", packed, sizeof packed);
  put(packed, first);
  holds("a,y\n1,2\n");
  put(packed, first - 5);
  refused(path, 0, SVF_DATA, "is truncated");
  size_t second = pack("3,4\n", packed + first, sizeof packed - first);
  put(packed, first + second);
  holds("a,y\n1,2\n3,4\n");
  memset(packed + first, 0, 100);
  put(packed, first + 100);
  holds("a,y\n1,2\n");
  packed[first + 50] = 'x';
  put(packed, first + 100);
  refused(path, 0, SVF_DATA, "bytes after the end");
  packed[first - 6] ^= 1;
  put(packed, first);
  refused(path, 0, SVF_DATA, "is damaged");
  put("\x1f\x8bnonsense", 10);
  refused(path, 0, SVF_DATA, "is damaged");
}

/* A megabyte of one letter packs to a kilobyte: the limit is on what comes out. */
static void bombs(void **state) {
  (void)state;
  enum { SIZE = 1 << 20 };
  char *text = malloc(SIZE + 1);
  unsigned char *packed = malloc(SIZE);
  memset(text, 'a', SIZE);
  text[SIZE] = 0;
  put(packed, pack(text, packed, SIZE));
  refused(path, SIZE - 1, SVF_MEMORY, "would need");
  holds(text);
  free(text);
  free(packed);
}

static void standard_input(void **state) {
  (void)state;
  int saved = dup(STDIN_FILENO), ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "a,y\n1,2\n", 8), 8);
  close(ends[1]);
  dup2(ends[0], STDIN_FILENO);
  close(ends[0]);
  svf_table *table;
  assert_int_equal(svf_read_table("-", NULL, NULL, &table, &message), SVF_OK);
  assert_string_equal(table->path, "standard input");
  svf_table_free(table);
  close(STDIN_FILENO);
  refused("-", 0, SVF_IO, "standard input is closed");
  if (saved >= 0) {
    dup2(saved, STDIN_FILENO);
    close(saved);
  }
}

static void formats(void **state) {
  (void)state;
  static const struct {
    const char *name, *text, *target;
    svf_format format;
  } rows[] = {{"a.csv", "1,2\n", "x2", 0},           {"a.tsv", "1\t2\n", "x2", 0},
              {"a.txt", "1,2\n", "x2", 0},           {"a.txt", "1 1:2\n", "label", 0},
              {"a.svm", "1 1:2\n", "label", 0},      {"a.data", "# c\n\n1\n2 3:4.5 7:1\n", "label", 0},
              {"a.data", "1 2:x\n1 2:y\n", NULL, 0}, {"a.data", "1 1:2\n", "label", SVF_FORMAT_LIBSVM}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char name[96];
    snprintf(name, sizeof name, "%s/%s", folder, rows[i].name);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(rows[i].text, file);
    fclose(file);
    svf_table *table;
    svf_status status = svf_read_table(name, &(svf_read_options){.format = rows[i].format}, NULL, &table, &message);
    if (rows[i].target) assert_string_equal(table->target_name, rows[i].target);
    else assert_int_equal(status, SVF_DATA);
    svf_table_free(table);
    unlink(name);
  }
}

static int open_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int close_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain),
      cmocka_unit_test(ends_of_lines_in_quotes),
      cmocka_unit_test(decimal_commas_are_remarked),
      cmocka_unit_test(few_other_cells_are_remarked),
      cmocka_unit_test(dialects),
      cmocka_unit_test(separators),
      cmocka_unit_test(quotes),
      cmocka_unit_test(missing),
      cmocka_unit_test(headers),
      cmocka_unit_test(late_text),
      cmocka_unit_test(trailing_separator),
      cmocka_unit_test(infinite),
      cmocka_unit_test(refusals),
      cmocka_unit_test(roles),
      cmocka_unit_test(weights),
      cmocka_unit_test(tasks),
      cmocka_unit_test(many_classes),
      cmocka_unit_test(for_model),
      cmocka_unit_test(for_regression),
      cmocka_unit_test(for_model_without_header),
      cmocka_unit_test(memory),
      cmocka_unit_test(files),
      cmocka_unit_test(packed_files),
      cmocka_unit_test(bombs),
      cmocka_unit_test(standard_input),
      cmocka_unit_test(formats),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
