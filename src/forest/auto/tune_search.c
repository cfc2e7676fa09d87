/* tune_search.c - which candidates are tried: a grid, random draws, or successive halving.
 *
 * Halving (Jamieson and Talwalkar 2016, with rows as the resource): a bracket of candidates runs on a small share of the
 * training rows; the best third goes on with three times the share, until those that are left run on all of them. The
 * first candidate, which is the method itself unless the caller names values, runs on all rows before any other, so that
 * there is an answer early. Under a budget brackets follow each other, each as large as can be afforded. */
#include "forest/auto/tune.h"

#include <math.h>
#include <stdlib.h>

enum { BRACKET = 27, MOST_BRACKET = 243, DRAWS = 27, MOST_REFUSED = 100000, MOST_GRID = 1000000 };

static size_t last(const svf_tuning *tuning) { return tuning->list.size / sizeof(svf_candidate) - 1; }

static svf_status add(svf_seeking *s, uint64_t index, const svf_settings *settings) {
  svf_tuning *t = s->tuning;
  svf_buffer text = {0};
  bool fine = svf_space_text(&t->space, settings, &text) && svf_buffer_add(&text, "", 1);
  svf_candidate c = {index, (char *)text.data, NAN, NAN, 0, 0, false};
  if (fine && svf_buffer_add(&t->list, &c, sizeof c)) return SVF_OK;
  svf_buffer_free(&text);
  return svf_no_memory(s->message, "the candidates");
}

/* The next candidate whose settings go together; *found false: there are no more. */
static svf_status next(svf_seeking *s, bool *found) {
  svf_space *space = &s->tuning->space;
  bool grid = s->options.search == SVF_TUNE_GRID;
  svf_message why;
  *found = false;
  for (size_t refused = 0; s->place < space->size && refused < MOST_REFUSED && !*found; refused++) {
    uint64_t index = grid ? s->place : svf_space_shuffled(space, s->place);
    svf_settings settings;
    svf_space_at(space, index, &settings);
    s->place++;
    svf_status status = svf_settings_check(&settings, s->course.table->task, &why);
    *found = status == SVF_OK;
    if (*found) SVF_TRY(add(s, index, &settings));
    else if (!s->tuning->info.refused++) s->tuning->refusal = why;
  }
  return SVF_OK;
}

/* Grid and random search: each on all rows. */
static svf_status one_by_one(svf_seeking *s, size_t most) {
  bool found = true;
  for (size_t i = 0; i < most && !svf_tune_over(s); i++) {
    SVF_TRY(next(s, &found));
    if (!found) break;
    SVF_TRY(svf_tune_try(s, last(s->tuning), s->course.parts));
  }
  return SVF_OK;
}

/* Best first, of equals in order; by insertion, as they are few. */
static void sort(const svf_tuning *t, size_t *racer, size_t count) {
  for (size_t i = 1; i < count; i++) {
    size_t moving = racer[i], j = i;
    for (; j > 0 && svf_tune_better(t, svf_candidate_at(t, moving)->score, svf_candidate_at(t, racer[j - 1])->score);
         j--)
      racer[j] = racer[j - 1];
    racer[j] = moving;
  }
}

/* From a share that leaves about one at the end, or from the smallest there is. */
static size_t first_parts(const svf_seeking *s, size_t count) {
  size_t parts = s->course.parts;
  for (; count > 1 && parts > 1; count = (count + SVF_THIRDS - 1) / SVF_THIRDS) parts /= SVF_THIRDS;
  return parts;
}

/* Trainings of all rows of a fold that a bracket is worth. */
static double bracket_cost(const svf_seeking *s, size_t count) {
  double cost = 0;
  for (size_t parts = first_parts(s, count);; parts *= SVF_THIRDS) {
    cost += (double)(count * parts * s->course.folds) / (double)s->course.parts;
    if (parts == s->course.parts) return cost;
    count = (count + SVF_THIRDS - 1) / SVF_THIRDS;
  }
}

static svf_status race(svf_seeking *s, size_t *racer, size_t count) {
  for (size_t parts = first_parts(s, count);; parts *= SVF_THIRDS) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
      if (svf_tune_over(s)) return SVF_OK;
      SVF_TRY(svf_tune_try(s, racer[i], parts));
      if (!svf_candidate_at(s->tuning, racer[i])->failed) racer[kept++] = racer[i];
    }
    if (parts == s->course.parts || kept == 0) return SVF_OK;
    sort(s->tuning, racer, kept);
    count = (kept + SVF_THIRDS - 1) / SVF_THIRDS;
  }
}

/* One bracket of up to `most` new candidates; *met: how many there were. */
static svf_status bracket(svf_seeking *s, size_t most, size_t *met) {
  size_t *racer = malloc(most * sizeof *racer);
  if (!racer) return svf_no_memory(s->message, "the candidates");
  svf_status status = SVF_OK;
  bool found = true;
  for (*met = 0; *met < most && status == SVF_OK; ++*met) {
    status = next(s, &found);
    if (!found) break;
    racer[*met] = last(s->tuning);
  }
  if (status == SVF_OK && *met) status = race(s, racer, *met);
  free(racer);
  return status;
}

/* The largest bracket that fits into what is left of the budget, judged by the time of the first candidate. */
static size_t affordable(const svf_seeking *s) {
  double left = s->options.budget - (svf_tune_now() - s->tuning->start),
         one = svf_candidate_at(s->tuning, 0)->seconds;
  size_t count = MOST_BRACKET;
  while (count > SVF_THIRDS && bracket_cost(s, count) / (double)s->course.folds * one > left) count /= SVF_THIRDS;
  return count;
}

static svf_status halve(svf_seeking *s) {
  size_t most = s->options.candidates ? s->options.candidates : BRACKET, met = 1;
  bool timed = s->options.budget > 0;
  if (most > s->tuning->space.size) most = (size_t)s->tuning->space.size;
  if (!timed) s->planned = (double)s->course.folds + (most > 1 ? bracket_cost(s, most - 1) : 0);
  SVF_TRY(one_by_one(s, 1));
  if (!timed || s->options.candidates) return most > 1 && !svf_tune_over(s) ? bracket(s, most - 1, &met) : SVF_OK;
  while (met && s->tuning->any && !svf_tune_over(s)) SVF_TRY(bracket(s, affordable(s), &met));
  return SVF_OK;
}

svf_status svf_tune_seek(svf_seeking *s) {
  uint64_t size = s->tuning->space.size;
  bool grid = s->options.search == SVF_TUNE_GRID;
  if (s->options.search == SVF_TUNE_HALVING) return halve(s);
  if (grid && !s->options.candidates && size > MOST_GRID)
    return svf_fail(s->message, SVF_USAGE,
                    "a grid of %llu combinations is too large: name fewer values, or search at random",
                    (unsigned long long)size);
  size_t most = s->options.candidates;
  if (!most) most = grid || s->options.budget > 0 ? SIZE_MAX : DRAWS;
  if (most > size) most = (size_t)size;
  if (most <= MOST_GRID) s->planned = (double)(most * s->course.folds);
  return one_by_one(s, most);
}
