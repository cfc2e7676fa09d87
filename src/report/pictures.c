/* pictures.c - the pictures of a report. Colours are classes of the style sheet: c0 to c5 for lines, f0 to f5 for areas. */
#include "report/pictures.h"
#include "report/markup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(svf_buffer *out, const char *text) { svf_buffer_add(out, text, strlen(text)); }

/* The class of a mark: a letter and the number of the colour. */
typedef struct colour {
  char text[16];
} colour;
static colour of(const char *letter, size_t number) {
  colour c;
  snprintf(c.text, sizeof c.text, "%s%zu", letter, number % SVF_REPORT_LINES);
  return c;
}

/* ---- scores ---- */

void svf_picture_score(const svf_score *score, svf_buffer *out) {
  enum { LENGTH = 120, HEIGHT = 16 };
  double low = fmax(0, score->low), high = fmin(1, score->high);
  svf_svg_begin(out, LENGTH, HEIGHT, "spark", score->name);
  svf_svg_rect(out, 0, 6, LENGTH, 4, "rail");
  if (!isnan(low) && !isnan(high)) svf_svg_rect(out, LENGTH * low, 4, fmax(1, LENGTH * (high - low)), 8, "soft");
  if (score->constant >= 0) svf_svg_rect(out, LENGTH * fmin(1, score->constant) - 1, 1, 2, 14, "faint");
  if (!isnan(score->value)) svf_svg_rect(out, LENGTH * fmax(0, fmin(1, score->value)) - 1.5, 1, 3, 14, "f0");
  put(out, "</svg>");
}

/* ---- confusion ---- */

static void draw_cell(double x, double y, double size, double share, double count, bool right, svf_buffer *out) {
  int strength = (int)lround(10 * share);
  if (strength == 0 && count > 0) strength = 1;
  svf_buffer_print(out, "<g class=\"%s h%d\">", right ? "right" : "wrong", strength);
  svf_svg_rect(out, x + .5, y + .5, size - 1, size - 1, "heat");
  if (size >= 26) {
    svf_svg_text_begin(out, x + size / 2, y + size / 2 + 4, "middle");
    svf_markup_number(out, count);
    put(out, "</text>");
  }
  put(out, "</g>\n");
}

/* Room for the longest name of a class, as far as it is shown. */
static double label_room(const svf_names *classes, size_t most) {
  size_t longest = 5;
  for (size_t c = 0; c < classes->count; c++) {
    size_t count = 0;
    for (const char *at = classes->text[c]; *at; at++) count += ((unsigned char)*at & 0xc0) != 0x80;
    longest = count > longest ? count : longest;
  }
  return 7. * (double)(longest < most ? longest : most) + 12;
}

void svf_picture_confusion(const svf_report *r, const double *confusion, svf_buffer *out) {
  size_t k = r->rows.k, lines = k + (r->classes.unknown > 0), letters = k > 20 ? 2 : k > 10 ? 4 : k > 3 ? 6 : 9;
  double size = k <= 3    ? 74
                : k <= 6  ? 56
                : k <= 10 ? 36
                : k <= 20 ? 30
                          : 20,
         left = label_room(&r->encoding->classes, 14), top = 40;
  if (lines > k) left = fmax(left, 76);
  svf_svg_begin(out, fmax(left + size * (double)k + 6, left + 60), top + size * (double)lines + 6, "fixed",
                "confusion: a line per true class, a column per predicted class");
  svf_svg_text_begin(out, left, 14, "start");
  put(out, "predicted</text>\n");
  svf_svg_text_begin(out, left - 8, top - 8, "end");
  put(out, "true</text>\n");
  for (size_t c = 0; c < k; c++) {
    svf_svg_text_begin(out, left + size * ((double)c + .5), top - 8, "middle");
    svf_markup_name(out, r->encoding->classes.text[c], letters);
    put(out, "</text>\n");
  }
  for (size_t row = 0; row < lines; row++) {
    double all = 0, y = top + size * (double)row;
    for (size_t c = 0; c < k; c++) all += confusion[row * k + c];
    svf_svg_text_begin(out, left - 8, y + size / 2 + 4, "end");
    if (row < k) svf_markup_name(out, r->encoding->classes.text[row], 14);
    else put(out, "(unknown)");
    put(out, "</text>\n");
    for (size_t c = 0; c < k; c++) {
      double count = confusion[row * k + c];
      draw_cell(left + size * (double)c, y, size, all > 0 ? count / all : 0, count, row == c, out);
    }
  }
  put(out, "</svg>\n");
}

/* ---- curves of classes ---- */

