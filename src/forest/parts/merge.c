/* merge.c - forests trained in parts become the forest of one run, byte for byte. */
#include "forest/file/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "data/names.h"

static int by_first_tree(const void *left, const void *right) {
  int64_t a = (*(const svf_forest *const *)left)->settings.first_tree;
  int64_t b = (*(const svf_forest *const *)right)->settings.first_tree;
  return (a > b) - (a < b);
}

static svf_status check_setting(const svf_settings *a, const svf_settings *b, int number, svf_message *message) {
  svf_buffer text[2] = {{0}};
  const svf_settings *settings[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    svf_settings_print(settings[i], number, &text[i]);
    svf_buffer_add(&text[i], "", 1);
  }
  svf_status status = SVF_OK;
  if (text[0].failed || text[1].failed) status = svf_no_memory(message, "the settings");
  else if (strcmp((char *)text[0].data, (char *)text[1].data))
    status = svf_fail(message, SVF_DATA, "the parts do not belong together: one has %s=%.300s, another %.300s",
                      svf_setting_at((size_t)number)->name, (char *)text[0].data, (char *)text[1].data);
  for (int i = 0; i < 2; i++) svf_buffer_free(&text[i]);
  return status;
}

svf_status svf_settings_alike(const svf_settings *a, const svf_settings *b, svf_message *message) {
  if (strcmp(a->method, b->method))
    return svf_fail(message, SVF_DATA, "the parts do not belong together: one has the method %s, another %s",
                    a->method, b->method);
  for (int i = 0; i < SVF_SETTINGS; i++)
    if (i != SVF_SET_trees && i != SVF_SET_first_tree) SVF_TRY(check_setting(a, b, i, message));
  return SVF_OK;
}

static bool same_section(const svf_forest *a, const svf_forest *b, svf_section section) {
  size_t count = svf_section_count(a->image, section);
  return count == svf_section_count(b->image, section) &&
         (!count || memcmp(svf_section_data(a->image, section), svf_section_data(b->image, section),
                           count * svf_section_kinds[section].item) == 0);
}

/* What a model says of its training table has one form in the file only, so bytes are compared. */
svf_status svf_forest_check_table(const svf_forest *a, const svf_forest *b, svf_message *message) {
  static const struct {
    svf_section section;
    const char *what;
  } facts[] = {{SVF_STRS, "names of columns, categories or classes"},
               {SVF_META, "tasks or counts of columns"},
               {SVF_FEAT, "columns"},
               {SVF_LEVL, "categories"},
               {SVF_PART, "made features"},
               {SVF_CLAS, "classes or their weights"},
               {SVF_COLS, "ranges of columns"},
               {SVF_STAT, "statistics of categories"},
               {SVF_METR, "learned metrics"},
               {SVF_BACK, "background rows"}};
  if (a->parts.rows != b->parts.rows)
    return svf_fail(message, SVF_DATA,
                    "the parts were trained on different tables: one has %" PRIu64 " rows, another %" PRIu64,
                    a->parts.rows, b->parts.rows);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (!same_section(a, b, facts[i].section))
      return svf_fail(message, SVF_DATA, "the parts were trained on different tables: their %s differ",
                      facts[i].what);
  if (!svf_names_equal(&a->encoding.ids, &b->encoding.ids))
    return svf_fail(message, SVF_DATA, "the parts were trained on different tables: their ids differ");
  return SVF_OK;
}

/* Does b begin where a ends? Trees are counted from 0, both ends named. */
static svf_status check_order(const svf_forest *a, const svf_forest *b, svf_message *message) {
  int64_t end = a->settings.first_tree + a->settings.trees, first = b->settings.first_tree;
  int64_t b_end = first + b->settings.trees;
  if (first > end) return svf_fail(message, SVF_DATA, "trees %" PRId64 " to %" PRId64 " are missing", end, first - 1);
  if (first < end)
    return svf_fail(message, SVF_DATA, "trees %" PRId64 " to %" PRId64 " are in two parts", first,
                    (end < b_end ? end : b_end) - 1);
  return SVF_OK;
}

/* The arrays of all parts, one after the other. */
typedef struct joined {
  svf_buffer tree, node, term, leaf, number, gain;
} joined;

static size_t items(const svf_buffer *buffer, size_t size) { return buffer->size / size; }

