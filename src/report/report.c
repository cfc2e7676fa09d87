/* report.c - the page on a model: rows are answered, findings computed one after the other, and the page is written. */
#include "report/report.h"
#include "base/file.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

/* ---- what is asked ---- */

static svf_status check(const svf_forest *forest, const svf_table *table, svf_message *message) {
  const char *name = table->path ? table->path : "the table";
  if (table->task == SVF_TASK_AUTO)
    return svf_fail(
        message, SVF_DATA,
        "%s: a report compares answers with known ones, and there is no target '%s'; name it with --target, "
        "or look at the model alone with 'svforest info'",
        name, forest->encoding.target_name ? forest->encoding.target_name : "");
  if (table->task == forest->encoding.task) return SVF_OK;
  return svf_fail(message, SVF_DATA, "%s: the target is %s, and the model predicts %s", name,
                  table->task == SVF_TASK_CLASS ? "classes" : "a number",
                  table->task == SVF_TASK_CLASS ? "a number" : "classes");
}

static int step(void *user, const svf_progress *progress) {
  const svf_report_part *part = user;
  svf_progress moved = *progress;
  moved.done = part->from + (part->to - part->from) * progress->done;
  return part->run->callback(part->run->user, &moved);
}

svf_run svf_report_run(svf_report_part *part) {
  svf_run run = part->run ? *part->run : (svf_run){0};
  run.remark = NULL;
  if (run.callback) run.callback = step, run.user = part;
  return run;
}

/* Knuth's algorithm S. */
size_t svf_report_draw(uint64_t seed, uint32_t use, size_t n, size_t wanted, size_t *place) {
  size_t count = 0;
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = SVF_USE_REPORT, .tree = use});
  if (wanted > n) wanted = n;
  for (size_t i = 0; count < wanted; i++)
    if (wanted - count == n - i || svf_random_below(&random, n - i) < wanted - count) place[count++] = i;
  return count;
}

/* ---- the rows ---- */

typedef struct answers {
  double *values, *probabilities, *spreads;
} answers;

static svf_status ask(svf_report *r, const answers *a, svf_message *message) {
  svf_report_part part = {r->run, 0, .2};
  svf_run run = svf_report_run(&part);
  if (r->options->oob) {
    svf_oob_answers oob = {.values = a->values, .probabilities = a->probabilities};
    return svf_forest_oob(r->forest, r->table, &run, &oob, message);
  }
  svf_prediction said = {.values = a->values, .probabilities = a->probabilities, .spreads = a->spreads};
  svf_status status = svf_predict(r->forest, r->table, &run, &said, message);
  r->unseen = said.unseen;
  return status;
}

/* Moves the rows that have a truth and an answer to the front. */
static void keep_rows(svf_report *r, const answers *a, const int32_t *known, int32_t *label, double *value,
                      double *weight, size_t *number) {
  const svf_table *t = r->table;
  size_t k = r->rows.k, at = 0;
  for (size_t i = 0; i < t->n; i++) {
    if (isnan(a->values[i]) || (!k && isnan(t->value[i]))) continue;
    if (k) label[at] = t->label[i] < 0 ? -1 : known[t->label[i]];
    else value[at] = t->value[i];
    a->values[at] = a->values[i];
    if (k) memmove(a->probabilities + at * k, a->probabilities + i * k, k * sizeof(double));
    if (a->spreads) a->spreads[at] = a->spreads[i];
    if (weight) weight[at] = t->weight[i];
    r->total += t->weight ? t->weight[i] : 1;
    number[at++] = i;
  }
  r->rows.n = at;
  r->unanswered = t->n - at;
}

