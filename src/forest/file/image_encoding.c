/* image_encoding.c - the encoding of a model file. All its texts stand in STRS in one order, each followed by
 * a 0: the target, the classes, then every feature and its levels. */
#include "forest/file/image.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "data/dates.h"
#include "data/names.h"

/* ---- writing ---- */

static svf_text_record add_text(const char *text, svf_buffer *strings) {
  size_t length = text ? strlen(text) : 0;
  svf_text_record record = {(uint32_t)strings->size, (uint32_t)length};
  svf_buffer_add(strings, text ? text : "", length + 1);
  return record;
}

static void add_names(const svf_names *names, svf_buffer *records, svf_buffer *strings) {
  for (size_t i = 0; i < names->count; i++) {
    svf_text_record record = add_text(names->text[i], strings);
    svf_buffer_add(records, &record, sizeof record);
  }
}

static void add_classes(const svf_encoding *encoding, svf_buffer *section) {
  for (size_t c = 0; c < encoding->classes.count; c++) {
    double weight = encoding->class_weight ? encoding->class_weight[c] : 1;
    svf_class_record record = {add_text(encoding->classes.text[c], &section[SVF_STRS]), weight};
    svf_buffer_add(&section[SVF_CLAS], &record, sizeof record);
  }
}

static void add_parts(const svf_recipe *recipe, svf_buffer *parts) {
  for (size_t p = 0; p < recipe->count; p++) {
    svf_part_record record = {recipe->part[p].centre, recipe->part[p].column, 0};
    svf_buffer_add(parts, &record, sizeof record);
  }
}

static void add_features(const svf_encoding *encoding, svf_buffer *section) {
  uint32_t first_level = 0;
  for (size_t j = 0; j < svf_encoding_all(encoding); j++) {
    const svf_feature *feature = &encoding->feature[j];
    uint32_t levels = (uint32_t)feature->levels.count;
    svf_feature_record record = {add_text(feature->name, &section[SVF_STRS]),
                                 first_level,
                                 levels,
                                 feature->first,
                                 feature->width,
                                 (uint32_t)feature->recipe.kind,
                                 (uint32_t)feature->recipe.count};
    svf_buffer_add(&section[SVF_FEAT], &record, sizeof record);
    add_parts(&feature->recipe, &section[SVF_PART]);
    add_names(&feature->levels, &section[SVF_LEVL], &section[SVF_STRS]);
    if (feature->statistic)
      svf_buffer_add(&section[SVF_STAT], feature->statistic,
                     svf_statistics_size(levels, feature->width) * sizeof *feature->statistic);
    first_level += levels;
  }
}

static void add_columns(const svf_encoding *encoding, svf_buffer *columns) {
  for (size_t c = 0; c < encoding->columns; c++) {
    const svf_encoded *column = &encoding->column[c];
    svf_column_record record = {column->shift, column->scale, column->fill, column->feature, column->level};
    svf_buffer_add(columns, &record, sizeof record);
  }
}

bool svf_encoding_write(const svf_parts *parts, svf_buffer *section) {
  const svf_encoding *encoding = parts->encoding;
  svf_meta_record meta = {.task = (uint32_t)encoding->task,
                          .named = encoding->named,
                          .rows = parts->rows,
                          .features = svf_encoding_all(encoding),
                          .columns = encoding->columns,
                          .classes = encoding->classes.count,
                          .target = add_text(encoding->target_name, &section[SVF_STRS])};
  svf_buffer_add(&section[SVF_META], &meta, sizeof meta);
  add_classes(encoding, section);
  add_features(encoding, section);
  add_columns(encoding, &section[SVF_COLS]);
  bool failed = false;
  for (int i = 0; i < SVF_SECTIONS; i++) failed |= section[i].failed;
  return !failed;
}

/* ---- reading ---- */

/* Walks through STRS: every text must begin where the one before it ended, so that a small file cannot name
 * one long text a million times. */
typedef struct reader {
  const svf_image *image;
  const char *strings;
  size_t size, at, statistics; /* the last: read of STAT */
} reader;

static svf_status no_room(const reader *r) { return svf_no_memory(r->image->message, "the names of a model"); }

static svf_status take_text(reader *r, svf_text_record record, char **text) {
  const char *from = r->strings + r->at;
  if (record.offset != r->at || record.length >= r->size - r->at || from[record.length] != 0 ||
      memchr(from, 0, record.length))
    return svf_damaged(r->image, "a name is not where it should be");
  *text = malloc((size_t)record.length + 1);
  if (!*text) return no_room(r);
  memcpy(*text, from, (size_t)record.length + 1);
  r->at += (size_t)record.length + 1;
  return SVF_OK;
}

