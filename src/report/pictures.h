/* pictures.h - the pictures of a report, as inline SVG. */
#ifndef SVF_REPORT_PICTURES_H
#define SVF_REPORT_PICTURES_H

#include "report/report.h"

enum { SVF_PICTURE_CLASSES = 30, SVF_PICTURE_BARS = 20 }; /* of the largest confusion table; features */

/* A score in 0..1 with its interval and the score of a constant answer. */
void svf_picture_score(const svf_score *score, svf_buffer *out);
/* confusion: (k + 1) x k, of at most SVF_PICTURE_CLASSES classes. */
void svf_picture_confusion(const svf_report *r, const double *confusion, svf_buffer *out);
void svf_picture_roc(const svf_report *r, svf_buffer *out);
void svf_picture_recall(const svf_report *r, svf_buffer *out);
void svf_picture_calibration(const svf_report *r, svf_buffer *out);
void svf_picture_levels(const svf_report *r, svf_buffer *out);
/* Of numbers: predicted against true ones, residuals against predicted ones, and their histogram. */
void svf_picture_fit(const svf_report *r, svf_buffer *out);
void svf_picture_residuals(const svf_report *r, svf_buffer *out);
void svf_picture_histogram(const svf_report *r, svf_buffer *out);
void svf_picture_importance(const svf_report *r, svf_buffer *out);
void svf_picture_dependence(const svf_report *r, const svf_dependence *dependence, svf_buffer *out);
void svf_picture_column(const svf_column_facts *facts, svf_buffer *out);

#endif
