/* scenarios.c - see scenarios.h. Results are hashed, so that one that survived a failure can be compared. */
#include "scenarios.h"

#include <stdio.h>
#include <string.h>
#include "base/status.h"
#include "data/input.h"

enum { SCORES = 3 * SCENE_ROWS };

/* FNV-1a */
static void hash(scene *s, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++) s->hash = (s->hash ^ at[i]) * 0x100000001b3u;
}

static void hash_text(scene *s, const char *text) {
  if (text) hash(s, text, strlen(text) + 1);
}

void scene_free(scene *s) {
  for (int i = 0; i < 2; i++) {
    svf_table_free(s->table[i]);
    svf_settings_free(s->settings[i]);
  }
  for (int i = 0; i < 4; i++) svf_forest_free(s->forest[i]);
}

/* ---- what comes in ------------------------------------------------------------------------------ */

static void hash_table(scene *s, const svf_table *table) {
  size_t n = svf_table_rows(table);
  for (size_t j = 0; j < svf_table_columns(table); j++) {
    hash_text(s, svf_table_column_name(table, j));
    for (size_t i = 0; i < n; i++) {
      double x = svf_table_number(table, i, j);
      hash(s, &x, sizeof x);
    }
  }
  for (size_t c = 0; c < svf_table_classes(table); c++) hash_text(s, svf_table_class_name(table, c));
  if (svf_table_labels(table)) hash(s, svf_table_labels(table), n * sizeof(int32_t));
  if (svf_table_values(table)) hash(s, svf_table_values(table), n * sizeof(double));
  if (svf_table_weights(table)) hash(s, svf_table_weights(table), n * sizeof(double));
  for (size_t k = 0; k < svf_table_kept(table); k++)
    for (size_t i = 0; i < n; i++) hash_text(s, svf_table_kept_text(table, i, k));
}

static svf_status read_rows(scene *s, const char *path) {
  static const char *const drop[] = {"the, shade"};
  bool csv = strncmp(path, "rows.csv", 8) == 0;
  static const char *const keep[] = {"1", "2"};
  svf_read_options options = {
      .threads = 1, .weight = csv ? "w" : NULL, .drop = drop, .drop_count = csv, .keep = keep, .keep_count = 2};
  SVF_TRY(svf_table_read(path, &options, &s->table[0], &s->message));
  hash_table(s, s->table[0]);
  return SVF_OK;
}

/* Chunks of a few rows, read by three threads. */
static svf_status read_chunks(scene *s, const char *path) {
  static const char *const keep[] = {"colour"};
  svf_read_options options = {.threads = 3, .weight = "w", .keep = keep, .keep_count = 1};
  svf_read read = {.path = path, .options = &options, .chunk = 100};
  svf_input input;
  if (!svf_input_open(path, &input)) return svf_fail(&s->message, SVF_IO, "no %s", path);
  svf_status status = svf_csv_read(&input, &read, &s->table[0], &s->message);
  svf_input_close(&input);
  if (!status) hash_table(s, s->table[0]);
  return status;
}

