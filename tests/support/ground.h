/* ground.h - a tree's ground without a forest around it, for tests of cuts, leaves and picks. */
#ifndef SVF_TESTS_GROUND_H
#define SVF_TESTS_GROUND_H

#include "support/forest.h"
#include "forest/growth/grow.h"

typedef struct test_ground {
  svf_ground ground;
  svf_table *table;
  svf_encoding encoding;
  svf_frame frame;
  svf_settings *settings;
  svf_arena arena;
  svf_worker worker;
  atomic_int stop;
  float *low, *high;
} test_ground;

static inline void test_ground_prepare(test_ground *t) {
  svf_message message;
  svf_kinds kinds;
  svf_pool pool;
  svf_run run = {.threads = 1};
  assert_ok(svf_kinds_find(t->settings, &kinds, &message), &message);
  assert_ok(svf_pool_open(&pool, &run, &message), &message);
  if (kinds.cut->prepare) {
    svf_status status = kinds.cut->prepare(&t->frame, t->settings, &pool, &t->arena, &t->ground.prepared, &message);
    assert_ok(status, &message);
  }
  svf_pool_close(&pool);
}

/* Takes the table over. */
static inline void test_ground_open(test_ground *t, svf_table *table, const char *method, const char *pairs) {
  svf_message message;
  memset(t, 0, sizeof *t);
  t->table = table;
  t->settings = test_settings(method, pairs);
  svf_coding coding;
  assert_ok(svf_coding_of(t->settings, &coding, &message), &message);
  assert_ok(svf_encoding_learn(table, &coding, NULL, &t->encoding, &message), &message);
  assert_ok(svf_encode_training(&t->encoding, table, &coding, NULL, &t->frame, &message), &message);
  t->worker.stop = &t->stop;
  t->low = calloc(t->frame.d, sizeof(float));
  t->high = calloc(t->frame.d, sizeof(float));
  for (size_t j = 0; j < t->frame.d; j++) t->high[j] = 1;
  t->ground = (svf_ground){.frame = &t->frame,
                           .settings = t->settings,
                           .la = svf_la_choose(false),
                           .min_leaf = (size_t)t->settings->min_leaf,
                           .arena = &t->arena,
                           .low = t->low,
                           .high = t->high,
                           .worker = &t->worker};
  for (size_t i = 0; i < t->frame.n; i++) t->ground.weight += t->frame.weight ? t->frame.weight[i] : 1;
  test_ground_prepare(t);
}

/* Weighs the rows as training does, once, and prepares the cut for that. */
static inline void test_ground_weigh(test_ground *t) {
  svf_message message;
  svf_kinds kinds;
  assert_ok(svf_kinds_find(t->settings, &kinds, &message), &message);
  assert_ok(svf_frame_weigh(t->settings, &kinds, &t->frame, &message), &message);
  test_ground_prepare(t);
}

static inline void test_ground_close(test_ground *t) {
  svf_arena_free(&t->arena);
  svf_arena_free(&t->worker.arena);
  svf_frame_free(&t->frame);
  svf_encoding_free(&t->encoding);
  svf_settings_free(t->settings);
  svf_table_free(t->table);
  free(t->low);
  free(t->high);
}

#endif
