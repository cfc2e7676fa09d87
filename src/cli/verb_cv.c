/* verb_cv.c - the verb cv: methods compared on the same folds. */
#include "members.h"
#include "data.h"
#include "job.h"
#include "json.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct contender {
  svf_settings *settings;
  double *scores;              /* one per split */
  double training, predicting; /* seconds, all splits together */
  double mean, deviation;
} contender;

typedef struct work {
  const cli_args *args;
  svf_table *table;
  size_t n, count;      /* rows, contenders */
  size_t folds, splits; /* per repeat, in all */
  contender *contender;
  uint64_t seed;
  char *names;    /* the list of methods, cut into words */
  int32_t *fold;  /* n: the fold of each row in this repeat */
  size_t *chosen; /* n: scratch */
  cli_job job;
} work;

/* "a,b,c" into settings of the methods a, b and c. */
static int enter(work *w) {
  bool committee = false;
  w->names = cli_join(cli_method(w->args), "");
  w->contender = CLI_TAKE(contender, strlen(w->names) + 1);
  for (char *name = strtok(w->names, ", "); name; name = strtok(NULL, ", ")) {
    contender *c = &w->contender[w->count++];
    CLI_TRY(cli_settings(w->args, name, &c->settings));
    committee |= cli_is_committee(c->settings);
  }
  if (w->count == 0) return cli_fail(CLI_USAGE, "cv: -m names no method");
  if (!committee) CLI_TRY(cli_committee_refuse("cv", w->args));
  char digits[32];
  if (svf_settings_get(w->contender[0].settings, "seed", digits, sizeof digits) == SVF_OK)
    w->seed = strtoull(digits, NULL, 10);
  return CLI_DONE;
}

static void plan(work *w) {
  w->n = svf_table_rows(w->table);
  w->folds = w->args->holdout > 0 ? 1 : w->args->folds ? w->args->folds : 5;
  w->splits = w->folds * (w->args->repeats ? w->args->repeats : 1);
  w->fold = CLI_TAKE(int32_t, w->n);
  w->chosen = CLI_TAKE(size_t, w->n);
  for (size_t i = 0; i < w->count; i++) w->contender[i].scores = CLI_TAKE(double, w->splits);
}

/* Which rows are tested when: fold[i], or 0 for the test rows of a holdout and 1 for the others. */
static int deal(work *w, size_t repeat) {
  svf_message message;
  uint64_t seed = w->seed + repeat;
  if (w->args->holdout == 0)
    return cli_status(svf_table_folds(w->table, w->folds, seed, w->fold, &message), &message);
  CLI_TRY(cli_status(svf_table_holdout(w->table, w->args->holdout, seed, w->fold, &message), &message));
  for (size_t i = 0; i < w->n; i++) w->fold[i] = !w->fold[i];
  return CLI_DONE;
}

/* The rows in the fold, or those not in it. */
static int part(work *w, size_t fold, bool inside, svf_table **table) {
  svf_message message;
  size_t count = 0;
  for (size_t i = 0; i < w->n; i++)
    if (((size_t)w->fold[i] == fold) == inside) w->chosen[count++] = i;
  return cli_status(svf_table_take(w->table, w->chosen, count, table, &message), &message);
}

static int complain(const contender *c, svf_status status, const svf_message *message) {
  if (status != SVF_USAGE && status != SVF_DATA) return cli_status(status, message);
  return cli_fail(status == SVF_USAGE ? CLI_USAGE : CLI_FAULT, "method %s: %s", svf_settings_method(c->settings),
                  message->text);
}

/* Does the method do this task? Asked of all before the first is trained. */
static int suit(const work *w, const contender *c) {
  svf_message message;
  return complain(c, svf_settings_check(c->settings, svf_table_task(w->table), &message), &message);
}

static svf_status score(work *w, contender *c, const svf_forest *forest, const svf_table *test, size_t split,
                        svf_message *message) {
  size_t n = svf_table_rows(test);
  svf_prediction prediction = {.values = CLI_TAKE(double, n)};
  double start = cli_now();
  svf_status status = svf_predict(forest, test, &w->job.run, &prediction, message);
  c->predicting += cli_now() - start;
  if (status == SVF_OK) c->scores[split] = svf_table_measure(test, prediction.values);
  free(prediction.values);
  if (status != SVF_OK || !isnan(c->scores[split])) return status;
  snprintf(message->text, sizeof message->text, "the test rows of split %zu have no weight: use fewer folds",
           split + 1);
  return SVF_DATA;
}

