/* ls_svm_step.c - a linear machine as a step of boosting: a ridge Newton step on the features of the way to the leaf.
 *
 * Row i counts c_i = w h and should be answered v_i = -g/h (vote/boosting.h). z_i are the features by whose thresholds the tree came to the
 * leaf, less their means in the leaf and over their deviations there, so that their unit does not matter. With leaf_prior P,
 *     minimise  sum_i c_i (v_i - b - a'z_i)^2 + P b^2 + |a|^2 / C.
 * As sum_i c_i z_i = 0, b is the step of a constant leaf; with Z'CZ = V' diag(l) V and u_i = V z_i,
 *     V a = (sum_i c_i v_i u_i) / (l + 1/C),     error of row i, left out:  e_i / (1 - c_i (1 / (sum c + P) + sum_j u_ij^2 / (l_j + 1/C))).
 * C is that of the grid with the least weighted mean square of these, a = 0 among them. A feature beyond the range of the leaf's rows
 * counts as the end of that range, so that no answer goes further than the leaf has seen. */
#include "leaf/ls_svm.h"

#include <math.h>
#include "la/eigen.h"

#define CERTAIN  1e-10 /* 1 - h_i cannot be told from 0 below this */
#define CONSTANT 1e-6  /* a deviation below this share of the largest value is rounding */

typedef struct stepper {
  const svf_ls_cell *cell;
  svf_arena *arena;
  size_t p, ld;
  uint32_t *column;         /* p, ascending */
  float *low, *high;        /* p: range in the leaf */
  double *mean, *deviation; /* p */
  double total, base;       /* sum of c; the step b */
  double *z;                /* ld: of one row */
  double *basis, *value;    /* p rows of ld, p: V and l */
  double *along, *u;        /* p: sum c v u; of one row */
  double *error;            /* of each C, and of a = 0 */
} stepper;

static double weight_of(const stepper *s, size_t i) { return s->cell->weight ? s->cell->weight[i] : 1; }

/* As machines see it, within the range of the leaf. */
static double seen(const stepper *s, size_t i, size_t j) {
  const svf_frame *frame = s->cell->ground->frame;
  float x = frame->x[s->cell->rows[i] * frame->stride + s->column[j]];
  if (!(x == x)) x = frame->fill[s->column[j]];
  return fminf(fmaxf(x, s->low[j]), s->high[j]);
}

/* The features with thresholds on the way from the root, each once. */
static bool list_columns(stepper *s) {
  const svf_site *site = s->cell->site;
  s->column = SVF_TAKE(s->arena, uint32_t, site->depth + 1);
  if (!s->column) return false;
  for (const svf_site *up = site->up; up; up = up->up) {
    if (up->plane.count != 1 || svf_by_levels(up->plane.threshold)) continue;
    uint32_t column = up->plane.term[0].feature;
    size_t at = s->p;
    while (at && s->column[at - 1] > column) at--;
    if (at && s->column[at - 1] == column) continue;
    for (size_t j = s->p++; j > at; j--) s->column[j] = s->column[j - 1];
    s->column[at] = column;
  }
  return true;
}

static void find_range(const stepper *s, uint32_t column, float *low, float *high) {
  const svf_frame *frame = s->cell->ground->frame;
  *low = INFINITY, *high = -INFINITY;
  for (size_t i = 0; i < s->cell->site->n; i++) {
    float x = frame->x[s->cell->rows[i] * frame->stride + column];
    *low = fminf(*low, x), *high = fmaxf(*high, x);
  }
}

/* Mean and deviation of feature j; false: it is constant in the leaf. */
static bool measure(stepper *s, size_t j) {
  double mean = 0, square = 0, most = fmax(fabs((double)s->low[j]), fabs((double)s->high[j]));
  for (size_t i = 0; i < s->cell->site->n; i++) mean += weight_of(s, i) / s->total * seen(s, i, j);
  for (size_t i = 0; i < s->cell->site->n; i++) {
    double off = seen(s, i, j) - mean;
    square += weight_of(s, i) / s->total * off * off;
  }
  s->mean[j] = mean;
  s->deviation[j] = sqrt(square);
  return s->deviation[j] > CONSTANT * most;
}

