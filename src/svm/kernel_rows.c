/* kernel_rows.c - a set's rows and matrices: class by class, dot products, kernels. */
#include <string.h>
#include "svm/kernel_set.h"

enum { BLOCK = 32, QUARTER = 256 << 20 };

static const double NOTHING = 0;

/* Rows class by class and fold by fold. */
static void sort_rows(svf_kernel_set *set) {
  const svf_kernel_problem *p = set->problem;
  size_t next = 0;
  for (size_t c = 0; c < p->m; c++) {
    set->start[c] = next;
    for (size_t f = 0; f < (p->fold ? p->folds : 1); f++)
      for (size_t i = 0; i < p->n; i++)
        if (p->label[i] == (int32_t)c && (!p->fold || p->fold[i] == (int32_t)f)) set->order[next++] = (uint32_t)i;
  }
  set->start[p->m] = next;
}

static void copy_row(const svf_kernel_set *set, size_t i) {
  const svf_kernel_problem *p = set->problem;
  const float *from = p->row[set->order[i]];
  float *to = set->x + i * set->ld;
  for (size_t j = 0; j < p->d; j++) to[j] = p->fill && from[j] != from[j] ? p->fill[j] : from[j];
  for (size_t j = p->d; j < set->ld; j++) to[j] = 0;
}

/* What a row counts by its class. */
static double share_of(const svf_kernel_set *set, size_t c) {
  const svf_kernel_problem *p = set->problem;
  double all = 0, own = 0;
  if (p->given || !p->balanced) return p->given ? p->given[c] : 1;
  for (size_t i = 0; i < p->n; i++) {
    double weight = p->weight ? p->weight[i] : 1;
    all += weight;
    if (p->label[i] == (int32_t)c) own += weight;
  }
  return all / ((double)p->m * own);
}

static void copy_rows(svf_kernel_set *set) {
  const svf_kernel_problem *p = set->problem;
  double share = 1;
  for (size_t i = 0; i < set->n && !svf_solver_stopped(&p->solver); i++) {
    size_t from = set->order[i], c = (size_t)p->label[from];
    if (i == set->start[c]) share = share_of(set, c);
    set->label[i] = p->label[from];
    set->fold[i] = p->fold ? p->fold[from] : 0;
    set->weight[i] = p->weight ? p->weight[from] : 1;
    set->cost[i] = set->weight[i] * share;
    set->id[i] = p->id ? p->id[from] : 0;
    copy_row(set, i);
    double sum = 0;
    for (size_t j = 0; j < p->d; j++) sum += (double)set->x[i * set->ld + j] * set->x[i * set->ld + j];
    set->square[i] = sum;
  }
}

static void place_machines(svf_kernel_set *set) {
  set->place[0] = 0;
  for (size_t a = 0; a < set->machines; a++) {
    svf_sides_of sides = svf_kernel_sides(set, a);
    set->place[a + 1] = set->place[a] + svf_padded(sides.count[0]) + svf_padded(sides.count[1]);
  }
}

bool svf_kernel_open(svf_kernel_set *set, const svf_kernel_problem *problem) {
  svf_arena *arena = problem->solver.arena;
  size_t n = problem->n;
  *set = (svf_kernel_set){.problem = problem, .n = n, .m = problem->m, .ld = svf_padded(problem->d)};
  set->machines = svf_machine_count(problem->scheme, problem->m);
  set->order = SVF_TAKE(arena, uint32_t, n);
  set->start = SVF_TAKE(arena, size_t, problem->m + 1);
  set->place = SVF_TAKE(arena, size_t, set->machines + 1);
  set->label = SVF_TAKE(arena, int32_t, n);
  set->fold = SVF_TAKE(arena, int32_t, n);
  set->weight = SVF_TAKE(arena, double, n);
  set->cost = SVF_TAKE(arena, double, n);
  set->id = SVF_TAKE(arena, uint32_t, n);
  set->x = SVF_TAKE(arena, float, n * set->ld);
  set->square = SVF_ZERO(arena, double, svf_padded(n));
  set->offset = SVF_ZERO(arena, double, n);
  set->diagonal = SVF_TAKE(arena, float, n);
  double bytes = (double)(problem->bytes ? problem->bytes : QUARTER), cells = (double)n * (double)svf_padded(n);
  set->dense = cells * (sizeof(double) + sizeof(float)) <= bytes;
  if (set->dense) {
    set->base = SVF_TAKE(arena, double, n *svf_padded(n));
    set->gram = SVF_TAKE(arena, float, n *svf_padded(n) + SVF_LANES);
  }
  if (svf_arena_failed(arena)) return false;
  if (set->dense)
    memset(set->gram + n * svf_padded(n), 0,
           SVF_LANES * sizeof *set->gram); /* read beyond the last run of rows, and not used */
  sort_rows(set);
  copy_rows(set);
  place_machines(set);
  return true;
}

