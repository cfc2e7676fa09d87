/* chart.c - a plot of two axes as inline SVG; see markup.h. */
#include "report/markup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 340, HEIGHT = 262 };

static void put(svf_buffer *out, const char *text) { svf_buffer_add(out, text, strlen(text)); }

/* ---- marks ---- */

void svf_svg_begin(svf_buffer *out, double width, double height, const char *class, const char *what) {
  svf_buffer_print(out,
                   "<svg class=\"%s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"",
                   class, (int)width, (int)height, (int)width, (int)height);
  svf_markup_text(out, what);
  put(out, "\">\n");
}

/* name="place" */
static void attribute(svf_buffer *out, const char *name, double place) {
  svf_buffer_print(out, " %s=\"", name);
  svf_markup_place(out, place);
  put(out, "\"");
}

void svf_svg_rect(svf_buffer *out, double x, double y, double width, double height, const char *class) {
  put(out, "<rect");
  attribute(out, "x", x);
  attribute(out, "y", y);
  attribute(out, "width", fmax(width, 0));
  attribute(out, "height", fmax(height, 0));
  svf_buffer_print(out, " class=\"%s\"/>\n", class);
}

void svf_svg_text_begin(svf_buffer *out, double x, double y, const char *anchor) {
  put(out, "<text");
  attribute(out, "x", x);
  attribute(out, "y", y);
  svf_buffer_print(out, " text-anchor=\"%s\">", anchor);
}

static void line(svf_buffer *out, double x0, double y0, double x1, double y1, const char *class) {
  put(out, "<line");
  attribute(out, "x1", x0);
  attribute(out, "y1", y0);
  attribute(out, "x2", x1);
  attribute(out, "y2", y1);
  svf_buffer_print(out, " class=\"%s\"/>\n", class);
}

/* ---- axes ---- */

/* About four steps of 1, 2 or 5 times a power of ten. */
svf_chart_axis svf_chart_over(double low, double high) {
  if (!(isfinite(low) && isfinite(high))) return svf_chart_share();
  double range = high / 2 - low / 2, size = fmax(fabs(low), fabs(high));
  if (!(range > size * 1e-9)) range = size > 0 ? size / 2 : .5;
  range = fmin(fmax(range, 1e-300), 4e307);
  double rough = range / 2, power = pow(10, floor(log10(rough))), part = rough / power;
  double step = part < 1.5 ? power : part < 3.5 ? 2 * power : part < 7.5 ? 5 * power : 10 * power;
  svf_chart_axis axis = {floor(low / step) * step, ceil(high / step) * step, 0, step, false};
  if (!(axis.high > axis.low)) axis.low -= step, axis.high += step;
  axis.first = axis.low;
  return axis;
}

svf_chart_axis svf_chart_within(double low, double high) {
  svf_chart_axis axis = svf_chart_over(low, high);
  if (low < high) axis.low = low, axis.high = high, axis.first = ceil(low / axis.step - 1e-9) * axis.step;
  return axis;
}

static void put_tick(svf_buffer *out, const svf_chart_axis *axis, double at) {
  if (axis->date) {
    svf_markup_date(out, floor(at));
    return;
  }
  svf_markup_short(out, fabs(at) < axis->step * 1e-6 ? 0 : at);
}

double svf_chart_x(const svf_chart *p, double x) {
  double part = (x / 2 - p->x.low / 2) / (p->x.high / 2 - p->x.low / 2);
  return p->left + fmax(-.05, fmin(1.05, part)) * (p->right - p->left);
}

double svf_chart_y(const svf_chart *p, double y) {
  double part = (y / 2 - p->y.low / 2) / (p->y.high / 2 - p->y.low / 2);
  return p->bottom - fmax(-.05, fmin(1.05, part)) * (p->bottom - p->top);
}

/* The place of tick number i; NaN: there are no more. */
static double tick(const svf_chart_axis *axis, int i) {
  double at = axis->date ? axis->low + i * (axis->high - axis->low) / 2 : axis->first + i * axis->step;
  return at <= axis->high + axis->step * 1e-6 ? at : (double)NAN;
}

static void draw_x(svf_chart *p, const char *name) {
  double at;
  for (int i = 0; !isnan(at = tick(&p->x, i)); i++) {
    line(p->out, svf_chart_x(p, at), p->top, svf_chart_x(p, at), p->bottom, "grid");
    svf_svg_text_begin(p->out, svf_chart_x(p, at), p->bottom + 14,
                       p->x.date && i == 0   ? "start"
                       : p->x.date && i == 2 ? "end"
                                             : "middle");
    put_tick(p->out, &p->x, at);
    put(p->out, "</text>\n");
  }
  svf_svg_text_begin(p->out, (p->left + p->right) / 2, p->bottom + 32, "middle");
  svf_buffer_print(p->out, "%s</text>\n", name);
}

static void draw_y(svf_chart *p, const char *name) {
  double at;
  for (int i = 0; !isnan(at = tick(&p->y, i)); i++) {
    line(p->out, p->left, svf_chart_y(p, at), p->right, svf_chart_y(p, at), "grid");
    svf_svg_text_begin(p->out, p->left - 6, svf_chart_y(p, at) + 4, "end");
    put_tick(p->out, &p->y, at);
    put(p->out, "</text>\n");
  }
  svf_svg_text_begin(p->out, 4, 12, "start");
  svf_buffer_print(p->out, "%s</text>\n", name);
}

void svf_chart_begin(svf_chart *p, const char *what, const char *x_name, const char *y_name) {
  p->left = 48, p->right = WIDTH - 20, p->top = 24, p->bottom = HEIGHT - 38;
  svf_svg_begin(p->out, WIDTH, *x_name ? HEIGHT : HEIGHT - 16, "plot", what);
  draw_x(p, x_name);
  draw_y(p, y_name);
}

void svf_chart_end(svf_chart *p) { put(p->out, "</svg>\n"); }

/* ---- what is plotted ---- */

void svf_chart_path_begin(svf_chart *p, const char *class) {
  svf_buffer_print(p->out, "<path class=\"%s\" d=\"", class);
}

void svf_chart_path_point(svf_chart *p, double x, double y, bool first) {
  put(p->out, first ? "M" : "L");
  svf_markup_place(p->out, svf_chart_x(p, x));
  put(p->out, " ");
  svf_markup_place(p->out, svf_chart_y(p, y));
}

void svf_chart_path_end(svf_chart *p) { put(p->out, "\"/>\n"); }

void svf_chart_segment(svf_chart *p, double x0, double y0, double x1, double y1, const char *class) {
  line(p->out, svf_chart_x(p, x0), svf_chart_y(p, y0), svf_chart_x(p, x1), svf_chart_y(p, y1), class);
}

void svf_chart_dot(svf_chart *p, double x, double y, double radius, const char *class) {
  put(p->out, "<circle");
  attribute(p->out, "cx", svf_chart_x(p, x));
  attribute(p->out, "cy", svf_chart_y(p, y));
  attribute(p->out, "r", radius);
  svf_buffer_print(p->out, " class=\"%s\"/>\n", class);
}

void svf_chart_bar(svf_chart *p, double x0, double x1, double y, const char *class) {
  double left = svf_chart_x(p, x0), right = svf_chart_x(p, x1), top = svf_chart_y(p, y);
  svf_svg_rect(p->out, left + .5, top, right - left - 1, p->bottom - top, class);
}
