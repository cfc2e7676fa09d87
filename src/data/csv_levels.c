/* csv_levels.c - the categories of a column that several threads have read, each with a dictionary of its own.
 *
 * Levels are sorted, so they do not depend on which thread has seen what. */
#include <stdlib.h>
#include "data/csv_fill.h"

/* For each hand the numbers that its texts have in the dictionary of the first, which takes them all. */
typedef struct joined {
  int32_t **code;
  int32_t *all;
  size_t count;
} joined;

static bool join(const svf_csv_filler *f, size_t column, joined *j) {
  svf_dict *whole = &f->hand[0].slot[column].dict;
  for (size_t h = 0; h < f->hands; h++) j->count += (size_t)f->hand[h].slot[column].dict.count;
  j->all = malloc((j->count + 1) * sizeof *j->all);
  j->code = malloc(f->hands * sizeof *j->code);
  if (!j->all || !j->code) return false;
  int32_t *next = j->all;
  for (size_t h = 0; h < f->hands; h++) {
    svf_dict *dict = &f->hand[h].slot[column].dict;
    int32_t count = dict->count;
    j->code[h] = next;
    for (int32_t i = 0; i < count; i++) {
      const svf_dict_entry *entry = &dict->entry[i];
      *next = h ? svf_dict_code(whole, (const char *)dict->text.data + entry->at, entry->length) : i;
      if (*next++ < 0) return false;
    }
    if (h) svf_dict_free(dict);
  }
  return true;
}

/* The codes of the rows, from those of the hands. */
static void translate(const svf_csv_filler *f, const joined *j, int32_t *code) {
  for (size_t c = 0; c < f->file->chunks; c++) {
    const svf_csv_chunk *chunk = &f->file->chunk[c];
    const int32_t *table = j->code[f->owner[c]];
    svf_csv_span rows = svf_csv_rows_of(f, chunk);
    for (size_t i = rows.first; i < rows.end; i++)
      if (code[i] >= 0) code[i] = table[code[i]];
  }
}

svf_status svf_csv_levels(const svf_csv_filler *f, size_t column, svf_message *message) {
  svf_column *made = &f->raw->column[column];
  joined j = {0};
  bool done = join(f, column, &j) && svf_dict_sort(&f->hand[0].slot[column].dict, &made->levels, j.all, j.count);
  if (done) translate(f, &j, made->code);
  free(j.all);
  free(j.code);
  return done ? SVF_OK : svf_no_memory(message, f->raw->path);
}
