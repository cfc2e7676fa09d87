/* ls_svm.c - the least-squares support vector machine in the cell, for numbers and for classes.
 *
 * A number is fitted as it is. Two classes have one machine with targets -1 and 1, more have one each against the
 * rest. C is the one given or that of C_grid with the least leave-one-out error. The score of a class estimates 2p - 1, p
 * being its share, so the shares are (score + 1) / 2, cut off at 0 and scaled to sum 1.
 * leaf_features=quadratic adds all squares and products of two features.
 *
 * numbers:  HEAD numbers (classes present, or 0 for a number; quadratic; C; mean squared leave-one-out error)
 *           m        codes of the classes present, ascending
 *           (p+1) x  weights of each machine, the bias last; none where m = 1 */
#include "leaf/leaf.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "svm/least_squares.h"

enum { CLASSES, QUADRATIC, COST, ERROR, HEAD };

static size_t width(size_t d, bool quadratic) { return quadratic ? d + d * (d + 1) / 2 : d; }
static size_t machine_count(size_t classes) { return classes == 0 || classes == 2 ? 1 : classes == 1 ? 0 : classes; }

/* What the machine sees of a row. */
static void expand(size_t d, bool quadratic, const float *row, const float *fill, double *x) {
  for (size_t j = 0; j < d; j++) x[j] = row[j] == row[j] ? row[j] : fill[j];
  double *next = x + d;
  for (size_t a = 0; quadratic && a < d; a++)
    for (size_t b = a; b < d; b++) *next++ = x[a] * x[b];
}

/* ---- training ---- */

typedef struct cell {
  const svf_ground *ground;
  const svf_site *site;
  size_t m;         /* classes present; 0: a number */
  int32_t *present; /* their codes */
  double middle, scale;
  svf_squares_problem problem;
  svf_squares result;
} cell;

static bool find_classes(cell *c) {
  const svf_frame *frame = c->ground->frame;
  svf_arena *arena = &c->ground->worker->arena;
  unsigned char *there = SVF_ZERO(arena, unsigned char, frame->k);
  c->present = SVF_TAKE(arena, int32_t, frame->k);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; frame->label && i < c->site->n; i++) there[frame->label[c->site->rows[i]]] = 1;
  for (size_t k = 0; frame->label && k < frame->k; k++)
    if (there[k]) c->present[c->m++] = (int32_t)k;
  return true;
}

/* Numbers scaled to about -1..1; in halves, so that +-1e308 have a difference. */
static void take_values(cell *c, double *y) {
  const double *value = c->ground->frame->value;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < c->site->n; i++) {
    low = fmin(low, value[c->site->rows[i]]);
    high = fmax(high, value[c->site->rows[i]]);
  }
  c->middle = low / 2 + high / 2;
  c->scale = high / 2 - low / 2;
  for (size_t i = 0; i < c->site->n; i++)
    y[i] = c->scale > 0 ? (value[c->site->rows[i]] / 2 - c->middle / 2) / c->scale * 2 : 0;
}

static void take_labels(const cell *c, double *y) {
  size_t n = c->site->n, targets = c->problem.targets;
  for (size_t q = 0; q < targets; q++) {
    int32_t code = c->present[targets == 1 ? 1 : q];
    for (size_t i = 0; i < n; i++) y[q * n + i] = c->ground->frame->label[c->site->rows[i]] == code ? 1 : -1;
  }
}

static bool gather(cell *c) {
  const svf_frame *frame = c->ground->frame;
  svf_arena *arena = &c->ground->worker->arena;
  bool quadratic = c->ground->settings->leaf_features == SVF_LEAF_FEATURES_QUADRATIC;
  svf_squares_problem *problem = &c->problem;
  problem->rows = (svf_rows){.n = c->site->n, .p = width(frame->d, quadratic)};
  problem->rows.ld = svf_padded(problem->rows.p);
  problem->targets = machine_count(c->m);
  double *x = SVF_ZERO(arena, double, problem->rows.n * problem->rows.ld);
  double *y = SVF_TAKE(arena, double, problem->targets * problem->rows.n);
  double *weight = frame->weight ? SVF_TAKE(arena, double, problem->rows.n) : NULL;
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < problem->rows.n; i++) {
    size_t row = c->site->rows[i];
    expand(frame->d, quadratic, frame->x + row * frame->stride, frame->fill, x + i * problem->rows.ld);
    if (weight) weight[i] = frame->weight[row];
  }
  if (c->m) take_labels(c, y);
  else take_values(c, y);
  problem->rows.x = x;
  problem->y = y;
  problem->weight = weight;
  return true;
}

