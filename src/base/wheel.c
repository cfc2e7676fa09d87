/* wheel.c - see wheel.h. */
#include "base/wheel.h"

svf_wheel svf_wheel_make(svf_arena *arena, size_t n, const double *weight) {
  svf_wheel wheel = {SVF_TAKE(arena, double, n), SVF_TAKE(arena, uint32_t, n), n};
  if (!wheel.sum || !wheel.guide) return (svf_wheel){0};
  double sum = 0;
  for (size_t i = 0; i < n; i++) wheel.sum[i] = sum += weight[i];
  for (size_t g = 0, i = 0; g < n; g++) {
    while (i + 1 < n && wheel.sum[i] <= (double)g / (double)n * sum) i++;
    wheel.guide[g] = (uint32_t)i;
  }
  return wheel;
}

size_t svf_wheel_draw(const svf_wheel *wheel, svf_random *random) {
  double at = svf_random_unit(random), fallen = at * wheel->sum[wheel->n - 1];
  size_t g = (size_t)(at * (double)wheel->n), i = wheel->guide[g < wheel->n ? g : wheel->n - 1];
  while (i > 0 && wheel->sum[i - 1] > fallen) i--; /* g/n is rounded: the guide may be one item too far */
  while (i + 1 < wheel->n && wheel->sum[i] <= fallen) i++;
  return i;
}
