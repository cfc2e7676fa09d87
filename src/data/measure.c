/* measure.c - how good predictions are for a table: the one number that methods and settings are compared by. */
#include "data/measure.h"
#include "data/table.h"

double svf_table_measure(const svf_table *table, const double *values) {
  svf_sum sum = {0, 0};
  for (size_t i = 0; i < table->n && table->task != SVF_TASK_AUTO; i++)
    svf_sum_add(&sum, svf_row_outcome(table->label, table->value, i, values[i]), svf_row_weight(table->weight, i));
  return svf_sum_mean(sum);
}
