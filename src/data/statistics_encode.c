/* statistics_encode.c - statistics of the target in the encoded table: learned, and those of training rows put in; see
 * statistics.h. */
#include "data/statistics.h"

#include <math.h>
#include <stdlib.h>
#include "base/pool.h"
#include "data/match.h"
#include "data/scale.h"

svf_status svf_statistics_learn(const svf_targets *targets, const svf_table *table, size_t j, svf_scale scale,
                                svf_arena *scratch, svf_encoding *encoding, svf_message *message) {
  svf_feature *feature = &encoding->feature[j];
  svf_encoded *column = &encoding->column[feature->first];
  size_t n = table->n, levels = feature->levels.count, width = feature->width;
  svf_by_level by;
  double *rows = SVF_TAKE(scratch, double, n), *room = SVF_TAKE(scratch, double, n);
  double *all = SVF_TAKE(scratch, double, levels + 2);
  feature->statistic = malloc((levels + 2) * width * sizeof *feature->statistic);
  bool fine = svf_by_level_make(&by, table->column[j].code, n, levels, scratch) &&
              svf_statistics_roles(table, column, width - 1, scratch) && !svf_arena_failed(scratch);
  if (!fine || !feature->statistic) return svf_no_memory(message, "the encoding");
  for (size_t c = 0; c < width; c++) {
    svf_statistics_of(targets, &by, column[c].level, rows, all);
    svf_spread spread = svf_spread_of(rows, n, scale, room);
    svf_scale_learn(&spread, scale, &column[c]);
    for (size_t l = 0; l < levels + 2; l++)
      feature->statistic[l * width + c] = (float)svf_scale_apply(&column[c], all[l]);
  }
  return SVF_OK;
}

/* The training table on its way into a frame. */
typedef struct putting {
  const svf_encoder *encoder;
  const svf_targets *targets;
  svf_frame *frame;
} putting;

static bool put(const putting *p, const svf_source *source, svf_arena *scratch) {
  const svf_feature *feature = source->feature;
  const svf_encoded *column = &p->encoder->encoding->column[feature->first];
  svf_frame *frame = p->frame;
  svf_by_level by;
  int32_t *level = SVF_TAKE(scratch, int32_t, frame->n);
  double *rows = SVF_TAKE(scratch, double, frame->n);
  if (!level || !rows) return false;
  for (size_t i = 0; i < frame->n; i++) level[i] = svf_source_level(source, i);
  if (!svf_by_level_make(&by, level, frame->n, feature->levels.count, scratch)) return false;
  for (uint32_t c = 0; c < feature->width; c++) {
    svf_statistics_of(p->targets, &by, column[c].level, rows, NULL);
    float *x = frame->x + feature->first + c;
    for (size_t i = 0; i < frame->n; i++) x[i * frame->stride] = (float)svf_scale_apply(&column[c], rows[i]);
  }
  return true;
}

static svf_status put_feature(void *context, size_t j, svf_worker *worker, svf_message *message) {
  const putting *p = context;
  const svf_source *source = &p->encoder->source[j];
  svf_mark mark = svf_arena_mark(&worker->arena);
  bool fine = !source->feature->statistic || put(p, source, &worker->arena);
  svf_arena_release(&worker->arena, mark);
  return fine ? SVF_OK : svf_no_memory(message, "the encoded table");
}

svf_status svf_statistics_encode(const svf_encoder *encoder, const svf_table *table, const svf_coding *coding,
                                 const svf_run *run, svf_frame *frame, svf_message *message) {
  svf_targets targets;
  const svf_encoding *encoding = encoder->encoding;
  putting p = {encoder, &targets, frame};
  bool any = false;
  for (size_t j = 0; j < encoding->features; j++) any |= encoding->feature[j].statistic != NULL;
  if (!any) return SVF_OK;
  svf_arena arena = {0};
  svf_status status = svf_targets_open(&targets, table, frame->label, coding, &arena)
                          ? svf_pool_once(run, "encode", encoding->features, put_feature, &p, message)
                          : svf_no_memory(message, "the encoded table");
  svf_arena_free(&arena);
  for (size_t c = 0; !status && c < frame->d; c++) {
    bool statistic = encoding->feature[encoding->column[c].feature].statistic;
    for (size_t i = 0; statistic && i < frame->n && !frame->missing; i++)
      frame->missing = isnan(frame->x[i * frame->stride + c]);
  }
  return status;
}
