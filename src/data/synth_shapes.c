/* synth_shapes.c - synthetic sets that are curves with noise around them; further columns are pure noise. */
#include "data/synth.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double MOONS_NOISE = 0.3, RINGS_NOISE = 0.15, SPIRALS_NOISE = 0.05, SINE_NOISE = 0.2;

/* Puts a point of the plane with noise, and noise alone into the other columns. */
static void put_point(svf_random *random, double noise, const double at[2], size_t d, double *x) {
  x[0] = at[0] + noise * svf_random_normal(random);
  x[1] = at[1] + noise * svf_random_normal(random);
  svf_synth_noise(random, x, 2, d);
}

double svf_synth_moons(const svf_synth *synth, svf_random *random, size_t group, double *x) {
  double angle = PI * svf_random_unit(random);
  double upper[2] = {cos(angle), sin(angle)}, lower[2] = {1 - cos(angle), 0.5 - sin(angle)};
  put_point(random, MOONS_NOISE, group ? lower : upper, synth->d, x);
  return (double)group;
}

double svf_synth_rings(const svf_synth *synth, svf_random *random, size_t group, double *x) {
  double angle = 2 * PI * svf_random_unit(random), radius = group ? 0.5 : 1;
  put_point(random, RINGS_NOISE, (double[2]){radius * cos(angle), radius * sin(angle)}, synth->d, x);
  return (double)group;
}

/* r = turned angle / 3 pi, up to 1; the root spreads the points evenly along the arm. The second arm is the
 * first, turned by half a turn. */
double svf_synth_spirals(const svf_synth *synth, svf_random *random, size_t group, double *x) {
  double radius = sqrt(svf_random_unit(random)), angle = 3 * PI * radius + (group ? PI : 0);
  put_point(random, SPIRALS_NOISE, (double[2]){radius * cos(angle), radius * sin(angle)}, synth->d, x);
  return (double)group;
}

static void put_uniform(svf_random *random, size_t d, double *x) {
  for (size_t j = 0; j < d; j++) x[j] = svf_random_unit(random);
}

/* Friedman: Multivariate adaptive regression splines, 1991, with unit noise. */
double svf_synth_friedman1(const svf_synth *synth, svf_random *random, size_t group, double *x) {
  (void)group;
  put_uniform(random, synth->d, x);
  double bend = x[2] - 0.5;
  return 10 * sin(PI * x[0] * x[1]) + 20 * bend * bend + 10 * x[3] + 5 * x[4] + svf_random_normal(random);
}

double svf_synth_friedman1_risk(size_t d) {
  (void)d;
  return 1;
}

double svf_synth_sine(const svf_synth *synth, svf_random *random, size_t group, double *x) {
  (void)group;
  put_uniform(random, synth->d, x);
  return sin(4 * PI * x[0]) + SINE_NOISE * svf_random_normal(random);
}

double svf_synth_sine_risk(size_t d) {
  (void)d;
  return SINE_NOISE * SINE_NOISE;
}
