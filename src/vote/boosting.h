/* boosting.h - what vote=boost knows of a table while rounds are added: the sums so far and the next response.
 *
 * With the loss L(y, F) of a row, g and h its first two derivatives in the sum F, w the row's weight, a tree learns -g/h with weight
 * w h. The mean over a leaf is then -sum w g / sum w h, the Newton step, and the variance that a cut removes is twice what the
 * second-order loss loses. Numbers to learn are moved and scaled to -1..1, so that losses of any target are finite. */
#ifndef SVF_VOTE_BOOSTING_H
#define SVF_VOTE_BOOSTING_H

#include "vote/vote.h"

typedef struct svf_loss svf_loss;

struct svf_boosting {
  const svf_settings *settings;
  const svf_frame *frame;
  const svf_loss *loss;
  size_t n, s;            /* rows, sums of a row */
  double unit;            /* mean of the weights that are above 0: rows count by their weights divided by it */
  double middle, half;    /* a number to learn is middle + half * target */
  double *target;         /* n; NULL: classes */
  double *start;          /* s */
  double *sum;            /* n x s */
  double *value, *weight; /* s x n: -g/h, w h */
  double *residual;       /* n: target less sum, where leaves take its median; else NULL */
  double *room;           /* n */
  double delta;           /* of Huber's loss, in this round */
  unsigned char *apart;   /* n: 1 for held-out rows, whose loss decides when to stop */
  bool held;              /* are there any? */
};

struct svf_loss {
  const char *name;
  bool classes;
  bool even;   /* h is 1 */
  bool median; /* constant leaves take the weighted median of the residuals */

  void (*start)(svf_boosting *b);
  void (*begin)(svf_boosting *b); /* before each round; NULL: nothing */
  /* Writes -g/h and h of one row to entries row, n + row, 2 n + row, ... of value and curvature. */
  void (*respond)(const svf_boosting *b, size_t row, double *value, double *curvature);
  /* The loss of a row. */
  double (*measure)(const svf_boosting *b, size_t row);
};

static inline double svf_boosting_weight(const svf_boosting *b, size_t row) {
  return b->frame->weight ? b->frame->weight[row] / b->unit : 1;
}

/* losses.c: the table, NULL-terminated, in the order of boost_loss after auto. */
extern const svf_loss *const svf_losses[];

/* Of classes from their s sums: k probabilities. */
void svf_boosting_probabilities(size_t k, const double *sum, double *share);

#endif