/* details: "copy", "borrow", or "apart": columns that lie apart. */
static svf_status from_memory(scene *s, const char *details) {
  static const char *const names[] = {"a", "b"}, *const levels[] = {"low", "middle", "high"};
  const float x[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const double value[] = {0.5, 1, 2, 3};
  const int32_t label[] = {0, 1, 2, 1}, code[] = {2, -1, 0, 1};
  const svf_matrix matrix = {x, 1, 4, 2, 2, 1};
  svf_message *message = &s->message;
  const svf_matrix column[] = {{x, 1, 4, 1, 2, 1}, {x + 1, 1, 4, 1, 2, 1}};
  bool borrow = !strcmp(details, "borrow"), apart = !strcmp(details, "apart");
  if (apart) SVF_TRY(svf_table_borrow_columns(column, 2, names, &s->table[0], message));
  else SVF_TRY((borrow ? svf_table_borrow : svf_table_new)(&matrix, names, &s->table[0], message));
  SVF_TRY(svf_table_set_categories(s->table[0], 1, code, levels, 3, message));
  SVF_TRY(svf_table_set_values(s->table[0], value, message));
  SVF_TRY(svf_table_set_classes(s->table[0], label, levels, 3, message));
  SVF_TRY(svf_table_set_weights(s->table[0], value, message));
  hash_table(s, s->table[0]);
  return SVF_OK;
}

/* Makes a set, writes it, takes rows of it, and deals them out. */
static svf_status synth(scene *s, const char *kind) {
  svf_synth_options options = {.rows = 20};
  const size_t rows[] = {3, 1, 4, 1, 5};
  int32_t fold[20];
  svf_message *message = &s->message;
  SVF_TRY(svf_table_synth(kind, &options, &s->table[0], NULL, message));
  hash_table(s, s->table[0]);
  SVF_TRY(svf_table_write(s->table[0], "made.csv", message));
  SVF_TRY(svf_table_folds(s->table[0], 3, 1, fold, message));
  hash(s, fold, sizeof fold);
  SVF_TRY(svf_table_holdout(s->table[0], 0.3, 1, fold, message));
  hash(s, fold, sizeof fold);
  SVF_TRY(svf_table_take(s->table[0], rows, 5, &s->table[1], message));
  hash_table(s, s->table[1]);
  return SVF_OK;
}

/* ---- from settings to predictions --------------------------------------------------------------- */

/* details: "METHOD NAME=VALUE ..." */
static svf_status configure(scene *s, const char *details) {
  char text[256];
  snprintf(text, sizeof text, "%s", details);
  char *rest, *word = strtok_r(text, " ", &rest);
  SVF_TRY(svf_settings_new(word, &s->settings[0], &s->message));
  while ((word = strtok_r(NULL, " ", &rest))) {
    char *value = strchr(word, '=');
    *value++ = 0;
    SVF_TRY(svf_settings_set(s->settings[0], word, value, &s->message));
  }
  return SVF_OK;
}

static void hash_forest(scene *s, const svf_forest *forest) {
  size_t size;
  const void *bytes = svf_forest_bytes(forest, &size);
  hash(s, bytes, size);
}

static svf_status predict(scene *s, const svf_forest *forest, const svf_table *table) {
  double value[SCENE_ROWS] = {0}, score[SCORES] = {0}, probability[SCORES] = {0};
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  svf_run run = {.threads = 1};
  double spread[SCENE_ROWS] = {0};
  svf_prediction prediction = {.values = value, .scores = score};
  if (info.classes) prediction.probabilities = probability;
  else if (strncmp(info.method, "boost", 5)) prediction.spreads = spread; /* trees that are added up have none */
  SVF_TRY(svf_predict(forest, table, &run, &prediction, &s->message));
  hash(s, value, sizeof value);
  hash(s, score, sizeof score);
  hash(s, probability, sizeof probability);
  hash(s, spread, sizeof spread);
  return SVF_OK;
}

/* One row of zeros. */
static svf_status predict_row(scene *s, const svf_forest *forest) {
  double row[16] = {0}, value = 0;
  svf_prediction prediction = {.values = &value};
  svf_predictor *predictor;
  SVF_TRY(svf_predictor_new(forest, &predictor, &s->message));
  svf_status status = svf_predictor_row(predictor, row, &prediction, &s->message);
  svf_predictor_free(predictor);
  hash(s, &value, sizeof value);
  return status;
}

static svf_status dump(scene *s, const svf_forest *forest) {
  char text[256];
  svf_tree_info tree;
  svf_forest_tree(forest, 0, &tree);
  for (size_t leaf = 0; leaf < tree.leaves; leaf++) {
    if (!svf_forest_leaf_text(forest, 0, leaf, text, sizeof text))
      return svf_no_memory(&s->message, "the text of a leaf");
    hash_text(s, text);
  }
  return SVF_OK;
}

/* Trains on the file of rows and uses the forest in every way there is. */
static svf_status whole(scene *s, const char *details) {
  svf_message *message = &s->message;
  svf_read_options options = {.threads = 1, .weight = "w"};
  svf_run run = {.threads = 1};
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_settings_copy(s->settings[0], &s->settings[1], message));
  SVF_TRY(svf_table_read("rows.csv", &options, &s->table[0], message));
  SVF_TRY(svf_train(s->settings[1], s->table[0], &run, &s->forest[0], message));
  hash_forest(s, s->forest[0]);
  SVF_TRY(svf_forest_save(s->forest[0], "model.svf", message));
  SVF_TRY(svf_forest_load("model.svf", &s->forest[1], message));
  options.model = s->forest[1];
  SVF_TRY(svf_table_read("rows.csv.gz", &options, &s->table[1], message));
  SVF_TRY(predict(s, s->forest[1], s->table[1]));
  SVF_TRY(predict_row(s, s->forest[1]));
  return dump(s, s->forest[1]);
}

