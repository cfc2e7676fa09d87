/* page.h - what the parts of the page share. */
#ifndef SVF_REPORT_PAGE_H
#define SVF_REPORT_PAGE_H

#include "report/markup.h"
#include "report/pictures.h"

extern const char svf_report_style[];

/* A section with a heading and a sentence on how to read it; both are HTML. */
void svf_section_begin(svf_buffer *out, const char *id, const char *title, const char *lead);
void svf_section_end(svf_buffer *out);
/* A table in a box that scrolls; heads: their texts, ended by NULL, those of numbers after a '#'. */
void svf_grid_begin(svf_buffer *out, const char *const *heads);
void svf_grid_end(svf_buffer *out);
void svf_td_text(svf_buffer *out, const char *text); /* at most 60 characters */
void svf_td_number(svf_buffer *out, double number);
void svf_td_percent(svf_buffer *out, double share);
void svf_td_count(svf_buffer *out, size_t count);

/* page_model.c: what was trained. page_answers.c: how good it is. page_table.c: features, rows and columns. */
void svf_page_model(const svf_report *r, svf_buffer *out);
void svf_page_scores(const svf_report *r, svf_buffer *out);
void svf_page_classes(const svf_report *r, svf_buffer *out);
void svf_page_values(const svf_report *r, svf_buffer *out);
void svf_page_importance(const svf_report *r, svf_buffer *out);
void svf_page_dependence(const svf_report *r, svf_buffer *out);
void svf_page_hardest(const svf_report *r, svf_buffer *out);
void svf_page_columns(const svf_report *r, svf_buffer *out);

#endif
