/* explain.c - explanations of all rows of a table: what is asked is checked, both tables are encoded, and rows are shared out
 * over threads. */
#include "forest/answers/explain.h"

#include <math.h>
#include <string.h>
#include "forest/auto/committee.h"

enum { ROWS = 16 }; /* of one job, where trees say it all */

/* ---- what is asked ---- */

static svf_status check_classes(const svf_forest *forest, const svf_explanation *wanted, svf_message *message) {
  size_t classes = forest->encoding.classes.count;
  if (!classes && wanted->what == SVF_EXPLAIN_ANSWER) return SVF_OK;
  if (!classes)
    return svf_fail(message, SVF_USAGE, "%s belong to classes, and the model predicts a number",
                    wanted->what == SVF_EXPLAIN_MARGIN ? "margins" : "log-odds");
  if (wanted->class_code >= -1 && wanted->class_code < (int64_t)classes) return SVF_OK;
  return svf_fail(message, SVF_USAGE, "there is no class number %d: the model has %zu", wanted->class_code, classes);
}

static svf_status check(const svf_forest *forest, const svf_explanation *wanted, svf_message *message) {
  SVF_TRY(check_classes(forest, wanted, message));
  if (wanted->what == SVF_EXPLAIN_MARGIN && (forest->committee || !forest->kinds.vote->rounds))
    return svf_fail(message, SVF_USAGE, "margins are sums of trees (vote=boost), and this model has none");
  if (wanted->permutations == 1)
    return svf_fail(message, SVF_USAGE, "one pair of orders has no standard error: use 2 permutations or more");
  if (wanted->permutations > INT32_MAX) return svf_fail(message, SVF_USAGE, "too many permutations");
  if (wanted->background || forest->parts.background) return SVF_OK;
  return svf_fail(
      message, SVF_USAGE,
      "an explanation compares a row with background rows, and the model keeps none: give a table of them, "
      "or train with background=N");
}

/* ---- both tables ---- */

/* Rows that the model keeps are as svf_predictor_row takes them. */
static bool encode_kept(const svf_explaining *e, const svf_explained *m, float *z) {
  const svf_encoding *encoding = &m->forest->encoding;
  memset(z, 0, e->background * m->frame.stride * sizeof *z);
  for (size_t b = 0; b < e->background; b++)
    svf_encode_row(encoding, e->forest->parts.background + b * encoding->features, z + b * m->frame.stride);
  return true;
}

static svf_status encode_background(const svf_explaining *e, svf_explained *m, svf_arena *arena, const svf_run *run,
                                    svf_message *message) {
  size_t count = e->background * m->frame.stride;
  float *z = SVF_TAKE(arena, float, count);
  if (!z) return svf_no_memory(message, "the background");
  m->z = z;
  if (!e->wanted->background) return encode_kept(e, m, z), SVF_OK;
  svf_frame frame;
  SVF_TRY(svf_encode(&m->forest->encoding, e->wanted->background, run, &frame, message));
  memcpy(z, frame.x, count * sizeof *z);
  svf_frame_free(&frame);
  return SVF_OK;
}

static svf_status turn(const svf_explaining *e, svf_explained *m, svf_arena *arena, svf_message *message) {
  size_t d = m->frame.d;
  float *turned = SVF_TAKE(arena, float, d * e->background);
  if (!turned) return svf_no_memory(message, "the background");
  for (size_t b = 0; b < e->background; b++)
    for (size_t c = 0; c < d; c++) turned[c * e->background + b] = m->z[b * m->frame.stride + c];
  m->by_column = turned;
  return SVF_OK;
}

/* Is the answer a mean or a sum of what trees, or members, answer? */
static bool linear_in_trees(const svf_explaining *e, const svf_forest *forest) {
  if (!forest->kinds.vote->rounds) return true;
  return !forest->encoding.classes.count || e->wanted->what == SVF_EXPLAIN_MARGIN;
}
static bool linear_in_members(const svf_explaining *e) {
  const svf_committee *committee = e->forest->committee;
  return e->wanted->what != SVF_EXPLAIN_LOG_ODDS && (!committee || !svf_curve_fitted(&committee->curve));
}

