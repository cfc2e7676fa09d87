/* adaptive_tree.c - a tree of two stages (Hang, Chen and Suykens, Two-stage best-scored random forest, 2019).
 *
 * Stage one cuts the space into m cells, none of them empty. Stage two cuts each cell on its own, splits_per_row * rows
 * times, in tree_candidates different ways, and the pick keeps one of them. Cells do not know of each other, so threads
 * without a tree of their own take over cells of others. */
#include "cut/adaptive.h"

#include <math.h>
#include <string.h>
#include "cut/cell_count.h"

/* Draws for one cut of stage one that leaves rows on both sides; rows of the cells that make one piece of work. */
enum { TRIES = 32, PIECE_ROWS = 4096 };

static size_t split_count(const svf_settings *settings, size_t n) {
  double splits = settings->splits_per_row * (double)n;
  return splits < (double)(UINT32_MAX / 2) ? (size_t)splits : UINT32_MAX / 2;
}

static size_t terms_of(const svf_ground *ground) { return ground->settings->oblique ? ground->frame->d : 1; }

/* Room for a number of cuts; their planes point into `term`. */
static void lay_out(svf_slash *cut, svf_term *term, size_t cuts, size_t width) {
  for (size_t i = 0; i < cuts; i++) cut[i] = (svf_slash){.plane.term = term + i * width};
}

static bool way_open(svf_way *way, const svf_ground *ground, size_t cuts) {
  svf_arena *arena = &ground->worker->arena;
  svf_term *term = SVF_TAKE(arena, svf_term, cuts * terms_of(ground));
  *way = (svf_way){.cut = SVF_TAKE(arena, svf_slash, cuts), .score = INFINITY};
  if (svf_arena_failed(arena)) return false;
  lay_out(way->cut, term, cuts, terms_of(ground));
  return true;
}

/* ---- the sites of a way ---- */

/* Sites and terms that the cuts of one cell become; taken before the work is shared, since arenas are not. */
typedef struct wood {
  svf_site *site; /* 2 per cut */
  svf_term *term;
} wood;

static wood take_wood(const svf_ground *ground, size_t cuts) {
  return (wood){SVF_TAKE(ground->arena, svf_site, 2 * cuts),
                SVF_TAKE(ground->arena, svf_term, cuts * terms_of(ground))};
}

static svf_site child_of(svf_site *up, int side, const svf_plot *plot) {
  return (svf_site){.up = up,
                    .side = side,
                    .depth = up->depth + 1,
                    .name = svf_random_child(up->name, side),
                    .rows = up->rows, /* moved on once the rows are in order */
                    .n = plot->n};
}

/* The sites of a cut that was made just now; at[plot] becomes each plot's. */
static void add_sites(const svf_patch *p, const svf_slash *slash, const wood *w, svf_site **at) {
  size_t width = terms_of(p->ground), right = p->count - 1;
  svf_site *up = at[slash->plot], *child = w->site + 2 * (right - 1);
  up->plane = slash->plane;
  up->plane.term = w->term + (right - 1) * width;
  memcpy(up->plane.term, slash->plane.term, width * sizeof(svf_term));
  child[0] = child_of(up, 0, &p->plot[slash->plot]);
  child[1] = child_of(up, 1, &p->plot[right]);
  child[1].rows += child[0].n;
  up->child[0] = at[slash->plot] = &child[0];
  up->child[1] = at[right] = &child[1];
}

/* The cell's rows in the order of its plots. */
static void arrange_rows(const svf_patch *p, const svf_site *cell) {
  for (size_t i = 0; i < p->n; i++) p->spare[i] = cell->rows[p->order[i]];
  memcpy(cell->rows, p->spare, p->n * sizeof *cell->rows);
}

/* Cuts the patch once more along the way and makes its sites. */
static void build(svf_patch *p, const svf_way *way, svf_site *cell, const wood *w, svf_site **at) {
  svf_patch_begin(p);
  at[0] = cell;
  for (size_t i = 0; i < way->count; i++) {
    svf_patch_cut(p, &way->cut[i], 0);
    add_sites(p, &way->cut[i], w, at);
  }
  arrange_rows(p, cell);
}

/* ---- stage one ---- */

/* One more cell. False: no cut was found that leaves rows on both sides. */
static bool cut_once(svf_patch *p, svf_random *random, svf_slash *slash) {
  for (int draw = 0; draw < TRIES; draw++)
    if (svf_adaptive_draw(p, random, slash) && svf_patch_cut(p, slash, 1)) return true;
  return false;
}

/* Up to m cells. Returns how many; 0: memory ran out or the wish to stop. */
static size_t first_stage(const svf_ground *ground, svf_site *root, svf_site **cell, size_t m) {
  svf_patch p;
  svf_way way;
  wood w = take_wood(ground, m - 1);
  if (!svf_patch_open(&p, ground, root, m, false) || !way_open(&way, ground, 1) || ground->arena->failed) return 0;
  svf_random random = svf_site_random(ground, root, SVF_USE_CUT, 0);
  svf_patch_begin(&p);
  cell[0] = root;
  for (size_t i = 0; i + 1 < m && !atomic_load(ground->worker->stop); i++)
    if (cut_once(&p, &random, way.cut)) add_sites(&p, way.cut, &w, cell);
  if (atomic_load(ground->worker->stop)) return 0;
  arrange_rows(&p, root);
  return p.count;
}

