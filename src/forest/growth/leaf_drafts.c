/* leaf_drafts.c - leaves under a pick that chooses among candidates: every leaf drafts all of them, the pick takes one for
 * each leaf of a tree, and the leaf finishes that one. */
#include "forest/growth/plant.h"

#include <stdlib.h>

typedef struct choosing {
  svf_planting *planting;
  svf_sapling *sapling;
  size_t first; /* number of the first tree */
  svf_leaf_task *task;
  size_t drafts;
} choosing;

static svf_status draft_leaf(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const choosing *c = context;
  svf_leaf_task *t = &c->task[index];
  svf_ground ground = svf_plant_ground(c->planting, &c->sapling[t->tree], c->first + t->tree, worker);
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_status status = c->planting->kinds.leaf->draft(&ground, t->site, t->draft, message);
  svf_arena_release(&worker->arena, mark);
  return status;
}

static svf_status finish_leaf(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const choosing *c = context;
  svf_leaf_task *t = &c->task[index];
  svf_ground ground = svf_plant_ground(c->planting, &c->sapling[t->tree], c->first + t->tree, worker);
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_status status = c->planting->kinds.leaf->finish(&ground, t->site, &t->numbers, message);
  svf_arena_release(&worker->arena, mark);
  return status;
}

static double weight_of(const svf_frame *frame, const svf_site *site) {
  double sum = 0;
  for (size_t i = 0; i < site->n; i++) sum += frame->weight ? frame->weight[site->rows[i]] : 1;
  return sum;
}

/* One tree: its leaves' tasks stand in preorder. */
static bool pick_tree(const choosing *c, svf_leaf_task *task, size_t count) {
  svf_leaf_case *leaf = calloc(count, sizeof *leaf);
  if (!leaf) return false;
  svf_planting *p = c->planting;
  svf_ground ground = svf_plant_ground(p, &c->sapling[task->tree], c->first + task->tree, &p->pool->worker[0]);
  for (size_t i = 0; i < count; i++)
    leaf[i] = (svf_leaf_case){task[i].site, weight_of(p->frame, task[i].site), task[i].draft, c->drafts, 0};
  p->kinds.pick->leaves(&ground, leaf, count);
  for (size_t i = 0; i < count; i++) {
    svf_draft *taken = &task[i].draft[leaf[i].taken];
    task[i].numbers = taken->numbers;
    taken->numbers = (svf_buffer){0};
  }
  free(leaf);
  return true;
}

static svf_status pick_all(const choosing *c, size_t count, svf_message *message) {
  for (size_t i = 0; i < count; i += c->sapling[c->task[i].tree].leaves)
    if (!pick_tree(c, &c->task[i], c->sapling[c->task[i].tree].leaves)) return svf_no_memory(message, "the leaves");
  return SVF_OK;
}

svf_status svf_draft_leaves(svf_planting *planting, svf_sapling *sapling, size_t first, svf_leaf_task *task,
                            size_t count, const svf_stage *stage, svf_message *message) {
  choosing c = {planting, sapling, first, task, planting->kinds.leaf->drafts(planting->settings)};
  svf_draft *draft = calloc(count * c.drafts, sizeof *draft);
  if (!draft) return svf_no_memory(message, "the leaves");
  for (size_t i = 0; i < count; i++) task[i].draft = draft + i * c.drafts;
  double middle = stage->from + .7 * (stage->to - stage->from);
  svf_stage drafting = {stage->phase, stage->from, middle, NULL}, finishing = {stage->phase, middle, stage->to, NULL};
  planting->pool->shared = true;
  svf_status status = svf_pool_run(planting->pool, &drafting, count, draft_leaf, &c, message);
  if (status == SVF_OK) status = pick_all(&c, count, message);
  for (size_t i = 0; i < count * c.drafts; i++) svf_buffer_free(&draft[i].numbers);
  free(draft);
  if (status == SVF_OK && planting->kinds.leaf->finish)
    status = svf_pool_run(planting->pool, &finishing, count, finish_leaf, &c, message);
  planting->pool->shared = false;
  return status;
}
