/* best_first.c - see best_first.h. Every site gets its cut when it opens; a heap holds the open ones by the gain of their
 * cuts. */
#include "forest/growth/best_first.h"

#include <string.h>

/* An open site; of equal gains the one that was opened first. */
typedef struct entry {
  svf_site *site;
  size_t order;
} entry;

typedef struct heap {
  entry *item;
  size_t count, room, opened;
} heap;

static bool before(const entry *a, const entry *b) {
  double x = a->site->plane.gain, y = b->site->plane.gain;
  return x != y ? x > y : a->order < b->order;
}

static bool push(heap *h, svf_site *site, svf_arena *arena) {
  if (h->count == h->room) {
    size_t room = 2 * h->room + 64;
    entry *grown = SVF_TAKE(arena, entry, room);
    if (!grown) return false;
    if (h->count) memcpy(grown, h->item, h->count * sizeof *grown);
    h->item = grown;
    h->room = room;
  }
  entry fresh = {site, h->opened++};
  size_t at = h->count++;
  for (; at && before(&fresh, &h->item[(at - 1) / 2]); at = (at - 1) / 2) h->item[at] = h->item[(at - 1) / 2];
  h->item[at] = fresh;
  return true;
}

static svf_site *pop(heap *h) {
  svf_site *site = h->item[0].site;
  entry last = h->item[--h->count];
  size_t at = 0;
  for (size_t child = 1; child < h->count; at = child, child = 2 * at + 1) {
    if (child + 1 < h->count && before(&h->item[child + 1], &h->item[child])) child++;
    if (!before(&h->item[child], &last)) break;
    h->item[at] = h->item[child];
  }
  h->item[at] = last;
  return site;
}

static void close(const svf_ground *ground, const svf_cut *cut, svf_site *site) {
  if (cut->closed) cut->closed(ground, site);
  site->plane = (svf_plane){0};
}

/* Asks for the site's cut; one without stays a leaf. False: memory ran out. */
static bool open(const svf_ground *ground, const svf_kinds *kinds, svf_site *site, heap *h) {
  size_t max_depth = (size_t)ground->settings->max_depth;
  bool may = kinds->cut->propose && (!max_depth || site->depth < max_depth) && !svf_site_pure(ground->frame, site);
  if (may && kinds->cut->propose(ground, site, 0, &site->plane)) return push(h, site, &ground->worker->arena);
  close(ground, kinds->cut, site);
  return !ground->arena->failed;
}

static bool divide(const svf_ground *ground, const svf_kinds *kinds, svf_site *site, bool last) {
  static const svf_ready none[2];
  if (!svf_site_divide(ground, kinds->cut, site, none)) return false;
  if (!last && kinds->cut->divided) kinds->cut->divided(ground, site);
  return !ground->arena->failed;
}

svf_site *svf_grow_best_first(const svf_ground *ground, const svf_kinds *kinds, svf_site *root) {
  heap h = {0};
  size_t leaves = 1, most = (size_t)ground->settings->max_leaves;
  bool fine = most == 1 || open(ground, kinds, root, &h);
  while (fine && h.count && leaves < most && !svf_worker_stopped(ground->worker)) {
    svf_site *site = pop(&h);
    bool last = ++leaves == most;
    fine = divide(ground, kinds, site, last);
    for (int side = 0; side < 2 && fine && !last; side++) fine = open(ground, kinds, site->child[side], &h);
  }
  while (h.count && fine) close(ground, kinds->cut, pop(&h));
  return fine && !ground->arena->failed && !svf_worker_stopped(ground->worker) ? root : NULL;
}