/* Keeps the features that vary among the leaf's rows. */
static bool take_features(stepper *s) {
  size_t listed = s->p;
  s->low = SVF_TAKE(s->arena, float, listed);
  s->high = SVF_TAKE(s->arena, float, listed);
  s->mean = SVF_TAKE(s->arena, double, listed);
  s->deviation = SVF_TAKE(s->arena, double, listed);
  if (svf_arena_failed(s->arena)) return false;
  s->p = 0;
  for (size_t j = 0; j < listed; j++) {
    s->column[s->p] = s->column[j];
    find_range(s, s->column[j], &s->low[s->p], &s->high[s->p]);
    if (s->low[s->p] < s->high[s->p] && measure(s, s->p)) s->p++;
  }
  return true;
}

static void take_row(const stepper *s, size_t i) {
  for (size_t j = 0; j < s->p; j++) s->z[j] = (seen(s, i, j) - s->mean[j]) / s->deviation[j];
}

/* b, as a constant leaf has it. */
static void find_base(stepper *s) {
  const svf_frame *frame = s->cell->ground->frame;
  double sum = 0;
  for (size_t i = 0; i < s->cell->site->n; i++) {
    double weight = weight_of(s, i);
    sum += weight;
    if (weight > 0) s->base += weight / sum * (frame->value[s->cell->rows[i]] - s->base);
  }
  s->total = sum;
  s->base *= sum > 0 ? sum / (sum + frame->prior) : 0;
}

/* V and l of Z'CZ, and sum c v u. */
static bool decompose(stepper *s) {
  const svf_ground *ground = s->cell->ground;
  size_t p = s->p, ld = s->ld = svf_padded(p);
  s->z = SVF_ZERO(s->arena, double, ld);
  s->basis = SVF_ZERO(s->arena, double, ld *ld);
  s->value = SVF_ZERO(s->arena, double, ld);
  s->along = SVF_ZERO(s->arena, double, ld);
  s->u = SVF_ZERO(s->arena, double, ld);
  if (svf_arena_failed(s->arena)) return false;
  for (size_t i = 0; i < s->cell->site->n; i++) {
    double c = weight_of(s, i), v = ground->frame->value[s->cell->rows[i]];
    take_row(s, i);
    for (size_t j = 0; j < p; j++) {
      double cz = c * s->z[j];
      s->u[j] += cz * v;
      for (size_t q = j; q < p; q++) s->basis[j * ld + q] += cz * s->z[q];
    }
  }
  for (size_t j = 0; j < p; j++)
    for (size_t q = 0; q < j; q++) s->basis[j * ld + q] = s->basis[q * ld + j];
  if (!svf_eigen(ground->la, p, (svf_dense){s->basis, ld}, s->value, ground->worker->stop, s->arena)) return false;
  for (size_t j = 0; j < p; j++) {
    s->value[j] = fmax(s->value[j], 0);
    for (size_t q = 0; q < p; q++) s->along[j] += s->basis[j * ld + q] * s->u[q];
  }
  return true;
}

/* Adds the left-out errors of row i under each C. */
static void leave_out(stepper *s, size_t i) {
  const svf_ls_cell *cell = s->cell;
  double c = weight_of(s, i), off = cell->ground->frame->value[cell->rows[i]] - s->base;
  double own = c / (s->total + cell->ground->frame->prior);
  take_row(s, i);
  for (size_t j = 0; j < s->p; j++) {
    s->u[j] = 0;
    for (size_t q = 0; q < s->p; q++) s->u[j] += s->basis[j * s->ld + q] * s->z[q];
  }
  for (size_t t = 0; t <= cell->C_count; t++) {
    double fit = 0, share = own, ridge = t < cell->C_count ? 1 / cell->C[t] : INFINITY;
    for (size_t j = 0; j < s->p && t < cell->C_count; j++) {
      double part = s->u[j] / (s->value[j] + ridge);
      fit += part * s->along[j];
      share += c * part * s->u[j];
    }
    double error = (off - fit) / fmax(1 - share, CERTAIN);
    s->error[t] += c * error * error;
  }
}

