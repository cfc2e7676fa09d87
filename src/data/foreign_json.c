/* foreign_json.c - does a file begin as JSON does? Cells of CSV may hold brackets too ([id],[name] or [1];[2]), so the
 * beginning is followed by the grammar of RFC 8259, as far as it was read. */
#include "data/foreign.h"

#include <string.h>

enum { DEEPEST = 64 };

typedef struct cursor {
  const char *at, *end;
  char open[DEEPEST]; /* the brackets that are open */
  size_t depth;
} cursor;

static void skip_blanks(cursor *c) {
  while (c->at < c->end && strchr(" \t\r\n", *c->at) && *c->at) c->at++;
}

/* A text in quotes; what the end of the sample cuts off counts as fine. */
static bool take_text(cursor *c) {
  if (*c->at++ != '"') return false;
  for (; c->at < c->end && *c->at != '"'; c->at++) {
    if ((unsigned char)*c->at < ' ') return false;
    if (*c->at == '\\' && ++c->at == c->end) return true;
  }
  if (c->at < c->end) c->at++;
  return true;
}

/* A number or one of the three words. */
static bool take_plain(cursor *c) {
  static const char *const word[] = {"true", "false", "null"};
  const char *start = c->at;
  size_t left = (size_t)(c->end - start);
  for (size_t i = 0; i < 3; i++) {
    size_t length = strlen(word[i]), seen = length < left ? length : left;
    if (memcmp(start, word[i], seen)) continue;
    c->at += seen;
    return true;
  }
  if (*start != '-' && (*start < '0' || *start > '9')) return false;
  while (c->at < c->end && strchr("+-.0123456789eE", *c->at) && *c->at) c->at++;
  return true;
}

/* What follows a value: brackets that close, then a comma. False: neither. */
static bool take_end(cursor *c) {
  for (skip_blanks(c); c->at < c->end && c->depth; skip_blanks(c)) {
    if (*c->at == ',') return c->at++, true;
    if (*c->at++ != (c->open[c->depth - 1] == '{' ? '}' : ']')) return false;
    c->depth--;
  }
  return true;
}

/* The key of a member and its colon. */
static bool take_key(cursor *c) {
  if (!take_text(c)) return false;
  skip_blanks(c);
  return c->at == c->end || *c->at++ == ':';
}

/* The bracket of an object or a list, with the one that closes it if it is empty. */
static bool take_bracket(cursor *c) {
  if (c->depth == DEEPEST) return false;
  c->open[c->depth++] = *c->at++;
  skip_blanks(c);
  bool empty = c->at < c->end && (*c->at == '}' || *c->at == ']');
  return !empty || take_end(c);
}

static bool opens(const cursor *c) { return *c->at == '{' || *c->at == '['; }

/* One value, or the bracket that opens it, and all that ends after it. */
static bool take_value(cursor *c) {
  skip_blanks(c);
  if (c->at < c->end && c->open[c->depth - 1] == '{' && !take_key(c)) return false;
  skip_blanks(c);
  if (c->at == c->end) return true;
  if (opens(c)) return take_bracket(c);
  return (*c->at == '"' ? take_text(c) : take_plain(c)) && take_end(c);
}

/* An object or a list, and after it nothing or another of them, as in a file with one on each line. */
static bool is_json(const char *data, size_t size) {
  cursor c = {.at = data, .end = data + size};
  skip_blanks(&c);
  if (c.at == c.end || !opens(&c)) return false;
  bool fine = take_bracket(&c);
  while (fine && c.depth && c.at < c.end) fine = take_value(&c);
  skip_blanks(&c);
  return fine && (c.at == c.end || opens(&c));
}

svf_status svf_foreign_refuse_json(const char *path, const char *data, size_t size, svf_message *message) {
  if (size > SVF_FOREIGN_LOOK) size = SVF_FOREIGN_LOOK;
  if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0) data += 3, size -= 3;
  if (!is_json(data, size)) return SVF_OK;
  return svf_fail(message, SVF_DATA,
                  "%.400s: is JSON, which svforest does not read; write it as CSV, in Python: "
                  "pandas.read_json(FILE).to_csv('data.csv', index=False); if it is CSV after all, name the format",
                  path);
}
