/* partition_rows.c - rows to cells: the leaf of each row in each tree, and the rows of each leaf in a list. */
#include "forest/parts/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "forest/answers/tree_answers.h"

enum { BLOCK = 1024 };

/* One tree, and its leaves that are wanted. */
typedef struct grove {
  size_t tree;
  uint32_t first, end; /* leaves over all trees */
  svf_list_record *record;
  uint32_t *list;
  size_t records, listed;
} grove;

typedef struct routing {
  const svf_forest *forest;
  const svf_frame *frame;
  grove *tree;
  size_t trees;
} routing;

static bool walk(const routing *r, const grove *g, svf_arena *scratch, uint32_t *leaf) {
  const svf_frame *frame = r->frame;
  const float **row = SVF_TAKE(scratch, const float *, BLOCK);
  if (!row) return false;
  for (size_t first = 0; first < frame->n; first += BLOCK) {
    size_t n = frame->n - first < BLOCK ? frame->n - first : BLOCK;
    for (size_t i = 0; i < n; i++) row[i] = frame->x + (first + i) * frame->stride;
    svf_question question = {&r->forest->parts, NULL, r->forest->la, r->forest->fill, row, n, false};
    svf_tree_route(&question, g->tree, leaf + first);
  }
  return true;
}

/* Rows of the leaves that are wanted, by counting; rows without weight are nobody's. */
static svf_status list_tree(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const routing *r = context;
  grove *g = &r->tree[index];
  const svf_tree_record *record = &r->forest->parts.tree[g->tree];
  uint32_t base = (uint32_t)record->first_leaf, leaves = g->end - g->first;
  size_t n = r->frame->n;
  svf_mark mark = svf_arena_mark(&worker->arena);
  uint32_t *leaf = SVF_TAKE(&worker->arena, uint32_t, n), *at = SVF_ZERO(&worker->arena, uint32_t, leaves + 1);
  bool fine = !svf_arena_failed(&worker->arena) && walk(r, g, &worker->arena, leaf);
  for (size_t i = 0; i < n && fine; i++) {
    leaf[i] += base;
    bool wanted = leaf[i] >= g->first && leaf[i] < g->end && !(r->frame->measure && !(r->frame->measure[i] > 0));
    leaf[i] = wanted ? leaf[i] - g->first : leaves;
    at[leaf[i]] += wanted;
  }
  for (uint32_t l = 0; l < leaves && fine; l++) g->records += at[l] > 0, g->listed += at[l];
  g->record = malloc((g->records + 1) * sizeof *g->record);
  g->list = malloc((g->listed + 1) * sizeof *g->list);
  fine = fine && g->record && g->list;
  for (uint32_t l = 0, k = 0, sum = 0; l < leaves && fine; l++) {
    uint32_t count = at[l];
    if (count) g->record[k++] = (svf_list_record){g->first + l, count};
    at[l] = sum;
    sum += count;
  }
  for (size_t i = 0; i < n && fine; i++)
    if (leaf[i] < leaves) g->list[at[leaf[i]]++] = (uint32_t)i;
  svf_arena_release(&worker->arena, mark);
  return fine ? SVF_OK : svf_no_memory(message, "the rows of cells");
}

/* The trees that have some of the leaves first..end-1. */
static void find_groves(routing *r, uint32_t first, uint32_t end) {
  const svf_parts *parts = &r->forest->parts;
  for (size_t t = 0; t < parts->trees; t++) {
    uint32_t from = (uint32_t)parts->tree[t].first_leaf, to = from + parts->tree[t].leaves;
    if (to <= first || from >= end) continue;
    r->tree[r->trees++] = (grove){.tree = t, .first = from > first ? from : first, .end = to < end ? to : end};
  }
}

/* The lists of all trees, one after the other. */
static bool gather(const routing *r, svf_portion *rows) {
  svf_routed *p = &rows->pieces;
  for (size_t t = 0; t < r->trees; t++) p->leaves += r->tree[t].records, p->listed += r->tree[t].listed;
  svf_list_record *leaf = SVF_TAKE(&rows->memory, svf_list_record, p->leaves);
  uint32_t *list = SVF_TAKE(&rows->memory, uint32_t, p->listed);
  if (svf_arena_failed(&rows->memory)) return false;
  p->leaf = leaf, p->list = list;
  for (size_t t = 0; t < r->trees; t++) {
    grove *g = &r->tree[t];
    memcpy(leaf, g->record, g->records * sizeof *leaf);
    memcpy(list, g->list, g->listed * sizeof *list);
    leaf += g->records, list += g->listed;
    free(g->list);
    g->list = NULL;
  }
  return true;
}

svf_status svf_pieces_list(const svf_sketch *cuts, const svf_frame *frame, const svf_cells *cells, svf_pool *pool,
                           svf_portion *rows, svf_message *message) {
  routing r = {.forest = cuts->forest, .frame = frame};
  svf_stage stage = {"route", 0, 0, NULL};
  r.tree = calloc(cuts->forest->parts.trees, sizeof *r.tree);
  if (!r.tree) return svf_no_memory(message, "the rows of cells");
  find_groves(&r, svf_sketch_first(cuts, cells->first), svf_sketch_first(cuts, cells->first + cells->count));
  rows->kind = SVF_PORTION_ROWS;
  rows->first = cells->first, rows->cells = cells->count;
  rows->pieces.kept = rows->pieces.rows = frame->n;
  rows->pieces.x = frame->x, rows->pieces.stride = frame->stride;
  rows->pieces.label = frame->label, rows->pieces.value = frame->value, rows->pieces.weight = frame->measure;
  svf_status status = svf_pool_run(pool, &stage, r.trees, list_tree, &r, message);
  if (!status && !gather(&r, rows)) status = svf_no_memory(message, "the rows of cells");
  for (size_t t = 0; t < r.trees; t++) {
    free(r.tree[t].record);
    free(r.tree[t].list);
  }
  free(r.tree);
  return status;
}

svf_status svf_pieces_check_target(const svf_frame *frame, const char *path, uint64_t first_row,
                                   svf_message *message) {
  if (!path) path = "the table";
  if (!frame->label && !frame->value)
    return svf_fail(message, SVF_DATA, "%s: there is no target, or its task differs from that of the sample", path);
  for (size_t i = 0; i < frame->n; i++)
    if (frame->label ? frame->label[i] < 0 : isnan(frame->value[i]))
      return svf_fail(message, SVF_DATA,
                      "%s: row %llu has a target that is missing, or a class that the sample does not have", path,
                      (unsigned long long)first_row + i + 1);
  return SVF_OK;
}
