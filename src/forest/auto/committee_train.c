/* committee_train.c - a committee is trained: every member of the plan on all rows, and again for each fold, whose rows it
 * answers without having seen them. Then weights and curve are chosen (committee_settle.c).
 *
 * What a method chooses once for a whole forest (the band, kernel, metric and scale, the number of rounds) it chooses on all
 * rows; the folds keep that choice. Answers of held-out rows are too good by what so few numbers can know of them, and a
 * member costs a fraction. */
#define _POSIX_C_SOURCE 200809L
#include "forest/auto/committee_assembly.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "forest/answers/background.h"
#include "forest/auto/tune.h"

/* ---- the clock ---- */

static double elapsed(const svf_assembly *a) { return svf_tune_now() - a->start; }

/* The first member always comes to its end: without it there would be no answer. */
static bool out_of_time(const svf_assembly *a) {
  return a->options.budget > 0 && a->trial[0].done && elapsed(a) > a->options.budget;
}

static int look(void *user, const svf_progress *progress) {
  svf_assembly *a = user;
  svf_progress whole = *progress;
  whole.phase = a->phase;
  whole.done = fmin((a->done + progress->done * a->price) / a->all_price, 1);
  if (a->outer && a->outer->callback && a->outer->callback(a->outer->user, &whole)) a->stopped = true;
  a->late |= out_of_time(a);
  return a->stopped || a->late;
}

/* ---- one member ---- */

static svf_status take_fold(const svf_assembly *a, int32_t fold, bool inside, svf_table **part, size_t *count) {
  *count = 0;
  for (size_t i = 0; i < a->bench.n; i++)
    if ((a->fold[i] == fold) == inside) a->row[(*count)++] = i;
  return svf_table_take(a->table, a->row, *count, part, a->message);
}

/* The answers of the fold's rows by a forest of the others, added where they belong. */
static svf_status answer_fold(svf_assembly *a, const svf_settings *settings, int32_t fold, double *answer) {
  svf_table *train = NULL, *test = NULL;
  svf_forest *forest = NULL;
  size_t count, k = a->bench.k;
  svf_status status = take_fold(a, fold, false, &train, &count);
  if (!status) status = svf_train(settings, train, &a->run, &forest, a->message);
  svf_table_free(train);
  if (!status) status = take_fold(a, fold, true, &test, &count);
  double *out = malloc((count * k + 1) * sizeof *out);
  svf_prediction prediction = {.values = a->bench.label ? NULL : out, .probabilities = a->bench.label ? out : NULL};
  if (!status && !out) status = svf_no_memory(a->message, "the answers of a fold");
  if (!status) status = svf_predict(forest, test, &a->run, &prediction, a->message);
  for (size_t i = 0; i < count && !status; i++)
    for (size_t c = 0; c < k; c++) answer[a->row[i] * k + c] += out[i * k + c] / (double)a->plan.repeats;
  free(out);
  svf_table_free(test);
  svf_forest_free(forest);
  return status;
}

static svf_status answer_all(svf_assembly *a, const svf_settings *settings, double *answer) {
  for (size_t r = 0; r < a->plan.repeats; r++) {
    SVF_TRY(svf_table_folds(a->table, a->plan.folds, (uint64_t)a->settings->seed + r, a->fold, a->message));
    for (size_t f = 0; f < a->plan.folds; f++) {
      SVF_TRY(answer_fold(a, settings, (int32_t)f, answer));
      a->done += a->price;
    }
  }
  return SVF_OK;
}

/* The callbacks of a training share a user, which is the assembly here. */
static void pass_on(void *user, const char *text) {
  const svf_assembly *a = user;
  a->outer->remark(a->outer->user, text);
}

/* Remarks on the table are made once. */
static svf_status train_whole(svf_assembly *a, size_t m) {
  svf_forest *forest;
  svf_run run = a->run;
  if (m == 0 && a->outer && a->outer->remark) run.remark = pass_on;
  SVF_TRY(svf_train(&a->plan.member[m].settings, a->table, &run, &forest, a->message));
  a->trial[m].image.size = 0;
  bool fine = svf_buffer_add(&a->trial[m].image, forest->image, forest->size);
  a->trial[m].settled = forest->settings;
  svf_forest_free(forest);
  return fine ? SVF_OK : svf_no_memory(a->message, "a member of the committee");
}

static bool all_finite(const double *x, size_t count) {
  size_t i = 0;
  while (i < count && isfinite(x[i])) i++;
  return i == count;
}

