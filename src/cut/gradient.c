/* gradient.c - the cut of xRFM (Beaglehole, Holzmueller, Radhakrishnan and Belkin, arXiv:2508.10053, 2025): a least-squares
 * machine with the Laplace kernel learns some of the node's rows, and the node is cut at the median (median.h) along the direction
 * in which that machine changes most,
 *
 *     max over |u| = 1 of  u'G u,   G = sum_i c_i g_i g_i' / sum_i c_i,  summed over the targets,  g_i the gradients at those rows
 *
 * until a cell has at most cell_rows rows. Rows are in learned coordinates if the forest has a metric. Missing values are filled.
 * Width and C are those of the leaves, where these are such machines whose width or C is given; else they are chosen by
 * leave-one-out (lesson.h). Eigenvectors of G are tried in order; where none can be cut, or the drawn rows have one target, a random
 * direction is. A node whose rows all have one target is a leaf. */
#include <math.h>
#include <string.h>
#include "cut/lesson.h"
#include "cut/median.h"
#include "la/eigen.h"

enum { TRIED = 8 };      /* eigenvectors */
#define LEAST_PART 1e-12 /* of the largest eigenvalue: less is rounding */

typedef struct node {
  const svf_ground *ground;
  const svf_site *site;
  svf_solver solver;
  svf_median median;
} node;

static void map_rows(const node *n, float *x, size_t count) {
  const svf_metric *metric = n->ground->metric;
  size_t d = n->ground->frame->d;
  double *sums = SVF_TAKE(n->solver.arena, double, svf_padded(d));
  float *z = SVF_TAKE(n->solver.arena, float, d);
  for (size_t i = 0; metric && sums && z && i < count; i++) {
    svf_metric_apply(metric, n->ground->la, x + i * d, sums, z);
    memcpy(x + i * d, z, d * sizeof *z);
  }
}

/* Of the largest entry 1, d rows of padded d, both triangles; all 0 where the machine is flat. False: memory ran out. */
static bool find_products(const node *n, const svf_lesson *lesson, const uint32_t *row, size_t count, double *G) {
  const svf_settings *settings = n->ground->settings;
  double width = 1 / settings->gamma, most = 0;
  svf_learning_rows rows;
  if (!svf_lesson_rows(lesson, row, count, n->solver.arena, &rows)) return false;
  map_rows(n, (float *)rows.x, count);
  svf_learning learning = svf_lesson_learning(&rows, SVF_LS_KERNEL_LAPLACE, true, &n->solver);
  bool same = settings->kernel == SVF_KERNEL_CHOICE_LAPLACE;
  if (same && settings->gamma > 0) learning.absolute = true, learning.width = &width, learning.widths = 1;
  if (same && settings->C > 0) learning.C = &settings->C, learning.C_count = 1;
  if (svf_arena_failed(n->solver.arena) || !svf_learning_open(&learning) || !svf_learning_fit(&learning))
    return false;
  if (svf_solver_stopped(&n->solver)) return true;
  if (!svf_learning_products(&learning, G)) return false;
  size_t d = rows.d, ld = learning.ld;
  for (size_t j = 0; j < d; j++) most = fmax(most, G[j * ld + j]);
  bool flat = !(most > 0) || !isfinite(most);
  for (size_t i = 0; i < d; i++)
    for (size_t j = 0; j < ld; j++) G[i * ld + j] = flat || j >= d ? 0 : j < i ? G[j * ld + i] : G[i * ld + j] / most;
  return true;
}

/* Directions, the one of the steepest change first, in rows of padded d. Returns how many; SIZE_MAX: memory ran out. */
static size_t find_directions(const node *n, const svf_lesson *lesson, const uint32_t *row, size_t count,
                              double *direction) {
  svf_arena *arena = n->solver.arena;
  svf_mark mark = svf_arena_mark(arena);
  size_t d = n->ground->frame->d, ld = svf_padded(d), found = 0;
  double *G = SVF_ZERO(arena, double, ld *ld), *value = SVF_TAKE(arena, double, d);
  bool fine = G && value && find_products(n, lesson, row, count, G);
  if (fine && !svf_solver_stopped(&n->solver))
    fine = svf_eigen(n->ground->la, d, (svf_dense){G, ld}, value, n->solver.stop, arena);
  if (fine && !svf_solver_stopped(&n->solver))
    while (found < d && found < TRIED && value[found] > LEAST_PART * value[0]) found++;
  if (fine) memcpy(direction, G, found * ld * sizeof *G);
  svf_arena_release(arena, mark);
  return fine ? found : SIZE_MAX;
}

