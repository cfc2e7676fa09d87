/* folds.h - stratified folds for whoever needs them: tables, and leaves that choose a C. */
#ifndef SVF_DATA_FOLDS_H
#define SVF_DATA_FOLDS_H

#include <stdint.h>
#include "base/arena.h"
#include "base/random.h"

/* fold[i] in 0..folds-1 for n rows: each class is shuffled and dealt round, going on where the class before
 * stopped, so the sizes of the folds, and of each class in them, differ by at most 1. label may be NULL: one
 * class; rows with label -1 are a class of their own. Scratch comes from the arena and is given back.
 * False if memory ran out. */
bool svf_stratified(svf_random *random, const int32_t *label, size_t n, size_t folds, svf_arena *arena,
                    int32_t *fold);

#endif
