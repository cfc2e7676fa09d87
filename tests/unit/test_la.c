/* Every kernel table against loops written out, and identities of the factorisation. */
#include <float.h>
#include "support/test.h"
#include "base/arena.h"
#include "base/random.h"
#include "la/la.h"

typedef struct {
  size_t n, p, ld;
  double *x, *h, *w, *y;
  const double **row;
  double *a;
} problem;

static problem make(svf_arena *arena, size_t n, size_t p) {
  problem q = {n, p, svf_padded(p), 0, 0, 0, 0, 0, 0};
  svf_random random = svf_random_at((svf_place){.seed = n, .tree = (uint32_t)p});
  q.x = SVF_ZERO(arena, double, n *q.ld);
  q.h = SVF_ZERO(arena, double, q.ld *q.ld);
  q.w = SVF_ZERO(arena, double, q.ld);
  q.y = SVF_ZERO(arena, double, q.ld > n ? q.ld : n);
  q.row = SVF_TAKE(arena, const double *, n);
  q.a = SVF_TAKE(arena, double, n);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < p; j++) q.x[i * q.ld + j] = svf_random_normal(&random);
    q.row[i] = q.x + i * q.ld;
    q.a[i] = svf_random_unit(&random) + .1;
  }
  for (size_t j = 0; j < p; j++) q.w[j] = svf_random_normal(&random);
  return q;
}

static double naive_entry(const problem *q, size_t i, size_t j) {
  double sum = 0;
  for (size_t r = 0; r < q->n; r++) sum += q->a[r] * q->row[r][i] * q->row[r][j];
  return sum;
}

static void check_rank(const svf_la *la, const problem *q) {
  la->rank(q->p, q->ld, q->n, q->row, q->a, q->h);
  for (size_t i = 0; i < q->p; i++)
    for (size_t j = i; j < q->p; j++) assert_close(q->h[i * q->ld + j], naive_entry(q, i, j), 1e-10);
}

static void check_products(const svf_la *la, const problem *q) {
  la->product(q->n, q->ld, q->x, q->w, q->y);
  for (size_t i = 0; i < q->n; i++) {
    double sum = 0;
    for (size_t j = 0; j < q->p; j++) sum += q->w[j] * q->x[i * q->ld + j];
    assert_close(q->y[i], sum, 1e-11);
    assert_close(la->dot(q->ld, q->w, q->x + i * q->ld), sum, 1e-11);
  }
  memset(q->y, 0, q->ld * sizeof *q->y);
  la->combine(q->ld, q->n, q->row, q->a, q->y);
  for (size_t j = 0; j < q->p; j++) {
    double sum = 0;
    for (size_t i = 0; i < q->n; i++) sum += q->a[i] * q->row[i][j];
    assert_close(q->y[j], sum, 1e-11);
  }
}

static void check_solve(const svf_la *la, const problem *q, svf_arena *arena) {
  for (size_t i = 0; i < q->p; i++) q->h[i * q->ld + i] += 1;
  for (size_t i = 0; i < q->ld; i++) q->y[i] = 0;
  for (size_t i = 0; i < q->p; i++)
    for (size_t j = 0; j < q->p; j++) q->y[i] += q->h[(i < j ? i : j) * q->ld + (i < j ? j : i)] * q->w[j];
  assert_true(la->cholesky(q->p, q->ld, q->h, NULL));
  double *several[7]; /* a group and a rest: each as it is alone */
  for (size_t v = 0; v < 7; v++) {
    several[v] = SVF_TAKE(arena, double, q->ld);
    for (size_t i = 0; i < q->ld; i++) several[v][i] = q->y[i] * (double)(1 << v);
  }
  la->solve(q->p, q->ld, q->h, q->y);
  la->forward(q->p, q->ld, q->h, 7, several);
  la->backward(q->p, q->ld, q->h, 7, several);
  for (size_t v = 0; v < 7; v++)
    for (size_t i = 0; i < q->ld; i++) assert_true(several[v][i] == q->y[i] * (double)(1 << v));
  for (size_t i = 0; i < q->p; i++) assert_close(q->y[i], q->w[i], 1e-8);
  for (size_t i = q->p; i < q->ld; i++) assert_true(q->y[i] == 0);
}

