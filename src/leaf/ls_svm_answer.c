/* ls_svm_answer.c - the least-squares leaf in use: what its numbers say, and its answers. */
#include "leaf/ls_svm.h"

#include <math.h>
#include <string.h>

enum {
  ASKED = 16,
  STRETCH = 256
}; /* rows asked and rows of the leaf at a time: their kernel stays in the first cache */

/* Answers far from all rows stay finite: so do means of numbers below the first bound, and sums over classes below the
 * second. */
#define MOST_NUMBER 0x1.ffffffp1023
#define MOST_SCORE  1e300
#define MOST_FACTOR 1e6

static bool whole_below(double value, double bound) { return value >= 0 && value < bound && value == floor(value); }

static size_t code_of(const svf_leaf_view *leaf, size_t c) { return (size_t)svf_leaf_number(leaf, SVF_LS_HEAD + c); }

/* Rows of a leaf may come from a hostile file as any floats. */
static bool finite_rows(const svf_leaf_view *leaf, size_t from) {
  if (leaf->singles) return true;
  for (size_t i = from; i < leaf->length; i++) {
    float pair[2];
    memcpy(pair, leaf->numbers + i, sizeof pair);
    if (!isfinite(pair[0]) || !isfinite(pair[1])) return false;
  }
  return true;
}

/* Those of several classes; with scores of at most MOST_SCORE their sums stay finite. */
static bool valid_factors(const svf_leaf_view *leaf, size_t at) {
  double t = svf_leaf_number(leaf, at), r = svf_leaf_number(leaf, at + 1);
  return t >= 0 && t <= MOST_FACTOR && r >= 0 && r <= MOST_FACTOR;
}

static bool read_classes(const svf_leaf_view *leaf, svf_ls_view *view) {
  if (leaf->length < SVF_LS_HEAD) return false;
  double m = svf_leaf_number(leaf, SVF_LS_CLASSES), form = svf_leaf_number(leaf, SVF_LS_FORM);
  if (!whole_below(m, (double)leaf->k + 1) || !whole_below(form, 6 * SVF_LS_FORMS)) return false;
  int flags = (int)form / SVF_LS_FORMS;
  bool calibrated = flags % 2;
  *view = (svf_ls_view){
      .leaf = leaf, .m = (size_t)m, .machines = svf_ls_machines((size_t)m), .form = (int)form % SVF_LS_FORMS};
  view->full = flags >= 4;
  view->map = flags >= 2; /* its place follows */
  view->first = SVF_LS_HEAD + view->m;
  view->curve = calibrated ? view->first + 1 : 0;
  if (calibrated) view->first += 1 + svf_ls_curve(view->m);
  if (calibrated && view->m == 0) return false;
  if ((view->m == 0 && leaf->k != 1) || view->first > leaf->length) return false;
  for (size_t c = 0; c < view->m; c++)
    if (!whole_below(svf_leaf_number(leaf, SVF_LS_HEAD + c), (double)leaf->k) ||
        (c && code_of(leaf, c) <= code_of(leaf, c - 1)))
      return false;
  return !calibrated ||
         (svf_leaf_number(leaf, view->curve - 1) >= 0 && (view->m < 3 || valid_factors(leaf, view->curve)));
}

/* Counts are compared with the length before they are multiplied. */
static bool read_gauss(const svf_leaf_view *leaf, svf_ls_view *view) {
  size_t left = leaf->length - view->first;
  if (left < 2) return false;
  view->sigma = svf_leaf_number(leaf, view->first);
  double rows = svf_leaf_number(leaf, view->first + 1);
  if (!(view->sigma > 0) || !whole_below(rows, (double)leaf->length + 1)) return false;
  view->first += 2;
  left -= 2;
  view->each = (size_t)rows;
  size_t places = svf_padded(view->each);
  if (left / (view->each + 1) < view->machines || (view->each && leaf->d > 2 * leaf->length)) return false;
  left -= view->machines * (view->each + 1);
  if (view->map) {
    if (leaf->d > leaf->length) return false; /* and its square cannot overflow */
    size_t count = svf_metric_count(leaf->d, view->full);
    if (left < count) return false;
    view->map = leaf->length - left;
    left -= count;
  }
  view->pane = leaf->length - left;
  if (view->each == 0) return left == 0;
  view->apart = leaf->d > 0 && !leaf->singles && left / places == leaf->d && left % places == 0;
  if (!leaf->singles && !view->apart) places /= 2;
  return left / places == leaf->d && left % places == 0;
}

static bool read_step(const svf_leaf_view *leaf, svf_ls_view *view) {
  size_t left = leaf->length - view->first;
  view->each = left / SVF_LS_STEP_EACH;
  return view->m == 0 && left % SVF_LS_STEP_EACH == 1;
}

bool svf_ls_read(const svf_leaf_view *leaf, svf_ls_view *view) {
  if (!read_classes(leaf, view)) return false;
  if (view->machines && svf_ls_has_rows(view->form)) return read_gauss(leaf, view);
  if (view->map) return false;
  if (view->machines == 0) return leaf->length == view->first;
  if (view->form == SVF_LS_STEP) return read_step(leaf, view);
  if (leaf->d > leaf->length) return false; /* and the products below cannot overflow */
  view->each = svf_ls_width(leaf->d, view->form);
  size_t left = leaf->length - view->first;
  return left % (view->each + 1) == 0 && left / (view->each + 1) == view->machines;
}

