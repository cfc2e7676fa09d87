/* number_text.c - see number_text.h. */
#include "base/number_text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* 17 digits always tell two doubles apart; rounding to so many from a few more is as good as from all. */
enum { MOST_DIGITS = 17, DRAFT_DIGITS = 25, SURE_DIGITS = 15, WHOLE_LIMIT = 16, SMALLEST_PLAIN = -4 };

typedef struct decimal { /* d.ddd * 10^exponent */
  char digit[DRAFT_DIGITS];
  int count, exponent;
} decimal;

static char *put(char *out, const char *digit, int count) {
  for (int i = 0; i < count; i++) *out++ = digit[i];
  return out;
}

static char *pad(char *out, int count) {
  for (; count > 0; count--) *out++ = '0';
  return out;
}

/* More digits than may be needed, out of "d.ddde+xx", where the locale chose what stands for the point. */
static decimal draft(double value) {
  char text[64];
  decimal number = {.count = 0};
  snprintf(text, sizeof text, "%.*e", DRAFT_DIGITS - 1, value);
  const char *c = text;
  for (; *c != 'e'; c++)
    if (*c >= '0' && *c <= '9' && number.count < DRAFT_DIGITS) number.digit[number.count++] = *c;
  number.exponent = atoi(c + 1);
  return number;
}

/* The first `count` digits, the last of them rounded. */
static decimal rounded(decimal number, int count) {
  bool up = number.digit[count] >= '5';
  for (number.count = count; up && count > 0; count--) {
    up = number.digit[count - 1] == '9';
    number.digit[count - 1] = up ? '0' : (char)(number.digit[count - 1] + 1);
  }
  if (up) {
    number.digit[0] = '1'; /* all were 9 */
    number.exponent++;
  }
  while (number.count > 1 && number.digit[number.count - 1] == '0') number.count--;
  return number;
}

/* Whole digits and an exponent: a text that means the same in every locale. */
static double read_back(const decimal *number) {
  char text[64];
  char *end = put(text, number->digit, number->count);
  snprintf(end, 32, "e%d", number->exponent - number->count + 1);
  return strtod(text, NULL);
}

/* A normal number that has a text of at most SURE_DIGITS digits is that text when rounded to so many; below
 * the normal range one digit may be enough. */
static decimal shortest(double value) {
  decimal all = draft(value);
  for (int digits = value < DBL_MIN ? 1 : SURE_DIGITS;; digits++) {
    decimal number = rounded(all, digits);
    if (digits == MOST_DIGITS || read_back(&number) == value) return number;
  }
}

static char *plain(char *out, const decimal *number) {
  int whole = number->exponent + 1; /* digits before the point */
  if (whole <= 0) {
    out = pad(put(out, "0.", 2), -whole);
    return put(out, number->digit, number->count);
  }
  if (number->count <= whole) return pad(put(out, number->digit, number->count), whole - number->count);
  out = put(out, number->digit, whole);
  *out++ = '.';
  return put(out, number->digit + whole, number->count - whole);
}

static char *scientific(char *out, const decimal *number) {
  *out++ = number->digit[0];
  if (number->count > 1) *out++ = '.';
  out = put(out, number->digit + 1, number->count - 1);
  return out + sprintf(out, "e%+d", number->exponent);
}

size_t svf_number_text(double value, char *buffer) {
  if (isnan(value)) return (size_t)sprintf(buffer, "nan");
  if (isinf(value)) return (size_t)sprintf(buffer, value < 0 ? "-inf" : "inf");
  if (fabs(value) < 1e15 && value == (double)(long long)value)
    return (size_t)sprintf(buffer, "%lld", (long long)value);
  char *out = buffer;
  if (value < 0) *out++ = '-';
  decimal number = shortest(fabs(value));
  int at = number.exponent;
  out = at >= SMALLEST_PLAIN && at < WHOLE_LIMIT ? plain(out, &number) : scientific(out, &number);
  *out = 0;
  return (size_t)(out - buffer);
}
