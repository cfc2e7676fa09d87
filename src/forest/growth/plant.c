/* plant.c - a batch of trees. Where leaves are quick to train, a tree is one job from its rows to its records; else all
 * trees are grown, then the leaves of all of them are trained, largest first. */
#include "forest/growth/plant.h"

#include <math.h>
#include <stdlib.h>

typedef svf_leaf_task task;

typedef struct batch {
  svf_planting *planting;
  svf_sapling *sapling;
  size_t first; /* number in the forest of its first tree */
  task *tasks;
  size_t count;
} batch;

svf_ground svf_plant_ground(const svf_planting *p, svf_sapling *sapling, size_t number, svf_worker *worker) {
  return (svf_ground){.frame = sapling->frame ? sapling->frame : p->frame,
                      .settings = p->settings,
                      .la = p->la,
                      .leaf = p->kinds.leaf,
                      .prepared = p->prepared,
                      .shared = p->shared,
                      .metric = p->metric.t ? &p->metric : NULL,
                      .weight = sapling->weight,
                      .tree = (uint32_t)number,
                      .min_leaf = (size_t)p->settings->min_leaf,
                      .memory_limit = p->pool->run ? p->pool->run->memory_limit : 0,
                      .low = p->low,
                      .high = p->high,
                      .arena = &sapling->wood,
                      .worker = worker};
}

static svf_ground make_ground(const batch *b, size_t tree, svf_worker *worker) {
  return svf_plant_ground(b->planting, &b->sapling[tree], b->first + tree, worker);
}

static double bag_weight(const svf_frame *frame, const svf_bag *bag) {
  double sum = 0;
  if (!frame->weight) return (double)bag->n;
  for (size_t i = 0; i < bag->n; i++) sum += frame->weight[bag->rows[i]];
  return sum;
}

/* The leaf of a site; of an empty one, what its filler's rows say in its place. */
static svf_status train_site(const svf_ground *ground, const svf_leaf *kind, const svf_site *site,
                             svf_buffer *numbers, svf_message *message) {
  if (!site->filler) return kind->train(ground, site, numbers, message);
  bool mean = ground->settings->vacancy == SVF_VACANCY_MEAN;
  return (mean ? kind->flat : kind->train)(ground, site->filler, numbers, message);
}

/* Appends the numbers of a leaf: those that the pick trained, those of its task, or, where leaves are quick, trained here. */
static svf_status add_leaf(const svf_ground *ground, const svf_leaf *kind, const svf_site *site, const task *t,
                           svf_records *records, svf_message *message) {
  size_t first = records->number.size;
  svf_mark mark = svf_arena_mark(&ground->worker->arena);
  svf_status status = SVF_OK;
  if (site->ready.numbers) svf_buffer_add(&records->number, site->ready.numbers, site->ready.length * sizeof(double));
  else if (t) svf_buffer_add(&records->number, t->numbers.data, t->numbers.size);
  else status = train_site(ground, kind, site, &records->number, message);
  svf_arena_release(&ground->worker->arena, mark);
  svf_leaf_record leaf = {.first = first / sizeof(double),
                          .length = (uint32_t)((records->number.size - first) / sizeof(double)),
                          .rows = (uint32_t)site->n};
  svf_buffer_add(&records->leaf, &leaf, sizeof leaf);
  return status;
}

/* The sites of a finished tree are given back; where a tree is one job, to the thread's next: pages that were used once
 * need not be asked for again. */
static void clear_wood(svf_sapling *sapling, bool quick, svf_worker *worker) {
  if (quick && !worker->spare.first) {
    svf_arena_release(&sapling->wood, (svf_mark){0});
    worker->spare = sapling->wood;
    sapling->wood = (svf_arena){0};
  }
  svf_arena_free(&sapling->wood);
}

/* Under precision=single the file has floats: the tree is judged by them too. What is no float is left for the refusal. */
static void round_leaves(const svf_settings *settings, svf_buffer *numbers) {
  double *number = (double *)(void *)numbers->data;
  if (settings->precision != SVF_PRECISION_SINGLE) return;
  for (size_t i = 0; i < numbers->size / sizeof *number; i++)
    if (isfinite((float)number[i])) number[i] = (float)number[i];
}