/* Rows in single precision, once as rows and once in panels. */
typedef struct {
  size_t n, p, ld, panels;
  float *x, *panel;
  const float **row;
} singles;

static singles make_singles(const svf_la *la, const problem *q, svf_arena *arena) {
  singles f = {q->n, q->p, svf_padded_single(q->p), (q->n + SVF_PANEL - 1) / SVF_PANEL, 0, 0, 0};
  f.x = SVF_ZERO(arena, float, f.panels *SVF_PANEL *f.ld);
  f.panel = SVF_TAKE(arena, float, f.panels *SVF_PANEL *f.p);
  f.row = SVF_TAKE(arena, const float *, f.n);
  for (size_t i = 0; i < f.n; i++) {
    f.row[i] = f.x + i * f.ld;
    for (size_t j = 0; j < f.p; j++) f.x[i * f.ld + j] = (float)q->row[i][j];
  }
  la->single->panels(f.panels, f.p, f.ld, f.x, f.panel);
  for (size_t i = 0; i < f.panels * SVF_PANEL; i++)
    for (size_t j = 0; j < f.p; j++)
      assert_true(f.panel[(i / SVF_PANEL * f.p + j) * SVF_PANEL + i % SVF_PANEL] == f.x[i * f.ld + j]);
  return f;
}

static double single_score(const singles *f, size_t i, const double *w) {
  double sum = 0;
  for (size_t j = 0; j < f->p; j++) sum += w[j] * f->x[i * f->ld + j];
  return sum;
}

/* Scores and sums of rows that are no panels. */
static void check_rows(const svf_la *la, const problem *q, const singles *f, svf_arena *arena) {
  size_t padded = f->panels * SVF_PANEL, ld = svf_padded(f->p);
  float *w[SVF_COLUMNS], *s[SVF_COLUMNS];
  double *u = SVF_ZERO(arena, double, ld), *point = SVF_ZERO(arena, double, ld);
  for (size_t c = 0; c < SVF_COLUMNS; c++) {
    w[c] = SVF_ZERO(arena, float, f->ld), s[c] = SVF_TAKE(arena, float, padded);
    for (size_t j = 0; j < f->p; j++) w[c][j] = (float)(q->w[j] * (double)(c + 1));
  }
  for (size_t columns = 1; columns <= SVF_COLUMNS; columns++) {
    for (size_t c = 0; c < SVF_COLUMNS; c++) memset(s[c], 0, padded * sizeof *s[c]);
    la->single->row_scores(padded, f->ld, f->x, columns, (const float *const *)w, s);
    for (size_t c = 0; c < SVF_COLUMNS; c++)
      for (size_t i = 0; i < padded; i++)
        assert_close(s[c][i], c < columns ? (double)(c + 1) * single_score(f, i, q->w) : 0, 2e-5);
  }
  memcpy(point, q->w, f->p * sizeof *point);
  for (size_t i = 0; i < f->n; i++) {
    assert_close(la->row_score(ld, f->row[i], point), single_score(f, i, q->w), 1e-11);
    la->row_add(ld, q->a[i], f->row[i], u);
  }
  for (size_t j = 0; j < ld; j++) {
    double sum = 0;
    for (size_t i = 0; i < f->n; i++) sum += q->a[i] * f->row[i][j];
    assert_close(u[j], sum, 1e-11);
  }
}

