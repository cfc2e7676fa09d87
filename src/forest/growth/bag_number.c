/* bag_number.c - how often a tree sees a row, by the row's number alone: for tables of which nobody has all rows at hand.
 *
 * A bootstrap of n rows draws each about as often as a Poisson variable with mean 1 says, the better the larger n is (Oza and
 * Russell, Online bagging and boosting, 2001). */
#include "forest/growth/grow.h"

static uint32_t poisson(double u) {
  enum { MOST = 20 };              /* 1/20! is below the last bit of a double */
  double p = 0x1.78b56362cef38p-2; /* 1/e */
  uint32_t count = 0;
  for (double sum = p; u >= sum && count < MOST; sum += p) p /= ++count;
  return count;
}

uint32_t svf_bag_count(const svf_settings *settings, uint32_t tree, uint32_t number) {
  if (settings->rows == SVF_ROWS_ALL) return 1;
  svf_random random = svf_random_at((svf_place){(uint64_t)settings->seed, SVF_USE_COUNTS, tree, 0, number});
  double u = svf_random_unit(&random);
  return settings->rows == SVF_ROWS_BOOTSTRAP ? poisson(u) : u < settings->sample_fraction;
}
