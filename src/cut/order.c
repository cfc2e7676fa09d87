/* order.c - see order.h. Few distinct values are counted into bins; else 64-bit keys, rank above and position below, are
 * sorted: by insertion if they are few, by their digits if they are many. */
#include "cut/order.h"

#include <string.h>

enum { FEW = 24, MOST_DIGIT = 11, BINS_PER_ROW = 4 };

static void insertion(uint64_t *key, size_t n) {
  for (size_t i = 1; i < n; i++) {
    uint64_t x = key[i];
    size_t j = i;
    for (; j && key[j - 1] > x; j--) key[j] = key[j - 1];
    key[j] = x;
  }
}

/* One pass of a radix sort, stable: from key to spare, by `width` bits from `shift` up. */
static void pass(const uint64_t *key, uint64_t *spare, size_t n, unsigned shift, unsigned width) {
  uint32_t start[1 << MOST_DIGIT];
  uint32_t mask = (1u << width) - 1, sum = 0;
  memset(start, 0, (mask + 1) * sizeof *start);
  for (size_t i = 0; i < n; i++) start[key[i] >> shift & mask]++;
  for (uint32_t b = 0; b <= mask; b++) {
    uint32_t count = start[b];
    start[b] = sum;
    sum += count;
  }
  for (size_t i = 0; i < n; i++) spare[start[key[i] >> shift & mask]++] = key[i];
}

/* Sorts keys whose upper half is below 2^bits; returns where they are then. */
static uint64_t *sort(uint64_t *key, uint64_t *spare, size_t n, unsigned bits) {
  if (n <= FEW) {
    insertion(key, n);
    return key;
  }
  unsigned most = n < 128 ? 6 : n < 4096 ? 8 : MOST_DIGIT, passes = (bits + most - 1) / most;
  for (unsigned p = 0, done = 0; p < passes; p++) {
    unsigned width = (bits - done + passes - p - 1) / (passes - p);
    pass(key, spare, n, 32 + done, width);
    done += width;
    uint64_t *swap = key;
    key = spare;
    spare = swap;
  }
  return key;
}

static unsigned bits_of(uint32_t x) {
  unsigned bits = 0;
  for (; x; x >>= 1) bits++;
  return bits;
}

/* The ranks of a node's rows in one column. */
typedef struct ranks {
  uint32_t *rank;     /* m */
  uint32_t low, high; /* the missing rank counts, too */
} ranks;

static bool gather_ranks(const svf_axis *a, const svf_column_copy *column, ranks *r) {
  const uint32_t *row = a->crowd.row;
  uint32_t *rank = r->rank = a->room;
  uint32_t low = UINT32_MAX, high = 0;
  for (size_t i = 0; i < a->crowd.m; i++) {
    rank[i] = svf_rank_at(column, row[i]);
    low = rank[i] < low ? rank[i] : low;
    high = rank[i] > high ? rank[i] : high;
  }
  r->low = low;
  r->high = high;
  return low < high;
}

static svf_ordered by_sorting(const svf_axis *a, const ranks *r) {
  svf_arena *scratch = &a->ground->worker->arena;
  const svf_crowd *crowd = &a->crowd;
  size_t m = crowd->m;
  svf_ordered done = {.item = SVF_TAKE(scratch, svf_item, m), .count = m};
  uint64_t *key = SVF_TAKE(scratch, uint64_t, m), *spare = SVF_TAKE(scratch, uint64_t, m);
  if (svf_arena_failed(scratch)) return done;
  for (size_t i = 0; i < m; i++) key[i] = (uint64_t)(r->rank[i] - r->low) << 32 | i;
  key = sort(key, spare, m, bits_of(r->high - r->low));
  for (size_t i = 0; i < m; i++) {
    uint32_t at = (uint32_t)key[i];
    done.item[i] = (svf_item){(uint32_t)(key[i] >> 32) + r->low, crowd->label[at], crowd->count[at],
                              crowd->weight[at], a->columns->target ? crowd->sum[at] : 0};
  }
  return done;
}

static svf_ordered by_counting(const svf_axis *a, const ranks *r) {
  svf_arena *scratch = &a->ground->worker->arena;
  const svf_crowd *crowd = &a->crowd;
  size_t k = a->balance.k, bins = (r->high - r->low + (size_t)1) * k;
  svf_item *bin = SVF_ZERO(scratch, svf_item, bins);
  svf_ordered done = {.item = bin};
  if (!bin) return done;
  for (size_t i = 0; i < crowd->m; i++) {
    svf_item *b = &bin[(r->rank[i] - r->low) * k + crowd->label[i]];
    b->rows += crowd->count[i];
    b->weight += crowd->weight[i];
    if (a->columns->target) b->sum += crowd->sum[i];
  }
  for (size_t b = 0; b < bins; b++) {
    if (!bin[b].rows) continue;
    bin[done.count] = bin[b];
    bin[done.count].rank = (uint32_t)(b / k) + r->low;
    bin[done.count++].label = (uint32_t)(b % k);
  }
  return done;
}

svf_ordered svf_order(const svf_axis *a, const svf_column_copy *column) {
  ranks r;
  if (!gather_ranks(a, column, &r)) return (svf_ordered){0};
  double bins = ((double)r.high - r.low + 1) * (double)a->balance.k;
  svf_ordered done = bins <= (double)(BINS_PER_ROW * a->crowd.m) ? by_counting(a, &r) : by_sorting(a, &r);
  if (svf_arena_failed(&a->ground->worker->arena)) return (svf_ordered){0};
  for (done.present = done.count; done.present && done.item[done.present - 1].rank == column->ranks;) done.present--;
  return done;
}