/* Scores and weighted sums of all rows, one to four at a time, single and double. */
static void check_passes(const svf_la *la, const problem *q, const singles *f, svf_arena *arena) {
  size_t padded = f->panels * SVF_PANEL;
  float *w[SVF_COLUMNS], *s[SVF_COLUMNS], *a[SVF_COLUMNS], *sums = SVF_TAKE(arena, float, SVF_COLUMNS * f->p * 16);
  double *u[SVF_COLUMNS], *exact = SVF_TAKE(arena, double, padded), *pull = SVF_ZERO(arena, double, padded);
  for (size_t columns = 1; columns <= SVF_COLUMNS; columns++) {
    for (size_t c = 0; c < columns; c++) {
      w[c] = SVF_ZERO(arena, float, f->p), s[c] = SVF_ZERO(arena, float, padded);
      a[c] = SVF_ZERO(arena, float, padded), u[c] = SVF_ZERO(arena, double, f->ld);
      for (size_t j = 0; j < f->p; j++) w[c][j] = (float)(q->w[j] * (double)(c + 1));
      for (size_t i = 0; i < f->n; i++) a[c][i] = (float)(q->a[i] * (double)(c + 1));
    }
    la->single->scores(f->panels, f->p, f->panel, columns, (const float *const *)w, s);
    la->single->gather(f->panels, f->p, f->panel, columns, (const float *const *)a, u, sums);
    for (size_t c = 0; c < columns; c++) {
      for (size_t i = 0; i < f->n; i++) assert_close(s[c][i], (double)(c + 1) * single_score(f, i, q->w), 2e-5);
      for (size_t j = 0; j < f->p; j++) {
        double sum = 0;
        for (size_t i = 0; i < f->n; i++) sum += a[c][i] * f->row[i][j];
        assert_close(u[c][j], sum, 1e-4);
      }
    }
  }
  check_rows(la, q, f, arena);
  for (size_t count = 0; count <= f->panels; count++) { /* the panels' scores as so many columns of one panel */
    la->single->largest(SVF_PANEL, count, s[0], s[1]);
    for (size_t i = 0; i < SVF_PANEL; i++) {
      float most = -FLT_MAX;
      for (size_t c = 0; c < count; c++) most = fmaxf(most, s[0][c * SVF_PANEL + i]);
      assert_true(s[1][i] == most);
    }
  }
  float *point = SVF_ZERO(arena, float, f->ld);
  memcpy(point, w[0], f->p * sizeof *point);
  for (size_t count = f->n > 5 ? f->n - 5 : 1; count <= f->n; count++) {
    if (count < padded) s[0][count] = -7;
    la->single->products(f->ld, count, f->row, point, s[0]);
    for (size_t i = 0; i < count; i++) assert_close(s[0][i], single_score(f, i, q->w), 2e-5);
    if (count < padded) assert_true(s[0][count] == -7);
  }
  la->single->squares(f->panels, f->p, f->panel, s[0]);
  for (size_t i = 0; i < f->n; i++) {
    double sum = 0;
    for (size_t j = 0; j < f->p; j++) sum += (double)f->row[i][j] * f->row[i][j];
    assert_close(s[0][i], sum, 1e-5 * fmax(1, sum));
  }
  la->panel_scores(f->panels, f->p, f->panel, q->w, exact);
  for (size_t i = 0; i < f->n; i++) {
    assert_close(exact[i], single_score(f, i, q->w), 1e-11);
    pull[i] = q->a[i];
  }
  memset(u[0], 0, f->ld * sizeof *u[0]);
  la->panel_combine(f->panels, f->p, f->panel, pull, u[0]);
  for (size_t j = 0; j < f->p; j++) {
    double sum = 0;
    for (size_t i = 0; i < f->n; i++) sum += q->a[i] * f->row[i][j];
    assert_close(u[0][j], sum, 1e-11);
  }
}

/* Sums over rows of a set for several vectors at once: the bits that each has alone, over its own rows (of number c, those
 * with a bit of c + 1 in their place). sum: that of a. */
static void check_together(const svf_la *la, const singles *f, const float *a, const uint64_t *set, const double *sum,
                           svf_arena *arena) {
  size_t padded = f->panels * SVF_PANEL;
  const float *pull[SVF_COLUMNS];
  double *u[SVF_COLUMNS], *alone[SVF_COLUMNS];
  for (size_t c = 0; c < SVF_COLUMNS; c++) {
    float *some = SVF_TAKE(arena, float, padded);
    uint64_t *own = SVF_ZERO(arena, uint64_t, f->panels);
    for (size_t i = 0; i < padded; i++) {
      some[i] = c == 0 || i & (c + 1) ? a[i] : 0;
      own[i / SVF_PANEL] |= (uint64_t)(some[i] != 0) << i % SVF_PANEL;
    }
    pull[c] = some, alone[c] = SVF_ZERO(arena, double, f->ld);
    la->single->combine(f->panels, f->ld, f->x, 1, &pull[c], own, &alone[c]);
  }
  assert_memory_equal(alone[0], sum, f->ld * sizeof *sum);
  for (size_t columns = 1; columns <= SVF_COLUMNS; columns++) {
    for (size_t c = 0; c < columns; c++) u[c] = SVF_ZERO(arena, double, f->ld);
    la->single->combine(f->panels, f->ld, f->x, columns, pull, set, u);
    for (size_t c = 0; c < columns; c++) assert_memory_equal(u[c], alone[c], f->ld * sizeof *u[c]);
  }
}

