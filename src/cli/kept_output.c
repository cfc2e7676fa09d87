/* kept_output.c - columns of the input that predict writes in front of its answers. */
#include "kept_output.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

void cli_kept_names(FILE *out, const svf_table *table) {
  for (size_t k = 0; k < svf_table_kept(table); k++) {
    cli_csv(out, svf_table_kept_name(table, k));
    fputc(',', out);
  }
}

void cli_kept_cells(FILE *out, const svf_table *table, size_t row) {
  for (size_t k = 0; k < svf_table_kept(table); k++) {
    const char *text = svf_table_kept_text(table, row, k);
    if (*text) cli_csv(out, text);
    fputc(',', out);
  }
}

void cli_kept_json(cli_json *json, const svf_table *table) {
  if (!svf_table_kept(table)) return;
  cli_json_object(json, "kept");
  for (size_t k = 0; k < svf_table_kept(table); k++) {
    cli_json_row(json, svf_table_kept_name(table, k));
    for (size_t row = 0; row < svf_table_rows(table); row++) {
      const char *text = svf_table_kept_text(table, row, k);
      cli_json_text(json, NULL, *text ? text : NULL);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static bool is_kept(const svf_table *table, const char *name) {
  for (size_t k = 0; k < svf_table_kept(table); k++)
    if (strcmp(svf_table_kept_name(table, k), name) == 0) return true;
  return false;
}

void cli_kept_note(const cli_args *args, const svf_forest *forest, const svf_table *table) {
  for (size_t i = 0; i < svf_forest_ids(forest) && !args->drop.count; i++) {
    const char *name = svf_forest_id_name(forest, i);
    if (!is_kept(table, name))
      cli_note(args, "DATA has no column '%s': the predictions are written without this id", name);
  }
}

/* What a function writes to a stream, as text; free() it. */
static char *written(cli_answer_name name, const void *user, size_t column) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out) name(user, column, out);
  if (!out || fclose(out) != 0) exit(cli_fail(CLI_FAULT, "out of memory"));
  return text;
}

static void kept_name(const void *user, size_t kept, FILE *out) { cli_csv(out, svf_table_kept_name(user, kept)); }

int cli_kept_check(const svf_table *table, cli_answer_name name, const void *user, size_t answers) {
  bool clash = false;
  for (size_t k = 0; k < svf_table_kept(table) && !clash; k++) {
    char *kept = written(kept_name, table, k);
    for (size_t j = 0; j < answers && !clash; j++) {
      char *answer = written(name, user, j);
      clash = strcmp(kept, answer) == 0;
      free(answer);
    }
    free(kept);
    if (clash)
      return cli_fail(
          CLI_USAGE,
          "a column of the answers is named '%s' too; rename that of DATA, do not keep it, or --drop an id",
          svf_table_kept_name(table, k));
  }
  return CLI_DONE;
}
