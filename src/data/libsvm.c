/* libsvm.c - from LIBSVM's sparse text to a table: lines of "label index:value index:value ... # comment".
 *
 * The label is a number. Indices ascend; what is not listed is 0, nan is missing. Columns are dense in
 * memory, so the largest index is looked for first and the table's size checked before it is made. Indices
 * count from 1 unless an index 0 occurs. The columns are x1, x2, ... or, in a file that counts from 0, x0,
 * x1, ...: the name is x and the index. The label is the last column, named "label", for --drop, --target and
 * such. For a model whose features have such names there are columns up to the largest index that it or the
 * options mention, and a name x0 counts as an index 0; for another model there are as many as its features,
 * and they count from 0 if the first is x0. Later indices are left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "data/chunks.h"
#include "data/number.h"
#include "data/raw.h"
#include "data/text_lines.h"

#define MOST_INDEX UINT64_C(9999999999)

typedef struct reader {
  svf_text text;
  svf_raw raw;
  bool zero;    /* an index 0 occurs */
  uint64_t top; /* the largest index */
  size_t base;  /* 0 or 1 */
  size_t line;  /* of the first row */
} reader;

typedef struct cursor { /* where reading is */
  const char *at;
  size_t line;
} cursor;

static const char *skip(const reader *from, const char *at) {
  while (*at == ' ' || *at == '\t' || (*at == '\r' && from->text.newline != '\r')) at++;
  return at;
}

/* At the end of a line's contents, or at its comment. */
static bool done(const reader *from, const char *at) { return *at == 0 || *at == '#' || *at == from->text.newline; }

/* The next line with something on it; false: there is none. */
static bool next_line(const reader *from, cursor *c) {
  for (;;) {
    c->at = skip(from, c->at);
    if (!done(from, c->at)) return true;
    const char *end = svf_text_line_end(&from->text, c->at);
    if (end == from->text.end) return false;
    c->at = end + 1;
    c->line++;
  }
}

static svf_status refuse(const reader *from, const cursor *c, const char *what, svf_message *message) {
  size_t length = strcspn(c->at, " \t\r\n");
  return svf_fail(message, SVF_DATA, "%s:%zu: '%.*s': %s", from->raw.path, c->line, length < 40 ? (int)length : 40,
                  c->at, what);
}

static bool token_ends(const reader *from, const char *at) { return done(from, at) || skip(from, at) > at; }

/* A number, inf or nan; NULL: neither. */
static const char *scan_value(const char *at, double *value) {
  const char *end = svf_number_scan(at, value);
  if (end) return end;
  bool sign = *at == '-' || *at == '+';
  char word[4] = {0};
  for (int i = 0; i < 3 && at[sign + i]; i++) word[i] = (char)(at[sign + i] | 32);
  if (strcmp(word, "nan") && strcmp(word, "inf")) return NULL;
  *value = *word == 'n' ? NAN : INFINITY;
  return at + sign + 3;
}

static svf_status take_label(const reader *from, cursor *c, double *label, svf_message *message) {
  const char *end = scan_value(c->at, label);
  if (end && *end == ',') return refuse(from, c, "a row with several labels cannot be used", message);
  if (end && *end == ':') return refuse(from, c, "the row has no label before its first value", message);
  if (!end || !token_ends(from, end)) return refuse(from, c, "a label must be a number", message);
  if (isinf(*label)) return refuse(from, c, "the label is infinite or too large", message);
  c->at = skip(from, end);
  return SVF_OK;
}

/* Reads digits, as more than MOST_INDEX if they are too many; returns where they end. */
static const char *scan_index(const char *at, uint64_t *index) {
  for (*index = 0; *at >= '0' && *at <= '9'; at++)
    if (*index <= MOST_INDEX) *index = 10 * *index + (uint64_t)(*at - '0');
  return at;
}

/* The index and its colon. */
static svf_status take_index(const reader *from, cursor *c, uint64_t *index, svf_message *message) {
  if (strncmp(c->at, "qid:", 4) == 0) return refuse(from, c, "ranking groups (qid) cannot be used", message);
  const char *at = scan_index(c->at, index);
  if (at == c->at || *at != ':') return refuse(from, c, "index:value is expected here", message);
  if (*index > MOST_INDEX) return refuse(from, c, "the index is too large", message);
  c->at = at + 1;
  return SVF_OK;
}

/* First walk over a row: its indices, not its values. */
static svf_status measure_row(reader *from, cursor *c, svf_message *message) {
  double label;
  SVF_TRY(take_label(from, c, &label, message));
  for (uint64_t last = 0, index, count = 0; !done(from, c->at); last = index, count++) {
    cursor token = *c;
    SVF_TRY(take_index(from, c, &index, message));
    if (count && index <= last) return refuse(from, &token, "indices must ascend", message);
    from->zero |= index == 0;
    if (index > from->top) from->top = index;
    while (!token_ends(from, c->at)) c->at++;
    c->at = skip(from, c->at);
  }
  return SVF_OK;
}

/* Second walk: the values, into the columns. */
static svf_status fill_row(reader *from, cursor *c, size_t row, svf_message *message) {
  svf_raw *raw = &from->raw;
  size_t d = raw->width - 1;
  SVF_TRY(take_label(from, c, &raw->column[d].number[row], message));
  while (!done(from, c->at)) {
    cursor token = *c;
    uint64_t index;
    double value;
    SVF_TRY(take_index(from, c, &index, message));
    const char *end = scan_value(c->at, &value);
    if (!end || !token_ends(from, end)) return refuse(from, &token, "the value must be a number", message);
    if (isinf(value)) return refuse(from, &token, "the value is infinite or too large", message);
    if (index - from->base < d) raw->column[index - from->base].number[row] = value;
    c->at = skip(from, end);
  }
  return SVF_OK;
}

