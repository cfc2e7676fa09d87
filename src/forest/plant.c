/* plant.c - a batch of trees: all are grown, then the leaves of all of them are trained, largest first. */
#include "forest/plant.h"

#include <math.h>
#include <stdlib.h>

/* A leaf to be trained. */
typedef struct task {
  size_t tree; /* position in the batch */
  const svf_site *site;
  svf_buffer numbers;
} task;

typedef struct batch {
  svf_planting *planting;
  svf_sapling *sapling;
  size_t first; /* position in this run of its first tree */
  task *tasks;
  size_t count;
} batch;

static svf_ground make_ground(const batch *b, size_t tree, svf_worker *worker) {
  const svf_planting *p = b->planting;
  return (svf_ground){.frame = p->frame,
                      .settings = p->settings,
                      .la = p->la,
                      .tree = (uint32_t)((size_t)p->settings->first_tree + b->first + tree),
                      .min_leaf = (size_t)p->settings->min_leaf,
                      .memory_limit = p->pool->run ? p->pool->run->memory_limit : 0,
                      .low = p->low,
                      .high = p->high,
                      .arena = &b->sapling[tree].arena,
                      .worker = worker};
}

static svf_status grow_tree(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const batch *b = context;
  svf_sapling *sapling = &b->sapling[index];
  svf_ground ground = make_ground(b, index, worker);
  sapling->bag = svf_bag_draw(&ground);
  if (ground.arena->failed) return svf_no_memory(message, "a tree");
  double wanted = ceil(ground.settings->min_leaf_factor * sqrt((double)sapling->bag.n));
  if (wanted > (double)ground.min_leaf) ground.min_leaf = (size_t)wanted;
  sapling->root = svf_grow(&ground, &b->planting->kinds, &sapling->bag);
  if (!sapling->root) {
    if (atomic_load(worker->stop)) return svf_fail(message, SVF_STOPPED, "stopped");
    return svf_no_memory(message, "a tree");
  }
  uint32_t number = 0;
  for (svf_site *site = sapling->root; site; site = svf_site_next(site)) {
    site->number = number++;
    sapling->leaves += !site->child[0];
  }
  return SVF_OK;
}

