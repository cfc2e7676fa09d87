/* part_steps.c - the steps of training in parts, for callers with files or messages, and all of them in memory. */
#include "forest/parts/fit_rows.h"

#include <stdlib.h>
#include "base/run_part.h"

static const char *const kind_names[] = {"nothing", "cuts", "rows", "leaves"};

svf_status svf_portion_fits(const svf_portion *part, svf_portion_kind kind, const svf_portion *cuts,
                            svf_message *message) {
  if (cuts->kind != SVF_PORTION_CUTS)
    return svf_fail(message, SVF_USAGE, "cuts are wanted, and this part holds %s", kind_names[cuts->kind]);
  if (part->kind != kind)
    return svf_fail(message, SVF_USAGE, "%s are wanted, and one part holds %s", kind_names[kind],
                    kind_names[part->kind]);
  if (part->mark != cuts->mark) return svf_fail(message, SVF_DATA, "the %s belong to other cuts", kind_names[kind]);
  return SVF_OK;
}

svf_status svf_portion_cells(const svf_portion *cuts, const svf_cells *wanted, svf_cells *cells,
                             svf_message *message) {
  SVF_TRY(svf_portion_fits(cuts, SVF_PORTION_CUTS, cuts, message));
  uint64_t all = cuts->cuts.cells;
  *cells = wanted ? *wanted : (svf_cells){0, all};
  if (cells->count && cells->first < all && cells->count <= all - cells->first) return SVF_OK;
  return svf_fail(message, SVF_USAGE, "there are the cells 0 to %llu, and %llu from %llu on are wanted",
                  (unsigned long long)all - 1, (unsigned long long)cells->count, (unsigned long long)cells->first);
}

static svf_status route(const svf_portion *cuts, svf_frame *frame, uint64_t first_row, const svf_cells *cells,
                        const svf_run *run, svf_portion *rows, svf_message *message) {
  svf_pool pool;
  SVF_TRY(svf_pool_open(&pool, run, message));
  svf_status status = svf_pieces_list(&cuts->cuts, frame, cells, &pool, rows, message);
  svf_pool_close(&pool);
  rows->pieces.first_row = first_row;
  rows->mark = cuts->mark;
  rows->unseen = frame->unseen;
  return status;
}

svf_status svf_route(const svf_portion *cuts, const svf_table *chunk, uint64_t first_row, const svf_cells *wanted,
                     const svf_run *run, svf_portion **rows, svf_message *message) {
  *rows = NULL;
  svf_frame frame;
  svf_cells cells;
  SVF_TRY(svf_portion_cells(cuts, wanted, &cells, message));
  const svf_forest *forest = cuts->cuts.forest;
  const char *name = chunk->path ? chunk->path : "the table";
  if (!chunk->n) return svf_fail(message, SVF_DATA, "%s: there are no rows", name);
  if (first_row > forest->parts.rows || chunk->n > forest->parts.rows - first_row)
    return svf_fail(message, SVF_DATA, "%s: rows %llu to %llu, and the table that the cuts come from has %llu rows",
                    name, (unsigned long long)first_row, (unsigned long long)first_row + chunk->n - 1,
                    (unsigned long long)forest->parts.rows);
  SVF_TRY(svf_encode(&forest->encoding, chunk, run, &frame, message));
  svf_portion made = {0};
  svf_status status = svf_pieces_check_target(&frame, chunk->path, first_row, message);
  if (!status) status = route(cuts, &frame, first_row, &cells, run, &made, message);
  if (!status) status = svf_rows_pack(&made, frame.d, rows, message);
  svf_arena_free(&made.memory);
  svf_frame_free(&frame);
  return status;
}

svf_status svf_fit(const svf_portion *cuts, const svf_portion *const *rows, size_t count, const svf_cells *wanted,
                   const svf_run *run, svf_portion **leaves, svf_message *message) {
  *leaves = NULL;
  svf_cells cells;
  svf_pool pool;
  svf_fit_rows all = {0};
  svf_portion made = {0};
  svf_stage stage = {"leaves", 0, 1, NULL};
  SVF_TRY(svf_portion_cells(cuts, wanted, &cells, message));
  SVF_TRY(svf_pool_open(&pool, run, message));
  pool.trees = cuts->cuts.forest->parts.trees;
  svf_status status = svf_fit_rows_open(cuts, rows, count, &cells, &all, message);
  if (!status) status = svf_fit_cells(&all, &stage, &pool, &made, message);
  svf_fit_rows_close(&all);
  svf_pool_close(&pool);
  if (!status) status = svf_leaves_pack(&made, leaves, message);
  svf_arena_free(&made.memory);
  return status;
}

