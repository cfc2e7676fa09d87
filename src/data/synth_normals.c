/* synth_normals.c - synthetic sets made of normal clouds, whose Bayes risk is known.
 * twonorm and ringnorm: Breiman, Bias, variance, and arcing classifiers, 1996; classes are equally likely. */
#include "data/synth.h"

#include <math.h>

static const double CORNER = 2; /* mixture: distance of the clouds from the axes */

/* P(N(0,1) < -t) */
static double tail(double t) { return 0.5 * erfc(t / sqrt(2.0)); }

/* N(+a, I) against N(-a, I), a = 2/sqrt(d) in every coordinate: the means are 4 apart whatever d is. */
double svf_synth_twonorm(const svf_synth *synth, svf_random *random, size_t group, double *x) {
  double a = 2 / sqrt((double)synth->d);
  for (size_t j = 0; j < synth->d; j++) x[j] = (group ? -a : a) + svf_random_normal(random);
  return (double)group;
}

double svf_synth_twonorm_risk(size_t d) {
  (void)d;
  return tail(2);
}

/* N(0, 4I) against N(a, I), a = 2/sqrt(d) in every coordinate. */
double svf_synth_ringnorm(const svf_synth *synth, svf_random *random, size_t group, double *x) {
  double mean = group ? 2 / sqrt((double)synth->d) : 0, spread = group ? 1 : 2;
  for (size_t j = 0; j < synth->d; j++) x[j] = mean + spread * svf_random_normal(random);
  return (double)group;
}

/* log of Gamma(d/2 + 1). lgamma would do, but writes to a global. */
static double log_gamma_half(size_t d) {
  double sum = d % 2 ? 0.5 * log(acos(-1.0)) : 0;
  for (double s = d % 2 ? 0.5 : 1; s <= 0.5 * (double)d; s++) sum += log(s);
  return sum;
}

/* P(|z + m|^2 < x), z normal in d dimensions, |m|^2 = offset: the noncentral chi-square distribution, a
 * Poisson mixture of central ones, each with the power series of the incomplete gamma function: sum_j
 * poisson(j; offset/2) sum_k y^(s+j+k) e^-y / Gamma(s+j+k+1),   y = x/2, s = d/2. Summed by m = j + k, the
 * weight of a term is P(Poisson <= m): one series of positive terms. */
static double noncentral(double x, size_t d, double offset) {
  double y = x / 2, s = 0.5 * (double)d;
  double log_term = s * log(y) - y - log_gamma_half(d), sum = 0;
  double poisson = exp(-offset / 2), below = poisson;
  for (double m = 0; m < s + 1 || log_term > -50; m++) {
    sum += exp(log_term) * below;
    log_term += log(y / (s + m + 1));
    poisson *= offset / 2 / (m + 1);
    below += poisson;
  }
  return sum;
}

/* The narrow class is likelier within a ball around 4a/3: |x - a|^2 - |x|^2 / 4 < d ln 4, which is
 * |x - 4a/3|^2 < (4/3) (d ln 4 + |a|^2 / 3), where |a|^2 = 4. Right to about 1e-15 d; 0.01240 for d = 20. */
double svf_synth_ringnorm_risk(size_t d) {
  double radius2 = 4.0 / 3 * ((double)d * log(4.0) + 4.0 / 3);
  double narrow_outside = 1 - noncentral(radius2, d, 4.0 / 9);
  double wide_inside = noncentral(radius2 / 4, d, 16.0 / 9);
  return fmax(0, (narrow_outside + wide_inside) / 2);
}

/* Clouds at (+-c, +-c); class 0 where the signs agree. The likelihood ratio is cosh(c(x1 + x2)) / cosh(c(x1 -
 * x2)), so the best rule is the sign of x1 x2, wrong when just one coordinate is on the wrong side. */
double svf_synth_mixture(const svf_synth *synth, svf_random *random, size_t group, double *x) {
  double side = svf_random_below(random, 2) ? CORNER : -CORNER;
  svf_synth_noise(random, x, 0, synth->d);
  x[0] += side;
  x[1] += group ? -side : side;
  return (double)group;
}

double svf_synth_mixture_risk(size_t d) {
  (void)d;
  double wrong = tail(CORNER);
  return 2 * wrong * (1 - wrong);
}
