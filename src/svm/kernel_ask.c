/* kernel_ask.c - what the machines of a set say of the set's own rows.
 *
 * The rows that are asked stand in the lanes of vectors: K is symmetric, so the values of a support vector with a run of
 * rows are neighbours. A run is of one fold, for whose rows the same machines speak. */
#include <string.h>
#include "svm/kernel_set.h"

enum { ROWS = 32 }; /* asked together */

/* The runs of rows, each of one fold where that matters; first: n + 1 numbers. */
static size_t list_runs(const svf_kernel_set *set, bool by_fold, size_t *first) {
  size_t count = 0;
  for (size_t i = 0; i < set->n; i++)
    if (!count || i - first[count - 1] == ROWS || (by_fold && set->fold[i] != set->fold[i - 1])) first[count++] = i;
  first[count] = set->n;
  return count;
}

/* One run at work. */
typedef struct inquiry {
  const svf_asking *k;
  size_t first, rows, part;
  const float *values; /* K of row j of the set with the run's rows: from values + j * stride on */
  size_t stride;
  double *machine; /* [machine][C][ROWS] */
  double *one;     /* machines: of one row and C */
} inquiry;

/* Without the matrix, the rows of K that the run needs, turned over. */
static bool make_values(inquiry *q, svf_arena *arena) {
  const svf_kernel_set *set = q->k->set;
  q->stride = svf_padded(set->n);
  if (set->dense) {
    q->values = set->gram + q->first;
    return true;
  }
  svf_sides_of all = {.count = {set->n}};
  double *wide = SVF_TAKE(arena, double, set->ld), *z = SVF_TAKE(arena, double, q->stride);
  float *values = SVF_ZERO(arena, float, set->n *ROWS);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < q->rows; i++) {
    svf_kernel_row(set, q->first + i, &all, wide, z);
    for (size_t j = 0; j < set->n; j++) values[j * ROWS + i] = (float)z[j];
  }
  q->values = values;
  q->stride = ROWS;
  return true;
}

static void ask_machine(const inquiry *q, size_t a) {
  const svf_asking *k = q->k;
  const svf_kernel_set *set = k->set;
  size_t Cs = k->C_count, at = q->part * set->place[set->machines] + set->place[a];
  double *out = q->machine + a * Cs * ROWS;
  for (size_t C = 0; C < Cs; C++)
    for (size_t i = 0; i < ROWS; i++) out[C * ROWS + i] = k->kept[(q->part * Cs + C) * set->machines + a];
  svf_weighing w = {.n = q->rows,
                    .count = Cs,
                    .room = ROWS,
                    .terms = k->terms[q->part * set->machines + a],
                    .row = k->row + at,
                    .a = k->beta + at * Cs,
                    .k = q->values,
                    .stride = q->stride};
  set->problem->solver.la->dual->weigh(&w, out);
}

static void score_rows(const inquiry *q, size_t C) {
  const svf_kernel_set *set = q->k->set;
  for (size_t i = 0; i < q->rows; i++) {
    for (size_t a = 0; a < set->machines; a++) q->one[a] = q->machine[(a * q->k->C_count + C) * ROWS + i];
    svf_class_scores(set->problem->scheme, set->m, q->one, q->k->score + (C * set->n + q->first + i) * set->m);
  }
}

static bool ask_run(void *context, size_t run, svf_worker *worker) {
  const svf_asking *k = context;
  const svf_kernel_set *set = k->set;
  svf_solver solver = svf_solver_on(&set->problem->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  inquiry q = {.k = k, .first = k->run[run], .rows = k->run[run + 1] - k->run[run]};
  q.part = k->parts > 1 ? (size_t)set->fold[q.first] : 0;
  q.machine = SVF_TAKE(solver.arena, double, set->machines * k->C_count * ROWS);
  q.one = SVF_TAKE(solver.arena, double, set->machines);
  bool fine = make_values(&q, solver.arena) && !svf_arena_failed(solver.arena);
  for (size_t a = 0; fine && a < set->machines; a++) ask_machine(&q, a);
  for (size_t C = 0; fine && C < k->C_count; C++) score_rows(&q, C);
  svf_arena_release(solver.arena, mark);
  return fine;
}

bool svf_kernel_ask_all(svf_asking *k) {
  const svf_solver *solver = &k->set->problem->solver;
  svf_mark mark = svf_arena_mark(solver->arena);
  size_t *run = SVF_TAKE(solver->arena, size_t, k->set->n + 1);
  k->run = run;
  bool fine = run && svf_solver_share(solver, list_runs(k->set, k->parts > 1, run), ask_run, k);
  svf_arena_release(solver->arena, mark);
  return fine;
}

bool svf_asking_open(svf_asking *k, const svf_kernel_set *set, size_t parts, size_t C_count) {
  svf_arena *arena = set->problem->solver.arena;
  size_t room = parts * set->place[set->machines];
  *k = (svf_asking){.set = set, .parts = parts, .C_count = C_count};
  k->beta = SVF_ZERO(arena, double, room *C_count);
  k->row = SVF_TAKE(arena, uint32_t, room);
  k->terms = SVF_TAKE(arena, size_t, parts * set->machines);
  k->kept = SVF_TAKE(arena, double, parts *C_count * set->machines);
  return !svf_arena_failed(arena);
}

/* Rows without a coefficient take no time when others are asked. */
void svf_asking_close_up(svf_asking *k, size_t part, size_t a, size_t rows) {
  const svf_kernel_set *set = k->set;
  size_t at = part * set->place[set->machines] + set->place[a], Cs = k->C_count, terms = 0;
  double *beta = k->beta + at * Cs;
  uint32_t *row = k->row + at;
  for (size_t i = 0; i < rows; i++) {
    bool any = false;
    for (size_t C = 0; C < Cs; C++) any |= beta[i * Cs + C] != 0;
    if (!any) continue;
    row[terms] = row[i];
    memmove(beta + terms++ * Cs, beta + i * Cs, Cs * sizeof *beta);
  }
  k->terms[part * set->machines + a] = terms;
}

bool svf_kernel_ask(const svf_kernel_set *set, const svf_kernel_machines *machines, double *score) {
  svf_arena *arena = set->problem->solver.arena;
  svf_mark mark = svf_arena_mark(arena);
  svf_asking k;
  bool fine = svf_asking_open(&k, set, 1, 1);
  for (size_t a = 0; fine && a < set->machines; a++) {
    svf_sides_of sides = svf_kernel_sides(set, a);
    size_t at = set->place[a], second = svf_padded(sides.count[0]) - sides.count[0], rows = 0;
    for (int r = 0; r < 2; r++)
      for (size_t i = 0; i < sides.count[r]; i++, rows++) {
        k.row[at + rows] = (uint32_t)(sides.from[r] + i);
        k.beta[at + rows] = machines->beta[at + rows + (r ? second : 0)];
      }
    k.kept[a] = machines->kept[a];
    svf_asking_close_up(&k, 0, a, rows);
  }
  k.score = score;
  fine = fine && svf_kernel_ask_all(&k);
  svf_arena_release(arena, mark);
  return fine;
}

double svf_kernel_right(const svf_kernel_set *set, const double *score) {
  double right = 0;
  for (size_t i = 0; i < set->n; i++)
    if (svf_largest(set->m, score + i * set->m) == (size_t)set->label[i]) right += set->weight[i];
  return right;
}
