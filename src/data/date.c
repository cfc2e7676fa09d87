/* date.c - see date.h. */
#include "data/date.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 719162 }; /* days from 0001-01-01 to 1970-01-01 */

#define NANOSECONDS INT64_C(86400000000000) /* of a day */

static bool leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

/* Days from 0001-01-01 to the first day of a year, and of a year to the first day of a month, 1 to 13. */
static int64_t before_year(int64_t year) {
  int64_t past = year - 1;
  return 365 * past + past / 4 - past / 100 + past / 400;
}
static int64_t before_month(int64_t year, int month) {
  static const int16_t days[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  return days[month - 1] + (month > 2 && leap(year));
}

/* ---- text ---- */

typedef struct cursor { /* in a text; a failure is remembered */
  const char *at, *end;
  bool failed;
} cursor;

static bool take(cursor *c, char wanted) {
  if (c->at == c->end || *c->at != wanted) return false;
  c->at++;
  return true;
}

/* So many digits, whose number is within low..high. */
static int64_t digits(cursor *c, int count, int64_t low, int64_t high) {
  int64_t number = 0;
  for (; count > 0 && c->at < c->end && *c->at >= '0' && *c->at <= '9'; count--)
    number = 10 * number + (*c->at++ - '0');
  if (count || number < low || number > high) c->failed = true;
  return number;
}

/* The digits after a point, as nanoseconds. */
static int64_t fraction(cursor *c) {
  int64_t number = 0, unit = 100000000;
  const char *begin = c->at;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; unit /= 10) number += unit * (*c->at++ - '0');
  if (c->at == begin) c->failed = true;
  return number;
}

/* Minutes that a zone is ahead of UTC. */
static int64_t zone(cursor *c) {
  if (take(c, 'Z')) return 0;
  int sign = take(c, '+') ? 1 : take(c, '-') ? -1 : 0;
  if (!sign) return 0;
  int64_t minutes = 60 * digits(c, 2, 0, 23);
  if (take(c, ':') || c->at < c->end) minutes += digits(c, 2, 0, 59);
  return sign * minutes;
}

/* Nanoseconds since the midnight in UTC; may be of the day before or after. */
static int64_t time_of_day(cursor *c) {
  int64_t minutes = 60 * digits(c, 2, 0, 23), seconds = 0, rest = 0;
  if (!take(c, ':')) c->failed = true;
  minutes += digits(c, 2, 0, 59);
  if (take(c, ':')) {
    seconds = digits(c, 2, 0, 59);
    if (take(c, '.')) rest = fraction(c);
  }
  minutes -= zone(c);
  return (60 * minutes + seconds) * 1000000000 + rest;
}

static int64_t calendar_day(cursor *c) {
  int64_t year = digits(c, 4, 1, 9999);
  if (!take(c, '-')) c->failed = true;
  int month = (int)digits(c, 2, 1, 12);
  if (!take(c, '-') || c->failed) return c->failed = true, 0;
  int64_t first = before_month(year, month);
  return before_year(year) + first + digits(c, 2, 1, before_month(year, month + 1) - first) - 1 - FIRST;
}

bool svf_date_parse(const char *text, size_t length, double *days) {
  cursor c = {.at = text, .end = text + length};
  int64_t day = calendar_day(&c), time = 0;
  if (!c.failed && (take(&c, 'T') || take(&c, ' '))) time = time_of_day(&c);
  if (c.failed || c.at < c.end) return false;
  int64_t shift = time < 0 ? -1 : time >= NANOSECONDS;
  day += shift, time -= shift * NANOSECONDS;
  *days = (double)day + (double)time / (double)NANOSECONDS;
  return *days >= SVF_DATE_FIRST && *days < SVF_DATE_END; /* a zone may lead out of it */
}

/* ---- the calendar ---- */

typedef struct instant {
  int64_t day, tick; /* since 1970-01-01, since midnight */
} instant;

/* The nearest of so many ticks a day. */
static instant round_to(double days, int64_t ticks) {
  double held = days < SVF_DATE_FIRST ? SVF_DATE_FIRST : days < SVF_DATE_END ? days : SVF_DATE_END - 1;
  double whole = floor(held);
  instant i = {(int64_t)whole, (int64_t)((held - whole) * (double)ticks + 0.5)};
  if (i.tick < ticks) return i;
  if (i.day == (int64_t)SVF_DATE_END - 1) return (instant){i.day, ticks - 1};
  return (instant){i.day + 1, 0};
}

typedef struct date {
  int64_t year, day;
  int month;
} date;

static date date_of(int64_t day) {
  int64_t past = day + FIRST, year = past * 400 / 146097 + 1; /* the year or its neighbour */
  while (before_year(year) > past) year--;
  while (before_year(year + 1) <= past) year++;
  int64_t within = past - before_year(year);
  int month = 1;
  while (before_month(year, month + 1) <= within) month++;
  return (date){year, within - before_month(year, month) + 1, month};
}

svf_moment svf_date_moment(double days) {
  enum { HOUR = 3600000 }; /* milliseconds */
  instant i = round_to(days, 24 * HOUR);
  int64_t since_monday = (i.day + FIRST) % 7; /* 0001-01-01 was a Monday */
  return (svf_moment){date_of(i.day).month, (int)since_monday + 1, (int)(i.tick / HOUR)};
}

size_t svf_date_text(double days, char text[SVF_DATE_TEXT]) {
  instant i = round_to(days, INT64_C(86400000000));
  date d = date_of(i.day);
  int seconds = (int)(i.tick / 1000000), micro = (int)(i.tick % 1000000);
  size_t length =
      (size_t)snprintf(text, SVF_DATE_TEXT, "%04d-%02d-%02d", (int)d.year % 10000, d.month, (int)d.day % 100);
  if (!i.tick) return length;
  length += (size_t)snprintf(text + length, SVF_DATE_TEXT - length, "T%02d:%02d:%02d", seconds / 3600 % 24,
                             seconds / 60 % 60, seconds % 60);
  if (!micro) return length;
  length += (size_t)snprintf(text + length, SVF_DATE_TEXT - length, ".%06d", micro);
  while (text[length - 1] == '0') text[--length] = 0;
  return length;
}
