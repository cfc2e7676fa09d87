/* bound.c - the leaves of a tree by the learning bound (6) of DeSalvo and Mohri, Random composite forests, AAAI 2016:
 *
 *     R_S(f) + sum_k min(8 c gamma A_k, m_k+ / m),   A_k = questions on the way to leaf k + machines of its degree
 *
 * The paper draws p sequences of degrees, one degree per leaf, and takes the one with the least value. A leaf's part of the
 * sum depends on its own degree alone, so the least of all sequences is the least part of each leaf (sequences=all). */
#include "pick/bound.h"

#include <math.h>
#include "cut/scored.h"
#include "la/elementary.h"
#include "pick/pick.h"

double svf_bound_questions(const svf_bound_terms *t, size_t depth) {
  double choices = t->drawn * (1 + svf_log(t->all / t->drawn)) + svf_log(2 * t->m * t->drawn);
  return sqrt(2 * (double)depth * choices / t->m);
}

double svf_bound_machines(const svf_bound_terms *t, double capacity) {
  if (!(capacity < t->m)) return sqrt(2 * svf_log(2));
  double growth = capacity * (1 + svf_log(t->m / capacity)) / t->m;
  return sqrt(2 * fmin(growth, svf_log(2)));
}

double svf_bound_leaf(const svf_bound_terms *t, double scale, double complexity, double weight, double right) {
  return (weight - right) / t->m + fmin(8 * t->classes * scale * complexity, right / t->m);
}

/* Features before encoding. */
static double feature_count(const svf_frame *frame) {
  uint32_t most = 0;
  for (size_t j = 0; j < frame->d; j++)
    if (frame->origin[j] > most) most = frame->origin[j];
  return (double)most + 1;
}

static svf_bound_terms terms_of(const svf_ground *ground) {
  const svf_frame *frame = ground->frame;
  double all = feature_count(frame);
  double drawn = (double)svf_features_wanted(ground->settings, (size_t)all, frame->label != NULL);
  return (svf_bound_terms){ground->weight, (double)frame->k, drawn < all ? drawn : all, all};
}

/* The part of a leaf with one of its drafts. */
static double part_of(const svf_bound_terms *terms, double scale, const svf_leaf_case *leaf, size_t draft) {
  double A = svf_bound_questions(terms, leaf->site->depth) + svf_bound_machines(terms, leaf->draft[draft].capacity);
  return svf_bound_leaf(terms, scale, A, leaf->weight, leaf->draft[draft].right);
}

static void take_least(const svf_bound_terms *terms, double scale, svf_leaf_case *leaf, size_t count) {
  for (size_t k = 0; k < count; k++) {
    double least = INFINITY;
    for (size_t q = 0; q < leaf[k].drafts; q++) {
      double part = part_of(terms, scale, &leaf[k], q);
      if (part < least) least = part, leaf[k].taken = q;
    }
  }
}

/* The draft of a leaf in one sequence. */
static size_t drawn(const svf_ground *ground, const svf_leaf_case *leaf, size_t sequence) {
  svf_random random = svf_site_random(ground, leaf->site, SVF_USE_SEQUENCE, sequence);
  return svf_random_below(&random, leaf->drafts);
}

static void take_sequence(const svf_ground *ground, const svf_bound_terms *terms, svf_leaf_case *leaf, size_t count) {
  double least = INFINITY, scale = ground->settings->bound_scale;
  size_t best = 0;
  for (size_t s = 0; s < (size_t)ground->settings->sequences; s++) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += part_of(terms, scale, &leaf[k], drawn(ground, &leaf[k], s));
    if (sum < least) least = sum, best = s;
  }
  for (size_t k = 0; k < count; k++) leaf[k].taken = drawn(ground, &leaf[k], best);
}

static void leaves(const svf_ground *ground, svf_leaf_case *leaf, size_t count) {
  svf_bound_terms terms = terms_of(ground);
  if (ground->settings->sequences == SVF_SEQUENCES_ALL)
    take_least(&terms, ground->settings->bound_scale, leaf, count);
  else take_sequence(ground, &terms, leaf, count);
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)settings;
  if (task != SVF_TASK_REGRESS) return SVF_OK;
  return svf_fail(
      message, SVF_USAGE,
      "pick=bound is for classes, and the target is a number; use a method for numbers (-m tbrf-l), or treat its "
      "values as classes (--task class)");
}

static const char *const settings_read[] = {"sequences", "bound_scale", NULL};

extern const svf_pick svf_pick_bound;
const svf_pick svf_pick_bound = {.kind.name = "bound",
                                 .kind.help = "the machine of each leaf that minimises a learning bound of the tree",
                                 .kind.settings = settings_read,
                                 .kind.check = check,
                                 .leaves = leaves};