/* Slacks, the set they give, and the sum over that set. */
static void check_slacks(const svf_la *la, const singles *f, svf_arena *arena) {
  size_t padded = f->panels * SVF_PANEL;
  float *s = SVF_ZERO(arena, float, padded), *v = SVF_ZERO(arena, float, padded), *a = SVF_TAKE(arena, float, padded);
  uint64_t *set = SVF_TAKE(arena, uint64_t, f->panels);
  double *u = SVF_ZERO(arena, double, f->ld), expected = 0;
  for (size_t i = 0; i < f->n; i++) {
    s[i] = 3 * f->row[i][0];
    v[i] = i % 5 == 0 ? 0 : i % 3 ? .5f : -2;
  }
  double loss = la->single->slacks(f->panels, s, v, a, set);
  la->single->combine(f->panels, f->ld, f->x, 1, &(const float *){a}, set, &u);
  for (size_t i = 0; i < padded; i++) {
    float slack = fmaxf(0, 1 - (v[i] < 0 ? -s[i] : s[i]));
    assert_true(a[i] == v[i] * slack);
    assert_int_equal(set[i / SVF_PANEL] >> i % SVF_PANEL & 1, v[i] * slack != 0);
    expected += fabsf(v[i]) * (double)slack * slack;
  }
  assert_close(loss, expected, 1e-5);
  for (size_t j = 0; j < f->ld; j++) {
    double sum = 0;
    for (size_t i = 0; i < padded; i++) sum += (double)a[i] * f->x[i * f->ld + j];
    assert_close(u[j], sum, 1e-4);
  }
  check_together(la, f, a, set, u, arena);
}

/* One pass for all fits has the bits of scores, slacks and sums one after the other. */
static void check_look(const svf_la *la, const problem *q, const singles *f, svf_arena *arena) {
  size_t padded = f->panels * SVF_PANEL;
  float *w = SVF_ZERO(arena, float, SVF_COLUMNS * f->ld), *v = SVF_ZERO(arena, float, padded);
  float *s = SVF_TAKE(arena, float, SVF_COLUMNS *padded), *expected = SVF_TAKE(arena, float, padded);
  float *a = SVF_TAKE(arena, float, padded), *sums = SVF_TAKE(arena, float, SVF_COLUMNS * f->p * 16);
  uint64_t *set = SVF_TAKE(arena, uint64_t, SVF_COLUMNS * f->panels), *right = SVF_TAKE(arena, uint64_t, f->panels);
  double *u = SVF_TAKE(arena, double, SVF_COLUMNS * f->ld), *sum = SVF_TAKE(arena, double, f->ld);
  svf_sight sight[SVF_COLUMNS];
  for (size_t i = 0; i < f->n; i++) v[i] = i % 5 == 0 ? 0 : i % 3 ? .5f : -2;
  for (size_t columns = 1; columns <= SVF_COLUMNS; columns++)
    for (int score = 1; score >= 0; score--) { /* without scores: those of the time before */
      memset(u, 0, SVF_COLUMNS * f->ld * sizeof *u);
      for (size_t c = 0; c < columns; c++) {
        for (size_t j = 0; j < f->p; j++) w[c * f->ld + j] = (float)((double)(c + 1) * q->w[j]);
        sight[c] = (svf_sight){w + c * f->ld, s + c * padded, v, set + c * f->panels, NAN, u + c * f->ld};
      }
      la->single->look(f->panels, f->p, f->panel, columns, sight, score, sums);
      for (size_t c = 0; c < columns; c++) {
        const float *point = w + c * f->ld, *pull = a;
        memset(sum, 0, f->ld * sizeof *sum);
        la->single->scores(f->panels, f->p, f->panel, 1, &point, &expected);
        assert_true(sight[c].loss == la->single->slacks(f->panels, expected, v, a, right));
        la->single->gather(f->panels, f->p, f->panel, 1, &pull, &sum, sums);
        assert_memory_equal(s + c * padded, expected, padded * sizeof *s);
        assert_memory_equal(set + c * f->panels, right, f->panels * sizeof *set);
        for (size_t j = 0; j < f->p; j++) assert_true(u[c * f->ld + j] == sum[j]);
      }
      double loss = sight[0].loss; /* without sums everything else is the same */
      sight[0].set = right, sight[0].u = NULL, sight[0].s = expected, sight[0].loss = NAN;
      if (!score) memcpy(expected, s, padded * sizeof *s);
      la->single->look(f->panels, f->p, f->panel, 1, sight, score, NULL);
      assert_true(sight[0].loss == loss);
      assert_memory_equal(expected, s, padded * sizeof *s);
      assert_memory_equal(right, set, f->panels * sizeof *set);
    }
}

