/* scale.h - what a column's values are like, and the shift, scale and fill that follow from it. */
#ifndef SVF_DATA_SCALE_H
#define SVF_DATA_SCALE_H

#include "data/encode.h"
#include "data/scale_lanes.h"

typedef struct svf_spread {
  size_t count; /* values that are not missing; the rest is 0 where this is 0 */
  double low, high, mean, deviation /* of the population */, median /* of an even count: the middle */;
  bool two;         /* no value but low and high */
  bool outliers;    /* quartiles.h; false under a scale that they do not harm */
  double half_unit; /* of scale=robust (quartiles.h) */
} svf_spread;

/* Of n numbers, NaN left out; mean, deviation and half_unit are 0 where the scale does not ask for them. scratch: room for n.
 * Safe for every finite value. */
svf_spread svf_spread_of(const double *values, size_t n, svf_scale scale, double *scratch);
/* Of that many zeros and ones; with mean and deviation. */
svf_spread svf_spread_of_binary(size_t zeros, size_t ones);

/* Sets column's shift, scale, fill and clipped. */
void svf_scale_learn(const svf_spread *spread, svf_scale scale, svf_encoded *column);
/* What a user should know of a column that was scaled so. values: its n numbers, NaN left out. */
svf_finding svf_scale_finding(const svf_spread *spread, const svf_encoded *column, const double *values, size_t n);

/* encode.h's formula, and its result; NaN stays NaN, and nothing else becomes NaN. */
static inline svf_affine svf_scale_map(const svf_encoded *column) {
  double limit = column->shift == 0 && column->scale == 1 ? SVF_UNSCALED_LIMIT : SVF_ENCODED_LIMIT;
  return (svf_affine){column->shift / 2, 2 * column->scale, limit, column->clipped};
}
static inline double svf_scale_apply(const svf_encoded *column, double x) {
  svf_affine map = svf_scale_map(column);
  return svf_affine_of(&map, x);
}

#endif