/* Makes the records of one tree; its sites are given back. next: its first task, NULL where leaves are quick. */
static svf_status record_tree(const batch *b, size_t tree, const task *next, svf_worker *worker,
                              svf_message *message) {
  svf_sapling *sapling = &b->sapling[tree];
  svf_ground ground = make_ground(b, tree, worker);
  svf_tree_record record = {.leaves = (uint32_t)sapling->leaves,
                            .number = ground.tree,
                            .weight = 1,
                            .oob = NAN,
                            .nodes = (uint32_t)sapling->nodes};
  uint32_t leaf = 0;
  svf_records_expect(&sapling->records, sapling->nodes, sapling->leaves);
  for (const svf_site *site = sapling->root; site; site = svf_site_next(site)) {
    if (!site->child[0])
      SVF_TRY(
          add_leaf(&ground, b->planting->kinds.leaf, site, next ? next + leaf : NULL, &sapling->records, message));
    svf_records_add_node(&sapling->records, site, &leaf);
    if (site->depth > record.depth) record.depth = (uint32_t)site->depth;
  }
  round_leaves(ground.settings, &sapling->records.number);
  svf_buffer_add(&sapling->records.tree, &record, sizeof record);
  if (sapling->correction && !svf_correct(&ground, b->planting->kinds.leaf, sapling))
    return svf_no_memory(message, "a tree");
  clear_wood(sapling, !next, worker);
  return svf_records_failed(&sapling->records) ? svf_no_memory(message, "a tree") : SVF_OK;
}

static svf_status grow_tree(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const batch *b = context;
  svf_sapling *sapling = &b->sapling[index];
  svf_ground ground = make_ground(b, index, worker);
  ground.arena = &sapling->arena;
  sapling->bag = svf_bag_draw(&ground);
  if (ground.arena->failed) return svf_no_memory(message, "a tree");
  svf_held held = {0};
  if (ground.settings->prune > 0) held = svf_hold_out(&ground, &sapling->bag);
  if (ground.arena->failed) return svf_no_memory(message, "a tree");
  sapling->wood = worker->spare;
  worker->spare = (svf_arena){0};
  ground.arena = &sapling->wood;
  ground.weight = sapling->weight = bag_weight(ground.frame, &sapling->bag);
  double wanted = ceil(ground.settings->min_leaf_factor * sqrt((double)sapling->bag.n));
  if (wanted > (double)ground.min_leaf) ground.min_leaf = (size_t)wanted;
  svf_message why = {""};
  ground.message = &why;
  sapling->root = svf_grow(&ground, &b->planting->kinds, &sapling->bag);
  if (!sapling->root) {
    if (atomic_load(worker->stop)) return svf_fail(message, SVF_STOPPED, "stopped");
    return why.text[0] ? svf_fail(message, SVF_MEMORY, "%s", why.text) : svf_no_memory(message, "a tree");
  }
  if (held.n) SVF_TRY(svf_prune(&ground, b->planting->kinds.leaf, sapling->root, held, message));
  for (svf_site *site = sapling->root; site; site = svf_site_next(site)) {
    site->number = (uint32_t)sapling->nodes++;
    sapling->leaves += !site->child[0];
  }
  if (!svf_gains_add(&ground, sapling->root, svf_encoding_all(b->planting->encoding), &sapling->records.gain))
    return svf_no_memory(message, "a tree");
  return b->planting->kinds.leaf->quick ? record_tree(b, index, NULL, worker, message) : SVF_OK;
}

svf_status svf_plant_grow(svf_planting *planting, svf_sapling *sapling, size_t number, size_t count,
                          const svf_stage *stage, svf_message *message) {
  batch b = {.planting = planting, .sapling = sapling, .first = number};
  planting->pool->shared =
      planting->kinds.pick->best || planting->kinds.cut->shares; /* nodes or cells are shared out */
  svf_status status = svf_pool_run(planting->pool, stage, count, grow_tree, &b, message);
  planting->pool->shared = false;
  return status;
}

static svf_status train_leaf(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const batch *b = context;
  task *t = &b->tasks[index];
  if (t->site->ready.numbers) return SVF_OK;
  svf_ground ground = make_ground(b, t->tree, worker);
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_status status = train_site(&ground, b->planting->kinds.leaf, t->site, &t->numbers, message);
  svf_arena_release(&worker->arena, mark);
  return status;
}

static int by_size(const void *left, const void *right) {
  const task *a = left, *b = right;
  if (a->site->n != b->site->n) return a->site->n < b->site->n ? 1 : -1;
  if (a->tree != b->tree) return a->tree < b->tree ? -1 : 1;
  return a->site->number < b->site->number ? -1 : 1;
}

static int by_place(const void *left, const void *right) {
  const task *a = left, *b = right;
  if (a->tree != b->tree) return a->tree < b->tree ? -1 : 1;
  return a->site->number < b->site->number ? -1 : a->site->number > b->site->number;
}

static bool list_tasks(batch *b, size_t trees) {
  size_t leaves = 0;
  for (size_t t = 0; t < trees; t++) leaves += b->sapling[t].leaves;
  b->tasks = calloc(leaves, sizeof *b->tasks);
  if (!b->tasks) return false;
  for (size_t t = 0; t < trees; t++)
    for (svf_site *site = b->sapling[t].root; site; site = svf_site_next(site))
      if (!site->child[0]) b->tasks[b->count++] = (task){.tree = t, .site = site};
  return true;
}

/* So large a part of a large table that two such leaves at once would need more memory than the table itself. */
static bool huge(const batch *b, const svf_site *site) {
  enum { MANY = 1 << 22 }; /* numbers */
  const svf_frame *frame = b->planting->frame;
  return b->planting->kinds.leaf->shares && site->n >= MANY / frame->d && (double)site->n > .4 * (double)frame->n;
}

