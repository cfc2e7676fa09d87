/* support.h - random problems for LIBLINEAR and for the solvers, and the worth of a solution from raw data alone. */
#ifndef SVF_TESTS_ORACLE_SUPPORT_H
#define SVF_TESTS_ORACLE_SUPPORT_H

#include <linear.h>
#include "support/test.h"
#include "svm/solver.h"

typedef enum oracle_kind {
  OVERLAP,   /* a plane, one row in seven on the wrong side */
  SEPARABLE, /* a plane */
  HOPELESS,  /* labels drawn without looking */
  TWINS,     /* every second row repeats the one before, with a label of its own */
  CONSTANT,  /* as OVERLAP; every third column is constant, every ninth 0 */
  SPARSE,    /* as OVERLAP; nine numbers of ten are 0 */
  UNSCALED,  /* as OVERLAP; columns from 1/100 to 100 */
  ONE_CLASS, /* all labels equal */
} oracle_kind;

typedef struct oracle_case {
  oracle_kind kind;
  size_t n, d, m; /* rows, features, classes */
  double C;
  double heavy; /* cost of a row: heavy^label */
} oracle_case;

typedef struct oracle {
  const oracle_case *made_from;
  svf_rows rows;
  double *x;
  int32_t *label;
  double *sign, *cost;        /* label 0: +1, others: -1 */
  struct problem problem;     /* the same for LIBLINEAR, the constant among the features */
  struct feature_node **node; /* n */
} oracle;

static inline double oracle_number(oracle_kind kind, svf_random *random, size_t j) {
  double value = svf_random_unit(random);
  if (kind == CONSTANT && j % 3 == 1) return j % 9 == 1 ? 0 : 0.5;
  if (kind == SPARSE && svf_random_unit(random) < 0.9) return 0;
  return value;
}

/* The class whose plane is highest at x, or what the kind makes of it. */
static inline int32_t oracle_label(const oracle_case *from, svf_random *random, const double *x,
                                   const double *plane) {
  int32_t best = 0, other = (int32_t)svf_random_below(random, from->m);
  double top = -1e300, chance = svf_random_unit(random);
  for (int32_t k = 0; k < (int32_t)from->m; k++) {
    double height = 0;
    for (size_t j = 0; j < from->d; j++) height += plane[(size_t)k * from->d + j] * (x[j] - 0.5);
    if (height > top) top = height, best = k;
  }
  if (from->kind == ONE_CLASS) return 1;
  if (from->kind == HOPELESS) return other;
  return from->kind != SEPARABLE && chance < 1.0 / 7 ? other : best;
}

static inline void oracle_nodes(oracle *o, svf_arena *arena) {
  size_t n = o->rows.n, p = o->rows.p;
  struct feature_node *node = SVF_TAKE(arena, struct feature_node, n * (p + 1));
  o->node = SVF_TAKE(arena, struct feature_node *, n);
  double *target = SVF_TAKE(arena, double, n);
  for (size_t i = 0; i < n; i++) {
    o->node[i] = node;
    target[i] = o->label[i];
    for (size_t j = 0; j < p; j++)
      if (o->x[i * o->rows.ld + j] != 0) *node++ = (struct feature_node){(int)j + 1, o->x[i * o->rows.ld + j]};
    *node++ = (struct feature_node){-1, 0};
  }
  o->problem = (struct problem){.l = (int)n, .n = (int)p, .y = target, .x = o->node, .bias = -1};
}

