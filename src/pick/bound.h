/* bound.h - the terms of the learning bound for composite trees (DeSalvo and Mohri, Random composite forests, AAAI 2016):
 * pick=bound takes the tree with the least sum of them, svf_forest_bound reports them. */
#ifndef SVF_PICK_BOUND_H
#define SVF_PICK_BOUND_H

#include <stddef.h>

typedef struct svf_bound_terms {
  double m;          /* rows, or the sum of their weights */
  double classes;    /* c */
  double drawn, all; /* r features drawn at a node of |F| */
} svf_bound_terms;

/* Complexity of the questions on the way to a leaf of that depth: sqrt(2 depth (r log(e |F| / r) + log(2 m r)) / m). */
double svf_bound_questions(const svf_bound_terms *terms, size_t depth);
/* Complexity of machines with that VC dimension: sqrt(2 v log(e m / v) / m). From v = m on the growth function is 2^m, and
 * it is sqrt(2 log 2). */
double svf_bound_machines(const svf_bound_terms *terms, double capacity);
/* What a leaf adds to the bound, its errors included: (weight - right) / m + min(8 c scale A, right / m). */
double svf_bound_leaf(const svf_bound_terms *terms, double scale, double complexity, double weight, double right);

#endif
