/* linear_path.c - see linear_path.h. The squared hinge goes along C in single precision (linear_fit.h); a fit that is too hard for that is
 * solved by itself in double (linear_squared.h). The hinge solves every fit by itself. */
#include "svm/linear_path.h"

#include <math.h>
#include <string.h>
#include "svm/linear_squared.h"
#include "svm/linear_fit.h"

/* Scores in single precision tell active rows from others as long as the slack of a support vector, about
 * 1 / (2 C c |x|^2), is well above their noise: C c |x|^2 up to COARSE; and gaps below FINE are out of their reach. */
#define COARSE 2e4
#define FINE   1e-7

bool svf_path_open(svf_path *path, svf_form *form, const svf_machines_options *options, const double *base,
                   bool held) {
  *path = (svf_path){.form = form, .options = options, .held = held, .base = base};
  for (size_t i = 0; i < form->n; i++)
    if (base[i] > path->scale) path->scale = base[i];
  return options->loss != SVF_SQUARED_HINGE ||
         svf_form_share(form, &(svf_costs){base, path->scale}, options->C[options->C_count - 1] * path->scale,
                        &options->solver);
}

/* The fits of one problem: the whole set, and a group of parts that go along together. */
typedef struct walk {
  const svf_path *path;
  const svf_binary *binary;
  const svf_solver *solver;
  const svf_path_result *result;
  svf_tracks tracks;
  svf_track whole, part[SVF_COLUMNS];
  svf_start start;
  double *part_w;   /* folds x C_count x p: the points of the parts */
  double costliest; /* largest cost */
} walk;

/* A fit in double, on the whole set (part < 0) or without a fold; w: ld. */
static bool fit_apart(const walk *k, size_t c, ptrdiff_t part, double *w, svf_solution *fit) {
  const svf_form *form = k->path->form;
  svf_arena *arena = k->solver->arena;
  svf_rows rows = svf_form_widen(form, k->solver);
  double *cost = SVF_TAKE(arena, double, form->n);
  if (svf_arena_failed(arena)) return false;
  memcpy(cost, k->binary->cost, form->n * sizeof *cost);
  if (part >= 0) memset(cost + form->start[part], 0, (form->start[part + 1] - form->start[part]) * sizeof *cost);
  svf_binary problem = {k->binary->sign, cost};
  double C = k->path->options->C[c];
  return k->path->options->loss == SVF_HINGE ? svf_hinge_fit(&rows, &problem, C, k->solver, w, fit)
                                             : svf_squared_fit(&rows, &problem, C, k->solver, w, fit);
}

static double *part_point(const walk *k, size_t c, size_t part) {
  return k->part_w + (part * k->path->options->C_count + c) * k->path->form->p;
}

/* Where the whole set will begin: the mean of the parts. */
static void average(const walk *k) {
  const svf_form *form = k->path->form;
  size_t ld = svf_padded(form->p);
  for (size_t c = 1; c < k->path->options->C_count; c++) {
    double *w = k->result->w + c * ld;
    memset(w, 0, ld * sizeof *w);
    for (size_t f = 0; f < form->folds; f++)
      for (size_t j = 0; j < form->p; j++) w[j] += part_point(k, c, f)[j] / (double)form->folds;
    k->result->gap[c] = INFINITY;
  }
}

/* The same, kept: the machine of the whole set, or that of a part, and the scores of its fold. */
static bool keep_apart(const walk *k, size_t c, ptrdiff_t part) {
  if (svf_solver_stopped(k->solver)) return true; /* the result is not used */
  const svf_form *form = k->path->form;
  svf_arena *arena = k->solver->arena;
  svf_mark mark = svf_arena_mark(arena);
  size_t ld = svf_padded(form->p);
  double *w = SVF_TAKE(arena, double, ld), *s = SVF_TAKE(arena, double, form->panels *SVF_PANEL);
  svf_solution fit;
  if (svf_arena_failed(arena) || !fit_apart(k, c, part, w, &fit)) return false;
  if (part < 0) {
    memcpy(k->result->w + c * ld, w, ld * sizeof *w);
    k->result->gap[c] = fit.gap;
  } else {
    svf_form_scores_wide(form, 0, form->panels, w, s);
    for (size_t i = form->start[part]; i < form->start[part + 1]; i++) k->result->held[c * form->n + i] = (float)s[i];
    if (k->part_w) memcpy(part_point(k, c, (size_t)part), w, form->p * sizeof *w);
  }
  svf_arena_release(arena, mark);
  return true;
}

