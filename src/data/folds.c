/* folds.c - folds and holdout splits, stratified by class. */
#include "data/folds.h"
#include "data/table.h"

#include <math.h>
#include <stdlib.h>

typedef struct deck { /* rows grouped by class, each class shuffled */
  uint32_t *row;
  size_t *start;  /* class c has rows start[c]..start[c+1]-1 */
  size_t classes; /* label + 1, so that -1 is one too */
} deck;

static size_t class_of(const int32_t *label, size_t i) { return label ? (size_t)(label[i] + 1) : 0; }

static bool shuffle_classes(svf_random *random, const int32_t *label, size_t n, svf_arena *arena, deck *cards) {
  cards->classes = 1;
  for (size_t i = 0; i < n; i++)
    if (class_of(label, i) >= cards->classes) cards->classes = class_of(label, i) + 1;
  cards->row = SVF_TAKE(arena, uint32_t, n);
  cards->start = SVF_ZERO(arena, size_t, cards->classes + 2);
  if (svf_arena_failed(arena)) return false;
  size_t *end = cards->start + 1; /* first the sizes, one further on; then they move while rows are put */
  for (size_t i = 0; i < n; i++) end[class_of(label, i) + 1]++;
  for (size_t c = 0; c < cards->classes; c++) end[c + 1] += end[c];
  for (size_t i = 0; i < n; i++) cards->row[end[class_of(label, i)]++] = (uint32_t)i;
  for (size_t c = 0; c < cards->classes; c++)
    svf_random_shuffle(random, cards->row + cards->start[c], cards->start[c + 1] - cards->start[c]);
  return true;
}

/* One row after the other to the folds in turn; rows lie anywhere: ask for their places early. */
static void deal(const uint32_t *row, size_t n, size_t folds, int32_t *fold) {
  enum { AHEAD = 16 };
  size_t next = 0;
  for (size_t i = 0; i < n; i++) {
    if (i + AHEAD < n) __builtin_prefetch(fold + row[i + AHEAD], 1);
    fold[row[i]] = (int32_t)next;
    next = next + 1 < folds ? next + 1 : 0;
  }
}

bool svf_stratified(svf_random *random, const int32_t *label, size_t n, size_t folds, svf_arena *arena,
                    int32_t *fold) {
  svf_mark mark = svf_arena_mark(arena);
  deck cards;
  bool dealt = shuffle_classes(random, label, n, arena, &cards);
  if (dealt) deal(cards.row, n, folds, fold);
  svf_arena_release(arena, mark);
  return dealt;
}

svf_status svf_table_folds(const svf_table *table, size_t folds, uint64_t seed, int32_t *fold, svf_message *message) {
  if (folds < 2 || folds > table->n)
    return svf_fail(message, SVF_USAGE, "%zu fold%s of %zu row%s: folds must be 2 or more, and not more than rows",
                    folds, folds == 1 ? "" : "s", table->n, table->n == 1 ? "" : "s");
  svf_arena arena = {0};
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = SVF_USE_FOLDS});
  bool dealt = svf_stratified(&random, table->label, table->n, folds, &arena, fold);
  svf_arena_free(&arena);
  return dealt ? SVF_OK : svf_no_memory(message, "the folds");
}

/* Shares out `wanted` places over the classes in proportion: the whole part of each quota first, then one
 * more to the largest remainders, the first class where they are equal. Whole numbers only, so it is exact.
 */
static bool share(const deck *cards, size_t n, size_t wanted, svf_arena *arena, size_t **places) {
  size_t *place = *places = SVF_TAKE(arena, size_t, cards->classes);
  uint64_t *rest = SVF_TAKE(arena, uint64_t, cards->classes);
  if (svf_arena_failed(arena)) return false;
  size_t given = 0;
  for (size_t c = 0; c < cards->classes; c++) {
    uint64_t product = (uint64_t)(cards->start[c + 1] - cards->start[c]) * wanted;
    place[c] = (size_t)(product / n);
    rest[c] = product % n;
    given += place[c];
  }
  for (; given < wanted; given++) {
    size_t most = 0;
    for (size_t c = 1; c < cards->classes; c++)
      if (rest[c] > rest[most]) most = c;
    place[most]++;
    rest[most] = 0;
  }
  return true;
}

static bool split(const svf_table *table, size_t wanted, uint64_t seed, svf_arena *arena, int32_t *part) {
  svf_random random = svf_random_at((svf_place){.seed = seed, .use = SVF_USE_FOLDS, .trial = 1});
  deck cards;
  size_t *place;
  if (!shuffle_classes(&random, table->label, table->n, arena, &cards)) return false;
  if (!share(&cards, table->n, wanted, arena, &place)) return false;
  for (size_t c = 0; c < cards.classes; c++)
    for (size_t i = cards.start[c]; i < cards.start[c + 1]; i++) part[cards.row[i]] = i - cards.start[c] < place[c];
  return true;
}

svf_status svf_table_holdout(const svf_table *table, double fraction, uint64_t seed, int32_t *part,
                             svf_message *message) {
  if (!(fraction > 0 && fraction < 1))
    return svf_fail(message, SVF_USAGE, "a holdout of %g: the fraction must be above 0 and below 1", fraction);
  if (table->n < 2) return svf_fail(message, SVF_DATA, "a table of one row cannot be split");
  double wanted = floor((double)table->n * fraction + 0.5);
  wanted = fmin(fmax(wanted, 1), (double)(table->n - 1));
  svf_arena arena = {0};
  bool done = split(table, (size_t)wanted, seed, &arena, part);
  svf_arena_free(&arena);
  return done ? SVF_OK : svf_no_memory(message, "the split");
}
