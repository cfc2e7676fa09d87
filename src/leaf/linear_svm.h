/* linear_svm.h - the leaf linear-svm: linear_svm.c trains, from where linear_svm_begin.c says; linear_svm_predict.c does the
 * rest.
 *
 * numbers:  SVF_LINEAR_HEAD numbers (m, scheme, C, gap, held-out accuracy or -1)
 *           m         codes of the classes present, ascending
 *           2 m       sigmoids (m > 1)
 *           (d+1) x   weights of each machine, the bias last (m > 1)
 * A leaf with one class has m = 1 and no machine: it scores +1 for that class and -1 for the others. Classes
 * absent from the leaf score -1 and have no share. */
#ifndef SVF_LEAF_LINEAR_SVM_H
#define SVF_LEAF_LINEAR_SVM_H

#include "leaf/leaf.h"
#include "svm/linear_machines.h"

enum { SVF_LINEAR_CLASSES, SVF_LINEAR_SCHEME, SVF_LINEAR_COST, SVF_LINEAR_GAP, SVF_LINEAR_HELD_OUT, SVF_LINEAR_HEAD };

/* linear_svm_begin.c: for each machine of a site with m classes (codes in `present`) the weights that the model of the site
 * above, where it is ready, has for the same classes: the solution is not far from there. NULL: there is none. */
const double *const *svf_linear_begin(const svf_ground *ground, const svf_site *site, size_t m,
                                      const int32_t *present);

/* linear_svm_predict.c: the members of the kind; see leaf.h. */
bool svf_linear_valid(const svf_leaf_view *leaf);
bool svf_linear_predict(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch,
                        double *score, double *share);
double svf_linear_gap(const svf_leaf_view *leaf);
void svf_linear_weights(const svf_leaf_view *leaf, double *scratch, double *sum); /* mean of |w| over the machines */
bool svf_linear_text(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *out);

#endif
