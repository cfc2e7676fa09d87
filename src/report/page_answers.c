/* page_answers.c - how good the answers are: scores, confusion, curves and calibration of classes; residuals and coverage of
 * numbers. */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 15, LISTED = 50 };

static void put(svf_buffer *out, const char *text) { svf_buffer_add(out, text, strlen(text)); }

static const char *class_of(const svf_report *r, int32_t code) {
  return code < 0 ? "(unknown)" : r->encoding->classes.text[code];
}

/* ---- scores ---- */

static void note_rows(const svf_report *r, svf_buffer *out) {
  if (r->unanswered) {
    put(out, "<p>");
    svf_markup_count(out, r->unanswered);
    put(out, r->options->oob ? " rows are left out: every tree saw them.</p>\n"
                             : " rows are left out: their target is missing.</p>\n");
  }
  if (r->rows.k && r->classes.unknown) {
    put(out, "<p>");
    svf_markup_count(out, r->classes.unknown);
    put(out, " rows have a label that the model does not know, or none; they count as errors.</p>\n");
  }
  if (!r->unseen) return;
  put(out, "<p>");
  svf_markup_count(out, r->unseen);
  put(out, " cells hold categories that training did not have; they count as missing.</p>\n");
}

static void write_score(const svf_report *r, const svf_score *score, svf_buffer *out) {
  bool share = r->rows.k ? score != &r->score[4] : score == &r->score[2];
  put(out, "<tr>");
  svf_td_text(out, score->name);
  svf_td_number(out, score->value);
  put(out, "<td class=\"n\">");
  svf_markup_number(out, score->low);
  put(out, isnan(score->low) ? "" : " to ");
  if (!isnan(score->low)) svf_markup_number(out, score->high);
  put(out, "</td><td>");
  if (share) svf_picture_score(score, out);
  put(out, "</td>");
  svf_td_number(out, score->constant);
  put(out, "</tr>\n");
}

void svf_page_scores(const svf_report *r, svf_buffer *out) {
  static const char *const heads[] = {"score", "#value", "#95% interval", "", "#constant answer", NULL};
  svf_section_begin(
      out, "scores", "Scores",
      "Intervals hold 95% of the scores of bootstrap samples of the rows: they show how far chance in the "
      "choice of the rows could have moved a score. The last column is the score of one answer for all rows.");
  svf_grid_begin(out, heads);
  for (size_t s = 0; s < r->scores; s++) write_score(r, &r->score[s], out);
  svf_grid_end(out);
  put(out, "<p class=\"quiet\">");
  svf_markup_count(out, r->resamples);
  put(out,
      r->rows.k
          ? " bootstrap samples. F1 and AUC are means over the classes; the constant answer is the most frequent "
            "class or, for log-loss, the shares of the classes.</p>\n"
          : " bootstrap samples. The constant answer is the mean.</p>\n");
  note_rows(r, out);
  svf_section_end(out);
}

/* ---- confusion ---- */

typedef struct pair {
  int32_t label, said;
  double weight;
} pair;

static int by_classes(const void *a, const void *b) {
  const pair *x = a, *y = b;
  if (x->label != y->label) return x->label < y->label ? -1 : 1;
  return (x->said > y->said) - (x->said < y->said);
}

static int by_count(const void *a, const void *b) {
  const pair *x = a, *y = b;
  if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
  return by_classes(a, b);
}

/* The errors, those of the same two classes as one, the most frequent first. */
static size_t count_pairs(const svf_report *r, pair *list) {
  size_t count = 0, at = 0;
  for (size_t i = 0; i < r->rows.n; i++) {
    int32_t said = (int32_t)r->rows.predicted[i];
    if (r->rows.label[i] != said) list[count++] = (pair){r->rows.label[i], said, svf_report_weight(r, i)};
  }
  if (count) qsort(list, count, sizeof *list, by_classes);
  for (size_t i = 0; i < count; i++) {
    if (at && by_classes(&list[at - 1], &list[i]) == 0) list[at - 1].weight += list[i].weight;
    else list[at++] = list[i];
  }
  if (at) qsort(list, at, sizeof *list, by_count);
  return at;
}

