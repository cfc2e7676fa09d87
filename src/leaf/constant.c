/* constant.c - the classic leaf: class shares, or the mean, of its training rows.
 * numbers: k shares; where all rows are of one class, its code alone: of a fully grown forest these are nearly all leaves.
 * Or the mean, and where the rows differ the error that it expects. */
#include "leaf/leaf_code.h"
#include "leaf/leaf.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Sums to shares; a leaf of one class is shortened to its code. */
static void end_shares(double *share, size_t k, double sum, svf_buffer *numbers) {
  size_t classes = 0, last = 0;
  for (size_t c = 0; c < k; c++) {
    if (share[c] > 0) classes++, last = c;
    share[c] /= sum;
  }
  if (classes != 1 || k == 1) return;
  share[0] = (double)last;
  numbers->size -= (k - 1) * sizeof(double);
}

/* Root mean squared error of the mean of the other rows; in units of the largest difference, whose square may overflow. */
static double left_out_error(const svf_frame *frame, const svf_site *site, double mean, double all) {
  double largest = 0, sum = 0;
  for (size_t i = 0; i < site->n; i++) largest = fmax(largest, fabs(frame->value[site->rows[i]] / 2 - mean / 2));
  if (largest == 0) return 0;
  for (size_t i = 0; i < site->n; i++) {
    size_t row = site->rows[i];
    double weight = frame->weight ? frame->weight[row] : 1;
    double error = (frame->value[row] / 2 - mean / 2) / largest / fmax(1 - weight / all, 1e-10);
    sum += weight * error * error;
  }
  return fmin(2 * (largest * sqrt(sum / all)), DBL_MAX);
}

typedef struct weighed {
  double value, weight;
} weighed;

static int by_value(const void *a, const void *b) {
  double x = ((const weighed *)a)->value, y = ((const weighed *)b)->value;
  return (x > y) - (x < y);
}

/* The least residual with half of the weight at or below it; where it is exactly half, the middle of that and the next. */
static bool median(const svf_ground *ground, const svf_site *site, double *middle) {
  const svf_frame *frame = ground->frame;
  svf_mark mark = svf_arena_mark(&ground->worker->arena);
  weighed *item = SVF_TAKE(&ground->worker->arena, weighed, site->n);
  double all = 0, below = 0;
  if (!item) return false;
  for (size_t i = 0; i < site->n; i++) {
    size_t row = site->rows[i];
    item[i] = (weighed){frame->residual[row], frame->weight ? frame->weight[row] : 1};
    all += item[i].weight;
  }
  qsort(item, site->n, sizeof *item, by_value);
  size_t at = 0;
  while (at + 1 < site->n && below + item[at].weight < all / 2) below += item[at++].weight;
  bool even = at + 1 < site->n && below + item[at].weight == all / 2;
  *middle = even ? (item[at].value + item[at + 1].value) / 2 : item[at].value;
  svf_arena_release(&ground->worker->arena, mark);
  return true;
}

/* A step of boosting: the Newton step, or the median of the residuals. */
static svf_status train_step(const svf_ground *ground, const svf_site *site, svf_buffer *numbers,
                             svf_message *message) {
  const svf_frame *frame = ground->frame;
  double step = 0, sum = 0;
  if (frame->residual) {
    if (!median(ground, site, &step)) return svf_no_memory(message, "a leaf");
  } else {
    for (size_t i = 0; i < site->n; i++) {
      double weight = frame->weight ? frame->weight[site->rows[i]] : 1;
      sum += weight;
      if (weight > 0) step += weight / sum * (frame->value[site->rows[i]] - step);
    }
    step *= sum > 0 ? sum / (sum + frame->prior) : 0;
  }
  return svf_buffer_add(numbers, &step, sizeof step) ? SVF_OK : svf_no_memory(message, "a leaf");
}

static svf_status train(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  const svf_frame *frame = ground->frame;
  if (frame->step) return train_step(ground, site, numbers, message);
  double *share = svf_buffer_grow(numbers, frame->k * sizeof(double)), sum = 0;
  if (!share) return svf_no_memory(message, "a leaf");
  for (size_t c = 0; c < frame->k; c++) share[c] = 0;
  for (size_t i = 0; i < site->n; i++) {
    size_t row = site->rows[i];
    double weight = frame->weight ? frame->weight[row] : 1;
    sum += weight;
    if (frame->label) share[frame->label[row]] += weight;
    else share[0] += 2 * (weight / sum) * (frame->value[row] / 2 - share[0] / 2); /* running mean: no overflow */
  }
  double spread = frame->label || site->n < 2 ? 0 : left_out_error(frame, site, share[0], sum);
  if (frame->label) end_shares(share, frame->k, sum, numbers);
  if (spread > 0 && !svf_buffer_add(numbers, &spread, sizeof spread)) return svf_no_memory(message, "a leaf");
  return SVF_OK;
}

static bool valid(const svf_leaf_view *leaf) {
  if (leaf->length == leaf->k) return true;
  if (leaf->k == 1) return leaf->length == 2 && svf_leaf_number(leaf, 1) >= 0;
  double code = leaf->length == 1 ? svf_leaf_number(leaf, 0) : -1;
  return code >= 0 && code < (double)leaf->k && code == floor(code);
}

/* Share of a class, or the value. */
static double answer(const svf_leaf_view *leaf, size_t c) {
  if (leaf->length < leaf->k) return svf_leaf_number(leaf, 0) == (double)c;
  return svf_leaf_number(leaf, c);
}

static bool predict(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch, double *score,
                    double *share) {
  (void)row, (void)scratch;
  bool value = leaf->k == 1;
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < leaf->k; c++) {
      double number = answer(leaf, c);
      if (share) share[i * leaf->k + c] = number;
      score[i * leaf->k + c] = value ? number : 2 * number - 1;
    }
  return true;
}

static double spread(const svf_leaf_view *leaf) { return leaf->length > 1 ? svf_leaf_number(leaf, 1) : 0; }

static void adjust(double *numbers, size_t length, double factor, double shift) {
  (void)length;
  numbers[0] = fmax(-DBL_MAX, fmin(DBL_MAX, factor * numbers[0] + shift));
}

static bool text(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *out) {
  if (classes->count == 0 || (leaf->k == 1 && classes->count > 1))
    return svf_buffer_print(out, "value %.6g", svf_leaf_number(leaf, 0));
  svf_buffer_print(out, "shares");
  for (size_t c = 0; c < leaf->k; c++) svf_buffer_print(out, " %s %.4g", classes->text[c], answer(leaf, c));
  return !out->failed;
}

extern const svf_leaf svf_leaf_constant;
const svf_leaf svf_leaf_constant = {.kind.name = "constant",
                                    .kind.help = "class probabilities, or the mean, of the rows in the cell",
                                    .train = train,
                                    .flat = train,
                                    .quick = true,
                                    .fixed = true,
                                    .valid = valid,
                                    .predict = predict,
                                    .adjust = adjust,
                                    .spread = spread,
                                    .text = text,
                                    .code = &svf_constant_code};