static svf_status check_distinct(const reader *r, char *const *text, size_t count, const char *what) {
  svf_name_index index;
  if (!svf_name_index_make(text, count, &index)) return no_room(r);
  const char *twice = svf_name_index_twice(&index);
  svf_name_index_free(&index);
  return twice ? svf_damaged(r->image, "the %s '%.80s' occurs twice", what, twice) : SVF_OK;
}

/* records: a text first in each of them, `step` bytes apart. */
typedef struct text_list {
  const void *records;
  size_t step, count;
  const char *what;
} text_list;

static svf_status take_names(reader *r, text_list list, svf_names *names) {
  size_t count = list.count;
  if (!count) return SVF_OK;
  names->text = calloc(count, sizeof *names->text);
  if (!names->text) return no_room(r);
  for (; names->count < count; names->count++)
    SVF_TRY(take_text(r,
                      *(const svf_text_record *)(const void *)((const char *)list.records + names->count * list.step),
                      &names->text[names->count]));
  return check_distinct(r, names->text, count, list.what);
}

static svf_status take_classes(reader *r, svf_encoding *encoding) {
  const svf_class_record *record = svf_section_data(r->image->bytes, SVF_CLAS);
  size_t count = svf_section_count(r->image->bytes, SVF_CLAS);
  bool given = false;
  SVF_TRY(take_names(r, (text_list){record, sizeof *record, count, "class"}, &encoding->classes));
  for (size_t c = 0; c < count; c++) {
    if (!isfinite(record[c].weight) || record[c].weight < 0)
      return svf_damaged(r->image, "the weight of a class is out of range");
    given |= record[c].weight != 1;
  }
  if (!given) return SVF_OK;
  encoding->class_weight = calloc(count, sizeof *encoding->class_weight);
  if (!encoding->class_weight) return no_room(r);
  for (size_t c = 0; c < count; c++) encoding->class_weight[c] = record[c].weight;
  return SVF_OK;
}

/* Is the last column of a feature its indicator? */
static bool indicates(const svf_image *image, const svf_feature_record *record) {
  const svf_column_record *column = svf_section_data(image->bytes, SVF_COLS);
  return record->width > 1 && column[record->first + record->width - 1].level == SVF_ROLE_MISSING;
}

/* Are the columns of a feature statistics? */
static bool has_statistics(const svf_image *image, const svf_feature_record *record) {
  const svf_column_record *column = svf_section_data(image->bytes, SVF_COLS);
  return record->levels > 2 && record->width > 1 && column[record->first].level <= SVF_ROLE_STATISTIC;
}

/* A number, a date, a column of codes, 0/1 columns or statistics; codes and statistics have no indicator. */
static bool fits(const svf_image *image, const svf_feature_record *record) {
  if (has_statistics(image, record)) return true;
  bool indicator = indicates(image, record);
  uint32_t values = record->width - indicator;
  if (!record->levels && values > 1 && values <= SVF_DATE_ROLES) return true; /* of a date: see take_columns */
  return values == (record->levels > 2 ? record->levels : 1) || (record->levels > 2 && record->width == 1);
}

/* levels and columns: where the features before this one end in LEVL and COLS. */
static svf_status take_statistics(reader *r, const svf_feature_record *record, svf_feature *feature) {
  size_t count = svf_statistics_size(record->levels, record->width);
  if (count > svf_section_count(r->image->bytes, SVF_STAT) - r->statistics)
    return svf_damaged(r->image, "its statistics do not fit its columns");
  const float *from = (const float *)svf_section_data(r->image->bytes, SVF_STAT) + r->statistics;
  for (size_t i = 0; i < count; i++)
    if (!(fabsf(from[i]) <= (float)SVF_UNSCALED_LIMIT))
      return svf_damaged(r->image, "a statistic of column '%.80s' is out of range", feature->name);
  feature->statistic = malloc(count * sizeof *from);
  if (!feature->statistic) return no_room(r);
  memcpy(feature->statistic, from, count * sizeof *from);
  r->statistics += count;
  return SVF_OK;
}