/* ---- stage two ---- */

typedef struct plan {
  const svf_ground *ground;
  svf_cell_score *score;
  svf_site **cell;
  wood *wood;
  size_t *piece; /* first cell of each piece, and the end */
  size_t pieces;
} plan;

/* One candidate; what it scores, and the cuts that do so, are left in `way`. False: memory ran out. */
static bool try_way(svf_cell_score *score, svf_patch *p, size_t splits, size_t trial, svf_way *way) {
  const svf_ground *ground = p->ground;
  bool prefixes = score && ground->settings->prefixes;
  svf_random random = svf_site_random(ground, p->site, SVF_USE_CUT, trial);
  size_t best = 0;
  svf_patch_begin(p);
  way->count = 0;
  way->score = prefixes ? score(ground, 0, svf_patch_risk(p)) : INFINITY;
  for (size_t i = 0; i < splits && !atomic_load(ground->worker->stop); i++) {
    svf_slash *slash = &way->cut[way->count];
    if (!svf_adaptive_draw(p, &random, slash) || !svf_patch_cut(p, slash, 0)) continue;
    double here = prefixes ? score(ground, way->count + 1, svf_patch_risk(p)) : INFINITY;
    if (here < way->score) way->score = here, best = way->count + 1;
    way->count++;
  }
  if (prefixes) way->count = best;
  if (prefixes || !score) return true;
  double risk = svf_patch_risk(p);
  if (ground->settings->candidate_risk == SVF_CANDIDATE_RISK_LEAF && !svf_adaptive_risk(p, way, &risk)) return false;
  way->score = score(ground, way->count, risk);
  return true;
}

static bool second_stage(const svf_ground *ground, svf_cell_score *score, svf_site *cell, const wood *w) {
  size_t splits = split_count(ground->settings, cell->n);
  size_t candidates = score ? (size_t)ground->settings->tree_candidates : 1;
  svf_patch p;
  svf_way best, next;
  svf_site **at = SVF_TAKE(&ground->worker->arena, svf_site *, splits + 1);
  if (!svf_patch_open(&p, ground, cell, splits + 1, true) || !way_open(&best, ground, splits) ||
      !way_open(&next, ground, splits) || !at || !try_way(score, &p, splits, 0, &best))
    return false;
  for (size_t trial = 1; trial < candidates; trial++) {
    if (!try_way(score, &p, splits, trial, &next)) return false;
    if (!(next.score < best.score)) continue;
    svf_way other = best;
    best = next;
    next = other;
  }
  build(&p, &best, cell, w, at);
  svf_adaptive_fill(&p, at);
  return true;
}

static bool run_piece(void *context, size_t index, svf_worker *worker) {
  const plan *q = context;
  svf_ground ground = *q->ground;
  bool fine = true;
  ground.worker = worker;
  for (size_t c = q->piece[index]; c < q->piece[index + 1] && fine; c++) {
    svf_mark mark = svf_arena_mark(&worker->arena);
    if (atomic_load(worker->stop)) break;
    if (split_count(ground.settings, q->cell[c]->n)) fine = second_stage(&ground, q->score, q->cell[c], &q->wood[c]);
    svf_arena_release(&worker->arena, mark);
  }
  return fine;
}

/* Small cells go together; where a piece ends depends on the cells alone. */
static void make_pieces(plan *q, size_t cells) {
  for (size_t c = 0, rows = 0; c < cells; c++) {
    if (!c || rows >= PIECE_ROWS) q->piece[q->pieces++] = c, rows = 0;
    rows += q->cell[c]->n;
  }
  q->piece[q->pieces] = cells;
}

bool svf_adaptive_grow(const svf_ground *ground, svf_cell_score *score, svf_site *root) {
  svf_arena *scratch = &ground->worker->arena;
  size_t m = svf_cell_count(ground->settings, root->n);
  plan q = {.ground = ground, .score = score, .cell = SVF_TAKE(scratch, svf_site *, m)};
  q.piece = SVF_TAKE(scratch, size_t, m + 1);
  q.wood = SVF_TAKE(scratch, wood, m);
  if (svf_arena_failed(scratch)) return false;
  svf_mark mark = svf_arena_mark(scratch);
  size_t cells = first_stage(ground, root, q.cell, m);
  svf_arena_release(scratch, mark);
  if (!cells) return false;
  for (size_t c = 0; c < cells; c++) q.wood[c] = take_wood(ground, split_count(ground->settings, q.cell[c]->n));
  if (ground->arena->failed) return false;
  make_pieces(&q, cells);
  return svf_share(ground->worker, q.pieces, run_piece, &q) && !atomic_load(ground->worker->stop);
}
