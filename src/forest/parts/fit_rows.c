/* fit_rows.c - see fit_rows.h. */
#include "forest/parts/fit_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- do they fit? ---- */

static svf_status check_pieces(const svf_portion *cuts, const svf_portion *rows, const svf_cells *cells,
                               svf_message *message) {
  const svf_encoding *encoding = &cuts->cuts.forest->encoding;
  const svf_routed *p = &rows->pieces;
  unsigned long long first = p->first_row;
  SVF_TRY(svf_portion_fits(rows, SVF_PORTION_ROWS, cuts, message));
  if (rows->first > cells->first || rows->first + rows->cells < cells->first + cells->count)
    return svf_fail(message, SVF_USAGE,
                    "the rows from %llu on were routed to cells %llu to %llu only, and cells %llu to %llu are wanted",
                    first, (unsigned long long)rows->first, (unsigned long long)(rows->first + rows->cells - 1),
                    (unsigned long long)cells->first, (unsigned long long)(cells->first + cells->count - 1));
  bool fine = p->stride >= encoding->columns && rows->first + rows->cells <= cuts->cuts.cells;
  if (p->kept) fine = fine && (encoding->task == SVF_TASK_CLASS ? p->label != NULL : p->value != NULL);
  for (size_t i = 0; i < p->kept && p->label && fine; i++) fine = (size_t)p->label[i] < encoding->classes.count;
  if (fine && p->leaves)
    fine = p->leaf[0].leaf >= svf_sketch_first(&cuts->cuts, rows->first) &&
           p->leaf[p->leaves - 1].leaf < svf_sketch_first(&cuts->cuts, rows->first + rows->cells);
  return fine ? SVF_OK : svf_fail(message, SVF_DATA, "the rows from %llu on do not fit the cuts", first);
}

svf_status svf_portion_select(const svf_portion *cuts, const svf_portion *rows, const svf_cells *wanted,
                              svf_portion **some, svf_message *message) {
  svf_cells cells;
  *some = NULL;
  SVF_TRY(svf_portion_cells(cuts, wanted, &cells, message));
  SVF_TRY(check_pieces(cuts, rows, &cells, message));
  uint32_t first = svf_sketch_first(&cuts->cuts, cells.first),
           end = svf_sketch_first(&cuts->cuts, cells.first + cells.count);
  svf_portion made = {.kind = SVF_PORTION_ROWS,
                      .mark = rows->mark,
                      .first = cells.first,
                      .cells = cells.count,
                      .unseen = rows->unseen,
                      .pieces = rows->pieces};
  svf_routed *p = &made.pieces;
  while (p->leaves && p->leaf->leaf < first) {
    p->list += p->leaf->count;
    p->leaf++, p->leaves--;
  }
  size_t leaves = 0;
  p->listed = 0;
  while (leaves < p->leaves && p->leaf[leaves].leaf < end) p->listed += p->leaf[leaves++].count;
  p->leaves = leaves;
  svf_status status = svf_rows_pack(&made, p->stride, some, message);
  svf_arena_free(&made.memory);
  return status;
}

/* Rows without weight are nobody's. */
static size_t count_weighed(const svf_routed *p) {
  size_t count = 0;
  for (size_t i = 0; i < p->kept; i++) count += !p->weight || p->weight[i] > 0;
  return count;
}

/* Rows that went to all cells are in every tree. */
static svf_status check_counts(const svf_portion *cuts, const svf_portion *rows, svf_message *message) {
  const svf_parts *parts = &cuts->cuts.forest->parts;
  const svf_routed *p = &rows->pieces;
  if (rows->cells < cuts->cuts.cells) return SVF_OK;
  size_t at = 0, weighed = count_weighed(p);
  for (size_t t = 0; t < parts->trees; t++) {
    uint64_t end = parts->tree[t].first_leaf + parts->tree[t].leaves, sum = 0;
    for (; at < p->leaves && p->leaf[at].leaf < end; at++) sum += p->leaf[at].count;
    if (sum != weighed)
      return svf_fail(message, SVF_DATA, "the rows from %llu on are %zu, and tree %u has %llu of them",
                      (unsigned long long)p->first_row, weighed, parts->tree[t].number, (unsigned long long)sum);
  }
  return SVF_OK;
}

static svf_status count_sample(const svf_portion *cuts, uint64_t *count, svf_message *message) {
  svf_cells all;
  SVF_TRY(svf_portion_cells(cuts, NULL, &all, message));
  const svf_leaf_record *leaf = cuts->cuts.forest->parts.leaf;
  for (uint64_t c = 0; c < all.count; c++) {
    count[c] = 0;
    for (uint32_t l = svf_sketch_first(&cuts->cuts, c); l < svf_sketch_first(&cuts->cuts, c + 1); l++)
      count[c] += leaf[l].rows;
  }
  return SVF_OK;
}

