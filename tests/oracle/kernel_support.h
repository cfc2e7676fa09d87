/* kernel_support.h - random problems for LIBSVM and for the kernel machines, and kernels as they are defined, in double. */
#ifndef SVF_TESTS_ORACLE_KERNEL_SUPPORT_H
#define SVF_TESTS_ORACLE_KERNEL_SUPPORT_H

#include <libsvm/svm.h>
#include <math.h>
#include "support/test.h"
#include "svm/kernel_set.h"

typedef struct trial {
  svf_kernel kernel;
  size_t n, d, m;
  double C, heavy; /* class weight: heavy^class */
  bool repeats;    /* every third row stands twice; ours has it once, with weight 2 */
  bool twins;      /* every fourth row is the one before, with a label of its own */
  svf_scheme scheme;
} trial;

/* The same rows for both: `each` of ours has `times` copies in LIBSVM's problem. */
typedef struct rivals {
  const trial *from;
  float *x; /* n x d */
  const float **row;
  int32_t *label;
  double *weight, *class_weight;
  uint32_t *id;
  struct svm_problem theirs;
  struct svm_parameter how;
  struct svm_node *node;
  svf_kernel_problem ours;
} rivals;

static inline double raw_kernel(const svf_kernel *k, size_t d, const float *x, const float *z) {
  double dot = 0, distance = 0, chi = 0;
  for (size_t j = 0; j < d; j++) {
    double a = x[j], b = z[j];
    dot += a * b;
    distance += (a - b) * (a - b);
    if (a + b > 0) chi += (a - b) * (a - b) / (a + b);
  }
  switch (k->kind) {
  case SVF_KERNEL_LINEAR:
    return dot;
  case SVF_KERNEL_POLY:
    return pow(k->gamma * dot + k->coef0, k->degree);
  case SVF_KERNEL_RBF:
    return exp(-k->gamma * distance);
  default:
    return exp(-k->gamma * chi);
  }
}

/* A class by distances to random centres, one row in eight at random. */
static inline int32_t draw_label(svf_random *random, const trial *t, const float *x, const float *centre) {
  size_t best = 0;
  double least = INFINITY;
  for (size_t c = 0; c < 3 * t->m; c++) {
    double distance = 0;
    for (size_t j = 0; j < t->d; j++) distance += pow((double)x[j] - (double)centre[c * t->d + j], 2);
    if (distance < least) least = distance, best = c % t->m;
  }
  return (int32_t)(svf_random_below(random, 8) ? best : svf_random_below(random, t->m));
}

static inline void draw_rows(rivals *r, svf_random *random) {
  const trial *t = r->from;
  float *centre = calloc(3 * t->m * t->d, sizeof *centre);
  for (size_t c = 0; c < 3 * t->m * t->d; c++) centre[c] = (float)svf_random_unit(random);
  for (size_t i = 0; i < t->n; i++) {
    float *x = r->x + i * t->d;
    for (size_t j = 0; j < t->d; j++) x[j] = (float)svf_random_unit(random);
    if (t->twins && i % 4 == 3) memcpy(x, x - t->d, t->d * sizeof *x);
    r->row[i] = x;
    r->label[i] = i < t->m ? (int32_t)i : draw_label(random, t, x, centre);
    r->weight[i] = t->repeats && i % 3 == 1 ? 2 : 1;
    r->id[i] = (uint32_t)i;
  }
  free(centre);
}

/* Rows as LIBSVM wants them; a kernel it does not have is given as a matrix. */
static inline void tell_libsvm(rivals *r) {
  const trial *t = r->from;
  bool given = t->kernel.kind >= SVF_KERNEL_CHI2;
  size_t width = (given ? t->n + 1 : t->d) + 1, l = 0;
  r->node = calloc(2 * t->n * width, sizeof *r->node);
  r->theirs.x = calloc(2 * t->n, sizeof *r->theirs.x);
  r->theirs.y = calloc(2 * t->n, sizeof *r->theirs.y);
  for (size_t i = 0; i < t->n; i++)
    for (int copy = 0; copy < (int)r->weight[i]; copy++, l++) {
      struct svm_node *at = r->theirs.x[l] = r->node + l * width;
      r->theirs.y[l] = r->label[i];
      if (given) *at++ = (struct svm_node){0, (double)i + 1};
      for (size_t j = 0; j < (given ? t->n : t->d); j++) {
        const float *x = r->x + i * t->d;
        *at++ =
            (struct svm_node){(int)j + 1, given ? raw_kernel(&t->kernel, t->d, x, r->x + j * t->d) : (double)x[j]};
      }
      at->index = -1;
    }
  r->theirs.l = (int)l;
}

static inline void quiet(const char *text) { (void)text; }

static inline void rivals_open(rivals *r, const trial *t, uint64_t seed) {
  static const int types[] = {LINEAR, POLY, RBF, PRECOMPUTED, PRECOMPUTED};
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = SVF_USE_SYNTH});
  *r = (rivals){.from = t};
  r->x = calloc(t->n * t->d, sizeof *r->x);
  r->row = calloc(t->n, sizeof *r->row);
  r->label = calloc(t->n, sizeof *r->label);
  r->weight = calloc(t->n, sizeof *r->weight);
  r->class_weight = calloc(t->m, sizeof *r->class_weight);
  r->id = calloc(t->n, sizeof *r->id);
  draw_rows(r, &random);
  tell_libsvm(r);
  r->how = (struct svm_parameter){.svm_type = C_SVC,
                                  .kernel_type = types[t->kernel.kind],
                                  .degree = (int)t->kernel.degree,
                                  .gamma = t->kernel.gamma,
                                  .coef0 = t->kernel.coef0,
                                  .cache_size = 50,
                                  .eps = 1e-6,
                                  .C = t->C,
                                  .nr_weight = (int)t->m,
                                  .shrinking = 1};
  r->how.weight_label = calloc(t->m, sizeof(int));
  r->how.weight = calloc(t->m, sizeof(double));
  for (size_t c = 0; c < t->m; c++) {
    r->how.weight_label[c] = (int)c;
    r->how.weight[c] = r->class_weight[c] = pow(t->heavy, (double)c);
  }
  r->ours = (svf_kernel_problem){.n = t->n,
                                 .d = t->d,
                                 .row = r->row,
                                 .id = r->id,
                                 .label = r->label,
                                 .m = t->m,
                                 .weight = r->weight,
                                 .scheme = t->scheme,
                                 .given = r->class_weight,
                                 .rest_class = true};
  svm_set_print_string_function(quiet);
}

static inline void rivals_close(rivals *r) {
  free(r->x);
  free(r->row);
  free(r->label);
  free(r->weight);
  free(r->class_weight);
  free(r->id);
  free(r->node);
  free(r->theirs.x);
  free(r->theirs.y);
  free(r->how.weight_label);
  free(r->how.weight);
}

#endif
