/* page_table.c - what the page says of features, of the hardest rows and of columns. */
#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED = 100, VALUES = 5 };

static void put(svf_buffer *out, const char *text) { svf_buffer_add(out, text, strlen(text)); }

static const char *name_of(const svf_report *r, size_t feature) { return r->encoding->feature[feature].name; }

/* ---- importance ---- */

static void list_features(const svf_report *r, svf_buffer *out) {
  static const char *const heads[] = {"feature",       "#shuffling costs",  "#deviation",
                                      "#gain of cuts", "#weight in leaves", NULL};
  put(out, "<details><summary>All numbers</summary>\n");
  svf_grid_begin(out, heads);
  for (size_t i = 0; i < r->weighties && i < LISTED; i++) {
    const svf_weighty *w = &r->weighty[i];
    put(out, "<tr>");
    svf_td_text(out, name_of(r, w->feature));
    svf_td_number(out, w->lost);
    svf_td_number(out, w->deviation);
    svf_td_number(out, w->gain);
    svf_td_number(out, w->leaf);
    put(out, "</tr>\n");
  }
  svf_grid_end(out);
  if (r->weighties > LISTED) svf_buffer_print(out, "<p class=\"quiet\">The first %d features.</p>\n", LISTED);
  put(out, "</details>\n");
}

void svf_page_importance(const svf_report *r, svf_buffer *out) {
  svf_section_begin(
      out, "importance", "Importance",
      !r->shuffled ? "The share of each feature in the gain of the cuts, or in the weights of the leaves if "
                     "there are no cuts. The table has too many features to shuffle each."
      : r->rows.k  ? "How much accuracy is lost if the values of a feature are shuffled among the rows."
                   : "How much the mean squared error grows if the values of a feature are shuffled among the "
                     "rows.");
  put(out, "<figure>");
  svf_picture_importance(r, out);
  put(out, "</figure>\n<p class=\"quiet\">");
  if (r->weighties > SVF_PICTURE_BARS)
    svf_buffer_print(out, "The %d weightiest of %zu features. ", SVF_PICTURE_BARS, r->weighties);
  if (r->shuffled) {
    svf_markup_count(out, r->shuffled);
    svf_buffer_print(out, " rows, shuffled %zu times; lines show the deviation.", r->repeats);
  }
  put(out, "</p>\n");
  list_features(r, out);
  svf_section_end(out);
}

/* ---- partial dependence ---- */

static void write_key(const svf_report *r, svf_buffer *out) {
  put(out, "<ul class=\"key\">");
  for (size_t l = 0; l < r->lines; l++) {
    svf_buffer_print(out, "<li><i class=\"f%zu\"></i>", l);
    svf_markup_name(out, r->encoding->classes.text[r->rows.k == 2 ? 1 : r->line[l]], 24);
    put(out, "</li>");
  }
  put(out, "</ul>\n");
}

void svf_page_dependence(const svf_report *r, svf_buffer *out) {
  svf_section_begin(
      out, "dependence", "Partial dependence",
      r->rows.k ? "The mean probability if one feature had the same value in all rows, for the leading features."
                : "The mean answer if one feature had the same value in all rows, for the leading features.");
  if (!r->dependences) put(out, "<p>No feature has two values or more in these rows.</p>\n");
  else {
    if (r->rows.k) write_key(r, out);
    put(out, "<div class=\"plots\">\n");
    for (size_t f = 0; f < r->dependences; f++) {
      put(out, "<figure>");
      svf_picture_dependence(r, &r->dependence[f], out);
      put(out, "<figcaption><b>");
      svf_markup_name(out, name_of(r, r->dependence[f].feature), 60);
      put(out, "</b></figcaption></figure>\n");
    }
    put(out, "</div>\n<p class=\"quiet\">");
    svf_markup_count(out, r->asked);
    put(out, " rows. Marks at the bottom are tenths of the feature's values; all pictures have the same scale.");
    if (r->rows.k > SVF_REPORT_LINES) put(out, " Lines are the classes whose probability changes the most.");
    put(out, "</p>\n");
  }
  svf_section_end(out);
}

/* ---- rows ---- */

static void write_cell(const svf_report *r, size_t feature, size_t row, svf_buffer *out) {
  const svf_source *source = &r->source[feature];
  if (source->code) {
    int32_t level = svf_source_level(source, row);
    svf_td_text(out, level >= 0 ? source->feature->levels.text[level] : level == SVF_LEVEL_UNSEEN ? "(unseen)" : "");
    return;
  }
  double x = svf_column_numeric(source->column) ? svf_column_number(source->column, row) : (double)NAN;
  if (!source->feature->date) {
    svf_td_number(out, x);
    return;
  }
  put(out, "<td>");
  svf_markup_date(out, x);
  put(out, "</td>");
}

/* The leading features that are columns. */
static size_t choose_values(const svf_report *r, size_t *feature) {
  size_t count = 0;
  for (size_t i = 0; i < r->weighties && count < VALUES; i++)
    if (r->weighty[i].feature < r->encoding->features) feature[count++] = r->weighty[i].feature;
  return count;
}

static void write_heads(const svf_report *r, const size_t *feature, size_t values, svf_buffer *out) {
  put(out, "<div class=\"scroll\"><table>\n<thead><tr><th class=\"n\">row</th>");
  for (size_t c = 0; c < svf_table_kept(r->table); c++) {
    put(out, "<th>");
    svf_markup_name(out, svf_table_kept_name(r->table, c), 24);
    put(out, "</th>");
  }
  put(out, r->rows.k ? "<th>true</th><th>predicted</th><th class=\"n\">probability of the truth</th>"
                     : "<th class=\"n\">true</th><th class=\"n\">predicted</th><th class=\"n\">residual</th>");
  for (size_t v = 0; v < values; v++) {
    bool text = r->source[feature[v]].code || r->encoding->feature[feature[v]].date;
    put(out, text ? "<th>" : "<th class=\"n\">");
    svf_markup_name(out, name_of(r, feature[v]), 24);
    put(out, "</th>");
  }
  put(out, "</tr></thead>\n<tbody>\n");
}

