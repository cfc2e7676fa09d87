/* adaptive.c - the adaptive random partition of TBRF (Hang, Chen and Suykens, Two-stage best-scored random forest, 2019).
 *
 * Which cell is cut next: t rows are drawn, repeats allowed, and the cell that most of them fall in is taken, the one that
 * came first among equals (cell_choice=votes); or any cell with the same chance (uniform, what the theory analyses). Where
 * it is cut:
 *   axis-parallel  a random encoded column, at a uniform place of the cell's side in it (range=cell) or between the least
 *                  and the greatest value of its rows (range=data); a column of no length is drawn again
 *   oblique        normal vector uniform in (-1, 1)^d, through the centroid of the drawn rows in the cell; with
 *                  cell_choice=uniform they are drawn from the cell
 * A cell with one row, or with one value of the target, is left whole: no cut can lower its risk. */
#include "cut/adaptive.h"

#include <math.h>
#include "cut/cell_count.h"

enum { TRIES = 16 };

/* Uniform in 0..n-1 from one word, as svf_random_below does from two. */
static uint32_t below(svf_random *random, uint32_t n) {
  uint64_t product = (uint64_t)svf_random_u32(random) * n;
  if ((uint32_t)product < n)
    for (uint32_t rest = -n % n; (uint32_t)product < rest;) product = (uint64_t)svf_random_u32(random) * n;
  return (uint32_t)(product >> 32);
}

/* Draws t rows; the plot with most of them. They stay in p->drawn. */
static uint32_t vote(svf_patch *p, svf_random *random) {
  size_t t = (size_t)p->ground->settings->draws;
  uint32_t most = 0, winner = 0;
  for (size_t i = 0; i < t; i++) {
    p->drawn[i] = below(random, (uint32_t)p->n);
    p->votes[p->home[p->drawn[i]]]++;
  }
  for (size_t i = 0; i < t; i++) {
    uint32_t plot = p->home[p->drawn[i]];
    if (p->votes[plot] > most) most = p->votes[plot], winner = plot;
    p->votes[plot] = 0;
  }
  return winner;
}

/* A plot with rows that differ; false: it is left whole. */
static bool choose(svf_patch *p, svf_random *random, uint32_t *plot) {
  if (p->ground->settings->cell_choice == SVF_CELL_CHOICE_VOTES) *plot = vote(p, random);
  else *plot = below(random, (uint32_t)p->count);
  return p->plot[*plot].n > 1 && svf_patch_mixed(p, *plot);
}

/* The interval that a threshold is drawn from; false: it has no length. */
static bool interval(svf_patch *p, uint32_t plot, uint32_t column, float *low, float *high) {
  if (p->ground->settings->range != SVF_RANGE_CELL) return svf_patch_range(p, plot, column, low, high);
  *low = p->box[plot * 2 * p->d + column];
  *high = p->box[plot * 2 * p->d + p->d + column];
  return *low < *high;
}

/* A column whose interval has a length, each with the same chance: drawn until one has, or chosen among all that do. */
static bool choose_column(svf_patch *p, svf_random *random, uint32_t plot, uint32_t *column, float *low,
                          float *high) {
  for (int i = 0; i < TRIES; i++) {
    *column = below(random, (uint32_t)p->d);
    if (interval(p, plot, *column, low, high)) return true;
  }
  uint32_t count = 0, wanted;
  for (uint32_t j = 0; j < p->d && !svf_worker_stopped(p->ground->worker); j++)
    count += interval(p, plot, j, low, high);
  if (!count || svf_worker_stopped(p->ground->worker)) return false;
  wanted = below(random, count);
  for (uint32_t j = 0; j < p->d; j++)
    if (interval(p, plot, j, low, high) && wanted-- == 0) {
      *column = j;
      return true;
    }
  return false;
}

/* Uniform in (low, high]. */
static bool along(svf_patch *p, svf_random *random, svf_slash *slash) {
  float low, high;
  uint32_t column;
  if (!choose_column(p, random, slash->plot, &column, &low, &high)) return false;
  float threshold = (float)(high - svf_random_unit(random) * ((double)high - low));
  if (!(threshold > low)) threshold = nextafterf(low, high);
  slash->plane.term[0] = (svf_term){column, 1};
  slash->plane.count = 1;
  slash->plane.threshold = threshold > high ? high : threshold;
  return true;
}

static double filled(const svf_patch *p, uint32_t row, size_t column) {
  float x = svf_patch_x(p, row, column);
  return x == x ? x : p->ground->frame->fill[column];
}

/* Centroid of the drawn rows that are in the plot, in one column. */
static double centroid(const svf_patch *p, uint32_t plot, size_t column) {
  double sum = 0, count = 0;
  for (size_t i = 0; i < (size_t)p->ground->settings->draws; i++) {
    if (p->home[p->drawn[i]] != plot) continue;
    sum += filled(p, p->drawn[i], column);
    count++;
  }
  return sum / count;
}

static bool across(svf_patch *p, svf_random *random, svf_slash *slash) {
  const svf_plot *plot = &p->plot[slash->plot];
  double threshold = 0;
  if (p->ground->settings->cell_choice == SVF_CELL_CHOICE_UNIFORM)
    for (size_t i = 0; i < (size_t)p->ground->settings->draws; i++)
      p->drawn[i] = p->order[plot->from + below(random, plot->n)];
  for (uint32_t j = 0; j < p->d; j++) {
    float weight = (float)(2 * svf_random_unit(random) - 1);
    slash->plane.term[j] = (svf_term){j, weight};
    threshold += weight * centroid(p, slash->plot, j);
  }
  slash->plane.count = p->d;
  slash->plane.threshold = (float)threshold;
  return true;
}

bool svf_adaptive_draw(svf_patch *patch, svf_random *random, svf_slash *slash) {
  if (!choose(patch, random, &slash->plot)) return false;
  return patch->ground->settings->oblique ? across(patch, random, slash) : along(patch, random, slash);
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  SVF_TRY(svf_cell_count_check(settings, message));
  if (!settings->oblique) return SVF_OK;
  if (settings->vacancy == SVF_VACANCY_NN)
    return svf_fail(message, SVF_USAGE,
                    "vacancy=nn needs cells that are boxes, and those of oblique=yes are not: use vacancy=mean");
  if (settings->given[SVF_SET_range])
    return svf_fail(message, SVF_USAGE, "range is for cuts along one feature, not for oblique=yes: leave it out");
  return SVF_OK;
}

static const char *const settings[] = {"cells",          "cell_rows", "cell_choice", "draws", "oblique",
                                       "splits_per_row", "vacancy",   "range",       NULL};

extern const svf_cut svf_cut_adaptive;
const svf_cut svf_cut_adaptive = {.kind.name = "adaptive",
                                  .kind.help =
                                      "two stages of random cuts, each in the cell with most of some drawn rows",
                                  .kind.settings = settings,
                                  .kind.check = check,
                                  .grow = svf_adaptive_grow,
                                  .by_cells = true,
                                  .shares = true};