/* Rows twice, their images, the eigenvectors with what finding them takes: refused before it starts if it cannot fit. */
static svf_status check_size(const cell *c, svf_message *message) {
  bool quadratic = c->ground->settings->leaf_features == SVF_LEAF_FEATURES_QUADRATIC;
  double d = (double)c->ground->frame->d, p = quadratic ? d + d * (d + 1) / 2 : d, n = (double)c->site->n;
  double side = n < p ? n : p, targets = (double)machine_count(c->m);
  char what[64];
  snprintf(what, sizeof what, "a leaf of %zu rows", c->site->n);
  return svf_check_memory(message, 8 * (2 * n * p + n * side + 3 * side * side + targets * (3 * n + 2 * p)),
                          c->ground->memory_limit, what);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static svf_status solve(cell *c, svf_message *message) {
  const svf_settings *settings = c->ground->settings;
  double C[SVF_LIST_SIZE] = {settings->C};
  svf_solver solver = {.la = c->ground->la, .stop = c->ground->worker->stop, .arena = &c->ground->worker->arena};
  c->problem.C = C;
  c->problem.C_count = 1;
  if (settings->C == 0) {
    c->problem.C_count = settings->C_grid.count;
    memcpy(C, settings->C_grid.item, c->problem.C_count * sizeof *C);
    qsort(C, c->problem.C_count, sizeof *C, by_value);
  }
  SVF_TRY(check_size(c, message));
  if (!gather(c) || !svf_least_squares(&c->problem, &solver, &c->result))
    return svf_fail(message, SVF_MEMORY, "not enough memory for a leaf of %zu rows", c->site->n);
  return atomic_load(solver.stop) ? svf_fail(message, SVF_STOPPED, "stopped") : SVF_OK;
}

/* Finite whatever the scale of the target. */
static void append(svf_buffer *numbers, double value) {
  value = value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value;
  svf_buffer_add(numbers, &value, sizeof value);
}

static bool write(const cell *c, svf_buffer *numbers) {
  const svf_rows *rows = &c->problem.rows;
  double scale = c->m ? 1 : c->scale;
  append(numbers, (double)c->m);
  append(numbers, c->ground->settings->leaf_features);
  append(numbers, c->result.C);
  append(numbers, c->result.error * scale * scale);
  for (size_t k = 0; k < c->m; k++) append(numbers, c->present[k]);
  for (size_t q = 0; q < c->problem.targets; q++) {
    for (size_t j = 0; j < rows->p; j++) append(numbers, c->result.w[q * rows->ld + j] * scale);
    append(numbers, c->result.bias[q] * scale + c->middle);
  }
  return !numbers->failed;
}

static svf_status train(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  cell c = {.ground = ground, .site = site};
  if (!find_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m != 1) SVF_TRY(solve(&c, message));
  return write(&c, numbers) ? SVF_OK : svf_no_memory(message, "a leaf");
}

/* ---- use ---- */

static bool whole_below(double value, size_t bound) {
  return value >= 0 && value < (double)bound && value == floor(value);
}

static size_t code_of(const svf_leaf_view *leaf, size_t c) { return (size_t)svf_leaf_number(leaf, HEAD + c); }
static bool is_quadratic(const svf_leaf_view *leaf) { return svf_leaf_number(leaf, QUADRATIC) != 0; }

static bool valid(const svf_leaf_view *leaf) {
  if (leaf->length < HEAD || !whole_below(svf_leaf_number(leaf, CLASSES), leaf->k + 1) ||
      !whole_below(svf_leaf_number(leaf, QUADRATIC), 2))
    return false;
  size_t m = (size_t)svf_leaf_number(leaf, CLASSES), body = leaf->length - HEAD;
  if ((m == 0 && leaf->k != 1) || m > body) return false;
  for (size_t c = 0; c < m; c++)
    if (!whole_below(svf_leaf_number(leaf, HEAD + c), leaf->k) || (c && code_of(leaf, c) <= code_of(leaf, c - 1)))
      return false;
  size_t machines = machine_count(m);
  if (machines && leaf->d > leaf->length) return false; /* and the products below cannot overflow */
  size_t each = width(leaf->d, is_quadratic(leaf)) + 1;
  return machines ? (body - m) % each == 0 && (body - m) / each == machines : body == m;
}

/* Classes present: scores and shares to their places among all k; absent ones score -1, or still less where the best one
 * does, and have no share. */
static void spread(const svf_leaf_view *leaf, size_t m, const double *own, double *score, double *share) {
  double best = -INFINITY, sum = 0;
  for (size_t c = 0; c < m; c++) best = fmax(best, own[c]), sum += fmax(0, own[c] + 1);
  for (size_t k = 0; k < leaf->k; k++) score[k] = best > -1 ? -1 : best - 1;
  for (size_t c = 0; c < m; c++) score[code_of(leaf, c)] = own[c];
  if (!share) return;
  for (size_t k = 0; k < leaf->k; k++) share[k] = 0;
  for (size_t c = 0; c < m; c++) share[code_of(leaf, c)] = sum > 0 ? fmax(0, own[c] + 1) / sum : 1 / (double)m;
}

static void predict_row(const double *w, size_t m, size_t p, const double *x, double *own) {
  for (size_t q = 0; q < machine_count(m); q++, w += p + 1) {
    double sum = w[p];
    for (size_t j = 0; j < p; j++) sum += w[j] * x[j];
    own[q] = sum;
  }
  if (m == 1) own[0] = 1;
  if (m == 2) own[1] = fmin(fmax(own[0], -1e300), 1e300), own[0] = -own[1];
}

/* The weights of the machines; copied where the leaf has floats. NULL: memory ran out. */
static const double *take_weights(const svf_leaf_view *leaf, size_t from, svf_arena *scratch) {
  if (!leaf->singles) return leaf->numbers + from;
  double *w = SVF_TAKE(scratch, double, leaf->length - from + 1);
  for (size_t j = from; w && j < leaf->length; j++) w[j - from] = leaf->singles[j];
  return w;
}

static bool predict(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch, double *score,
                    double *share) {
  svf_mark mark = svf_arena_mark(scratch);
  size_t m = (size_t)svf_leaf_number(leaf, CLASSES);
  bool quadratic = is_quadratic(leaf);
  size_t p = machine_count(m) ? width(leaf->d, quadratic) : 0;
  double *x = SVF_TAKE(scratch, double, p + 1), *own = SVF_TAKE(scratch, double, m + 1);
  const double *w = take_weights(leaf, HEAD + m, scratch);
  bool fine = !svf_arena_failed(scratch);
  for (size_t i = 0; fine && i < n; i++) {
    if (p) expand(leaf->d, quadratic, row[i], leaf->fill, x);
    predict_row(w, m, p, x, own);
    if (m) spread(leaf, m, own, score + i * leaf->k, share ? share + i * leaf->k : NULL);
    else score[i] = own[0];
    if (!m && share) share[i] = own[0];
  }
  svf_arena_release(scratch, mark);
  return fine;
}

/* A product of two features counts half for each. */
static void weights(const svf_leaf_view *leaf, double *sum) {
  size_t m = (size_t)svf_leaf_number(leaf, CLASSES), machines = machine_count(m), at = HEAD + m;
  for (size_t q = 0; q < machines; q++, at++) {
    for (size_t j = 0; j < leaf->d; j++) sum[j] += fabs(svf_leaf_number(leaf, at++)) / (double)machines;
    for (size_t a = 0; is_quadratic(leaf) && a < leaf->d; a++)
      for (size_t b = a; b < leaf->d; b++) {
        double half = fabs(svf_leaf_number(leaf, at++)) / (double)machines / 2;
        sum[a] += half, sum[b] += half;
      }
  }
}

static bool text(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *out) {
  size_t m = (size_t)svf_leaf_number(leaf, CLASSES);
  if (m == 1) return svf_buffer_print(out, "only %s", classes->text[code_of(leaf, 0)]);
  svf_buffer_print(out, "%zu%s machine%s, C %.4g, squared error %.4g left out", machine_count(m),
                   is_quadratic(leaf) ? " quadratic" : "", machine_count(m) == 1 ? "" : "s",
                   svf_leaf_number(leaf, COST), svf_leaf_number(leaf, ERROR));
  for (size_t c = 0; c < m; c++)
    svf_buffer_print(out, "%s %s", c ? "" : ", classes", classes->text[code_of(leaf, c)]);
  return !out->failed;
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  if (settings->C > 0 && settings->given[SVF_SET_C_grid])
    return svf_fail(message, SVF_USAGE, "C_grid has no meaning where C is given: leave it out");
  return SVF_OK;
}

static const char *const settings_read[] = {"C", "C_grid", "leaf_features", NULL};

extern const svf_leaf svf_leaf_ls;
const svf_leaf svf_leaf_ls = {.kind.name = "ls-svm",
                              .kind.help = "least-squares machine (ridge), C by leave-one-out in the cell",
                              .kind.settings = settings_read,
                              .kind.check = check,
                              .train = train,
                              .valid = valid,
                              .predict = predict,
                              .weights = weights,
                              .text = text};