/* The factor r of diag + H / 2, corrected for `count` rows: every other one is half taken away, the rest join. */
static void check_correct(const svf_la *la, const problem *q, const singles *f, const float *r, svf_arena *arena,
                          const double *product, size_t count) {
  size_t p = f->p, ld = f->ld;
  const float *row[SVF_BORDER];
  float e[SVF_BORDER], *z = SVF_ZERO(arena, float, ld), *v = SVF_TAKE(arena, float, ld);
  float *scratch = SVF_TAKE(arena, float, svf_padded(p) * (SVF_BORDER + 1));
  double *sum = SVF_TAKE(arena, double, p);
  memcpy(sum, product, p * sizeof *sum);
  for (size_t c = 0; c < count; c++) {
    size_t i = c % f->n;
    bool leaves = c % 2 && c < f->n && q->a[i] > 0;
    double change = leaves ? -.25 * q->a[i] : .3;
    row[c] = f->row[i];
    e[c] = (float)(1 / change);
    double score = single_score(f, i, q->w);
    for (size_t j = 0; j < p; j++) sum[j] += change * score * row[c][j];
  }
  for (size_t j = 0; j < p; j++) z[j] = (float)sum[j];
  assert_true(la->single->correct(p, ld, r, count, row, e, z, scratch));
  la->single->backward(p, ld, r, z, v);
  for (size_t j = 0; j < p; j++) assert_close(v[j], q->w[j], 3e-4);
}

/* H against loops; the factor, with its right-hand side, against the matrix itself. */
static void check_single_solve(const svf_la *la, const problem *q, const singles *f, svf_arena *arena) {
  size_t p = f->p, ld = f->ld;
  float *h = SVF_ZERO(arena, float, svf_padded(p) * ld), *r = SVF_TAKE(arena, float, svf_padded(p) * ld);
  float *a = SVF_TAKE(arena, float, f->n), *diagonal = SVF_TAKE(arena, float, svf_padded(p));
  float *z = SVF_ZERO(arena, float, ld), *v = SVF_TAKE(arena, float, ld);
  double *product = SVF_TAKE(arena, double, p);
  for (size_t i = 0; i < f->n; i++) a[i] = (float)q->a[i];
  for (size_t j = 0; j < svf_padded(p); j++) diagonal[j] = 20 + (float)(j % 3);
  la->single->rank(p, ld, f->n, f->row, a, h);
  for (size_t i = 0; i < p; i++)
    for (size_t j = i; j < p; j++) assert_close(h[i * ld + j], naive_entry(q, i, j), 2e-5 * (double)(f->n + 1));
  for (size_t i = 0; i < p; i++) {
    double sum = diagonal[i] * q->w[i];
    for (size_t j = 0; j < p; j++) sum += .5 * h[(i < j ? i : j) * ld + (i < j ? j : i)] * q->w[j];
    product[i] = sum;
    z[i] = (float)sum;
  }
  svf_system system = {p, ld, h, .5f, diagonal, NULL};
  assert_true(la->single->factor(&system, r, z));
  la->single->backward(p, ld, r, z, v);
  for (size_t j = 0; j < p; j++) assert_close(v[j], q->w[j], 1e-4);
  for (size_t count = 1; count <= SVF_BORDER; count++) check_correct(la, q, f, r, arena, product, count);
  diagonal[p - 1] = -1e9f;
  assert_false(la->single->factor(&system, r, z));
}

