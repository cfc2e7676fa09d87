/* bins.h - the table in bins: every feature as at most 255 bins, one byte per row, column by column; made once per forest.
 *
 * A column of at most `bins` distinct values has a bin for each; one with more is divided so that bins have about the same
 * number of rows. The levels of a category are bins; where there are more levels than bins, the rare ones share the last bin. */
#ifndef SVF_CUT_BINS_H
#define SVF_CUT_BINS_H

#include "cut/columns.h"

enum { SVF_MOST_BINS = 255 };

typedef struct svf_bin_column {
  const uint8_t *bin;      /* n; the number `bins` means missing */
  uint32_t bins;           /* at most 255 */
  const float *low, *high; /* of numbers: the least and the greatest value of each bin */
  svf_column_copy levels;  /* of a category: its levels, without the rows; category is false for numbers */
  const uint8_t *home;     /* of a category: the bin of each level */
  size_t at;               /* first of its bins among those of all columns */
  uint32_t first;          /* its encoded column; of 0/1 columns, that of level 0 */
} svf_bin_column;

typedef struct svf_bins {
  size_t count, total; /* columns; bins of all of them, the missing ones counted */
  svf_bin_column *column;
  const uint32_t *home; /* d: which of them holds an encoded column */
  bool categories;      /* is there any category? */
} svf_bins;

/* For svf_cut.prepare. */
svf_status svf_bins_make(const svf_frame *frame, const svf_settings *settings, svf_pool *pool, svf_arena *arena,
                         const void **prepared, svf_message *message);
/* For svf_cut.sides. */
void svf_bins_sides(const svf_ground *ground, const svf_plane *plane, const uint32_t *rows, size_t n,
                    unsigned char *right);

#endif
