/* linear_svm_begin.c - where the machines of a cell begin: with the weights of the cell above for the same classes.
 *
 * Of a cell that is cut in two most support vectors stay what they are, so fewer Newton steps are left than from w = 0. The
 * optimum is the same; what is found of it differs within the tolerance, and is a function of the tree alone. */
#include "leaf/linear_svm.h"

/* Position of a class in the model above, which has all classes of the cells below it. */
static size_t place_of(const double *codes, size_t m, int32_t class) {
  size_t at = 0;
  while (at + 1 < m && codes[at] < class) at++;
  return at;
}

/* Number of the machine that tells class a from class b, a < b, of m. */
static size_t pair_of(size_t m, size_t a, size_t b) { return a * (2 * m - a - 1) / 2 + b - a - 1; }

static const double *const *fill(const svf_ground *ground, const double *above, svf_scheme scheme, size_t m,
                                 const int32_t *present) {
  size_t all = (size_t)above[SVF_LINEAR_CLASSES], machines = svf_machine_count(scheme, m), at = 0;
  const double *codes = above + SVF_LINEAR_HEAD, *w = codes + 3 * all;
  const double **begin = SVF_TAKE(&ground->worker->arena, const double *, machines);
  for (size_t a = 0; begin && a < m; a++) {
    size_t first = place_of(codes, all, present[a]);
    if (scheme == SVF_ONE_VS_REST && (m > 2 || a == 1))
      begin[at++] = w + (all == 2 ? 0 : first) * (ground->frame->d + 1);
    for (size_t b = a + 1; scheme == SVF_ONE_VS_ONE && b < m; b++)
      begin[at++] = w + pair_of(all, first, place_of(codes, all, present[b])) * (ground->frame->d + 1);
  }
  return begin;
}

const double *const *svf_linear_begin(const svf_ground *ground, const svf_site *site, size_t m,
                                      const int32_t *present) {
  const double *above = site->up ? site->up->ready.numbers : NULL;
  svf_scheme scheme = (svf_scheme)ground->settings->multiclass;
  if (!above || scheme == SVF_CRAMMER_SINGER || (svf_loss)ground->settings->loss != SVF_SQUARED_HINGE) return NULL;
  return fill(ground, above, scheme, m, present);
}
