/* metrics.c - how good predictions are. */
#include "metrics.h"
#include "cli.h"
#include <math.h>
#include <stdlib.h>

static double weight(const cli_outcome *o, size_t i) { return o->weight ? o->weight[i] : 1; }

static double accuracy(const cli_outcome *o) {
  double right = 0, all = 0;
  for (size_t i = 0; i < o->n; i++) {
    all += weight(o, i);
    if (o->label[i] >= 0 && (double)o->label[i] == o->predicted[i]) right += weight(o, i);
  }
  return right / all;
}

static double *confusion(const cli_outcome *o) {
  double *table = CLI_TAKE(double, (o->k + 1) * o->k);
  for (size_t i = 0; i < o->n; i++) {
    size_t row = o->label[i] < 0 ? o->k : (size_t)o->label[i];
    table[row * o->k + (size_t)o->predicted[i]] += weight(o, i);
  }
  return table;
}

/* Recall and F1 of each class from the confusion table; unknown labels are one more class that is never
 * right. */
static void average(const cli_outcome *o, cli_class_metrics *m) {
  double recall = 0, f1 = 0, there = 0, named = 0;
  for (size_t c = 0; c <= o->k; c++) {
    double row = 0, column = 0, right = c < o->k ? m->confusion[c * o->k + c] : 0;
    for (size_t j = 0; j < o->k; j++) row += m->confusion[c * o->k + j];
    for (size_t j = 0; c < o->k && j <= o->k; j++) column += m->confusion[j * o->k + c];
    if (row > 0) recall += right / row, there++;
    if (row + column > 0) f1 += 2 * right / (row + column), named++;
  }
  m->balanced_accuracy = recall / there;
  m->f1 = f1 / named;
}

typedef struct ranked {
  double score, weight;
  int positive;
} ranked;

static int by_score(const void *a, const void *b) {
  double left = ((const ranked *)a)->score, right = ((const ranked *)b)->score;
  return (left > right) - (left < right);
}

/* The rows with a known label, class c against the rest, by score. The area does not change with the unit of either
 * side's weights: with the largest at 1, sums and products neither overflow nor vanish. */
static size_t line_up(const cli_outcome *o, size_t c, ranked *rank) {
  size_t count = 0;
  double largest[2] = {0, 0};
  for (size_t i = 0; i < o->n; i++) {
    if (o->label[i] < 0) continue;
    ranked row = {o->probabilities[i * o->k + c], weight(o, i), (size_t)o->label[i] == c};
    largest[row.positive] = fmax(largest[row.positive], row.weight);
    rank[count++] = row;
  }
  for (size_t i = 0; i < count; i++) rank[i].weight /= largest[rank[i].positive];
  qsort(rank, count, sizeof *rank, by_score);
  return count;
}

/* Probability that a row of class c has a higher score than one of another class; ties count half. */
static double area(const cli_outcome *o, size_t c, ranked *rank) {
  size_t count = line_up(o, c, rank);
  double positive = 0, negative = 0, sum = 0;
  for (size_t i = 0; i < count;) {
    double group[2] = {0, 0}, score = rank[i].score;
    for (; i < count && rank[i].score == score; i++) group[rank[i].positive] += rank[i].weight;
    sum += group[1] * (negative + group[0] / 2);
    positive += group[1];
    negative += group[0];
  }
  return sum / (positive * negative); /* NaN where one side is empty or weighs nothing */
}

static double mean_area(const cli_outcome *o) {
  ranked *rank = CLI_TAKE(ranked, o->n);
  double sum = 0, count = 0;
  for (size_t c = o->k == 2; c < o->k; c++) { /* of two classes the second tells all */
    double a = area(o, c, rank);
    if (!isnan(a)) sum += a, count++;
  }
  free(rank);
  return sum / count;
}

static double log_loss(const cli_outcome *o) {
  double sum = 0, all = 0;
  for (size_t i = 0; i < o->n; i++) {
    double p = o->label[i] < 0 ? 0 : o->probabilities[i * o->k + (size_t)o->label[i]];
    sum -= weight(o, i) * log(fmax(p, 1e-15));
    all += weight(o, i);
  }
  return sum / all;
}

cli_class_metrics cli_measure_classes(const cli_outcome *o) {
  cli_class_metrics m = {.accuracy = accuracy(o), .auc = NAN, .log_loss = NAN, .confusion = confusion(o)};
  average(o, &m);
  for (size_t i = 0; i < o->n; i++) m.unknown += o->label[i] < 0;
  if (!o->probabilities) return m;
  m.auc = mean_area(o);
  m.log_loss = log_loss(o);
  return m;
}

static double mean_square(const cli_outcome *o, double *absolute) {
  double square = 0, all = 0, size = 0;
  for (size_t i = 0; i < o->n; i++) {
    double error = o->value[i] - o->predicted[i];
    square += weight(o, i) * error * error;
    size += weight(o, i) * fabs(error);
    all += weight(o, i);
  }
  *absolute = size / all;
  return square / all;
}

static double variance(const cli_outcome *o) {
  double mean = 0, all = 0, sum = 0;
  for (size_t i = 0; i < o->n; i++) {
    mean += weight(o, i) * o->value[i];
    all += weight(o, i);
  }
  mean /= all;
  for (size_t i = 0; i < o->n; i++) sum += weight(o, i) * (o->value[i] - mean) * (o->value[i] - mean);
  return sum / all;
}

cli_value_metrics cli_measure_values(const cli_outcome *o) {
  cli_value_metrics m;
  m.mse = mean_square(o, &m.mae);
  m.rmse = sqrt(m.mse);
  m.r2 = 1 - m.mse / variance(o);
  return m;
}
