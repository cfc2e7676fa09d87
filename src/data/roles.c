/* roles.c - which column is the target, which holds the weights, which are left out.
 *
 * A column is named by its name or, if none is called so, by its number from 1. Without a model the target is
 * the last column that is left. For a model: where both have names the target is the column of that name, if
 * there is one; where one has none the columns count, and one more than the model's features means that there
 * is a target: where it was at training if neither has names, else the last.
 *
 * The ids of a model are found by name or, if the model has no names, by place: if the table has at least as many columns as
 * the model's features and ids together. Else they are not in the table. */
#include "data/raw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "data/names.h"

enum { LISTED = 8 };

static svf_status no_such(const svf_raw *raw, const char *what, const char *text, svf_message *message) {
  char list[LISTED * 48];
  size_t used = 0;
  for (size_t j = 0; j < raw->width && j < LISTED; j++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s", j ? ", " : "", raw->names.text[j]);
  return svf_fail(message, SVF_USAGE, "%s: no column '%.80s' for the %s; the %zu columns are %s%s", raw->path, text,
                  what, raw->width, list, raw->width > LISTED ? ", ..." : "");
}

static size_t number_of(const char *text) {
  size_t number = 0;
  for (; *text >= '0' && *text <= '9' && number < INT32_MAX; text++) number = 10 * number + (size_t)(*text - '0');
  return *text ? 0 : number;
}

/* The column that the user named, by name or number; `width` or more: there is none. */
static size_t column_of(const svf_name_index *index, const char *text) {
  int32_t found = svf_name_index_find(index, text);
  return found >= 0 ? (size_t)found : number_of(text) - 1;
}

/* Gives the column that the user named its part; what: its words for messages. */
static svf_status assign(svf_raw *raw, const svf_name_index *index, const char *text, svf_part part,
                         svf_message *message) {
  static const char *const what[] = {"feature", "target", "weights", "columns to drop", "ids"};
  size_t at = column_of(index, text);
  if (at >= raw->width) return no_such(raw, what[part], text, message);
  svf_part before = raw->role[at].part;
  if (before != SVF_PART_FEATURE && before != part)
    return svf_fail(message, SVF_USAGE, "%s: column '%.80s' cannot be both for the %s and for the %s", raw->path,
                    raw->names.text[at], what[part], what[before]);
  raw->role[at].part = part;
  return SVF_OK;
}

static bool by_name(const svf_raw *raw) { return raw->like && raw->like->named && raw->named; }

static size_t left(const svf_raw *raw) {
  size_t count = 0;
  for (size_t j = 0; j < raw->width; j++) count += raw->role[j].part == SVF_PART_FEATURE;
  return count;
}

/* The column that a name made up at training stands for, if it has no part yet; else `width`. */
static size_t place_of(const svf_raw *raw, const char *name) {
  size_t at = name && *name == 'x' ? number_of(name + 1) - 1 : raw->width;
  return at < raw->width && raw->role[at].part == SVF_PART_FEATURE ? at : raw->width;
}

/* The column that was the target at training, where nothing but its number tells; else `width`. */
static size_t trained_place(const svf_raw *raw) {
  return place_of(raw, raw->like && !raw->like->named && !raw->named ? raw->like->target_name : NULL);
}

/* The column that is an id of the model, or `width`. */
static size_t id_of(const svf_raw *raw, const svf_name_index *index, const char *name) {
  int32_t found = by_name(raw) ? svf_name_index_find(index, name) : -1;
  if (found >= 0 && raw->role[found].part == SVF_PART_FEATURE) return (size_t)found;
  return raw->like->named ? raw->width : place_of(raw, name);
}

static svf_status model_ids(svf_raw *raw, const svf_name_index *index, svf_message *message) {
  const svf_names *ids = &raw->like->ids;
  if (!by_name(raw) && left(raw) < raw->like->features + ids->count) return SVF_OK;
  for (size_t i = 0; i < ids->count; i++) {
    size_t at = id_of(raw, index, ids->text[i]);
    if (at == raw->width) continue;
    raw->role[at].part = SVF_PART_ID;
    if (raw->options.keep_ids && !svf_raw_keep(raw, at)) return svf_no_memory(message, raw->path);
  }
  return SVF_OK;
}

static size_t last_left(const svf_raw *raw) {
  size_t at = raw->width - 1;
  while (at > 0 && raw->role[at].part != SVF_PART_FEATURE) at--;
  return at;
}

static void default_target(svf_raw *raw, const svf_name_index *index) {
  size_t at = raw->width;
  if (by_name(raw)) {
    int32_t found = raw->like->target_name ? svf_name_index_find(index, raw->like->target_name) : -1;
    if (found >= 0) at = (size_t)found;
  } else if (!raw->like || left(raw) == raw->like->features + 1) {
    at = trained_place(raw);
    if (at == raw->width) at = last_left(raw);
  }
  if (at < raw->width && raw->role[at].part == SVF_PART_FEATURE) raw->role[at].part = SVF_PART_TARGET;
}

static svf_status assign_all(svf_raw *raw, const svf_name_index *index, svf_message *message) {
  const svf_read_options *options = &raw->options;
  for (size_t i = 0; i < options->drop_count; i++)
    SVF_TRY(assign(raw, index, options->drop[i], SVF_PART_DROPPED, message));
  for (size_t i = 0; i < options->id_count; i++) SVF_TRY(assign(raw, index, options->id[i], SVF_PART_ID, message));
  if (options->weight) SVF_TRY(assign(raw, index, options->weight, SVF_PART_WEIGHT, message));
  if (options->target) SVF_TRY(assign(raw, index, options->target, SVF_PART_TARGET, message));
  if (raw->like) SVF_TRY(model_ids(raw, index, message));
  if (!options->target) default_target(raw, index);
  size_t features = left(raw);
  if (features == 0)
    return svf_fail(message, SVF_DATA, "%s: no column is left as a feature; %zu in all", raw->path, raw->width);
  if (raw->like && !by_name(raw) && features != raw->like->features)
    return svf_fail(message, SVF_DATA, "%s: %zu columns of features, but the model was trained on %zu", raw->path,
                    features, raw->like->features);
  return SVF_OK;
}

static svf_status keep_all(svf_raw *raw, const svf_name_index *index, svf_message *message) {
  const svf_read_options *options = &raw->options;
  for (size_t i = 0; i < options->keep_count; i++) {
    size_t at = column_of(index, options->keep[i]);
    if (at >= raw->width) return no_such(raw, "columns to keep", options->keep[i], message);
    if (!svf_raw_keep(raw, at)) return svf_no_memory(message, raw->path);
  }
  return SVF_OK;
}

static void mark(svf_role *role, const svf_feature *feature) {
  role->text = feature->levels.count > 0 || feature->left_out;
  role->date = feature->date;
}

/* What the model knows as categories is read as text. */
static void mark_text(svf_raw *raw, const svf_name_index *index) {
  const svf_encoding *like = raw->like;
  for (size_t f = 0; by_name(raw) && f < like->features; f++) {
    int32_t found = svf_name_index_find(index, like->feature[f].name);
    if (found >= 0 && raw->role[found].part == SVF_PART_FEATURE) mark(&raw->role[found], &like->feature[f]);
  }
  for (size_t j = 0, f = 0; j < raw->width; j++) {
    svf_role *role = &raw->role[j];
    if (role->part == SVF_PART_TARGET) role->text = like->classes.count > 0;
    if (role->part == SVF_PART_FEATURE && !by_name(raw)) mark(role, &like->feature[f++]);
  }
}

static svf_status refuse_twins(const svf_raw *raw, const svf_name_index *index, svf_message *message) {
  const char *name = svf_name_index_twice(index);
  if (!name) return SVF_OK;
  size_t first = (size_t)svf_name_index_find(index, name), second = first + 1;
  while (strcmp(raw->names.text[second], name)) second++;
  return svf_fail(message, SVF_DATA, "%s: columns %zu and %zu are both named '%.80s'", raw->path, first + 1,
                  second + 1, name);
}

svf_status svf_raw_roles(svf_raw *raw, svf_message *message) {
  svf_name_index index;
  if (!svf_name_index_make(raw->names.text, raw->names.count, &index)) return svf_no_memory(message, raw->path);
  svf_status status = refuse_twins(raw, &index, message);
  if (!status) status = assign_all(raw, &index, message);
  if (!status) status = keep_all(raw, &index, message);
  if (!status && raw->like) mark_text(raw, &index);
  svf_name_index_free(&index);
  return status;
}