/* Several systems side by side: each solves its own, with the bits it has alone; one that cannot be solved harms no other. */
static void check_systems(const svf_la *la, const problem *q, const singles *f, svf_arena *arena) {
  size_t p = f->p, ld = f->ld;
  float *h[SVF_COLUMNS], *z[SVF_COLUMNS], *v[SVF_COLUMNS], *alone = SVF_TAKE(arena, float, ld);
  float *scratch = SVF_TAKE(arena, float, svf_padded(p) * (p / 4 + 1) * 16), *a = SVF_TAKE(arena, float, f->n);
  if (p >= SVF_SMALL) return;
  for (size_t c = 0; c < SVF_COLUMNS; c++) {
    h[c] = SVF_ZERO(arena, float, svf_padded(p) * ld), z[c] = SVF_ZERO(arena, float, ld);
    v[c] = SVF_TAKE(arena, float, ld);
    for (size_t i = 0; i < f->n; i++) a[i] = (float)q->a[i] / (float)(c + 1);
    la->single->rank(p, ld, f->n, f->row, a, h[c]);
    for (size_t i = 0; i < p; i++) {
      double sum = q->w[i];
      for (size_t j = 0; j < p; j++) sum += .1 * h[c][(i < j ? i : j) * ld + (i < j ? j : i)] * q->w[j];
      z[c][i] = (float)sum;
    }
  }
  for (size_t count = 1; count <= SVF_COLUMNS; count++) {
    const float *const *from = (const float *const *)h, *const *right = (const float *const *)z;
    assert_int_equal(la->single->systems(p, ld, count, from, .1f, right, v, scratch), (1u << count) - 1);
    for (size_t c = 0; c < count; c++) {
      for (size_t j = 0; j < p; j++) assert_close(v[c][j], q->w[j], 2e-4);
      assert_int_equal(la->single->systems(p, ld, 1, from + c, .1f, right + c, &alone, scratch), 1);
      assert_memory_equal(alone, v[c], p * sizeof *alone);
    }
  }
  h[1][(p - 1) * ld + p - 1] = -1e9f;
  assert_int_equal(
      la->single->systems(p, ld, SVF_COLUMNS, (const float *const *)h, .1f, (const float *const *)z, v, scratch),
      (1u << SVF_COLUMNS) - 1 - 2);
  for (size_t j = 0; j < p; j++) assert_close(v[2][j], q->w[j], 2e-4);
}

/* Rows with a hole each through the kernels of prediction; answers must have the same bits one by one. */
static void check_answers(const svf_la *la, const problem *q, svf_arena *arena) {
  enum { MACHINES = 5 };
  size_t d = q->p, ld = svf_padded(d + 1);
  float *from = SVF_TAKE(arena, float, q->n *d), *fill = SVF_TAKE(arena, float, d),
        *x = SVF_TAKE(arena, float, q->n *ld);
  const float **row = SVF_TAKE(arena, const float *, q->n);
  double *w = SVF_ZERO(arena, double, MACHINES *ld), *s = SVF_TAKE(arena, double, q->n *MACHINES), one;
  for (size_t j = 0; j < d; j++) fill[j] = (float)j + .5f;
  for (size_t i = 0; i < q->n; i++) {
    row[i] = from + i * d;
    for (size_t j = 0; j < d; j++) from[i * d + j] = j == i ? NAN : (float)q->row[i][j];
  }
  for (size_t a = 0; a < MACHINES; a++)
    for (size_t j = 0; j <= d; j++) w[a * ld + j] = q->w[j % d] + (double)a;
  la->gather(q->n, d, row, fill, x);
  la->answers(q->n, ld, x, MACHINES, w, s);
  for (size_t i = 0; i < q->n; i++) {
    for (size_t j = 0; j < ld; j++)
      assert_true(x[i * ld + j] == (j > d ? 0 : j == d ? 1 : j == i ? fill[j] : from[i * d + j]));
    for (size_t a = 0; a < MACHINES; a++) {
      double sum = 0;
      for (size_t j = 0; j <= d; j++) sum += w[a * ld + j] * (double)x[i * ld + j];
      assert_close(s[i * MACHINES + a], sum, 1e-11);
      la->answers(1, ld, x + i * ld, 1, w + a * ld, &one);
      assert_true(one == s[i * MACHINES + a]);
    }
  }
}

