/* kernel_svm.c - kernel support vector machines in the cell, one degree or width of several: choice and training.
 * kernel_svm.h says what the numbers mean.
 *
 * Candidates are the degrees of poly, the gamma_factors of rbf or chi2, or all of them (mixed). Held-out rows of the cell
 * decide which candidate and which C, or those of all cells of a few trees together (DeSalvo and Mohri, Random composite
 * forests, AAAI 2016, choose C per degree once, and use sqrt(m_k / m) C in a leaf with m_k of m rows); or a pick does. */
#include "leaf/leaf_code.h"
#include "leaf/kernel_svm.h"

#include <math.h>
#include <string.h>

/* ---- what is chosen for the whole forest ---- */

static bool kernel_of_forest(const svf_settings *settings) {
  return settings->kernel_choice == SVF_CHOOSE_FOREST && svf_kernel_candidates(settings) > 1;
}

static size_t ballots(const svf_settings *settings) {
  double C[SVF_LIST_SIZE];
  bool any = svf_kernel_C_of_forest(settings) || kernel_of_forest(settings);
  return any ? svf_kernel_candidates(settings) * svf_kernel_costs(settings, C) : 0;
}

/* ---- one cell ---- */

/* Trains the kernel in use and appends its numbers. */
static bool make(svf_kernel_cell *c, double C, svf_buffer *numbers, svf_kernel_machines *machines) {
  if (!svf_kernel_train(&c->set, C, machines)) return false;
  svf_kernel_result result = {&c->set, machines, c->present, c->held_out, c->sigmoid};
  return svf_kernel_write(&result, numbers);
}

/* First and last candidate that are tried here. */
static void candidates_of(const svf_kernel_cell *c, size_t *first, size_t *end) {
  const svf_settings *settings = c->ground->settings;
  *first = 0, *end = c->all->count;
  if (settings->kernel_choice == SVF_CHOOSE_LEAF || *end == 1) return;
  svf_random random = svf_site_random(c->ground, c->site, SVF_USE_LEAF, 1);
  *first = settings->kernel_choice == SVF_CHOOSE_FOREST ? c->all->taken : svf_random_below(&random, *end);
  *end = *first + 1;
}

static bool choose_and_make(svf_kernel_cell *c, svf_buffer *numbers) {
  double C[SVF_LIST_SIZE], best_C = 0;
  size_t first, end, best = 0, at, last = SVF_KL_CANDIDATES;
  svf_kernel_machines machines;
  bool fine = true;
  candidates_of(c, &first, &end);
  for (size_t q = first; fine && q < end; q++) {
    size_t count = svf_kernel_costs_of(c, q, C);
    if (q == first) best = q, best_C = C[0];
    if (!c->problem.fold) break;
    fine = svf_kernel_take(&c->set, &c->all->kernel[q]);
    last = q;
    if (fine && svf_kernel_try(c, C, count, &at, &fine)) best = q, best_C = C[at];
  }
  if (fine && last != best) fine = svf_kernel_take(&c->set, &c->all->kernel[best]);
  if (fine && c->held_out >= 0) fine = svf_kernel_calibrate(&c->set, c->held, c->sigmoid);
  return fine && make(c, best_C, numbers, &machines);
}

static svf_status train(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  svf_kernel_cell c = {.ground = ground, .site = site, .all = ground->shared};
  if (!svf_kernel_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m == 1) return svf_kernel_write_pure(c.present[0], numbers) ? SVF_OK : svf_no_memory(message, "a leaf");
  SVF_TRY(svf_kernel_cell_open(&c, message));
  return svf_kernel_ended(&c, choose_and_make(&c, numbers), message);
}

/* ---- a vote on C, and on the kernel, over the whole forest ---- */

static svf_status ballot(const svf_ground *ground, const svf_site *site, double *tally, svf_message *message) {
  svf_kernel_cell c = {.ground = ground, .site = site, .all = ground->shared};
  double C[SVF_LIST_SIZE];
  size_t count = svf_kernel_costs(ground->settings, C);
  bool fine = true;
  if (!svf_kernel_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m == 1) return SVF_OK; /* right whatever is chosen */
  SVF_TRY(svf_kernel_cell_open(&c, message));
  if (!c.problem.fold) return SVF_OK; /* a leaf of one row */
  for (size_t i = 0; ground->settings->C_scale == SVF_C_SCALE_ROOT && i < count; i++) C[i] *= sqrt(c.share);
  for (size_t q = 0; fine && q < c.all->count; q++) {
    fine = svf_kernel_take(&c.set, &c.all->kernel[q]) && svf_kernel_hold(&c.set, C, count, c.scores);
    for (size_t i = 0; fine && i < count; i++)
      tally[q * count + i] += svf_kernel_right(&c.set, c.scores + i * site->n * c.m);
  }
  return svf_kernel_ended(&c, fine, message);
}

