/* solver.c - work on many rows for all threads (solver.h). */
#include "svm/solver.h"

typedef struct task {
  size_t n;
  svf_some_rows job;
  void *context;
} task;

static bool do_piece(void *context, size_t index, svf_worker *worker) {
  (void)worker;
  const task *t = context;
  size_t first = index * SVF_PIECE, end = t->n - first < SVF_PIECE ? t->n : first + SVF_PIECE;
  t->job(t->context, first, end);
  return true;
}

void svf_solver_rows(const svf_solver *solver, size_t n, svf_some_rows job, void *context) {
  task t = {n, job, context};
  svf_solver_share(solver, svf_pieces(n), do_piece, &t);
}
