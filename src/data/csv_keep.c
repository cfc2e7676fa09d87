/* csv_keep.c - columns that are kept as text, as the file has them: numbers as they were written, NA as NA.
 *
 * One more walk over the file, since a kept column may be a feature too. Each thread appends the cells that it reads to a
 * text of its own; the texts are then joined. */
#include <stdlib.h>
#include <string.h>
#include "data/csv_fill.h"

static svf_status prepare(svf_csv_filler *f, svf_message *message) {
  for (size_t h = 0; h < f->hands; h++)
    for (size_t j = 0; j < f->raw->width; j++) {
      f->hand[h].slot[j].reading = SVF_CSV_SKIP;
      f->hand[h].number[j] = NULL;
    }
  for (size_t k = 0; k < f->raw->kept_count; k++) {
    svf_kept *kept = &f->raw->kept[k];
    kept->at = malloc(f->raw->n * sizeof *kept->at);
    if (!kept->at) return svf_no_memory(message, f->raw->path);
    for (size_t h = 0; h < f->hands; h++) {
      svf_csv_slot *s = &f->hand[h].slot[kept->column];
      s->reading = SVF_CSV_KEPT;
      s->at = kept->at;
    }
  }
  return SVF_OK;
}

/* Moves the places of the rows on, by the texts of the hands before the one that read them. */
static void shift(const svf_csv_filler *f, const size_t *first, size_t *at) {
  for (size_t c = 0; c < f->file->chunks; c++) {
    const svf_csv_chunk *chunk = &f->file->chunk[c];
    svf_csv_span rows = svf_csv_rows_of(f, chunk);
    for (size_t i = rows.first; i < rows.end; i++) at[i] += first[f->owner[c]];
  }
}

/* Appends the texts of all hands to that of the first, which becomes the column's. */
static bool join(const svf_csv_filler *f, svf_kept *kept, size_t *first) {
  svf_buffer *all = &f->hand[0].slot[kept->column].text;
  for (size_t h = 0; h < f->hands; h++) {
    svf_buffer *text = &f->hand[h].slot[kept->column].text;
    first[h] = h ? all->size : 0;
    if (h && text->size && !svf_buffer_add(all, text->data, text->size)) return false;
    if (h) svf_buffer_free(text);
  }
  shift(f, first, kept->at);
  kept->text = (char *)all->data;
  *all = (svf_buffer){0};
  return true;
}

svf_status svf_csv_keep(svf_csv_filler *f, svf_message *message) {
  if (!f->raw->kept_count) return SVF_OK;
  SVF_TRY(prepare(f, message));
  SVF_TRY(svf_csv_walk(f, message));
  size_t *first = malloc(f->hands * sizeof *first);
  bool fine = first;
  for (size_t k = 0; fine && k < f->raw->kept_count; k++) fine = join(f, &f->raw->kept[k], first);
  free(first);
  return fine ? SVF_OK : svf_no_memory(message, f->raw->path);
}
