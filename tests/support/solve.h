/* solve.h - a small linear system by Gaussian elimination with pivots, for what tests compute again. */
#ifndef TESTS_SUPPORT_SOLVE_H
#define TESTS_SUPPORT_SOLVE_H

#include <math.h>
#include <stddef.h>

static inline void test_swap(double *a, double *b) {
  double kept = *a;
  *a = *b, *b = kept;
}

/* b becomes the solution v of A v = b; A: n rows, `stride` numbers apart, is destroyed. */
static inline void test_solve(size_t n, size_t stride, double *A, double *b) {
  for (size_t k = 0; k < n; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(A[i * stride + k]) > fabs(A[pivot * stride + k])) pivot = i;
    for (size_t j = 0; j < n; j++) test_swap(&A[k * stride + j], &A[pivot * stride + j]);
    test_swap(&b[k], &b[pivot]);
    for (size_t i = k + 1; i < n; i++) {
      double factor = A[i * stride + k] / A[k * stride + k];
      for (size_t j = k; j < n; j++) A[i * stride + j] -= factor * A[k * stride + j];
      b[i] -= factor * b[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) b[k] -= A[k * stride + j] * b[j];
    b[k] /= A[k * stride + k];
  }
}

#endif