static void draw_line(svf_chart *plot, const svf_polyline *line, const char *class) {
  svf_chart_path_begin(plot, class);
  for (size_t i = 0; i < line->count; i++) svf_chart_path_point(plot, line->point[i].x, line->point[i].y, i == 0);
  svf_chart_path_end(plot);
}

void svf_picture_roc(const svf_report *r, svf_buffer *out) {
  svf_chart plot = {.out = out, .x = svf_chart_share(), .y = svf_chart_share()};
  svf_chart_begin(&plot, "ROC curve", "false positive rate", "true positive rate");
  svf_chart_segment(&plot, 0, 0, 1, 1, "rule");
  for (size_t c = r->curves; c-- > 0;) draw_line(&plot, &r->curve[c].roc, of("c", c).text);
  svf_chart_end(&plot);
}

void svf_picture_recall(const svf_report *r, svf_buffer *out) {
  svf_chart plot = {.out = out, .x = svf_chart_share(), .y = svf_chart_share()};
  svf_chart_begin(&plot, "precision-recall curve", "recall", "precision");
  if (r->curves == 1) svf_chart_segment(&plot, 0, r->curve[0].share, 1, r->curve[0].share, "rule");
  for (size_t c = r->curves; c-- > 0;) draw_line(&plot, &r->curve[c].recall, of("c", c).text);
  svf_chart_end(&plot);
}

/* Bars of the rows' number stand behind the points, the highest a third of the picture. */
void svf_picture_calibration(const svf_report *r, svf_buffer *out) {
  svf_chart plot = {.out = out, .x = svf_chart_share(), .y = svf_chart_share()};
  double most = 0;
  for (size_t b = 0; b < SVF_REPORT_BINS; b++) most = fmax(most, r->bin[b].weight);
  svf_chart_begin(&plot, "calibration", "predicted probability", "share that came true");
  for (size_t b = 0; b < SVF_REPORT_BINS; b++)
    if (r->bin[b].weight > 0)
      svf_chart_bar(&plot, (double)b / SVF_REPORT_BINS, (double)(b + 1) / SVF_REPORT_BINS,
                    r->bin[b].weight / most / 3, "back");
  svf_chart_segment(&plot, 0, 0, 1, 1, "rule");
  bool first = true;
  svf_chart_path_begin(&plot, "c0");
  for (size_t b = 0; b < SVF_REPORT_BINS; b++)
    if (r->bin[b].weight > 0) svf_chart_path_point(&plot, r->bin[b].said, r->bin[b].held, first), first = false;
  svf_chart_path_end(&plot);
  for (size_t b = 0; b < SVF_REPORT_BINS; b++) {
    if (!(r->bin[b].weight > 0)) continue;
    svf_chart_segment(&plot, r->bin[b].said, r->bin[b].low, r->bin[b].said, r->bin[b].high, "whisker");
    svf_chart_dot(&plot, r->bin[b].said, r->bin[b].held, 3.5, "f0");
  }
  svf_chart_end(&plot);
}

void svf_picture_levels(const svf_report *r, svf_buffer *out) {
  svf_chart plot = {.out = out, .x = {.4, 1, .4, .1, false}, .y = {.4, 1, .4, .1, false}};
  double low = 1;
  for (size_t l = 0; l < r->levels; l++) low = fmin(low, r->level[l].low);
  if (low < .4) plot.y = svf_chart_share();
  svf_chart_begin(&plot, "coverage", "level", "share that holds the truth");
  svf_chart_segment(&plot, fmax(plot.x.low, plot.y.low), fmax(plot.x.low, plot.y.low), 1, 1, "rule");
  for (size_t l = 0; l < r->levels; l++) {
    const svf_coverage *at = &r->level[l];
    svf_chart_segment(&plot, at->level, at->low, at->level, at->high, "whisker");
    svf_chart_dot(&plot, at->level, at->held, 3.5, "f0");
  }
  svf_chart_end(&plot);
}

/* ---- numbers ---- */

typedef struct span {
  double low, high;
} span;
static void widen(span *s, double x) {
  s->low = fmin(s->low, x);
  s->high = fmax(s->high, x);
}
static const span nothing = {INFINITY, -INFINITY};

void svf_picture_fit(const svf_report *r, svf_buffer *out) {
  span both = nothing;
  for (size_t d = 0; d < r->dots; d++) {
    widen(&both, r->rows.value[r->dot[d]]);
    widen(&both, r->rows.predicted[r->dot[d]]);
  }
  svf_chart_axis axis = svf_chart_over(both.low, both.high);
  svf_chart plot = {.out = out, .x = axis, .y = axis};
  svf_chart_begin(&plot, "predicted against true values", "predicted", "true");
  for (size_t d = 0; d < r->dots; d++)
    svf_chart_dot(&plot, r->rows.predicted[r->dot[d]], r->rows.value[r->dot[d]], 2, "dot");
  svf_chart_segment(&plot, axis.low, axis.low, axis.high, axis.high, "rule");
  svf_chart_end(&plot);
}

