/* test_date.c - dates as text, as days and in the calendar, against a calendar that counts day by day. */
#include <limits.h>
#include "data/date.h"
#include "support/test.h"

typedef struct day {
  int year, month, day, weekday;
} day;

static int length_of(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[month - 1] + (month == 2 && leap);
}

static void next(day *d) {
  d->weekday = d->weekday % 7 + 1;
  if (++d->day <= length_of(d->year, d->month)) return;
  d->day = 1;
  if (++d->month <= 12) return;
  d->month = 1;
  d->year++;
}

static bool parse(const char *text, double *days) { return svf_date_parse(text, strlen(text), days); }

/* All days of the calendar, one after the other. 1970-01-01 was a Thursday. */
static void every_day(void **state) {
  (void)state;
  day d = {1, 1, 1, 1};
  bool seen = false;
  for (double number = SVF_DATE_FIRST; number < SVF_DATE_END; number++, next(&d)) {
    char text[32], back[SVF_DATE_TEXT];
    double days;
    snprintf(text, sizeof text, "%04d-%02d-%02d", d.year, d.month, d.day);
    if (!parse(text, &days) || days != number) fail_msg("%s is read as %.17g, not %.17g", text, days, number);
    if (svf_date_text(number, back) != 10 || strcmp(text, back)) fail_msg("%s is written as %s", text, back);
    svf_moment moment = svf_date_moment(number);
    if (moment.month != d.month || moment.weekday != d.weekday || moment.hour != 0)
      fail_msg("%s is month %d, day %d, hour %d", text, moment.month, moment.weekday, moment.hour);
    if (number == 0) seen = strcmp(text, "1970-01-01") == 0 && d.weekday == 4;
  }
  assert_true(seen);
  assert_int_equal(d.year, 10000);
}

/* What is no day of the calendar: each month has only its days. */
static void no_days(void **state) {
  (void)state;
  for (int year = 1896; year <= 2004; year += 9)
    for (int month = 0; month <= 99; month++)
      for (int d = 0; d <= 99; d++) {
        char text[32];
        double days;
        snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, d);
        bool is = month >= 1 && month <= 12 && d >= 1 && d <= length_of(year, month);
        if (parse(text, &days) != is) fail_msg("%s", text);
      }
}

/* Every second of some days, with its hour. */
static void times(void **state) {
  (void)state;
  static const struct {
    const char *date;
    double day;
  } days[] = {{"1970-01-01", 0}, {"2012-02-29", 15399}, {"0001-01-01", -719162}, {"9999-12-31", 2932896}};
  for (size_t d = 0; d < sizeof days / sizeof *days; d++)
    for (int second = 0; second < 86400; second += 7) {
      char text[40], back[SVF_DATE_TEXT];
      double found;
      int hour = second / 3600;
      snprintf(text, sizeof text, "%sT%02d:%02d:%02d", days[d].date, hour, second / 60 % 60, second % 60);
      assert_true(parse(text, &found) && found == days[d].day + second / 86400.);
      assert_int_equal(svf_date_moment(found).hour, hour);
      if (d < 2 && second) assert_true(svf_date_text(found, back) == 19 && !strcmp(text, back));
    }
}