static svf_status train_leaf(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const batch *b = context;
  task *t = &b->tasks[index];
  svf_ground ground = make_ground(b, t->tree, worker);
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_status status = b->planting->kinds.leaf->train(&ground, t->site, &t->numbers, message);
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

static svf_status train_leaves(batch *b, const svf_stage *stage, svf_message *message) {
  double *cost = malloc(b->count * sizeof *cost);
  if (!cost) return svf_no_memory(message, "the leaves");
  qsort(b->tasks, b->count, sizeof *b->tasks, by_size); /* no thread ends with the largest leaf alone */
  for (size_t i = 0; i < b->count; i++) cost[i] = (double)b->tasks[i].site->n;
  svf_stage costly = {stage->phase, stage->from, stage->to, cost};
  b->planting->pool->shared = true; /* one large leaf keeps all threads busy */
  svf_status status = svf_pool_run(b->planting->pool, &costly, b->count, train_leaf, b, message);
  b->planting->pool->shared = false;
  free(cost);
  qsort(b->tasks, b->count, sizeof *b->tasks, by_place);
  return status;
}

static void add_node(const svf_site *site, uint32_t *leaf, svf_records *records) {
  svf_node_record node = {.right = 0, .first = *leaf};
  if (site->child[0]) {
    node.right = site->child[1]->number;
    node.first = (uint32_t)(records->term.size / sizeof(svf_term));
    node.count = (uint32_t)(2 * site->plane.count + site->plane.missing_left);
    node.threshold = site->plane.threshold;
    svf_buffer_add(&records->term, site->plane.term, site->plane.count * sizeof(svf_term));
  } else {
    ++*leaf;
  }
  svf_buffer_add(&records->node, &node, sizeof node);
}

static void add_leaf(const task *t, svf_records *records) {
  svf_leaf_record leaf = {.first = records->number.size / sizeof(double),
                          .length = (uint32_t)(t->numbers.size / sizeof(double)),
                          .rows = (uint32_t)t->site->n};
  svf_buffer_add(&records->leaf, &leaf, sizeof leaf);
  svf_buffer_add(&records->number, t->numbers.data, t->numbers.size);
}

/* Appends the records of one tree; `next` is its first task. Returns the task after its last. */
static const task *add_tree(const batch *b, size_t tree, const task *next) {
  svf_records *records = &b->planting->records;
  svf_tree_record record = {
      .first_node = records->node.size / sizeof(svf_node_record),
      .first_leaf = records->leaf.size / sizeof(svf_leaf_record),
      .leaves = (uint32_t)b->sapling[tree].leaves,
      .number = (uint32_t)((size_t)b->planting->settings->first_tree + b->first + tree),
      .weight = 1,
      .oob = NAN,
  };
  uint32_t leaf = 0;
  for (const svf_site *site = b->sapling[tree].root; site; site = svf_site_next(site)) {
    add_node(site, &leaf, records);
    if (!site->child[0]) add_leaf(next++, records);
    if (site->depth > record.depth) record.depth = (uint32_t)site->depth;
    record.nodes++;
  }
  svf_buffer_add(&records->tree, &record, sizeof record);
  return next;
}

static svf_status add_trees(const batch *b, size_t count, svf_message *message) {
  const svf_records *r = &b->planting->records;
  const task *next = b->tasks;
  for (size_t t = 0; t < count; t++) next = add_tree(b, t, next);
  bool failed = r->tree.failed || r->node.failed || r->term.failed || r->leaf.failed || r->number.failed;
  if (r->term.size / sizeof(svf_term) > UINT32_MAX / 2)
    return svf_fail(message, SVF_MEMORY, "the forest has too many nodes for one model file");
  return failed ? svf_no_memory(message, "the forest") : SVF_OK;
}

svf_status svf_plant(svf_planting *planting, svf_sapling *sapling, size_t first, size_t count, svf_message *message) {
  batch b = {.planting = planting, .sapling = sapling, .first = first};
  double all = (double)planting->settings->trees, from = (double)first / all, to = (double)(first + count) / all;
  double middle = from + .1 * (to - from);
  svf_stage grow = {"grow", from, middle, NULL}, leaves = {"leaves", middle, to, NULL};
  svf_status status = svf_pool_run(planting->pool, &grow, count, grow_tree, &b, message);
  if (status == SVF_OK && !list_tasks(&b, count)) status = svf_no_memory(message, "the leaves");
  if (status == SVF_OK) status = train_leaves(&b, &leaves, message);
  if (status == SVF_OK) status = add_trees(&b, count, message);
  planting->done = to;
  for (size_t i = 0; i < b.count; i++) svf_buffer_free(&b.tasks[i].numbers);
  free(b.tasks);
  return status;
}

svf_parts svf_records_parts(const svf_planting *planting) {
  const svf_records *r = &planting->records;
  return (svf_parts){
      .settings = planting->settings,
      .encoding = planting->encoding,
      .rows = planting->frame->n,
      .tree = (const svf_tree_record *)r->tree.data,
      .node = (const svf_node_record *)r->node.data,
      .term = (const svf_term *)r->term.data,
      .leaf = (const svf_leaf_record *)r->leaf.data,
      .number = (const double *)r->number.data,
      .trees = r->tree.size / sizeof(svf_tree_record),
      .nodes = r->node.size / sizeof(svf_node_record),
      .terms = r->term.size / sizeof(svf_term),
      .leaves = r->leaf.size / sizeof(svf_leaf_record),
      .numbers = r->number.size / sizeof(double),
  };
}

void svf_records_free(svf_records *records) {
  svf_buffer_free(&records->tree);
  svf_buffer_free(&records->node);
  svf_buffer_free(&records->term);
  svf_buffer_free(&records->leaf);
  svf_buffer_free(&records->number);
}
