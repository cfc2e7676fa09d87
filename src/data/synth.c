/* synth.c - the table of synthetic sets, and the making of one.
 * Every row has a stream of its own, so a set depends on its seed and sizes alone. */
#include "data/synth.h"
#include "base/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ROWS = 1000 };

static const svf_synth_kind kinds[] = {
    {.info = {"classification", "clusters on the corners of a cube, useless columns among them (Guyon 2003)",
              SVF_TASK_CLASS, 20},
     .fewest_features = 2,
     .classes = 2,
     .most_classes = 100,
     .draw = svf_synth_classification,
     .prepare = svf_synth_classification_prepare},
    {.info = {"moons", "two interleaved half circles, noise 0.3", SVF_TASK_CLASS, 2},
     .fewest_features = 2,
     .classes = 2,
     .most_classes = 2,
     .draw = svf_synth_moons},
    {.info = {"rings", "a circle within a circle, noise 0.15", SVF_TASK_CLASS, 2},
     .fewest_features = 2,
     .classes = 2,
     .most_classes = 2,
     .draw = svf_synth_rings},
    {.info = {"spirals", "two arms of one and a half turns, noise 0.05", SVF_TASK_CLASS, 2},
     .fewest_features = 2,
     .classes = 2,
     .most_classes = 2,
     .draw = svf_synth_spirals},
    {.info = {"twonorm", "two unit normals, means 4 apart (Breiman 1996)", SVF_TASK_CLASS, 20},
     .fewest_features = 1,
     .classes = 2,
     .most_classes = 2,
     .draw = svf_synth_twonorm,
     .bayes_risk = svf_synth_twonorm_risk},
    {.info = {"ringnorm", "a narrow normal within a wide one (Breiman 1996)", SVF_TASK_CLASS, 20},
     .fewest_features = 1,
     .classes = 2,
     .most_classes = 2,
     .draw = svf_synth_ringnorm,
     .bayes_risk = svf_synth_ringnorm_risk},
    {.info = {"mixture", "four unit normals, the corners of a square, opposite ones of one class", SVF_TASK_CLASS,
              10},
     .fewest_features = 2,
     .classes = 2,
     .most_classes = 2,
     .draw = svf_synth_mixture,
     .bayes_risk = svf_synth_mixture_risk},
    {.info = {"friedman1", "a smooth function of 5 columns out of d (Friedman 1991)", SVF_TASK_REGRESS, 10},
     .fewest_features = 5,
     .draw = svf_synth_friedman1,
     .bayes_risk = svf_synth_friedman1_risk},
    {.info = {"sine", "two periods of a sine of the first column, noise 0.2", SVF_TASK_REGRESS, 1},
     .fewest_features = 1,
     .draw = svf_synth_sine,
     .bayes_risk = svf_synth_sine_risk},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

size_t svf_synth_count(void) { return KINDS; }

const svf_synth_info *svf_synth_at(size_t index) { return index < KINDS ? &kinds[index].info : NULL; }

svf_random svf_synth_stream(const svf_synth *synth, svf_synth_purpose purpose, uint64_t number) {
  return svf_random_at((svf_place){.seed = synth->seed, .use = SVF_USE_SYNTH, .trial = purpose, .node = number});
}

void svf_synth_noise(svf_random *random, double *x, size_t from, size_t d) {
  for (size_t j = from; j < d; j++) x[j] = svf_random_normal(random);
}

static svf_status find_kind(const char *name, const svf_synth_kind **kind, svf_message *message) {
  for (size_t i = 0; i < KINDS; i++) {
    *kind = &kinds[i];
    if (strcmp(kinds[i].info.name, name) == 0) return SVF_OK;
  }
  char list[256] = "";
  for (size_t i = 0, used = 0; i < KINDS && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", kinds[i].info.name);
  return svf_fail(message, SVF_USAGE, "no synthetic set is called '%s'; there are %s", name, list);
}

static svf_status check_sizes(const svf_synth_kind *kind, const svf_synth *synth, svf_message *message) {
  const char *name = kind->info.name;
  if (synth->n > INT32_MAX || synth->d > INT32_MAX)
    return svf_fail(message, SVF_USAGE, "%s: at most %d rows and features", name, INT32_MAX);
  if (synth->d < kind->fewest_features)
    return svf_fail(message, SVF_USAGE, "%s needs at least %zu features", name, kind->fewest_features);
  if (synth->classes && !kind->classes)
    return svf_fail(message, SVF_USAGE, "%s is a regression: it has no classes", name);
  if (kind->classes && (synth->classes < 2 || synth->classes > kind->most_classes))
    return svf_fail(message, SVF_USAGE, "%s has 2..%zu classes, not %zu", name, kind->most_classes, synth->classes);
  return svf_check_memory(message, (double)synth->n * (double)synth->d * sizeof(double), 0, "the table");
}

/* Which group each row belongs to: as even as can be, in random order. */
static uint32_t *deal_groups(const svf_synth *synth) {
  uint32_t *group = SVF_TAKE(synth->arena, uint32_t, synth->n);
  if (!group) return NULL;
  for (size_t i = 0; i < synth->n; i++) group[i] = (uint32_t)(i % synth->groups);
  svf_random random = svf_synth_stream(synth, SVF_SYNTH_ORDER, 0);
  svf_random_shuffle(&random, group, synth->n);
  return group;
}

/* Draws row by row into the table's columns. */
static svf_status draw_rows(const svf_synth_kind *kind, const svf_synth *synth, svf_table *table, double *target,
                            svf_message *message) {
  uint32_t *group = deal_groups(synth);
  double *x = SVF_TAKE(synth->arena, double, synth->d);
  if (svf_arena_failed(synth->arena)) return svf_no_memory(message, "the synthetic set");
  for (size_t i = 0; i < synth->n; i++) {
    svf_random random = svf_synth_stream(synth, SVF_SYNTH_ROW, i);
    target[i] = kind->draw(synth, &random, group[i], x);
    for (size_t j = 0; j < synth->d; j++) table->column[j].number[i] = x[j];
  }
  return SVF_OK;
}

/* Classes are called 0, 1, 2, ... */
static svf_status set_labels(const svf_synth *synth, const double *target, svf_table *table, svf_message *message) {
  int32_t *label = SVF_TAKE(synth->arena, int32_t, synth->n);
  const char **names = SVF_TAKE(synth->arena, const char *, synth->classes);
  char *text = SVF_TAKE(synth->arena, char, synth->classes *SVF_NUMBER_TEXT);
  if (svf_arena_failed(synth->arena)) return svf_no_memory(message, "the classes");
  for (size_t i = 0; i < synth->n; i++) label[i] = (int32_t)target[i];
  for (size_t c = 0; c < synth->classes; c++) {
    names[c] = text + c * SVF_NUMBER_TEXT;
    svf_number_text((double)c, text + c * SVF_NUMBER_TEXT);
  }
  return svf_table_set_classes(table, label, names, synth->classes, message);
}

static svf_status fill(const svf_synth_kind *kind, svf_synth *synth, svf_table *table, svf_message *message) {
  double *target = SVF_TAKE(synth->arena, double, synth->n);
  if (!target) return svf_no_memory(message, "the synthetic set");
  if (kind->prepare) SVF_TRY(kind->prepare(synth, message));
  SVF_TRY(draw_rows(kind, synth, table, target, message));
  return synth->classes ? set_labels(synth, target, table, message) : svf_table_set_values(table, target, message);
}

static svf_status make(const svf_synth_kind *kind, svf_synth *synth, svf_table **table, svf_message *message) {
  const double zero = 0; /* strides of 0: every cell is this one, until it is drawn */
  svf_matrix blank = {.values = &zero, .rows = synth->n, .columns = synth->d};
  SVF_TRY(svf_table_new(&blank, NULL, table, message));
  svf_status status = fill(kind, synth, *table, message);
  if (status) {
    svf_table_free(*table);
    *table = NULL;
  }
  return status;
}

svf_status svf_table_synth(const char *name, const svf_synth_options *options, svf_table **table, double *bayes_risk,
                           svf_message *message) {
  *table = NULL;
  const svf_synth_kind *kind;
  SVF_TRY(find_kind(name, &kind, message));
  static const svf_synth_options standard;
  if (!options) options = &standard;
  svf_arena arena = {0};
  svf_synth synth = {.n = options->rows ? options->rows : DEFAULT_ROWS,
                     .d = options->features ? options->features : kind->info.features,
                     .classes = options->classes ? options->classes : kind->classes,
                     .seed = options->seed,
                     .arena = &arena};
  SVF_TRY(check_sizes(kind, &synth, message));
  synth.groups = synth.classes ? synth.classes : 1;
  svf_status status = make(kind, &synth, table, message);
  svf_arena_free(&arena);
  if (!status && bayes_risk) *bayes_risk = kind->bayes_risk ? kind->bayes_risk(synth.d) : NAN;
  return status;
}