/* Two rounds, then a third one. */
static svf_status more(scene *s, const char *details) {
  svf_message *message = &s->message;
  svf_read_options options = {.threads = 1, .weight = "w"};
  svf_run run = {.threads = 1};
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_read("rows.csv", &options, &s->table[0], message));
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[0], message));
  SVF_TRY(svf_settings_set(s->settings[0], "trees", "3", message));
  SVF_TRY(svf_train_more(s->forest[0], s->settings[0], s->table[0], &run, &s->forest[1], message));
  hash_forest(s, s->forest[1]);
  return SVF_OK;
}

/* A column that names the rows, through the model to the answers. */
static svf_status ids(scene *s, const char *details) {
  static const char *const id[] = {"the, shade"};
  svf_message *message = &s->message;
  svf_read_options options = {.threads = 1, .id = id, .id_count = 1};
  svf_run run = {.threads = 1};
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_read("rows.csv", &options, &s->table[0], message));
  SVF_TRY(svf_train_once(s->settings[0], &s->table[0], &run, &s->forest[0], message));
  SVF_TRY(svf_forest_save(s->forest[0], "model.svf", message));
  SVF_TRY(svf_forest_load("model.svf", &s->forest[1], message));
  hash_text(s, svf_forest_id_name(s->forest[1], 0));
  options = (svf_read_options){.threads = 1, .model = s->forest[1], .keep_ids = 1};
  SVF_TRY(svf_table_read("rows.csv", &options, &s->table[1], message));
  hash_table(s, s->table[1]);
  return predict(s, s->forest[1], s->table[1]);
}

/* Dates, and text of dates in a table of memory. */
static svf_status dates(scene *s, const char *details) {
  static const char *const days[] = {"2024-01-31", "2024-02-01T12:00"}, *const names[] = {"when", "born", "size"};
  svf_message *message = &s->message, remark;
  svf_run run = {.threads = 1};
  double cell[3 * SCENE_ROWS] = {0};
  int32_t code[SCENE_ROWS] = {0, 1, -1};
  svf_matrix matrix = {cell, 0, SCENE_ROWS, 3, 3, 1};
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_read("dates.csv", NULL, &s->table[0], message));
  for (size_t i = 0; svf_table_remark(s->table[0], i, &remark); i++) hash_text(s, remark.text);
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[0], message));
  hash_forest(s, s->forest[0]);
  SVF_TRY(svf_table_write(s->table[0], "made.csv", message));
  SVF_TRY(svf_forest_save(s->forest[0], "model.svf", message));
  SVF_TRY(svf_forest_load("model.svf", &s->forest[1], message));
  SVF_TRY(predict_row(s, s->forest[1]));
  SVF_TRY(svf_table_new(&matrix, names, &s->table[1], message));
  for (size_t j = 0; j < 2; j++) SVF_TRY(svf_table_set_categories(s->table[1], j, code, days, 2, message));
  SVF_TRY(predict(s, s->forest[1], s->table[1]));
  svf_table_free(s->table[1]);
  s->table[1] = NULL;
  svf_read_options options = {.threads = 1, .model = s->forest[1]};
  SVF_TRY(svf_table_read("made.csv", &options, &s->table[1], message));
  return predict(s, s->forest[1], s->table[1]);
}