/* The next member; it counts as soon as it has a frame to free. */
static svf_status open_member(svf_explaining *e, const svf_table *table, const svf_run *run, svf_message *message) {
  size_t number = e->members;
  svf_explained *m = &e->member[number];
  const svf_committee *committee = e->forest->committee;
  *m = (svf_explained){.forest = committee ? committee->member[number].forest : e->forest, .weight = 1};
  if (committee) m->weight = committee->member[number].weight;
  SVF_TRY(svf_encode(&m->forest->encoding, table, run, &m->frame, message));
  e->members++;
  e->wanted->unseen = m->frame.unseen;
  SVF_TRY(encode_background(e, m, &e->memory, run, message));
  m->by_trees = linear_in_members(e) && linear_in_trees(e, m->forest) && svf_explain_fits_trees(m->forest);
  e->play |= !m->by_trees;
  return m->by_trees ? turn(e, m, &e->memory, message) : SVF_OK;
}

static svf_status open(svf_explaining *e, const svf_table *table, const svf_run *run, svf_message *message) {
  const svf_committee *committee = e->forest->committee;
  size_t classes = e->forest->encoding.classes.count, members = committee ? committee->count : 1;
  bool one = classes && e->wanted->class_code >= 0;
  e->rows = table->n;
  e->background = e->wanted->background ? e->wanted->background->n : e->forest->parts.backgrounds;
  e->players = svf_encoding_all(&e->forest->encoding);
  e->first = one ? (size_t)e->wanted->class_code : 0;
  e->outputs = classes && !one ? classes : 1;
  e->curve_factor = 1;
  if (committee && committee->curve.kind == SVF_CURVE_TEMPERATURE) e->curve_factor = 1 - committee->curve.smooth;
  e->member = SVF_ZERO(&e->memory, svf_explained, members);
  if (!e->member) return svf_no_memory(message, "an explanation");
  while (e->members < members) SVF_TRY(open_member(e, table, run, message));
  for (size_t m = 0; m < members; m++) e->parted |= e->play && e->member[m].by_trees;
  return SVF_OK;
}

static void close(svf_explaining *e) {
  for (size_t m = 0; m < e->members; m++) svf_frame_free(&e->member[m].frame);
  svf_arena_free(&e->memory);
}

/* ---- the background rows' own answers ---- */

static bool ask_background(const svf_explaining *e, bool whole, svf_arena *arena, double *answer) {
  svf_panel panel;
  svf_mark mark = svf_arena_mark(arena);
  bool fine = svf_panel_open(&panel, e, arena);
  for (size_t b = 0; b < e->background && fine; b += panel.room) {
    size_t n = e->background - b < panel.room ? e->background - b : panel.room;
    for (size_t i = 0; i < n; i++) svf_panel_put_background(&panel, i, b + i);
    fine = svf_panel_ask(&panel, n, whole, answer + b * e->outputs);
  }
  svf_arena_release(arena, mark);
  return fine;
}

static svf_status answer_background(void *context, size_t index, svf_worker *worker, svf_message *message) {
  (void)index;
  svf_explaining *e = context;
  svf_mark mark = svf_arena_mark(&worker->arena);
  double *whole = SVF_TAKE(&worker->arena, double, e->background * e->outputs);
  double *part = SVF_TAKE(&e->memory, double, e->background * e->outputs);
  bool fine = whole && part && ask_background(e, true, &worker->arena, whole) &&
              ask_background(e, false, &worker->arena, part);
  e->z_answer = part;
  for (size_t o = 0; o < e->outputs && fine && e->wanted->bases; o++) {
    double sum = 0;
    for (size_t b = 0; b < e->background; b++) sum += whole[b * e->outputs + o] / (double)e->background;
    e->wanted->bases[o] = sum;
  }
  svf_arena_release(&worker->arena, mark);
  return fine ? SVF_OK : svf_no_memory(message, "an explanation");
}

/* ---- the explained rows ---- */

/* Two classes of one forest are each other's opposite, in boosting by halves. Fills `share` for an explained class. */
static void share_of(const svf_explaining *e, const svf_explained *m, size_t output, svf_tree_share *share) {
  const svf_forest *forest = m->forest;
  size_t class_code = e->first + output;
  share->output = forest->encoding.classes.count ? class_code : 0;
  share->factor = m->weight * e->curve_factor;
  if (!forest->kinds.vote->rounds || forest->encoding.classes.count != 2) return;
  share->output = 0;
  share->factor *= class_code ? .5 : -.5;
}