static void write_pairs(const svf_report *r, svf_buffer *out) {
  static const char *const heads[] = {"true", "predicted", "#rows", "#of all errors", NULL};
  pair *list = malloc(r->rows.n * sizeof *list);
  if (!list) {
    out->failed = true;
    return;
  }
  size_t count = count_pairs(r, list);
  double all = 0;
  for (size_t i = 0; i < count; i++) all += list[i].weight;
  if (count) {
    put(out, "<div><h3>Most frequent errors</h3>\n");
    svf_grid_begin(out, heads);
    for (size_t i = 0; i < count && i < PAIRS; i++) {
      put(out, "<tr>");
      svf_td_text(out, class_of(r, list[i].label));
      svf_td_text(out, class_of(r, list[i].said));
      svf_td_number(out, list[i].weight);
      svf_td_percent(out, all > 0 ? list[i].weight / all : 0);
      put(out, "</tr>\n");
    }
    svf_grid_end(out);
    put(out, "</div>\n");
  }
  free(list);
}

/* Precision, recall and F1 of each class. */
static void write_classes(const svf_report *r, const double *sums, svf_buffer *out) {
  static const char *const heads[] = {"class", "#rows", "#precision", "#recall", "#F1", "#AUC", NULL};
  size_t k = r->rows.k;
  const double *labelled = sums, *named = sums + k, *right = sums + 2 * k;
  put(out, "<div><h3>By class</h3>\n");
  svf_grid_begin(out, heads);
  for (size_t c = 0; c < k && c < LISTED; c++) {
    put(out, "<tr>");
    svf_td_text(out, r->encoding->classes.text[c]);
    svf_td_number(out, labelled[c]);
    svf_td_number(out, named[c] > 0 ? right[c] / named[c] : (double)NAN);
    svf_td_number(out, labelled[c] > 0 ? right[c] / labelled[c] : (double)NAN);
    svf_td_number(out, labelled[c] + named[c] > 0 ? 2 * right[c] / (labelled[c] + named[c]) : (double)NAN);
    svf_td_number(out, svf_ranks_area(&r->rows, &r->ranks, k == 2 ? 1 : c));
    put(out, "</tr>\n");
  }
  svf_grid_end(out);
  if (k > LISTED) svf_buffer_print(out, "<p class=\"quiet\">The first %d of %zu classes.</p>\n", LISTED, k);
  put(out, "</div>\n");
}

static void sum_classes(const svf_report *r, double *sums) {
  size_t k = r->rows.k;
  for (size_t i = 0; i < r->rows.n; i++) {
    size_t said = (size_t)r->rows.predicted[i];
    double weight = svf_report_weight(r, i);
    sums[k + said] += weight;
    if (r->rows.label[i] < 0) continue;
    sums[r->rows.label[i]] += weight;
    if (r->rows.label[i] == (int32_t)said) sums[2 * k + said] += weight;
  }
}

static void write_confusion(const svf_report *r, svf_buffer *out) {
  size_t k = r->rows.k;
  bool drawn = k <= SVF_PICTURE_CLASSES;
  double *sums = calloc(3 * k, sizeof *sums), *confusion = malloc((drawn ? (k + 1) * k : 1) * sizeof *confusion);
  svf_section_begin(
      out, "confusion", "Confusion",
      "A line per true class, a column per predicted class. Shades are shares of the line: blue is right, "
      "orange is wrong.");
  out->failed |= !sums || !confusion;
  if (!out->failed) {
    if (drawn) {
      svf_confusion_count(&r->rows, confusion);
      put(out, "<figure class=\"wide\">");
      svf_picture_confusion(r, confusion, out);
      put(out, "</figure>\n");
    }
    sum_classes(r, sums);
    put(out, "<div class=\"pair\">\n");
    write_classes(r, sums, out);
    if (k > 2) write_pairs(r, out);
    put(out, "</div>\n");
  }
  free(sums);
  free(confusion);
  svf_section_end(out);
}

/* ---- curves ---- */

static void write_key(const svf_report *r, bool precision, svf_buffer *out) {
  put(out, "<ul class=\"key\">");
  for (size_t c = 0; c < r->curves; c++) {
    svf_buffer_print(out, "<li><i class=\"f%zu\"></i>", c);
    svf_markup_name(out, r->encoding->classes.text[r->curve[c].class_code], 24);
    put(out, " ");
    svf_markup_number(out, precision ? r->curve[c].precision : r->curve[c].area);
    put(out, "</li>");
  }
  put(out, "</ul>");
}

