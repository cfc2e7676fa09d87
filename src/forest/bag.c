/* bag.c - which rows a tree sees: all, a bootstrap, or a subsample. */
#include "forest/grow.h"

#include <math.h>

/* How often each row is drawn. */
static void draw_counts(const svf_ground *ground, size_t usable, uint32_t *count) {
  const svf_settings *settings = ground->settings;
  svf_random random = svf_random_at((svf_place){(uint64_t)settings->seed, SVF_USE_ROWS, ground->tree, 0, 0});
  if (settings->rows == SVF_ROWS_ALL) {
    for (size_t i = 0; i < usable; i++) count[i] = 1;
  } else if (settings->rows == SVF_ROWS_BOOTSTRAP) {
    for (size_t i = 0; i < usable; i++) count[svf_random_below(&random, usable)]++;
  } else { /* selection sampling: every subset of the wanted size is equally likely */
    size_t wanted = (size_t)ceil(settings->sample_fraction * (double)usable), taken = 0;
    for (size_t i = 0; i < usable; i++)
      if (svf_random_below(&random, usable - i) < wanted - taken) count[i] = 1, taken++;
  }
}

svf_bag svf_bag_draw(const svf_ground *ground) {
  const svf_frame *frame = ground->frame;
  svf_arena *scratch = &ground->worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  svf_bag bag = {0};
  uint32_t *usable = SVF_TAKE(scratch, uint32_t, frame->n), *count = SVF_ZERO(scratch, uint32_t, frame->n);
  bag.rows = SVF_TAKE(ground->arena, uint32_t, frame->n);
  bool all = ground->settings->rows == SVF_ROWS_ALL;
  if (!all) bag.judges = SVF_TAKE(ground->arena, uint32_t, frame->n);
  if (svf_arena_failed(scratch)) ground->arena->failed = true;
  if (!ground->arena->failed) {
    size_t n = 0;
    for (size_t i = 0; i < frame->n; i++)
      if (!frame->weight || frame->weight[i] > 0) usable[n++] = (uint32_t)i;
    draw_counts(ground, n, count);
    for (size_t i = 0; i < n; i++) {
      for (uint32_t c = 0; c < count[i]; c++) bag.rows[bag.n++] = usable[i];
      if (!all && count[i] == 0) bag.judges[bag.judge_count++] = usable[i];
    }
  }
  svf_arena_release(scratch, mark);
  return bag;
}
