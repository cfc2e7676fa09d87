/* prune.c - reduced-error pruning of a grown tree (Quinlan, Simplifying decision trees, 1987).
 *
 * Some rows of the tree are held out before it grows. Afterwards, from the bottom up, a node is made a leaf where the leaf
 * that it would be, trained on the node's own rows, errs no more on the held-out rows that reach it than the leaves below
 * it do together. The error is the weight of the rows with a wrong class, or the weighted sum of squares. So a machine
 * is trained for every node, not only for the leaves: that is what pruning costs. The held-out rows stay out of the
 * leaves. */
#include "forest/growth/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "vote/vote.h"

svf_held svf_hold_out(const svf_ground *ground, svf_bag *bag) {
  svf_held held = {SVF_TAKE(ground->arena, uint32_t, bag->n), 0};
  size_t distinct = 0, kept = 0, taken = 0, seen = 0;
  if (!held.rows) return held;
  for (size_t i = 0; i < bag->n; i++) distinct += !i || bag->rows[i] != bag->rows[i - 1];
  size_t wanted = (size_t)(ground->settings->prune * (double)distinct);
  svf_random random = svf_random_at((svf_place){(uint64_t)ground->settings->seed, SVF_USE_PRUNE, ground->tree, 0, 0});
  bool out = false;
  for (size_t i = 0; i < bag->n; i++) {
    uint32_t row = bag->rows[i];
    if (!i || row != bag->rows[i - 1]) { /* rows ascend: repeats stand together */
      out = svf_random_below(&random, distinct - seen++) < wanted - taken;
      taken += out;
    }
    if (out) held.rows[held.n++] = row;
    else bag->rows[kept++] = row;
  }
  bag->n = kept;
  return held;
}

/* A tree being pruned. */
typedef struct pruning {
  const svf_ground *ground;
  const svf_leaf *leaf;
  uint32_t *held; /* grouped by node, as the rows of sites are */
  struct reach {
    size_t from, n; /* its held-out rows */
    double error;   /* of the leaves below it, or its own */
  } * node;         /* by number in preorder */
  svf_site **site;  /* by number */
  size_t count;
  uint32_t *spare;
} pruning;

/* Deals the held-out rows of a node to its children. */
static void deal(const pruning *p, const svf_site *site) {
  const svf_frame *frame = p->ground->frame;
  const svf_plane *plane = &site->plane;
  struct reach *here = &p->node[site->number];
  uint32_t *rows = p->held + here->from;
  size_t left = 0, right = 0;
  for (size_t i = 0; i < here->n; i++) {
    int side = svf_plane_side(plane->term, plane->count, plane->threshold, frame->x + rows[i] * frame->stride);
    if (side < 0) side = plane->missing_left ? 0 : 1;
    if (side) p->spare[right++] = rows[i];
    else rows[left++] = rows[i];
  }
  memcpy(rows + left, p->spare, right * sizeof *rows);
  p->node[site->child[0]->number] = (struct reach){here->from, left, 0};
  p->node[site->child[1]->number] = (struct reach){here->from + left, right, 0};
}

static double error_of(const svf_frame *frame, size_t row, const double *score) {
  double weight = frame->weight ? frame->weight[row] : 1, lead;
  if (frame->label) return svf_vote_top(frame->k, score, &lead) == (size_t)frame->label[row] ? 0 : weight;
  double off = score[0] - frame->value[row];
  return weight * off * off;
}

