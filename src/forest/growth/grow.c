/* grow.c - one tree: take an open site, let the cut propose, let the pick choose, divide the rows. */
#include "forest/growth/best_first.h"

#include <string.h>

/* Sites that may still be cut. */
typedef struct open_list {
  svf_site **site;
  size_t count, room;
} open_list;

static bool push(open_list *open, svf_site *site, svf_arena *arena) {
  if (open->count == open->room) {
    size_t room = 2 * open->room + 64;
    svf_site **grown = SVF_TAKE(arena, svf_site *, room);
    if (!grown) return false;
    if (open->count) memcpy(grown, open->site, open->count * sizeof *grown);
    open->site = grown;
    open->room = room;
  }
  open->site[open->count++] = site;
  return true;
}

static svf_site *take(open_list *open, const svf_cut *cut, const svf_ground *ground) {
  size_t chosen = cut->next ? cut->next(ground, open->site, open->count) : open->count - 1;
  svf_site *site = open->site[chosen];
  memmove(open->site + chosen, open->site + chosen + 1, (open->count - chosen - 1) * sizeof *open->site);
  open->count--;
  return site;
}

/* A site of one class or one value has nothing to divide: every kind of leaf would say the same on both sides.
 * Rows are looked at up to the first that differs; over a tree that is one look at each row of a pure leaf. */
bool svf_site_pure(const svf_frame *frame, const svf_site *site) {
  const uint32_t *rows = site->rows;
  size_t i = 1;
  if (frame->label)
    while (i < site->n && frame->label[rows[i]] == frame->label[rows[0]]) i++;
  else
    while (i < site->n && frame->value[rows[i]] == frame->value[rows[0]]) i++;
  return i >= site->n;
}

/* All candidates of a cut that has no list of its own, in scratch. */
static svf_planes ask_all(const svf_ground *ground, const svf_cut *cut, const svf_site *site) {
  svf_arena *scratch = &ground->worker->arena;
  svf_planes planes = {0};
  size_t room = 0;
  svf_plane plane = {0};
  for (; cut->propose(ground, site, planes.count, &plane) && !ground->arena->failed; plane = (svf_plane){0}) {
    if (svf_worker_stopped(ground->worker)) break;
    if (planes.count == room) {
      svf_plane *grown = SVF_TAKE(scratch, svf_plane, room = 2 * room + 64);
      if (!grown) return ground->arena->failed = true, planes;
      if (planes.count) memcpy(grown, planes.item, planes.count * sizeof *grown);
      planes.item = grown;
    }
    planes.item[planes.count++] = plane;
  }
  return planes;
}

/* The number of the candidate that the pick finds best and better than nothing; planes->count: none. */
static size_t pick_one(const svf_ground *ground, const svf_pick *pick, svf_site *site, const svf_planes *planes,
                       svf_ready ready[2]) {
  if (pick->best) return pick->best(ground, site, planes, ready);
  size_t best = planes->count;
  double most = 0;
  for (size_t i = 0; i < planes->count && !ground->arena->failed && !svf_worker_stopped(ground->worker); i++) {
    double worth = pick->node(ground, site, &planes->item[i]);
    if (worth > most) most = worth, best = i;
  }
  return best;
}

/* The cut's own proposal, or under a pick the candidate it chooses. */
static bool choose(const svf_ground *ground, const svf_kinds *kinds, svf_site *site, svf_ready ready[2]) {
  if (!kinds->pick->node && !kinds->pick->best) {
    site->right = SVF_TAKE(&ground->worker->arena, unsigned char, site->n);
    if (!site->right) ground->arena->failed = true;
    return !ground->arena->failed && kinds->cut->propose(ground, site, 0, &site->plane);
  }
  svf_mark mark = svf_arena_mark(&ground->worker->arena);
  bool listed = kinds->cut->candidates != NULL;
  svf_planes planes = listed ? kinds->cut->candidates(ground, site) : ask_all(ground, kinds->cut, site);
  size_t best = planes.count;
  if (!ground->arena->failed) best = pick_one(ground, kinds->pick, site, &planes, ready);
  bool found = best < planes.count;
  if (found && listed) svf_plane_copy(&planes.item[best], ground->arena, &site->plane);
  else if (found) site->plane = planes.item[best]; /* terms of a proposal stay where they are */
  svf_arena_release(&ground->worker->arena, mark);
  return found && !ground->arena->failed;
}

/* Room to divide a list of rows in. */
typedef struct table_top {
  unsigned char *right;
  uint32_t *spare;
} table_top;

static void find_sides(const svf_ground *ground, const svf_cut *cut, const svf_plane *plane, const uint32_t *rows,
                       size_t n, unsigned char *right) {
  if (cut->sides) cut->sides(ground, plane, rows, n, right);
  else svf_plane_sides(ground->frame, plane, rows, n, right);
}

/* Divides a list of rows in place by their sides, order kept: the left ones first. Returns how many went left. */
static size_t deal(uint32_t *rows, size_t n, const table_top *top) {
  size_t left = 0, right = 0;
  for (size_t i = 0; i < n; i++) { /* without a branch: sides are as good as random */
    uint32_t row = rows[i];
    rows[left] = row;
    top->spare[right] = row;
    right += top->right[i];
    left += !top->right[i];
  }
  if (right) memcpy(rows + left, top->spare, right * sizeof *rows);
  return left;
}