/* A random tree of `nodes` nodes from `at` on; returns its leaves. */
static uint32_t plant(svf_random *random, svf_fork *node, uint32_t at, uint32_t nodes, uint32_t d, uint32_t leaves) {
  if (nodes < 3) {
    node[at] = (svf_fork){0, leaves, 0, 0};
    return leaves + 1;
  }
  uint32_t left = 1 + 2 * (uint32_t)svf_random_below(random, nodes / 2),
           missing = (uint32_t)svf_random_below(random, 2);
  node[at] =
      (svf_fork){at + 1 + left, (uint32_t)svf_random_below(random, d), missing, (float)svf_random_unit(random)};
  leaves = plant(random, node, at + 1, left, d, leaves);
  return plant(random, node, at + 1 + left, nodes - 1 - left, d, leaves);
}

static void rows_find_their_leaves(void **state) {
  (void)state;
  enum { ROWS = 75, D = 3 };
  static svf_fork node[2001];
  static float x[ROWS][D];
  const float *row[ROWS];
  uint32_t leaf[ROWS];
  svf_random random = svf_random_at((svf_place){.seed = 7});
  for (int i = 0; i < ROWS * D; i++) x[i / D][i % D] = i % 7 ? (float)svf_random_unit(&random) : NAN;
  for (int i = 0; i < ROWS; i++) row[i] = x[i];
  for (size_t nodes = 1; nodes < 2001; nodes = 3 * nodes + 2) {
    plant(&random, node, 0, (uint32_t)nodes, D, 0);
    for (size_t t = 0; t < 3; t++) {
      if (!svf_la_at(t)) continue;
      svf_la_at(t)->descend(node, ROWS, row, leaf);
      for (int i = 0; i < ROWS; i++) {
        uint32_t at = 0;
        while (node[at].right) {
          float value = x[i][node[at].first];
          bool left = isnan(value) ? node[at].count == 1 : value < node[at].threshold;
          at = left ? at + 1 : node[at].right;
        }
        assert_int_equal(leaf[i], node[at].first);
      }
    }
  }
}

/* The subtree at `from` with its root at step `at` and the rest from *next on; leaves say their numbers. */
static void shorten(const svf_fork *node, uint32_t from, uint32_t at, unsigned bits, uint32_t *next, svf_step *step) {
  const svf_fork *f = &node[from];
  if (!f->right) {
    step[at] = (svf_step){f->first, (at - 1) << (bits + 1)};
    return;
  }
  uint32_t left = *next;
  *next += 2;
  step[at] = (svf_step){svf_key(f->threshold), left << (bits + 1) | f->count << bits | f->first};
  shorten(node, from + 1, left, bits, next, step);
  shorten(node, f->right, left + 1, bits, next, step);
}

/* Against descend, which is checked above; values equal to thresholds and both zeros are among them. */
static void rows_walk_where_they_descend(void **state) {
  (void)state;
  enum { ROWS = 75, D = 3 };
  static svf_fork node[2001];
  static svf_step step[2002];
  static float x[ROWS * D];
  static uint32_t key[ROWS * D], live[ROWS], here[ROWS], at[ROWS], leaf[ROWS];
  const float *row[ROWS];
  svf_random random = svf_random_at((svf_place){.seed = 8});
  for (int i = 0; i < ROWS; i++) row[i] = x + i * D;
  for (size_t nodes = 1; nodes < 2001; nodes = 3 * nodes + 2)
    for (int missing = 0; missing < 2; missing++) {
      uint32_t next = 2;
      plant(&random, node, 0, (uint32_t)nodes, D, 0);
      for (size_t i = 0; i < nodes; i++)
        if (node[i].right) node[i].threshold = floorf(8 * node[i].threshold) / 2 - 2;
      shorten(node, 0, 1, 2, &next, step);
      for (int i = 0; i < ROWS * D; i++) x[i] = floorf(10 * (float)svf_random_unit(&random)) / 2 - 2.5f;
      for (int i = 0; i < ROWS * D; i += 5) x[i] = missing ? NAN : i % 2 ? -0.f : 1e15f;
      for (size_t t = 0; t < 3; t++) {
        const svf_la *la = svf_la_at(t);
        if (!la) continue;
        assert_int_equal(la->keys(ROWS * D, x, key), missing);
        la->descend(node, ROWS, row, leaf);
        for (uint32_t part = 1; part < 4; part += 2) { /* all rows, and every third */
          uint32_t n = ROWS / part;
          for (uint32_t i = 0; i < n; i++) live[i] = i * part, at[i * part] = 0xbad;
          svf_walk walk = {step, 2, missing, n, D, key, live, here, at};
          la->walk(&walk);
          for (uint32_t i = 0; i < n; i++) assert_int_equal(at[i * part], leaf[i * part]);
        }
      }
    }
}

