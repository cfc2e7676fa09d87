/* consumer.c - a program as a user of the installed library would write it: trains on 20 rows and predicts.
 */
#include <stdio.h>
#include <svforest.h>

enum { ROWS = 20 };

static svf_status make_table(svf_table **table, svf_message *message) {
  static const char *const names[] = {"low", "high"};
  double x[ROWS];
  int32_t label[ROWS];
  for (int i = 0; i < ROWS; i++) x[i] = i, label[i] = i >= ROWS / 2;
  svf_matrix matrix = {.values = x, .rows = ROWS, .columns = 1, .row_stride = 1, .column_stride = 1};
  svf_status status = svf_table_new(&matrix, NULL, table, message);
  return status ? status : svf_table_set_classes(*table, label, names, 2, message);
}

static svf_status count_right(const svf_forest *forest, const svf_table *table, int *right, svf_message *message) {
  double value[ROWS];
  svf_prediction prediction = {.values = value};
  svf_status status = svf_predict(forest, table, NULL, &prediction, message);
  *right = 0;
  for (int i = 0; i < ROWS && !status; i++) *right += value[i] == svf_table_labels(table)[i];
  return status;
}

int main(void) {
  svf_message message;
  svf_table *table = NULL;
  svf_settings *settings = NULL;
  svf_forest *forest = NULL;
  int right = 0;
  svf_status status = make_table(&table, &message);
  if (!status) status = svf_settings_new("rsvt", &settings, &message);
  if (!status) status = svf_train(settings, table, NULL, &forest, &message);
  if (!status) status = count_right(forest, table, &right, &message);
  if (status) fprintf(stderr, "%s\n", message.text);
  else printf("svforest %s: %d of %d right\n", svf_version(), right, ROWS);
  svf_forest_free(forest);
  svf_settings_free(settings);
  svf_table_free(table);
  return status || right < ROWS - 2;
}
