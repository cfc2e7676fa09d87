/* grow.c - one tree: take an open site, let the cut propose, let the pick choose, divide the rows. */
#include "forest/cells.h"

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
static bool pure(const svf_frame *frame, const svf_site *site) {
  const uint32_t *rows = site->rows;
  size_t i = 1;
  if (frame->label)
    while (i < site->n && frame->label[rows[i]] == frame->label[rows[0]]) i++;
  else
    while (i < site->n && frame->value[rows[i]] == frame->value[rows[0]]) i++;
  return i >= site->n;
}

/* The cut's own proposal, or under a pick the candidate it finds best and better than nothing. */
static bool choose(const svf_ground *ground, const svf_kinds *kinds, const svf_site *site, svf_plane *best) {
  svf_plane plane = {0};
  if (!kinds->pick->node) return kinds->cut->propose(ground, site, 0, best);
  double most = 0;
  bool found = false;
  for (size_t trial = 0; kinds->cut->propose(ground, site, trial, &plane) && !ground->arena->failed; trial++) {
    double worth = kinds->pick->node(ground, site, &plane);
    if (worth > most) most = worth, *best = plane, found = true;
    plane = (svf_plane){0};
  }
  return found;
}

/* Room to divide a list of rows in. */
typedef struct table_top {
  unsigned char *right;
  uint32_t *spare;
} table_top;

/* Divides a list of rows in place, order kept: the left ones first. Returns how many went left. */
static size_t deal(const svf_ground *ground, const svf_cut *cut, const svf_plane *plane, uint32_t *rows, size_t n,
                   const table_top *top) {
  size_t left = 0, right = 0;
  if (cut->sides) cut->sides(ground, plane, rows, n, top->right);
  else svf_plane_sides(ground->frame, plane, rows, n, top->right);
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

static svf_site child_of(svf_site *site, int side, size_t left, size_t judges_left) {
  return (svf_site){.up = site,
                    .side = side,
                    .depth = site->depth + 1,
                    .name = svf_random_child(site->name, side),
                    .rows = side ? site->rows + left : site->rows,
                    .n = side ? site->n - left : left,
                    .judges = side && site->judges ? site->judges + judges_left : site->judges,
                    .judge_count = side ? site->judge_count - judges_left : judges_left};
}

/* Makes the two children; they take over the row lists of their parent. */
static bool divide(const svf_ground *ground, const svf_cut *cut, svf_site *site) {
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  size_t most = site->n > site->judge_count ? site->n : site->judge_count;
  table_top top = {SVF_TAKE(scratch, unsigned char, most), SVF_TAKE(scratch, uint32_t, most)};
  svf_site *child = SVF_TAKE(ground->arena, svf_site, 2);
  bool fine = top.right && top.spare && child;
  if (fine) {
    size_t left = deal(ground, cut, &site->plane, site->rows, site->n, &top);
    size_t judges = deal(ground, cut, &site->plane, site->judges, site->judge_count, &top);
    for (int side = 0; side < 2; side++) {
      child[side] = child_of(site, side, left, judges);
      site->child[side] = &child[side];
    }
  }
  svf_arena_release(scratch, mark);
  return fine;
}

static svf_site *grow_from(const svf_ground *ground, const svf_kinds *kinds, svf_site *root) {
  open_list open = {0};
  if (!push(&open, root, ground->arena)) return NULL;
  size_t max_depth = (size_t)ground->settings->max_depth;
  while (open.count && !atomic_load(ground->worker->stop)) {
    svf_site *site = take(&open, kinds->cut, ground);
    bool may = kinds->cut->propose && (!max_depth || site->depth < max_depth) && !pure(ground->frame, site);
    svf_plane plane = {0};
    if (!may || !choose(ground, kinds, site, &plane)) continue;
    site->plane = plane;
    if (!divide(ground, kinds->cut, site)) return NULL;
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
  if (!ground->arena->failed && kinds->cut->draw) root = svf_grow_cells(&noted, kinds, root) ? root : NULL;
  else if (!ground->arena->failed && kinds->cut->centres) root = svf_grow_centres(&noted, kinds, root) ? root : NULL;
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
