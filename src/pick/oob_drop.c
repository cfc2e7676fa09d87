/* oob_drop.c - the candidate that lowers the out-of-bag error most (Lv, Han, Liu and He, Randomized support vector forest,
 * 2014, equations 1 to 6).
 *
 *     drop = e - (p_l e_l + p_r e_r)
 *
 * e, e_l, e_r: error rates of the node's out-of-bag rows by leaf models of the node, of its left and of its right training
 * rows; p_l, p_r: shares of the out-of-bag rows on each side. Rows within the band of a plane are on both. A candidate is
 * taken if its drop is above 0, the first of equals; a node without out-of-bag rows stays a leaf.
 *
 * screen=exact trains the leaves of every candidate. screen=fast screens all by a classifier that is cheap to have for
 * many candidates at once. Where the best drop it sees is above `doubt` standard errors, that candidate is taken; else the
 * leaves of the `keep` best are trained and decide (keep=0: the screening decides everywhere). The models trained here are
 * those of the leaves, should the children stay leaves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "leaf/leaf.h"
#include "pick/pick.h"
#include "pick/screening.h"
#include "svm/linear_machines.h"

enum { GROUP = 32, ASKED = 256 }; /* candidates whose models are held at a time; judges asked at a time */

/* One side of a candidate, or a whole node. */
typedef struct half {
  svf_buffer numbers;
  double wrong, judges; /* error and weight of its judges */
  svf_status status;
  svf_message message;
} half;

/* Candidates being tried. */
typedef struct trials {
  const svf_ground *ground;
  svf_site *site;
  const svf_planes *planes;
  const size_t *which; /* numbers of the planes */
  size_t first;        /* of which */
  half half[2 * GROUP];
} trials;

static double error_of(const svf_frame *frame, size_t row, const double *score) {
  double weight = svf_judge_weight(frame, row);
  if (frame->label) return svf_largest(frame->k, score) == (size_t)frame->label[row] ? 0 : weight;
  double off = score[0] - frame->value[row];
  return weight * off * off;
}

/* Asks the model about the site's judges. */
static bool judge(const svf_ground *ground, const svf_site *site, half *h) {
  const svf_frame *frame = ground->frame;
  svf_arena *arena = &ground->worker->arena;
  const float *row[ASKED];
  double *score = SVF_TAKE(arena, double, ASKED * frame->k);
  svf_leaf_view view = {.numbers = (const double *)(const void *)h->numbers.data,
                        .length = h->numbers.size / sizeof(double),
                        .d = frame->d,
                        .k = frame->k,
                        .fill = frame->fill,
                        .la = ground->la,
                        .metric = ground->metric};
  for (size_t first = 0, some; score && first < site->judge_count; first += some) {
    const uint32_t *judge = site->judges + first;
    some = site->judge_count - first < ASKED ? site->judge_count - first : ASKED;
    for (size_t i = 0; i < some; i++) row[i] = frame->x + judge[i] * frame->stride;
    if (!ground->leaf->predict(&view, row, some, arena, score, NULL)) return false;
    for (size_t i = 0; i < some; i++) {
      h->wrong += error_of(frame, judge[i], score + i * frame->k);
      h->judges += svf_judge_weight(frame, judge[i]);
    }
  }
  return score != NULL;
}

/* Trains the leaf of a site and judges it. */
static void train(const svf_ground *ground, const svf_site *site, half *h) {
  h->status = ground->leaf->train(ground, site, &h->numbers, &h->message);
  if (h->status == SVF_OK && !judge(ground, site, h)) h->status = svf_no_memory(&h->message, "a leaf");
}

/* One side of one candidate, by whichever thread. */
static bool try_half(void *context, size_t index, svf_worker *worker) {
  trials *t = context;
  half *h = &t->half[index];
  const svf_site *site = t->site;
  const svf_plane *plane = &t->planes->item[t->which[t->first + index / 2]];
  svf_ground ground = *t->ground;
  ground.worker = worker;
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_site child = svf_site_child(t->site, (int)(index % 2));
  child.rows = SVF_TAKE(&worker->arena, uint32_t, site->n);
  child.judges = SVF_TAKE(&worker->arena, uint32_t, site->judge_count);
  bool fine = child.rows && child.judges;
  if (fine && !atomic_load(worker->stop)) {
    child.n = svf_plane_take(ground.frame, plane, child.side, site->rows, site->n, child.rows);
    child.judge_count =
        svf_plane_take(ground.frame, plane, child.side, site->judges, site->judge_count, child.judges);
    train(&ground, &child, h);
  }
  svf_arena_release(&worker->arena, mark);
  return fine;
}

/* Keeps a model for the site it was trained for. */
static svf_ready keep_model(const svf_ground *ground, const half *h) {
  double *numbers = SVF_TAKE(ground->arena, double, h->numbers.size / sizeof(double));
  if (numbers) memcpy(numbers, h->numbers.data, h->numbers.size);
  return (svf_ready){numbers, h->numbers.size / sizeof(double), h->wrong};
}

/* A failure ends the tree; the first is the one that is told. */
static bool went_well(const svf_ground *ground, const half *h) {
  if (h->status != SVF_OK && h->status != SVF_STOPPED && !ground->arena->failed) {
    ground->arena->failed = true;
    if (ground->message) *ground->message = h->message;
  }
  return h->status == SVF_OK;
}