static svf_status learn(const work *w, const contender *c, const svf_table *train, svf_forest **forest,
                        svf_message *message) {
  svf_auto_options options = {.plan = w->args->plan};
  if (!cli_is_committee(c->settings)) return svf_train(c->settings, train, &w->job.run, forest, message);
  return svf_train_auto(c->settings, train, &options, &w->job.run, forest, message);
}

static int fight(work *w, contender *c, const svf_table *train, const svf_table *test, size_t split) {
  svf_message message;
  svf_forest *forest = NULL;
  double jobs = (double)(w->splits * w->count), done = (double)(split * w->count + (size_t)(c - w->contender));
  cli_job_part(&w->job, done / jobs, 0.95 / jobs);
  double start = cli_now();
  svf_status status = learn(w, c, train, &forest, &message);
  c->training += cli_now() - start;
  cli_job_part(&w->job, (done + 0.95) / jobs, 0.05 / jobs);
  if (status == SVF_OK) status = score(w, c, forest, test, split, &message);
  svf_forest_free(forest);
  return complain(c, status, &message);
}

static int one_split(work *w, size_t split) {
  svf_table *train = NULL, *test = NULL;
  int code = part(w, split % w->folds, false, &train);
  if (code == CLI_DONE) code = part(w, split % w->folds, true, &test);
  for (size_t i = 0; i < w->count && code == CLI_DONE; i++) code = fight(w, &w->contender[i], train, test, split);
  svf_table_free(train);
  svf_table_free(test);
  return code;
}

static int all_splits(work *w) {
  for (size_t split = 0; split < w->splits; split++) {
    if (split % w->folds == 0) CLI_TRY(deal(w, split / w->folds));
    CLI_TRY(one_split(w, split));
  }
  return CLI_DONE;
}

static void summarise(contender *c, size_t splits) {
  double sum = 0, square = 0;
  for (size_t i = 0; i < splits; i++) sum += c->scores[i];
  c->mean = sum / (double)splits;
  for (size_t i = 0; i < splits; i++) square += (c->scores[i] - c->mean) * (c->scores[i] - c->mean);
  c->deviation = splits > 1 ? sqrt(square / (double)(splits - 1)) : NAN;
}

static const char *measure(const work *w) { return svf_table_classes(w->table) ? "accuracy" : "mse"; }

static void json_contender(const work *w, const contender *c, cli_json *json) {
  cli_json_object(json, NULL);
  cli_json_text(json, "method", svf_settings_method(c->settings));
  cli_json_number(json, "mean", c->mean);
  cli_json_number(json, "sd", c->deviation);
  cli_json_number(json, "seconds", c->training / (double)w->splits);
  cli_json_number(json, "predict_seconds", c->predicting / (double)w->splits);
  cli_json_row(json, "scores");
  for (size_t i = 0; i < w->splits; i++) cli_json_number(json, NULL, c->scores[i]);
  cli_json_close(json);
  cli_json_close(json);
}

static void tell_json(const work *w) {
  cli_json json;
  cli_json_begin(&json, stdout);
  cli_json_text(&json, "measure", measure(w));
  cli_json_text(&json, "task", cli_task_name(svf_table_task(w->table)));
  cli_json_count(&json, "rows", w->n);
  cli_json_count(&json, "features", svf_table_columns(w->table));
  cli_json_count(&json, "folds", w->folds);
  cli_json_count(&json, "repeats", w->splits / w->folds);
  cli_json_number(&json, "holdout", w->args->holdout > 0 ? w->args->holdout : NAN);
  cli_json_list(&json, "results");
  for (size_t i = 0; i < w->count; i++) json_contender(w, &w->contender[i], &json);
  cli_json_close(&json);
  cli_json_close(&json);
}

static bool beats(const work *w, const contender *a, const contender *b) {
  if (isnan(a->mean) || isnan(b->mean)) return isnan(b->mean) && !isnan(a->mean);
  return svf_table_classes(w->table) ? a->mean > b->mean : a->mean < b->mean;
}

/* Is no other mean better? */
static bool is_best(const work *w, const contender *c) {
  for (size_t i = 0; i < w->count; i++)
    if (beats(w, &w->contender[i], c)) return false;
  return !isnan(c->mean);
}

static void print_head(const work *w) {
  size_t repeats = w->splits / w->folds, classes = svf_table_classes(w->table);
  printf("%zu %s, %zu %s", w->n, cli_plural(w->n, "row", "rows"), svf_table_columns(w->table),
         cli_plural(svf_table_columns(w->table), "feature", "features"));
  if (classes) printf(", %zu %s", classes, cli_plural(classes, "class", "classes"));
  if (w->args->holdout > 0) printf("; %g of the rows held out", w->args->holdout);
  else printf("; %zu folds", w->folds);
  if (repeats > 1) printf(", %zu times", repeats);
  if (w->count > 1) printf("; * is the best: %s", classes ? "the highest accuracy" : "the least mean squared error");
  putchar('\n');
}

