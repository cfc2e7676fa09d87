/* normal.c - quantiles of the normal distribution. */
#include "text.h"
#include <math.h>

/* Bisection of erfc; 100 halvings leave no bit to find. */
double cli_normal(double p) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (erfc(-middle / sqrt(2.0)) / 2 < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
