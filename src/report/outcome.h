/* outcome.h - how good answers are, measured again and again on the same rows with other weights. */
#ifndef SVF_REPORT_OUTCOME_H
#define SVF_REPORT_OUTCOME_H

#include <stdbool.h>
#include "base/arena.h"
#include "svforest_inspect.h"

/* The rows with a known label, for each class in the order of its probability, lowest first; of two classes the second only,
 * whose order says all. */
typedef struct svf_ranks {
  size_t count;  /* rows */
  uint32_t *row; /* classes x count, from class `first` on */
  size_t first, classes;
} svf_ranks;

/* In the arena; false: memory ran out. */
bool svf_ranks_make(const svf_outcome *outcome, svf_arena *arena, svf_ranks *ranks);
static inline const uint32_t *svf_ranks_of(const svf_ranks *ranks, size_t class_code) {
  return ranks->row + (class_code - ranks->first) * ranks->count;
}

/* The probability that a row of the class has a higher probability of it than a row of another class; ties count half. NaN: one
 * of the sides is empty or weighs nothing. */
double svf_ranks_area(const svf_outcome *outcome, const svf_ranks *ranks, size_t class_code);

/* svf_measure_classes with the order at hand; weigh: scratch for 3 x (classes + 1) numbers. */
void svf_measure_ranked(const svf_outcome *outcome, const svf_ranks *ranks, double *weigh,
                        svf_class_measures *measures);

/* Weight of rows by label and prediction, (k + 1) x k; the last row: unknown labels. */
void svf_confusion_count(const svf_outcome *outcome, double *confusion);

#endif
