/* kernel.c - the kernel machines of a leaf against LIBSVM: degrees 1..9, six values of C, three folds, one-vs-one.
 *
 * Both end where the violation of the optimality conditions is at most 1e-3, and both score the held-out rows of every fold.
 * LIBSVM is called once per degree, C and fold. Prints milliseconds of both, the ratio, and the held-out rows that each
 * gets right over the whole grid; exits 1 if the ratio of any leaf is below 10. */
#include <libsvm/svm.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "data/folds.h"
#include "svm/kernel_set.h"

enum { DEGREES = 9, COSTS = 6, FOLDS = 3 };
static const double BAR = 10, C_values[COSTS] = {1e-3, 1e-2, 1e-1, 1, 10, 100};

typedef struct leaf {
  const char *name;
  size_t n, d, m;
  double spread;
  float *x;
  const float **row;
  int32_t *label, *fold;
} leaf;

/* Processor time of this thread: what other programs take does not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *take(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) exit(1);
  return memory;
}

/* Normals around the centres of their classes, brought to [0,1]. */
static void make(leaf *l, svf_arena *arena) {
  svf_random random = svf_random_at((svf_place){.seed = l->n, .use = SVF_USE_SYNTH});
  double *centre = take(l->m * l->d, sizeof *centre);
  l->x = take(l->n * l->d, sizeof *l->x);
  l->row = take(l->n, sizeof *l->row);
  l->label = take(l->n, sizeof *l->label);
  l->fold = take(l->n, sizeof *l->fold);
  for (size_t i = 0; i < l->m * l->d; i++) centre[i] = svf_random_normal(&random);
  for (size_t i = 0; i < l->n; i++) {
    l->label[i] = (int32_t)(i % l->m);
    l->row[i] = l->x + i * l->d;
    for (size_t j = 0; j < l->d; j++) {
      double z = centre[(size_t)l->label[i] * l->d + j] + l->spread * svf_random_normal(&random);
      l->x[i * l->d + j] = (float)fmin(1, fmax(0, .5 + z / 8));
    }
  }
  if (!svf_stratified(&random, l->label, l->n, FOLDS, arena, l->fold)) exit(1);
  free(centre);
}

static double ours(const leaf *l, svf_arena *arena, double *seconds) {
  svf_kernel_problem problem = {
      .n = l->n,
      .d = l->d,
      .row = l->row,
      .label = l->label,
      .m = l->m,
      .fold = l->fold,
      .folds = FOLDS,
      .scheme = SVF_ONE_VS_ONE,
      .solver = {.la = svf_la_choose(false), .tolerance = 1, .max_steps = 10000, .arena = arena}};
  svf_mark mark = svf_arena_mark(arena);
  svf_kernel_set set;
  double right = 0, start = now();
  double *score = SVF_TAKE(arena, double, COSTS * l->n * l->m);
  bool fine = score && svf_kernel_open(&set, &problem);
  for (unsigned degree = 1; fine && degree <= DEGREES; degree++) {
    svf_kernel kernel = {SVF_KERNEL_POLY, 1 / (double)l->d, 1, degree};
    fine = svf_kernel_take(&set, &kernel) && svf_kernel_hold(&set, C_values, COSTS, score);
    for (size_t c = 0; fine && c < COSTS; c++) right += svf_kernel_right(&set, score + c * l->n * l->m);
  }
  if (!fine) exit(1);
  *seconds = now() - start;
  svf_arena_release(arena, mark);
  return right;
}

static void quiet(const char *text) { (void)text; }

/* One fit without fold f, and its held-out rows that are right. */
static double fit(const struct svm_problem *all, const leaf *l, const struct svm_parameter *how, int f) {
  struct svm_problem part = {.y = take(l->n, sizeof(double)), .x = take(l->n, sizeof(struct svm_node *))};
  double right = 0;
  for (size_t i = 0; i < l->n; i++)
    if (l->fold[i] != f) part.x[part.l] = all->x[i], part.y[part.l++] = all->y[i];
  struct svm_model *model = svm_train(&part, how);
  for (size_t i = 0; i < l->n; i++)
    if (l->fold[i] == f) right += svm_predict(model, all->x[i]) == all->y[i];
  svm_free_and_destroy_model(&model);
  free(part.x);
  free(part.y);
  return right;
}

static double theirs(const leaf *l, double *seconds) {
  struct svm_problem all = {
      .l = (int)l->n, .y = take(l->n, sizeof(double)), .x = take(l->n, sizeof(struct svm_node *))};
  struct svm_node *node = take(l->n * (l->d + 1), sizeof *node);
  for (size_t i = 0; i < l->n; i++) {
    all.x[i] = node + i * (l->d + 1);
    all.y[i] = l->label[i];
    for (size_t j = 0; j < l->d; j++) all.x[i][j] = (struct svm_node){(int)j + 1, (double)l->x[i * l->d + j]};
    all.x[i][l->d].index = -1;
  }
  svm_set_print_string_function(quiet);
  double right = 0, start = now();
  for (int degree = 1; degree <= DEGREES; degree++)
    for (size_t c = 0; c < COSTS; c++)
      for (int f = 0; f < FOLDS; f++) {
        struct svm_parameter how = {.svm_type = C_SVC,
                                    .kernel_type = POLY,
                                    .degree = degree,
                                    .gamma = 1 / (double)l->d,
                                    .coef0 = 1,
                                    .cache_size = 100,
                                    .eps = 1e-3,
                                    .C = C_values[c],
                                    .shrinking = 1};
        right += fit(&all, l, &how, f);
      }
  *seconds = now() - start;
  free(node);
  free(all.x);
  free(all.y);
  return right;
}

int main(void) {
  leaf leaves[] = {{.name = "easy", .n = 500, .d = 16, .m = 10, .spread = .5},
                   {.name = "middling", .n = 500, .d = 16, .m = 10, .spread = 1},
                   {.name = "hard", .n = 500, .d = 16, .m = 10, .spread = 2},
                   {.name = "wide", .n = 500, .d = 64, .m = 10, .spread = 1.5}};
  svf_arena arena = {0};
  double sum = 0, rivals = 0, least = INFINITY;
  printf("%-10s %6s %4s %4s %10s %10s %7s %9s %9s\n", "leaf", "rows", "d", "m", "ours ms", "LIBSVM ms", "ratio",
         "right", "LIBSVM's");
  for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
    leaf *l = &leaves[i];
    double own, rival;
    make(l, &arena);
    double right = ours(l, &arena, &own), other = theirs(l, &rival), all = (double)(l->n * DEGREES * COSTS);
    printf("%-10s %6zu %4zu %4zu %10.1f %10.1f %7.1f %8.2f%% %8.2f%%\n", l->name, l->n, l->d, l->m, 1e3 * own,
           1e3 * rival, rival / own, 100 * right / all, 100 * other / all);
    sum += own, rivals += rival, least = fmin(least, rival / own);
    free(l->x);
    free(l->row);
    free(l->label);
    free(l->fold);
  }
  printf("%-10s %16s %10.1f %10.1f %7.1f\n", "all", "", 1e3 * sum, 1e3 * rivals, rivals / sum);
  svf_arena_free(&arena);
  printf("\nleast %.1f (at least %g): %s\n", least, BAR, least >= BAR ? "PASS" : "miss");
  return least < BAR;
}
