/* scale.c - see scale.h. */
#include "data/scale.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Puts the value of that rank where sorting would, with nothing larger on its left (Hoare's FIND). Pivots
 * come from a fixed sequence, so that no order that real tables have is a slow one. */
static void put_rank(double *value, ptrdiff_t n, ptrdiff_t rank) {
  ptrdiff_t low = 0, high = n - 1;
  uint64_t state = 1;
  while (low < high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double pivot = value[low + (ptrdiff_t)((state >> 33) % (uint64_t)(high - low + 1))];
    ptrdiff_t i = low, j = high;
    while (i <= j) {
      while (value[i] < pivot) i++;
      while (value[j] > pivot) j--;
      if (i > j) break;
      double swapped = value[i];
      value[i++] = value[j];
      value[j--] = swapped;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else return;
  }
}

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
  put_rank(scratch, (ptrdiff_t)kept, (ptrdiff_t)rank);
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
  return spread;
}

svf_spread svf_spread_of_binary(size_t zeros, size_t ones) {
  svf_spread spread = {.count = zeros + ones, .two = true};
  if (!spread.count) return spread;
  spread.low = zeros ? 0 : 1;
  spread.high = ones ? 1 : 0;
  spread.mean = (double)ones / (double)spread.count;
  spread.deviation = sqrt(spread.mean * (1 - spread.mean));
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

void svf_scale_learn(const svf_spread *spread, svf_scale scale, svf_encoded *column) {
  bool constant = spread->low == spread->high;
  column->shift = column->scale = column->fill = 0;
  if (!spread->count) return;
  if (scale == SVF_SCALE_NONE) {
    column->scale = 1;
  } else if (scale == SVF_SCALE_BINARY) {
    learn_binary(spread, column);
  } else if (to_unit(spread, scale)) {
    column->shift = spread->low;
    column->scale = constant ? 0 : usable_inverse(spread->high / 2 - spread->low / 2);
  } else {
    column->shift = spread->mean;
    column->scale = constant ? 0 : usable_inverse(spread->deviation / 2);
  }
  column->fill = svf_scale_apply(column, spread->median);
}
