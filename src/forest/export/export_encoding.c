/* export_encoding.c - the encoding of a model as tables of C, its names, and the comment that explains the file. */
#include "base/number_text.h"
#include "data/scale.h"
#include "data/statistics.h"
#include "forest/export/export.h"

#include <stdio.h>

/* ---- features ---- */

/* Its kind in code_types.inc, and what the kind needs. */
static const char *kind_of(svf_export *export, const svf_feature *feature, const svf_encoded *column) {
  if (feature->recipe.kind != SVF_RECIPE_NONE) {
    export->flags |= SVF_CODE_MADE;
    return feature->recipe.kind == SVF_RECIPE_PRODUCT ? "PRODUCT" : "DISTANCE";
  }
  if (feature->date) return export->flags |= SVF_CODE_DATES, "DATE";
  if (!feature->levels.count) return "NUMBER";
  export->flags |= SVF_CODE_CATEGORIES;
  if (column->level == SVF_ROLE_CODE) return export->flags |= SVF_CODE_CODES, "CODE";
  if (feature->statistic) return export->flags |= SVF_CODE_STATISTICS, "STATISTIC";
  return "CATEGORY";
}

static void write_statistics(svf_export_member *member, const svf_feature *feature) {
  size_t count = svf_statistics_size(feature->levels.count, feature->width);
  for (size_t i = 0; i < count; i++) svf_code_float(&member->list[SVF_EXPORT_STATISTIC], feature->statistic[i]);
}

static void write_parts(svf_export_member *member, const svf_recipe *recipe) {
  svf_code *parts = &member->list[SVF_EXPORT_PART];
  for (size_t i = 0; i < recipe->count; i++) {
    char number[SVF_CODE_TEXT], item[2 * SVF_CODE_TEXT];
    svf_number_text(recipe->part[i].centre, number);
    snprintf(item, sizeof item, "{%s, %u}", number, recipe->part[i].column);
    svf_code_item(parts, item);
  }
}

static void write_feature(svf_export *export, svf_export_member *member, size_t j) {
  const svf_encoding *encoding = &member->forest->encoding;
  const svf_feature *feature = &encoding->feature[j];
  char item[256];
  int length = snprintf(item, sizeof item, "{.kind = %s, .first = %u, .width = %u",
                        kind_of(export, feature, &encoding->column[feature->first]), feature->first, feature->width);
  char *at = item + length;
  size_t room = sizeof item - (size_t)length, first = 0;
  if (feature->levels.count)
    at += snprintf(at, room, ", .levels = %zu", feature->levels.count), room = (size_t)(item + sizeof item - at);
  if (feature->statistic) first = member->list[SVF_EXPORT_STATISTIC].items;
  if (feature->recipe.count) first = member->list[SVF_EXPORT_PART].items;
  if (feature->statistic || feature->recipe.count)
    at += snprintf(at, room, ", .from = %zu, .parts = %zu", first, feature->recipe.count),
        room = (size_t)(item + sizeof item - at);
  if (feature->indicator) at += snprintf(at, room, ", .indicator = 1"), room = (size_t)(item + sizeof item - at);
  snprintf(at, room, "}");
  if (feature->indicator) export->flags |= SVF_CODE_INDICATORS;
  svf_code_item(&member->list[SVF_EXPORT_FEATURE], item);
  if (feature->statistic) write_statistics(member, feature);
  write_parts(member, &feature->recipe);
}

/* ---- columns ---- */

static void write_column(svf_export_member *member, const svf_encoded *column) {
  svf_code *columns = &member->list[SVF_EXPORT_COLUMN];
  svf_affine map = svf_scale_map(column);
  char shift[SVF_CODE_TEXT], scale[SVF_CODE_TEXT], limit[SVF_CODE_TEXT], item[4 * SVF_CODE_TEXT];
  svf_number_text(map.half_shift, shift);
  svf_number_text(map.twice_scale, scale);
  svf_number_text(map.limit, limit);
  snprintf(item, sizeof item, "{%s, %s, %s, %d}", shift, scale, limit, column->level);
  svf_code_item(columns, item);
}

static void write_metric(svf_export *export, svf_export_member *member, const svf_metric *metric) {
  size_t d = metric->d, ld = svf_padded(d);
  export->flags |= SVF_CODE_METRIC | SVF_CODE_FILLED;
  for (size_t i = 0; i < (metric->full ? d : 1); i++)
    for (size_t j = 0; j < d; j++) svf_code_number(&member->list[SVF_EXPORT_METRIC], metric->t[i * ld + j]);
}