static void tell_text(const work *w) {
  int width = 6;
  for (size_t i = 0; i < w->count; i++) {
    int length = (int)strlen(svf_settings_method(w->contender[i].settings));
    if (length > width) width = length;
  }
  print_head(w);
  printf("\n%-*s %12s   %10s %10s %10s\n", width, "method", measure(w), "sd", "train s", "predict s");
  for (size_t i = 0; i < w->count; i++) {
    const contender *c = &w->contender[i];
    double splits = (double)w->splits;
    printf("%-*s %12s %c %10s %10s %10s\n", width, svf_settings_method(c->settings), cli_short(c->mean).text,
           w->count > 1 && is_best(w, c) ? '*' : ' ', cli_short(c->deviation).text,
           cli_seconds(c->training / splits).text, cli_seconds(c->predicting / splits).text);
  }
}

/* The best first; those that are equal stay in the order of -m. */
static void sort(work *w) {
  for (size_t i = 1; i < w->count; i++) {
    contender one = w->contender[i];
    size_t at = i;
    for (; at > 0 && beats(w, &one, &w->contender[at - 1]); at--) w->contender[at] = w->contender[at - 1];
    w->contender[at] = one;
  }
}

static int compare(work *w) {
  if (w->args->folds && w->args->holdout > 0) return cli_fail(CLI_USAGE, "cv: -k and --holdout exclude each other");
  CLI_TRY(enter(w));
  CLI_TRY(cli_read(w->args, w->args->operands.item[0], &w->table, NULL));
  for (size_t i = 0; i < w->count; i++) CLI_TRY(suit(w, &w->contender[i]));
  plan(w);
  cli_job_begin(&w->job, w->args);
  int code = all_splits(w);
  cli_job_end(&w->job);
  CLI_TRY(code);
  for (size_t i = 0; i < w->count; i++) summarise(&w->contender[i], w->splits);
  sort(w);
  (w->args->json ? tell_json : tell_text)(w);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  work w = {.args = args};
  int code = compare(&w);
  for (size_t i = 0; i < w.count; i++) {
    svf_settings_free(w.contender[i].settings);
    free(w.contender[i].scores);
  }
  free(w.contender);
  free(w.names);
  free(w.fold);
  free(w.chosen);
  svf_table_free(w.table);
  return code;
}

static const cli_option own[] = {
    {'m', "method", "A,B,...", "methods to compare (default: auto)", cli_set_method, offsetof(cli_args, method)},
    {'s', "set", "NAME=VALUE", "change one setting of every method; may be repeated", cli_set_setting,
     offsetof(cli_args, settings)},
    {0, "effort", "1..9", "how much work auto may take (default: 5)", cli_set_effort, offsetof(cli_args, effort)},
    {0, "plan", "TEXT", "members of auto, as printed by train, tune or info", cli_set_text, offsetof(cli_args, plan)},
    {'k', "folds", "FOLDS", "number of folds (default: 5)", cli_set_positive, offsetof(cli_args, folds)},
    {0, "holdout", "FRACTION", "one split instead of folds: this fraction of the rows is for testing", cli_set_share,
     offsetof(cli_args, holdout)},
    {'r', "repeats", "REPEATS", "repeat with other folds (default: 1)", cli_set_positive,
     offsetof(cli_args, repeats)},
    {0}};
static const cli_option *const groups[] = {
    own, cli_options_data, cli_options_learn, cli_options_run, cli_options_talk, NULL};

const cli_verb cli_cv = {
    .name = "cv",
    .usage = "[-m A,B,...] [-s NAME=VALUE]... [-k FOLDS | --holdout FRACTION] [-r REPEATS] DATA",
    .summary = "compare methods by cross-validation",
    .details = "All methods use the same folds, stratified for classes; repeat r draws them with seed + r. Prints, "
               "best first, the mean and standard deviation over all splits of the accuracy (classes) or the mean "
               "squared error (numbers), and the mean seconds of one training and of predicting its test rows. Every "
               "method must read a setting given with -s; --effort and --plan are for auto alone.",
    .example = "svforest cv -m linear-svm,rsvt,rsvt-full -k 10 -r 3 wine.csv\n"
               "svforest cv -m auto,rf,ccf --effort 1 --holdout 0.25 wine.csv\n"
               "svforest cv -m rsvt -s trees=50 --holdout 0.333 -r 5 --json wine.csv",
    .options = groups,
    .operands = "DATA",
    .least = 1,
    .most = 1,
    .settings = true,
    .run = run,
};