/* The rows that teach, in random order. Returns how many; NULL: memory ran out. */
static uint32_t *draw_rows(const node *n, size_t targets, size_t trial, size_t *count) {
  svf_random random = svf_site_random(n->ground, n->site, SVF_USE_METRIC, trial);
  svf_learning_rows shape = {.n = n->site->n, .d = n->ground->frame->d, .targets = targets};
  uint32_t *row = SVF_TAKE(n->solver.arena, uint32_t, n->site->n);
  if (!row) return NULL;
  memcpy(row, n->site->rows, n->site->n * sizeof *row);
  svf_random_shuffle(&random, row, n->site->n);
  *count = svf_learning_rows_within(&shape, (size_t)n->ground->settings->direction_rows, SVF_LESSON_OPERATIONS);
  return row;
}

/* False: memory ran out. */
static bool search(node *n, size_t trial, svf_plane *plane, bool *found) {
  const svf_frame *frame = n->ground->frame;
  svf_random random = svf_site_random(n->ground, n->site, SVF_USE_CUT, trial);
  size_t count = 0, directions = 0, ld = svf_padded(frame->d);
  double *direction = SVF_TAKE(n->solver.arena, double, TRIED *ld);
  svf_lesson lesson;
  if (!svf_lesson_open(&lesson, frame, n->site->rows, n->site->n)) return true;
  uint32_t *row = draw_rows(n, lesson.targets, trial, &count);
  if (!row || !direction || !svf_median_open(&n->median, n->ground, n->site)) return false;
  if (svf_lesson_open(&lesson, frame, row, count)) directions = find_directions(n, &lesson, row, count, direction);
  if (directions == SIZE_MAX) return false;
  for (size_t e = 0; e < directions && !*found; e++) {
    memcpy(n->median.w, direction + e * ld, ld * sizeof *direction);
    *found = svf_median_try(&n->median, plane);
  }
  if (!*found) *found = svf_median_draw(&n->median, &random, plane);
  return true;
}

static bool propose(const svf_ground *ground, const svf_site *site, size_t trial, svf_plane *plane) {
  if (!svf_median_wanted(ground, site, trial) || ground->frame->d == 0) return false;
  svf_worker *worker = ground->worker;
  svf_mark mark = svf_arena_mark(&worker->arena);
  node n = {.ground = ground,
            .site = site,
            .solver = {.la = ground->la, .stop = worker->stop, .arena = &worker->arena, .worker = worker}};
  bool found = false, fine = search(&n, trial, plane, &found);
  svf_arena_release(&worker->arena, mark);
  if (!fine) ground->arena->failed = true;
  return fine && found && !svf_worker_stopped(worker);
}

/* Refused before it starts: the matrix of columns x columns, and what the machine of one node takes. */
static svf_status prepare(const svf_frame *frame, const svf_settings *settings, svf_pool *pool, svf_arena *arena,
                          const void **prepared, svf_message *message) {
  svf_learning_rows rows = {.n = frame->n, .d = frame->d, .targets = svf_ls_machines(frame->label ? frame->k : 0)};
  (void)pool, (void)arena, (void)prepared;
  if (frame->d > SVF_LESSON_COLUMNS)
    return svf_fail(
        message, SVF_USAGE,
        "cut=gradient would learn a matrix of %zu x %zu numbers, and %d columns are the most; use cut=halve",
        frame->d, frame->d, SVF_LESSON_COLUMNS);
  if (frame->n <= (size_t)settings->cell_rows) return SVF_OK;
  rows.n = svf_learning_rows_within(&rows, (size_t)settings->direction_rows, SVF_LESSON_OPERATIONS);
  return svf_check_memory(message, svf_learning_memory(&rows, true), 0, "the direction of a cut");
}

static const char *const settings[] = {"cell_rows",      "max_depth",      "min_leaf", "min_leaf_factor",
                                       "cut_candidates", "direction_rows", NULL};

extern const svf_cut svf_cut_gradient;
const svf_cut svf_cut_gradient = {.kind.name = "gradient",
                                  .kind.help =
                                      "the direction in which a machine of the node changes most, cut at the median",
                                  .kind.settings = settings,
                                  .prepare = prepare,
                                  .propose = propose,
                                  .shares = true};
