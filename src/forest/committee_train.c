/* committee_train.c - a committee is trained: for every member of the plan the rows are held out fold by fold and answered,
 * and the member is trained again on all rows; then weights and curve are chosen on the held-out answers.
 *
 * How good the whole is, is told by a second level of folds: weights and curve from the other folds' rows answer for those
 * of each. The same folds decide whether a single member, or a sum without a curve, is as good. */
#define _POSIX_C_SOURCE 200809L
#include "forest/committee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "forest/tune.h"

/* A member under way. */
typedef struct trial {
  double *answer; /* n x k, of held-out rows: the mean over the repeats */
  svf_buffer image;
  double score, seconds;
  bool done;
} trial;

typedef struct assembly {
  const svf_settings *settings;
  const svf_table *table;
  svf_auto_options options;
  const svf_run *outer;
  svf_run run; /* what trainings get: its callback looks at the clock */
  svf_plan plan;
  svf_bench bench;
  const svf_la *la;
  trial *trial;         /* one per member of the plan */
  int32_t *fold;        /* n */
  size_t *row;          /* n: scratch */
  uint32_t *all, *part; /* n: every row; scratch */
  svf_ranked *ranked;
  svf_arena arena;
  double start, done, price, all_price; /* seconds; priced work: finished, at hand, of the plan */
  bool late, stopped;
  svf_status failure; /* of the first member that failed */
  svf_message why;
  svf_message *message;
} assembly;

/* ---- the clock ---- */

static double elapsed(const assembly *a) { return svf_tune_now() - a->start; }

/* The first member always comes to its end: without it there would be no answer. */
static bool out_of_time(const assembly *a) {
  return a->options.budget > 0 && a->trial[0].done && elapsed(a) > a->options.budget;
}

static int look(void *user, const svf_progress *progress) {
  assembly *a = user;
  svf_progress whole = *progress;
  whole.done = fmin((a->done + progress->done * a->price) / a->all_price, 1);
  if (a->outer && a->outer->callback && a->outer->callback(a->outer->user, &whole)) a->stopped = true;
  a->late |= out_of_time(a);
  return a->stopped || a->late;
}

/* ---- one member ---- */

static svf_status take_fold(const assembly *a, int32_t fold, bool inside, svf_table **part, size_t *count) {
  *count = 0;
  for (size_t i = 0; i < a->bench.n; i++)
    if ((a->fold[i] == fold) == inside) a->row[(*count)++] = i;
  return svf_table_take(a->table, a->row, *count, part, a->message);
}

