/* fit_cells.c - the leaves of some cells, from the rows of all chunks. A leaf is a function of its rows, of its place in its
 * tree and of the cuts: who trains the others does not matter. */
#include "forest/parts/fit_rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "data/measure.h"

enum { BATCH_ROWS = 1 << 12, TOGETHER = 64 };

/* Leaves that are trained one after the other. */
typedef struct batch {
  uint32_t first, end;
  size_t rows;
  svf_buffer numbers;
} batch;

typedef struct fitting {
  const svf_fit_rows *rows;
  const svf_forest *forest;
  svf_pool *pool;
  svf_frame columns;
  uint64_t *name;         /* of each leaf */
  uint64_t *filling_name; /* of each filling's node */
  svf_leaf_made *made;    /* of each leaf */
  batch *batch;
  size_t batches;
} fitting;

/* ---- names of nodes ---- */

/* As sites are named while a tree grows; name: one for each node. */
static void name_nodes(const svf_parts *parts, const svf_tree_record *tree, uint64_t *name) {
  const svf_node_record *node = parts->node + tree->first_node;
  name[0] = 1;
  for (uint32_t i = 0; i < tree->nodes; i++) {
    if (!node[i].right) continue;
    size_t centres = node[i].right == i + 1 ? node[i].count / 2 / parts->encoding->columns : 0;
    for (size_t k = 0; k < centres; k++) name[i + 1 + k] = svf_random_child(name[i], (int)k);
    if (centres) continue;
    name[i + 1] = svf_random_child(name[i], 0);
    name[node[i].right] = svf_random_child(name[i], 1);
  }
}

static svf_status name_leaves(fitting *f, svf_message *message) {
  const svf_parts *parts = &f->forest->parts;
  const svf_sketch *cuts = &f->rows->cuts->cuts;
  size_t fill = 0;
  for (size_t t = 0; t < parts->trees; t++) {
    const svf_tree_record *tree = &parts->tree[t];
    uint32_t leaf = (uint32_t)tree->first_leaf, end = leaf + tree->leaves;
    if (end > f->rows->first && leaf < f->rows->end) {
      uint64_t *name = malloc(tree->nodes * sizeof *name);
      if (!name) return svf_no_memory(message, "the leaves");
      name_nodes(parts, tree, name);
      for (uint32_t i = 0; i < tree->nodes; i++) {
        if (parts->node[tree->first_node + i].right) continue;
        if (leaf >= f->rows->first && leaf < f->rows->end) f->name[leaf - f->rows->first] = name[i];
        leaf++;
      }
      for (; fill < cuts->fillings && cuts->filling[fill].leaf < end; fill++)
        f->filling_name[fill] = name[cuts->filling[fill].node];
      free(name);
    } else
      while (fill < cuts->fillings && cuts->filling[fill].leaf < end) fill++;
  }
  return SVF_OK;
}

/* ---- one leaf ---- */

static const svf_tree_record *tree_of(const svf_parts *parts, uint32_t leaf) {
  size_t low = 0, high = parts->trees;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (parts->tree[middle].first_leaf <= leaf) low = middle;
    else high = middle;
  }
  return &parts->tree[low];
}

static const svf_filling *filling_of(const svf_sketch *cuts, uint32_t leaf) {
  size_t low = 0, high = cuts->fillings;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (cuts->filling[middle].leaf < leaf) low = middle + 1;
    else high = middle;
  }
  return low < cuts->fillings && cuts->filling[low].leaf == leaf ? &cuts->filling[low] : NULL;
}

/* The rows that the tree sees, and the others, from the arena. */
static bool draw(const fitting *f, const svf_frame *frame, uint32_t tree, svf_arena *arena, svf_site *site) {
  const svf_settings *settings = &f->forest->settings;
  uint32_t *count = SVF_TAKE(arena, uint32_t, frame->n);
  size_t all = 0;
  for (size_t i = 0; count && i < frame->n; i++) all += count[i] = svf_bag_count(settings, tree, frame->number[i]);
  site->rows = SVF_TAKE(arena, uint32_t, all);
  site->judges = SVF_TAKE(arena, uint32_t, frame->n);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < frame->n; i++) {
    for (uint32_t c = 0; c < count[i]; c++) site->rows[site->n++] = (uint32_t)i;
    if (!count[i]) site->judges[site->judge_count++] = (uint32_t)i;
  }
  return true;
}