/* The model of the node itself; false: no candidate can be better, or something failed. */
static bool judge_node(const svf_ground *ground, svf_site *site, double *judges) {
  *judges = 0;
  for (size_t i = 0; i < site->judge_count; i++) *judges += svf_judge_weight(ground->frame, site->judges[i]);
  if (!site->ready.numbers) {
    half h = {{0}, 0, 0, SVF_OK, {""}};
    svf_mark mark = svf_arena_mark(&ground->worker->arena);
    train(ground, site, &h);
    svf_arena_release(&ground->worker->arena, mark);
    if (went_well(ground, &h)) site->ready = keep_model(ground, &h);
    svf_buffer_free(&h.numbers);
  }
  return site->ready.numbers && site->ready.wrong > 0;
}

/* Of the candidates of one group, those better than the best so far. */
static void compare(const trials *t, size_t count, double error, double *most, size_t *best, svf_ready ready[2]) {
  for (size_t i = 0; i < count && !t->ground->arena->failed; i++) {
    const half *h = &t->half[2 * i];
    if (!went_well(t->ground, &h[0]) || !went_well(t->ground, &h[1])) return;
    double drop = error - (h[0].wrong + h[1].wrong) / (h[0].judges + h[1].judges);
    if (!(drop > *most)) continue;
    *most = drop;
    *best = t->which[t->first + i];
    for (int side = 0; side < 2; side++) ready[side] = keep_model(t->ground, &h[side]);
  }
}

/* The best of some candidates by their real models. */
static size_t try_all(const svf_ground *ground, svf_site *site, const svf_planes *planes, const size_t *which,
                      size_t count, double error, svf_ready ready[2]) {
  double most = 0;
  size_t best = planes->count;
  trials *t = SVF_TAKE(&ground->worker->arena, trials, 1);
  if (!t) ground->arena->failed = true;
  for (size_t first = 0; first < count && !ground->arena->failed && !atomic_load(ground->worker->stop);
       first += GROUP) {
    size_t some = count - first < GROUP ? count - first : GROUP;
    *t = (trials){.ground = ground, .site = site, .planes = planes, .which = which, .first = first};
    if (!svf_site_share(ground, site, 2 * some, try_half, t)) ground->arena->failed = true;
    if (!atomic_load(ground->worker->stop)) compare(t, some, error, &most, &best, ready);
    for (size_t i = 0; i < 2 * some; i++) svf_buffer_free(&t->half[i].numbers);
  }
  return best;
}

/* The `keep` best by their screening, in the order of the candidates. Returns how many. */
static size_t survivors(const svf_worth *worth, size_t count, size_t keep, size_t *which) {
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    size_t better = 0;
    for (size_t j = 0; j < count && better < keep; j++)
      better += worth[j].drop > worth[i].drop || (worth[j].drop == worth[i].drop && j < i);
    if (better < keep) which[kept++] = i;
  }
  return kept;
}

static size_t first_best(const svf_worth *worth, size_t count) {
  size_t best = count;
  for (size_t i = 0; i < count; i++)
    if (worth[i].drop > (best < count ? worth[best].drop : 0)) best = i;
  return best;
}

/* Does the screening decide alone, with this one as the best it found (NULL: none)? */
static bool sure(const svf_settings *settings, const svf_worth *best) {
  return settings->keep == 0 || (best && best->drop > settings->doubt * best->noise);
}

static size_t best(const svf_ground *ground, svf_site *site, const svf_planes *planes, svf_ready ready[2]) {
  const svf_settings *settings = ground->settings;
  svf_arena *arena = &ground->worker->arena;
  size_t count = planes->count, *which = SVF_TAKE(arena, size_t, count), left = count;
  svf_worth *worth = SVF_TAKE(arena, svf_worth, count);
  double judges;
  bool fast = settings->screen == SVF_SCREEN_FAST;
  if (svf_arena_failed(arena)) return ground->arena->failed = true, count;
  if (!count || !site->judge_count) return count;
  for (size_t i = 0; i < count; i++) which[i] = i;
  if (fast && !svf_screen_planes(ground, site, planes, ground->leaf->class_costs, worth))
    return ground->arena->failed = true, count;
  size_t first = fast ? first_best(worth, count) : count;
  if (fast && sure(settings, first < count ? &worth[first] : NULL)) return first;
  if (!judge_node(ground, site, &judges)) return count;
  if (fast) left = survivors(worth, count, (size_t)settings->keep, which);
  return try_all(ground, site, planes, which, left, site->ready.wrong / judges, ready);
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  if (settings->screen == SVF_SCREEN_EXACT && settings->given[SVF_SET_keep])
    return svf_fail(message, SVF_USAGE, "keep is not used with screen=exact: leave it out");
  if (settings->screen == SVF_SCREEN_EXACT && settings->given[SVF_SET_doubt])
    return svf_fail(message, SVF_USAGE, "doubt is not used with screen=exact: leave it out");
  if (settings->keep == 0 && settings->given[SVF_SET_doubt])
    return svf_fail(message, SVF_USAGE, "doubt is not used with keep=0: leave it out");
  return SVF_OK;
}

static const char *const settings_read[] = {"screen", "keep", "doubt", NULL};

extern const svf_pick svf_pick_oob_drop;
const svf_pick svf_pick_oob_drop = {.kind.name = "oob-drop",
                                    .kind.help = "the candidate whose leaves lower the out-of-bag error most",
                                    .kind.settings = settings_read,
                                    .kind.check = check,
                                    .best = best,
                                    .judges = true};