svf_status svf_portion_count(const svf_portion *cuts, const svf_portion *part, uint64_t *count,
                             svf_message *message) {
  if (part->kind == SVF_PORTION_CUTS) return count_sample(part, count, message);
  svf_cells cells, own = {part->first, part->cells};
  SVF_TRY(svf_portion_fits(part, SVF_PORTION_ROWS, cuts, message));
  SVF_TRY(svf_portion_cells(cuts, &own, &cells, message));
  SVF_TRY(check_pieces(cuts, part, &cells, message));
  const svf_routed *p = &part->pieces;
  size_t at = 0;
  for (uint64_t c = 0; c < cells.count; c++) {
    uint32_t end = svf_sketch_first(&cuts->cuts, cells.first + c + 1);
    for (count[c] = 0; at < p->leaves && p->leaf[at].leaf < end; at++) count[c] += p->leaf[at].count;
  }
  return SVF_OK;
}

static int by_first_row(const void *left, const void *right) {
  const svf_fit_chunk *a = left, *b = right;
  return (a->pieces->first_row > b->pieces->first_row) - (a->pieces->first_row < b->pieces->first_row);
}

static svf_status refuse_gap(uint64_t from, uint64_t to, const char *what, svf_message *message) {
  return svf_fail(message, SVF_DATA, "rows %llu to %llu are %s", (unsigned long long)from, (unsigned long long)to - 1,
                  what);
}

/* One chunk begins where the one before it ends. */
static svf_status check_order(const svf_fit_rows *all, uint64_t rows, svf_message *message) {
  uint64_t end = 0;
  for (size_t c = 0; c < all->chunks; c++) {
    const svf_routed *p = all->chunk[c].pieces;
    if (p->first_row > end) return refuse_gap(end, p->first_row, "missing", message);
    if (p->first_row < end) return refuse_gap(p->first_row, end, "there twice", message);
    end += p->rows;
  }
  if (end < rows) return refuse_gap(end, rows, "missing", message);
  return end == rows ? SVF_OK : refuse_gap(rows, end, "more than the table of the cuts has", message);
}

/* Some chunks with weights and some without would be a mistake in a call. */
static svf_status check_weights(svf_fit_rows *all, svf_message *message) {
  const svf_routed *first = NULL;
  for (size_t c = 0; c < all->chunks; c++) {
    const svf_routed *p = all->chunk[c].pieces;
    if (!p->kept) continue;
    if (!first) first = p;
    if (!first->weight != !p->weight)
      return svf_fail(message, SVF_DATA, "the rows from %llu on have weights, and those from %llu on have none",
                      (unsigned long long)(p->weight ? p : first)->first_row,
                      (unsigned long long)(p->weight ? first : p)->first_row);
  }
  all->weighted = first && first->weight;
  return SVF_OK;
}

/* ---- lists ---- */

/* The records of the leaves at hand. */
static bool find_lists(const svf_fit_rows *all, svf_fit_chunk *chunk) {
  const svf_routed *p = chunk->pieces;
  size_t at = 0, from = 0;
  while (at < p->leaves && p->leaf[at].leaf < all->first) from += p->leaf[at++].count;
  chunk->record = p->leaf + at;
  while (at + chunk->count < p->leaves && chunk->record[chunk->count].leaf < all->end) chunk->count++;
  chunk->from = malloc((chunk->count + 1) * sizeof *chunk->from);
  if (!chunk->from) return false;
  chunk->from[0] = from;
  for (size_t i = 0; i < chunk->count; i++) chunk->from[i + 1] = chunk->from[i] + chunk->record[i].count;
  return true;
}

/* The first record of a leaf that is not below this one. */
static size_t find(const svf_fit_chunk *chunk, uint32_t leaf) {
  size_t low = 0, high = chunk->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (chunk->record[middle].leaf < leaf) low = middle + 1;
    else high = middle;
  }
  return low;
}