/* ---- in memory ---- */

enum { LIST_NUMBERS = 1 << 26 }; /* rows listed at a time */

/* The whole table, encoded, and what was made of it. */
typedef struct course {
  const svf_portion *cuts;
  const svf_frame *frame;
  svf_pool pool;
  svf_portion **leaves; /* of some trees each */
  size_t count;
} course;

/* The cells of trees first..end-1. */
static svf_cells cells_of(const svf_sketch *cuts, size_t first, size_t end) {
  const svf_parts *parts = &cuts->forest->parts;
  uint32_t from = (uint32_t)parts->tree[first].first_leaf,
           to = end < parts->trees ? (uint32_t)parts->tree[end].first_leaf : (uint32_t)parts->leaves;
  svf_cells cells = {0, 0};
  while (svf_sketch_first(cuts, cells.first) < from) cells.first++;
  while (svf_sketch_first(cuts, cells.first + cells.count) < to) cells.count++;
  return cells;
}

static svf_status train_some(course *c, size_t first, size_t end, svf_message *message) {
  const svf_parts *parts = &c->cuts->cuts.forest->parts;
  svf_cells cells = cells_of(&c->cuts->cuts, first, end);
  svf_portion rows = {.mark = c->cuts->mark};
  const svf_portion *all_rows = &rows;
  svf_fit_rows all = {0};
  double done = (double)parts->trees;
  svf_stage stage = {"leaves", (double)first / done, (double)end / done, NULL};
  svf_portion *leaves = c->leaves[c->count] = calloc(1, sizeof *leaves);
  if (!leaves) return svf_no_memory(message, "the leaves");
  c->count++;
  svf_status status = svf_pieces_list(&c->cuts->cuts, c->frame, &cells, &c->pool, &rows, message);
  if (!status) status = svf_fit_rows_open(c->cuts, &all_rows, 1, &cells, &all, message);
  if (!status) status = svf_fit_cells(&all, &stage, &c->pool, leaves, message);
  svf_fit_rows_close(&all);
  svf_arena_free(&rows.memory);
  return status;
}

static svf_status train_leaves(course *c, const svf_run *run, svf_forest **forest, svf_message *message) {
  size_t trees = c->cuts->cuts.forest->parts.trees, some = LIST_NUMBERS / (c->frame->n + 1) + 1;
  c->leaves = calloc(trees, sizeof *c->leaves);
  if (!c->leaves) return svf_no_memory(message, "the leaves");
  SVF_TRY(svf_pool_open(&c->pool, run, message));
  c->pool.trees = trees;
  svf_status status = SVF_OK;
  for (size_t first = 0; first < trees && !status; first += some)
    status = train_some(c, first, first + some < trees ? first + some : trees, message);
  svf_pool_close(&c->pool);
  return status ? status
                : svf_portion_merge(c->cuts, (const svf_portion *const *)c->leaves, c->count, forest, message);
}

svf_status svf_train_in_parts(const svf_settings *settings, const svf_table *table, svf_table *own,
                              const svf_run *run, svf_forest **forest, svf_message *message) {
  svf_run_part of_cuts = {run, 0, 0.1}, of_leaves = {run, 0.1, 1};
  svf_run first = svf_run_within(&of_cuts), then = svf_run_within(&of_leaves);
  svf_portion *cuts;
  svf_frame frame;
  SVF_TRY(svf_partition(settings, table, NULL, table->n, &first, &cuts, message));
  svf_status status = svf_encode(&cuts->cuts.forest->encoding, table, &then, &frame, message);
  if (own) svf_table_strip(own);
  if (!status) {
    course c = {.cuts = cuts, .frame = &frame};
    status = svf_pieces_check_target(&frame, table->path, 0, message);
    if (!status) status = train_leaves(&c, &then, forest, message);
    for (size_t i = 0; i < c.count; i++) svf_portion_free(c.leaves[i]);
    free(c.leaves);
    svf_frame_free(&frame);
  }
  svf_portion_free(cuts);
  return status;
}
