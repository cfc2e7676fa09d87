/* column_ranges.c - the least and the largest number of each encoded column: a pass over the whole matrix, for all threads. */
#include "forest/growth/plant.h"

#include <math.h>

/* Some rows of the matrix, and the range of each column in them; NaN is in none. */
enum { ROWS = 2048 };
typedef struct ranging {
  const svf_frame *frame;
  float *low, *high; /* of each part, `stride` numbers */
} ranging;

/* The numbers of four rows, or of one, join the ranges of their columns; several columns at a time. */
static inline __attribute__((always_inline)) void take_rows(const float *x, const size_t rows, size_t stride,
                                                            float *low, float *high) {
  for (size_t j = 0; j < stride; j += 4)
    for (size_t c = j; c < j + 4; c++) {
      float least = low[c], most = high[c];
      for (size_t r = 0; r < rows; r++) {
        float here = x[r * stride + c];
        least = here < least ? here : least;
        most = here > most ? here : most;
      }
      low[c] = least, high[c] = most;
    }
}

static svf_status find_part(void *context, size_t part, svf_worker *worker, svf_message *message) {
  (void)worker, (void)message;
  const ranging *r = context;
  size_t stride = r->frame->stride, i = part * ROWS, end = r->frame->n - i < ROWS ? r->frame->n : i + ROWS;
  float *low = r->low + part * stride, *high = r->high + part * stride;
  for (size_t j = 0; j < stride; j++) low[j] = INFINITY, high[j] = -INFINITY;
  for (; i + 4 <= end; i += 4) take_rows(r->frame->x + i * stride, 4, stride, low, high);
  for (; i < end; i++) take_rows(r->frame->x + i * stride, 1, stride, low, high);
  return SVF_OK;
}

svf_status svf_ranges_find(svf_planting *p, svf_message *message) {
  enum { FEW = 1 << 18 }; /* numbers: below that, starting threads takes longer than they save */
  const svf_frame *frame = p->frame;
  size_t parts = (frame->n + ROWS - 1) / ROWS, stride = frame->stride;
  ranging r = {frame, SVF_TAKE(&p->arena, float, parts *stride), SVF_TAKE(&p->arena, float, parts *stride)};
  if (svf_arena_failed(&p->arena)) return svf_no_memory(message, "the forest");
  svf_run here = {.threads = 1};
  bool few = frame->n < FEW / (stride + 1);
  SVF_TRY(svf_pool_once(few ? &here : p->pool->run, "encode", parts, find_part, &r, message));
  for (size_t part = 1; part < parts; part++)
    for (size_t j = 0; j < stride; j++) {
      r.low[j] = fminf(r.low[j], r.low[part * stride + j]);
      r.high[j] = fmaxf(r.high[j], r.high[part * stride + j]);
    }
  p->low = r.low, p->high = r.high;
  return SVF_OK;
}
