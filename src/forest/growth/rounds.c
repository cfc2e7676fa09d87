/* rounds.c - trees that correct each other, round by round; and when to stop.
 *
 * With stop_rounds, some rows are held apart and judge the sums of the others after every round. The forest is then trained
 * on all rows with as many rounds as were best. A small table is held apart in turn, part by part, and the numbers of rounds
 * are averaged. */
#include "forest/growth/rounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 1 << 14, SMALL = 3000 };

typedef struct course {
  svf_planting *planting;
  svf_boosting *boosting;
  const svf_rounds *kind;
  svf_frame *frame;           /* s */
  svf_correction *correction; /* s */
  svf_sapling *sapling;       /* s */
  size_t done, best;          /* rounds */
  double score, least;        /* mean loss of the rows apart: now, of the best round */
  double from, to;            /* of the whole work, for progress */
  char phase[64];
} course;

static svf_status respond_block(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const course *c = context;
  size_t first = index * BLOCK, n = c->boosting->n;
  (void)worker, (void)message;
  c->kind->respond(c->boosting, first, n - first < BLOCK ? n : first + BLOCK);
  return SVF_OK;
}

/* One tree for each sum. */
static svf_status add_round(course *c, svf_message *message) {
  svf_planting *p = c->planting;
  svf_boosting *b = c->boosting;
  size_t most = (size_t)p->settings->trees;
  svf_stage stage = {c->phase, c->from + (c->to - c->from) * (double)c->done / (double)most, 0, NULL};
  stage.to = stage.from;
  c->kind->begin(b);
  SVF_TRY(svf_pool_run(p->pool, &stage, (b->n + BLOCK - 1) / BLOCK, respond_block, c, message));
  for (size_t s = 0; s < b->s; s++) {
    c->frame[s] = c->kind->frame(b, s);
    double factor = p->settings->learning_rate * b->half, start = c->done ? 0 : b->middle + b->half * b->start[s];
    c->correction[s] = (svf_correction){b->sum + s, b->s, p->settings->learning_rate, factor, start};
    c->sapling[s] = (svf_sapling){.frame = &c->frame[s], .correction = &c->correction[s]};
  }
  p->span = (svf_span){c->phase, c->from, c->to, most * b->s};
  svf_status status = svf_plant(p, c->sapling, c->done * b->s, b->s, message);
  for (size_t s = 0; s < b->s; s++) svf_sapling_free(&c->sapling[s]);
  if (status == SVF_OK) c->done++;
  return status;
}

/* From the start, or behind the rounds of another forest; up to `most` rounds, or until the rows apart say no more. */
static svf_status run(course *c, size_t most, svf_message *message) {
  svf_boosting *b = c->boosting;
  size_t patience = (size_t)c->planting->settings->stop_rounds;
  svf_records_free(&c->planting->records);
  for (size_t i = 0; i < b->n * b->s; i++) b->sum[i] = b->start[i % b->s];
  if (c->planting->before) SVF_TRY(svf_rounds_resume(c->planting, b, message));
  c->done = c->best = c->planting->before ? (size_t)c->planting->before->settings.trees : 0;
  c->least = INFINITY;
  const char *vote = c->planting->kinds.vote->kind.name;
  snprintf(c->phase, sizeof c->phase, "%s", vote);
  while (c->done < most) {
    SVF_TRY(add_round(c, message));
    if (!b->held) continue;
    c->score = c->kind->measure(b);
    if (c->score < c->least) c->least = c->score, c->best = c->done;
    snprintf(c->phase, sizeof c->phase, "%s (score %.5g, best %.5g)", vote, c->score, c->least);
    if (c->done - c->best >= patience) break;
  }
  return SVF_OK;
}

/* Holds every row apart whose place among those of its class, shuffled, is `part` of `parts`. */
static bool hold_apart(const course *c, size_t part, size_t parts) {
  svf_boosting *b = c->boosting;
  const svf_frame *frame = b->frame;
  uint32_t *row = malloc(b->n * sizeof *row), *place = calloc(frame->k, sizeof *place);
  size_t count = 0;
  svf_random random = svf_random_at((svf_place){(uint64_t)c->planting->settings->seed, SVF_USE_STOP, 0, 0, 0});
  for (size_t i = 0; row && i < b->n; i++) {
    b->apart[i] = 0;
    if (svf_boosting_weight(b, i) > 0) row[count++] = (uint32_t)i;
  }
  if (row && place) svf_random_shuffle(&random, row, count);
  b->held = false;
  for (size_t i = 0; row && place && i < count; i++) {
    b->apart[row[i]] = place[frame->label ? frame->label[row[i]] : 0]++ % parts == part;
    b->held |= b->apart[row[i]];
  }
  bool fine = row && place;
  free(row);
  free(place);
  return fine;
}

static void hold_none(const course *c) {
  for (size_t i = 0; i < c->boosting->n; i++) c->boosting->apart[i] = 0;
  c->boosting->held = false;
}

/* How many rounds rows apart find best. A share of each run's progress. */
static svf_status find_rounds(course *c, size_t *rounds, svf_message *message) {
  const svf_settings *settings = c->planting->settings;
  size_t parts = (size_t)lround(1 / settings->stop_fraction), runs = c->boosting->n < SMALL ? parts : 1, sum = 0,
         used = 0;
  for (size_t run_number = 0; run_number < runs; run_number++) {
    if (!hold_apart(c, run_number, parts)) return svf_no_memory(message, "the rows apart");
    if (!c->boosting->held) continue;
    c->from = .8 * (double)run_number / (double)runs;
    c->to = .8 * (double)(run_number + 1) / (double)runs;
    SVF_TRY(run(c, (size_t)settings->trees, message));
    sum += c->best;
    used++;
  }
  hold_none(c);
  *rounds = used ? (sum + used / 2) / used : (size_t)settings->trees;
  if (!*rounds) *rounds = 1;
  c->from = .8;
  return SVF_OK;
}

static svf_status plant(course *c, svf_message *message) {
  size_t rounds = (size_t)c->planting->settings->trees;
  c->to = 1;
  if (c->planting->settings->stop_rounds) SVF_TRY(find_rounds(c, &rounds, message));
  c->to = 1;
  return run(c, rounds, message);
}

svf_status svf_plant_rounds(svf_planting *planting, size_t *rounds, svf_message *message) {
  course c = {.planting = planting, .kind = planting->kinds.vote->rounds};
  SVF_TRY(c.kind->open(planting->settings, planting->frame, &planting->arena, &c.boosting, message));
  size_t s = c.boosting->s;
  c.frame = calloc(s, sizeof *c.frame);
  c.correction = calloc(s, sizeof *c.correction);
  c.sapling = calloc(s, sizeof *c.sapling);
  svf_status status = SVF_OK;
  if (!c.frame || !c.correction || !c.sapling) status = svf_no_memory(message, "the trees");
  else status = plant(&c, message);
  if (status == SVF_STOPPED && c.done) status = SVF_OK; /* the rounds so far are a forest */
  *rounds = c.done;
  free(c.frame);
  free(c.correction);
  free(c.sapling);
  return status;
}
