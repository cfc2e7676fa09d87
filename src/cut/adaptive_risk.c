/* adaptive_risk.c - the empirical risk of a candidate whose leaves are trained for it, as the forest would train them. */
#include "cut/adaptive.h"
#include "leaf/leaf.h"

#include <math.h>

enum { TOGETHER = 64 };

/* A leaf at its own rows. */
typedef struct exam {
  const svf_patch *patch;
  const svf_leaf *leaf;
  uint32_t *rows; /* of one plot, in the table */
  uint64_t *name; /* of each plot's site */
  double *score, *share;
} exam;

static bool open_exam(exam *e) {
  const svf_patch *p = e->patch;
  svf_arena *arena = &p->ground->worker->arena;
  size_t k = p->ground->frame->k;
  e->rows = SVF_TAKE(arena, uint32_t, p->n);
  e->name = SVF_TAKE(arena, uint64_t, p->count);
  e->score = SVF_TAKE(arena, double, TOGETHER *k);
  e->share = SVF_TAKE(arena, double, TOGETHER *k);
  return !svf_arena_failed(arena);
}

/* Leaves draw from streams named by the way to them. */
static void name_plots(const exam *e, const svf_way *way) {
  e->name[0] = e->patch->site->name;
  for (size_t i = 0; i < way->count; i++) {
    uint64_t up = e->name[way->cut[i].plot];
    e->name[way->cut[i].plot] = svf_random_child(up, 0);
    e->name[i + 1] = svf_random_child(up, 1);
  }
}

static double loss(const svf_frame *frame, size_t row, const double *share) {
  double sum = 0, weight = frame->weight ? frame->weight[row] : 1;
  for (size_t c = 0; c < frame->k; c++) {
    double error = share[c] - (frame->label ? frame->label[row] == (int32_t)c : frame->value[row]);
    sum += error * error;
  }
  return weight * sum;
}

/* Adds the loss of a trained leaf at n rows. */
static bool ask(const exam *e, const svf_leaf_view *view, size_t n, double *sum) {
  const svf_frame *frame = e->patch->ground->frame;
  const float *row[TOGETHER];
  for (size_t first = 0; first < n; first += TOGETHER) {
    size_t count = n - first < TOGETHER ? n - first : TOGETHER;
    for (size_t i = 0; i < count; i++) row[i] = frame->x + e->rows[first + i] * frame->stride;
    if (!e->leaf->predict(view, row, count, &e->patch->ground->worker->arena, e->score, e->share)) return false;
    for (size_t i = 0; i < count; i++) *sum += loss(frame, e->rows[first + i], e->share + i * frame->k);
  }
  return true;
}

static bool judge(const exam *e, size_t plot, double *sum) {
  const svf_ground *ground = e->patch->ground;
  const svf_plot *at = &e->patch->plot[plot];
  svf_mark mark = svf_arena_mark(&ground->worker->arena);
  svf_buffer numbers = {0};
  svf_message message;
  for (size_t i = 0; i < at->n; i++) e->rows[i] = e->patch->site->rows[e->patch->order[at->from + i]];
  svf_site site = {.name = e->name[plot], .rows = e->rows, .n = at->n};
  bool fine = e->leaf->train(ground, &site, &numbers, &message) == SVF_OK;
  svf_leaf_view view = {.numbers = (const double *)numbers.data,
                        .length = numbers.size / sizeof(double),
                        .d = ground->frame->d,
                        .k = ground->frame->k,
                        .fill = ground->frame->fill,
                        .la = ground->la,
                        .metric = ground->metric};
  fine = fine && ask(e, &view, at->n, sum);
  svf_buffer_free(&numbers);
  svf_arena_release(&ground->worker->arena, mark);
  return fine;
}

bool svf_adaptive_risk(const svf_patch *patch, const svf_way *way, double *risk) {
  exam e = {.patch = patch, .leaf = patch->ground->leaf};
  svf_mark mark = svf_arena_mark(&patch->ground->worker->arena);
  double sum = 0;
  bool fine = open_exam(&e);
  if (fine) name_plots(&e, way);
  for (size_t plot = 0; plot < patch->count && fine; plot++)
    if (patch->plot[plot].n) fine = judge(&e, plot, &sum);
  svf_arena_release(&patch->ground->worker->arena, mark);
  *risk = sum / patch->all;
  return fine;
}