/* Two parts, the second by way of its bytes, joined. */
static svf_status parts(scene *s, const char *details) {
  svf_message *message = &s->message;
  svf_run run = {.threads = 1};
  size_t size;
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_read("rows.csv", NULL, &s->table[0], message));
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[0], message));
  SVF_TRY(svf_settings_set(s->settings[0], "first_tree", "1", message));
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[1], message));
  const void *bytes = svf_forest_bytes(s->forest[1], &size);
  SVF_TRY(svf_forest_from_bytes(bytes, size, &s->forest[2], message));
  const svf_forest *both[] = {s->forest[2], s->forest[0]};
  SVF_TRY(svf_forest_merge(both, 2, &s->forest[3], message));
  hash_forest(s, s->forest[3]);
  return SVF_OK;
}

/* Training in parts: two chunks, each by way of its bytes, and leaves of all cells. */
static svf_status in_parts(scene *s, const char *details) {
  svf_message *message = &s->message;
  svf_synth_options options = {.rows = 120, .features = 3};
  svf_run run = {.threads = 1};
  svf_portion *portion[5] = {NULL};
  size_t rows[120], size;
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_synth("classification", &options, &s->table[0], NULL, message));
  for (size_t i = 0; i < 120; i++) rows[i] = i;
  svf_status status = svf_partition(s->settings[0], s->table[0], NULL, 120, &run, &portion[0], message);
  for (size_t c = 0; c < 2 && !status; c++) {
    svf_table_free(s->table[1]);
    s->table[1] = NULL;
    status = svf_table_take(s->table[0], rows + 60 * c, 60, &s->table[1], message);
    if (!status) status = svf_route(portion[0], s->table[1], 60 * c, NULL, &run, &portion[1 + c], message);
  }
  const svf_portion *both[] = {portion[2], portion[1]}, *leaves = NULL;
  if (!status) status = svf_fit(portion[0], both, 2, NULL, &run, &portion[3], message);
  const void *bytes = status ? NULL : svf_portion_bytes(portion[3], &size);
  if (!status) status = svf_portion_from_bytes(bytes, size, &portion[4], message);
  leaves = portion[4];
  if (!status) status = svf_portion_merge(portion[0], &leaves, 1, &s->forest[0], message);
  if (!status) status = svf_train(s->settings[0], s->table[0], &run, &s->forest[1], message);
  for (size_t p = 0; p < 5; p++) svf_portion_free(portion[p]);
  if (status) return status;
  hash_forest(s, s->forest[0]);
  hash_forest(s, s->forest[1]);
  return SVF_OK;
}

/* Chunks of a table with categories, joined. */
static svf_status join(scene *s, const char *details) {
  (void)details;
  SVF_TRY(svf_table_read("rows.csv", NULL, &s->table[0], &s->message));
  const svf_table *both[] = {s->table[0], s->table[0]};
  SVF_TRY(svf_table_join(both, 2, &s->table[1], &s->message));
  hash_table(s, s->table[1]);
  return SVF_OK;
}

/* A file in chunks, each read. */
static svf_status chunks(scene *s, const char *path) {
  svf_read_options options = {.threads = 1};
  svf_chunks *all;
  SVF_TRY(svf_chunks_open(path, &options, &all, &s->message));
  size_t count = svf_chunks_divide(all, 2);
  svf_status status = count ? SVF_OK : svf_no_memory(&s->message, "chunks");
  for (size_t c = 0; c < count && !status; c++) {
    svf_table_free(s->table[0]);
    s->table[0] = NULL;
    status = svf_chunks_read(all, c, NULL, &s->table[0], &s->message);
    if (!status) hash_table(s, s->table[0]);
  }
  svf_chunks_free(all);
  return status;
}

/* Some rows of the scene's first table. */
static svf_status read_source(void *user, uint64_t first, size_t rows, const svf_portion *cuts, svf_table **table,
                              svf_message *message) {
  const scene *s = user;
  size_t place[120];
  (void)cuts;
  for (size_t i = 0; i < rows; i++) place[i] = (size_t)first + i;
  return svf_table_take(s->table[0], place, rows, table, message);
}

/* The scratch files of a run that failed. */
static void forget_scratch(const char *folder) {
  static const char *const names[] = {"job",      "cuts",     "rows.0.0", "rows.0.1",
                                      "rows.1.0", "rows.1.1", "leaves.0", "leaves.1"};
  char path[64];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
  remove(folder);
}

