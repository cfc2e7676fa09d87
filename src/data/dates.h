/* dates.h - columns of dates: text becomes days, and what of days an encoded column holds.
 *
 * A date is encoded as its days since 1970-01-01 and, where they vary in the training rows, its month, its day of the week
 * and its hour, in this order; each is scaled like a number. */
#ifndef SVF_DATA_DATES_H
#define SVF_DATA_DATES_H

#include "data/encode.h"

/* What the cells of a column of text are. A cell "NaT" is a missing date. */
typedef struct svf_dates {
  size_t dates, others; /* cells */
  int32_t other;        /* a text that is no date; -1: there is none */
} svf_dates;

/* The days of each level: NaN if it is missing, infinite if it is no date. */
svf_dates svf_dates_of(const svf_column *column, size_t n, double *days);

/* Turns a column of text into days if all its cells are dates or missing, and one is a date or dates are due; leaves others
 * alone. found: what they are. False:
 * memory ran out. */
bool svf_dates_numbers(svf_column *column, size_t n, bool due, svf_dates *found);

/* Does the list of names consist of dates? */
bool svf_dates_only(const svf_names *names);

/* The roles of the encoded columns of a date, from n rows; returns how many. */
enum { SVF_DATE_ROLES = 4 };
uint32_t svf_date_roles(const svf_column *column, size_t n, int32_t role[SVF_DATE_ROLES]);

/* What an encoded column of the role holds of a date; NaN: missing. */
double svf_date_part(int32_t role, double days);

/* The encoded columns of one date. */
void svf_date_encode(const svf_encoded *column, size_t width, double days, float *x);

#endif
