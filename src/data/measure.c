/* measure.c - how good predictions are for a table: the one number that methods and settings are compared by. */
#include <math.h>
#include "data/table.h"

double svf_table_measure(const svf_table *table, const double *values) {
  double sum = 0, all = 0;
  for (size_t i = 0; i < table->n && table->task != SVF_TASK_AUTO; i++) {
    double weight = table->weight ? table->weight[i] : 1;
    double error = table->label ? 0 : table->value[i] - values[i];
    sum += weight * (table->label ? (double)table->label[i] == values[i] : error * error);
    all += weight;
  }
  return all > 0 ? sum / all : (double)NAN;
}
