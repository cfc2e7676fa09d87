/* csv_lanes.h - short numbers of one column, of several rows at once. */
#ifndef SVF_DATA_CSV_LANES_H
#define SVF_DATA_CSV_LANES_H

#include <stddef.h>
#include <stdint.h>

enum { SVF_CSV_LANES = 8 }; /* rows */

/* Reads SVF_CSV_LANES rows of `width` cells as numbers, those of row r of column j into value[j][row + r], unless value[j] is NULL.
 * The cell ends before text[stop[r * width + j]] and begins after text[stop[r * width + j - 1]]. Bit r of fine[j] tells whether
 * it could be read: so it is if svf_number_short reads it and it has at most eight bytes with its sign. What stands in the
 * place of the others has no meaning. stop[0] must be at least 8, and all below 2^31. */
typedef void (*svf_csv_lanes)(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                              unsigned char *fine);

/* The one for this processor; NULL: it has none. Those are 0, with AVX2, and 1, with AVX-512. */
svf_csv_lanes svf_csv_lanes_choose(void);
svf_csv_lanes svf_csv_lanes_at(size_t index);

#endif