static int by_number(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* What the trained leaf says of held-out rows: their error. NaN: memory ran out. */
static double ask(const pruning *p, const svf_buffer *numbers, const struct reach *reach) {
  const svf_frame *frame = p->ground->frame;
  svf_arena *scratch = &p->ground->worker->arena;
  const float **row = SVF_TAKE(scratch, const float *, reach->n);
  double *score = SVF_TAKE(scratch, double, reach->n * frame->k), sum = 0;
  double *share = SVF_TAKE(scratch, double, reach->n * frame->k);
  if (svf_arena_failed(scratch)) return NAN;
  for (size_t i = 0; i < reach->n; i++) row[i] = frame->x + p->held[reach->from + i] * frame->stride;
  svf_leaf_view view = {.numbers = (const double *)(const void *)numbers->data,
                        .length = numbers->size / sizeof(double),
                        .d = frame->d,
                        .k = frame->k,
                        .fill = frame->fill,
                        .la = p->ground->la,
                        .metric = p->ground->metric};
  if (!p->leaf->predict(&view, row, reach->n, scratch, score, share)) return NAN;
  for (size_t i = 0; i < reach->n; i++) sum += error_of(frame, p->held[reach->from + i], score + i * frame->k);
  return sum;
}

/* The error of the node as a leaf, trained on its rows in the order they had before it was cut. */
static svf_status leaf_error(const pruning *p, const svf_site *site, double *error, svf_message *message) {
  svf_arena *scratch = &p->ground->worker->arena;
  const struct reach *reach = &p->node[site->number];
  *error = 0;
  if (reach->n == 0) return SVF_OK;
  svf_mark mark = svf_arena_mark(scratch);
  svf_site probe = *site;
  svf_buffer numbers = {0};
  probe.rows = SVF_TAKE(scratch, uint32_t, site->n);
  svf_status status = probe.rows ? SVF_OK : svf_no_memory(message, "pruning");
  if (status == SVF_OK) {
    memcpy(probe.rows, site->rows, site->n * sizeof *probe.rows);
    qsort(probe.rows, probe.n, sizeof *probe.rows, by_number);
    status = p->leaf->train(p->ground, &probe, &numbers, message);
  }
  if (status == SVF_OK) *error = ask(p, &numbers, reach);
  if (status == SVF_OK && isnan(*error)) status = svf_no_memory(message, "pruning");
  svf_arena_release(scratch, mark);
  svf_buffer_free(&numbers);
  return status;
}

static svf_status prune_site(const pruning *p, svf_site *site, svf_message *message) {
  double own, below = 0;
  bool leaf = !site->child[0];
  for (int side = 0; !leaf && side < 2; side++) below += p->node[site->child[side]->number].error;
  SVF_TRY(leaf_error(p, site, &own, message));
  if (!leaf && own <= below) {
    qsort(site->rows, site->n, sizeof *site->rows, by_number);
    site->child[0] = site->child[1] = NULL;
    site->plane = (svf_plane){0};
    leaf = true;
  }
  p->node[site->number].error = leaf ? own : below;
  return SVF_OK;
}

static bool open_pruning(pruning *p, svf_site *root, svf_held held) {
  svf_arena *scratch = &p->ground->worker->arena;
  for (svf_site *site = root; site; site = svf_site_next(site)) site->number = (uint32_t)p->count++;
  p->site = SVF_TAKE(scratch, svf_site *, p->count);
  p->node = (struct reach *)svf_arena_take(scratch, p->count, sizeof *p->node);
  p->spare = SVF_TAKE(scratch, uint32_t, held.n);
  if (svf_arena_failed(scratch)) return false;
  p->node[0] = (struct reach){0, held.n, 0};
  for (svf_site *site = root; site; site = svf_site_next(site)) {
    p->site[site->number] = site;
    if (site->child[0]) deal(p, site);
  }
  return true;
}

svf_status svf_prune(const svf_ground *ground, const svf_leaf *leaf, svf_site *root, svf_held held,
                     svf_message *message) {
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  pruning p = {.ground = ground, .leaf = leaf, .held = held.rows};
  svf_status status = open_pruning(&p, root, held) ? SVF_OK : svf_no_memory(message, "pruning");
  for (size_t i = p.count; i-- > 0 && status == SVF_OK;) status = prune_site(&p, p.site[i], message);
  svf_arena_release(scratch, mark);
  return status;
}