/* Training from chunks that the caller makes, by way of scratch files. */
static svf_status from_disk(scene *s, const char *details) {
  svf_synth_options set = {.rows = 120, .features = 3};
  svf_row_source source = {"the table", 120, 4, read_source, s};
  svf_disk_options options = {.folder = "scratch", .model = "disk.svf", .memory = 20000};
  svf_run run = {.threads = 1};
  svf_chunks *all;
  forget_scratch(options.folder);
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_synth("classification", &set, &s->table[0], NULL, &s->message));
  SVF_TRY(svf_chunks_from(&source, &all, &s->message));
  svf_status status = svf_train_from_disk(s->settings[0], all, &options, &run, &s->forest[0], &s->message);
  svf_chunks_free(all);
  forget_scratch(options.folder);
  if (!status) hash_forest(s, s->forest[0]);
  return status;
}

/* Regression on a made set. */
static svf_status values(scene *s, const char *details) {
  svf_synth_options options = {.rows = SCENE_ROWS};
  svf_run run = {.threads = 1};
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_synth("friedman1", &options, &s->table[0], NULL, &s->message));
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[0], &s->message));
  hash_forest(s, s->forest[0]);
  double stage[4 * SCENE_ROWS] = {0}, alone[4 * SCENE_ROWS] = {0};
  svf_stages stages = {.values = stage, .alone = alone};
  SVF_TRY(svf_predict_stages(s->forest[0], s->table[0], &run, &stages, &s->message));
  hash(s, stage, sizeof stage);
  hash(s, alone, sizeof alone);
  return predict(s, s->forest[0], s->table[0]);
}

static const char *const recipes[] = {"square=size^2", "far=distance(size=1,\"the, shade\"=2)"};

/* Features made of columns, weights of classes, out-of-bag answers and importances of a loaded model. */
static svf_status inspect(scene *s, const char *details) {
  static const double class_weight[] = {1, 2, 3};
  svf_message *message = &s->message;
  svf_read_options options = {.threads = 1, .weight = "w"};
  svf_run run = {.threads = 1};
  double values[SCENE_ROWS], curve[2], gain[8], leaf[8], mean[8];
  char text[64];
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_read("rows.csv", &options, &s->table[0], message));
  for (int i = 0; i < 2; i++) SVF_TRY(svf_table_add_feature(s->table[0], recipes[i], message));
  SVF_TRY(svf_table_set_class_weights(s->table[0], class_weight, message));
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[0], message));
  hash_forest(s, s->forest[0]);
  SVF_TRY(svf_forest_save(s->forest[0], "model.svf", message));
  SVF_TRY(svf_forest_load("model.svf", &s->forest[1], message));
  svf_oob_answers answers = {.values = values, .curve = curve};
  SVF_TRY(svf_forest_oob(s->forest[1], s->table[0], &run, &answers, message));
  hash(s, values, sizeof values);
  hash(s, curve, sizeof curve);
  svf_permutation shuffle = {.repeats = 1, .oob = 1, .mean = mean};
  SVF_TRY(svf_forest_permute(s->forest[1], s->table[0], &run, &shuffle, message));
  SVF_TRY(svf_forest_importance(s->forest[1], gain, leaf, message));
  svf_forest_info info;
  svf_forest_describe(s->forest[1], &info);
  size_t bytes = (info.features + info.made) * sizeof *gain;
  hash(s, mean, bytes);
  hash(s, gain, bytes);
  hash(s, leaf, bytes);
  if (!svf_forest_feature_text(s->forest[1], info.features, text, sizeof text))
    return svf_no_memory(message, "the text of a feature");
  hash_text(s, text);
  return SVF_OK;
}

/* What each feature adds to two answers, against rows that the model keeps. */
static svf_status explain_two(scene *s, const svf_forest *forest, const svf_table *table) {
  const size_t two[] = {1, 2};
  double contributions[2 * 3 * 8] = {0}, bases[3] = {0}, answers[2 * 3] = {0};
  svf_explanation e = {.class_code = -1, .contributions = contributions, .bases = bases, .answers = answers};
  svf_run run = {.threads = 1};
  SVF_TRY(svf_table_take(table, two, 2, &s->table[1], &s->message));
  SVF_TRY(svf_explain(forest, s->table[1], &run, &e, &s->message));
  hash(s, contributions, sizeof contributions);
  hash(s, bases, sizeof bases);
  hash(s, answers, sizeof answers);
  return SVF_OK;
}