/* Numbers that count from the start of an array move on by what is there already. */
static bool append(joined *all, const svf_parts *part) {
  size_t nodes = items(&all->node, sizeof *part->node), terms = items(&all->term, sizeof *part->term);
  size_t leaves = items(&all->leaf, sizeof *part->leaf), numbers = items(&all->number, svf_number_size(part->single));
  svf_tree_record *tree = svf_buffer_grow(&all->tree, part->trees * sizeof *tree);
  svf_node_record *node = svf_buffer_grow(&all->node, part->nodes * sizeof *node);
  svf_leaf_record *leaf = svf_buffer_grow(&all->leaf, part->leaves * sizeof *leaf);
  if (!tree || !node || !leaf) return false;
  for (size_t i = 0; i < part->trees; i++) {
    tree[i] = part->tree[i];
    tree[i].first_node += nodes;
    tree[i].first_leaf += leaves;
  }
  for (size_t i = 0; i < part->nodes; i++) {
    node[i] = part->node[i];
    if (node[i].count > 1) node[i].first += (uint32_t)terms; /* more than 2^32 are refused by svf_image_make */
  }
  for (size_t i = 0; i < part->leaves; i++) {
    leaf[i] = part->leaf[i];
    leaf[i].first += numbers;
  }
  if (part->terms) svf_buffer_add(&all->term, part->term, part->terms * sizeof *part->term);
  if (part->numbers) svf_buffer_add(&all->number, part->number, part->numbers * svf_number_size(part->single));
  if (part->gains) svf_buffer_add(&all->gain, part->gain, part->gains * sizeof *part->gain);
  return !all->term.failed && !all->number.failed && !all->gain.failed;
}

static void joined_free(joined *all) {
  svf_buffer_free(&all->tree);
  svf_buffer_free(&all->node);
  svf_buffer_free(&all->term);
  svf_buffer_free(&all->leaf);
  svf_buffer_free(&all->number);
  svf_buffer_free(&all->gain);
}

static svf_status make_image(const joined *all, const svf_forest *first, svf_buffer *image, svf_message *message) {
  svf_parts parts = first->parts;
  svf_settings settings = first->settings;
  char trees[32];
  parts.settings = &settings;
  parts.tree = (const void *)all->tree.data;
  parts.node = (const void *)all->node.data;
  parts.term = (const void *)all->term.data;
  parts.leaf = (const void *)all->leaf.data;
  parts.number = (const void *)all->number.data;
  parts.gain = (const void *)all->gain.data;
  parts.trees = items(&all->tree, sizeof *parts.tree);
  parts.nodes = items(&all->node, sizeof *parts.node);
  parts.terms = items(&all->term, sizeof *parts.term);
  parts.leaves = items(&all->leaf, sizeof *parts.leaf);
  parts.numbers = items(&all->number, svf_number_size(parts.single));
  parts.gains = items(&all->gain, sizeof *parts.gain);
  snprintf(trees, sizeof trees, "%zu", parts.trees);
  SVF_TRY(svf_settings_assign(&settings, SVF_SET_trees, trees, message));
  return svf_image_make(&parts, image, message);
}

static svf_status join(const svf_forest *const *part, size_t count, svf_forest **forest, svf_message *message) {
  for (size_t i = 1; i < count; i++) {
    SVF_TRY(svf_settings_alike(&part[0]->settings, &part[i]->settings, message));
    SVF_TRY(svf_forest_check_table(part[0], part[i], message));
    SVF_TRY(check_order(part[i - 1], part[i], message));
  }
  joined all = {0};
  svf_buffer image = {0};
  svf_status status = SVF_OK;
  for (size_t i = 0; i < count && !status; i++)
    if (!append(&all, &part[i]->parts)) status = svf_no_memory(message, "the merged model");
  if (!status) status = make_image(&all, part[0], &image, message);
  joined_free(&all);
  return status ? status
                : svf_image_open(image.data, image.size, SVF_HOLD_ALLOCATED, "the merged model", forest, message);
}

svf_status svf_forest_merge(const svf_forest *const *parts, size_t count, svf_forest **forest, svf_message *message) {
  *forest = NULL;
  if (count == 0) return svf_fail(message, SVF_USAGE, "there are no parts to merge");
  if (count > SIZE_MAX / sizeof *parts) return svf_fail(message, SVF_USAGE, "too many parts");
  for (size_t i = 0; i < count; i++)
    if (parts[i]->committee)
      return svf_fail(message, SVF_USAGE,
                      "a committee cannot be merged: its weights belong to the members it was trained with");
    else if (parts[i]->kinds.vote->rounds)
      return svf_fail(message, SVF_USAGE,
                      "trees of vote=%s correct those before them, so parts of such a forest cannot be merged",
                      parts[i]->settings.vote);
  const svf_forest **sorted = malloc(count * sizeof *sorted);
  if (!sorted) return svf_no_memory(message, "the parts");
  memcpy(sorted, parts, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_first_tree);
  svf_status status = join(sorted, count, forest, message);
  free(sorted);
  return status;
}
