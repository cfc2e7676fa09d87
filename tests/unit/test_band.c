/* Band matrices: what was reduced comes back from its factors, the basis is orthonormal, solutions and diagonals of inverses
 * are those of the whole matrix, with every table of kernels. */
#include "la/band.h"
#include "support/test.h"
#include "base/random.h"

typedef struct {
  svf_arena arena;
  size_t n, ld;
  double *whole, *band, *basis;
} reduced;

static double entry(const reduced *r, size_t i, size_t j) {
  size_t low = i < j ? i : j, high = i < j ? j : i;
  return high - low > SVF_BAND ? 0 : r->band[low * SVF_BAND_ROW + high - low];
}

/* rank 0: full; else a sum of that many outer products. */
static reduced reduce(const svf_la *la, size_t n, size_t rank, uint64_t seed) {
  reduced r = {.n = n, .ld = svf_padded(n)};
  svf_random random = svf_random_at((svf_place){.seed = seed});
  r.whole = SVF_ZERO(&r.arena, double, n *r.ld);
  r.band = SVF_TAKE(&r.arena, double, n *SVF_BAND_ROW);
  r.basis = SVF_TAKE(&r.arena, double, n *r.ld);
  double *a = SVF_TAKE(&r.arena, double, n *r.ld), *x = SVF_TAKE(&r.arena, double, n + 1);
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n && !rank; j++)
      r.whole[i * r.ld + j] = r.whole[j * r.ld + i] = svf_random_normal(&random) + (i == j ? 3 * sqrt((double)n) : 0);
  for (size_t q = 0; q < rank; q++) {
    for (size_t i = 0; i < n; i++) x[i] = svf_random_normal(&random);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) r.whole[i * r.ld + j] += x[i] * x[j];
  }
  memcpy(a, r.whole, n * r.ld * sizeof *a);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) a[i * r.ld + j] = NAN; /* the lower triangle is nobody's business */
  assert_true(svf_band_reduce(la, n, r.ld, a, r.band, r.basis, NULL, &r.arena));
  return r;
}

/* basis A basis' = B, and basis basis' = I. */
static void check_factors(const reduced *r) {
  size_t n = r->n, ld = r->ld;
  double *half = calloc(n * ld, sizeof *half), scale = 0;
  for (size_t i = 0; i < n * ld; i++) scale = fmax(scale, fabs(r->whole[i]));
  for (size_t e = 0; e < n; e++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) half[e * ld + j] += r->basis[e * ld + i] * r->whole[i * ld + j];
  for (size_t e = 0; e < n; e++)
    for (size_t f = 0; f < n; f++) {
      double sum = 0, product = 0;
      for (size_t j = 0; j < n; j++) {
        sum += half[e * ld + j] * r->basis[f * ld + j];
        product += r->basis[e * ld + j] * r->basis[f * ld + j];
      }
      assert_true(fabs(product - (e == f)) < 1e-12);
      assert_true(fabs(sum - entry(r, e, f)) < 1e-12 * (double)n * (scale + 1));
    }
  free(half);
}

static void every_size_is_reduced(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 7, 15, 16, 17, 18, 31, 32, 33, 34, 48, 50, 65, 81, 130};
  for (size_t table = 0; table < 3; table++)
    for (size_t s = 0; svf_la_at(table) && s < sizeof sizes / sizeof *sizes; s++)
      for (size_t rank = 0; rank < 4; rank += 3) {
        reduced r = reduce(svf_la_at(table), sizes[s], rank, s);
        check_factors(&r);
        svf_arena_free(&r.arena);
      }
}

/* (A + shift) v = b, and the diagonal of the inverse one unit vector at a time. */
static void shifted_systems_are_solved(void **state) {
  (void)state;
  for (size_t n = 1; n < 90; n += 11) {
    const svf_la *la = svf_la_at(n % 3) ? svf_la_at(n % 3) : svf_la_at(0);
    reduced r = reduce(la, n, 0, n);
    double *factor = SVF_TAKE(&r.arena, double, 2 * n * SVF_BAND_ROW), *square = SVF_TAKE(&r.arena, double, 2 * r.ld);
    assert_true(svf_band_factor(n, r.band, .5, factor));
    assert_true(svf_band_factor(n, r.band, 7, factor + n * SVF_BAND_ROW));
    la->blocked->band_squares(n, r.ld, 2, (svf_dense){factor, n * SVF_BAND_ROW}, (svf_dense){r.basis, r.ld},
                              (svf_dense){square, r.ld});
    for (size_t i = 0; i < n; i++) {
      double g[90], v[90] = {0};
      for (size_t e = 0; e < n; e++) g[e] = r.basis[e * r.ld + i];
      svf_band_solve(n, factor, g);
      for (size_t e = 0; e < n; e++)
        for (size_t j = 0; j < n; j++) v[j] += g[e] * r.basis[e * r.ld + j];
      assert_close(v[i], square[i], 1e-12);
      assert_true(square[r.ld + i] < square[i]);
      for (size_t j = 0; j < n; j++) {
        double sum = .5 * v[j];
        for (size_t l = 0; l < n; l++) sum += r.whole[j * r.ld + l] * v[l];
        assert_true(fabs(sum - (i == j)) < 1e-12);
      }
    }
    svf_arena_free(&r.arena);
  }
}

