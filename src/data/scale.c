/* scale.c - see scale.h. */
#include "data/scale.h"
#include "data/quartiles.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "la/la.h"

extern const svf_scale_lanes svf_scale_lanes_portable, svf_scale_lanes_avx2, svf_scale_lanes_avx512;
static const svf_scale_lanes *const lanes_of[] = SVF_LEVELS(&svf_scale_lanes);

const svf_scale_lanes *svf_scale_lanes_at(size_t index) { return index <= svf_la_level() ? lanes_of[index] : NULL; }
const svf_scale_lanes *svf_scale_lanes_choose(void) { return lanes_of[svf_la_level()]; }

/* Equal parts of the range of many values. Those in the part of the wanted rank are few: only they are sorted, and the
 * others take no guesses that may be wrong. */
enum { BINS = 1024, MANY = 4096 };

/* Copies the values of the bin that holds the one of that rank to `out`, which may be `value`, and returns how many they are;
 * the rank is then counted among them. below: where that is 0, the largest value of the bins below. */
static size_t take_bin(const svf_bins *bins, const double *value, size_t n, size_t *rank, double *out,
                       double *below) {
  const svf_scale_lanes *lanes = svf_scale_lanes_choose();
  uint32_t count[BINS] = {0};
  int bin = 0;
  lanes->tally(n, value, bins, count);
  while (*rank >= count[bin]) *rank -= count[bin++];
  for (size_t i = 0; *rank == 0 && i < n; i++)
    if (value[i] > *below && svf_bin_of(bins, value[i]) < bin) *below = value[i];
  return lanes->keep(n, value, bins, bin, out);
}

/* Of an even number of values, the mean of the two in the middle. scratch: n numbers; may be value. */
static double median(const double *value, size_t n, double low, double high, double *scratch) {
  bool tame = fabs(low) < 1e150 && fabs(high) < 1e150 && high - low > 1e-150;
  size_t rank = n / 2, kept = n;
  double lower = -INFINITY;
  svf_bins bins = {low, (BINS - 1) / (high - low)};
  if (n > MANY && tame) kept = take_bin(&bins, value, n, &rank, scratch, &lower);
  else memmove(scratch, value, n * sizeof *scratch);
  svf_put_rank(scratch, kept, rank);
  double upper = scratch[rank];
  if (n % 2) return upper;
  for (size_t i = 0; i < rank; i++)
    if (scratch[i] > lower) lower = scratch[i];
  return lower == upper ? lower : lower / 2 + upper / 2;
}

/* Sums that need not wait for each other. */
enum { LANES = 4 };

/* Mean and deviation with the values brought to at most 1 in size by a power of two, so that neither sums nor
 * squares overflow or vanish. */
static void set_moments(svf_spread *spread, const double *value) {
  int exponent;
  frexp(fmax(fabs(spread->low), fabs(spread->high)), &exponent);
  if (exponent < -1022) exponent = -1022;
  double down = ldexp(1, -exponent), sum[LANES] = {0}, squares[LANES] = {0};
  size_t n = spread->count, whole = n / LANES * LANES;
  for (size_t i = 0; i < whole; i += LANES)
    for (size_t l = 0; l < LANES; l++) sum[l] += value[i + l] * down;
  for (size_t i = whole; i < n; i++) sum[i - whole] += value[i] * down;
  double mean = (sum[0] + sum[1] + sum[2] + sum[3]) / (double)n;
  for (size_t i = 0; i < whole; i += LANES)
    for (size_t l = 0; l < LANES; l++) squares[l] += (value[i + l] * down - mean) * (value[i + l] * down - mean);
  for (size_t i = whole; i < n; i++) squares[i - whole] += (value[i] * down - mean) * (value[i] * down - mean);
  double square = squares[0] + squares[1] + squares[2] + squares[3];
  spread->mean = ldexp(mean, exponent);
  spread->deviation = ldexp(sqrt(square / (double)spread->count), exponent);
}

static bool has_two(const svf_spread *spread, const double *value) {
  for (size_t i = 0; i < spread->count; i++)
    if (value[i] != spread->low && value[i] != spread->high) return false;
  return true;
}

static void set_unit(svf_spread *spread, const double *values, size_t n, double *scratch) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (!isnan(values[i])) scratch[kept++] = values[i];
  spread->half_unit = svf_half_robust_unit(scratch, kept, spread->median);
}

/* Is all that varies in the last digits? */
static bool only_rounding(const svf_spread *spread) {
  double most = fmax(fabs(spread->low), fabs(spread->high));
  return spread->high / 2 - spread->low / 2 <= SVF_ROUNDING / 2 * most;
}

