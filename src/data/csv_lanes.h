/* csv_lanes.h - numbers of one column, of several rows at once. */
#ifndef SVF_DATA_CSV_LANES_H
#define SVF_DATA_CSV_LANES_H

#include <stddef.h>
#include <stdint.h>

enum { SVF_CSV_LANES = 8, SVF_CSV_BACK = 32 }; /* rows; bytes before the end of a cell that are looked at */

/* Reads SVF_CSV_LANES rows of `width` cells as numbers, those of row r of column j into value[j][row + r], unless value[j] is NULL.
 * The cell ends before text[stop[r * width + j]] and begins after text[stop[r * width + j - 1]]. Bit r of fine[j] tells whether
 * it could be read, as the nearest double: so it is if it is a minus sign or none, 1..19 digits and a point or none (but not
 * always one that is all but midway between two doubles). What stands in the place of the others has no
 * meaning. stop[0] must be at least SVF_CSV_BACK, and all below 2^31. */
typedef void (*svf_csv_lanes)(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                              unsigned char *fine);

/* csv_fill.c: they are numbered like the tables of la.h; NULL: this processor cannot run that one, or it is the portable one, which
 * has none. */
svf_csv_lanes svf_csv_lanes_at(size_t index);

#endif
