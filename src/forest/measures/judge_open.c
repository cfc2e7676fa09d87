/* judge_open.c - a table before a forest: encoded, and for out-of-bag judging with the bags drawn again.
 *
 * A bag is a function of the seed, the number of the tree, and the weights of the rows, so it need not be in the file. */
#include "forest/measures/judge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "forest/answers/compact_forest.h"
#include "forest/growth/grow.h"

static svf_status check_table(const svf_forest *forest, const svf_table *table, bool oob, svf_message *message) {
  const char *name = table->path ? table->path : "the table";
  if (table->task == SVF_TASK_AUTO)
    return svf_fail(message, SVF_DATA, "%s: there is no target to compare with", name);
  if (table->task != forest->encoding.task)
    return svf_fail(message, SVF_DATA, "%s: the task of its target differs from that of the model", name);
  if (oob && forest->kinds.vote->rounds)
    return svf_fail(message, SVF_USAGE, "trees of vote=%s correct each other, so there are no out-of-bag predictions",
                    forest->settings.vote);
  if (oob && forest->settings.rows == SVF_ROWS_ALL)
    return svf_fail(message, SVF_USAGE, "every tree of this model saw all rows (rows=all), so none is out of bag");
  if (oob && table->n != forest->parts.rows)
    return svf_fail(message, SVF_DATA,
                    "%s: out of bag needs the table that the model was trained on: it had %zu rows%s, "
                    "not %zu",
                    name, (size_t)forest->parts.rows,
                    forest->conformals ? " (those that interval=conformal held apart are none of them)" : "",
                    table->n);
  return SVF_OK;
}

static svf_status check_answers(const svf_judging *j, const svf_table *table, svf_message *message) {
  const svf_frame *frame = &j->frame;
  for (size_t i = 0; i < frame->n; i++)
    if (frame->label ? frame->label[i] < 0 : isnan(frame->value[i]))
      return svf_fail(message, SVF_DATA, "%s: row %zu has a target that is missing, or that the model does not know",
                      table->path ? table->path : "the table", i + 1);
  return SVF_OK;
}

/* Marks the rows that a tree may not be asked of: those in its bag, and those in no bag at all. */
static svf_status mark_seen(void *context, size_t tree, svf_worker *worker, svf_message *message) {
  svf_judging *j = context;
  svf_arena own = {0};
  svf_ground ground = {.frame = &j->frame,
                       .settings = &j->forest->settings,
                       .tree = j->forest->parts.tree[tree].number,
                       .arena = &own,
                       .worker = worker};
  svf_bag bag = svf_bag_draw(&ground);
  unsigned char *seen = j->seen + tree * j->stride;
  bool failed = own.failed;
  memset(seen, 0xff, j->stride);
  for (size_t i = 0; !failed && i < bag.judge_count; i++)
    seen[bag.judges[i] / 8] &= (unsigned char)~(1u << bag.judges[i] % 8);
  svf_arena_free(&own);
  return failed ? svf_no_memory(message, "a bag") : SVF_OK;
}

static svf_status draw_bags(svf_judging *j, svf_pool *pool, svf_message *message) {
  size_t trees = j->forest->parts.trees;
  svf_stage stage = {"bags", 0, 0, NULL};
  SVF_TRY(svf_frame_weigh(&j->forest->settings, &j->forest->kinds, &j->frame, message));
  j->stride = (j->frame.n + 7) / 8;
  j->seen = calloc(trees, j->stride);
  if (!j->seen) return svf_no_memory(message, "the bags");
  return svf_pool_run(pool, &stage, trees, mark_seen, j, message);
}

svf_status svf_judging_open(svf_judging *judging, const svf_forest *forest, const svf_table *table, svf_judged judged,
                            svf_pool *pool, svf_message *message) {
  *judging = (svf_judging){.forest = forest};
  bool oob = judged == SVF_JUDGED_OOB;
  svf_coding coding;
  SVF_TRY(check_table(forest, table, oob, message));
  SVF_TRY(svf_coding_of(&forest->settings, &coding, message));
  if (judged == SVF_JUDGED_ANY) SVF_TRY(svf_encode(&forest->encoding, table, pool->run, &judging->frame, message));
  else SVF_TRY(svf_encode_training(&forest->encoding, table, &coding, pool->run, &judging->frame, message));
  svf_status status = check_answers(judging, table, message);
  if (status == SVF_OK && oob) status = draw_bags(judging, pool, message);
  if (status) svf_judging_close(judging);
  return status;
}

enum { MOST_PATHS = 1 << 26 }; /* a gigabyte of them */

static svf_status note_paths(void *context, size_t tree, svf_worker *worker, svf_message *message) {
  const svf_judging *j = context;
  (void)worker, (void)message;
  svf_compact_paths(j->forest, tree, j->frame.n, j->frame.stride, j->frame.x, j->path + tree * j->frame.n);
  return SVF_OK;
}

svf_status svf_judging_paths(svf_judging *judging, svf_pool *pool, svf_message *message) {
  size_t trees = judging->forest->parts.trees, n = judging->frame.n;
  svf_stage stage = {"shuffle", 0, 0, NULL};
  size_t limit = pool->run ? pool->run->memory_limit : 0;
  if (!atomic_load(&judging->forest->compact) || n > MOST_PATHS / trees) return SVF_OK;
  if (limit && trees * n * sizeof *judging->path > limit) return SVF_OK;
  judging->path = malloc(trees * n * sizeof *judging->path);
  if (!judging->path) return svf_no_memory(message, "importances");
  return svf_pool_run(pool, &stage, trees, note_paths, judging, message);
}

/* The last bits of a score, and with them a few rows, may differ from one processor to the next, and with
 * precision=single from training to the file: then all answers are as inexact as floats are. */
static bool nearly(const svf_judging *judging, const svf_sum *tree, double then, double largest) {
  double now = svf_sum_mean(*tree), root = fabs(sqrt(then) - sqrt(now)); /* of numbers: how far answers went apart */
  if (then == now || (isnan(then) && isnan(now))) return true;           /* both may be infinite */
  double slack = 1e-4 * fmax(fabs(then), fabs(now)) + (judging->frame.label ? 2 * largest / tree->all : 0);
  bool single = judging->forest->settings.precision == SVF_PRECISION_SINGLE && !judging->frame.label;
  return fabs(then - now) <= slack || (single && root <= 4 * FLT_EPSILON * largest + FLT_TRUE_MIN);
}

svf_status svf_judging_check(const svf_judging *judging, const svf_sum *tree, svf_message *message) {
  const svf_frame *frame = &judging->frame;
  const svf_parts *parts = &judging->forest->parts;
  double largest = 0; /* weight of a row, or number */
  for (size_t i = 0; i < frame->n; i++)
    largest = fmax(largest, frame->value ? fabs(frame->value[i]) : frame->measure ? frame->measure[i] : 1);
  for (size_t t = 0; t < parts->trees; t++) {
    if (nearly(judging, &tree[t], parts->tree[t].oob, largest)) continue;
    return svf_fail(message, SVF_DATA,
                    "this is not the table that the model was trained on, or its rows or weights changed: the "
                    "out-of-bag result of tree "
                    "%zu was %.6g and is now %.6g",
                    (size_t)parts->tree[t].number + 1, parts->tree[t].oob, svf_sum_mean(tree[t]));
  }
  return SVF_OK;
}

void svf_judging_close(svf_judging *judging) {
  free(judging->seen);
  free(judging->path);
  svf_frame_free(&judging->frame);
  *judging = (svf_judging){0};
}