static svf_status explanations(scene *s, const char *details) {
  svf_synth_options options = {.rows = 20, .features = 8};
  svf_run run = {.threads = 1};
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_synth("friedman1", &options, &s->table[0], NULL, &s->message));
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[0], &s->message));
  hash_forest(s, s->forest[0]);
  SVF_TRY(explain_two(s, s->forest[0], s->table[0]));
  SVF_TRY(svf_forest_calibrate(s->forest[0], s->table[0], &run, &s->forest[1], &s->message));
  hash_forest(s, s->forest[1]);
  return SVF_OK;
}

/* A search for settings; what it found is the best text and score. */
static svf_status tune(scene *s, const char *details) {
  static const char *const tries[] = {"min_leaf=1|9", "features=1|all"};
  svf_synth_options set = {.rows = SCENE_ROWS};
  svf_tune_options options = {.search = SVF_TUNE_GRID, .folds = 2, .tries = tries, .try_count = 2};
  svf_run run = {.threads = 1};
  svf_tuning *tuning;
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_synth("moons", &set, &s->table[0], NULL, &s->message));
  svf_status status = svf_tune(s->settings[0], s->table[0], &options, &run, &tuning, &s->message);
  for (size_t i = 0; status == SVF_OK && i < 4; i++) {
    svf_candidate_info info;
    svf_tuning_candidate(tuning, i, &info);
    hash_text(s, info.settings);
    hash(s, &info.score, sizeof info.score);
  }
  svf_tuning_free(tuning);
  return status;
}

/* A model as C source. */
static svf_status export_c(scene *s, const char *details) {
  svf_run run = {.threads = 1};
  svf_export_options options = {.single = 1};
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_read("rows.csv", NULL, &s->table[0], &s->message));
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[0], &s->message));
  SVF_TRY(svf_forest_export_c(s->forest[0], NULL, "/dev/null", &s->message));
  return svf_forest_export_c(s->forest[0], &options, "/dev/null", &s->message);
}

/* A report on a model of the table of the files, or on a synthetic one of numbers. details: "values; " before the settings for the
 * latter. */
static svf_status report(scene *s, const char *details) {
  static const svf_report_options options = {.resamples = 4};
  svf_synth_options set = {.rows = 40, .features = 5};
  svf_run run = {.threads = 1};
  bool values = !strncmp(details, "values; ", 8);
  SVF_TRY(configure(s, values ? details + 8 : details));
  if (values) SVF_TRY(svf_table_synth("friedman1", &set, &s->table[0], NULL, &s->message));
  else SVF_TRY(svf_table_read("rows.csv", NULL, &s->table[0], &s->message));
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[0], &s->message));
  return svf_forest_report(s->forest[0], s->table[0], &options, &run, "/dev/null", &s->message);
}

/* A committee of one member: of several, one that does not fit would be left out, and another model come out. details: its plan. */
static svf_status committee(scene *s, const char *details) {
  svf_synth_options options = {.rows = SCENE_ROWS};
  svf_auto_options how = {.plan = details};
  svf_permutation shuffle = {.repeats = 1};
  svf_run run = {.threads = 1};
  double gain[2];
  SVF_TRY(svf_settings_new("auto", &s->settings[0], &s->message));
  SVF_TRY(svf_settings_set(s->settings[0], "background", "2", &s->message));
  SVF_TRY(svf_table_synth("moons", &options, &s->table[0], NULL, &s->message));
  SVF_TRY(svf_train_auto(s->settings[0], s->table[0], &how, &run, &s->forest[0], &s->message));
  hash_forest(s, s->forest[0]);
  SVF_TRY(svf_forest_save(s->forest[0], "model.svf", &s->message));
  SVF_TRY(svf_forest_load("model.svf", &s->forest[1], &s->message));
  SVF_TRY(predict(s, s->forest[1], s->table[0]));
  SVF_TRY(predict_row(s, s->forest[1]));
  SVF_TRY(explain_two(s, s->forest[1], s->table[0]));
  SVF_TRY(svf_forest_importance(s->forest[1], gain, NULL, &s->message));
  SVF_TRY(svf_forest_permute(s->forest[1], s->table[0], &run, &shuffle, &s->message));
  hash(s, gain, sizeof gain);
  hash(s, &shuffle.result, sizeof shuffle.result);
  return SVF_OK;
}