svf_spread svf_spread_of(const double *values, size_t n, svf_scale scale, double *scratch) {
  svf_spread spread = {0};
  size_t missing = svf_scale_lanes_choose()->range(n, values, &spread.low, &spread.high), kept = 0;
  if (missing == n) return (svf_spread){0};
  const double *present = missing ? scratch : values;
  for (size_t i = 0; missing && i < n; i++)
    if (!isnan(values[i])) scratch[kept++] = values[i];
  spread.count = n - missing;
  if (scale == SVF_SCALE_STANDARD || scale == SVF_SCALE_MIXED) set_moments(&spread, present);
  spread.two = has_two(&spread, present);
  spread.median = median(present, spread.count, spread.low, spread.high, scratch);
  if (scale == SVF_SCALE_ROBUST) set_unit(&spread, values, n, scratch);
  else if (scale != SVF_SCALE_BINARY && scale != SVF_SCALE_NONE)
    spread.outliers =
        !spread.two && svf_has_outliers(values, n, spread.high / 2 - spread.low / 2, spread.median, scratch);
  return spread;
}

svf_spread svf_spread_of_binary(size_t zeros, size_t ones) {
  svf_spread spread = {.count = zeros + ones, .two = true};
  if (!spread.count) return spread;
  spread.low = zeros ? 0 : 1;
  spread.high = ones ? 1 : 0;
  spread.mean = (double)ones / (double)spread.count;
  spread.deviation = sqrt(spread.mean * (1 - spread.mean));
  spread.half_unit = zeros && ones ? .5 : 0;
  spread.median = zeros > ones ? 0 : zeros < ones ? 1 : 0.5;
  return spread;
}

static double usable_inverse(double half_length) { return half_length * 2 >= DBL_MIN ? 0.5 / half_length : 0; }

/* Towards 0 by a shift, into [-1, 1] by a power of two: what is left of a number in single precision is never less than
 * its own, whatever other numbers the column has. */
static void learn_binary(const svf_spread *spread, svf_encoded *column) {
  int exponent;
  column->shift = spread->low > 0 ? spread->low : spread->high < 0 ? spread->high : 0;
  double half = fmax(fabs(spread->low / 2 - column->shift / 2), fabs(spread->high / 2 - column->shift / 2));
  frexp(half, &exponent);
  if (half > 0) column->scale = ldexp(1, exponent < -1000 ? 1000 : -(exponent + 1));
}

/* The deviation of an indicator says how rare it is, nothing of a unit: divided by it, the rarest would be the loudest. */
static bool to_unit(const svf_spread *spread, svf_scale scale) {
  return scale == SVF_SCALE_UNIT || (scale == SVF_SCALE_MIXED && spread->two);
}

/* A unit below the smallest normal number, beside a range that is not: the column keeps its signs. */
static double robust_inverse(const svf_spread *spread) {
  double half = spread->half_unit;
  if (half > 0 && half * 2 < DBL_MIN && spread->high / 2 - spread->low / 2 >= DBL_MIN) half = DBL_MIN;
  return usable_inverse(half);
}

void svf_scale_learn(const svf_spread *spread, svf_scale scale, svf_encoded *column) {
  bool constant = only_rounding(spread);
  column->shift = column->scale = column->fill = 0;
  column->clipped = scale == SVF_SCALE_ROBUST;
  if (!spread->count) return;
  if (scale == SVF_SCALE_NONE) {
    column->scale = 1;
  } else if (scale == SVF_SCALE_BINARY) {
    learn_binary(spread, column);
    if (constant) column->scale = 0;
  } else if (scale == SVF_SCALE_ROBUST) {
    column->shift = spread->median;
    column->scale = constant ? 0 : robust_inverse(spread);
  } else if (to_unit(spread, scale)) {
    column->shift = spread->low;
    column->scale = constant ? 0 : usable_inverse(spread->high / 2 - spread->low / 2);
  } else {
    column->shift = spread->mean;
    column->scale = constant ? 0 : usable_inverse(spread->deviation / 2);
  }
  column->fill = svf_scale_apply(column, spread->median);
}

/* 2^53: from here on not every whole number is a double. 2^64: from here on a number is rather a measure than a name. */
#define WHOLE_LIMIT 9007199254740992.
#define NAME_LIMIT  18446744073709551616.

static bool all_whole(const double *values, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isnan(values[i]) && values[i] != floor(values[i])) return false;
  return true;
}

svf_finding svf_scale_finding(const svf_spread *spread, const svf_encoded *column, const double *values, size_t n) {
  double most = fmax(fabs(spread->low), fabs(spread->high));
  if (most > WHOLE_LIMIT && most <= NAME_LIMIT && all_whole(values, n)) return SVF_FOUND_LONG_INTEGERS;
  if (column->scale == 0 && spread->low < spread->high)
    return only_rounding(spread) ? SVF_FOUND_ROUNDING : SVF_FOUND_TINY;
  return spread->outliers ? SVF_FOUND_OUTLIERS : SVF_FOUND_NOTHING;
}