static void settle(const svf_settings *settings, const double *tally, void *shared) {
  svf_kernel_common *all = shared;
  double C[SVF_LIST_SIZE], most = -1;
  size_t count = svf_kernel_costs(settings, C);
  for (size_t q = 0; q < all->count; q++) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
      if (tally[q * count + i] > tally[q * count + best]) best = i;
    all->C[q] = C[best];
    if (tally[q * count + best] > most) most = tally[q * count + best], all->taken = q;
  }
}

/* ---- for a pick that chooses among the candidates ---- */

static bool draft_one(svf_kernel_cell *c, size_t q, svf_draft *draft) {
  double C[SVF_LIST_SIZE];
  size_t count = svf_kernel_costs_of(c, q, C), at = 0;
  svf_kernel_machines machines;
  svf_arena *arena = &c->ground->worker->arena;
  svf_mark mark = svf_arena_mark(arena);
  bool fine = svf_kernel_take(&c->set, &c->all->kernel[q]);
  c->held_out = -1;
  if (fine && count > 1) svf_kernel_try(c, C, count, &at, &fine);
  fine = fine && make(c, C[at], &draft->numbers, &machines);
  double *own = SVF_TAKE(arena, double, c->site->n * c->m);
  fine = fine && own && svf_kernel_ask(&c->set, &machines, own);
  if (fine) draft->right = svf_kernel_right(&c->set, own);
  draft->capacity = svf_kernel_dimension(&c->all->kernel[q], c->ground->frame->d);
  svf_arena_release(arena, mark);
  return fine;
}

static svf_status draft(const svf_ground *ground, const svf_site *site, svf_draft *drafts, svf_message *message) {
  svf_kernel_cell c = {.ground = ground, .site = site, .all = ground->shared};
  bool fine = true;
  if (!svf_kernel_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m > 1) SVF_TRY(svf_kernel_cell_open(&c, message));
  for (size_t q = 0; fine && q < c.all->count; q++) {
    if (c.m > 1) {
      fine = draft_one(&c, q, &drafts[q]);
      continue;
    }
    fine = svf_kernel_write_pure(c.present[0], &drafts[q].numbers);
    drafts[q].capacity = svf_kernel_dimension(&c.all->kernel[q], ground->frame->d);
    for (size_t i = 0; i < site->n; i++)
      drafts[q].right += ground->frame->weight ? ground->frame->weight[site->rows[i]] : 1;
  }
  return svf_kernel_ended(&c, fine, message);
}

/* Sigmoids from held-out rows, into the places that they have in the numbers. */
static svf_status finish(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  svf_kernel_cell c = {.ground = ground, .site = site, .all = ground->shared};
  double *number = (double *)(void *)numbers->data;
  size_t at;
  if (!svf_kernel_classes(&c)) return svf_no_memory(message, "a leaf");
  if (c.m == 1) return SVF_OK;
  SVF_TRY(svf_kernel_cell_open(&c, message));
  if (!c.problem.fold) return SVF_OK;
  svf_kernel kernel = {(svf_kernel_kind)number[SVF_KL_KERNEL], number[SVF_KL_GAMMA], number[SVF_KL_COEF0],
                       (unsigned)number[SVF_KL_DEGREE]};
  bool fine = svf_kernel_take(&c.set, &kernel);
  if (fine) svf_kernel_try(&c, &number[SVF_KL_COST], 1, &at, &fine);
  fine = fine && svf_kernel_calibrate(&c.set, c.held, c.sigmoid);
  if (fine) memcpy(number + SVF_KL_HEAD + c.m, c.sigmoid, 2 * c.m * sizeof *number);
  if (fine) number[SVF_KL_HELD_OUT] = c.held_out;
  return svf_kernel_ended(&c, fine, message);
}

static const char *const settings_read[] = {
    "kernel",   "degrees",       "gamma",   "gamma_factors", "coef0",     "multiclass", "rest_weight",  "C", "C_grid",
    "C_choice", "kernel_choice", "C_scale", "folds",         "tolerance", "max_steps",  "choice_trees", NULL};

extern const svf_leaf svf_leaf_kernel;
const svf_leaf svf_leaf_kernel = {.kind.name = "kernel-svm",
                                  .kind.help = "kernel machines, degree or width and C by cross-validation",
                                  .kind.settings = settings_read,
                                  .kind.check = svf_kernel_check,
                                  .prepare = svf_kernel_prepare,
                                  .ballots = ballots,
                                  .ballot = ballot,
                                  .settle = settle,
                                  .drafts = svf_kernel_candidates,
                                  .draft = draft,
                                  .finish = finish,
                                  .train = train,
                                  .valid = svf_kernel_valid,
                                  .predict = svf_kernel_predict,
                                  .class_costs = true,
                                  .capacity = svf_kernel_capacity,
                                  .gap = svf_kernel_gap,
                                  .text = svf_kernel_text,
                                  .code = &svf_kernel_code};