/* The numbers of a map learned are at most 1. */
static bool valid_map(const svf_ls_view *view) {
  for (size_t i = view->map; view->map && i < view->pane; i++)
    if (!(fabs(svf_leaf_number(view->leaf, i)) <= 2)) return false;
  return true;
}

/* A kernel lies between 0 and 1: no answer is further from 0 than alpha and bias together. Is that a number, and the kernel
 * one for any distance? */
static bool finite_answers(const svf_ls_view *view) {
  for (size_t q = 0; q < view->machines; q++) {
    double most = 0;
    for (size_t i = 0; i <= view->each; i++)
      most += fabs(svf_leaf_number(view->leaf, view->first + q * (view->each + 1) + i));
    if (!isfinite(most)) return false;
  }
  return isfinite(svf_ls_factor(svf_ls_kernel_of(view->form), view->sigma));
}

bool svf_ls_valid(const svf_leaf_view *leaf) {
  svf_ls_view view;
  if (!svf_ls_read(leaf, &view)) return false;
  if (svf_ls_has_rows(view.form) && view.machines && !finite_answers(&view)) return false;
  if (view.form == SVF_LS_STEP) return svf_ls_step_valid(&view);
  if (view.apart) return false;
  return view.pane == 0 || (valid_map(&view) && finite_rows(leaf, view.pane));
}

/* Classes present: scores and shares to their places among all k; absent ones score -1, or still less where the best one
 * does. They have no share, or in a calibrated leaf that of one more row of all classes alike. */
static void spread_out(const svf_ls_view *view, const double *own, double *present, double *score, double *share) {
  const svf_leaf_view *leaf = view->leaf;
  double best = -INFINITY, rows = view->curve ? svf_leaf_number(leaf, view->curve - 1) : INFINITY;
  for (size_t c = 0; c < view->m; c++) best = fmax(best, own[c]);
  for (size_t k = 0; k < leaf->k; k++) score[k] = best > -1 ? -1 : best - 1;
  for (size_t c = 0; c < view->m; c++) score[code_of(leaf, c)] = own[c];
  if (!share) return;
  svf_ls_shares(view, own, present);
  double part = 1 / (rows + 1);
  for (size_t k = 0; k < leaf->k; k++) share[k] = part / (double)leaf->k;
  for (size_t c = 0; c < view->m; c++) share[code_of(leaf, c)] += (1 - part) * present[c];
}

/* own: what the machines say of one row, with room for 2 m + 2. */
static void answer(const svf_ls_view *view, double *own, double *score, double *share) {
  double most = view->m ? MOST_SCORE : MOST_NUMBER;
  for (size_t q = 0; q < view->machines; q++) own[q] = fmin(fmax(own[q], -most), most);
  if (view->m == 0) {
    score[0] = own[0];
    if (share) share[0] = own[0];
    return;
  }
  if (view->m == 1) own[0] = 1;
  if (view->m == 2) own[1] = own[0], own[0] = -own[1];
  spread_out(view, own, own + view->m + 1, score, share);
}

typedef struct asking {
  svf_ls_view view;
  const float *const *row;
  size_t n;
  double *own; /* machines x ASKED, then what is said of one row */
  double *score, *share;
} asking;

/* Answers to rows from..from+count-1, whose machines have spoken. */
static void tell(asking *a, size_t from, size_t count) {
  size_t k = a->view.leaf->k;
  double *one = a->own + a->view.machines * ASKED;
  for (size_t i = 0; i < count; i++) {
    for (size_t q = 0; q < a->view.machines; q++) one[q] = a->own[q * ASKED + i];
    answer(&a->view, one, a->score + (from + i) * k, a->share ? a->share + (from + i) * k : NULL);
  }
}

/* The machines' numbers as doubles; copied where the leaf has floats. NULL: memory ran out. */
static const double *take_weights(const svf_ls_view *view, svf_arena *scratch) {
  const svf_leaf_view *leaf = view->leaf;
  if (!leaf->singles) return leaf->numbers + view->first;
  double *w = SVF_TAKE(scratch, double, leaf->length - view->first + 1);
  for (size_t j = view->first; w && j < leaf->length; j++) w[j - view->first] = leaf->singles[j];
  return w;
}

/* Products beyond the range of a double, of both signs, have a sum all the same. */
static double long_sum(const double *w, const double *x, size_t p) {
  long double sum = w[p];
  for (size_t j = 0; j < p; j++) sum += (long double)w[j] * x[j];
  return (double)sum;
}

static bool ask_step(asking *a, svf_arena *scratch) {
  (void)scratch;
  for (size_t i = 0; i < a->n; i++) {
    a->own[0] = svf_ls_step_answer(&a->view, a->row[i]);
    tell(a, i, 1);
  }
  return true;
}

