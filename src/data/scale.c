/* scale.c - see scale.h. */
#include "data/scale.h"

#include <float.h>
#include <math.h>

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
typedef struct bins {
  double low, scale;
} bins;

static int bin_of(const bins *b, double value) { return (int)((value - b->low) * b->scale); }

/* Puts the values of the bin that holds the one of that rank first and returns how many they are; the rank is then
 * counted among them. */
static size_t put_bin(const bins *b, double *value, size_t n, size_t *rank) {
  size_t count[BINS] = {0}, kept = 0;
  int bin = 0;
  for (size_t i = 0; i < n; i++) count[bin_of(b, value[i])]++;
  while (*rank >= count[bin]) *rank -= count[bin++];
  for (size_t i = 0; i < n; i++) {
    double here = value[i];
    value[i] = value[kept];
    value[kept] = here;
    kept += bin_of(b, here) == bin;
  }
  return kept;
}

static double largest_below(double limit, const double *value, size_t n) {
  double most = -INFINITY;
  for (size_t i = 0; i < n; i++)
    if (value[i] > most && value[i] < limit) most = value[i];
  return most;
}

/* Of an even number of values, the mean of the two in the middle. */
static double median(double *value, size_t n, double low, double high) {
  bool tame = fabs(low) < 1e150 && fabs(high) < 1e150 && high - low > 1e-150;
  size_t rank = n / 2, kept = n;
  bins b = {low, (BINS - 1) / (high - low)};
  if (n > MANY && tame) kept = put_bin(&b, value, n, &rank);
  put_rank(value, (ptrdiff_t)kept, (ptrdiff_t)rank);
  double upper = value[rank], lower = -INFINITY;
  if (n % 2) return upper;
  for (size_t i = 0; i < rank; i++)
    if (value[i] > lower) lower = value[i];
  if (!rank) lower = largest_below(upper, value + kept, n - kept); /* it is in a bin further down */
  return lower == upper ? lower : lower / 2 + upper / 2;
}

/* Mean and deviation with the values brought to at most 1 in size by a power of two, so that neither sums nor
 * squares overflow or vanish. */
static void set_moments(svf_spread *spread, const double *value) {
  int exponent;
  frexp(fmax(fabs(spread->low), fabs(spread->high)), &exponent);
  if (exponent < -1022) exponent = -1022;
  enum { LANES = 4 }; /* sums that need not wait for each other */
  double down = ldexp(1, -exponent), sum[LANES] = {0}, squares[LANES] = {0};
  for (size_t i = 0; i < spread->count; i++) sum[i % LANES] += value[i] * down;
  double mean = (sum[0] + sum[1] + sum[2] + sum[3]) / (double)spread->count;
  for (size_t i = 0; i < spread->count; i++) {
    double off = value[i] * down - mean;
    squares[i % LANES] += off * off;
  }
  double square = squares[0] + squares[1] + squares[2] + squares[3];
  spread->mean = ldexp(mean, exponent);
  spread->deviation = ldexp(sqrt(square / (double)spread->count), exponent);
}

static bool has_two(const svf_spread *spread, const double *value) {
  for (size_t i = 0; i < spread->count; i++)
    if (value[i] != spread->low && value[i] != spread->high) return false;
  return true;
}

svf_spread svf_spread_of(const double *values, size_t n, double *scratch) {
  svf_spread spread = {.low = INFINITY, .high = -INFINITY};
  for (size_t i = 0; i < n; i++) {
    if (isnan(values[i])) continue;
    if (values[i] < spread.low) spread.low = values[i];
    if (values[i] > spread.high) spread.high = values[i];
    scratch[spread.count++] = values[i];
  }
  if (!spread.count) return (svf_spread){0};
  set_moments(&spread, scratch);
  spread.two = has_two(&spread, scratch);
  spread.median = median(scratch, spread.count, spread.low, spread.high);
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
