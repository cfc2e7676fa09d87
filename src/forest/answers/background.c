/* background.c - see background.h. */
#include "forest/answers/background.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

static double cell(const svf_column *column, size_t row) {
  if (column->code) return column->code[row] < 0 ? (double)NAN : column->code[row];
  double x = svf_column_numeric(column) ? svf_column_number(column, row) : (double)NAN;
  return isnan(x) ? (double)NAN : x; /* one of the NaNs that there are */
}

/* Row i is taken with the chance that is left for it: `wanted` rows of n, each set of them as likely (Knuth's algorithm S). */
svf_status svf_background_draw(const svf_settings *settings, const svf_table *table, svf_buffer *rows,
                               svf_message *message) {
  size_t wanted = svf_background_rows(settings, table->n), d = svf_table_inputs(table);
  svf_random random = svf_random_at((svf_place){.seed = (uint64_t)settings->seed, .use = SVF_USE_BACKGROUND});
  for (size_t i = 0; i < table->n && wanted; i++) {
    if (svf_random_below(&random, table->n - i) >= wanted) continue;
    double *row = svf_buffer_grow(rows, d * sizeof *row);
    if (!row) return svf_no_memory(message, "the background rows");
    for (size_t j = 0; j < d; j++) row[j] = cell(&table->column[j], i);
    wanted--;
  }
  return SVF_OK;
}