static svf_status try_member(svf_assembly *a, size_t m) {
  svf_trial *t = &a->trial[m];
  size_t cells = a->bench.n * a->bench.k;
  double begun = elapsed(a), before = a->done;
  t->answer = calloc(cells ? cells : 1, sizeof *t->answer);
  if (!t->answer) return svf_no_memory(a->message, "the answers of a member");
  snprintf(a->phase, sizeof a->phase, "%zu/%zu %s", m + 1, a->plan.count, a->plan.member[m].settings.method);
  a->price = a->plan.member[m].price - a->plan.member[m].folds_price;
  svf_status status = train_whole(a, m);
  a->done += a->price;
  a->price = a->plan.member[m].folds_price / (double)(a->plan.folds * a->plan.repeats);
  svf_settings again = t->settled;
  again.stop_rounds = 0;
  if (!status) status = answer_all(a, &again, t->answer);
  if (!status && !all_finite(t->answer, cells))
    status = svf_fail(a->message, SVF_DATA, "its answers are beyond the numbers of a double");
  a->done = before + a->plan.member[m].price;
  t->seconds = elapsed(a) - begun;
  t->done = status == SVF_OK;
  if (t->done)
    t->score = svf_bench_score(&a->bench, svf_bench_loss(&a->bench, t->answer, a->all, a->bench.n, a->ranked));
  return status;
}

static void tell(const svf_assembly *a, size_t m, svf_status status) {
  if (!a->options.tell) return;
  svf_buffer text = {0};
  svf_planned_write(a->trial[m].done ? &a->trial[m].settled : &a->plan.member[m].settings, &text);
  svf_buffer_add(&text, "", 1);
  svf_member_info info = {.settings = text.data ? (const char *)text.data : "",
                          .score = a->trial[m].done ? a->trial[m].score : (double)NAN,
                          .weight = NAN,
                          .seconds = a->trial[m].seconds,
                          .dropped = status == SVF_OK ? NULL : a->message->text};
  a->options.tell(a->options.user, &info);
  svf_buffer_free(&text);
}

/* Would the member, by its price and by what priced work has cost so far, pass the budget? */
static bool too_dear(const svf_assembly *a, size_t m) {
  double rate = a->done > 0 ? elapsed(a) / a->done : 0;
  return a->options.budget > 0 && elapsed(a) + rate * a->plan.member[m].price > a->options.budget;
}

/* Members in the order of the plan. One that fails, does not fit or would pass the budget is left out. */
static svf_status try_all(svf_assembly *a) {
  for (size_t m = 0; m < a->plan.count && !a->stopped && !a->late; m++) {
    if (m > 0 && too_dear(a, m)) continue;
    svf_status status = try_member(a, m);
    if (status == SVF_STOPPED && a->late) svf_fail(a->message, SVF_STOPPED, "stopped: the budget was spent");
    tell(a, m, status);
    if (status && !a->failure && !a->stopped) a->failure = status, a->why = *a->message;
  }
  return SVF_OK;
}

static svf_finished find_finished(const svf_assembly *a) {
  svf_finished f = {.count = 0};
  for (size_t m = 0; m < a->plan.count; m++)
    if (a->trial[m].done) f.member[f.count] = m, f.answer[f.count++] = a->trial[m].answer;
  return f;
}

/* Nothing was held out that could say more. */
static void settle_alone(const svf_assembly *a, double *weight, svf_committee_parts *parts) {
  weight[0] = 1;
  parts->whole_score = parts->whole_deviation = NAN;
  if (a->bench.label) parts->curve = svf_curve_smooth(a->bench.smooth);
}

/* The plan that was really run is what the committee remembers, its effort too. */
static svf_status finish(svf_assembly *a, svf_forest **forest) {
  svf_settings settings = *a->settings;
  settings.effort = a->plan.effort;
  svf_finished f = find_finished(a);
  bool ran[SVF_MEMBERS] = {false};
  svf_buffer plan = {0}, image[SVF_MEMBERS];
  double weight[SVF_MEMBERS], score[SVF_MEMBERS];
  svf_committee_parts parts = {
      .settings = &settings, .image = image, .weight = weight, .score = score, .count = f.count};
  for (size_t m = 0; m < f.count; m++) {
    ran[f.member[m]] = true;
    image[m] = a->trial[f.member[m]].image;
    score[m] = a->trial[f.member[m]].score;
  }
  if (isnan(score[0]) && f.count == 1) settle_alone(a, weight, &parts);
  else SVF_TRY(svf_committee_settle(a, &f, weight, &parts));
  svf_plan_write(&a->plan, ran, &plan);
  svf_buffer_add(&plan, "", 1);
  parts.plan = (const char *)plan.data;
  svf_status status = plan.failed ? svf_no_memory(a->message, "the plan") : SVF_OK;
  if (!status) status = svf_background_draw(&settings, a->table, &parts.background, a->message);
  if (!status) status = svf_committee_make(&parts, forest, a->message);
  svf_buffer_free(&parts.background);
  svf_buffer_free(&plan);
  return status;
}

/* ---- the whole ---- */

/* What each row counts: its weight times that of its class. Balanced: rows / (classes * rows of the class), by weight. */
static void weigh_rows(const svf_assembly *a, double *weight, double *tally) {
  const svf_table *table = a->table;
  bool balanced = a->settings->class_weight == SVF_CLASS_WEIGHT_BALANCED;
  double all = 0;
  for (size_t i = 0; i < table->n; i++) {
    weight[i] = table->weight ? table->weight[i] : 1;
    all += weight[i];
    if (table->label) tally[table->label[i]] += weight[i];
  }
  for (size_t i = 0; i < table->n && table->label; i++) {
    int32_t c = table->label[i];
    if (balanced && tally[c] > 0) weight[i] *= all / ((double)table->classes.count * tally[c]);
    else if (table->class_weight) weight[i] *= table->class_weight[c];
  }
}