static bool keep_whole(const walk *k, size_t c) {
  if (svf_solver_stopped(k->solver)) return true; /* as above */
  const svf_form *form = k->path->form;
  if (k->whole.failed) return keep_apart(k, c, -1);
  double *w = k->result->w + c * svf_padded(form->p);
  memset(w, 0, svf_padded(form->p) * sizeof *w);
  memcpy(w, k->whole.w, form->p * sizeof *w);
  k->result->gap[c] = k->whole.gap;
  return true;
}

static bool keep_part(const walk *k, const svf_track *track, size_t c, size_t part) {
  if (svf_solver_stopped(k->solver)) return true;
  const svf_form *form = k->path->form;
  size_t first = form->start[part], count = form->start[part + 1] - first;
  if (track->failed) return keep_apart(k, c, (ptrdiff_t)part);
  memcpy(k->result->held + c * form->n + first, track->s + first, count * sizeof *track->s);
  memcpy(part_point(k, c, part), track->w, form->p * sizeof *track->w);
  return true;
}

/* C number c in the unit of the costs of tracks; 0: too hard for single precision. */
static double coarse(const walk *k, size_t c) {
  double C = k->path->options->C[c] * k->path->scale;
  return C * k->costliest * k->path->form->longest < COARSE && k->solver->tolerance >= FINE ? C : 0;
}

static void solve(walk *k, svf_track *const *fits, size_t count, size_t c) {
  double C = coarse(k, c);
  if (C > 0) svf_tracks_solve(fits, count, &k->tracks, C, k->solver);
  for (size_t q = 0; q < count && !(C > 0); q++) fits[q]->failed = true;
}

/* All values of C for parts first..first+count-1. */
static bool along_parts(walk *k, size_t first, size_t count) {
  svf_track *fits[SVF_COLUMNS];
  for (size_t q = 0; q < count; q++) {
    fits[q] = &k->part[q];
    svf_track_part(fits[q], &k->tracks, &k->whole, first + q);
  }
  for (size_t c = 0; c < k->path->options->C_count; c++) {
    for (size_t q = 0; c > 0 && q < count; q++) svf_track_advance(fits[q], &k->tracks, c == 1);
    solve(k, fits, count, c);
    for (size_t q = 0; q < count; q++)
      if (!keep_part(k, fits[q], c, first + q)) return false;
  }
  return true;
}

/* Without parts: all values of C for the whole set. */
static bool along_whole(walk *k) {
  svf_track *whole = &k->whole;
  memset(whole->last_s, 0,
         k->path->form->panels * SVF_PANEL * sizeof *whole->last_s); /* the C before the first is 0 */
  for (size_t c = 1; c < k->path->options->C_count; c++) {
    svf_track_advance(whole, &k->tracks, c == 1);
    solve(k, &whole, 1, c);
    if (!keep_whole(k, c)) return false;
  }
  return true;
}

/* v of the whole set, and the largest cost of each piece of its rows. */
typedef struct posing {
  walk *walk;
  double *most;
} posing;

static void pose_rows(void *context, size_t first, size_t end) {
  const posing *p = context;
  const walk *k = p->walk;
  double most = 0;
  for (size_t i = first; i < end; i++) {
    double cost = k->binary->cost[i] / k->path->scale;
    k->whole.v[i] = (float)(k->binary->sign[i] * cost);
    if (cost > most) most = cost;
  }
  p->most[first / SVF_PIECE] = most;
}

/* parts: some may begin from it. */
static bool open_whole(walk *k, bool parts) {
  const svf_form *form = k->path->form;
  svf_arena *arena = k->solver->arena;
  svf_tracks_open(&k->tracks, form, k->solver);
  svf_track_open(&k->whole, form, arena);
  posing p = {k, SVF_TAKE(arena, double, svf_pieces(form->n))};
  svf_track_room(&k->whole, form, arena);
  if (parts) svf_start_open(&k->start, form, arena);
  if (svf_arena_failed(arena)) return false;
  svf_solver_rows(k->solver, form->n, pose_rows, &p);
  for (size_t i = 0; i < svf_pieces(form->n); i++)
    if (p.most[i] > k->costliest) k->costliest = p.most[i];
  svf_costs costs = {k->path->base, k->path->scale};
  svf_track_whole(&k->whole, &k->tracks, k->binary->cost == costs.base ? NULL : &costs, parts ? &k->start : NULL);
  return true;
}