static int go_on(void *user, const svf_progress *progress) {
  (void)user, (void)progress;
  return 0;
}

/* Three threads and a callback: which call fails then differs from run to run, what must hold does not. */
static svf_status threads(scene *s, const char *details) {
  svf_synth_options options = {.rows = SCENE_ROWS};
  svf_run run = {.threads = 3, .callback = go_on};
  SVF_TRY(configure(s, details));
  SVF_TRY(svf_table_synth("moons", &options, &s->table[0], NULL, &s->message));
  SVF_TRY(svf_train(s->settings[0], s->table[0], &run, &s->forest[0], &s->message));
  hash_forest(s, s->forest[0]);
  return SVF_OK;
}

const scenario scenarios[] = {
    {"C source", export_c, "ls-svm"},
    {"C source of cuts of levels", export_c, "rf trees=1"},
    {"report", report, "rf trees=1"},
    {"report of numbers", report, "values; rf trees=1"},
    {"committee", committee, "effort=1 task=class folds=2 repeats=1; rf trees=2"},
    {"read CSV", read_rows, "rows.csv"},
    {"read CSV in chunks", read_chunks, "rows.csv"},
    {"read CSV in one walk", read_chunks, "plain.csv"},
    {"read gzip", read_rows, "rows.csv.gz"},
    {"read LIBSVM", read_rows, "rows.libsvm"},
    {"read NPY", read_rows, "rows.npy"},
    {"CSV in chunks", chunks, "rows.csv"},
    {"LIBSVM in chunks", chunks, "rows.libsvm"},
    {"NPY in chunks", chunks, "rows.npy"},
    {"from disk", from_disk, "rsvt-full trees=1 partition_rows=100 C=1 folds=0"},
    {"table from memory", from_memory, "copy"},
    {"table in memory", from_memory, "borrow"},
    {"table in memory", from_memory, "apart"},
    {"synth classification", synth, "classification"},
    {"synth mixture", synth, "mixture"},
    {"synth friedman1", synth, "friedman1"},
    {"rsvt", whole, "rsvt trees=2 rows=bootstrap"},
    {"rsvt-full", whole, "rsvt-full trees=1 range=cell scale=standard vote=mean C_draws=2"},
    {"hinge", whole, "linear-svm loss=hinge rest_weight=class vote=max-confidence"},
    {"one-vs-one", whole, "linear-svm multiclass=one-vs-one C=1 folds=0"},
    {"Crammer-Singer", whole, "linear-svm multiclass=crammer-singer C_grid=1,2"},
    {"constant leaves", whole, "rsvt leaf=constant trees=2 rows=subsample vote=weighted"},
    {"rf", whole, "rf trees=2 criterion=entropy"},
    {"et", whole, "et trees=2"},
    {"et-svm", whole, "et-svm trees=1 C=1 folds=0 min_leaf=4"},
    {"rf values", values, "rf trees=2"},
    {"et values", values, "et trees=2"},
    {"boost", whole, "boost trees=3 stop_rounds=1 learning_rate=1"},
    {"boost, more rounds", more, "boost trees=2 stop_rounds=0"},
    {"boost, values", values, "boost trees=2 boost_loss=absolute rows=subsample stop_rounds=0"},
    {"boost, linear leaves", values, "boost-l trees=2 stop_rounds=0"},
    {"boost, huber", values, "boost trees=2 boost_loss=huber stop_rounds=0"},
    {"bins", whole, "rf trees=2 cut=histogram max_leaves=6"},
    {"bins, values", values, "rf trees=2 cut=histogram rows=all"},
    {"out of bag and importance", inspect, "rsvt-full trees=2 rows=bootstrap C=1 class_weight=given"},
    {"constant leaves, pruned", inspect,
     "rsvt-full trees=2 rows=balanced leaf=constant class_weight=given prune=0.3"},
    {"machines, pruned", whole, "rsvt-full trees=1 prune=0.3 C=1"},
    {"statistics of categories", inspect, "rsvt-full trees=2 rows=bootstrap C=1 class_weight=given one_hot_levels=2"},
    {"single precision", whole, "rsvt trees=1 C=1 precision=single"},
    {"explanations by trees", explanations, "tbrf-l trees=2 cells=2 background=2"},
    {"rows held apart", values, "rf trees=1 interval=conformal"},
    {"explanations by orders", explanations, "random-projection trees=1 max_depth=2 background=2"},
    {"tune", tune, "rf trees=1"},
    {"ids", ids, "rf trees=1 max_depth=1"},
    {"dates", dates, "rsvt trees=1 C=1 folds=0"},
    {"in parts", in_parts, "rf trees=1 max_depth=2 partition_rows=100"},
    {"in parts, empty cells", in_parts, "tbrf-c trees=1 cells=2 range=cell tree_candidates=1 partition_rows=100"},
    {"joined tables", join, ""},
    {"parts", parts, "rsvt trees=1 rows=bootstrap C=1 vote=weighted"},
    {"values", values, "rsvt leaf=constant trees=2 rows=bootstrap vote=mean"},
    {"canonical correlation", whole, "ccf trees=2"},
    {"rotation forest", whole, "rotation-forest trees=2 leaf=ls-svm C_grid=1,10 calibration=logistic"},
    {"random rotation", whole, "random-rotation trees=2"},
    {"random projection", values, "random-projection trees=2 leaf=ls-svm leaf_features=quadratic"},
    {"rsvf", whole, "rsvf trees=1 cut_candidates=2 threshold_candidates=2 overlap=0,0.1 max_depth=1"},
    {"rsvf, exact", whole, "rsvf trees=1 cut_candidates=2 threshold_candidates=1 screen=exact max_depth=1"},
    {"out-of-bag drop, values", values,
     "random-projection trees=1 pick=oob-drop keep=1 cut_candidates=2 max_depth=2 rows=subsample"},
    {"Gaussian machine", values, "ls-svm widths=0.5,1 C_grid=1,10"},
    {"Gaussian machines, rows held out", whole,
     "ls-svm cut=random trees=1 min_leaf=9 widths=1 C_grid=1 selection=holdout"},
    {"Gaussian margin machine", whole, "rbf-svm C_grid=1,10"},
    {"kernels to choose from", whole, "rf-svm trees=1 kernel=mixed kernel_choice=leaf degrees=1,2 C_grid=1,10"},
    {"chi-square, one-vs-rest", whole, "chi2-svm C=1 multiclass=one-vs-rest folds=0 precision=double"},
    {"bound", parts, "rcf trees=1 degrees=1,3 C_grid=1,10 choice_trees=1 max_depth=1"},
    {"bound, C of the leaf", whole, "rcf trees=1 degrees=2,3 C_grid=1,10 C_choice=leaf sequences=all max_depth=1"},
    {"threads", threads, "rsvt trees=4 C=1"},
    {"two stages", values, "tbrf-c trees=2 cells=3 tree_candidates=2 range=cell"},
    {"two stages, oblique machines", values,
     "tbrf-l trees=1 cells=2 oblique=yes candidate_risk=leaf splits_per_row=0.2"},
    {"two stages, classes", whole, "tbrf-c trees=2 cells=3 tree_candidates=2 vacancy=nn prefixes=yes"},
    {"two stages, threads", threads, "tbrf-c trees=1 cells=3 tree_candidates=2"},
    {"learned metric", values, "ls-svm kernel=laplace metric=full metric_rounds=1 widths=0.5,1 C_grid=1,10"},
    {"chosen metric", whole, "metric-forest trees=1 cell_rows=30 metric_rounds=1 widths=1 C_grid=10"},
    {"metric of the leaf", whole,
     "xrfm cell_rows=30 metric_rounds=1 metric_judges=0.3 widths=0.5,1 C_grid=10 direction_rows=20"},
    {"Voronoi cells", values, "vp-svm cells=3 widths=0.5,1 C_grid=1,10"},
};
const size_t scenario_count = sizeof scenarios / sizeof *scenarios;