/* The answers of the fold's rows by a forest of the others, added where they belong. */
static svf_status answer_fold(assembly *a, const svf_settings *settings, int32_t fold, double *answer) {
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

static svf_status answer_all(assembly *a, const svf_settings *settings, double *answer) {
  for (size_t r = 0; r < a->plan.repeats; r++) {
    SVF_TRY(svf_table_folds(a->table, a->plan.folds, (uint64_t)a->settings->seed + r, a->fold, a->message));
    for (size_t f = 0; f < a->plan.folds; f++) {
      SVF_TRY(answer_fold(a, settings, (int32_t)f, answer));
      a->done += a->price;
    }
  }
  return SVF_OK;
}

/* Remarks on the table are made once. */
static svf_status train_whole(assembly *a, size_t m, svf_buffer *image) {
  svf_forest *forest;
  svf_run run = a->run;
  if (m == 0 && a->outer) run.remark = a->outer->remark;
  SVF_TRY(svf_train(&a->plan.member[m].settings, a->table, &run, &forest, a->message));
  bool fine = svf_buffer_add(image, forest->image, forest->size);
  svf_forest_free(forest);
  return fine ? SVF_OK : svf_no_memory(a->message, "a member of the committee");
}

static bool all_finite(const double *x, size_t count) {
  size_t i = 0;
  while (i < count && isfinite(x[i])) i++;
  return i == count;
}

static svf_status try_member(assembly *a, size_t m) {
  trial *t = &a->trial[m];
  const svf_settings *settings = &a->plan.member[m].settings;
  size_t cells = a->bench.n * a->bench.k;
  double begun = elapsed(a), before = a->done;
  t->answer = calloc(cells ? cells : 1, sizeof *t->answer);
  if (!t->answer) return svf_no_memory(a->message, "the answers of a member");
  a->price = a->plan.member[m].price / (double)(a->plan.folds * a->plan.repeats + 1);
  svf_status status = answer_all(a, settings, t->answer);
  if (!status && !all_finite(t->answer, cells))
    status = svf_fail(a->message, SVF_DATA, "its answers are beyond the numbers of a double");
  if (!status) status = train_whole(a, m, &t->image);
  a->done = before + a->plan.member[m].price;
  t->seconds = elapsed(a) - begun;
  t->done = status == SVF_OK;
  if (t->done)
    t->score = svf_bench_score(a->bench.aim, svf_bench_loss(&a->bench, t->answer, a->all, a->bench.n, a->ranked));
  return status;
}

static void tell(const assembly *a, size_t m, svf_status status) {
  if (!a->options.tell) return;
  svf_buffer text = {0};
  svf_planned_write(&a->plan.member[m].settings, &text);
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
static bool too_dear(const assembly *a, size_t m) {
  double rate = a->done > 0 ? elapsed(a) / a->done : 0;
  return a->options.budget > 0 && elapsed(a) + rate * a->plan.member[m].price > a->options.budget;
}

/* Members in the order of the plan. One that fails, does not fit or would pass the budget is left out. */
static svf_status try_all(assembly *a) {
  for (size_t m = 0; m < a->plan.count && !a->stopped && !a->late; m++) {
    if (m > 0 && too_dear(a, m)) continue;
    svf_status status = try_member(a, m);
    if (status == SVF_STOPPED && a->late) svf_fail(a->message, SVF_STOPPED, "stopped: the budget was spent");
    tell(a, m, status);
    if (status && !a->failure && !a->stopped) a->failure = status, a->why = *a->message;
  }
  return SVF_OK;
}

/* ---- weights and curve ---- */

/* The finished members. */
typedef struct finished {
  size_t count, member[SVF_MEMBERS];
  const double *answer[SVF_MEMBERS];
} finished;

static finished find_finished(const assembly *a) {
  finished f = {.count = 0};
  for (size_t m = 0; m < a->plan.count; m++)
    if (a->trial[m].done) f.member[f.count] = m, f.answer[f.count++] = a->trial[m].answer;
  return f;
}

static void blend(const assembly *a, const finished *f, const double *weight, const uint32_t *rows, size_t count,
                  double *sum) {
  size_t k = a->bench.k;
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < k; c++) {
      double all = 0;
      for (size_t m = 0; m < f->count; m++) all += weight[m] * f->answer[m][rows[i] * k + c];
      sum[rows[i] * k + c] = all;
    }
}

/* Ways to answer, each judged on rows that had no say in its weights and its curve. */
enum { SINGLE, SUM, SINGLE_CURVED, SUM_CURVED, WAYS };

typedef struct second_level {
  double *answer[WAYS]; /* n x k */
  size_t single;        /* of the finished members: the best one on all rows */
} second_level;

static size_t rows_of(const assembly *a, int32_t fold, bool inside, uint32_t *rows) {
  size_t count = 0;
  for (size_t i = 0; i < a->bench.n; i++)
    if ((a->fold[i] == fold) == inside) rows[count++] = (uint32_t)i;
  return count;
}

static svf_status answer_second(assembly *a, const finished *f, int32_t fold, double *sum, second_level *s) {
  double weight[SVF_MEMBERS];
  size_t k = a->bench.k, others = rows_of(a, fold, false, a->part);
  if (!svf_committee_weigh(&a->bench, f->answer, f->count, a->part, others, (uint64_t)a->settings->seed, weight))
    return svf_no_memory(a->message, "the weights of a committee");
  blend(a, f, weight, a->all, a->bench.n, sum);
  const double *from[] = {f->answer[s->single], sum};
  svf_curve curve[2] = {{.kind = SVF_CURVE_NONE}, {.kind = SVF_CURVE_NONE}};
  for (int w = 0; w < 2 && a->bench.label; w++)
    curve[w] = svf_curve_fit(&a->bench, a->la, from[w], a->part, others, &a->arena);
  size_t count = rows_of(a, fold, true, a->part);
  for (size_t i = 0; i < count; i++)
    for (int w = 0; w < 2; w++) {
      size_t at = a->part[i] * k;
      memcpy(s->answer[w] + at, from[w] + at, k * sizeof(double));
      memcpy(s->answer[SINGLE_CURVED + w] + at, from[w] + at, k * sizeof(double));
      svf_curve_apply(&curve[w], k, s->answer[SINGLE_CURVED + w] + at);
    }
  return svf_arena_failed(&a->arena) ? svf_no_memory(a->message, "the curve of a committee") : SVF_OK;
}

static size_t best_single(const assembly *a, const finished *f) {
  size_t best = 0;
  double least = INFINITY;
  for (size_t m = 0; m < f->count; m++) {
    double loss = svf_bench_loss(&a->bench, f->answer[m], a->all, a->bench.n, a->ranked);
    if (loss < least) least = loss, best = m;
  }
  return best;
}

/* Mean over the folds and its standard error, in the words of the user. */
static void score_folds(assembly *a, const double *answer, double *score, double *deviation) {
  double sum = 0, square = 0, folds = (double)a->plan.folds;
  for (size_t f = 0; f < a->plan.folds; f++) {
    size_t count = rows_of(a, (int32_t)f, true, a->part);
    double one = svf_bench_score(a->bench.aim, svf_bench_loss(&a->bench, answer, a->part, count, a->ranked));
    sum += one, square += one * one;
  }
  *deviation = sqrt(fmax(square / folds - sum * sum / folds / folds, 0) / (folds - 1));
  *score = svf_bench_score(a->bench.aim, svf_bench_loss(&a->bench, answer, a->all, a->bench.n, a->ranked));
}

/* Judges the ways. The curve is judged by the log-loss, whatever the aim: it is there for the probabilities. */
static svf_status judge_ways(assembly *a, const finished *f, second_level *s, int *way) {
  svf_bench loss = a->bench;
  size_t cells = a->bench.n * a->bench.k;
  double *sum = SVF_TAKE(&a->arena, double, cells), value[WAYS], log_loss[WAYS];
  for (int w = 0; w < WAYS; w++) s->answer[w] = SVF_TAKE(&a->arena, double, cells);
  if (svf_arena_failed(&a->arena)) return svf_no_memory(a->message, "the weights of a committee");
  SVF_TRY(svf_table_folds(a->table, a->plan.folds, (uint64_t)a->settings->seed, a->fold, a->message));
  s->single = best_single(a, f);
  for (size_t fold = 0; fold < a->plan.folds; fold++) SVF_TRY(answer_second(a, f, (int32_t)fold, sum, s));
  for (int w = 0; w < WAYS; w++) value[w] = svf_bench_loss(&a->bench, s->answer[w], a->all, a->bench.n, a->ranked);
  *way = value[SUM] < value[SINGLE] || isnan(value[SINGLE]) ? SUM : SINGLE;
  if (!a->bench.label) return SVF_OK;
  loss.aim = SVF_AIM_LOG_LOSS;
  for (int w = 0; w < WAYS; w++) log_loss[w] = svf_bench_loss(&loss, s->answer[w], a->all, a->bench.n, a->ranked);
  if (log_loss[*way + SINGLE_CURVED] < log_loss[*way]) *way += SINGLE_CURVED;
  return SVF_OK;
}

/* Weights, curve and scores go into `parts`. */
static svf_status settle(assembly *a, const finished *f, double *weight, svf_committee_parts *parts) {
  second_level s = {.single = 0};
  int way = SINGLE;
  SVF_TRY(judge_ways(a, f, &s, &way));
  score_folds(a, s.answer[way], &parts->whole_score, &parts->whole_deviation);
  bool sum = way == SUM || way == SUM_CURVED;
  for (size_t m = 0; m < f->count; m++) weight[m] = m == s.single;
  if (sum &&
      !svf_committee_weigh(&a->bench, f->answer, f->count, a->all, a->bench.n, (uint64_t)a->settings->seed, weight))
    return svf_no_memory(a->message, "the weights of a committee");
  if (way < SINGLE_CURVED) {
    if (a->bench.label) parts->curve = svf_curve_smooth(a->bench.smooth);
    return SVF_OK;
  }
  blend(a, f, weight, a->all, a->bench.n, s.answer[SUM]);
  parts->curve = svf_curve_fit(&a->bench, a->la, s.answer[SUM], a->all, a->bench.n, &a->arena);
  return svf_arena_failed(&a->arena) ? svf_no_memory(a->message, "the curve of a committee") : SVF_OK;
}

/* Nothing was held out that could say more. */
static void settle_alone(const assembly *a, double *weight, svf_committee_parts *parts) {
  weight[0] = 1;
  parts->whole_score = parts->whole_deviation = NAN;
  if (a->bench.label) parts->curve = svf_curve_smooth(a->bench.smooth);
}

/* The plan that was really run is what the committee remembers, its effort too. */
static svf_status finish(assembly *a, svf_forest **forest) {
  svf_settings settings = *a->settings;
  settings.effort = a->plan.effort;
  finished f = find_finished(a);
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
  else SVF_TRY(settle(a, &f, weight, &parts));
  svf_plan_write(&a->plan, ran, &plan);
  svf_buffer_add(&plan, "", 1);
  parts.plan = (const char *)plan.data;
  svf_status status = plan.failed ? svf_no_memory(a->message, "the plan") : SVF_OK;
  if (!status) status = svf_committee_make(&parts, forest, a->message);
  svf_buffer_free(&plan);
  return status;
}

/* ---- the whole ---- */

/* What each row counts: its weight times that of its class. Balanced: rows / (classes * rows of the class), by weight. */
static void weigh_rows(const assembly *a, double *weight, double *tally) {
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

static svf_status open_assembly(assembly *a) {
  const svf_table *table = a->table;
  size_t k = table->task == SVF_TASK_CLASS ? table->classes.count : 1;
  double *weight = SVF_TAKE(&a->arena, double, table->n), *tally = SVF_ZERO(&a->arena, double, k);
  a->trial = SVF_ZERO(&a->arena, trial, a->plan.count);
  a->fold = SVF_TAKE(&a->arena, int32_t, table->n);
  a->row = SVF_TAKE(&a->arena, size_t, table->n);
  a->all = SVF_TAKE(&a->arena, uint32_t, table->n);
  a->part = SVF_TAKE(&a->arena, uint32_t, table->n);
  a->ranked = SVF_TAKE(&a->arena, svf_ranked, table->n);
  if (svf_arena_failed(&a->arena)) return svf_no_memory(a->message, "a committee");
  for (size_t i = 0; i < table->n; i++) a->all[i] = (uint32_t)i;
  weigh_rows(a, weight, tally);
  double smooth = (double)k / (double)(table->n + k); /* as if every class had been seen once more */
  a->bench =
      (svf_bench){table->n, k, table->label, table->value, weight, svf_aim_of(a->settings, table->task), smooth};
  for (size_t m = 0; m < a->plan.count; m++) a->all_price += a->plan.member[m].price;
  return SVF_OK;
}

/* Too few rows to hold any out: the first member of the plan alone, on all of them. */
static svf_status train_alone(assembly *a, svf_forest **forest) {
  trial *first = &a->trial[0];
  first->image.size = 0;
  SVF_TRY(train_whole(a, 0, &first->image));
  first->done = true;
  first->score = NAN;
  return finish(a, forest);
}

static svf_status assemble(assembly *a, svf_forest **forest) {
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
static int64_t open_effort(const assembly *a) {
  bool given = a->settings->given[SVF_SET_effort];
  return a->options.budget > 0 && !given ? SVF_EFFORTS : a->settings->effort;
}

static svf_status find_plan(assembly *a) {
  const svf_table *table = a->table;
  if (a->options.plan) SVF_TRY(svf_plan_read(a->options.plan, a->settings, table->task, &a->plan, a->message));
  else SVF_TRY(svf_plan_make(a->settings, table, open_effort(a), &a->plan, a->message));
  for (size_t m = 0; m < a->plan.count; m++)
    if (!(a->plan.member[m].price > 0)) a->plan.member[m].price = 1;
  if (a->plan.folds > table->n) a->plan.folds = table->n;
  return SVF_OK;
}

svf_status svf_committee_train(const svf_settings *settings, const svf_table *table, const svf_auto_options *options,
                               const svf_run *run, svf_forest **forest, svf_message *message) {
  svf_message own;
  assembly a = {.settings = settings, .table = table, .outer = run, .message = message ? message : &own};
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
