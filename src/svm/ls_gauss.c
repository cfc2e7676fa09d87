/* ls_gauss.c - see ls_gauss.h. */
#include "svm/ls_gauss.h"

#include <math.h>
#include <string.h>

typedef struct work {
  const svf_gauss_problem *problem;
  const svf_solver *solver;
  size_t n, wide; /* wide: n, padded */
  size_t fit;     /* rows that train while width and C are chosen: the first ones */
  double unit;
  double *distance; /* n x wide: of the kernel's kind, far away in the pads */
  double *error;    /* widths x C_count */
} work;

svf_distance svf_ls_distance(svf_ls_kernel kernel) {
  return kernel == SVF_LS_KERNEL_RBF       ? SVF_DISTANCE_SQUARE
         : kernel == SVF_LS_KERNEL_LAPLACE ? SVF_DISTANCE_EUCLID
                                           : SVF_DISTANCE_CITY;
}

double svf_ls_factor(svf_ls_kernel kernel, double sigma) {
  return kernel == SVF_LS_KERNEL_RBF ? .5 / sigma / sigma : 1 / sigma;
}

static bool stopped(const work *w) { return svf_solver_stopped(w->solver); }

/* A pane of rows against some of all rows at a time, with a look at the stop flag after each. */
static void find_distances(const work *w) {
  enum { SOME = 1024 };
  const svf_asked *rows = &w->problem->rows;
  const float *pane = w->problem->pane;
  for (size_t b = 0; b < w->wide; b += SVF_LANES, pane += SVF_LANES * rows->d)
    for (size_t i = 0; i < w->n && !stopped(w); i += SOME) {
      svf_asked some = {rows->x + i * rows->ld, w->n - i < SOME ? w->n - i : SOME, rows->d, rows->ld};
      w->solver->la->blocked->distances(svf_ls_distance(w->problem->kernel), &some, 1, pane,
                                        (svf_dense){w->distance + i * w->wide + b, w->wide});
    }
}

/* Distances between the rows, and the root of their mean square. */
static void measure(work *w) {
  const svf_gauss_problem *problem = w->problem;
  bool squared = problem->kernel == SVF_LS_KERNEL_RBF;
  double sum = 0, pairs = (double)w->n * (double)(w->n - 1);
  find_distances(w);
  for (size_t i = 0; i < w->n && !stopped(w); i++) {
    double *row = w->distance + i * w->wide, own = 0;
    for (size_t j = 0; j < w->n; j++) own += squared ? row[j] : row[j] * row[j];
    for (size_t j = w->n; j < w->wide; j++) row[j] = INFINITY;
    sum += own;
  }
  w->unit = problem->relative && sum > 0 ? sqrt(sum / pairs) : 1;
}

static double sigma_of(const work *w, size_t width) { return w->problem->width[width] * w->unit; }

/* Rows from..to-1 of K against the first n rows. */
static void kernel(const work *w, double sigma, size_t from, size_t to, size_t n, double *k) {
  size_t wide = svf_padded(n);
  double factor = svf_ls_factor(w->problem->kernel, sigma);
  for (size_t i = from; i < to && !stopped(w); i++, k += wide) {
    w->solver->la->blocked->gaussians(wide, factor, w->distance + i * w->wide, k);
    for (size_t j = n; j < wide; j++) k[j] = 0;
  }
}

static svf_ls_rows rows_of(const work *w, size_t n) {
  return (svf_ls_rows){n, w->problem->targets, w->n, w->problem->y, w->problem->weight, w->problem->no_bias};
}

/* What judging on the rows held out takes. */
typedef struct jury {
  double *k;           /* their kernel with the rows that trained */
  double *alpha, *out; /* wide and held_out numbers */
} jury;

/* Mean squared error of the path's C number c on the rows held out, by weight. */
static double judge(const work *w, const svf_ls_form *form, const svf_ls_path *path, size_t c, jury *j) {
  const svf_gauss_problem *problem = w->problem;
  double sum = 0, total = 0;
  for (size_t q = 0, at = c * problem->targets; q < problem->targets; q++, at++) {
    for (size_t i = 0; i < form->wide; i++) j->alpha[i] = form->root[i] * path->beta[at * form->wide + i];
    form->la->product(problem->held_out, form->wide, j->k, j->alpha, j->out);
    for (size_t i = 0; i < problem->held_out; i++) {
      double weight = problem->weight ? problem->weight[form->n + i] / form->strongest : 1;
      double error = problem->y[q * w->n + form->n + i] - j->out[i] - path->bias[at];
      sum += weight * error * error;
      total += weight;
    }
  }
  return sum / total;
}