/* The number of the best C; C_count: a = 0 is better than all. One that is given is not judged. */
static size_t choose(stepper *s) {
  const svf_ls_cell *cell = s->cell;
  size_t best = cell->C_count;
  for (size_t i = 0; i < cell->site->n; i++) leave_out(s, i);
  if (cell->ground->settings->C > 0) return 0;
  for (size_t t = 0; t < cell->C_count; t++)
    if (s->error[t] < s->error[best]) best = t;
  return best;
}

static void write_machine(const stepper *s, double C, svf_buffer *numbers) {
  double corner = s->base;
  for (size_t q = 0; q < s->p; q++) {
    double a = 0;
    for (size_t j = 0; j < s->p; j++) a += s->basis[j * s->ld + q] * (s->along[j] / (s->value[j] + 1 / C));
    a /= s->deviation[q];
    corner += a * (s->low[q] - s->mean[q]);
    const double each[SVF_LS_STEP_EACH] = {s->column[q], s->low[q], s->high[q], a};
    for (size_t e = 0; e < SVF_LS_STEP_EACH; e++) svf_ls_write(numbers, each[e]);
  }
  svf_ls_write(numbers, corner);
}

svf_status svf_ls_train_step(const svf_ls_cell *cell, svf_buffer *numbers, svf_message *message) {
  stepper s = {.cell = cell, .arena = &cell->ground->worker->arena};
  find_base(&s);
  s.error = SVF_ZERO(s.arena, double, cell->C_count + 1);
  bool fine = s.error && list_columns(&s) && take_features(&s) && (!s.p || decompose(&s));
  if (!fine) return svf_no_memory(message, "a leaf");
  size_t chosen = s.p ? choose(&s) : cell->C_count;
  if (chosen == cell->C_count) s.p = 0;
  double C = s.p ? cell->C[chosen] : 0;
  const double head[] = {[SVF_LS_CLASSES] = 0, [SVF_LS_FORM] = SVF_LS_STEP, [SVF_LS_COST] = C};
  for (size_t i = 0; i < SVF_LS_ERROR; i++) svf_ls_write(numbers, head[i]);
  svf_ls_write_error(numbers, s.total > 0 ? s.error[chosen] / s.total : 0, 1);
  write_machine(&s, C, numbers);
  return SVF_OK;
}

/* ---- in use ---- */

bool svf_ls_step_valid(const svf_ls_view *view) {
  const svf_leaf_view *leaf = view->leaf;
  double before = -1;
  for (size_t j = 0; j < view->each; j++) {
    size_t at = view->first + j * SVF_LS_STEP_EACH;
    double column = svf_leaf_number(leaf, at);
    if (!(column > before && column < (double)leaf->d && column == floor(column))) return false;
    if (!(svf_leaf_number(leaf, at + 1) <= svf_leaf_number(leaf, at + 2))) return false;
    before = column;
  }
  return true;
}

/* Products beyond the range of a double, of both signs, have a sum all the same. */
static inline double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

double svf_ls_step_answer(const svf_ls_view *view, const float *row) {
  const svf_leaf_view *leaf = view->leaf;
  size_t at = view->first;
  double sum = svf_leaf_number(leaf, at + view->each * SVF_LS_STEP_EACH);
  long double rest = 0;
  for (size_t j = 0; j < view->each; j++, at += SVF_LS_STEP_EACH) {
    size_t column = (size_t)svf_leaf_number(leaf, at);
    double low = svf_leaf_number(leaf, at + 1), high = svf_leaf_number(leaf, at + 2);
    double x = row[column] == row[column] ? row[column] : leaf->fill[column];
    double weight = svf_leaf_number(leaf, at + 3), inside = clamped(x, low, high), part = weight * (inside - low);
    if (isfinite(sum + part)) sum += part;
    else rest += (long double)weight * ((long double)inside - low);
  }
  return rest != 0 ? (double)(sum + rest) : sum;
}

void svf_ls_step_adjust(double *numbers, size_t length, double factor, double shift) {
  double *bias = numbers + length - 1;
  for (double *at = numbers + SVF_LS_HEAD + SVF_LS_STEP_EACH - 1; at < bias; at += SVF_LS_STEP_EACH)
    *at = svf_ls_bound(*at * factor);
  *bias = svf_ls_bound(*bias * factor + shift);
}