static void write_ranking(const svf_report *r, svf_buffer *out) {
  svf_section_begin(
      out, "ranking", "ROC and precision-recall",
      r->rows.k == 2 ? "How well probabilities tell the second class from the first, at every threshold."
      : r->rows.k > SVF_REPORT_LINES
          ? "How well the probability of a class tells its rows from all others, at every threshold: the six "
            "classes with the smallest AUC."
          : "How well the probability of a class tells its rows from all others, at every threshold.");
  if (!r->curves) put(out, "<p>The rows are all of one class: there is nothing to tell apart.</p>\n");
  else {
    put(out, "<div class=\"plots\">\n<figure>");
    svf_picture_roc(r, out);
    put(out, "<figcaption>Area under the ROC curve</figcaption>");
    write_key(r, false, out);
    put(out, "</figure>\n<figure>");
    svf_picture_recall(r, out);
    put(out, "<figcaption>Average precision</figcaption>");
    write_key(r, true, out);
    put(out, "</figure>\n</div>\n");
  }
  svf_section_end(out);
}

/* ---- calibration and coverage ---- */

static void write_levels(const svf_report *r, svf_buffer *out) {
  static const char *const sets[] = {"#level", "#held", "#mean size", NULL};
  static const char *const intervals[] = {"#level", "#held", "#mean width", NULL};
  put(out, "<div class=\"pair\">\n<figure>");
  svf_picture_levels(r, out);
  put(out, "</figure>\n<div>");
  svf_grid_begin(out, r->rows.k ? sets : intervals);
  for (size_t l = 0; l < r->levels; l++) {
    put(out, "<tr>");
    svf_td_percent(out, r->level[l].level);
    svf_td_percent(out, r->level[l].held);
    svf_td_number(out, r->level[l].size);
    put(out, "</tr>\n");
  }
  svf_grid_end(out);
  put(out, "</div>\n</div>\n");
}

static void write_calibration(const svf_report *r, svf_buffer *out) {
  svf_section_begin(out, "calibration", "Calibration",
                    r->rows.k == 2
                        ? "Of the rows that were given a probability of the second class, the share that is of "
                          "it. Points on the dashed line are as sure as they should be; bars show the rows."
                        : "Of the rows by the probability of the predicted class, the share that is right. Points "
                          "on the dashed line are as sure as they should be; bars show the rows.");
  put(out, "<div class=\"plots\">\n<figure>");
  svf_picture_calibration(r, out);
  put(out, "<figcaption>Mean distance from the line (expected calibration error) <b>");
  svf_markup_number(out, r->miscalibration);
  put(out, "</b></figcaption></figure>\n</div>\n");
  if (r->levels) {
    put(out, "<h3>Sets of classes</h3>\n<p class=\"quiet\">How often the sets of <code>predict --label-set</code> "
             "hold the "
             "true class.</p>\n");
    write_levels(r, out);
  }
  svf_section_end(out);
}

void svf_page_classes(const svf_report *r, svf_buffer *out) {
  write_confusion(r, out);
  write_ranking(r, out);
  write_calibration(r, out);
}

/* ---- numbers ---- */

static void figure(const svf_report *r, void (*draw)(const svf_report *, svf_buffer *), const char *caption,
                   svf_buffer *out) {
  put(out, "<figure>");
  draw(r, out);
  svf_buffer_print(out, "<figcaption>%s</figcaption></figure>\n", caption);
}

void svf_page_values(const svf_report *r, svf_buffer *out) {
  svf_section_begin(out, "residuals", "Residuals", "How far the true values are from the predicted ones.");
  put(out, "<div class=\"plots\">\n");
  figure(r, svf_picture_fit, "True against predicted values", out);
  figure(r, svf_picture_residuals, "Residuals against predicted values", out);
  figure(r, svf_picture_histogram, "Residuals of all rows", out);
  put(out, "</div>\n");
  if (r->dots < r->rows.n) svf_buffer_print(out, "<p class=\"quiet\">Points are %zu drawn rows.</p>\n", r->dots);
  svf_section_end(out);
  svf_section_begin(
      out, "coverage", "Coverage",
      "How often the intervals of <code>predict --interval</code> hold the true value. Points on the dashed "
      "line hold it as often as they say.");
  if (r->levels) write_levels(r, out);
  else
    put(out, r->options->oob
                 ? "<p>Out-of-bag answers have no intervals.</p>\n"
                 : "<p>The model does not know how far off its values are. <code>svforest calibrate</code> "
                   "gives it intervals.</p>\n");
  svf_section_end(out);
}
