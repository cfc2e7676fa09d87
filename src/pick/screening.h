/* screening.h - the candidates of a node scored by a classifier whose statistics add (svm/screen.h). */
#ifndef SVF_PICK_SCREENING_H
#define SVF_PICK_SCREENING_H

#include "cut/site.h"

/* By how much a plane lowers the mean error of the node's judges; -INFINITY where that cannot be told. */
typedef struct svf_worth {
  double drop;
  double
      noise; /* its standard error if nothing changed but by chance: root mean square of the judges' changes over the
                   root of their number. At least drop / sqrt(judges), so few judges are never sure. */
} svf_worth;

/* The worth of every plane. class_costs: classes are weighed here as the machines weigh them, for the frame does not.
 * False: memory ran out. */
bool svf_screen_planes(const svf_ground *ground, const svf_site *site, const svf_planes *planes, bool class_costs,
                       svf_worth *worth);

/* Nodes of that many rows are worth sharing with idle threads. */
enum { SVF_WORTH_SHARING = 256 };

/* Pieces of a node's work, on idle threads too where the node is large. */
static inline bool svf_site_share(const svf_ground *ground, const svf_site *site, size_t count, svf_piece piece,
                                  void *context) {
  bool fine = true;
  if (site->n >= SVF_WORTH_SHARING) return svf_share(ground->worker, count, piece, context);
  for (size_t i = 0; i < count; i++) fine = piece(context, i, ground->worker) && fine;
  return fine;
}

/* What a row counts among the judges. */
static inline double svf_judge_weight(const svf_frame *frame, size_t row) {
  return frame->judged ? frame->judged[row] : 1;
}

#endif