static void write_row(const svf_report *r, size_t row, const size_t *feature, size_t values, svf_buffer *out) {
  put(out, "<tr>");
  svf_td_count(out, r->number[row] + 1);
  for (size_t c = 0; c < svf_table_kept(r->table); c++)
    svf_td_text(out, svf_table_kept_text(r->table, r->number[row], c));
  if (r->rows.k) {
    svf_td_text(out, r->encoding->classes.text[r->rows.label[row]]);
    svf_td_text(out, r->encoding->classes.text[(size_t)r->rows.predicted[row]]);
    svf_td_number(out, 1 - svf_report_loss(r, row));
  } else {
    svf_td_number(out, r->rows.value[row]);
    svf_td_number(out, r->rows.predicted[row]);
    svf_td_number(out, r->rows.value[row] - r->rows.predicted[row]);
  }
  for (size_t v = 0; v < values; v++) write_cell(r, feature[v], r->number[row], out);
  put(out, "</tr>\n");
}

void svf_page_hardest(const svf_report *r, svf_buffer *out) {
  size_t feature[VALUES], values = choose_values(r, feature);
  svf_section_begin(out, "hardest", "Hardest rows",
                    r->rows.k
                        ? "The rows whose true class was given the lowest probability, with their leading features. "
                          "Wrong labels are often among them."
                        : "The rows with the largest residuals, with their leading features. Wrong values are often "
                          "among them.");
  write_heads(r, feature, values, out);
  for (size_t h = 0; h < r->hardest; h++) write_row(r, r->hard[h], feature, values, out);
  svf_grid_end(out);
  svf_section_end(out);
}

/* ---- columns ---- */

static void write_missing(size_t missing, size_t rows, svf_buffer *out) {
  double share = (double)missing / (double)rows;
  put(out, "<td>");
  svf_svg_begin(out, 60, 8, "spark", "missing");
  svf_svg_rect(out, 0, 0, 60, 8, "rail");
  if (missing) svf_svg_rect(out, 0, 0, fmax(1, 60 * share), 8, "f1");
  put(out, "</svg></td>");
  svf_td_percent(out, share);
}

static void write_range(const svf_column_facts *facts, bool date, svf_buffer *out) {
  const double number[] = {facts->low, facts->mean, facts->high};
  for (int i = 0; i < 3; i++) {
    double x = isinf(number[i]) ? (double)NAN : number[i]; /* no cell has a number */
    put(out, "<td class=\"n\">");
    if (date) svf_markup_date(out, i == 1 ? floor(x) : x);
    else svf_markup_number(out, x);
    put(out, "</td>");
  }
}

static void write_column(const svf_report *r, size_t feature, svf_buffer *out) {
  const svf_column_facts *facts = &r->column[feature];
  const svf_feature *of = &r->encoding->feature[feature];
  bool category = r->source[feature].code != NULL;
  put(out, "<tr>");
  svf_td_text(out, of->name);
  put(out, of->left_out ? "<td>left out</td><td></td><td></td><td></td><td colspan=\"3\">nearly every row had a text "
                          "of its own</td></tr>\n"
           : category   ? "<td>category</td>"
           : of->date   ? "<td>date</td>"
                        : "<td>number</td>");
  if (of->left_out) return;
  write_missing(facts->missing, r->table->n, out);
  put(out, "<td>");
  svf_picture_column(facts, out);
  put(out, "</td>");
  if (category) {
    put(out, "<td colspan=\"3\">");
    svf_markup_count(out, facts->levels);
    put(out, facts->levels == 1 ? " category" : " categories");
    if (facts->levels)
      put(out, ", mostly “"), svf_markup_name(out, of->levels.text[facts->largest], 40), put(out, "”");
    if (facts->unseen) put(out, ", "), svf_markup_count(out, facts->unseen), put(out, " unseen cells");
    put(out, "</td>");
  } else write_range(facts, of->date, out);
  put(out, "</tr>\n");
}

typedef struct place {
  size_t feature, missing;
} place;

static int by_missing(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->missing != y->missing) return x->missing > y->missing ? -1 : 1;
  return (x->feature > y->feature) - (x->feature < y->feature);
}

/* In the order of the table; of many columns those that miss the most. */
void svf_page_columns(const svf_report *r, svf_buffer *out) {
  static const char *const heads[] = {"column",  "kind",  "missing",  "",  "values",
                                      "#lowest", "#mean", "#highest", NULL};
  size_t features = r->encoding->features, count = features < SVF_REPORT_COLUMNS ? features : SVF_REPORT_COLUMNS;
  place *order = malloc((features + 1) * sizeof *order);
  svf_section_begin(out, "columns", "Columns",
                    "What the columns of the table hold, and the share of their cells that is missing.");
  out->failed |= !order;
  for (size_t j = 0; order && j < features; j++) order[j] = (place){j, r->column[j].missing};
  if (order && features > count) qsort(order, features, sizeof *order, by_missing);
  svf_grid_begin(out, heads);
  for (size_t i = 0; order && i < count; i++) write_column(r, order[i].feature, out);
  svf_grid_end(out);
  if (features > count)
    svf_buffer_print(out, "<p class=\"quiet\">The %zu of %zu columns that miss the most.</p>\n", count, features);
  free(order);
  svf_section_end(out);
}
