/* json.c - a JSON writer: one object to a stream, member by member. */
#include "json.h"
#include "text.h"
#include <math.h>
#include <string.h>

/* Length of the UTF-8 sequence at the start of the text, 0 if it is none (RFC 3629). */
static size_t sequence(const unsigned char *text) {
  static const struct {
    unsigned char first, last, low, high; /* lead byte, and bounds of the second byte */
    unsigned char length;
  } form[] = {{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
              {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
              {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
    if (text[0] < form[i].first || text[0] > form[i].last) continue;
    if (form[i].length > 1 && (text[1] < form[i].low || text[1] > form[i].high)) return 0;
    for (size_t j = 2; j < form[i].length; j++)
      if ((text[j] & 0xc0) != 0x80) return 0;
    return form[i].length;
  }
  return 0;
}

static void quote(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    size_t length = sequence(at);
    if (length == 0) fputs("\\ufffd", out);
    else if (*at == '"' || *at == '\\') fprintf(out, "\\%c", *at);
    else if (*at < 0x20) fprintf(out, "\\u%04x", *at);
    else fwrite(at, 1, length, out);
    at += length ? length : 1;
  }
  fputc('"', out);
}

static void break_line(cli_json *json, int depth) { fprintf(json->out, "\n%*s", 2 * depth, ""); }

/* What stands before a member: comma, line break, key. */
static void lead(cli_json *json, const char *key) {
  if (json->depth == 0) return;
  bool flat = json->level[json->depth - 1].flat, started = json->level[json->depth - 1].started;
  if (started) fputs(flat ? ", " : ",", json->out);
  if (!flat) break_line(json, json->depth);
  json->level[json->depth - 1].started = true;
  if (!key) return;
  quote(json->out, key);
  fputs(": ", json->out);
}

static void enter(cli_json *json, const char *key, const char *ends, bool flat) {
  lead(json, key);
  fputc(ends[0], json->out);
  json->level[json->depth].end = ends[1];
  json->level[json->depth].flat = flat;
  json->level[json->depth++].started = false;
}

void cli_json_begin(cli_json *json, FILE *out) {
  json->out = out;
  json->depth = 0;
  enter(json, NULL, "{}", false);
}

void cli_json_object(cli_json *json, const char *key) { enter(json, key, "{}", false); }
void cli_json_list(cli_json *json, const char *key) { enter(json, key, "[]", false); }
void cli_json_row(cli_json *json, const char *key) { enter(json, key, "[]", true); }

void cli_json_close(cli_json *json) {
  json->depth--;
  if (json->level[json->depth].started && !json->level[json->depth].flat) break_line(json, json->depth);
  fputc(json->level[json->depth].end, json->out);
  if (json->depth == 0) fputc('\n', json->out);
}

void cli_json_text(cli_json *json, const char *key, const char *text) {
  lead(json, key);
  if (text) quote(json->out, text);
  else fputs("null", json->out);
}

void cli_json_number(cli_json *json, const char *key, double number) {
  lead(json, key);
  fputs(isfinite(number) ? cli_number(number).text : "null", json->out);
}

void cli_json_count(cli_json *json, const char *key, size_t count) {
  lead(json, key);
  fprintf(json->out, "%zu", count);
}

void cli_json_flag(cli_json *json, const char *key, bool flag) {
  lead(json, key);
  fputs(flag ? "true" : "false", json->out);
}