svf_sides_of svf_kernel_sides(const svf_kernel_set *set, size_t machine) {
  svf_sides_of sides = {.plus = set->m == 2 ? 1 : (int32_t)machine, .minus = -1, .count[0] = set->n};
  if (set->problem->scheme != SVF_ONE_VS_ONE) return sides;
  size_t a = 0, pairs = set->m - 1;
  for (; machine >= pairs; pairs--, a++) machine -= pairs;
  size_t b = a + 1 + machine;
  return (svf_sides_of){.plus = (int32_t)a,
                        .minus = (int32_t)b,
                        .from = {set->start[a], set->start[b]},
                        .count = {set->start[a + 1] - set->start[a], set->start[b + 1] - set->start[b]}};
}

/* What kernels are made of, of row i against a range of rows. wide: room for ld doubles. */
static void base_row(const svf_kernel_set *set, svf_kernel_base of, size_t i, size_t from, size_t count, double *wide,
                     double *z) {
  const svf_la *la = set->problem->solver.la;
  const float *row = set->x + i * set->ld, *others = set->x + from * set->ld;
  if (of == SVF_BASE_CHI) la->dual->chi(count, set->ld, others, row, z);
  if (of == SVF_BASE_GIVEN)
    for (size_t j = 0; j < count; j++) z[j] = row[set->id[from + j]];
  if (of != SVF_BASE_DOT) return;
  for (size_t j = 0; j < set->ld; j++) wide[j] = row[j];
  la->answers(count, set->ld, others, 1, wide, z);
}

void svf_kernel_row(const svf_kernel_set *set, size_t i, const svf_sides_of *sides, double *wide, double *z) {
  size_t n = sides->count[0] + sides->count[1], at = 0;
  const svf_kernel *kernel = &set->kernel;
  for (int r = 0; r < 2; at += sides->count[r++])
    base_row(set, svf_kernel_base_of(kernel->kind), i, sides->from[r], sides->count[r], wide, z + at);
  if (kernel->kind == SVF_KERNEL_RBF) { /* squares of the two ranges do not stand together */
    for (int r = 0, j = 0; r < 2; r++)
      for (size_t k = 0; k < sides->count[r]; k++, j++) {
        double distance = set->square[i] + set->square[sides->from[r] + k] - 2 * z[j];
        z[j] = distance > 0 ? distance : 0;
      }
    set->problem->solver.la->dual->decays(n, kernel->gamma, z);
    return;
  }
  svf_kernel_values(kernel, set->problem->solver.la, n, set->square[i], &NOTHING, z);
  at = 0;
  for (int r = 0; r < 2; r++)
    for (size_t k = 0; k < sides->count[r]; k++) z[at++] -= set->offset[i] + set->offset[sides->from[r] + k];
}

/* ---- the matrices ---- */

