/* kept_output.h - columns of the input that predict writes in front of its answers. */
#ifndef CLI_KEPT_OUTPUT_H
#define CLI_KEPT_OUTPUT_H

#include "cli.h"
#include "json.h"

/* Their names, or their cells of a row, as CSV with a comma after each. */
void cli_kept_names(FILE *out, const svf_table *table);
void cli_kept_cells(FILE *out, const svf_table *table, size_t row);
/* An object with a list of texts for each, null for a blank cell; nothing if there are none. */
void cli_kept_json(cli_json *json, const svf_table *table);

/* Remarks on ids of the model that the table has not, unless columns were dropped on purpose. */
void cli_kept_note(const cli_args *args, const svf_forest *forest, const svf_table *table);

/* Refuses one that has the name of an answer. */
typedef void (*cli_answer_name)(const void *user, size_t column, FILE *out); /* as CSV */
int cli_kept_check(const svf_table *table, cli_answer_name name, const void *user, size_t answers);

#endif