static bool ask_linear(asking *a, svf_arena *scratch) {
  const svf_leaf_view *leaf = a->view.leaf;
  size_t p = a->view.each;
  double *x = SVF_TAKE(scratch, double, p + 1);
  const double *w = take_weights(&a->view, scratch);
  if (svf_arena_failed(scratch)) return false;
  for (size_t i = 0; i < a->n; i++) {
    svf_ls_expand(leaf->d, a->view.form, a->row[i], leaf->fill, x);
    for (size_t q = 0; q < a->view.machines; q++) {
      const double *own = w + q * (p + 1);
      double sum = own[p];
      for (size_t j = 0; j < p; j++) sum += own[j] * x[j];
      a->own[q * ASKED] = isfinite(sum) ? sum : long_sum(own, x, p);
    }
    tell(a, i, 1);
  }
  return true;
}

/* Alpha of all machines with their rows padded, and the rows in panes as floats. */
typedef struct supports {
  double *alpha; /* machines x wide */
  size_t wide;
  const float *pane;
} supports;

static const float *take_rows(const svf_ls_view *view, svf_arena *scratch) {
  const svf_leaf_view *leaf = view->leaf;
  if (leaf->singles) return leaf->singles + view->pane;
  if (!view->apart) return (const float *)(const void *)(leaf->numbers + view->pane);
  float *rows = SVF_TAKE(scratch, float, leaf->length - view->pane);
  for (size_t i = view->pane; rows && i < leaf->length; i++) rows[i - view->pane] = (float)leaf->numbers[i];
  return rows;
}

static bool take_supports(const svf_ls_view *view, svf_arena *scratch, supports *s) {
  const svf_leaf_view *leaf = view->leaf;
  s->wide = svf_padded(view->each);
  s->alpha = SVF_ZERO(scratch, double, view->machines * s->wide);
  if (!s->alpha) return false;
  for (size_t q = 0; q < view->machines; q++)
    for (size_t i = 0; i < view->each; i++)
      s->alpha[q * s->wide + i] = svf_leaf_number(leaf, view->first + q * (view->each + 1) + i);
  s->pane = take_rows(view, scratch);
  return s->pane != NULL;
}

static bool ask_gauss(asking *a, svf_arena *scratch) {
  const svf_leaf_view *leaf = a->view.leaf;
  const svf_blocked *blocked = leaf->la->blocked;
  size_t machines = a->view.machines, ld = svf_padded(leaf->d + 1);
  svf_ls_kernel kernel = svf_ls_kernel_of(a->view.form);
  double factor = svf_ls_factor(kernel, a->view.sigma);
  supports s;
  svf_metric own;
  const svf_metric *metric = a->view.map ? &own : leaf->metric;
  float *x = SVF_TAKE(scratch, float, ASKED *ld), *z = metric ? SVF_TAKE(scratch, float, ASKED *ld) : x;
  double *sums = SVF_TAKE(scratch, double, ld);
  double *k = SVF_TAKE(scratch, double, ASKED *STRETCH);
  if (a->view.map && !svf_ls_own_take(&a->view, scratch, &own)) return false;
  if (!take_supports(&a->view, scratch, &s) || svf_arena_failed(scratch)) return false;
  for (size_t i = 0; i < a->n; i += ASKED) {
    size_t count = a->n - i < ASKED ? a->n - i : ASKED;
    leaf->la->gather(count, leaf->d, a->row + i, leaf->fill, x);
    for (size_t j = 0; metric && j < count; j++) svf_metric_apply(metric, leaf->la, x + j * ld, sums, z + j * ld);
    for (size_t q = 0; q < machines; q++)
      for (size_t j = 0; j < count; j++)
        a->own[q * ASKED + j] = svf_leaf_number(leaf, a->view.first + q * (a->view.each + 1) + a->view.each);
    for (size_t from = 0; from < s.wide; from += STRETCH) {
      size_t span = s.wide - from < STRETCH ? s.wide - from : STRETCH;
      blocked->distances(svf_ls_distance(kernel), &(svf_asked){z, count, leaf->d, ld}, span / SVF_LANES,
                         s.pane + from * leaf->d, (svf_dense){k, span});
      blocked->gaussians(count * span, factor, k, k);
      blocked->dots(count, span, machines, (svf_dense){k, span}, (svf_dense){s.alpha + from, s.wide},
                    (svf_dense){a->own, ASKED});
    }
    tell(a, i, count);
  }
  return true;
}

bool svf_ls_predict(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch, double *score,
                    double *share) {
  svf_mark mark = svf_arena_mark(scratch);
  asking a = {.row = row, .n = n, .score = score, .share = share};
  svf_ls_read(leaf, &a.view);
  a.own = SVF_TAKE(scratch, double, a.view.machines *ASKED + 2 * a.view.m + 4);
  bool fine = a.own != NULL;
  for (size_t i = 0; fine && !a.view.machines && i < n; i++) tell(&a, i, 1);
  if (fine && a.view.machines)
    fine = (svf_ls_has_rows(a.view.form) ? ask_gauss
            : a.view.form == SVF_LS_STEP ? ask_step
                                         : ask_linear)(&a, scratch);
  svf_arena_release(scratch, mark);
  return fine;
}