static void forms(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double days;
  } good[] = {{"1970-01-02T12:00", 1.5},
              {"1970-01-02 12:00", 1.5},
              {"1970-01-02T12:00Z", 1.5},
              {"1970-01-02T12:00:00Z", 1.5},
              {"1970-01-02 12:00:00.000000000", 1.5},
              {"1970-01-02T12:00:00.0000000000001Z", 1.5},
              {"1970-01-02T14:00+02:00", 1.5},
              {"1970-01-02T14:00:00+0200", 1.5},
              {"1970-01-02T14:00:00.0+02", 1.5},
              {"1970-01-02T06:30-05:30", 1.5},
              {"1970-01-01T23:30-00:30", 1},
              {"1970-01-02T00:00-12:00", 1.5},
              {"1970-01-03T00:00:00+12:00", 1.5},
              {"1970-01-01T00:00:00.5", .5 / 86400},
              {"1970-01-01T00:00:00.000000001", 1 / 86400e9}};
  static const char *const bad[] = {
      "",
      "2024",
      "2024-01",
      "20240131",
      "24-01-31",
      "02024-01-31",
      "2024-1-31",
      "2024-01-1",
      "2024/01/31",
      "31.01.2024",
      "2024-01-31T",
      "2024-01-31 ",
      " 2024-01-31",
      "2024-01-31x",
      "2024-01-31Z",
      "2024-01-31+02:00",
      "2024-01-31T12",
      "2024-01-31T12:3",
      "2024-01-31T12:60",
      "2024-01-31T24:00",
      "2024-01-31T12:30:60",
      "2024-01-31T12:30:",
      "2024-01-31T12:30:1",
      "2024-01-31T12:30:00.",
      "2024-01-31T12:30.5",
      "2024-01-31T12:30z",
      "2024-01-31T12:30ZZ",
      "2024-01-31T12:30+",
      "2024-01-31T12:30+2",
      "2024-01-31T12:30+24:00",
      "2024-01-31T12:30+02:60",
      "2024-01-31T12:30+02:",
      "2024-01-31T12:30+020",
      "2024-01-31T12:30 +02:00",
      "2024-01-31  12:30",
      "0000-12-31",
      "-2024-01-31",
      "2023-02-29",
      "1900-02-29",
      "0001-01-01T00:00+00:01",
      "9999-12-31T23:59-00:01",
  };
  double days;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    if (!parse(good[i].text, &days) || days != good[i].days) fail_msg("%s", good[i].text);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (parse(bad[i], &days)) fail_msg("'%s' is taken as %.17g", bad[i], days);
  /* of a text without an end only so many bytes are looked at */
  assert_true(svf_date_parse("2024-01-31Txx", 10, &days) && days == 19753);
  assert_false(svf_date_parse("2024-01-31", 9, &days));
}

/* Each byte of a date replaced by each other, and each prefix: nothing but dates is read, and what is written is. */
static void mangled(void **state) {
  (void)state;
  static const char text[] = "2024-02-29T23:59:59.999999+23:59";
  for (size_t i = 0; i < sizeof text - 1; i++)
    for (int byte = 1; byte <= UCHAR_MAX; byte++) {
      char changed[sizeof text], back[SVF_DATE_TEXT];
      double days, again = 0;
      memcpy(changed, text, sizeof text);
      changed[i] = (char)byte;
      if (!parse(changed, &days)) continue;
      assert_true(days >= SVF_DATE_FIRST && days < SVF_DATE_END);
      assert_true(svf_date_text(days, back) < SVF_DATE_TEXT && parse(back, &again));
      assert_true(fabs(days - again) < 1e-4 / 86400 || fabs(days) > 65536);
    }
  for (size_t length = 0; length < sizeof text; length++) {
    double days;
    bool is =
        length == 10 || length == 16 || length == 19 || (length > 20 && length < 27) || length == 29 || length == 32;
    if (svf_date_parse(text, length, &days) != is) fail_msg("%.*s", (int)length, text);
  }
}

/* Numbers that are no dates of the calendar do no harm, and a time a hair before midnight is that of the next day. */
static void odd_numbers(void **state) {
  (void)state;
  static const double odd[] = {-1e300, -1e9, SVF_DATE_FIRST - 1, SVF_DATE_END, 2932896.9999999999, 1e9, 1e300};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    char text[SVF_DATE_TEXT];
    svf_moment moment = svf_date_moment(odd[i]);
    assert_true(moment.month == (odd[i] < 0 ? 1 : 12) && moment.weekday >= 1 && moment.weekday <= 7);
    assert_true(svf_date_text(odd[i], text) < SVF_DATE_TEXT && strlen(text) >= 10);
  }
  svf_moment late = svf_date_moment(30.9999999999); /* the last day of January */
  assert_true(late.month == 2 && late.hour == 0 && late.weekday == 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_day), cmocka_unit_test(no_days), cmocka_unit_test(times),
      cmocka_unit_test(forms),     cmocka_unit_test(mangled), cmocka_unit_test(odd_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
