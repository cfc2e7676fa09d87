/* committee_answers.c - what a committee answers: member after member is asked, and the sum is turned into answers. What is
 * said of a row has the same bits whatever rows stand beside it. */
#include "forest/auto/committee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/run_part.h"

svf_status svf_committee_refuse(const svf_forest *forest, const char *what, svf_message *message) {
  if (!forest->committee) return SVF_OK;
  return svf_fail(message, SVF_USAGE, "a committee has no %s of its own: ask one of its members", what);
}

/* Does a member know the spread of its predictions? Trees that are added up do not disagree. */
static bool has_spread(const svf_member *member) { return !member->forest->kinds.vote->rounds; }

double svf_committee_spread_weight(const svf_forest *forest) {
  double known = 0;
  for (size_t m = 0; m < forest->committee->count; m++)
    if (has_spread(&forest->committee->member[m])) known += forest->committee->member[m].weight;
  return known;
}

bool svf_committee_asks_spread(const svf_forest *forest, size_t m) {
  return has_spread(&forest->committee->member[m]);
}

/* Spreads hold sum_m w_m f_m^2 + sum_m w_m spread_m^2 / sum_m w_m until the end; the latter sums over members that have one. */
void svf_committee_add(const svf_forest *forest, size_t m, size_t n, const svf_prediction *part,
                       const svf_prediction *sum) {
  size_t classes = forest->encoding.classes.count, k = classes ? classes : 1;
  double weight = forest->committee->member[m].weight;
  const double *from = classes ? part->probabilities : part->values;
  double *to = classes ? sum->probabilities : sum->values;
  for (size_t i = 0; i < n * k; i++) to[i] += weight * from[i];
  double share = sum->spreads && part->spreads ? weight / svf_committee_spread_weight(forest) : 0;
  for (size_t i = 0; sum->spreads && i < n; i++) sum->spreads[i] += weight * part->values[i] * part->values[i];
  for (size_t i = 0; share > 0 && i < n; i++) sum->spreads[i] += share * part->spreads[i] * part->spreads[i];
}

static size_t top(const double *p, size_t k) {
  size_t best = 0;
  for (size_t c = 1; c < k; c++)
    if (p[c] > p[best]) best = c;
  return best;
}

void svf_committee_end(const svf_forest *forest, size_t n, const svf_prediction *sum) {
  size_t k = forest->encoding.classes.count;
  for (size_t i = 0; i < n && k; i++) {
    double *p = sum->probabilities + i * k;
    svf_curve_apply(&forest->committee->curve, k, p);
    if (sum->values) sum->values[i] = (double)top(p, k);
  }
  for (size_t i = 0; i < n && !k && sum->spreads; i++)
    sum->spreads[i] = sqrt(fmax(sum->spreads[i] - sum->values[i] * sum->values[i], 0));
  size_t scores = k ? k : 1;
  if (sum->scores) memcpy(sum->scores, k ? sum->probabilities : sum->values, n * scores * sizeof *sum->scores);
}

/* Arrays of n rows for sums and for one member. */
typedef struct answers {
  double *memory;
  svf_prediction sum, part;
} answers;

/* The caller's arrays where there are any. */
static bool open_answers(const svf_forest *forest, size_t n, const svf_prediction *wanted, answers *a) {
  size_t classes = forest->encoding.classes.count, k = classes ? classes : 1;
  a->memory = calloc(n ? n * (2 * k + 2) : 1, sizeof *a->memory);
  if (!a->memory) return false;
  a->part = (svf_prediction){.values = classes ? NULL : a->memory, .probabilities = classes ? a->memory : NULL};
  if (wanted->spreads) a->part.spreads = a->memory + n * (2 * k);
  a->sum = *wanted;
  double *own = a->memory + n * k, **main = classes ? &a->sum.probabilities : &a->sum.values;
  if (!*main) *main = own;
  memset(*main, 0, n * k * sizeof **main);
  if (a->sum.spreads) memset(a->sum.spreads, 0, n * sizeof *a->sum.spreads);
  return true;
}

svf_status svf_committee_predict(const svf_forest *forest, const svf_table *table, const svf_run *run,
                                 svf_prediction *prediction, svf_message *message) {
  const svf_committee *committee = forest->committee;
  size_t n = svf_table_rows(table);
  answers a;
  svf_run_part here = {.outer = run};
  svf_run inner = svf_run_within(&here);
  if (!open_answers(forest, n, prediction, &a)) return svf_no_memory(message, "a prediction");
  svf_status status = SVF_OK;
  for (size_t m = 0; m < committee->count && !status; m++) {
    svf_prediction part = a.part;
    if (!svf_committee_asks_spread(forest, m)) part.spreads = NULL;
    here.from = (double)m / (double)committee->count, here.to = (double)(m + 1) / (double)committee->count;
    status = svf_predict(committee->member[m].forest, table, &inner, &part, message);
    if (status) break;
    svf_committee_add(forest, m, n, &part, &a.sum);
    if (part.unseen > a.sum.unseen) a.sum.unseen = part.unseen;
  }
  if (!status) {
    svf_committee_end(forest, n, &a.sum);
    prediction->unseen = a.sum.unseen;
  }
  free(a.memory);
  return status;
}
