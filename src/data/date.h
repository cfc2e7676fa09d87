/* date.h - dates and times as days since 1970-01-01 in UTC, with a fraction; the Gregorian calendar, years 1 to 9999.
 *
 * Read are, as in ISO 8601, YYYY-MM-DD and, after a 'T' or a blank, HH:MM, HH:MM:SS or HH:MM:SS.fff with any number of
 * digits of which nine count; and after a time of day a zone: Z, +HH, +HHMM or +HH:MM. Without a zone a time is UTC.
 * A time of day is a whole number of nanoseconds, and days = day + nanoseconds / 86400e9 is rounded once for the quotient and
 * once for the sum: whoever computes it so has the same bits. */
#ifndef SVF_DATA_DATE_H
#define SVF_DATA_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SVF_DATE_FIRST (-719162.) /* 0001-01-01 */
#define SVF_DATE_END   2932897.   /* 10000-01-01 */

/* True, with the days, if all of the text is a date. */
bool svf_date_parse(const char *text, size_t length, double *days);

/* "2024-01-31", or "2024-01-31T12:30:00.25" if there is a time of day, to the microsecond; what is outside of the calendar is
 * written as its nearest date. Returns the length, which is below SVF_DATE_TEXT. */
enum { SVF_DATE_TEXT = 32 };
size_t svf_date_text(double days, char text[SVF_DATE_TEXT]);

/* Of days to the nearest millisecond: the month 1 to 12, the day of the week 1 (Monday) to 7, the hour 0 to 23. Not for NaN;
 * what is outside of the calendar counts as its nearest date. */
typedef struct svf_moment {
  int month, weekday, hour;
} svf_moment;
svf_moment svf_date_moment(double days);

#endif