static svf_status answer(svf_report *r, svf_message *message) {
  const svf_table *t = r->table;
  size_t n = t->n, k = r->encoding->classes.count;
  svf_arena *memory = &r->memory;
  bool spreads = !k && !r->options->oob && svf_forest_has_spreads(r->forest);
  answers a = {.values = SVF_TAKE(memory, double, n)};
  if (k) a.probabilities = SVF_TAKE(memory, double, n *k);
  if (spreads) a.spreads = SVF_TAKE(memory, double, n);
  int32_t *label = k ? SVF_TAKE(memory, int32_t, n) : NULL;
  double *value = k ? NULL : SVF_TAKE(memory, double, n), *weight = t->weight ? SVF_TAKE(memory, double, n) : NULL;
  size_t *number = SVF_TAKE(memory, size_t, n);
  int32_t *known = k ? svf_match_names(&r->encoding->classes, &t->classes, -1, memory) : NULL;
  if (svf_arena_failed(memory) || (k && !known)) return svf_no_memory(message, "a report");
  SVF_TRY(ask(r, &a, message));
  r->rows = (svf_outcome){0, k, label, value, a.values, a.probabilities, weight};
  keep_rows(r, &a, known, label, value, weight, number);
  r->number = number;
  r->spread = a.spreads;
  if (r->rows.n && r->total > 0) return SVF_OK;
  return svf_fail(message, SVF_DATA, "%s: no row has %s", t->path ? t->path : "the table",
                  r->rows.n         ? "a weight"
                  : r->options->oob ? "an answer out of bag"
                                    : "a known answer");
}

/* ---- single rows ---- */

double svf_report_loss(const svf_report *r, size_t row) {
  const svf_outcome *o = &r->rows;
  if (!o->k) return fabs(o->value[row] - o->predicted[row]);
  return o->label[row] < 0 ? (double)NAN : 1 - o->probabilities[row * o->k + (size_t)o->label[row]];
}

static void find_hardest(svf_report *r) {
  for (size_t i = 0; i < r->rows.n; i++) {
    double loss = svf_report_loss(r, i);
    if (isnan(loss) || !(svf_report_weight(r, i) > 0)) continue;
    size_t at = r->hardest;
    while (at && svf_report_loss(r, r->hard[at - 1]) < loss) at--;
    if (at == SVF_REPORT_HARD) continue;
    if (r->hardest < SVF_REPORT_HARD) r->hardest++;
    memmove(r->hard + at + 1, r->hard + at, (r->hardest - at - 1) * sizeof *r->hard);
    r->hard[at] = i;
  }
}

static bool find_dots(svf_report *r) {
  size_t *dot = SVF_TAKE(&r->memory, size_t, SVF_REPORT_DOTS);
  if (!dot) return false;
  r->dots = svf_report_draw(r->options->seed, SVF_REPORT_DRAWN, r->rows.n, SVF_REPORT_DOTS, dot);
  r->dot = dot;
  return true;
}

/* ---- the whole ---- */

svf_status svf_report_find(svf_report *r, svf_message *message) {
  svf_pool pool;
  SVF_TRY(check(r->forest, r->table, message));
  SVF_TRY(answer(r, message));
  if (r->rows.k && !svf_ranks_make(&r->rows, &r->memory, &r->ranks)) return svf_no_memory(message, "a report");
  SVF_TRY(svf_pool_open(&pool, r->run, message));
  pool.trees = r->forest->parts.trees;
  svf_status status = svf_report_scores(r, &pool, message);
  svf_pool_close(&pool);
  SVF_TRY(status);
  if (r->rows.k ? !svf_report_curves(r) : !find_dots(r)) return svf_no_memory(message, "a report");
  if (r->rows.k) svf_report_calibration(r);
  svf_report_levels(r);
  find_hardest(r);
  SVF_TRY(svf_report_importance(r, message));
  SVF_TRY(svf_report_dependences(r, message));
  SVF_TRY(svf_pool_open(&pool, r->run, message));
  status = svf_report_columns(r, &pool, message);
  svf_pool_close(&pool);
  return status;
}

static svf_status write(const svf_report *r, const char *path, svf_message *message) {
  svf_buffer page = {0};
  svf_report_page(r, &page);
  svf_status status =
      page.failed ? svf_no_memory(message, "a report") : svf_file_write(path, page.data, page.size, message);
  svf_buffer_free(&page);
  return status;
}

svf_status svf_forest_report(const svf_forest *forest, const svf_table *table, const svf_report_options *options,
                             const svf_run *run, const char *path, svf_message *message) {
  static const svf_report_options usual = {0};
  svf_report r = {.forest = forest,
                  .table = table,
                  .options = options ? options : &usual,
                  .encoding = &forest->encoding,
                  .run = run};
  svf_status status = svf_report_find(&r, message);
  if (!status) status = write(&r, path, message);
  svf_arena_free(&r.memory);
  return status;
}
