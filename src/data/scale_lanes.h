/* scale_lanes.h - plain passes over the numbers of a column, several at a time: one table of them per instruction set, all
 * with the same results. */
#ifndef SVF_DATA_SCALE_LANES_H
#define SVF_DATA_SCALE_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Equal parts of a range, numbered from 0; and that of a number from low on. */
typedef struct svf_bins {
  double low, scale;
} svf_bins;
static inline int svf_bin_of(const svf_bins *bins, double x) { return (int)((x - bins->low) * bins->scale); }

/* encode.h's formula, and its clamp. NaN stays NaN. */
typedef struct svf_affine {
  double half_shift, twice_scale, limit;
  bool clipped;
} svf_affine;
static inline double svf_clip(double z) { return z / sqrt(1 + z * z / 9); }
static inline double svf_affine_of(const svf_affine *map, double x) {
  double encoded = (x / 2 - map->half_shift) * map->twice_scale;
  encoded = encoded > map->limit ? map->limit : encoded < -map->limit ? -map->limit : encoded;
  return map->clipped ? svf_clip(encoded) : encoded;
}

typedef struct svf_scale_lanes {
  /* Least and largest of n numbers; NaN, of which it returns how many there are, left out: of none they are +-INFINITY. */
  size_t (*range)(size_t n, const double *x, double *low, double *high);
  /* count[b] += how many of n numbers are in bin b. */
  void (*tally)(size_t n, const double *x, const svf_bins *bins, uint32_t *count);
  /* Copies those in one bin, which should be few, to out, which may be x; returns how many they are. */
  size_t (*keep)(size_t n, const double *x, const svf_bins *bins, int bin, double *out);
  /* n encoded numbers; returns whether there is a NaN among them. */
  bool (*encode)(size_t n, const double *x, const svf_affine *map, float *out);
} svf_scale_lanes;

/* scale.c: they are numbered like the tables of la.h; NULL: this processor cannot run that one. */
const svf_scale_lanes *svf_scale_lanes_at(size_t index);
/* The fastest that it can run. */
const svf_scale_lanes *svf_scale_lanes_choose(void);

#endif
