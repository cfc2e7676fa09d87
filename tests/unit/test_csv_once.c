/* test_csv_once.c - large files in one walk: the same table, or the same message, as of a file that is cut first, whatever is
 * odd about one of its lines; and that those are read so, and only those, that can be. */
#include "support/test.h"
#include <unistd.h>
#include "base/random.h"
#include "data/csv.h"
#include "support/same_table.h"

static char path[] = "/tmp/svf_once_XXXXXX";
enum { MOST = 1 << 18 };

typedef enum oddity {
  NONE,
  RETURNS,   /* lines end in CRLF */
  UNENDED,   /* no newline at the end */
  BLANK_END, /* blank lines at the end */
  MISSING,
  LATE_TEXT,
  LONG,        /* one long cell */
  WORDS,       /* a column of words */
  BRIEF,       /* lines of few bytes */
  QUOTED,      /* cells in quotes, with separators, newlines and quotes in them */
  QUOTED_TEXT, /* the same, and a word among numbers, of which the line is told */
  QUOTED_GAP,  /* the same, and one without a label: refused, with its line */
  NO_LABEL,    /* refused, with its line */
  TABS,        /* separated by tabs, the last line nothing else: refused */
  ONCE = TABS, /* up to here files are read in one walk */
  TAB_MORE,    /* the last line ends in a tab more */
  TRAILS,      /* all lines end in a separator */
  QUOTES,
  QUOTE_INSIDE, /* cells in quotes, but also a quote in a bare one */
  UNCLOSED,     /* cells in quotes, the last one not closed: refused */
  BLANK_LINE,
  ZERO,
  ZERO_END, /* a 0 before blank lines at the end */
  INFINITE,
  RAGGED,
  SHORTER, /* lines become so short that there are more than expected */
  ODDITIES
} oddity;

static bool refused(oddity odd) {
  return odd == QUOTED_GAP || odd == UNCLOSED || odd == NO_LABEL || odd == TABS || odd == TAB_MORE || odd == ZERO ||
         odd == ZERO_END || odd == INFINITE || odd == RAGGED;
}

typedef struct content {
  char text[MOST];
  size_t size;
} content;

static void add(content *made, const char *text) {
  size_t length = strlen(text);
  assert_true(made->size + length < MOST);
  memcpy(made->text + made->size, text, length + 1);
  made->size += length;
}

static bool quoted(oddity odd) {
  return odd == QUOTED || odd == QUOTED_TEXT || odd == QUOTED_GAP || odd == QUOTE_INSIDE || odd == UNCLOSED;
}

/* A cell in quotes: a number, or a text with what has a meaning outside of them. */
static void quote_cell(char *cell, size_t size, svf_random *random, int column) {
  static const char *const texts[] = {"a,b", "say \"\"so\"\"", "two\nlines", "\n\n,", "", "\"\"", " plain ", "x"};
  char inner[100];
  snprintf(inner, sizeof inner, "%.90s", column == 1 ? texts[svf_random_below(random, 8)] : cell);
  uint32_t draw = (uint32_t)svf_random_below(random, 8);
  snprintf(cell, size, "%s\"%s\"%s", draw == 0 ? " " : "", inner, draw == 1 ? " \t" : "");
}

static void add_line(content *made, svf_random *random, oddity odd, size_t line, bool here) {
  char cell[400];
  for (int j = 0; j < 3; j++) {
    snprintf(cell, sizeof cell, "%.*f", (int)svf_random_below(random, 9), 100 * svf_random_normal(random));
    if (odd == BRIEF || (odd == SHORTER && line > 300)) snprintf(cell, sizeof cell, "%zu", line % 7);
    if (odd == WORDS && j == 1) snprintf(cell, sizeof cell, "word %zu", line * line % 11);
    if (quoted(odd) && (j == 1 || line % 3)) quote_cell(cell, sizeof cell, random, j);
    if (here && j == 0 && odd == QUOTED_TEXT) snprintf(cell, sizeof cell, "\"no\nnumber\"");
    if (here && j == 1) {
      if (odd == MISSING) snprintf(cell, sizeof cell, "%s", line % 2 ? "" : "NA");
      if (odd == LATE_TEXT) snprintf(cell, sizeof cell, "late");
      if (odd == LONG) snprintf(cell, sizeof cell, "%0300d", 7);
      if (odd == QUOTE_INSIDE) snprintf(cell, sizeof cell, "5\" pipe");
      if (odd == UNCLOSED) snprintf(cell, sizeof cell, "\"open");
      if (odd == QUOTES) snprintf(cell, sizeof cell, "\"1\"");
      if (odd == INFINITE) snprintf(cell, sizeof cell, "1e999");
      if (odd == RAGGED) snprintf(cell, sizeof cell, "1,2");
    }
    add(made, cell);
    add(made, ",");
  }
  add(made, here && (odd == NO_LABEL || odd == QUOTED_GAP) ? "" : line % 3 ? "no" : "yes");
  if (here && odd == ZERO) made->text[made->size - 1] = 0;
  if (odd == TRAILS) add(made, ",");
  add(made, here && odd == BLANK_LINE ? "\n \n" : odd == RETURNS ? "\r\n" : "\n");
}