static double residual(const svf_report *r, size_t row) { return r->rows.value[row] - r->rows.predicted[row]; }

void svf_picture_residuals(const svf_report *r, svf_buffer *out) {
  span x = nothing, y = {0, 0};
  for (size_t d = 0; d < r->dots; d++) {
    widen(&x, r->rows.predicted[r->dot[d]]);
    widen(&y, residual(r, r->dot[d]));
  }
  svf_chart plot = {.out = out, .x = svf_chart_within(x.low, x.high), .y = svf_chart_over(y.low, y.high)};
  svf_chart_begin(&plot, "residuals against predicted values", "predicted", "true − predicted");
  for (size_t d = 0; d < r->dots; d++)
    svf_chart_dot(&plot, r->rows.predicted[r->dot[d]], residual(r, r->dot[d]), 2, "dot");
  svf_chart_segment(&plot, plot.x.low, 0, plot.x.high, 0, "rule");
  svf_chart_end(&plot);
}

/* Of all rows; bars of equal width between the ends of the axis. */
void svf_picture_histogram(const svf_report *r, svf_buffer *out) {
  enum { BARS = 2 * SVF_REPORT_BINS };
  span x = {0, 0};
  double bar[BARS] = {0}, most = 0;
  for (size_t i = 0; i < r->rows.n; i++) widen(&x, residual(r, i));
  svf_chart_axis axis = svf_chart_over(x.low, x.high);
  for (size_t i = 0; i < r->rows.n; i++) {
    double part = (residual(r, i) / 2 - axis.low / 2) / (axis.high / 2 - axis.low / 2);
    bar[(size_t)fmax(0, fmin(BARS - 1, part * BARS))] += svf_report_weight(r, i) / r->total;
  }
  for (size_t b = 0; b < BARS; b++) most = fmax(most, bar[b]);
  svf_chart plot = {.out = out, .x = axis, .y = svf_chart_over(0, most)};
  svf_chart_begin(&plot, "histogram of the residuals", "true − predicted", "share of rows");
  for (size_t b = 0; b < BARS; b++) {
    double from = axis.low + (axis.high / BARS - axis.low / BARS) * (double)b,
           width = axis.high / BARS - axis.low / BARS;
    if (bar[b] > 0) svf_chart_bar(&plot, from, from + width, bar[b], "f0");
  }
  svf_chart_segment(&plot, 0, 0, 0, plot.y.high, "rule");
  svf_chart_end(&plot);
}

/* ---- features ---- */

/* What the bars show: the cost of shuffling, else the gain of cuts, else the weights of leaves. */
static double shown(const svf_report *r, const svf_weighty *w) {
  if (r->shuffled) return w->lost;
  for (size_t i = 0; i < r->weighties; i++)
    if (r->weighty[i].gain > 0) return w->gain;
  return w->leaf;
}

void svf_picture_importance(const svf_report *r, svf_buffer *out) {
  size_t count = r->weighties < SVF_PICTURE_BARS ? r->weighties : SVF_PICTURE_BARS;
  double most = 0, left = 126, length = 150, high = 20;
  for (size_t i = 0; i < count; i++) {
    const svf_weighty *w = &r->weighty[i];
    most = fmax(most, shown(r, w) + (r->shuffled ? w->deviation : 0));
  }
  svf_svg_begin(out, 340, high * (double)count + 4, "plot", "importance of the features");
  for (size_t i = 0; i < count; i++) {
    const svf_weighty *w = &r->weighty[i];
    double y = high * (double)i, at = most > 0 ? fmax(0, shown(r, w)) / most * length : 0;
    double off = r->shuffled && most > 0 ? w->deviation / most * length : 0;
    svf_svg_text_begin(out, left - 8, y + 14, "end");
    svf_markup_name(out, r->encoding->feature[w->feature].name, 17);
    put(out, "</text>\n");
    svf_svg_rect(out, left, y + 4, at, 12, "f0");
    if (off > 0) svf_svg_rect(out, left + fmax(0, at - off), y + 9, at + off - fmax(0, at - off), 2, "ink");
    svf_svg_text_begin(out, left + at + off + 6, y + 14, "start");
    svf_markup_number(out, shown(r, w));
    put(out, "</text>\n");
  }
  put(out, "</svg>\n");
}

static const char *answer_name(const svf_report *r) { return r->rows.k ? "mean probability" : "mean answer"; }

