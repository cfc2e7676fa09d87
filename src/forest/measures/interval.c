/* interval.c - see interval.h. */
#include "forest/measures/interval.h"
#include "base/arena.h"
#include "base/random.h"
#include "forest/forest.h"

#include <math.h>

enum { FEWEST = 3 }; /* two to train on, one to calibrate with */

static size_t held_count(const svf_settings *settings, size_t n) {
  double wanted = floor((double)n * settings->interval_fraction + 0.5);
  return (size_t)fmin(fmax(wanted, 1), (double)(n - 2));
}

/* Row i is held with the chance that is left for it: any set of `wanted` rows is as likely (Knuth's algorithm S). Classes are
 * not counted: a draw that looks at answers would make the rows held apart differ from new ones. */
static void deal(const svf_settings *settings, size_t n, size_t *train, size_t *held) {
  size_t wanted = held_count(settings, n);
  svf_random random = svf_random_at((svf_place){.seed = (uint64_t)settings->seed, .use = SVF_USE_INTERVAL});
  for (size_t i = 0; i < n; i++)
    if (svf_random_below(&random, n - i) < wanted) *held++ = i, wanted--;
    else *train++ = i;
}

static svf_status check(const svf_table *table, svf_message *message) {
  const char *name = table->path ? table->path : "the table";
  if (table->weight)
    return svf_fail(message, SVF_USAGE,
                    "%s: interval=conformal counts all rows alike: leave the weights out, or set interval=none",
                    name);
  if (table->n < FEWEST)
    return svf_fail(message, SVF_DATA, "%s: interval=conformal needs at least %d rows, there are %zu", name, FEWEST,
                    table->n);
  return SVF_OK;
}

svf_status svf_apart_open(const svf_settings *settings, const svf_table *table, svf_apart *apart,
                          svf_message *message) {
  *apart = (svf_apart){NULL, NULL};
  SVF_TRY(check(table, message));
  svf_arena arena = {0};
  size_t held = held_count(settings, table->n), *row = SVF_TAKE(&arena, size_t, table->n);
  svf_status status = row ? SVF_OK : svf_no_memory(message, "the rows held apart");
  if (!status) {
    deal(settings, table->n, row, row + (table->n - held));
    status = svf_table_take(table, row, table->n - held, &apart->train, message);
  }
  if (!status) status = svf_table_take(table, row + (table->n - held), held, &apart->held, message);
  svf_arena_free(&arena);
  return status;
}

svf_status svf_apart_calibrate(const svf_apart *apart, const svf_run *run, svf_forest **forest,
                               svf_message *message) {
  svf_forest *plain = *forest;
  svf_run quiet = run ? *run : (svf_run){0};
  quiet.callback = NULL;
  quiet.remark = NULL;
  svf_status status = svf_forest_calibrate(plain, apart->held, &quiet, forest, message);
  if (!status) (*forest)->oob = plain->oob;
  svf_forest_free(plain);
  return status;
}

void svf_apart_free(svf_apart *apart) {
  svf_table_free(apart->train);
  svf_table_free(apart->held);
}
