/* guess.h - the nearest of some names to one that there is not, for "did you mean". */
#ifndef SVF_BASE_GUESS_H
#define SVF_BASE_GUESS_H

#include <stddef.h>

typedef struct svf_guess {
  const char *wanted;
  const char *best; /* the nearest name offered so far, if it is near at all; else NULL */
  size_t distance;  /* letters to change, add or leave out, or neighbours to swap */
} svf_guess;        /* {wanted}: nothing offered yet */

void svf_guess_offer(svf_guess *guess, const char *name);

#endif