/* The errors of every C with one width, in `error`. */
static bool errors_of(const work *w, size_t width, svf_arena *arena, double *error) {
  const svf_gauss_problem *problem = w->problem;
  size_t wide = svf_padded(w->fit), held = problem->held_out;
  svf_ls_rows rows = rows_of(w, w->fit);
  svf_ls_path path = {.C = problem->C, .count = problem->C_count};
  svf_ls_form form;
  double *k = SVF_TAKE(arena, double, (held > w->fit ? held : w->fit) * wide);
  jury j = {k, SVF_TAKE(arena, double, wide), SVF_TAKE(arena, double, held)};
  if (!svf_ls_open(&form, &rows, w->solver->la, arena)) return false;
  form.stop = w->solver->stop;
  kernel(w, sigma_of(w, width), 0, w->fit, w->fit, k);
  if (!svf_ls_reduce(&form, k, arena)) return false;
  if (stopped(w)) return true;
  if (!svf_ls_walk(&form, &path, !held, arena)) return false;
  if (held) kernel(w, sigma_of(w, width), w->fit, w->n, w->fit, k);
  for (size_t c = 0; c < problem->C_count && !stopped(w); c++)
    error[c] = held ? judge(w, &form, &path, c, &j) : svf_ls_error(&form, &path, c, NULL);
  return true;
}

static bool try_width(void *context, size_t width, svf_worker *worker) {
  const work *w = context;
  svf_arena *arena = svf_solver_on(w->solver, worker).arena;
  svf_mark mark = svf_arena_mark(arena);
  bool fine = stopped(w) || errors_of(w, width, arena, w->error + width * w->problem->C_count);
  svf_arena_release(arena, mark);
  return fine;
}

/* The least error, the first of equals: the smallest width, then the smallest C. */
static size_t best_of(const work *w) {
  size_t best = 0, count = w->problem->widths * w->problem->C_count;
  for (size_t i = 1; i < count; i++)
    if (w->error[i] < w->error[best]) best = i;
  return best;
}

/* The chosen machine on all rows. */
static bool finish(const work *w, svf_gauss *result) {
  svf_arena *arena = w->solver->arena;
  svf_ls_rows rows = rows_of(w, w->n);
  svf_ls_path path = {.C = &result->C, .count = 1};
  svf_ls_form form;
  double *k = SVF_TAKE(arena, double, w->n * w->wide);
  if (!svf_ls_open(&form, &rows, w->solver->la, arena)) return false;
  form.stop = w->solver->stop;
  kernel(w, result->sigma, 0, w->n, w->n, k);
  if (!svf_ls_reduce(&form, k, arena)) return false;
  if (stopped(w)) return true;
  if (!svf_ls_walk(&form, &path, true, arena)) return false;
  kernel(w, result->sigma, 0, w->n, w->n, k);
  svf_ls_refine(&form, &path, k, result->alpha);
  result->error = svf_ls_error(&form, &path, 0, result->left_out);
  memcpy(result->bias, path.bias, w->problem->targets * sizeof *result->bias);
  return true;
}

double svf_gauss_memory(size_t n, size_t targets, size_t C_count) {
  double wide = (double)svf_padded(n);
  return svf_ls_memory(n, targets, C_count) + 8 * wide * (wide + 2 * (double)targets + 2);
}

bool svf_gauss_fit(const svf_gauss_problem *problem, const svf_solver *solver, svf_gauss *result) {
  svf_arena *arena = solver->arena;
  size_t n = problem->rows.n, count = problem->widths * problem->C_count;
  *result = (svf_gauss){.alpha = SVF_TAKE(arena, double, problem->targets *svf_padded(n)),
                        .bias = SVF_TAKE(arena, double, problem->targets),
                        .left_out = SVF_TAKE(arena, double, problem->targets *n)};
  svf_mark mark = svf_arena_mark(arena);
  work w = {.problem = problem, .solver = solver, .n = n, .wide = svf_padded(n), .fit = n - problem->held_out};
  w.distance = SVF_TAKE(arena, double, n *w.wide);
  w.error = SVF_ZERO(arena, double, count);
  bool fine = !svf_arena_failed(arena);
  if (fine) measure(&w);
  if (fine && count > 1) fine = svf_solver_share(solver, problem->widths, try_width, &w);
  if (fine && !stopped(&w)) {
    size_t best = best_of(&w);
    result->sigma = sigma_of(&w, best / problem->C_count);
    result->C = problem->C[best % problem->C_count];
    fine = finish(&w, result);
  }
  svf_arena_release(arena, mark);
  if (!fine) arena->failed = true;
  return fine;
}