/* Leaves first..end-1; stage->cost: of all. */
static svf_status train_some(const batch *b, const svf_stage *stage, size_t first, size_t end, svf_message *message) {
  double all = 0, before = 0, after = 0, scale;
  for (size_t i = 0; i < b->count; i++) {
    all += stage->cost[i];
    if (i < first) before += stage->cost[i];
    if (i < end) after += stage->cost[i];
  }
  scale = (stage->to - stage->from) / all;
  svf_stage part = {stage->phase, stage->from + scale * before, stage->from + scale * after, stage->cost + first};
  batch some = *b;
  some.tasks += first;
  return svf_pool_run(b->planting->pool, &part, end - first, train_leaf, &some, message);
}

/* Largest first, so that no thread ends with the largest leaf alone. */
static svf_status train_leaves(batch *b, const svf_stage *stage, svf_message *message) {
  double *cost = malloc(b->count * sizeof *cost);
  if (!cost) return svf_no_memory(message, "the leaves");
  qsort(b->tasks, b->count, sizeof *b->tasks, by_size);
  for (size_t i = 0; i < b->count; i++) cost[i] = (double)b->tasks[i].site->n;
  svf_stage costly = {stage->phase, stage->from, stage->to, cost};
  svf_status status = SVF_OK;
  size_t first = 0;
  b->planting->pool->shared = true; /* one large leaf keeps all threads busy */
  for (; first < b->count && status == SVF_OK && huge(b, b->tasks[first].site); first++)
    status = train_some(b, &costly, first, first + 1, message);
  if (first) svf_pool_trim(b->planting->pool); /* one thread had them all, and keeps what the largest needed */
  if (status == SVF_OK && first < b->count) status = train_some(b, &costly, first, b->count, message);
  b->planting->pool->shared = false;
  free(cost);
  qsort(b->tasks, b->count, sizeof *b->tasks, by_place);
  return status;
}

/* All leaves of the batch as jobs, then the records of its trees. */
static svf_status train_and_record(batch *b, size_t count, const svf_stage *stage, svf_message *message) {
  if (!list_tasks(b, count)) return svf_no_memory(message, "the leaves");
  if (b->planting->kinds.pick->leaves)
    SVF_TRY(svf_draft_leaves(b->planting, b->sapling, b->first, b->tasks, b->count, stage, message));
  else SVF_TRY(train_leaves(b, stage, message));
  const task *next = b->tasks;
  for (size_t t = 0; t < count; next += b->sapling[t++].leaves)
    SVF_TRY(record_tree(b, t, next, &b->planting->pool->worker[0], message));
  return SVF_OK;
}

static svf_status append_all(const batch *b, size_t count, svf_message *message) {
  svf_records *all = &b->planting->records;
  if (!all->tree.size) svf_records_reserve(all, b->sapling, count); /* often all trees are one batch */
  for (size_t t = 0; t < count; t++) {
    if ((all->term.size + b->sapling[t].records.term.size) / sizeof(svf_term) > UINT32_MAX / 2)
      return svf_fail(message, SVF_MEMORY, "the forest has too many nodes for one model file");
    svf_records_append(all, &b->sapling[t].records);
  }
  return svf_records_failed(all) ? svf_no_memory(message, "the forest") : SVF_OK;
}

svf_status svf_plant(svf_planting *planting, svf_sapling *sapling, size_t first, size_t count, svf_message *message) {
  batch b = {.planting = planting, .sapling = sapling, .first = (size_t)planting->settings->first_tree + first};
  bool quick = planting->kinds.leaf->quick;
  const svf_span *span = &planting->span;
  double each = (span->to - span->from) / (double)span->trees;
  double from = span->from + each * (double)first, to = from + each * (double)count;
  bool trains = planting->kinds.pick->best != NULL; /* most of the work is then done at the nodes */
  double middle = quick ? to : from + (trains ? .9 : .1) * (to - from);
  svf_stage grow = {span->phase ? span->phase : "grow", from, middle, NULL}, leaves = {"leaves", middle, to, NULL};
  svf_status status = svf_plant_grow(planting, sapling, b.first, count, &grow, message);
  if (!quick) svf_pool_trim(planting->pool); /* what leaves need is of another size */
  if (status == SVF_OK && !quick) status = train_and_record(&b, count, &leaves, message);
  if (status == SVF_OK) status = append_all(&b, count, message);
  planting->done = to;
  for (size_t i = 0; i < b.count; i++) svf_buffer_free(&b.tasks[i].numbers);
  free(b.tasks);
  return status;
}

void svf_sapling_free(svf_sapling *sapling) {
  svf_arena_free(&sapling->arena);
  svf_arena_free(&sapling->wood);
  svf_records_free(&sapling->records);
  *sapling = (svf_sapling){0};
}