/* One axis for all pictures of partial dependence. */
static svf_chart_axis answers(const svf_report *r) {
  span s = nothing;
  for (size_t f = 0; f < r->dependences; f++)
    for (size_t p = 0; p < r->dependence[f].points; p++)
      for (size_t l = 0; l < r->lines; l++) widen(&s, r->dependence[f].answer[p * r->outputs + r->line[l]]);
  return svf_chart_over(s.low, s.high);
}

static void draw_numbers(const svf_report *r, const svf_dependence *d, svf_chart *plot) {
  for (size_t t = 0; t < 9; t++) {
    double x = svf_chart_x(plot, d->tenth[t]);
    svf_svg_rect(plot->out, x - .5, plot->bottom - 6, 1, 6, "tenth");
  }
  for (size_t l = r->lines; l-- > 0;) {
    svf_chart_path_begin(plot, of("c", l).text);
    for (size_t p = 0; p < d->points; p++)
      svf_chart_path_point(plot, d->x[p], d->answer[p * r->outputs + r->line[l]], p == 0);
    svf_chart_path_end(plot);
  }
}

/* A line of dots for each category. */
static void draw_levels(const svf_report *r, const svf_dependence *d, const svf_names *levels, svf_buffer *out) {
  svf_chart_axis axis = answers(r);
  double left = 118, right = 318, high = 21, bottom = 26 + high * (double)d->points;
  svf_chart plot = {.out = out, .x = axis, .left = left, .right = right, .top = 26, .bottom = bottom};
  svf_svg_begin(out, 340, bottom + 20, "plot", "partial dependence on categories");
  svf_svg_text_begin(out, 4, 12, "start");
  svf_buffer_print(out, "%s</text>\n", answer_name(r));
  for (double at = axis.low; at <= axis.high + axis.step / 2; at += axis.step) {
    svf_svg_rect(out, svf_chart_x(&plot, at) - .5, 22, 1, bottom - 22, "tenth");
    svf_svg_text_begin(out, svf_chart_x(&plot, at), bottom + 14, "middle");
    svf_markup_short(out, fabs(at) < axis.step * 1e-6 ? 0 : at);
    put(out, "</text>\n");
  }
  for (size_t p = 0; p < d->points; p++) {
    double y = 26 + high * ((double)p + .5);
    svf_svg_text_begin(out, left - 10, y + 4, "end");
    svf_markup_name(out, levels->text[(size_t)d->x[p]], 13);
    put(out, "</text>\n");
    for (size_t l = r->lines; l-- > 0;) {
      svf_buffer_print(out, "<circle r=\"4.5\" class=\"%s\" cx=\"", of("f", l).text);
      svf_markup_place(out, svf_chart_x(&plot, d->answer[p * r->outputs + r->line[l]]));
      put(out, "\" cy=\"");
      svf_markup_place(out, y);
      put(out, "\"/>\n");
    }
  }
  put(out, "</svg>\n");
}

void svf_picture_dependence(const svf_report *r, const svf_dependence *d, svf_buffer *out) {
  const svf_feature *feature = &r->encoding->feature[d->feature];
  if (feature->levels.count) {
    draw_levels(r, d, &feature->levels, out);
    return;
  }
  double low = d->x[0], high = d->x[d->points - 1];
  svf_chart plot = {.out = out, .x = svf_chart_within(low, high), .y = answers(r)};
  if (feature->date) plot.x = (svf_chart_axis){low, high, low, high - low, true};
  svf_chart_begin(&plot, "partial dependence", "", answer_name(r));
  draw_numbers(r, d, &plot);
  svf_chart_end(&plot);
}

/* ---- columns ---- */

void svf_picture_column(const svf_column_facts *facts, svf_buffer *out) {
  enum { STEP = 5, HEIGHT = 18 };
  size_t most = 0;
  for (size_t b = 0; b < SVF_REPORT_BARS; b++) most = facts->bar[b] > most ? facts->bar[b] : most;
  if (!most) return;
  svf_svg_begin(out, STEP * SVF_REPORT_BARS, HEIGHT, "spark", "distribution");
  put(out, "<path class=\"bars\" d=\"");
  for (int b = 0; b < SVF_REPORT_BARS; b++) {
    if (!facts->bar[b]) continue;
    svf_buffer_print(out, "M%d %dv-", b * STEP, HEIGHT);
    svf_markup_place(out, fmax(1, (double)facts->bar[b] / (double)most * HEIGHT));
    svf_buffer_print(out, "h%dV%dz", STEP - 1, HEIGHT);
  }
  put(out, "\"/></svg>");
}
