/* markup.h - text, numbers and plots as HTML and inline SVG. What comes from the data goes through svf_markup_text. */
#ifndef SVF_REPORT_MARKUP_H
#define SVF_REPORT_MARKUP_H

#include "base/buffer.h"

/* Escaped for text and attributes; what is no UTF-8, or no character of XML, becomes U+FFFD. */
void svf_markup_text(svf_buffer *out, const char *text);
/* The same for at most `most` characters, the last of them three points if there are more. */
void svf_markup_name(svf_buffer *out, const char *text, size_t most);
/* A few digits for people, whatever the locale; a dash for NaN. */
void svf_markup_number(svf_buffer *out, double number);
void svf_markup_percent(svf_buffer *out, double share);
/* Days since 1970-01-01 as a date. */
void svf_markup_date(svf_buffer *out, double days);
/* "12,345" */
void svf_markup_count(svf_buffer *out, size_t count);
/* The same with k, M or G for thousands, for ticks. */
void svf_markup_short(svf_buffer *out, double number);
/* Coordinates: a number with one decimal. */
void svf_markup_place(svf_buffer *out, double place);

typedef struct svf_chart_axis {
  double low, high;
  double first, step; /* ticks */
  bool date;          /* ticks at both ends and in the middle, as dates */
} svf_chart_axis;

/* Round ends around the numbers; they may be equal. */
svf_chart_axis svf_chart_over(double low, double high);
/* An axis that ends with the numbers. */
svf_chart_axis svf_chart_within(double low, double high);
static inline svf_chart_axis svf_chart_share(void) { return (svf_chart_axis){0, 1, 0, .2, false}; }

/* A plot of two axes. */
typedef struct svf_chart {
  svf_buffer *out;
  svf_chart_axis x, y;
  double left, right, top, bottom;
} svf_chart;

/* what: for those who do not see it. Names are written as they are. */
void svf_chart_begin(svf_chart *plot, const char *what, const char *x_name, const char *y_name);
void svf_chart_end(svf_chart *plot);
double svf_chart_x(const svf_chart *plot, double x);
double svf_chart_y(const svf_chart *plot, double y);
void svf_chart_path_begin(svf_chart *plot, const char *class);
void svf_chart_path_point(svf_chart *plot, double x, double y, bool first);
void svf_chart_path_end(svf_chart *plot);
void svf_chart_segment(svf_chart *plot, double x0, double y0, double x1, double y1, const char *class);
void svf_chart_dot(svf_chart *plot, double x, double y, double radius, const char *class);
/* From the bottom of the plot to y. */
void svf_chart_bar(svf_chart *plot, double x0, double x1, double y, const char *class);

/* Marks in pixels. anchor: start, middle or end. */
void svf_svg_begin(svf_buffer *out, double width, double height, const char *class, const char *what);
void svf_svg_rect(svf_buffer *out, double x, double y, double width, double height, const char *class);
void svf_svg_text_begin(svf_buffer *out, double x, double y, const char *anchor);

#endif