static void what_is_not_definite_is_refused(void **state) {
  (void)state;
  reduced r = reduce(svf_la_choose(true), 40, 3, 1);
  double *factor = SVF_TAKE(&r.arena, double, 40 * SVF_BAND_ROW);
  assert_true(svf_band_factor(40, r.band, 1e-6, factor));
  assert_false(svf_band_factor(40, r.band, -1, factor));
  svf_arena_free(&r.arena);
}

/* Distances and their exponentials by plain loops; the same bits whatever stands beside. */
static void gaussians_are_right(void **state) {
  (void)state;
  for (size_t t = 0; t < 9; t++) {
    const svf_la *la = svf_la_at(t / 3);
    svf_distance kind = (svf_distance)(t % 3);
    if (!la) continue;
    for (size_t d = 1; d < 12; d += 5)
      for (size_t n = 1; n < 30; n += 9) {
        enum { ASKED = 7 };
        size_t panes = (n + SVF_LANES - 1) / SVF_LANES, ld = panes * SVF_LANES;
        float pane[32 * 12] = {0}, x[ASKED * 12];
        _Alignas(64) double out[ASKED * 32], alone[32], gauss[32];
        svf_random random = svf_random_at((svf_place){.seed = n * 100 + d});
        for (size_t i = 0; i < panes * d * SVF_LANES; i++) pane[i] = (float)svf_random_normal(&random);
        for (size_t i = 0; i < ASKED * d; i++) x[i] = (float)svf_random_normal(&random);
        la->blocked->distances(kind, &(svf_asked){x, ASKED, d, d}, panes, pane, (svf_dense){out, ld});
        for (size_t a = 0; a < ASKED; a++) {
          la->blocked->distances(kind, &(svf_asked){x + a * d, 1, d, d}, panes, pane, (svf_dense){alone, ld});
          assert_memory_equal(alone, out + a * ld, ld * sizeof *alone);
          la->blocked->gaussians(ld, 2 + 1000. * (double)a, alone, gauss);
          for (size_t i = 0; i < ld; i++) {
            double sum = 0;
            for (size_t j = 0; j < d; j++) {
              double step = (double)x[a * d + j] - pane[(i / SVF_LANES * d + j) * SVF_LANES + i % SVF_LANES];
              sum += kind == SVF_DISTANCE_CITY ? fabs(step) : step * step;
            }
            if (kind == SVF_DISTANCE_EUCLID) sum = sqrt(sum);
            double plain = exp(-(2 + 1000. * (double)a) * sum);
            assert_close(alone[i], sum, 1e-13);
            assert_true(fabs(gauss[i] - plain) <= 1e-13 * plain + 1e-217);
          }
        }
      }
  }
}

/* Told to stop, it does not begin: the matrix is as it was. */
static void stops(void **state) {
  (void)state;
  enum { N = 40 };
  svf_arena arena = {0};
  atomic_int stop = 1;
  size_t ld = svf_padded(N);
  double *a = SVF_ZERO(&arena, double, N *ld), *band = SVF_TAKE(&arena, double, N *SVF_BAND_ROW);
  double *basis = SVF_ZERO(&arena, double, N *ld);
  for (size_t i = 0; i < N; i++)
    for (size_t j = i; j < N; j++) a[i * ld + j] = 1 / (double)(i + j + 1);
  assert_true(svf_band_reduce(svf_la_choose(false), N, ld, a, band, basis, &stop, &arena));
  for (size_t i = 0; i < N; i++)
    for (size_t j = i; j < N; j++) assert_true(a[i * ld + j] == 1 / (double)(i + j + 1) && basis[i * ld + j] == 0);
  svf_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stops), cmocka_unit_test(every_size_is_reduced), cmocka_unit_test(shifted_systems_are_solved),
      cmocka_unit_test(what_is_not_definite_is_refused), cmocka_unit_test(gaussians_are_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