svf_status svf_fit_rows_open(const svf_portion *cuts, const svf_portion *const *rows, size_t count,
                             const svf_cells *cells, svf_fit_rows *all, svf_message *message) {
  *all = (svf_fit_rows){.cuts = cuts,
                        .cells = *cells,
                        .first = svf_sketch_first(&cuts->cuts, cells->first),
                        .end = svf_sketch_first(&cuts->cuts, cells->first + cells->count)};
  all->chunk = calloc(count ? count : 1, sizeof *all->chunk);
  if (!all->chunk) return svf_no_memory(message, "the rows of cells");
  for (size_t c = 0; c < count; c++) {
    SVF_TRY(check_pieces(cuts, rows[c], cells, message));
    SVF_TRY(check_counts(cuts, rows[c], message));
    all->chunk[all->chunks++].pieces = &rows[c]->pieces;
  }
  qsort(all->chunk, count, sizeof *all->chunk, by_first_row);
  SVF_TRY(check_order(all, cuts->cuts.forest->parts.rows, message));
  SVF_TRY(check_weights(all, message));
  for (size_t c = 0; c < count; c++)
    if (!find_lists(all, &all->chunk[c])) return svf_no_memory(message, "the rows of cells");
  return SVF_OK;
}

void svf_fit_rows_close(svf_fit_rows *all) {
  for (size_t c = 0; c < all->chunks; c++) free(all->chunk[c].from);
  free(all->chunk);
}

size_t svf_fit_rows_count(const svf_fit_rows *all, uint32_t first, uint32_t end) {
  size_t count = 0;
  for (size_t c = 0; c < all->chunks; c++) {
    const svf_fit_chunk *chunk = &all->chunk[c];
    count += chunk->from[find(chunk, end)] - chunk->from[find(chunk, first)];
  }
  return count;
}

/* ---- the frame of some leaves ---- */

static uint32_t number_of(const svf_routed *p, uint32_t at) {
  return (uint32_t)p->first_row + (p->number ? p->number[at] : at);
}

static int by_place(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* Several leaves' rows of one chunk become ascending. */
static const uint32_t *places_of(const svf_fit_chunk *chunk, uint32_t first, uint32_t end, svf_arena *arena,
                                 size_t *n) {
  size_t from = chunk->from[find(chunk, first)], to = chunk->from[find(chunk, end)];
  *n = to - from;
  const uint32_t *list = chunk->pieces->list + from;
  if (end - first == 1) return list;
  uint32_t *sorted = SVF_TAKE(arena, uint32_t, *n);
  if (!sorted) return NULL;
  if (*n) memcpy(sorted, list, *n * sizeof *sorted);
  qsort(sorted, *n, sizeof *sorted, by_place);
  return sorted;
}

/* Where the rows of a frame are put. */
typedef struct room {
  float *x;
  uint32_t *number;
  int32_t *label;
  double *value, *weight;
} room;

static void copy_rows(const svf_routed *p, const uint32_t *place, size_t n, const svf_frame *frame, size_t at,
                      const room *to) {
  size_t d = frame->d, stride = frame->stride;
  for (size_t i = 0; i < n; i++, at++) {
    memcpy(to->x + at * stride, p->x + place[i] * p->stride, d * sizeof(float));
    for (size_t j = d; j < stride; j++) to->x[at * stride + j] = 0;
    to->number[at] = number_of(p, place[i]);
    if (to->label) to->label[at] = p->label[place[i]];
    if (to->value) to->value[at] = p->value[place[i]];
    if (to->weight) to->weight[at] = p->weight[place[i]];
  }
}

bool svf_fit_rows_frame(const svf_fit_rows *all, uint32_t first, uint32_t end, const svf_frame *columns,
                        svf_arena *arena, svf_frame *frame) {
  bool classes = all->cuts->cuts.forest->encoding.task == SVF_TASK_CLASS;
  size_t n = svf_fit_rows_count(all, first, end), at = 0;
  *frame = *columns;
  room to = {.x = SVF_TAKE(arena, float, n * frame->stride),
             .number = SVF_TAKE(arena, uint32_t, n),
             .label = classes ? SVF_TAKE(arena, int32_t, n) : NULL,
             .value = classes ? NULL : SVF_TAKE(arena, double, n),
             .weight = all->weighted ? SVF_TAKE(arena, double, n) : NULL};
  if (svf_arena_failed(arena)) return false;
  for (size_t c = 0; c < all->chunks; c++) {
    size_t some;
    const uint32_t *place = places_of(&all->chunk[c], first, end, arena, &some);
    if (!place) return false;
    copy_rows(all->chunk[c].pieces, place, some, frame, at, &to);
    at += some;
  }
  frame->n = n;
  frame->x = to.x, frame->number = to.number, frame->label = to.label, frame->value = to.value;
  frame->weight = frame->judged = frame->measure = to.weight;
  for (size_t i = 0; i < n * frame->stride && !frame->missing; i++) frame->missing = isnan(frame->x[i]);
  return true;
}