static cursor start(const reader *from) { return (cursor){from->text.begin, from->line}; }

static size_t line_of(const void *source, size_t row) {
  const reader *from = source;
  cursor c = start(from);
  while (next_line(from, &c) && row-- > 0) c.at = svf_text_line_end(&from->text, c.at);
  return c.line;
}

/* The index that a name stands for: x0, x1, ..., written as this file does. */
static bool index_of(const char *name, uint64_t *index) {
  if (!name || *name != 'x' || !name[1] || (name[1] == '0' && name[2])) return false;
  return *scan_index(name + 1, index) == 0 && *index <= MOST_INDEX;
}

static void mention(reader *from, const char *name) {
  uint64_t index;
  if (!index_of(name, &index)) return;
  from->zero |= index == 0;
  if (index > from->top) from->top = index;
}

/* The same for a column that may be given by its number, which is its index or one more. */
static void mention_column(reader *from, const char *text) {
  uint64_t number;
  if (*text && *scan_index(text, &number) == 0 && number <= MOST_INDEX && number > from->top) from->top = number;
  mention(from, text);
}

/* Can the model's features be found by name? */
static bool by_name(const svf_encoding *like) {
  uint64_t index;
  for (size_t f = 0; f < like->features; f++)
    if (strcmp(like->feature[f].name, "label") && !index_of(like->feature[f].name, &index)) return false;
  return like->named;
}

/* The label is the target, whatever the model calls that, unless the user or the model's names say otherwise. */
static void default_target(svf_read_options *options, const svf_encoding *like) {
  uint64_t index;
  bool taken = options->target || index_of(like->target_name, &index);
  taken |= options->weight && strcmp(options->weight, "label") == 0;
  for (size_t i = 0; i < options->drop_count; i++) taken |= strcmp(options->drop[i], "label") == 0;
  if (!taken) options->target = "label";
}

/* From here on the largest index is the largest that is wanted. */
static void want_names(reader *from) {
  svf_read_options *options = &from->raw.options;
  const svf_encoding *like = from->raw.like;
  from->top = 0;
  for (size_t f = 0; f < like->features; f++) mention(from, like->feature[f].name);
  mention(from, like->target_name);
  for (size_t i = 0; i < like->ids.count; i++) mention(from, like->ids.text[i]);
  mention(from, options->target);
  if (options->weight) mention_column(from, options->weight);
  for (size_t i = 0; i < options->drop_count; i++) mention_column(from, options->drop[i]);
  for (size_t i = 0; i < options->keep_count; i++) mention_column(from, options->keep[i]);
  default_target(options, like);
}

static void want_count(reader *from) {
  const svf_read_options *options = &from->raw.options;
  const svf_encoding *like = from->raw.like;
  size_t count = like->features + (options->weight != NULL);
  for (size_t i = 0; i < options->drop_count; i++) count += strcmp(options->drop[i], "label") != 0;
  from->zero |= like->features && strcmp(like->feature[0].name, "x0") == 0;
  from->top = count - from->zero;
}

static svf_status make_columns(reader *from, svf_message *message) {
  svf_raw *raw = &from->raw;
  raw->named = !raw->like || by_name(raw->like);
  if (raw->like && raw->named) want_names(from);
  else if (raw->like) want_count(from);
  from->base = from->zero ? 0 : 1;
  size_t d = (size_t)(from->top + 1 - from->base);
  SVF_TRY(svf_raw_fits(raw, d + 1, message));
  SVF_TRY(svf_raw_widen(raw, d + 1, message));
  for (size_t j = 0; j <= d; j++) {
    char name[24] = "label";
    if (j < d) snprintf(name, sizeof name, "x%zu", j + from->base);
    raw->column[j].number = calloc(raw->n, sizeof(double));
    if (!raw->column[j].number || !svf_raw_name(raw, name, strlen(name))) return svf_no_memory(message, raw->path);
  }
  return svf_raw_roles(raw, message);
}

static svf_status parse(reader *from, const svf_bytes *bytes, svf_table **table, svf_message *message) {
  svf_raw *raw = &from->raw;
  raw->line = line_of;
  raw->source = from;
  SVF_TRY(svf_text_open(bytes, raw->path, &from->text, message));
  for (cursor c = start(from); next_line(from, &c); raw->n++) SVF_TRY(measure_row(from, &c, message));
  if (raw->n == 0) return svf_fail(message, SVF_DATA, "%s: there is no row of data", raw->path);
  SVF_TRY(make_columns(from, message));
  cursor c = start(from);
  for (size_t row = 0; next_line(from, &c); row++) SVF_TRY(fill_row(from, &c, row, message));
  return svf_raw_table(raw, table, message);
}

svf_status svf_libsvm_parse(const svf_bytes *bytes, const svf_read *read, svf_table **table, svf_message *message) {
  reader from = {.line = 1};
  *table = NULL;
  svf_raw_begin(&from.raw, read);
  if (read->span) from.line = read->span->line, from.zero = read->span->zero, from.top = read->span->top;
  svf_status status = parse(&from, bytes, table, message);
  svf_raw_free(&from.raw);
  return status;
}

svf_status svf_libsvm_survey(const svf_bytes *bytes, const char *path, svf_read_span *span, svf_message *message) {
  reader from = {.line = span->line, .zero = span->zero, .top = span->top};
  from.raw.path = path;
  SVF_TRY(svf_text_open(bytes, path, &from.text, message));
  cursor c = start(&from);
  for (span->rows = 0; next_line(&from, &c); span->rows++) SVF_TRY(measure_row(&from, &c, message));
  span->zero = from.zero, span->top = from.top;
  return SVF_OK;
}
