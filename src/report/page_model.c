/* page_model.c - what was trained: sizes, settings and, of a committee, its members. */
#include "report/page.h"

#include <math.h>
#include <string.h>

enum { VALUE = 160 };

static void put(svf_buffer *out, const char *text) { svf_buffer_add(out, text, strlen(text)); }

static void fact(svf_buffer *out, const char *name, size_t count) {
  svf_buffer_print(out, "<tr><td>%s</td>", name);
  svf_td_count(out, count);
  put(out, "</tr>\n");
}

static void write_sizes(const svf_report *r, svf_buffer *out) {
  static const char *const heads[] = {"what", "#how many", NULL};
  svf_forest_info info;
  svf_forest_describe(r->forest, &info);
  svf_grid_begin(out, heads);
  fact(out, "training rows", info.rows);
  fact(out, "features", info.features + info.made);
  if (info.classes) fact(out, "classes", info.classes);
  fact(out, "trees", info.trees);
  fact(out, "leaves", info.leaves);
  fact(out, "bytes of the model", info.bytes);
  if (svf_forest_calibrated(r->forest)) fact(out, "rows of calibration", svf_forest_calibrated(r->forest));
  if (info.unconverged) fact(out, "leaves that did not converge", info.unconverged);
  svf_grid_end(out);
}

/* ---- settings ---- */

static void write_setting(const svf_setting_info *info, const svf_settings *settings, svf_buffer *out) {
  char value[VALUE];
  if (svf_settings_get(settings, info->name, value, sizeof value) != SVF_OK) return;
  bool same = strcmp(value, info->standard) == 0;
  svf_buffer_print(out, "<tr><td><code>%s</code></td><td>%s", info->name, same ? "" : "<b>");
  svf_markup_name(out, value, 80);
  put(out, same ? "</td><td>" : "</b></td><td>");
  svf_markup_text(out, info->help);
  put(out, "</td></tr>\n");
}

static void write_settings(const svf_settings *settings, svf_buffer *out) {
  static const char *const heads[] = {"setting", "value", "meaning", NULL};
  put(out, "<details><summary>All settings</summary>\n<p class=\"quiet\">Bold values differ from the default.</p>\n");
  svf_grid_begin(out, heads);
  for (size_t s = 0; s < svf_setting_count(); s++)
    if (svf_settings_reads(settings, s)) write_setting(svf_setting_at(s), settings, out);
  svf_grid_end(out);
  put(out, "</details>\n");
}

/* ---- a committee ---- */

/* The heaviest member that was not written yet. */
static size_t heaviest(const svf_forest *forest, size_t members, const bool *told) {
  size_t best = members;
  double most = -1;
  for (size_t m = 0; m < members; m++) {
    svf_member_info member;
    svf_committee_member(forest, m, &member);
    if (!told[m] && member.weight > most) most = member.weight, best = m;
  }
  return best;
}

static void write_member(const svf_member_info *member, double most, svf_buffer *out) {
  put(out, "<tr>");
  svf_td_text(out, svf_settings_method(svf_forest_settings(member->forest)));
  svf_td_number(out, member->weight);
  put(out, "<td>");
  svf_svg_begin(out, 80, 10, "spark", "weight");
  svf_svg_rect(out, 0, 0, most > 0 ? 80 * member->weight / most : 0, 10, "f0");
  put(out, "</svg></td>");
  svf_td_number(out, member->score);
  put(out, "<td><code>");
  svf_markup_name(out, member->settings, 200);
  put(out, "</code></td></tr>\n");
}

static void write_members(const svf_report *r, const svf_committee_info *info, svf_buffer *out) {
  enum { MOST = 64 }; /* as many as a plan may have */
  bool told[MOST] = {false};
  size_t members = info->members < MOST ? info->members : MOST;
  double most = 0;
  char score[64] = "#";
  strncat(score, info->aim, sizeof score - 2);
  const char *const heads[] = {"method", "#weight", "", score, "settings", NULL};
  put(out, "<h3>Leaderboard</h3>\n<p class=\"quiet\">The members of the committee by weight, with the ");
  svf_markup_text(out, info->aim);
  put(out, " of each on rows held out during training. That of the whole committee is ");
  svf_markup_number(out, info->score);
  if (!isnan(info->deviation)) put(out, " ± "), svf_markup_number(out, info->deviation);
  put(out, ".</p>\n");
  svf_grid_begin(out, heads);
  for (size_t i = 0; i < members; i++) {
    svf_member_info member;
    size_t m = heaviest(r->forest, members, told);
    if (m == members) break;
    told[m] = true;
    svf_committee_member(r->forest, m, &member);
    most = fmax(most, member.weight);
    write_member(&member, most, out);
  }
  svf_grid_end(out);
  put(out, "<details><summary>Plan</summary>\n<p><code>");
  svf_markup_text(out, info->plan);
  put(out, "</code></p></details>\n");
}

/* ---- the section ---- */

static const svf_method_info *method_of(const char *name) {
  for (size_t m = 0; m < svf_method_count(); m++)
    if (strcmp(svf_method_at(m)->name, name) == 0) return svf_method_at(m);
  return NULL;
}

void svf_page_model(const svf_report *r, svf_buffer *out) {
  svf_committee_info info;
  const svf_method_info *method = method_of(r->forest->settings.method);
  svf_committee_describe(r->forest, &info);
  svf_section_begin(out, "model", "Model", "What was trained, and with which settings.");
  put(out, "<p><b>");
  svf_markup_text(out, r->forest->settings.method);
  put(out, "</b>");
  if (method) put(out, ": "), svf_markup_text(out, method->title), put(out, ". ");
  if (method) put(out, "<span class=\"quiet\">"), svf_markup_text(out, method->paper), put(out, "</span>");
  put(out, "</p>\n");
  write_sizes(r, out);
  if (info.members) write_members(r, &info, out);
  write_settings(&r->forest->settings, out);
  svf_section_end(out);
}
