/* threshold.c - see threshold.h. A column is sorted once and swept from left to right; entropy and Gini index change by
 * two terms when one row changes sides, so a sweep costs the same for any number of classes. */
#include "cut/threshold.h"

#include <math.h>
#include <string.h>
#include "la/elementary.h"

enum { SMALL = 48, BITS = 8, DIGITS = 1 << BITS };

/* ---- sorting ---- */

/* Floats in the order of unsigned integers; the index follows in the low half. */
static uint64_t make_key(float value, size_t index) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits = bits >> 31 ? ~bits : bits | 0x80000000u;
  return (uint64_t)bits << 32 | (uint32_t)index;
}

static void insertion(uint64_t *key, size_t n) {
  for (size_t i = 1; i < n; i++) {
    uint64_t moving = key[i];
    size_t j = i;
    for (; j > 0 && key[j - 1] > moving; j--) key[j] = key[j - 1];
    key[j] = moving;
  }
}

/* Sorts by the upper half, digit by digit; returns where the result stands. */
static uint64_t *radix(uint64_t *key, uint64_t *spare, size_t n) {
  uint32_t start[4][DIGITS] = {{0}};
  for (size_t i = 0; i < n; i++)
    for (int pass = 0; pass < 4; pass++) start[pass][key[i] >> (32 + BITS * pass) & (DIGITS - 1)]++;
  for (int pass = 0; pass < 4; pass++) {
    uint32_t sum = 0, *at = start[pass];
    int shift = 32 + BITS * pass;
    if (at[key[0] >> shift & (DIGITS - 1)] == n) continue; /* all alike in this digit */
    for (int digit = 0; digit < DIGITS; digit++) {
      uint32_t count = at[digit];
      at[digit] = sum;
      sum += count;
    }
    for (size_t i = 0; i < n; i++) spare[at[key[i] >> shift & (DIGITS - 1)]++] = key[i];
    uint64_t *t = key;
    key = spare;
    spare = t;
  }
  return key;
}

/* ---- impurity ---- */

typedef enum mode { ENTROPY, GINI, VARIANCE } mode;
typedef svf_half half;

static double entropy_term(const svf_search *s, double x) {
  if (s->xlogx) return s->xlogx[(size_t)x];
  return x > 0 ? x * svf_log(x) : 0;
}

/* The larger, the purer: -W I(side), up to a term that all places share. */
static inline double purity(const svf_search *s, const mode m, const half *h) {
  if (!(h->weight > 0)) return 0;
  if (m == ENTROPY) return h->sum - entropy_term(s, h->weight);
  return (m == GINI ? h->sum : h->sum * h->sum) / h->weight;
}

/* A row joins (sign 1) or leaves (-1) a side. */
static inline void change(const svf_search *s, const mode m, size_t row, double sign, double *count, half *h) {
  double weight = s->weight ? sign * s->weight[row] : sign;
  h->weight += weight;
  if (m == VARIANCE) {
    h->sum += weight * s->value[row];
    return;
  }
  double *place = &count[s->label[row]], before = *place, after = before + weight;
  if (after < 0) after = 0; /* rounding of weights */
  *place = after;
  if (m == ENTROPY) h->sum += entropy_term(s, after) - entropy_term(s, before);
  else h->sum += after * after - before * before;
}

/* ---- a column ---- */

typedef struct column {
  const float *value;
  const uint64_t *key; /* sorted: rows that have a value */
  size_t present, missing;
} column;

/* Halfway between two values: above the lower one, at most the upper one. */
static float between(float low, float high) {
  float middle = low / 2 + high / 2;
  return middle > low && middle <= high ? middle : high;
}

static inline void move_left(svf_search *s, const mode m, size_t row, half *left, half *right) {
  change(s, m, row, 1, s->side[0], left);
  change(s, m, row, -1, s->side[1], right);
}

/* One sweep, the missing rows left or right; m is a constant wherever this is called. */
static inline __attribute__((always_inline)) bool sweep(svf_search *s, const column *c, const mode m,
                                                        bool missing_left, svf_found *found) {
  half left = {0, 0}, right = s->sum;
  double base = purity(s, m, &right);
  size_t extra = missing_left ? c->missing : 0;
  bool better = false;
  memset(s->side[0], 0, s->k * sizeof(double));
  memcpy(s->side[1], s->whole, s->k * sizeof(double));
  for (size_t i = 0; i < extra; i++) move_left(s, m, s->missing[i], &left, &right);
  float before = -INFINITY, here;
  for (size_t i = 0; i < c->present && s->n - i - extra >= s->min_leaf; i++, before = here) {
    size_t row = (uint32_t)c->key[i];
    here = c->value[row];
    if (before < here && i + extra >= s->min_leaf) {
      double gain = (purity(s, m, &left) + purity(s, m, &right) - base) * s->unit;
      if (gain > found->gain) {
        bool larger =
            c->missing ? missing_left : 2 * i >= c->present; /* rows to come that miss it: the larger side */
        *found = (svf_found){gain, i ? between(before, here) : here, larger};
        better = true;
      }
    }
    move_left(s, m, row, &left, &right);
  }
  return better;
}