static svf_ground ground_of(const fitting *f, const svf_frame *frame, uint32_t tree, svf_worker *worker) {
  const svf_forest *forest = f->forest;
  return (svf_ground){.frame = frame,
                      .settings = &forest->settings,
                      .la = forest->la,
                      .leaf = forest->kinds.leaf,
                      .metric = forest->metric.t ? &forest->metric : NULL,
                      .weight = (double)frame->n,
                      .tree = tree,
                      .min_leaf = (size_t)forest->settings.min_leaf,
                      .memory_limit = f->pool->run ? f->pool->run->memory_limit : 0,
                      .arena = &worker->arena,
                      .worker = worker};
}

/* What others answer for a leaf without rows. */
static svf_status fill(const fitting *f, uint32_t leaf, uint32_t tree, svf_worker *worker, svf_buffer *numbers,
                       svf_message *message) {
  const svf_sketch *cuts = &f->rows->cuts->cuts;
  const svf_filling *filling = filling_of(cuts, leaf);
  const svf_leaf *kind = f->forest->kinds.leaf;
  svf_frame frame;
  svf_site site = {0};
  if (filling) {
    site.name = f->filling_name[filling - cuts->filling];
    if (!svf_fit_rows_frame(f->rows, filling->first, filling->end, &f->columns, &worker->arena, &frame) ||
        !draw(f, &frame, tree, &worker->arena, &site))
      return svf_no_memory(message, "a leaf");
  }
  if (!site.n)
    return svf_fail(message, SVF_DATA, "tree %u: a leaf has no rows: these are not the rows that the cuts come from",
                    tree);
  svf_ground ground = ground_of(f, &frame, tree, worker);
  bool mean = ground.settings->vacancy == SVF_VACANCY_MEAN && kind->flat;
  return (mean ? kind->flat : kind->train)(&ground, &site, numbers, message);
}

/* How right the leaf is about the rows that its tree did not see. */
static bool judge(const fitting *f, const svf_frame *frame, const svf_site *site, const double *numbers,
                  svf_leaf_made *made, svf_arena *arena) {
  const svf_forest *forest = f->forest;
  size_t k = frame->k, n;
  svf_leaf_view view = {.numbers = numbers,
                        .length = made->length,
                        .d = frame->d,
                        .k = k,
                        .fill = forest->fill,
                        .la = forest->la,
                        .metric = forest->parts.metric};
  const float *row[TOGETHER];
  double *score = SVF_TAKE(arena, double, TOGETHER *k), lead;
  if (!score) return false;
  for (size_t first = 0; first < site->judge_count; first += n) {
    n = site->judge_count - first < TOGETHER ? site->judge_count - first : TOGETHER;
    for (size_t i = 0; i < n; i++) row[i] = frame->x + site->judges[first + i] * frame->stride;
    if (!forest->kinds.leaf->predict(&view, row, n, arena, score, NULL)) return false;
    for (size_t i = 0; i < n; i++) {
      size_t at = site->judges[first + i];
      double predicted = frame->label ? (double)svf_vote_top(k, score + i * k, &lead) : score[i],
             weight = svf_row_weight(frame->measure, at);
      made->judged += weight;
      made->outcome += weight * svf_row_outcome(frame->label, frame->value, at, predicted);
    }
  }
  return true;
}

/* precision=single: as they will be in the file; what is no float is left for the refusal. */
static void round_numbers(const svf_settings *settings, double *number, size_t count) {
  if (settings->precision != SVF_PRECISION_SINGLE) return;
  for (size_t i = 0; i < count; i++)
    if (isfinite((float)number[i])) number[i] = (float)number[i];
}

static svf_status fit_leaf(const fitting *f, uint32_t leaf, svf_worker *worker, svf_buffer *numbers,
                           svf_message *message) {
  svf_frame frame;
  uint32_t tree = tree_of(&f->forest->parts, leaf)->number;
  svf_site site = {.name = f->name[leaf - f->rows->first]};
  svf_leaf_made *made = &f->made[leaf - f->rows->first];
  size_t before = numbers->size;
  if (!svf_fit_rows_frame(f->rows, leaf, leaf + 1, &f->columns, &worker->arena, &frame) ||
      !draw(f, &frame, tree, &worker->arena, &site))
    return svf_no_memory(message, "a leaf");
  svf_ground ground = ground_of(f, &frame, tree, worker);
  if (site.n) SVF_TRY(f->forest->kinds.leaf->train(&ground, &site, numbers, message));
  else SVF_TRY(fill(f, leaf, tree, worker, numbers, message));
  if (numbers->failed) return svf_no_memory(message, "a leaf");
  double *number = (double *)(void *)(numbers->data + before);
  made->length = (uint32_t)((numbers->size - before) / sizeof *number);
  made->rows = (uint32_t)site.n;
  round_numbers(ground.settings, number, made->length);
  if (ground.settings->rows == SVF_ROWS_ALL) return SVF_OK;
  return judge(f, &frame, &site, number, made, &worker->arena) ? SVF_OK : svf_no_memory(message, "a leaf");
}