static bool by_trees(const svf_explaining *e, size_t first, size_t n, svf_worker *worker) {
  size_t stride = e->outputs * e->players;
  double *to = e->wanted->contributions + first * stride;
  for (size_t m = 0; m < e->members; m++) {
    if (!e->member[m].by_trees) continue;
    for (size_t o = 0; o < e->outputs; o++) {
      svf_tree_share share = {.to = to + o * e->players, .stride = stride};
      share_of(e, &e->member[m], o, &share);
      if (!svf_explain_by_trees(e, &e->member[m], first, n, &share, worker)) return false;
    }
  }
  return true;
}

/* What is asked of one row, beside what the trees say. */
static bool finish_row(svf_panel *panel, size_t row, svf_worker *worker, double *square) {
  const svf_explaining *e = panel->e;
  size_t size = e->outputs * e->players;
  double *errors = e->wanted->errors ? e->wanted->errors + row * size : NULL;
  if (e->wanted->answers) {
    svf_panel_put_row(panel, 0, row);
    if (!svf_panel_ask(panel, 1, true, e->wanted->answers + row * e->outputs)) return false;
  }
  memset(square, 0, size * sizeof *square);
  if (e->play && !svf_explain_by_games(panel, row, worker, e->wanted->contributions + row * size, square))
    return false;
  for (size_t j = 0; j < size; j++) square[j] = sqrt(square[j]);
  if (errors) memcpy(errors, square, size * sizeof *errors);
  return true;
}

typedef struct job {
  const svf_explaining *e;
  size_t rows;           /* of a job */
  double *largest_error; /* of each row */
} job;

static bool all_finite(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static svf_status explain_rows(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const job *j = context;
  const svf_explaining *e = j->e;
  size_t first = index * j->rows, n = e->rows - first < j->rows ? e->rows - first : j->rows;
  size_t size = e->outputs * e->players;
  double *to = e->wanted->contributions + first * size;
  svf_panel panel;
  svf_mark mark = svf_arena_mark(&worker->arena);
  double *square = SVF_TAKE(&worker->arena, double, size);
  memset(to, 0, n * size * sizeof *to);
  bool fine = square && svf_panel_open(&panel, e, &worker->arena) && by_trees(e, first, n, worker);
  for (size_t i = first; i < first + n && fine; i++) {
    fine = finish_row(&panel, i, worker, square);
    for (size_t p = 0; p < size && fine; p++) j->largest_error[i] = fmax(j->largest_error[i], square[p]);
  }
  svf_arena_release(&worker->arena, mark);
  if (svf_worker_stopped(worker)) return svf_fail(message, SVF_STOPPED, "stopped");
  if (!fine) return svf_no_memory(message, "an explanation");
  if (all_finite(to, n * size)) return SVF_OK;
  return svf_fail(message, SVF_DATA, "the contributions to an answer are beyond the numbers of a double");
}

static svf_status explain(svf_explaining *e, const svf_run *run, svf_message *message) {
  svf_pool pool;
  svf_stage before = {"explain", 0, 0, NULL}, stage = {"explain", 0, 1, NULL};
  job j = {.e = e, .rows = e->play ? 1 : ROWS, .largest_error = SVF_ZERO(&e->memory, double, e->rows)};
  if (!j.largest_error) return svf_no_memory(message, "an explanation");
  SVF_TRY(svf_pool_open(&pool, run, message));
  svf_status status = SVF_OK;
  for (size_t m = 0; m < e->members && !status; m++) {
    pool.trees += e->member[m].forest->parts.trees;
    if (e->play) status = svf_compact_make(e->member[m].forest, e->rows * e->background, &pool, message);
  }
  if (!status) status = svf_pool_run(&pool, &before, 1, answer_background, e, message);
  if (!status) status = svf_pool_run(&pool, &stage, (e->rows + j.rows - 1) / j.rows, explain_rows, &j, message);
  svf_pool_close(&pool);
  e->wanted->largest_error = 0;
  for (size_t i = 0; i < e->rows; i++) e->wanted->largest_error = fmax(e->wanted->largest_error, j.largest_error[i]);
  return status;
}

svf_status svf_explain(const svf_forest *forest, const svf_table *table, const svf_run *run,
                       svf_explanation *explanation, svf_message *message) {
  svf_explaining e = {.forest = forest, .wanted = explanation};
  SVF_TRY(check(forest, explanation, message));
  svf_status status = open(&e, table, run, message);
  explanation->background_rows = e.background;
  if (!status) status = explain(&e, run, message);
  close(&e);
  return status;
}