static svf_status take_feature(reader *r, const svf_feature_record *record, size_t levels, size_t columns,
                               svf_feature *feature) {
  const svf_text_record *level = svf_section_data(r->image->bytes, SVF_LEVL);
  if (record->first_level != levels || record->first != columns ||
      record->levels > svf_section_count(r->image->bytes, SVF_LEVL) - levels ||
      record->width > svf_section_count(r->image->bytes, SVF_COLS) - columns || !fits(r->image, record))
    return svf_damaged(r->image, "its features do not fit its columns");
  char *name = NULL;
  SVF_TRY(take_text(r, record->name, &name));
  feature->name = name;
  feature->first = record->first;
  feature->width = record->width;
  feature->indicator = indicates(r->image, record);
  if (has_statistics(r->image, record)) SVF_TRY(take_statistics(r, record, feature));
  return take_names(r, (text_list){level + levels, sizeof *level, record->levels, "category"}, &feature->levels);
}

/* Columns of the table first, then what is made of those that are numbers. parts: where the features before this
 * one end in PART. */
static svf_status take_recipe(reader *r, const svf_feature_record *record, size_t parts, svf_encoding *encoding) {
  svf_recipe *recipe = &encoding->feature[svf_encoding_all(encoding)].recipe;
  const svf_part_record *part = (const svf_part_record *)svf_section_data(r->image->bytes, SVF_PART) + parts;
  bool made = record->recipe != SVF_RECIPE_NONE, product = record->recipe == SVF_RECIPE_PRODUCT;
  if (record->recipe > SVF_RECIPE_DISTANCE || made != (record->parts > 0) || (encoding->made && !made) ||
      (made && (record->levels || record->width != 1)) ||
      record->parts > svf_section_count(r->image->bytes, SVF_PART) - parts)
    return svf_damaged(r->image, "a made feature is wrong");
  if (made && !(recipe->part = calloc(record->parts, sizeof *recipe->part))) return no_room(r);
  recipe->kind = (svf_recipe_kind)record->recipe;
  for (; recipe->count < record->parts; recipe->count++, part++) {
    if (part->column >= encoding->features || encoding->feature[part->column].levels.count || part->zero ||
        !isfinite(part->centre) || (product && part->centre != 0))
      return svf_damaged(r->image, "a made feature is wrong");
    recipe->part[recipe->count] = (svf_part_of){part->centre, part->column};
  }
  return SVF_OK;
}

static svf_status check_feature_names(const reader *r, const svf_encoding *encoding) {
  size_t count = svf_encoding_all(encoding);
  char **name = calloc(count ? count : 1, sizeof *name);
  if (!name) return no_room(r);
  for (size_t j = 0; j < count; j++) name[j] = (char *)encoding->feature[j].name;
  svf_status status = check_distinct(r, name, count, "column name");
  free(name);
  return status;
}

static svf_status take_features(reader *r, size_t count, svf_encoding *encoding) {
  const svf_feature_record *record = svf_section_data(r->image->bytes, SVF_FEAT);
  size_t levels = 0, columns = 0, parts = 0;
  for (size_t j = 0; j < count; j++) {
    svf_status status = take_feature(r, &record[j], levels, columns, &encoding->feature[j]);
    if (!status) status = take_recipe(r, &record[j], parts, encoding);
    /* Counted also on failure, so that what was read is freed. */
    if (record[j].recipe == SVF_RECIPE_NONE && !encoding->made) encoding->features++;
    else encoding->made++;
    SVF_TRY(status);
    levels += record[j].levels;
    columns += record[j].width;
    parts += record[j].parts;
  }
  if (levels != svf_section_count(r->image->bytes, SVF_LEVL) || columns != encoding->columns ||
      parts != svf_section_count(r->image->bytes, SVF_PART))
    return svf_damaged(r->image, "its features do not fit its columns");
  return check_feature_names(r, encoding);
}

/* Days first, then any of the others in their order. */
static bool is_date(const svf_column_record *record, const svf_feature *feature) {
  for (uint32_t c = 0; c < feature->width - feature->indicator; c++)
    if (c ? record[c].level >= record[c - 1].level || record[c].level < SVF_ROLE_HOUR
          : record[c].level != SVF_ROLE_DAYS)
      return false;
  return true;
}

/* Of two levels one column stands for the second. */
static int32_t level_of(const svf_feature *feature, size_t column) {
  size_t levels = feature->levels.count;
  if (feature->indicator && column - feature->first == feature->width - 1) return SVF_ROLE_MISSING;
  if (feature->left_out) return SVF_ROLE_LEFT_OUT;
  if (levels > 2 && feature->width == 1) return SVF_ROLE_CODE;
  return levels == 0 ? SVF_ROLE_NUMBER : levels == 2 ? 1 : (int32_t)(column - feature->first);
}

