/* run_part.h - a call of the library within another one: its progress is a part of the whole, its remarks are passed on.
 *
 * Both callbacks of a run share one `user`, so neither can be replaced alone. */
#ifndef SVF_BASE_RUN_PART_H
#define SVF_BASE_RUN_PART_H

#include "svforest.h"

typedef struct svf_run_part {
  const svf_run *outer; /* the caller's; NULL: defaults */
  double from, to;      /* the part of the whole, 0..1 */
} svf_run_part;

/* The run of the inner call. It refers to `part`, whose numbers may change between calls. */
svf_run svf_run_within(svf_run_part *part);

#endif