static void make(content *made, svf_random *random, oddity odd) {
  size_t lines = (odd == BRIEF ? 9000 : 1200) + svf_random_below(random, 300), at = lines / 2;
  made->size = 0;
  at += svf_random_below(random, (uint32_t)(lines - at));
  if (odd == NONE && lines % 2) add(made, "\xEF\xBB\xBF");
  add(made, odd == TRAILS ? "a,b,c,y,\n" : "a,b,c,y\n");
  for (size_t i = 0; i < lines; i++) add_line(made, random, odd, i, i == at);
  if (odd == TABS) add(made, ",,,\n");
  if (odd == TAB_MORE || odd == UNENDED) made->text[--made->size] = 0;
  if (odd == TAB_MORE) add(made, ",\n");
  for (size_t i = 0; (odd == TABS || odd == TAB_MORE) && i < made->size; i++)
    if (made->text[i] == ',') made->text[i] = '\t';
  if (odd == BLANK_END) add(made, " \n\n\t\n");
  if (odd == ZERO_END) memcpy(made->text + made->size, "\0\n\n", 4), made->size += 3;
}

static bool in_one_walk(const content *made, size_t chunk, int threads) {
  svf_run run = {.threads = threads};
  svf_input input = {.path = path, .data = made->text, .size = made->size};
  svf_read read = {.path = path};
  svf_csv_file file = {.input = &input, .sample = SVF_CSV_SAMPLE};
  svf_csv_head head = {0};
  svf_raw raw;
  svf_pool pool;
  assert_int_equal(svf_pool_open(&pool, &run, NULL), SVF_OK);
  file.pool = &pool;
  file.room = calloc((size_t)threads, sizeof *file.room);
  svf_raw_begin(&raw, &read);
  assert_int_equal(svf_csv_open(&file, NULL), SVF_OK);
  bool done = svf_csv_read_once(&file, chunk, &raw, &head);
  for (int i = 0; i < threads; i++) svf_buffer_free(&file.room[i]);
  free(file.room);
  free(file.chunk);
  free(head.text);
  svf_raw_free(&raw);
  svf_pool_close(&pool);
  return done;
}

typedef struct outcome {
  svf_status status;
  svf_table *table;
  svf_message message;
} outcome;

static outcome read_text(const content *made, size_t chunk, int threads, bool from_file) {
  svf_read_options options = {.threads = threads};
  svf_read read = {.path = path, .options = &options, .chunk = chunk};
  svf_input input = {.path = path, .data = made->text, .size = made->size};
  outcome found = {.message = {.text = ""}};
  if (from_file) assert_true(svf_input_open(path, &input));
  found.status = svf_csv_read(&input, &read, &found.table, &found.message);
  if (from_file) svf_input_close(&input);
  return found;
}

static void as_if_cut(void **state) {
  (void)state;
  static const size_t chunks[] = {40, 301, 700};
  svf_random random = svf_random_at((svf_place){.seed = 12});
  content *made = malloc(sizeof *made);
  assert_non_null(made);
  for (int round = 0; round < 2 * ODDITIES; round++) {
    oddity odd = (oddity)(round % ODDITIES);
    make(made, &random, odd);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(made->text, 1, made->size, file), made->size);
    fclose(file);
    outcome whole = read_text(made, 1 << 20, 1, false);
    assert_int_equal(whole.status, refused(odd) ? SVF_DATA : SVF_OK);
    for (int t = 1; t <= 4; t++)
      for (size_t c = t > 2; c < 3; c++) {
        outcome part = read_text(made, chunks[c], t, t % 2);
        assert_int_equal(part.status, whole.status);
        assert_string_equal(part.message.text, whole.message.text);
        assert_true(same_table(part.table, whole.table));
        svf_table_free(part.table);
        if (in_one_walk(made, chunks[c], t) != (odd <= ONCE))
          fail_msg("oddity %d, %d threads, chunks of %zu", odd, t, chunks[c]);
      }
    svf_table_free(whole.table);
  }
  free(made);
}

static int open_file(void **state) {
  (void)state;
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int remove_file(void **state) {
  (void)state;
  return unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_if_cut)};
  return cmocka_run_group_tests(tests, open_file, remove_file);
}
