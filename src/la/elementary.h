/* elementary.h - exp and log that give the same bits on every processor: the C library picks its own by instruction
 * set, and their last bits would reach the model file. Within 2 units in the last place. */
#ifndef SVF_LA_ELEMENTARY_H
#define SVF_LA_ELEMENTARY_H

/* 0 below -745, infinite above 709.78; NaN stays. */
double svf_exp(double x);
/* x > 0 and finite. */
double svf_log(double x);

#endif
