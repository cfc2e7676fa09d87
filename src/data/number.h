/* number.h - from text to the nearest double, whatever the locale. */
#ifndef SVF_DATA_NUMBER_H
#define SVF_DATA_NUMBER_H

#include <stdint.h>

/* Reads [+-]digits[.digits][e[+-]digits], digits on at least one side of the point, as the nearest double
 * (ties to even); too large a number gives an infinity, too small a one a zero. Returns the first byte after
 * the number, or NULL if none starts here. Words (inf, nan) and hexadecimals are not numbers. The text needs
 * an end that is no digit: a 0, a separator, a blank. */
const char *svf_number_scan(const char *text, double *value);

/* The slow way that is always right: digits * 10^exponent, where `begin..end` holds digits and at most one
 * point, which counts. Open for number.c and the tests. */
double svf_number_exact(const char *begin, const char *end, int64_t exponent);

#endif
