/* Eigenvectors are orthonormal and give the matrix back; the pivoted factor does too, and reveals the rank. */
#include "support/test.h"
#include "base/arena.h"
#include "base/random.h"
#include "la/eigen.h"

/* A symmetric matrix with the given rank: sum of count outer products, signs alternating where `both`. */
static double *make(svf_arena *arena, size_t n, size_t count, bool both, double *copy) {
  size_t ld = svf_padded(n);
  svf_random random = svf_random_at((svf_place){.seed = n, .tree = (uint32_t)count});
  double *a = SVF_ZERO(arena, double, n *ld), *x = SVF_TAKE(arena, double, n);
  for (size_t k = 0; k < count; k++) {
    for (size_t j = 0; j < n; j++) x[j] = svf_random_normal(&random);
    double sign = both && k % 2 ? -1 : 1;
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) a[i * ld + j] += sign * x[i] * x[j];
  }
  memcpy(copy, a, n * ld * sizeof *a);
  return a;
}

static void check_eigen(const svf_la *la, size_t n, const double *before, const double *v, const double *value,
                        double size) {
  size_t ld = svf_padded(n);
  for (size_t i = 0; i < n; i++) {
    if (i) assert_true(value[i] <= value[i - 1]);
    for (size_t j = 0; j <= i; j++) {
      double product = la->dot(ld, v + i * ld, v + j * ld), sum = 0;
      assert_close(product, i == j, 1e-12);
      for (size_t e = 0; e < n; e++) sum += value[e] * v[e * ld + i] * v[e * ld + j];
      assert_true(fabs(sum - before[i * ld + j]) <= 1e-12 * size * (double)n);
    }
  }
}

static void eigenvectors_give_the_matrix_back(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 5, 8, 9, 30, 61};
  for (size_t t = 0; svf_la_at(t) && t < 3; t++)
    for (size_t s = 0; s < 8; s++)
      for (size_t count = 1; count <= 2 * sizes[s]; count += 1 + sizes[s] / 3) {
        svf_arena arena = {0};
        size_t n = sizes[s], ld = svf_padded(n);
        double *copy = SVF_TAKE(&arena, double, n *ld), *value = SVF_TAKE(&arena, double, n);
        double *a = make(&arena, n, count, true, copy), size = 0;
        for (size_t i = 0; i < n * ld; i++) size = fmax(size, fabs(copy[i]));
        assert_true(svf_eigen(svf_la_at(t), n, (svf_dense){a, ld}, value, NULL, &arena));
        check_eigen(svf_la_at(t), n, copy, a, value, size);
        svf_arena_free(&arena);
      }
}

/* The second difference has the eigenvalues 2 - 2 cos(k pi / (n+1)). */
static void known_eigenvalues(void **state) {
  (void)state;
  enum { N = 40 };
  svf_arena arena = {0};
  size_t ld = svf_padded(N);
  double *a = SVF_ZERO(&arena, double, N *ld), value[N];
  for (size_t i = 0; i < N; i++) {
    a[i * ld + i] = 2;
    if (i) a[i * ld + i - 1] = a[(i - 1) * ld + i] = -1;
  }
  assert_true(svf_eigen(svf_la_choose(true), N, (svf_dense){a, ld}, value, NULL, &arena));
  for (size_t k = 0; k < N; k++)
    assert_close(value[k], 2 - 2 * cos((double)(N - k) * 3.14159265358979323846 / (N + 1)), 1e-13);
  svf_arena_free(&arena);
}

static void special_matrices(void **state) {
  (void)state;
  static const double scales[] = {0, 1, 1e200, 1e-200};
  for (int s = 0; s < 4; s++) { /* nothing, the same everywhere, and both far from 1 */
    svf_arena arena = {0};
    double *a = SVF_ZERO(&arena, double, 3 * 8), value[3];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) a[i * 8 + j] = scales[s];
    assert_true(svf_eigen(svf_la_choose(true), 3, (svf_dense){a, 8}, value, NULL, &arena));
    assert_true(scales[s] == 0 ? value[0] == 0 : fabs(value[0] / scales[s] - 3) < 1e-14);
    assert_true(fabs(value[2]) <= 1e-15 * scales[s]);
    for (int i = 0; i < 3; i++) assert_close(svf_la_choose(true)->dot(8, a + i * 8, a + i * 8), 1, 1e-14);
    svf_arena_free(&arena);
  }
}

static void pivots_reveal_the_rank(void **state) {
  (void)state;
  for (size_t n = 1; n < 12; n++)
    for (size_t rank = 0; rank <= n; rank++) {
      svf_arena arena = {0};
      size_t ld = svf_padded(n);
      double *copy = SVF_TAKE(&arena, double, n *ld);
      uint32_t *pivot = SVF_TAKE(&arena, uint32_t, n);
      double *h = make(&arena, n, rank, false, copy);
      assert_int_equal(svf_cholesky_pivoted(n, ld, h, 1e-6, pivot, NULL), rank);
      for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) { /* R'R in the order of the pivots */
          double sum = 0;
          for (size_t k = 0; k <= i && k < rank; k++) sum += h[k * ld + i] * h[k * ld + j];
          assert_close(sum, copy[pivot[i] * ld + pivot[j]], 1e-10);
        }
      double b[12], z[12]; /* R'R z = b */
      for (size_t i = 0; i < rank; i++) b[i] = z[i] = (double)i - 1.5;
      svf_pivoted_forward(rank, ld, h, z);
      svf_pivoted_backward(rank, ld, h, z);
      for (size_t i = 0; i < rank; i++) {
        double sum = 0, size = 0;
        for (size_t j = 0; j < rank; j++) {
          double entry = copy[pivot[i] * ld + pivot[j]];
          sum += entry * z[j];
          size += fabs(entry * z[j]);
        }
        assert_true(fabs(sum - b[i]) <= 1e-11 * (size + 1));
      }
      svf_arena_free(&arena);
    }
}

/* Entries that fall by the rounding unit from row to row, as the reduction of a matrix of low rank leaves them. */
static void tiny_entries_do_no_harm(void **state) {
  (void)state;
  enum { N = 40 };
  for (size_t t = 0; svf_la_at(t) && t < 3; t++)
    for (int step = 1; step < 60; step += 7) {
      svf_arena arena = {0};
      size_t ld = svf_padded(N);
      double *before = SVF_ZERO(&arena, double, N *ld), value[N];
      double *a = SVF_ZERO(&arena, double, N *ld);
      svf_random random = svf_random_at((svf_place){.seed = (uint64_t)step});
      for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++)
          a[i * ld + j] = a[j * ld + i] = svf_random_normal(&random) * pow(10, -(double)(step * (int)i));
      memcpy(before, a, N * ld * sizeof *a);
      assert_true(svf_eigen(svf_la_at(t), N, (svf_dense){a, ld}, value, NULL, &arena));
      check_eigen(svf_la_at(t), N, before, a, value, 4);
      svf_arena_free(&arena);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tiny_entries_do_no_harm),
                                     cmocka_unit_test(eigenvectors_give_the_matrix_back),
                                     cmocka_unit_test(known_eigenvalues), cmocka_unit_test(special_matrices),
                                     cmocka_unit_test(pivots_reveal_the_rank)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