/* Children take over the row lists of their parent. */
static bool divide_in_place(const svf_ground *ground, const svf_cut *cut, const svf_site *site, svf_site *child) {
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  size_t most = site->n > site->judge_count ? site->n : site->judge_count;
  table_top top = {SVF_TAKE(scratch, unsigned char, most), SVF_TAKE(scratch, uint32_t, most)};
  bool fine = top.right && top.spare;
  if (fine) {
    if (site->plane.noted) memcpy(top.right, site->right, site->n);
    else find_sides(ground, cut, &site->plane, site->rows, site->n, top.right);
    size_t left = deal(site->rows, site->n, &top);
    find_sides(ground, cut, &site->plane, site->judges, site->judge_count, top.right);
    size_t judges = deal(site->judges, site->judge_count, &top);
    for (int side = 0; side < 2; side++) {
      child[side].rows = site->rows + (side ? left : 0);
      child[side].n = side ? site->n - left : left;
      if (site->judges) child[side].judges = site->judges + (side ? judges : 0);
      child[side].judge_count = side ? site->judge_count - judges : judges;
    }
  }
  svf_arena_release(scratch, mark);
  return fine;
}

/* Rows within the band go to both children, so each has lists of its own. */
static bool divide_with_band(const svf_ground *ground, const svf_site *site, svf_site *child) {
  const svf_plane *plane = &site->plane;
  for (int side = 0; side < 2; side++) {
    svf_site *c = &child[side];
    c->rows = SVF_TAKE(ground->arena, uint32_t, site->n);
    if (site->judges) c->judges = SVF_TAKE(ground->arena, uint32_t, site->judge_count);
    if (ground->arena->failed) return false;
    c->n = svf_plane_take(ground->frame, plane, side, site->rows, site->n, c->rows);
    c->judge_count = svf_plane_take(ground->frame, plane, side, site->judges, site->judge_count, c->judges);
  }
  return true;
}

bool svf_site_divide(const svf_ground *ground, const svf_cut *cut, svf_site *site, const svf_ready ready[2]) {
  svf_site *child = SVF_TAKE(ground->arena, svf_site, 2);
  if (!child) return false;
  for (int side = 0; side < 2; side++) {
    child[side] = svf_site_child(site, side);
    child[side].ready = ready[side];
    site->child[side] = &child[side];
  }
  return site->plane.band > 0 ? divide_with_band(ground, site, child) : divide_in_place(ground, cut, site, child);
}

static svf_site *grow_from(const svf_ground *ground, const svf_kinds *kinds, svf_site *root) {
  open_list open = {0};
  if (!push(&open, root, ground->arena)) return NULL;
  size_t max_depth = (size_t)ground->settings->max_depth;
  while (open.count && !atomic_load(ground->worker->stop)) {
    svf_site *site = take(&open, kinds->cut, ground);
    bool may = kinds->cut->propose && (!max_depth || site->depth < max_depth) && !svf_site_pure(ground->frame, site);
    svf_ready ready[2] = {{0}, {0}};
    svf_mark mark = svf_arena_mark(&ground->worker->arena);
    bool cut = may && choose(ground, kinds, site, ready),
         fine = !cut || svf_site_divide(ground, kinds->cut, site, ready);
    site->right = NULL;
    svf_arena_release(&ground->worker->arena, mark);
    if (!fine) return NULL;
    if (!cut && kinds->cut->closed) kinds->cut->closed(ground, site);
    if (!cut) continue;
    if (kinds->cut->divided) kinds->cut->divided(ground, site);
    if (!push(&open, site->child[1], ground->arena) || !push(&open, site->child[0], ground->arena)) return NULL;
  }
  return ground->arena->failed || open.count ? NULL : root;
}

svf_site *svf_grow(const svf_ground *ground, const svf_kinds *kinds, const svf_bag *bag) {
  svf_site *root = SVF_TAKE(ground->arena, svf_site, 1);
  svf_mark mark = svf_arena_mark(&ground->worker->arena);
  svf_ground noted = *ground;
  if (!root) return NULL;
  *root = (svf_site){.name = 1, .rows = bag->rows, .n = bag->n};
  if (kinds->pick->judges) root->judges = bag->judges, root->judge_count = bag->judge_count;
  if (kinds->cut->begin) noted.notes = kinds->cut->begin(ground, root);
  if (!ground->arena->failed && kinds->cut->grow)
    root = kinds->cut->grow(&noted, kinds->pick->cell, root) ? root : NULL;
  else if (!ground->arena->failed && ground->settings->max_leaves)
    root = svf_grow_best_first(&noted, kinds, root) ? root : NULL;
  else if (!ground->arena->failed) root = grow_from(&noted, kinds, root);
  svf_arena_release(&ground->worker->arena, mark);
  return ground->arena->failed ? NULL : root;
}

/* The one to the right of a site among the children of the site above; NULL: it is the last. */
static svf_site *beside(const svf_site *site) {
  if (!site->up->centres) return site->side ? NULL : site->up->child[1];
  size_t next = (size_t)site->side + 1;
  return next < site->up->centres ? site->up->child[0] + next : NULL;
}

svf_site *svf_site_next(const svf_site *site) {
  if (site->child[0]) return site->child[0];
  while (site->up && !beside(site)) site = site->up;
  return site->up ? beside(site) : NULL;
}