/* Every class has a row where there are enough. */
static inline oracle oracle_make(svf_arena *arena, const oracle_case *from, uint64_t seed) {
  size_t n = from->n, d = from->d, ld = svf_padded(d + 1);
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = SVF_USE_SYNTH});
  oracle o = {.made_from = from, .x = SVF_ZERO(arena, double, n *ld)};
  double *plane = SVF_TAKE(arena, double, from->m *d);
  o.label = SVF_TAKE(arena, int32_t, n);
  o.sign = SVF_TAKE(arena, double, n);
  o.cost = SVF_TAKE(arena, double, n);
  o.rows = (svf_rows){n, d + 1, ld, o.x};
  for (size_t j = 0; j < from->m * d; j++) plane[j] = svf_random_normal(&random);
  for (size_t i = 0; i < n; i++) {
    double *x = o.x + i * ld;
    for (size_t j = 0; j < d; j++) x[j] = oracle_number(from->kind, &random, j);
    x[d] = 1;
    o.label[i] = oracle_label(from, &random, x, plane);
    for (size_t j = 0; j < d && from->kind == UNSCALED; j++) x[j] *= pow(10, 4 * (double)j / (double)d - 2);
    if (from->kind == TWINS && i % 2) memcpy(x, x - ld, ld * sizeof *x);
    if (from->kind == TWINS && i % 2) o.label[i] = (int32_t)svf_random_below(&random, from->m);
    if (from->kind != ONE_CLASS && i < from->m) o.label[i] = (int32_t)i;
    o.sign[i] = o.label[i] == 0 ? 1 : -1;
    o.cost[i] = pow(from->heavy, o.label[i]);
  }
  oracle_nodes(&o, arena);
  return o;
}

static inline void oracle_quiet(const char *text) { (void)text; }

/* LIBLINEAR's solution at eps: m x ld numbers; a two-class one has its plane for label 0 in the first ld. */
static inline void oracle_liblinear(const oracle *o, int type, double eps, double *w) {
  int names[64];
  double weights[64];
  const oracle_case *from = o->made_from;
  int count = 0; /* of the labels that occur: LIBLINEAR warns of others */
  for (int k = 0; k < (int)from->m; k++)
    if (from->kind != ONE_CLASS || k == 1) names[count] = k, weights[count++] = pow(from->heavy, k);
  struct parameter parameter = {
      .solver_type = type, .eps = eps, .C = from->C, .nr_weight = count, .weight_label = names, .weight = weights};
  set_print_string_function(oracle_quiet);
  assert_null(check_parameter(&o->problem, &parameter));
  struct model *model = train(&o->problem, &parameter);
  bool joint = type == MCSVM_CS;
  size_t planes = joint || model->nr_class != 2 ? (size_t)model->nr_class : 1;
  memset(w, 0, from->m * o->rows.ld * sizeof *w);
  for (size_t q = 0; q < planes; q++)
    for (size_t j = 0; j < o->rows.p; j++) {
      double value = model->w[j * planes + q];
      if (joint) w[(size_t)model->label[q] * o->rows.ld + j] = value;
      else w[j] = model->label[0] == 0 ? value : -value;
    }
  free_and_destroy_model(&model);
}

static inline double oracle_score(const oracle *o, size_t i, const double *w) {
  double sum = 0;
  for (size_t j = 0; j < o->rows.p; j++) sum += o->x[i * o->rows.ld + j] * w[j];
  return sum;
}

static inline double oracle_square(size_t n, const double *w) {
  double sum = 0;
  for (size_t j = 0; j < n; j++) sum += w[j] * w[j];
  return sum;
}

/* P(w) of a two-class machine with max(0, 1 - margin)^power. */
static inline double oracle_binary(const oracle *o, const double *w, int power) {
  double P = 0.5 * oracle_square(o->rows.p, w);
  for (size_t i = 0; i < o->rows.n; i++) {
    double slack = fmax(0, 1 - o->sign[i] * oracle_score(o, i, w));
    P += o->made_from->C * o->cost[i] * (power == 2 ? slack * slack : slack);
  }
  return P;
}

/* P(w) of Crammer and Singer's machine. */
static inline double oracle_joint(const oracle *o, const double *w) {
  size_t m = o->made_from->m;
  double P = 0.5 * oracle_square(m * o->rows.ld, w);
  for (size_t i = 0; i < o->rows.n; i++) {
    double own = oracle_score(o, i, w + (size_t)o->label[i] * o->rows.ld), top = own;
    for (size_t k = 0; k < m; k++)
      if (k != (size_t)o->label[i]) top = fmax(top, 1 + oracle_score(o, i, w + k * o->rows.ld));
    P += o->made_from->C * o->cost[i] * (top - own);
  }
  return P;
}

/* D of the squared hinge at alpha_i = 2 u_i max(0, 1 - margin_i), u_i = C c_i:
 *   sum alpha_i - alpha_i^2 / (4 u_i) - 1/2 |sum alpha_i y_i x_i|^2. */
