/* outcome.c - how good answers are. */
#include "report/outcome.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double weight(const svf_outcome *o, size_t i) { return o->weight ? o->weight[i] : 1; }

/* ---- classes: which was named ---- */

void svf_confusion_count(const svf_outcome *o, double *confusion) {
  memset(confusion, 0, (o->k + 1) * o->k * sizeof *confusion);
  for (size_t i = 0; i < o->n; i++) {
    size_t row = o->label[i] < 0 ? o->k : (size_t)o->label[i];
    confusion[row * o->k + (size_t)o->predicted[i]] += weight(o, i);
  }
}

/* Accuracy, and recall and F1 of each class; unknown labels are one more class that is never right. */
static void count(const svf_outcome *o, double *weigh, svf_class_measures *m) {
  double *labelled = weigh, *named = weigh + o->k + 1, *right = weigh + 2 * (o->k + 1);
  double all = 0, hits = 0, recall = 0, f1 = 0, there = 0, either = 0;
  memset(weigh, 0, 3 * (o->k + 1) * sizeof *weigh);
  m->unknown = 0;
  for (size_t i = 0; i < o->n; i++) {
    size_t label = o->label[i] < 0 ? o->k : (size_t)o->label[i], said = (size_t)o->predicted[i];
    labelled[label] += weight(o, i);
    named[said] += weight(o, i);
    if (label == said) right[label] += weight(o, i);
    m->unknown += label == o->k;
  }
  for (size_t c = 0; c <= o->k; c++) {
    all += labelled[c];
    hits += right[c];
    if (labelled[c] > 0) recall += right[c] / labelled[c], there++;
    if (labelled[c] + named[c] > 0) f1 += 2 * right[c] / (labelled[c] + named[c]), either++;
  }
  m->accuracy = hits / all;
  m->balanced_accuracy = recall / there;
  m->f1 = f1 / either;
}

/* ---- classes: how they were ranked ---- */

typedef struct ranked {
  double score;
  uint32_t row;
} ranked;

static int by_score(const void *a, const void *b) {
  const ranked *left = a, *right = b;
  if (left->score != right->score) return left->score < right->score ? -1 : 1;
  return (left->row > right->row) - (left->row < right->row);
}

bool svf_ranks_make(const svf_outcome *o, svf_arena *arena, svf_ranks *ranks) {
  *ranks = (svf_ranks){.first = o->k == 2};
  ranks->classes = o->k - ranks->first;
  for (size_t i = 0; i < o->n; i++) ranks->count += o->label[i] >= 0;
  ranks->row = SVF_TAKE(arena, uint32_t, ranks->classes * ranks->count);
  ranked *list = SVF_TAKE(arena, ranked, ranks->count);
  if (svf_arena_failed(arena)) return false;
  for (size_t c = 0; c < ranks->classes; c++) {
    size_t at = 0;
    for (size_t i = 0; i < o->n; i++)
      if (o->label[i] >= 0) list[at++] = (ranked){o->probabilities[i * o->k + ranks->first + c], (uint32_t)i};
    qsort(list, at, sizeof *list, by_score);
    for (size_t i = 0; i < at; i++) ranks->row[c * ranks->count + i] = list[i].row;
  }
  return true;
}

/* The area does not change with the unit of either side's weights: with the largest at 1, sums and products neither overflow
 * nor vanish. */
double svf_ranks_area(const svf_outcome *o, const svf_ranks *ranks, size_t c) {
  const uint32_t *row = svf_ranks_of(ranks, c);
  double largest[2] = {0, 0}, positive = 0, negative = 0, sum = 0;
  for (size_t i = 0; i < ranks->count; i++) {
    int side = (size_t)o->label[row[i]] == c;
    largest[side] = fmax(largest[side], weight(o, row[i]));
  }
  for (size_t i = 0; i < ranks->count;) {
    double group[2] = {0, 0}, score = o->probabilities[row[i] * o->k + c];
    for (; i < ranks->count && o->probabilities[row[i] * o->k + c] == score; i++) {
      int side = (size_t)o->label[row[i]] == c;
      if (largest[side] > 0) group[side] += weight(o, row[i]) / largest[side];
    }
    sum += group[1] * (negative + group[0] / 2);
    positive += group[1];
    negative += group[0];
  }
  return sum / (positive * negative);
}

static double mean_area(const svf_outcome *o, const svf_ranks *ranks) {
  double sum = 0, areas = 0;
  for (size_t c = ranks->first; c < o->k; c++) {
    double area = svf_ranks_area(o, ranks, c);
    if (!isnan(area)) sum += area, areas++;
  }
  return sum / areas;
}

static double log_loss(const svf_outcome *o) {
  double sum = 0, all = 0;
  for (size_t i = 0; i < o->n; i++) {
    double p = o->label[i] < 0 ? 0 : o->probabilities[i * o->k + (size_t)o->label[i]];
    sum -= weight(o, i) * log(fmax(p, 1e-15));
    all += weight(o, i);
  }
  return sum / all;
}

void svf_measure_ranked(const svf_outcome *o, const svf_ranks *ranks, double *weigh, svf_class_measures *m) {
  *m = (svf_class_measures){.auc = NAN, .log_loss = NAN};
  count(o, weigh, m);
  if (!o->probabilities) return;
  m->auc = mean_area(o, ranks);
  m->log_loss = log_loss(o);
}

svf_status svf_measure_classes(const svf_outcome *o, double *confusion, svf_class_measures *measures,
                               svf_message *message) {
  svf_arena arena = {0};
  svf_ranks ranks = {0};
  double *weigh = SVF_TAKE(&arena, double, 3 * (o->k + 1));
  bool fine = weigh && (!o->probabilities || svf_ranks_make(o, &arena, &ranks));
  if (fine) svf_measure_ranked(o, &ranks, weigh, measures);
  if (confusion) svf_confusion_count(o, confusion);
  svf_arena_free(&arena);
  return fine ? SVF_OK : svf_no_memory(message, "the measures");
}

/* ---- numbers ---- */

static double variance(const svf_outcome *o) {
  double mean = 0, all = 0, sum = 0;
  for (size_t i = 0; i < o->n; i++) {
    mean += weight(o, i) * o->value[i];
    all += weight(o, i);
  }
  mean /= all;
  for (size_t i = 0; i < o->n; i++) sum += weight(o, i) * (o->value[i] - mean) * (o->value[i] - mean);
  return sum / all;
}

void svf_measure_values(const svf_outcome *o, svf_value_measures *m) {
  double square = 0, all = 0, size = 0;
  for (size_t i = 0; i < o->n; i++) {
    double error = o->value[i] - o->predicted[i];
    square += weight(o, i) * error * error;
    size += weight(o, i) * fabs(error);
    all += weight(o, i);
  }
  m->mse = square / all;
  m->rmse = sqrt(m->mse);
  m->mae = size / all;
  m->r2 = 1 - m->mse / variance(o);
}
