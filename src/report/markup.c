/* markup.c - text and numbers as HTML. */
#include "report/markup.h"
#include "data/date.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(svf_buffer *out, const char *text) { svf_buffer_add(out, text, strlen(text)); }

/* ---- text ---- */

/* Length of the character at the start of the text if it is UTF-8 (RFC 3629) that XML allows, else 0. */
static size_t character(const unsigned char *at) {
  static const struct {
    unsigned char first, last, low, high, length; /* lead byte, bounds of the second byte */
  } form[] = {{0x20, 0x7e, 0, 0, 1},       {0xc2, 0xc2, 0xa0, 0xbf, 2}, {0xc3, 0xdf, 0x80, 0xbf, 2},
              {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
              {0xee, 0xee, 0x80, 0xbf, 3}, {0xef, 0xef, 0x80, 0xbe, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
              {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
  for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
    if (at[0] < form[i].first || at[0] > form[i].last) continue;
    if (form[i].length > 1 && (at[1] < form[i].low || at[1] > form[i].high)) return 0;
    for (size_t j = 2; j < form[i].length; j++)
      if ((at[j] & 0xc0) != 0x80) return 0;
    return form[i].length;
  }
  return 0;
}

/* Writes one character and returns its bytes. */
static size_t put_character(svf_buffer *out, const unsigned char *at) {
  size_t length = character(at);
  if (!length) put(out, "\xef\xbf\xbd");
  else if (strchr("<>&\"'", *at)) svf_buffer_print(out, "&#%d;", *at);
  else svf_buffer_add(out, at, length);
  return length ? length : 1;
}

void svf_markup_text(svf_buffer *out, const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at;) at += put_character(out, at);
}

void svf_markup_name(svf_buffer *out, const char *text, size_t most) {
  const unsigned char *at = (const unsigned char *)text, *cut = at;
  size_t count = 0;
  for (; *at && count <= most; count++) {
    size_t length = character(at);
    if (count + 1 < most) cut = at + (length ? length : 1);
    at += length ? length : 1;
  }
  if (count <= most) {
    svf_markup_text(out, text);
    return;
  }
  for (at = (const unsigned char *)text; at < cut;) at += put_character(out, at);
  put(out, "…");
}

/* ---- numbers ---- */

/* The library does not choose the locale, and pages have a point. */
static void put_digits(svf_buffer *out, const char *format, int digits, double number) {
  char text[400]; /* as many as the largest double has */
  snprintf(text, sizeof text, format, digits, number);
  for (char *c = text; *c; c++)
    if (!strchr("0123456789+-einfa", *c)) *c = '.';
  put(out, text[0] == '-' && strspn(text, "-0.") == strlen(text) ? text + 1 : text);
}

void svf_markup_number(svf_buffer *out, double number) {
  double size = fabs(number);
  if (isnan(number)) put(out, "–");
  else if (isinf(number)) put(out, number > 0 ? "∞" : "−∞");
  else if (size < 1e15 && size == floor(size) && size < 1e7) put_digits(out, "%.*f", 0, number);
  else if (size >= 1e4 && size < 1e7) put_digits(out, "%.*f", 0, number);
  else if (size >= 1e3 && size < 1e4) put_digits(out, "%.*f", 1, number);
  else put_digits(out, "%.*g", 4, number);
}

void svf_markup_short(svf_buffer *out, double number) {
  static const char *const unit[] = {"k", "M", "G"};
  int u = -1;
  for (double size = fabs(number); u < 2 && size < 1e15 && size >= (u < 0 ? 1e4 : 1e3); size /= 1e3) u++;
  svf_markup_number(out, u < 0 ? number : number / pow(1e3, u + 1));
  if (u >= 0) put(out, unit[u]);
}

void svf_markup_percent(svf_buffer *out, double share) {
  if (isnan(share)) put(out, "–");
  else put_digits(out, "%.*f", share > 0 && share < .001 ? 3 : 1, 100 * share), put(out, "%");
}

void svf_markup_date(svf_buffer *out, double days) {
  char text[SVF_DATE_TEXT];
  if (isnan(days)) put(out, "–");
  else svf_buffer_add(out, text, svf_date_text(days, text));
}

void svf_markup_count(svf_buffer *out, size_t count) {
  char text[32];
  int length = snprintf(text, sizeof text, "%zu", count);
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0) put(out, ",");
    svf_buffer_add(out, text + i, 1);
  }
}

void svf_markup_place(svf_buffer *out, double place) {
  long tenths = lround(fmax(-1e6, fmin(1e6, place)) * 10);
  svf_buffer_print(out, tenths < 0 ? "-%ld" : "%ld", labs(tenths) / 10);
  if (tenths % 10) svf_buffer_print(out, ".%ld", labs(tenths) % 10);
}
