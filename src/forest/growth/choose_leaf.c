/* choose_leaf.c - what the leaf kind chooses for the whole forest before the rows are encoded, the scale being one of it: a
 * few rows are drawn, encoded under each scale, and handed to the kind. */
#include "forest/growth/choose_settings.h"
#include "forest/growth/grow.h"
#include "data/draw.h"

#include <stdlib.h>

enum { ROWS = 2500, SCALES = 2 };
static const int scales[SCALES] = {SVF_SCALE_STANDARD, SVF_SCALE_ROBUST};

typedef struct drawn {
  svf_table *table;
  svf_encoding encoding[SCALES];
  svf_frame frame[SCALES];
  size_t count; /* of both */
} drawn;

static svf_status take_rows(const svf_settings *settings, const svf_table *table, drawn *d, svf_message *message) {
  svf_arena arena = {0};
  svf_random random = svf_random_at((svf_place){.seed = (uint64_t)settings->seed, .use = SVF_USE_METRIC, .trial = 1});
  size_t classes = 1;
  for (size_t i = 0; table->label && i < table->n; i++)
    if ((size_t)table->label[i] >= classes) classes = (size_t)table->label[i] + 1;
  svf_draw draw = {table->n, classes, table->label, table->weight};
  uint32_t *row = SVF_TAKE(&arena, uint32_t, table->n);
  size_t n = row ? svf_draw_rows(&draw, &random, ROWS, &arena, row) : 0, *wide = SVF_TAKE(&arena, size_t, n);
  svf_status status = svf_arena_failed(&arena) ? svf_no_memory(message, "the choice of a scale") : SVF_OK;
  for (size_t i = 0; status == SVF_OK && i < n; i++) wide[i] = row[i];
  if (status == SVF_OK) status = svf_table_take(table, wide, n, &d->table, message);
  svf_arena_free(&arena);
  return status;
}

/* Encodes the drawn rows under one scale, and weighs them as training does. */
static svf_status encode(const svf_settings *settings, int scale, const svf_run *run, drawn *d,
                         svf_message *message) {
  svf_settings own = *settings;
  svf_coding coding;
  svf_kinds kinds;
  own.scale = scale;
  SVF_TRY(svf_coding_of(&own, &coding, message));
  SVF_TRY(svf_kinds_find(&own, &kinds, message));
  SVF_TRY(svf_encoding_learn(d->table, &coding, run, &d->encoding[d->count], message));
  svf_status status = svf_encode(&d->encoding[d->count], d->table, run, &d->frame[d->count], message);
  if (status != SVF_OK) {
    svf_encoding_free(&d->encoding[d->count]);
    return status;
  }
  return svf_frame_weigh(&own, &kinds, &d->frame[d->count++], message);
}

static svf_status choose(svf_settings *settings, const svf_leaf *leaf, const svf_run *run, drawn *d,
                         svf_message *message) {
  bool open = settings->scale == SVF_SCALE_AUTO;
  svf_run quiet = run ? *run : (svf_run){0};
  quiet.remark = NULL; /* once is enough, for the whole table */
  for (int s = 0; s < (open ? SCALES : 1); s++)
    SVF_TRY(encode(settings, open ? scales[s] : settings->scale, &quiet, d, message));
  const svf_frame *frame = &d->frame[0];
  uint32_t *row = malloc((frame->n + 1) * sizeof *row);
  if (!row) return svf_no_memory(message, "the choice of a scale");
  size_t n = 0, chosen = 0;
  for (size_t i = 0; i < frame->n; i++)
    if (!frame->weight || frame->weight[i] > 0) row[n++] = (uint32_t)i;
  svf_choosing choosing = {d->frame, d->count, row, n, svf_la_choose(settings->cpu == SVF_CPU_PORTABLE), &quiet};
  svf_status status = leaf->choose(&choosing, settings, &chosen, message);
  if (status == SVF_OK && open) settings->scale = scales[chosen];
  free(row);
  return status;
}

svf_status svf_settings_choose_leaf(svf_settings *settings, const svf_table *table, const svf_run *run,
                                    svf_message *message) {
  svf_kinds kinds;
  SVF_TRY(svf_kinds_find(settings, &kinds, message));
  if (!kinds.leaf->choose || !kinds.leaf->chooses(settings)) return SVF_OK;
  drawn d = {0};
  svf_status status = take_rows(settings, table, &d, message);
  if (status == SVF_OK) status = choose(settings, kinds.leaf, run, &d, message);
  for (size_t i = 0; i < d.count; i++) {
    svf_frame_free(&d.frame[i]);
    svf_encoding_free(&d.encoding[i]);
  }
  svf_table_free(d.table);
  return status;
}