static bool sweep_any(svf_search *s, const column *c, bool missing_left, svf_found *found) {
  if (!s->label) return sweep(s, c, VARIANCE, missing_left, found);
  return s->entropy ? sweep(s, c, ENTROPY, missing_left, found) : sweep(s, c, GINI, missing_left, found);
}

bool svf_search_column(svf_search *s, const float *value, svf_found *found) {
  column c = {.value = value};
  for (size_t i = 0; i < s->n; i++) {
    if (value[i] == value[i]) s->key[c.present++] = make_key(value[i], i);
    else s->missing[c.missing++] = (uint32_t)i;
  }
  if (c.present < SMALL) insertion(s->key, c.present);
  c.key = c.present < SMALL ? s->key : radix(s->key, s->spare, c.present);
  bool better = sweep_any(s, &c, false, found);
  return (c.missing && sweep_any(s, &c, true, found)) || better;
}

/* ---- a node ---- */

double *svf_xlogx(svf_arena *arena, size_t n) {
  double *table = SVF_TAKE(arena, double, n + 1);
  for (size_t i = 0; table && i <= n; i++) table[i] = i > 1 ? (double)i * svf_log((double)i) : 0;
  return table;
}

/* Largest of n numbers in absolute value; 1 where all are 0. */
static double largest(size_t n, const double *x) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most > 0 ? most : 1;
}

/* Returns the largest, which they are scaled by. */
static double take_weights(const svf_frame *frame, const svf_site *site, double *weight) {
  for (size_t i = 0; i < site->n; i++) weight[i] = frame->weight[site->rows[i]];
  double most = largest(site->n, weight);
  for (size_t i = 0; i < site->n; i++) weight[i] /= most;
  return most;
}

/* Halves, so that numbers of 1e308 have a difference. Returns the scale. */
static double take_values(const svf_frame *frame, const svf_site *site, double *value) {
  double mean = 0;
  for (size_t i = 0; i < site->n; i++) value[i] = frame->value[site->rows[i]] / 2;
  for (size_t i = 0; i < site->n; i++) mean += (value[i] - mean) / (double)(i + 1);
  for (size_t i = 0; i < site->n; i++) value[i] -= mean;
  double most = largest(site->n, value);
  for (size_t i = 0; i < site->n; i++) value[i] /= most;
  return 2 * most;
}

/* The node's own sums, and what a gain is measured in. scale: of the values; heaviest: of the weights. */
static void weigh(svf_search *s, double scale, double heaviest, double asked) {
  const mode m = !s->label ? VARIANCE : s->entropy ? ENTROPY : GINI;
  for (size_t i = 0; i < s->n; i++) change(s, m, i, 1, s->whole, &s->sum);
  double highest = m == ENTROPY ? svf_log((double)(s->k > 2 ? s->k : 2)) : 1; /* impurity, before its unit */
  s->unit = heaviest * (m == VARIANCE ? fmin(scale * scale, 1e300) : m == ENTROPY ? 1 / svf_log(2) : 1);
  s->unit = fmax(fmin(s->unit, 1e300), 1e-300);
  s->least = fmax(1e-12 * highest * s->sum.weight * s->unit, nextafter(asked, 0));
}

bool svf_search_open(svf_search *s, const svf_ground *ground, const svf_site *site, const double *xlogx) {
  const svf_frame *frame = ground->frame;
  svf_arena *arena = &ground->worker->arena;
  *s = (svf_search){.n = site->n, .k = frame->k, .min_leaf = ground->min_leaf};
  s->entropy = ground->settings->criterion == SVF_CRITERION_ENTROPY;
  int32_t *label = frame->label ? SVF_TAKE(arena, int32_t, s->n) : NULL;
  double *value = frame->label ? NULL : SVF_TAKE(arena, double, s->n);
  double *weight = frame->weight ? SVF_TAKE(arena, double, s->n) : NULL;
  s->whole = SVF_ZERO(arena, double, s->k);
  s->side[0] = SVF_TAKE(arena, double, s->k);
  s->side[1] = SVF_TAKE(arena, double, s->k);
  s->key = SVF_TAKE(arena, uint64_t, s->n);
  s->spare = SVF_TAKE(arena, uint64_t, s->n);
  s->missing = SVF_TAKE(arena, uint32_t, s->n);
  if (svf_arena_failed(arena)) {
    ground->arena->failed = true;
    return false;
  }
  double scale = 1, heaviest = 1;
  if (weight) heaviest = take_weights(frame, site, weight);
  else s->xlogx = xlogx;
  if (value) scale = take_values(frame, site, value);
  for (size_t i = 0; label && i < s->n; i++) label[i] = frame->label[site->rows[i]];
  s->label = label;
  s->value = value;
  s->weight = weight;
  weigh(s, scale, heaviest, ground->settings->min_gain * ground->weight);
  return true;
}