/* Shares of classes in the order of their codes, or a mean; then the frequency. */
static bool statistic_fits(const svf_encoding *encoding, const svf_feature *feature, const svf_column_record *record,
                           size_t column) {
  int32_t level = record[column].level, classes = (int32_t)encoding->classes.count;
  if (column - feature->first == feature->width - 1) return level == SVF_ROLE_FREQUENCY;
  bool rises = column == feature->first || level < record[column - 1].level;
  return level <= SVF_ROLE_STATISTIC && level > SVF_ROLE_STATISTIC - (classes ? classes : 1) && rises;
}

/* Names: a column of the table that nothing is taken of. */
static bool is_left_out(const svf_column_record *record, const svf_feature *feature) {
  return record->level == SVF_ROLE_LEFT_OUT && !feature->levels.count && feature->width == 1 &&
         feature->recipe.kind == SVF_RECIPE_NONE && record->shift == 0 && record->scale == 0 && record->fill == 0;
}

static svf_status take_columns(const reader *r, svf_encoding *encoding) {
  const svf_column_record *record = svf_section_data(r->image->bytes, SVF_COLS);
  for (size_t j = 0; j < svf_encoding_all(encoding); j++) {
    svf_feature *feature = &encoding->feature[j];
    feature->date = !feature->levels.count && is_date(record + feature->first, feature);
    feature->left_out = is_left_out(record + feature->first, feature);
    bool made = feature->recipe.kind != SVF_RECIPE_NONE;
    if ((feature->date && made) ||
        (!feature->date && !feature->levels.count && feature->width > 1u + feature->indicator))
      return svf_damaged(r->image, "its features do not fit its columns");
    for (size_t c = feature->first; c < (size_t)feature->first + feature->width; c++) {
      bool of_date = feature->date && c - feature->first < feature->width - feature->indicator;
      bool right = of_date || (feature->statistic ? statistic_fits(encoding, feature, record, c)
                                                  : record[c].level == level_of(feature, c));
      if (record[c].feature != j || !right) return svf_damaged(r->image, "its features do not fit its columns");
      if (!isfinite(record[c].shift) || !(fabs(record[c].scale) <= DBL_MAX / 2) ||
          !(fabs(record[c].fill) <= SVF_UNSCALED_LIMIT))
        return svf_damaged(r->image, "the scaling of column '%.80s' is out of range", feature->name);
      encoding->column[c] =
          (svf_encoded){(uint32_t)j, record[c].level, record[c].shift, record[c].scale, record[c].fill, false};
    }
  }
  return SVF_OK;
}

static svf_status check_meta(const svf_image *image, const svf_meta_record *meta) {
  bool classes = meta->task == SVF_TASK_CLASS;
  if (!classes && meta->task != SVF_TASK_REGRESS) return svf_damaged(image, "its task is unknown");
  if (meta->named > 1 || meta->rows == 0) return svf_damaged(image, "its training table makes no sense");
  if (meta->features != svf_section_count(image->bytes, SVF_FEAT) ||
      meta->columns != svf_section_count(image->bytes, SVF_COLS) ||
      meta->classes != svf_section_count(image->bytes, SVF_CLAS) || meta->columns > INT32_MAX ||
      meta->classes > INT32_MAX)
    return svf_damaged(image, "its counts do not fit its contents");
  if (classes != (meta->classes > 0))
    return svf_damaged(image, classes ? "it has no classes" : "it has classes, and its target is a number");
  return SVF_OK;
}

svf_status svf_encoding_read(const svf_image *image, svf_encoding *encoding) {
  const svf_meta_record *meta = svf_section_data(image->bytes, SVF_META);
  SVF_TRY(check_meta(image, meta));
  reader r = {image, svf_section_data(image->bytes, SVF_STRS), svf_section_count(image->bytes, SVF_STRS), 0, 0};
  size_t features = (size_t)meta->features;
  *encoding = (svf_encoding){.columns = (size_t)meta->columns, .named = meta->named, .task = (svf_task)meta->task};
  encoding->feature = calloc(features ? features : 1, sizeof *encoding->feature);
  encoding->column = calloc(encoding->columns ? encoding->columns : 1, sizeof *encoding->column);
  if (!encoding->feature || !encoding->column) return no_room(&r);
  SVF_TRY(take_text(&r, meta->target, &encoding->target_name));
  SVF_TRY(take_classes(&r, encoding));
  SVF_TRY(take_features(&r, features, encoding));
  if (r.statistics != svf_section_count(image->bytes, SVF_STAT))
    return svf_damaged(image, "its statistics do not fit its columns");
  if (r.at != r.size) return svf_damaged(image, "it has names that nothing uses");
  return take_columns(&r, encoding);
}
