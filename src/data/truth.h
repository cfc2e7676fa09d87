/* truth.h - true and false as words: columns of them are numbers, and a class or a level is found by either. */
#ifndef SVF_DATA_TRUTH_H
#define SVF_DATA_TRUTH_H

#include "data/table.h"

/* 1 for "true", 0 for "false", both in any case; -1 for any other text. */
int svf_truth_of(const char *text);
/* The first of the names that is true (1) or false (0), or -1: there is none. */
int32_t svf_truth_find(const svf_names *names, int truth);

/* Turns a column whose n cells are all true, false or missing into numbers, 1 and 0; leaves others alone. False: memory
 * ran out, and the column is as it was. */
bool svf_truth_numbers(svf_column *column, size_t n);

#endif
