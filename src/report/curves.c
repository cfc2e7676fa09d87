/* curves.c - of classes: ROC and precision-recall curves, and how often probabilities come true; of intervals and sets: how often
 * they hold. */
#include "report/report.h"

#include <math.h>

enum { MOST_POINTS = 1000 };
#define NEAR (1 / 150.) /* a point that is nearer to the last one is not drawn */

/* ---- one class against the rest ---- */

static void add_point(svf_polyline *line, double x, double y, bool last) {
  const svf_spot *before = line->count ? &line->point[line->count - 1] : NULL;
  bool near = before && fabs(x - before->x) + fabs(y - before->y) < NEAR;
  if (last ? line->count < MOST_POINTS : !near && line->count + 1 < MOST_POINTS)
    line->point[line->count++] = (svf_spot){x, y};
}

/* Goes through the rows from the most probable on, those of the same probability at once. */
static void follow(const svf_report *r, svf_one_class *curve) {
  const svf_outcome *o = &r->rows;
  const uint32_t *row = svf_ranks_of(&r->ranks, curve->class_code);
  double all[2] = {0, 0}, above[2] = {0, 0};
  for (size_t i = 0; i < r->ranks.count; i++)
    all[(size_t)o->label[row[i]] == curve->class_code] += svf_report_weight(r, row[i]);
  curve->share = all[1] / (all[0] + all[1]);
  add_point(&curve->roc, 0, 0, false);
  for (size_t i = r->ranks.count; i > 0;) {
    double score = o->probabilities[row[i - 1] * o->k + curve->class_code], before = above[1];
    for (; i > 0 && o->probabilities[row[i - 1] * o->k + curve->class_code] == score; i--)
      above[(size_t)o->label[row[i - 1]] == curve->class_code] += svf_report_weight(r, row[i - 1]);
    if (!(above[0] + above[1] > 0)) continue;
    double precision = above[1] / (above[0] + above[1]);
    curve->precision += (above[1] - before) / all[1] * precision;
    add_point(&curve->roc, above[0] / all[0], above[1] / all[1], i == 0);
    if (above[1] > 0) add_point(&curve->recall, above[1] / all[1], precision, i == 0);
  }
}

/* The classes that are told from the others the least. */
static void choose_classes(svf_report *r) {
  for (size_t c = r->ranks.first; c < r->rows.k; c++) {
    double area = svf_ranks_area(&r->rows, &r->ranks, c);
    size_t at = r->curves;
    if (isnan(area)) continue;
    while (at && r->curve[at - 1].area > area) at--;
    if (at == SVF_REPORT_LINES) continue;
    if (r->curves < SVF_REPORT_LINES) r->curves++;
    for (size_t i = r->curves - 1; i > at; i--) r->curve[i] = r->curve[i - 1];
    r->curve[at] = (svf_one_class){.class_code = c, .area = area};
  }
}

bool svf_report_curves(svf_report *r) {
  choose_classes(r);
  for (size_t c = 0; c < r->curves; c++) {
    r->curve[c].roc.point = SVF_TAKE(&r->memory, svf_spot, MOST_POINTS);
    r->curve[c].recall.point = SVF_TAKE(&r->memory, svf_spot, MOST_POINTS);
    if (svf_arena_failed(&r->memory)) return false;
    follow(r, &r->curve[c]);
  }
  return true;
}

/* ---- probabilities ---- */

/* Wilson's interval of a share that was seen in n rows (of weights: in as many as say the same). */
static void bound_share(double share, double n, double *low, double *high) {
  const double z = 1.959963984540054, square = z * z;
  double middle = (share + square / (2 * n)) / (1 + square / n);
  double half = z / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n));
  *low = fmax(0, middle - half);
  *high = fmin(1, middle + half);
}

/* Of two classes: the probability of the second, and whether a row is of it. Of more: that of the named class, and whether it
 * is right. */
static bool came_true(const svf_report *r, size_t row, double *said) {
  const svf_outcome *o = &r->rows;
  size_t c = o->k == 2 ? 1 : (size_t)o->predicted[row];
  *said = fmax(0, fmin(1, o->probabilities[row * o->k + c]));
  return o->label[row] == (int32_t)c;
}

void svf_report_calibration(svf_report *r) {
  double squares[SVF_REPORT_BINS] = {0};
  for (size_t i = 0; i < r->rows.n; i++) {
    double said, weight = svf_report_weight(r, i);
    bool held = came_true(r, i, &said);
    size_t at = (size_t)(said * SVF_REPORT_BINS);
    if (at == SVF_REPORT_BINS) at--;
    r->bin[at].weight += weight;
    r->bin[at].said += weight * said;
    r->bin[at].held += weight * held;
    squares[at] += weight * weight;
  }
  for (size_t b = 0; b < SVF_REPORT_BINS; b++) {
    svf_bin *bin = &r->bin[b];
    if (!(bin->weight > 0)) continue;
    bin->said /= bin->weight;
    bin->held /= bin->weight;
    bound_share(bin->held, bin->weight / squares[b] * bin->weight, &bin->low, &bin->high);
    r->miscalibration += bin->weight / r->total * fabs(bin->said - bin->held);
  }
}

/* ---- intervals and sets ---- */

/* How large the interval or set of a row is, and whether it holds the truth. */
static double size_of(const svf_report *r, size_t row, double reach, bool *holds) {
  const svf_outcome *o = &r->rows;
  size_t inside = 0;
  if (!o->k) {
    double spread = r->spread ? r->spread[row] : 1, half = spread == 0 ? 0 : reach * spread;
    *holds = fabs(o->value[row] - o->predicted[row]) <= half;
    return 2 * half;
  }
  const double *p = o->probabilities + row * o->k;
  size_t best = 0;
  *holds = false;
  for (size_t c = 1; c < o->k; c++)
    if (p[c] > p[best]) best = c;
  for (size_t c = 0; c < o->k; c++) {
    bool in = c == best || 1 - p[c] <= reach;
    inside += in;
    *holds |= in && o->label[row] == (int32_t)c;
  }
  return (double)inside;
}

/* Numbers have intervals if the model knows spreads or is calibrated, classes have sets if it is calibrated. */
void svf_report_levels(svf_report *r) {
  static const double levels[SVF_REPORT_LEVELS] = {.5, .7, .8, .9, .95, .99};
  bool calibrated = svf_forest_calibrated(r->forest) > 0;
  if (r->options->oob || !(calibrated || r->spread)) return;
  for (size_t l = 0; l < SVF_REPORT_LEVELS; l++) {
    svf_coverage *level = &r->level[r->levels++];
    double reach = svf_forest_reach(r->forest, levels[l]), squares = 0;
    *level = (svf_coverage){.level = levels[l]};
    for (size_t i = 0; i < r->rows.n; i++) {
      bool holds;
      double share = svf_report_weight(r, i) / r->total;
      level->size += share * size_of(r, i, reach, &holds);
      level->held += share * holds;
      squares += share * share;
    }
    level->held = fmin(level->held, 1);
    bound_share(level->held, 1 / squares, &level->low, &level->high);
  }
}