static svf_status fit_batch(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const fitting *f = context;
  batch *b = &f->batch[index];
  svf_status status = SVF_OK;
  for (uint32_t leaf = b->first; leaf < b->end && !status; leaf++) {
    if (svf_worker_stopped(worker)) return svf_fail(message, SVF_STOPPED, "stopped");
    svf_mark mark = svf_arena_mark(&worker->arena);
    status = fit_leaf(f, leaf, worker, &b->numbers, message);
    svf_arena_release(&worker->arena, mark);
  }
  return status;
}

/* ---- all of them ---- */

static bool make_batches(fitting *f) {
  uint32_t first = f->rows->first, end = f->rows->end;
  f->batch = calloc(end - first, sizeof *f->batch);
  if (!f->batch) return false;
  for (uint32_t leaf = first; leaf < end; leaf++) {
    size_t rows = svf_fit_rows_count(f->rows, leaf, leaf + 1);
    batch *last = f->batches ? &f->batch[f->batches - 1] : NULL;
    if (!last || last->rows + rows > BATCH_ROWS) *(last = &f->batch[f->batches++]) = (batch){.first = leaf};
    last->end = leaf + 1;
    last->rows += rows + 1;
  }
  return true;
}

static int largest_first(const void *left, const void *right) {
  const batch *a = left, *b = right;
  if (a->rows != b->rows) return a->rows < b->rows ? 1 : -1;
  return a->first < b->first ? -1 : 1;
}

static int by_leaf(const void *left, const void *right) {
  const batch *a = left, *b = right;
  return a->first < b->first ? -1 : a->first > b->first;
}

static svf_status run_batches(fitting *f, const svf_stage *span, svf_message *message) {
  double *cost = malloc((f->batches + 1) * sizeof *cost);
  if (!cost) return svf_no_memory(message, "the leaves");
  qsort(f->batch, f->batches, sizeof *f->batch, largest_first);
  for (size_t i = 0; i < f->batches; i++) cost[i] = (double)f->batch[i].rows;
  svf_stage stage = {span->phase, span->from, span->to, cost};
  f->pool->shared = true;
  svf_status status = svf_pool_run(f->pool, &stage, f->batches, fit_batch, f, message);
  f->pool->shared = false;
  qsort(f->batch, f->batches, sizeof *f->batch, by_leaf);
  free(cost);
  return status;
}

/* The numbers of all batches, into the part. */
static bool gather(fitting *f, svf_portion *leaves) {
  svf_made *made = &leaves->made;
  for (size_t i = 0; i < f->batches; i++) made->numbers += f->batch[i].numbers.size / sizeof(double);
  double *number = SVF_TAKE(&leaves->memory, double, made->numbers);
  if (!number) return false;
  made->number = number;
  for (size_t i = 0; i < f->batches; i++) {
    size_t size = f->batch[i].numbers.size;
    if (size) memcpy(number, f->batch[i].numbers.data, size);
    number += size / sizeof *number;
    svf_buffer_free(&f->batch[i].numbers);
  }
  return true;
}

static svf_status fit(fitting *f, const svf_stage *stage, svf_portion *leaves, svf_message *message) {
  size_t count = f->rows->end - f->rows->first;
  svf_arena *arena = &leaves->memory;
  f->made = SVF_ZERO(arena, svf_leaf_made, count);
  f->name = SVF_TAKE(arena, uint64_t, count);
  f->filling_name = SVF_TAKE(arena, uint64_t, f->rows->cuts->cuts.fillings);
  if (svf_arena_failed(arena) || !svf_frame_columns(&f->forest->encoding, arena, &f->columns) || !make_batches(f))
    return svf_no_memory(message, "the leaves");
  SVF_TRY(name_leaves(f, message));
  SVF_TRY(run_batches(f, stage, message));
  if (!gather(f, leaves)) return svf_no_memory(message, "the leaves");
  leaves->kind = SVF_PORTION_LEAVES;
  leaves->mark = f->rows->cuts->mark;
  leaves->first = f->rows->cells.first, leaves->cells = f->rows->cells.count;
  leaves->made.leaf = f->made, leaves->made.leaves = count;
  return SVF_OK;
}

svf_status svf_fit_cells(const svf_fit_rows *rows, const svf_stage *stage, svf_pool *pool, svf_portion *leaves,
                         svf_message *message) {
  fitting f = {.rows = rows, .forest = rows->cuts->cuts.forest, .pool = pool};
  svf_status status = fit(&f, stage, leaves, message);
  for (size_t i = 0; i < f.batches; i++) svf_buffer_free(&f.batch[i].numbers);
  free(f.batch);
  return status;
}
