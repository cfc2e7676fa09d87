/* page.c - the page: its head, its tiles, and the order of its sections. It is HTML that is well-formed XML, too. */
#include "report/page.h"

#include <math.h>
#include <string.h>

static void put(svf_buffer *out, const char *text) { svf_buffer_add(out, text, strlen(text)); }

/* ---- sections and tables ---- */

void svf_section_begin(svf_buffer *out, const char *id, const char *title, const char *lead) {
  svf_buffer_print(out, "<section id=\"%s\">\n<h2>%s</h2>\n<p class=\"quiet\">%s</p>\n", id, title, lead);
}

void svf_section_end(svf_buffer *out) { put(out, "</section>\n"); }

void svf_grid_begin(svf_buffer *out, const char *const *heads) {
  put(out, "<div class=\"scroll\"><table>\n<thead><tr>");
  for (; *heads; heads++) {
    bool number = **heads == '#';
    svf_buffer_print(out, "<th%s>", number ? " class=\"n\"" : "");
    svf_markup_name(out, *heads + number, 40);
    put(out, "</th>");
  }
  put(out, "</tr></thead>\n<tbody>\n");
}

void svf_grid_end(svf_buffer *out) { put(out, "</tbody>\n</table></div>\n"); }

void svf_td_text(svf_buffer *out, const char *text) {
  put(out, "<td>");
  svf_markup_name(out, text, 60);
  put(out, "</td>");
}

static void in_cell(svf_buffer *out, void (*write)(svf_buffer *, double), double number) {
  put(out, "<td class=\"n\">");
  write(out, number);
  put(out, "</td>");
}

void svf_td_number(svf_buffer *out, double number) { in_cell(out, svf_markup_number, number); }
void svf_td_percent(svf_buffer *out, double share) { in_cell(out, svf_markup_percent, share); }

void svf_td_count(svf_buffer *out, size_t count) {
  put(out, "<td class=\"n\">");
  svf_markup_count(out, count);
  put(out, "</td>");
}

/* ---- the head ---- */

/* The file without its folders. */
static const char *source(const svf_report *r) {
  const char *path = r->table->path, *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path && strcmp(path, "-") ? path : "a table";
}

static void write_title(const svf_report *r, svf_buffer *out) {
  svf_markup_name(out, r->forest->settings.method, 40);
  put(out, " on ");
  svf_markup_name(out, source(r), 80);
}

static void write_tile(svf_buffer *out, const svf_score *score) {
  put(out, "<div class=\"tile\"><span>");
  svf_markup_text(out, score->name);
  put(out, "</span><b>");
  svf_markup_number(out, score->value);
  put(out, "</b><span>");
  if (!isnan(score->low)) {
    svf_markup_number(out, score->low);
    put(out, " to ");
    svf_markup_number(out, score->high);
  }
  put(out, "</span></div>\n");
}

static void write_tiles(const svf_report *r, svf_buffer *out) {
  put(out, "<div class=\"tiles\">\n");
  for (size_t s = 0; s < r->scores && s < 5; s++)
    if (s != 3 || r->rows.k) write_tile(out, &r->score[s]); /* MSE is the square of RMSE */
  put(out, "</div>\n");
}

static void write_head(const svf_report *r, svf_buffer *out) {
  put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
           "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
  write_title(r, out);
  put(out, "</title>\n<style>\n");
  put(out, svf_report_style);
  put(out, "</style>\n</head>\n<body>\n<header>\n<h1>");
  write_title(r, out);
  put(out, "</h1>\n<p class=\"quiet\">");
  put(out, r->rows.k ? "Classes of “" : "Values of “");
  svf_markup_name(out, r->encoding->target_name ? r->encoding->target_name : "target", 60);
  put(out, "”, measured on ");
  svf_markup_count(out, r->rows.n);
  put(out, r->options->oob ? " training rows, each answered by the trees that did not see it."
                           : " rows. If the model was trained on them, the scores flatter it.");
  put(out, "</p>\n");
}

static void write_contents(const svf_report *r, svf_buffer *out) {
  static const char *const classes[][2] = {{"model", "Model"},
                                           {"scores", "Scores"},
                                           {"confusion", "Confusion"},
                                           {"ranking", "ROC and precision-recall"},
                                           {"calibration", "Calibration"}};
  static const char *const values[][2] = {
      {"model", "Model"}, {"scores", "Scores"}, {"residuals", "Residuals"}, {"coverage", "Coverage"}};
  static const char *const table[][2] = {{"importance", "Importance"},
                                         {"dependence", "Partial dependence"},
                                         {"hardest", "Hardest rows"},
                                         {"columns", "Columns"}};
  put(out, "<nav>");
  for (size_t i = 0; i < (r->rows.k ? 5u : 4u); i++) {
    const char *const *entry = r->rows.k ? classes[i] : values[i];
    svf_buffer_print(out, "<a href=\"#%s\">%s</a> ", entry[0], entry[1]);
  }
  for (size_t i = 0; i < 4; i++) svf_buffer_print(out, "<a href=\"#%s\">%s</a> ", table[i][0], table[i][1]);
  put(out, "</nav>\n</header>\n<main>\n");
}

void svf_report_page(const svf_report *r, svf_buffer *out) {
  write_head(r, out);
  write_tiles(r, out);
  write_contents(r, out);
  svf_page_model(r, out);
  svf_page_scores(r, out);
  if (r->rows.k) svf_page_classes(r, out);
  else svf_page_values(r, out);
  svf_page_importance(r, out);
  svf_page_dependence(r, out);
  svf_page_hardest(r, out);
  svf_page_columns(r, out);
  svf_buffer_print(out, "</main>\n<footer><p class=\"quiet\">svforest %s</p></footer>\n</body>\n</html>\n",
                   svf_version());
}
