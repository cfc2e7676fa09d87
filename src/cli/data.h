/* data.h - what goes into the library from the command line: tables, models, settings. */
#ifndef CLI_DATA_H
#define CLI_DATA_H

#include "cli.h"

/* Reads a table to learn from with the options of the command line. Adds the seconds it took to *seconds (NULL allowed). */
int cli_read(const cli_args *args, const char *path, svf_table **table, double *seconds);
/* How a table is read that is to be learned from, and what the options then add to it. */
svf_read_options cli_reading(const cli_args *args);
int cli_extend(const cli_args *args, svf_table *table);
/* Loads a model; "-" is standard input. */
int cli_load(const char *path, svf_forest **forest);
/* Reads one more table for a model, found by its name alone. */
int cli_read_like(const cli_args *args, const char *path, const svf_forest *forest, svf_table **table);
/* Loads cuts, rows or leaves of training in parts. */
int cli_load_portion(const char *path, svf_portion_kind kind, svf_portion **portion);
/* Reads a chunk that is to be routed by these cuts. */
int cli_read_chunk(const cli_args *args, const svf_portion *cuts, const char *path, svf_table **chunk);
/* MODEL and DATA of predict, eval and info, of which one at most is standard input. ids: the model's are kept as text. */
int cli_load_both(const cli_args *args, bool ids, svf_forest **forest, svf_table **table);

/* The method that was asked for, or the usual one. */
const char *cli_method(const cli_args *args);
/* The settings of a method with every -s and --seed, checked as far as it goes without data. */
int cli_settings(const cli_args *args, const char *method, svf_settings **settings);
/* Calls back for every setting that these settings read: those of no kind, and those of their own kinds. */
typedef void (*cli_setting_use)(void *user, const svf_setting_info *info, const char *value);
void cli_settings_each(const svf_settings *settings, cli_setting_use use, void *user);

/* What a setting may be: its range, or the kinds of its seam. */
void cli_setting_range(FILE *out, const svf_setting_info *info);

const char *cli_task_name(svf_task task);

#endif