/* Some rows of the base, up to the diagonal, by whichever thread. */
static bool make_base(void *context, size_t block, svf_worker *worker) {
  const svf_kernel_set *set = context;
  svf_solver solver = svf_solver_on(&set->problem->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  double *wide = SVF_TAKE(solver.arena, double, set->ld);
  size_t first = block * BLOCK, end = first + BLOCK < set->n ? first + BLOCK : set->n, ld = svf_padded(set->n);
  for (size_t i = first; wide && i < end; i++) base_row(set, set->of, i, 0, i + 1, wide, set->base + i * ld);
  svf_arena_release(solver.arena, mark);
  return wide != NULL;
}

static bool find_base(svf_kernel_set *set) {
  size_t ld = svf_padded(set->n);
  svf_kernel_base of = svf_kernel_base_of(set->kernel.kind);
  if (!set->dense || (set->based && set->of == of)) return true;
  set->of = of;
  if (!svf_solver_share(&set->problem->solver, (set->n + BLOCK - 1) / BLOCK, make_base, set)) return false;
  for (size_t i = 0; i < set->n && !svf_solver_stopped(&set->problem->solver); i++)
    for (size_t j = i + 1; j < set->n; j++) set->base[i * ld + j] = set->base[j * ld + i];
  set->based = true;
  return true;
}

static double one_value(const svf_kernel_set *set, double base, double own, double other) {
  double z[SVF_LANES] __attribute__((aligned(64))) = {base};
  svf_kernel_values(&set->kernel, set->problem->solver.la, 1, own, &other, z);
  return z[0];
}

/* a_i = K(x_i, c) - K(c, c) / 2. */
static bool find_offsets(svf_kernel_set *set) {
  svf_kernel_kind kind = set->kernel.kind;
  svf_arena *arena = set->problem->solver.arena;
  memset(set->offset, 0, set->n * sizeof *set->offset);
  if (kind != SVF_KERNEL_LINEAR && kind != SVF_KERNEL_POLY) return true;
  svf_mark mark = svf_arena_mark(arena);
  double *centre = SVF_ZERO(arena, double, set->ld), *z = SVF_ZERO(arena, double, svf_padded(set->n));
  if (!svf_arena_failed(arena)) {
    const svf_la *la = set->problem->solver.la;
    for (size_t i = 0; i < set->n; i++) la->dual->add(set->ld, 1, set->x + i * set->ld, centre);
    for (size_t j = 0; j < set->ld; j++) centre[j] /= (double)set->n;
    la->answers(set->n, set->ld, set->x, 1, centre, z);
    double own = one_value(set, la->dot(set->ld, centre, centre), 0, 0);
    svf_kernel_values(&set->kernel, la, set->n, 0, &NOTHING, z);
    for (size_t i = 0; i < set->n; i++) set->offset[i] = z[i] - own / 2;
  }
  bool fine = !svf_arena_failed(arena);
  svf_arena_release(arena, mark);
  return fine;
}

static bool make_gram(void *context, size_t block, svf_worker *worker) {
  const svf_kernel_set *set = context;
  svf_solver solver = svf_solver_on(&set->problem->solver, worker);
  svf_mark mark = svf_arena_mark(solver.arena);
  size_t first = block * BLOCK, end = first + BLOCK < set->n ? first + BLOCK : set->n, ld = svf_padded(set->n);
  double *z = SVF_ZERO(solver.arena, double, ld);
  for (size_t i = first; z && i < end; i++) {
    float *row = set->gram + i * ld;
    memcpy(z, set->base + i * ld, set->n * sizeof *z);
    svf_kernel_values(&set->kernel, solver.la, set->n, set->square[i], set->square, z);
    for (size_t j = 0; j < set->n; j++) row[j] = (float)(z[j] - (set->offset[i] + set->offset[j]));
    for (size_t j = set->n; j < ld; j++) row[j] = 0;
  }
  svf_arena_release(solver.arena, mark);
  return z != NULL;
}

static bool find_diagonal(svf_kernel_set *set) {
  svf_arena *arena = set->problem->solver.arena;
  svf_mark mark = svf_arena_mark(arena);
  double *wide = SVF_TAKE(arena, double, set->ld), z[SVF_LANES] __attribute__((aligned(64))) = {0};
  for (size_t i = 0; wide && i < set->n; i++) {
    svf_sides_of self = {.from = {i}, .count = {1}};
    if (!set->dense) svf_kernel_row(set, i, &self, wide, z);
    set->diagonal[i] = set->dense ? set->gram[i * svf_padded(set->n) + i] : (float)z[0];
  }
  svf_arena_release(arena, mark);
  return wide != NULL;
}

bool svf_kernel_take(svf_kernel_set *set, const svf_kernel *kernel) {
  set->kernel = *kernel;
  if (!find_base(set) || !find_offsets(set)) return false;
  if (set->dense && !svf_solver_share(&set->problem->solver, (set->n + BLOCK - 1) / BLOCK, make_gram, set))
    return false;
  return find_diagonal(set);
}