static inline double oracle_squared_dual(const oracle *o, const double *w) {
  double D = 0, *v = calloc(o->rows.ld, sizeof *v);
  for (size_t i = 0; i < o->rows.n; i++) {
    double u = o->made_from->C * o->cost[i];
    double alpha = 2 * u * fmax(0, 1 - o->sign[i] * oracle_score(o, i, w));
    D += alpha - alpha * alpha / (4 * u);
    for (size_t j = 0; j < o->rows.p; j++) v[j] += alpha * o->sign[i] * o->x[i * o->rows.ld + j];
  }
  D -= 0.5 * oracle_square(o->rows.p, v);
  free(v);
  return D;
}

/* Solves the positive definite f x f system in place, by elimination; h and b are spoilt, b becomes the solution. */
static inline void oracle_eliminate(size_t f, double *h, double *b) {
  for (size_t k = 0; k < f; k++)
    for (size_t i = k + 1; i < f; i++) {
      double ratio = h[i * f + k] / h[k * f + k];
      for (size_t j = k; j < f && ratio != 0; j++) h[i * f + j] -= ratio * h[k * f + j];
      b[i] -= ratio * b[k];
    }
  for (size_t k = f; k-- > 0;) {
    for (size_t j = k + 1; j < f; j++) b[k] -= h[k * f + j] * b[j];
    b[k] /= h[k * f + k];
  }
}

/* A dual point of the hinge: alpha_i, and the rows among them that may still change. */
typedef struct oracle_dual {
  double *alpha, *rest; /* n; ld: w - sum alpha_i y_i x_i */
  size_t *row, f;       /* rows that may change, and how many */
} oracle_dual;

static inline void oracle_rest(const oracle *o, const double *w, oracle_dual *dual) {
  memcpy(dual->rest, w, o->rows.p * sizeof *w);
  for (size_t i = 0; i < o->rows.n; i++)
    for (size_t j = 0; j < o->rows.p; j++) dual->rest[j] -= dual->alpha[i] * o->sign[i] * o->x[i * o->rows.ld + j];
}

/* The smallest change of the free alpha that makes rest 0, cut to the box; what meets its bound is no longer free. */
static inline void oracle_mend(const oracle *o, oracle_dual *dual) {
  size_t p = o->rows.p, ld = o->rows.ld, f = dual->f;
  double *h = calloc(p * p, sizeof *h), *y = calloc(p, sizeof *y);
  for (size_t a = 0; a < f; a++) {
    const double *x = o->x + dual->row[a] * ld;
    for (size_t j = 0; j < p; j++)
      for (size_t k = 0; k < p && x[j] != 0; k++) h[j * p + k] += x[j] * x[k];
  }
  double trace = 0;
  for (size_t j = 0; j < p; j++) trace += h[j * p + j];
  for (size_t j = 0; j < p; j++) h[j * p + j] += 1e-12 * (trace + 1);
  memcpy(y, dual->rest, p * sizeof *y);
  oracle_eliminate(p, h, y);
  dual->f = 0;
  for (size_t a = 0; a < f; a++) {
    size_t i = dual->row[a];
    double u = o->made_from->C * o->cost[i], next = dual->alpha[i] + o->sign[i] * oracle_score(o, i, y);
    dual->alpha[i] = fmin(u, fmax(0, next));
    if (next > 0 && next < u) dual->row[dual->f++] = i;
  }
  free(h), free(y);
}

/* D of the hinge at a feasible dual point made from w: all of the cost where the margin is below 1 - band, nothing
 * above 1 + band, and between the two what brings sum alpha_i y_i x_i to w. Stops at `enough`. */
static inline double oracle_hinge_dual(const oracle *o, const double *w, double band, double enough) {
  size_t n = o->rows.n;
  double best = -INFINITY;
  oracle_dual dual = {calloc(n, sizeof(double)), calloc(o->rows.ld, sizeof(double)), calloc(n, sizeof(size_t)), 0};
  for (size_t i = 0; i < n; i++) {
    double over = o->sign[i] * oracle_score(o, i, w) - 1, u = o->made_from->C * o->cost[i];
    dual.alpha[i] = over > band ? 0 : over < -band ? u : u / 2;
    if (fabs(over) <= band) dual.row[dual.f++] = i;
  }
  oracle_rest(o, w, &dual);
  for (int round = 0; round < 10 && best < enough; round++) {
    oracle_mend(o, &dual);
    oracle_rest(o, w, &dual);
    double D = 0;
    for (size_t i = 0; i < n; i++) D += dual.alpha[i];
    for (size_t j = 0; j < o->rows.p; j++) D -= 0.5 * (w[j] - dual.rest[j]) * (w[j] - dual.rest[j]);
    best = fmax(best, D);
  }
  free(dual.alpha), free(dual.rest), free(dual.row);
  return best;
}

