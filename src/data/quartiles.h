/* quartiles.h - the middle half of a column: what its unit is, whatever outliers it has. */
#ifndef SVF_DATA_QUARTILES_H
#define SVF_DATA_QUARTILES_H

#include <stdbool.h>
#include <stddef.h>

/* A difference of so much of the numbers themselves is rounding. */
#define SVF_ROUNDING (4 * 2.220446049250313e-16)

/* Puts the value of that rank where sorting would, with nothing larger on its left; n > rank, no NaN. */
void svf_put_rank(double *value, size_t n, size_t rank);

/* Half the distance from the first to the third quartile of n > 0 numbers, no NaN: those of ranks (n-1)/4 and n-1-(n-1)/4.
 * (Halves: the range of +-1e308 does not overflow.) Changes the order of the numbers. */
double svf_half_quartile_range(double *value, size_t n);

/* Half the unit of scale=robust. The first of these that is not 0:
 *     the quartile range
 *     the quartile range of the values other than the median, which then is the commonest value
 *     their median distance from it
 * 0: the column is constant. Distances that are rounding of the median count as 0. Spoils the n > 0 numbers, no NaN. */
double svf_half_robust_unit(double *value, size_t n, double median);

/* Does the range (twice half_range) exceed the unit of scale=robust a thousand times? NaN is left out. scratch: room for n. */
bool svf_has_outliers(const double *value, size_t n, double half_range, double median, double *scratch);

#endif
