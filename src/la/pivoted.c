/* pivoted.c - the Cholesky factor with pivoting of eigen.h, for small matrices that may not have full rank. */
#include "la/eigen.h"

#include <math.h>

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

/* Rows and columns k and j change places; rows above k are the factor, of which columns alone do. */
static void exchange(size_t p, size_t ld, double *h, size_t k, size_t j) {
  for (size_t c = k; c < p; c++) swap(&h[k * ld + c], &h[j * ld + c]);
  for (size_t r = 0; r < p; r++) swap(&h[r * ld + k], &h[r * ld + j]);
}

size_t svf_cholesky_pivoted(size_t p, size_t ld, double *h, double tolerance, uint32_t *pivot,
                            const atomic_int *stop) {
  double least = 0;
  for (size_t j = 0; j < p; j++) pivot[j] = (uint32_t)j;
  for (size_t k = 0; k < p; k++) {
    size_t best = k;
    for (size_t j = k + 1; j < p; j++)
      if (h[j * ld + j] > h[best * ld + best]) best = j;
    double most = h[best * ld + best];
    if (k == 0) least = tolerance * tolerance * most;
    if (!(most > least) || svf_la_stopped(stop)) return k;
    if (best != k) {
      uint32_t t = pivot[k];
      pivot[k] = pivot[best];
      pivot[best] = t;
      exchange(p, ld, h, k, best);
    }
    double *row = h + k * ld, scale = 1 / sqrt(most);
    for (size_t c = k; c < p; c++) row[c] *= scale;
    for (size_t r = k + 1; r < p; r++)
      for (size_t c = k + 1; c < p; c++) h[r * ld + c] -= row[r] * row[c];
  }
  return p;
}

void svf_pivoted_forward(size_t r, size_t ld, const double *factor, double *b) {
  for (size_t k = 0; k < r; k++) {
    b[k] /= factor[k * ld + k];
    for (size_t j = k + 1; j < r; j++) b[j] -= b[k] * factor[k * ld + j];
  }
}

void svf_pivoted_backward(size_t r, size_t ld, const double *factor, double *z) {
  for (size_t k = r; k-- > 0;) {
    for (size_t j = k + 1; j < r; j++) z[k] -= factor[k * ld + j] * z[j];
    z[k] /= factor[k * ld + k];
  }
}