void svf_export_encoding(svf_export *export, svf_export_member *member) {
  const svf_forest *forest = member->forest;
  const svf_encoding *encoding = &forest->encoding;
  for (size_t j = 0; j < svf_encoding_all(encoding); j++) write_feature(export, member, j);
  for (size_t c = 0; c < encoding->columns; c++) {
    write_column(member, &encoding->column[c]);
    svf_code_float(&member->list[SVF_EXPORT_FILL], forest->fill[c]);
    if (encoding->column[c].clipped) export->flags |= SVF_CODE_CLIPPED;
  }
  if (forest->parts.metric) write_metric(export, member, forest->parts.metric);
}

/* ---- names ---- */

static void write_texts(svf_code *out, const char *name, const svf_names *names) {
  svf_buffer_print(&out->text, "\nstatic const char *const %s[] = {", name);
  for (size_t i = 0; i < names->count; i++) {
    svf_buffer_print(&out->text, "\n  ");
    svf_code_quoted(out, names->text[i]);
    svf_buffer_print(&out->text, ",");
  }
  svf_buffer_print(&out->text, "\n};\n");
}

/* Categories of feature j are those from number first_category[j] on. */
static void write_categories(svf_code *out, const svf_encoding *encoding) {
  size_t first = 0;
  svf_buffer_print(&out->text, "\nstatic const char *const category_name[] = {");
  for (size_t j = 0; j < encoding->features; j++)
    for (size_t l = 0; l < encoding->feature[j].levels.count; l++) {
      svf_buffer_print(&out->text, "\n  ");
      svf_code_quoted(out, encoding->feature[j].levels.text[l]);
      svf_buffer_print(&out->text, ",");
    }
  svf_buffer_print(&out->text, "\n};\nstatic const uint32_t first_category[] = {");
  out->items = 0;
  for (size_t j = 0; j <= encoding->features; j++) {
    svf_code_whole(out, first);
    if (j < encoding->features) first += encoding->feature[j].levels.count;
  }
  svf_buffer_print(&out->text, "\n};\n");
}

void svf_export_names(svf_export *export) {
  const svf_encoding *encoding = &export->forest->encoding;
  svf_code *out = &export->out;
  if (encoding->classes.count) write_texts(out, "class_name", &encoding->classes);
  if (export->flags & SVF_CODE_CATEGORIES) write_categories(out, encoding);
  svf_buffer_print(&out->text, "\nstatic const char *const feature_name[] = {");
  for (size_t j = 0; j < encoding->features; j++) {
    svf_buffer_print(&out->text, "\n  ");
    svf_code_quoted(out, encoding->feature[j].name);
    svf_buffer_print(&out->text, ",");
  }
  svf_buffer_print(&out->text, "\n%s};\n", encoding->features ? "" : "  \"\",\n");
}

/* ---- the comment at the head ---- */

static void describe_feature(svf_code *out, const svf_feature *feature, size_t j) {
  svf_buffer_print(&out->text, " *   %zu ", j);
  svf_code_quoted(out, feature->name);
  if (feature->date) svf_buffer_print(&out->text, ": days since 1970-01-01 in UTC");
  if (feature->levels.count)
    svf_buffer_print(&out->text, ": a category, by its code in 0..%zu", feature->levels.count - 1);
  svf_buffer_print(&out->text, "\n");
}

void svf_export_head(svf_export *export) {
  const svf_encoding *encoding = &export->forest->encoding;
  svf_code *out = &export->out;
  const char *type = out->single ? "float" : "double", *name = export->name;
  size_t k = encoding->classes.count;
  svf_buffer_print(
      &out->text,
      "/* A model of svforest %s, method %s, as C11 without dependencies but the C library's mathematics (-lm). It "
      "allocates\n * nothing and has no state: any number of threads may call it.\n *\n"
      " *   int %s(const %s *row, %s *out);\n *\n",
      svf_version(), export->forest->settings.method, name, type, type);
  if (k)
    svf_buffer_print(&out->text,
                     " * returns the class, 0..%zu, and writes %zu probabilities to out. %s_class(i) is its name.\n",
                     k - 1, k, name);
  else svf_buffer_print(&out->text, " * writes the number to out[0] and returns 0.\n");
  svf_buffer_print(
      &out->text,
      " * It returns -1 and writes nothing if a number of the row is infinite. NaN is a missing value.\n");
  if (export->flags & SVF_CODE_CATEGORIES)
    svf_buffer_print(
        &out->text,
        " * %s_code(feature, \"text\") is the code of a category; -1, any other code that is not known, counts as "
        "an unseen\n * category.\n",
        name);
  svf_buffer_print(&out->text, " * Do not compile it with -ffast-math. The row:\n");
  for (size_t j = 0; j < encoding->features; j++) describe_feature(out, &encoding->feature[j], j);
  svf_buffer_print(&out->text, " */\n");
}
