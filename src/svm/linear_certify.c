/* linear_certify.c - what a solution is worth, from the rows themselves in double. */
#include "svm/linear_shared.h"

/* The loss of a solution and its gradient, block by block. */
typedef struct proof {
  const svf_shared *shared;
  const svf_binary *problem;
  const double *w;
  double *loss, *pull; /* of each block: sum of cost slack^2; svf_padded(p) numbers, the sum of sign cost slack x */
} proof;

/* u += sum_i a[i] x_i over the rows of some panels. */
static void combine(const svf_shared *shared, size_t first, size_t panels, const double *a, double *u) {
  size_t at = first * SVF_PANEL;
  if (shared->panel) shared->la->panel_combine(panels, shared->p, shared->panel + at * shared->p, a, u);
  for (size_t i = 0; !shared->panel && i < panels * SVF_PANEL; i++)
    if (a[i] != 0) shared->la->row_add(svf_padded(shared->p), a[i], shared->x + (at + i) * shared->ld, u);
}

static bool prove_block(void *context, size_t index, svf_worker *worker) {
  (void)worker;
  enum { SOME = 8 }; /* panels that stay in the nearest cache between their two passes */
  const proof *k = context;
  const svf_shared *shared = k->shared;
  size_t end = (index + 1) * SVF_BLOCK < shared->panels ? (index + 1) * SVF_BLOCK : shared->panels;
  double s[SOME * SVF_PANEL] __attribute__((aligned(64))), loss = 0;
  for (size_t b = index * SVF_BLOCK; b < end; b += SOME) {
    size_t some = end - b < SOME ? end - b : SOME, first = b * SVF_PANEL;
    size_t count = shared->n - first < some * SVF_PANEL ? shared->n - first : some * SVF_PANEL;
    svf_shared_scores_double(shared, b, some, k->w, s);
    for (size_t i = 0; i < count; i++) {
      double sign = k->problem->sign[first + i], slack = 1 - sign * s[i];
      if (slack < 0) slack = 0;
      double pull = k->problem->cost[first + i] * slack;
      loss += pull * slack;
      s[i] = sign * pull;
    }
    for (size_t i = count; i < some * SVF_PANEL; i++) s[i] = 0;
    combine(shared, b, some, s, k->pull + index * svf_padded(shared->p));
  }
  k->loss[index] = loss;
  return true;
}

bool svf_shared_certify(const svf_shared *shared, const svf_binary *problem, double C, const svf_solver *solver,
                        const double *w, svf_solution *fit) {
  svf_mark mark = svf_arena_mark(solver->arena);
  size_t blocks = (shared->panels + SVF_BLOCK - 1) / SVF_BLOCK, ld = svf_padded(shared->p);
  proof k = {shared, problem, w, SVF_TAKE(solver->arena, double, blocks),
             SVF_ZERO(solver->arena, double, blocks *ld)};
  bool fine = !svf_arena_failed(solver->arena);
  if (fine) {
    double norm = 0, loss = 0, square = 0;
    svf_solver_share(solver, blocks, prove_block, &k);
    for (size_t b = 0; b < blocks; b++) loss += k.loss[b];
    for (size_t j = 0; j < shared->p; j++) {
      double pull = 0;
      for (size_t b = 0; b < blocks; b++) pull += k.pull[b * ld + j];
      norm += w[j] * w[j];
      square += (w[j] - 2 * C * pull) * (w[j] - 2 * C * pull);
    }
    fit->objective = .5 * norm + C * loss;
    fit->gap = fit->objective > 0 ? .5 * square / fit->objective : 0;
  }
  svf_arena_release(solver->arena, mark);
  return fine;
}
