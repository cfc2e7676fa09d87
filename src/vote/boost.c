/* boost.c - boosting: the answer is a sum, and each tree corrects the sum so far (Friedman, Greedy function approximation: a gradient
 * boosting machine, Annals of Statistics 2001; second-order steps as in Friedman, Hastie and Tibshirani, Additive logistic
 * regression, Annals of Statistics 2000). The losses are in losses.c. */
#include "vote/boosting.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(size_t k, const double *score, const double *share, double weight, double *tally) {
  (void)k, (void)share;
  *tally += weight * *score;
}

static size_t sums(size_t k) { return k == 2 ? 1 : k; }

/* The loss by its number in boost_loss, or the one for the task. */
static const svf_loss *loss_of(const svf_settings *settings, bool classes) {
  for (size_t i = 0; svf_losses[i]; i++) {
    bool asked = settings->boost_loss == (int)i + 1;
    if (asked || (settings->boost_loss == SVF_BOOST_LOSS_AUTO && svf_losses[i]->classes == classes))
      return svf_losses[i];
  }
  return svf_losses[0];
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  const svf_loss *loss = loss_of(settings, task == SVF_TASK_CLASS);
  if (settings->rows == SVF_ROWS_BALANCED)
    return svf_fail(message, SVF_USAGE,
                    "vote=boost adds up trees, so it cannot balance the rows of each: use "
                    "class_weight=balanced");
  if (settings->first_tree)
    return svf_fail(
        message, SVF_USAGE,
        "trees of vote=boost correct those before them, so they cannot be trained in parts: leave first_tree out");
  if (settings->prune > 0)
    return svf_fail(message, SVF_USAGE,
                    "prune is for trees that predict alone, and those of vote=boost do not: leave it out");
  if (loss->median && strcmp(settings->leaf, "constant"))
    return svf_fail(message, SVF_USAGE,
                    "leaves of boost_loss=%s predict medians, and leaf=%s cannot: use leaf=constant, or "
                    "boost_loss=huber",
                    loss->name, settings->leaf);
  if (task == SVF_TASK_AUTO || loss->classes == (task == SVF_TASK_CLASS)) return SVF_OK;
  return svf_fail(message, SVF_USAGE, "boost_loss=%s is for %s: use boost_loss=auto", loss->name,
                  loss->classes ? "classes, and the target is a number" : "numbers, and the target is classes");
}

/* Numbers to learn as middle + half * target; halves, so that 1e308 has a range. */
static void scale_target(svf_boosting *b) {
  const double *value = b->frame->value;
  double low = value[0], high = low;
  for (size_t i = 0; i < b->n; i++) low = fmin(low, value[i]), high = fmax(high, value[i]);
  b->middle = low / 2 + high / 2;
  b->half = high / 2 - low / 2;
  if (!(b->half > 0)) b->half = 1;
  for (size_t i = 0; i < b->n; i++) b->target[i] = value[i] / b->half - b->middle / b->half;
}

/* The prior of a leaf is in rows: it must not depend on the unit of the weights. */
static double mean_weight(const svf_frame *frame) {
  double sum = 0, count = 0;
  for (size_t i = 0; frame->weight && i < frame->n; i++)
    if (frame->weight[i] > 0) sum += frame->weight[i], count++;
  return count > 0 ? sum / count : 1;
}

static svf_status open(const svf_settings *settings, const svf_frame *frame, svf_arena *arena,
                       svf_boosting **boosting, svf_message *message) {
  svf_boosting *b = SVF_ZERO(arena, svf_boosting, 1);
  size_t n = frame->n, s = sums(frame->k);
  if (!b) return svf_no_memory(message, "boosting");
  *b = (svf_boosting){
      .settings = settings, .frame = frame, .loss = loss_of(settings, frame->label != NULL), .n = n, .s = s};
  b->half = 1;
  b->unit = mean_weight(frame);
  b->target = frame->label ? NULL : SVF_TAKE(arena, double, n);
  b->start = SVF_TAKE(arena, double, s);
  b->sum = SVF_TAKE(arena, double, n *s);
  b->value = SVF_TAKE(arena, double, n *s);
  b->weight = SVF_TAKE(arena, double, n *s);
  b->residual = b->loss->median ? SVF_TAKE(arena, double, n) : NULL;
  b->room = SVF_TAKE(arena, double, n > frame->k ? n : frame->k);
  b->apart = SVF_ZERO(arena, unsigned char, n);
  if (svf_arena_failed(arena)) return svf_no_memory(message, "boosting");
  if (!frame->label) scale_target(b);
  b->loss->start(b);
  *boosting = b;
  return SVF_OK;
}

static void begin(svf_boosting *b) {
  if (b->loss->begin) b->loss->begin(b);
}

static void respond(svf_boosting *b, size_t first, size_t end) {
  for (size_t i = first; i < end; i++) {
    double weight = b->apart[i] ? 0 : svf_boosting_weight(b, i);
    b->loss->respond(b, i, b->value, b->weight);
    for (size_t c = 0; c < b->s; c++) b->weight[c * b->n + i] *= weight;
    if (b->residual) b->residual[i] = b->target[i] - b->sum[i];
  }
}

static svf_frame frame(const svf_boosting *b, size_t sum) {
  svf_frame made = *b->frame;
  made.k = 1;
  made.label = NULL;
  made.class_weight = NULL;
  made.value = b->value + sum * b->n;
  made.weight = b->loss->even && !b->frame->weight && !b->held ? NULL : b->weight + sum * b->n;
  made.step = true;
  made.prior = b->settings->leaf_prior;
  made.residual = b->residual;
  return made;
}

static double measure(const svf_boosting *b) {
  double sum = 0, all = 0;
  for (size_t i = 0; i < b->n; i++) {
    double weight = b->apart[i] ? svf_boosting_weight(b, i) : 0;
    if (weight > 0) sum += weight * b->loss->measure(b, i);
    all += weight;
  }
  return all > 0 ? sum / all : 0;
}

/* Votes whose differences are log-odds; a number stays finite. */
static void link(size_t k, bool classes, double *vote, double *share) {
  if (!classes) vote[0] = fmax(-DBL_MAX, fmin(DBL_MAX, vote[0]));
  if (share && !classes) share[0] = vote[0];
  if (!classes) return;
  if (share) svf_boosting_probabilities(k, vote, share);
  if (k == 2) vote[1] = vote[0] / 2, vote[0] = -vote[1];
}

static const svf_rounds rounds = {sums, open, begin, respond, frame, measure, link};

static const char *const settings_read[] = {"boost_loss",  "learning_rate", "leaf_prior",
                                            "stop_rounds", "stop_fraction", NULL};

extern const char svf_code_boost[];
static const char *const pieces[] = {svf_code_boost, NULL};
static const svf_code_kind code = {
    .function = "boost_vote", .piece = pieces, .flags = SVF_CODE_LINKED, .link = "boost_link"};

extern const svf_vote svf_vote_boost;
const svf_vote svf_vote_boost = {.kind.name = "boost",
                                 .kind.help = "sum of the trees, each correcting the sum of those before it",
                                 .kind.settings = settings_read,
                                 .kind.check = check,
                                 .add = add,
                                 .sums = true,
                                 .rounds = &rounds,
                                 .code = &code};