/* Two-class problems: sizes and costs from small to large, and the degenerate ones. */
static const oracle_case oracle_binary_cases[] = {
    {OVERLAP, 20, 1, 2, 1, 1},        {OVERLAP, 20, 600, 2, 100, 1},    {OVERLAP, 50, 3, 2, 0.01, 1},
    {OVERLAP, 100, 10, 2, 1, 5},      {OVERLAP, 200, 20, 2, 100, 0.2},  {OVERLAP, 200, 200, 2, 1, 1},
    {OVERLAP, 300, 600, 2, 0.1, 2},   {OVERLAP, 500, 50, 2, 10, 1},     {OVERLAP, 1000, 100, 2, 0.25, 3},
    {OVERLAP, 2000, 1, 2, 1, 1},      {OVERLAP, 2000, 20, 2, 100, 1},   {OVERLAP, 2000, 100, 2, 0.01, 0.1},
    {OVERLAP, 2000, 600, 2, 0.1, 1},  {SEPARABLE, 20, 2, 2, 100, 1},    {SEPARABLE, 100, 1, 2, 100, 1},
    {SEPARABLE, 200, 50, 2, 1, 1},    {SEPARABLE, 400, 600, 2, 100, 1}, {SEPARABLE, 1000, 20, 2, 10, 4},
    {SEPARABLE, 2000, 60, 2, 100, 1}, {HOPELESS, 20, 5, 2, 1, 1},       {HOPELESS, 100, 1, 2, 100, 1},
    {HOPELESS, 300, 30, 2, 10, 1},    {HOPELESS, 300, 100, 2, 100, 1},  {HOPELESS, 1000, 200, 2, 1, 1},
    {HOPELESS, 2000, 10, 2, 0.01, 1}, {TWINS, 20, 4, 2, 1, 1},          {TWINS, 100, 150, 2, 100, 1},
    {TWINS, 400, 40, 2, 100, 2},      {TWINS, 1000, 10, 2, 0.1, 1},     {CONSTANT, 30, 12, 2, 1, 1},
    {CONSTANT, 300, 30, 2, 100, 1},   {CONSTANT, 1000, 90, 2, 0.5, 2},  {SPARSE, 100, 50, 2, 1, 1},
    {SPARSE, 200, 400, 2, 10, 1},     {SPARSE, 1000, 200, 2, 1, 1},     {UNSCALED, 50, 10, 2, 1, 1},
    {UNSCALED, 300, 30, 2, 1, 1},     {UNSCALED, 100, 120, 2, 0.1, 1},  {ONE_CLASS, 20, 3, 2, 1, 1},
    {ONE_CLASS, 500, 30, 2, 10, 2},   {OVERLAP, 2, 1, 2, 1, 1},         {OVERLAP, 3, 7, 2, 100, 1},
    {OVERLAP, 5, 2, 2, 10, 1},
};
enum { ORACLE_BINARY_CASES = sizeof oracle_binary_cases / sizeof *oracle_binary_cases };

/* Prints a case that is about to fail. */
static inline void oracle_say(const oracle *o, const char *table, const svf_solution *fit) {
  const oracle_case *c = o->made_from;
  print_error("kind %d n %zu d %zu m %zu C %g heavy %g, kernels %s: P %.12g gap %.3g steps %zu\n", (int)c->kind, c->n,
              c->d, c->m, c->C, c->heavy, table, fit->objective, fit->gap, fit->steps);
}

#define ORACLE_EXPECT(condition, o, la, fit)                                                                         \
  do {                                                                                                               \
    if (!(condition)) {                                                                                              \
      oracle_say((o), (la)->name, (fit));                                                                            \
      fail_msg("%s", #condition);                                                                                    \
    }                                                                                                                \
  } while (0)

#endif