/* Parts side by side, in groups. */
static bool walk_together(walk *k) {
  const svf_form *form = k->path->form;
  svf_arena *arena = k->solver->arena;
  for (size_t q = 0; q < SVF_COLUMNS && q < form->folds; q++) svf_track_open(&k->part[q], form, arena);
  for (size_t q = 0; q < SVF_COLUMNS && q < form->folds; q++) svf_track_room(&k->part[q], form, arena);
  if (svf_arena_failed(arena)) return false;
  for (size_t first = 0; first < form->folds; first += SVF_COLUMNS) {
    size_t count = form->folds - first < SVF_COLUMNS ? form->folds - first : SVF_COLUMNS;
    if (!along_parts(k, first, count)) return false;
  }
  return true;
}

/* One part of many rows, by whichever thread. Alone it takes the same steps as beside others. */
static bool walk_alone(void *context, size_t part, svf_worker *worker) {
  walk k = *(const walk *)context;
  svf_solver solver = svf_solver_on(k.solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  k.solver = &solver;
  svf_tracks_open(&k.tracks, k.path->form, &solver);
  svf_track_open(&k.part[0], k.path->form, solver.arena);
  svf_track_room(&k.part[0], k.path->form, solver.arena);
  bool fine = !svf_arena_failed(solver.arena) && along_parts(&k, part, 1);
  svf_arena_release(solver.arena, mark);
  return fine;
}

static bool squared_path(walk *k) {
  const svf_form *form = k->path->form;
  if (!open_whole(k, k->path->held)) return false;
  svf_track *whole = &k->whole;
  if (k->result->begin) svf_track_begin(whole, &k->tracks, k->result->begin);
  else if (form->regime->first == SVF_FIRST_GRADIENT && coarse(k, 0) > 0)
    svf_track_approach(whole, &k->tracks, coarse(k, 0));
  else if (form->regime->first == SVF_FIRST_LEAP && coarse(k, 0) > 0) svf_track_leap(whole, &k->tracks, coarse(k, 0));
  solve(k, &whole, 1, 0);
  if (!keep_whole(k, 0)) return false;
  if (!whole->failed && !svf_track_few(whole, form)) svf_track_settle(whole, &k->tracks);
  if (!k->path->held) return along_whole(k);
  k->part_w = SVF_TAKE(k->solver->arena, double, form->folds * k->path->options->C_count * form->p);
  if (!k->part_w) return false;
  /* short rows, but no crowd: parts go to different threads, and not passes over the rows */
  bool apart = form->n * form->p >= SVF_MANY && form->storage == SVF_ROWS_AND_PANELS && k->solver->worker;
  if (!(apart ? svf_solver_share(k->solver, form->folds, walk_alone, k) : walk_together(k))) return false;
  average(k);
  return true;
}

bool svf_path_finish(const svf_path *path, const svf_binary *binary, const svf_solver *solver, size_t c,
                     const svf_path_result *result) {
  if (path->options->loss == SVF_HINGE || result->gap[c] <= solver->tolerance) return true; /* all steps were taken */
  svf_mark mark = svf_arena_mark(solver->arena);
  walk k = {.path = path, .binary = binary, .solver = solver, .result = result};
  svf_track *whole = &k.whole;
  bool fine = open_whole(&k, false);
  if (fine) {
    svf_track_begin(whole, &k.tracks, result->w + c * svf_padded(path->form->p));
    solve(&k, &whole, 1, c);
    fine = keep_whole(&k, c);
  }
  svf_arena_release(solver->arena, mark);
  return fine;
}

static bool hinge_path(const walk *k) {
  for (size_t c = 0; c < k->path->options->C_count; c++) {
    if (!keep_apart(k, c, -1)) return false;
    for (size_t f = 0; k->path->held && f < k->path->form->folds; f++)
      if (!keep_apart(k, c, (ptrdiff_t)f)) return false;
  }
  return true;
}

bool svf_path_run(const svf_path *path, const svf_binary *binary, const svf_solver *solver,
                  const svf_path_result *result) {
  svf_mark mark = svf_arena_mark(solver->arena);
  walk k = {.path = path, .binary = binary, .solver = solver, .result = result};
  bool fine = path->options->loss == SVF_SQUARED_HINGE ? squared_path(&k) : hinge_path(&k);
  svf_arena_release(solver->arena, mark);
  return fine;
}