/* 1 for targets of ordinary size, else the largest. */
static double unit_of(const svf_table *table) {
  double most = 0;
  for (size_t i = 0; table->value && i < table->n; i++) most = fmax(most, fabs(table->value[i]));
  return most > 1e100 || (most > 0 && most < 1e-100) ? most : 1;
}

static svf_status open_assembly(svf_assembly *a) {
  const svf_table *table = a->table;
  size_t k = table->task == SVF_TASK_CLASS ? table->classes.count : 1;
  double *weight = SVF_TAKE(&a->arena, double, table->n), *tally = SVF_ZERO(&a->arena, double, k);
  a->trial = SVF_ZERO(&a->arena, svf_trial, a->plan.count);
  a->fold = SVF_TAKE(&a->arena, int32_t, table->n);
  a->row = SVF_TAKE(&a->arena, size_t, table->n);
  a->all = SVF_TAKE(&a->arena, uint32_t, table->n);
  a->part = SVF_TAKE(&a->arena, uint32_t, table->n);
  a->ranked = SVF_TAKE(&a->arena, svf_ranked, table->n);
  if (svf_arena_failed(&a->arena)) return svf_no_memory(a->message, "a committee");
  for (size_t i = 0; i < table->n; i++) a->all[i] = (uint32_t)i;
  weigh_rows(a, weight, tally);
  double smooth = (double)k / (double)(table->n + k); /* as if every class had been seen once more */
  a->bench = (svf_bench){.n = table->n,
                         .k = k,
                         .label = table->label,
                         .value = table->value,
                         .weight = weight,
                         .aim = svf_aim_of(a->settings, table->task),
                         .unit = unit_of(table),
                         .smooth = smooth};
  for (size_t m = 0; m < a->plan.count; m++) a->all_price += a->plan.member[m].price;
  return SVF_OK;
}

/* Too few rows to hold any out: the first member of the plan alone, on all of them. */
static svf_status train_alone(svf_assembly *a, svf_forest **forest) {
  svf_trial *first = &a->trial[0];
  SVF_TRY(train_whole(a, 0));
  first->done = true;
  first->score = NAN;
  return finish(a, forest);
}

static svf_status assemble(svf_assembly *a, svf_forest **forest) {
  enum { FEWEST = 3 }; /* rows: a forest needs two of them */
  SVF_TRY(open_assembly(a));
  if (a->bench.n < FEWEST) return train_alone(a, forest);
  SVF_TRY(try_all(a));
  size_t done = find_finished(a).count;
  if (!done && a->stopped) return svf_fail(a->message, SVF_STOPPED, "stopped");
  if (!done && a->failure != SVF_MEMORY && train_alone(a, forest) == SVF_OK) return SVF_OK;
  if (!done) return svf_fail(a->message, a->failure, "%s", a->why.text);
  SVF_TRY(finish(a, forest));
  return a->stopped ? svf_fail(a->message, SVF_STOPPED, "stopped") : SVF_OK;
}

/* Under a budget, and without an effort, the clock is the limit. */
static int64_t open_effort(const svf_assembly *a) {
  bool given = a->settings->given[SVF_SET_effort];
  return a->options.budget > 0 && !given ? SVF_EFFORTS : a->settings->effort;
}

static svf_status find_plan(svf_assembly *a) {
  const svf_table *table = a->table;
  if (a->options.plan) SVF_TRY(svf_plan_read(a->options.plan, a->settings, table->task, &a->plan, a->message));
  else SVF_TRY(svf_plan_make(a->settings, table, open_effort(a), &a->plan, a->message));
  if (a->options.wide && !a->options.plan) SVF_TRY(svf_plan_widen(&a->plan, a->message));
  for (size_t m = 0; m < a->plan.count; m++)
    if (!(a->plan.member[m].price > 0)) a->plan.member[m].price = 1; /* a plan that was given has none */
  if (a->plan.folds > table->n) a->plan.folds = table->n;
  return SVF_OK;
}

svf_status svf_committee_train(const svf_settings *settings, const svf_table *table, const svf_auto_options *options,
                               const svf_run *run, svf_forest **forest, svf_message *message) {
  svf_message own;
  svf_assembly a = {.settings = settings, .table = table, .outer = run, .message = message ? message : &own};
  a.start = svf_tune_now();
  a.la = svf_la_choose(settings->cpu == SVF_CPU_PORTABLE);
  if (options) a.options = *options;
  if (run) a.run = *run;
  a.run.callback = look, a.run.user = &a, a.run.remark = NULL;
  svf_status status = find_plan(&a);
  if (!status) status = assemble(&a, forest);
  for (size_t m = 0; a.trial && m < a.plan.count; m++) {
    free(a.trial[m].answer);
    svf_buffer_free(&a.trial[m].image);
  }
  svf_plan_free(&a.plan);
  svf_arena_free(&a.arena);
  return status;
}