static void sigmoids_are_right(void **state) {
  (void)state;
  _Alignas(64) double z[4096], one[SVF_LANES] = {0};
  for (size_t t = 0; t < 3; t++) {
    const svf_la *la = svf_la_at(t);
    if (!la) continue;
    for (int i = 0; i < 4096; i++) z[i] = i < 8 ? (i - 4) * 200 : (i - 2048) / 37.;
    z[8] = 1e300, z[9] = -1e300, z[10] = INFINITY, z[11] = 0;
    double asked[4096];
    memcpy(asked, z, sizeof z);
    la->sigmoids(4096, z);
    for (int i = 0; i < 4096; i++) {
      double expected = 1 / (1 + exp(fmax(-500, fmin(500, asked[i]))));
      if (!(fabs(z[i] - expected) <= 4e-16 * expected)) fail_msg("%s: of %g %.17g", la->name, asked[i], z[i]);
      one[3] = asked[i];
      la->sigmoids(SVF_LANES, one);
      assert_true(one[3] == z[i]);
    }
  }
}

/* The sums of a sigmoid's fit, written out; the kernel adds to what is there. */
static void logistic_sums_are_right(void **state) {
  (void)state;
  enum { N = 48 };
  _Alignas(64) double s[N], v[N], t[N];
  svf_random random = svf_random_at((svf_place){.seed = 5});
  for (int i = 0; i < N; i++) s[i] = svf_random_normal(&random), v[i] = svf_random_unit(&random), t[i] = i % 3 == 0;
  s[7] = 1e5; /* p is 0 there, and p (1 - p) too */
  for (size_t table = 0; table < 3; table++) {
    const svf_la *la = svf_la_at(table);
    if (!la) continue;
    double f[5] = {1, 2, 3, 4, 5}, expected[5] = {1, 2, 3, 4, 5};
    for (int i = 0; i < N; i++) {
      double p = 1 / (1 + exp(fmin(500, 1.5 * s[i] - .25))), g = v[i] * (t[i] - p), h = v[i] * p * (1 - p);
      double part[5] = {g * s[i], g, h * s[i] * s[i], h * s[i], h};
      for (int q = 0; q < 5; q++) expected[q] += part[q];
    }
    la->logistic(N, 1.5, -.25, s, v, t, f);
    for (int q = 0; q < 5; q++) assert_close(f[q], expected[q], 1e-13);
  }
}

static void all_tables(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{1, 1},   {3, 2},   {9, 7},   {20, 8},    {17, 9},  {50, 33},
                                    {60, 21}, {80, 63}, {10, 64}, {130, 121}, {5000, 3}};
  for (size_t t = 0; t < 3; t++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      const svf_la *la = svf_la_at(t);
      if (!la) continue;
      svf_arena arena = {0};
      problem q = make(&arena, sizes[s][0], sizes[s][1]);
      assert_false(svf_arena_failed(&arena));
      check_rank(la, &q);
      check_products(la, &q);
      singles f = make_singles(la, &q, &arena);
      check_passes(la, &q, &f, &arena);
      check_slacks(la, &f, &arena);
      check_look(la, &q, &f, &arena);
      check_single_solve(la, &q, &f, &arena);
      check_systems(la, &q, &f, &arena);
      check_answers(la, &q, &arena);
      check_solve(la, &q, &arena);
      svf_arena_free(&arena);
    }
}

static void refuses_indefinite(void **state) {
  (void)state;
  _Alignas(64) double h[64] = {0};
  h[0] = 1, h[1] = 2, h[9] = 1;
  for (size_t t = 0; t < 3; t++)
    if (svf_la_at(t)) {
      _Alignas(64) double copy[64];
      for (int i = 0; i < 64; i++) copy[i] = h[i];
      assert_false(svf_la_at(t)->cholesky(2, 8, copy, NULL));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_tables),
                                     cmocka_unit_test(refuses_indefinite),
                                     cmocka_unit_test(rows_find_their_leaves),
                                     cmocka_unit_test(rows_walk_where_they_descend),
                                     cmocka_unit_test(sigmoids_are_right),
                                     cmocka_unit_test(logistic_sums_are_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
