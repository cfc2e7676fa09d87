/* background.h - training rows that a model keeps, to explain answers against: background=N of them, drawn by the seed. */
#ifndef SVF_FOREST_BACKGROUND_H
#define SVF_FOREST_BACKGROUND_H

#include "base/buffer.h"
#include "data/table.h"
#include "settings/settings.h"

/* How many a table of n rows gives. */
static inline size_t svf_background_rows(const svf_settings *settings, size_t n) {
  return (size_t)settings->background < n ? (size_t)settings->background : n;
}

/* Appends rows of doubles, one per column that is not made, as svf_predictor_row takes them; in the order of the table. */
svf_status svf_background_draw(const svf_settings *settings, const svf_table *table, svf_buffer *rows,
                               svf_message *message);

#endif
