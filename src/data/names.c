/* names.c - lists of distinct texts; see table.h and names.h. */
#include "data/names.h"

#include <stdlib.h>
#include <string.h>

void svf_names_free(svf_names *names) {
  for (size_t i = 0; i < names->count; i++) free(names->text[i]);
  free(names->text);
  *names = (svf_names){0};
}

bool svf_names_copy(const svf_names *names, svf_names *copy) {
  *copy = (svf_names){0};
  if (!names->count) return true;
  copy->text = calloc(names->count, sizeof *copy->text);
  if (!copy->text) return false;
  for (; copy->count < names->count; copy->count++) {
    copy->text[copy->count] = strdup(names->text[copy->count]);
    if (!copy->text[copy->count]) {
      svf_names_free(copy);
      return false;
    }
  }
  return true;
}

int32_t svf_names_find(const svf_names *names, const char *text, size_t length) {
  for (size_t i = 0; i < names->count; i++)
    if (strlen(names->text[i]) == length && memcmp(names->text[i], text, length) == 0) return (int32_t)i;
  return -1;
}

bool svf_names_equal(const svf_names *a, const svf_names *b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (strcmp(a->text[i], b->text[i])) return false;
  return true;
}

static int by_text(const void *left, const void *right) {
  const svf_name_entry *a = left, *b = right;
  int order = strcmp(a->text, b->text);
  return order ? order : (a->at > b->at) - (a->at < b->at);
}

bool svf_name_index_make(char *const *text, size_t count, svf_name_index *index) {
  *index = (svf_name_index){0};
  if (!count) return true;
  index->entry = calloc(count, sizeof *index->entry);
  if (!index->entry) return false;
  index->count = count;
  for (size_t i = 0; i < count; i++) index->entry[i] = (svf_name_entry){text[i], (int32_t)i};
  qsort(index->entry, count, sizeof *index->entry, by_text);
  return true;
}

int32_t svf_name_index_find(const svf_name_index *index, const char *text) {
  size_t low = 0, high = index->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strcmp(index->entry[middle].text, text) < 0) low = middle + 1;
    else high = middle;
  }
  bool found = low < index->count && strcmp(index->entry[low].text, text) == 0;
  return found ? index->entry[low].at : -1;
}

const char *svf_name_index_twice(const svf_name_index *index) {
  for (size_t i = 1; i < index->count; i++)
    if (strcmp(index->entry[i - 1].text, index->entry[i].text) == 0) return index->entry[i].text;
  return NULL;
}

void svf_name_index_free(svf_name_index *index) {
  free(index->entry);
  *index = (svf_name_index){0};
}

svf_status svf_names_take(const char *const *text, size_t count, const char *what, svf_names *names,
                          svf_message *message) {
  *names = (svf_names){0};
  if (count > INT32_MAX) return svf_fail(message, SVF_USAGE, "too many %s names: %zu", what, count);
  for (size_t i = 0; i < count; i++)
    if (!text[i]) return svf_fail(message, SVF_USAGE, "%s %zu has no name", what, i + 1);
  svf_names copy;
  svf_name_index index = {0};
  if (!svf_names_copy(&(svf_names){(char **)text, count}, &copy)) return svf_no_memory(message, "names");
  if (!svf_name_index_make(copy.text, count, &index)) {
    svf_names_free(&copy);
    return svf_no_memory(message, "names");
  }
  const char *twice = svf_name_index_twice(&index);
  svf_status status = SVF_OK;
  if (twice) status = svf_fail(message, SVF_DATA, "%s name '%s' occurs twice", what, twice);
  svf_name_index_free(&index);
  if (status) svf_names_free(&copy);
  else *names = copy;
  return status;
}
