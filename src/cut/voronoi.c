/* voronoi.c - a Voronoi partition (Meister and Steinwart, Optimal learning rates for localized SVMs, JMLR 2016): m rows are
 * drawn, no row twice, and a point belongs to the nearest of them, the first of equals, by Euclidean distance between encoded
 * rows in which a missing value counts as the column's median. The tree has one node: the children of the root are leaves. */
#include <string.h>
#include "cut/cell_count.h"
#include "cut/cut.h"

/* m of n rows, ascending: each way of taking them has the same chance. */
static void draw_rows(svf_random *random, const svf_site *root, size_t m, uint32_t *row) {
  for (size_t i = 0, taken = 0; i < root->n && taken < m; i++)
    if (svf_random_below(random, root->n - i) < m - taken) row[taken++] = root->rows[i];
}

/* m x d coordinates in order. */
static svf_term *draw_centres(const svf_ground *ground, const svf_site *root, size_t m) {
  const svf_frame *frame = ground->frame;
  svf_random random = svf_site_random(ground, root, SVF_USE_CUT, 0);
  size_t d = frame->d;
  uint32_t *row = SVF_TAKE(ground->arena, uint32_t, m);
  svf_term *term = SVF_TAKE(ground->arena, svf_term, m * d);
  if (!row || !term) return NULL;
  draw_rows(&random, root, m, row);
  for (size_t c = 0; c < m; c++)
    for (size_t j = 0; j < d; j++) {
      float x = frame->x[row[c] * frame->stride + j];
      term[c * d + j] = (svf_term){(uint32_t)j, x == x ? x : frame->fill[j]};
    }
  return term;
}

/* Puts the rows of each centre together, in ascending order. A centre equal to an earlier one has no rows; drop_empty removes it. */
typedef struct census {
  uint32_t *home, *rows; /* n: nearest centre of each row; the rows in their new order */
  size_t *n, *from;      /* of each centre */
} census;

static bool open_census(census *c, svf_arena *scratch, size_t rows, size_t m) {
  *c = (census){SVF_TAKE(scratch, uint32_t, rows), SVF_TAKE(scratch, uint32_t, rows), SVF_ZERO(scratch, size_t, m),
                SVF_TAKE(scratch, size_t, m)};
  return !svf_arena_failed(scratch);
}

/* False: the wish to stop. */
static bool count_rows(const svf_ground *ground, const svf_site *root, const census *c, size_t m) {
  const svf_frame *frame = ground->frame;
  const svf_term *term = root->plane.term;
  for (size_t i = 0; i < root->n; i++) {
    if (svf_worker_stopped(ground->worker)) return false;
    const float *row = frame->x + root->rows[i] * frame->stride;
    c->home[i] = svf_nearest_centre(term, m, frame->d, row, frame->fill);
    c->n[c->home[i]]++;
  }
  for (size_t k = 0, at = 0; k < m; at += c->n[k++]) c->from[k] = at;
  for (size_t i = 0; i < root->n; i++) c->rows[c->from[c->home[i]]++] = root->rows[i];
  memcpy(root->rows, c->rows, root->n * sizeof *c->rows);
  return true;
}

/* Closes the gaps that centres without rows leave. */
static void drop_empty(svf_site *root, const census *c, size_t m, size_t d) {
  svf_term *term = root->plane.term;
  size_t kept = 0;
  for (size_t k = 0; k < m; k++) {
    if (!c->n[k]) continue;
    c->n[kept] = c->n[k];
    memmove(term + kept++ * d, term + k * d, d * sizeof *term);
  }
  root->centres = (uint32_t)kept;
  root->plane.count = kept * d;
}

static bool add_children(const svf_ground *ground, svf_site *root, const census *c) {
  svf_site *child = SVF_TAKE(ground->arena, svf_site, root->centres);
  if (!child) return false;
  uint32_t *rows = root->rows;
  for (size_t k = 0; k < root->centres; rows += c->n[k++])
    child[k] = (svf_site){.up = root,
                          .side = (int)k,
                          .depth = 1,
                          .name = svf_random_child(root->name, (int)k),
                          .rows = rows,
                          .n = c->n[k]};
  root->child[0] = child;
  root->child[1] = child + 1;
  return true;
}

/* The root gets a child for each centre. */
static bool grow(const svf_ground *ground, svf_cell_score *score, svf_site *root) {
  (void)score; /* all cells are made at once: there are no candidates */
  size_t m = svf_cell_count(ground->settings, root->n), d = ground->frame->d;
  census c;
  if (m > INT32_MAX / 2 / d) m = INT32_MAX / 2 / d; /* a node counts its terms in 32 bits */
  if (m < 2) return true;
  root->plane.term = draw_centres(ground, root, m);
  if (!root->plane.term || !open_census(&c, &ground->worker->arena, root->n, m)) return false;
  if (!count_rows(ground, root, &c, m)) return false;
  drop_empty(root, &c, m, d);
  if (root->centres > 1) return add_children(ground, root, &c);
  root->centres = 0;
  root->plane = (svf_plane){0};
  return true;
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  return svf_cell_count_check(settings, message);
}

static const char *const settings[] = {"cells", "cell_rows", NULL};

extern const svf_cut svf_cut_voronoi;
const svf_cut svf_cut_voronoi = {.kind.name = "voronoi",
                                 .kind.help = "Voronoi cells of m rows drawn as centres, all at once",
                                 .kind.settings = settings,
                                 .kind.check = check,
                                 .grow = grow};
