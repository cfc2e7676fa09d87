/* linear_squared.h - the squared hinge for one two-class problem, solved exactly by Newton steps on the active set, in double.
 *
 *     P(w) = 1/2 |w|^2 + C sum_i c_i max(0, 1 - y_i w.x_i)^2
 *
 * For a given active set A (rows with y_i w.x_i < 1) the minimiser is one linear solve,
 *     (I + 2C H) w = 2C b,      H = sum_A c_i x_i x_i',   b = sum_A c_i y_i x_i,
 * and P is piecewise quadratic, so the Newton iteration ends after finitely many sets (Keerthi and DeCoste 2005; the
 * step is shortened by an exact line search where P would rise). With alpha_i = 2 C c_i max(0, 1 - m_i) the duality gap
 * is exactly 1/2 |grad P|^2: that is the stopping rule.
 *
 * The same iteration in n x n numbers, for more features than active rows: w = X' beta, beta zero outside A, K = XX',
 *     (K_AA + diag(1 / 2 C c)) beta_A = y_A.
 *
 * This is the solver for whatever C, costs and features are; linear_path.h has the fast one for many fits on the same rows, which
 * comes here where single precision is not enough. */
#ifndef SVF_SVM_LINEAR_SQUARED_H
#define SVF_SVM_LINEAR_SQUARED_H

#include "svm/solver.h"

/* w: ld numbers out. False: memory ran out. */
bool svf_squared_fit(const svf_rows *rows, const svf_binary *problem, double C, const svf_solver *solver, double *w,
                     svf_solution *fit);

#endif
