/* conformal.c - split conformal prediction (Papadopoulos et al., ECML 2002; Vovk, Gammerman and Shafer, Algorithmic learning
 * in a random world, 2005): how far a model's answers are from the truth on rows that it was not trained on, kept in the
 * model.
 *
 * With scores s_1 <= ... <= s_n of exchangeable rows, the score of one more row is at most s_k, k = ceil((n + 1) P), with
 * probability P or more: its rank among the n + 1 is uniform, ties aside. */
#include "forest/auto/committee.h"
#include "data/match.h"
#include "data/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int svf_forest_has_spreads(const svf_forest *forest) {
  if (forest->encoding.classes.count) return 0;
  return forest->committee ? svf_committee_spread_weight(forest) > 0 : !forest->kinds.vote->rounds;
}

size_t svf_forest_calibrated(const svf_forest *forest) { return forest->conformals; }

double svf_forest_conformal(const svf_forest *forest, double level) {
  if (!forest->conformals || !(level > 0 && level < 1)) return NAN;
  double n = (double)forest->conformals, exact = (n + 1) * level, rank = ceil(exact * (1 - 0x1p-50));
  return rank > n ? (double)INFINITY : forest->conformal[(size_t)rank - 1];
}

/* The number that a standard normal variable is below with probability p, by bisection of erfc; 100 halvings leave no bit to
 * find. */
static double normal(double p) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (erfc(-middle / sqrt(2.0)) / 2 < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

double svf_forest_reach(const svf_forest *forest, double level) {
  if (!(level > 0 && level < 1)) return NAN;
  return forest->conformals ? svf_forest_conformal(forest, level) : normal((1 + level) / 2);
}

/* ---- in the file ---- */

/* Scores may be infinite: a spread of 0 that was not enough. */
svf_status svf_conformal_read(const svf_image *image, const double *score, size_t count, svf_forest *forest) {
  double most = forest->encoding.classes.count ? 1 : (double)INFINITY, before = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(score[i] >= before && score[i] <= most))
      return svf_damaged(image, "the scores of its calibration are wrong");
    before = score[i];
  }
  forest->conformal = count ? score : NULL;
  forest->conformals = count;
  return SVF_OK;
}

/* The same file with other scores as its last section. */
static bool with_scores(const svf_forest *forest, const svf_buffer *scores, svf_buffer *image) {
  const svf_layout *layout = forest->committee ? &svf_committee_layout : &svf_forest_layout;
  const svf_image_start *start = (const void *)forest->image;
  svf_section_span content[SVF_SECTIONS];
  for (uint32_t i = 0; i + 1 < layout->sections; i++) {
    content[i] = (svf_section_span){svf_section_data(forest->image, (int)i), 0, layout->kind[i].item};
    if (!svf_section_there(forest->image, (int)i)) continue;
    content[i].bytes = (size_t)start->section[i].bytes;
    content[i].item = start->section[i].item;
  }
  content[layout->sections - 1] = (svf_section_span){scores->data, scores->size, sizeof(double)};
  return svf_image_assemble(layout, content, image);
}

/* ---- the scores ---- */

typedef struct calibration {
  const svf_forest *forest;
  const svf_table *table;
  svf_prediction asked;
  svf_arena arena;
} calibration;

static svf_status check(const svf_forest *forest, const svf_table *table, svf_message *message) {
  const char *name = table->path ? table->path : "the table";
  if (table->task == SVF_TASK_AUTO)
    return svf_fail(message, SVF_DATA, "%s: calibration needs known answers, and there is no target", name);
  if (table->task != forest->encoding.task)
    return svf_fail(message, SVF_DATA, "%s: the target is %s, and the model predicts %s", name,
                    table->task == SVF_TASK_CLASS ? "classes" : "a number",
                    table->task == SVF_TASK_CLASS ? "a number" : "classes");
  if (table->weight) return svf_fail(message, SVF_USAGE, "calibration counts all rows alike: leave the weights out");
  return SVF_OK;
}

static bool open_answers(calibration *c) {
  size_t n = c->table->n, classes = c->forest->encoding.classes.count;
  double *main = SVF_TAKE(&c->arena, double, classes ? n *classes : n);
  if (classes) c->asked.probabilities = main;
  else c->asked.values = main;
  if (svf_forest_has_spreads(c->forest)) c->asked.spreads = SVF_TAKE(&c->arena, double, n);
  return !svf_arena_failed(&c->arena);
}

static double score_of_number(const calibration *c, size_t i) {
  double apart = fabs(c->table->value[i] - c->asked.values[i]), spread = c->asked.spreads ? c->asked.spreads[i] : 1;
  return apart > 0 ? apart / spread : 0;
}

/* A class that training did not know has probability 0. */
static double score_of_class(const calibration *c, const int32_t *known, size_t i) {
  int32_t label = c->table->label[i], code = label < 0 ? -1 : known[label];
  if (code < 0) return 1;
  return fmax(0, 1 - c->asked.probabilities[i * c->forest->encoding.classes.count + (size_t)code]);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static svf_status find_scores(calibration *c, const svf_run *run, svf_buffer *scores, svf_message *message) {
  const svf_forest *forest = c->forest;
  bool classes = forest->encoding.classes.count > 0;
  int32_t *known = classes ? svf_match_names(&forest->encoding.classes, &c->table->classes, -1, &c->arena) : NULL;
  double *score = svf_buffer_grow(scores, c->table->n * sizeof *score);
  if (!open_answers(c) || (classes && !known) || !score) return svf_no_memory(message, "a calibration");
  SVF_TRY(svf_predict(forest, c->table, run, &c->asked, message));
  for (size_t i = 0; i < c->table->n; i++) score[i] = classes ? score_of_class(c, known, i) : score_of_number(c, i);
  qsort(score, c->table->n, sizeof *score, by_size);
  return SVF_OK;
}

svf_status svf_forest_calibrate(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                svf_forest **calibrated, svf_message *message) {
  *calibrated = NULL;
  SVF_TRY(check(forest, table, message));
  calibration c = {.forest = forest, .table = table};
  svf_buffer scores = {0}, image = {0};
  svf_status status = find_scores(&c, run, &scores, message);
  if (!status && !with_scores(forest, &scores, &image)) status = svf_no_memory(message, "the model");
  svf_buffer_free(&scores);
  svf_arena_free(&c.arena);
  if (!status) return svf_image_open(image.data, image.size, SVF_HOLD_ALLOCATED, NULL, calibrated, message);
  svf_buffer_free(&image);
  return status;
}
