/* wrap.h - stand-ins for all that takes memory, a mapping or a thread: they count, and fail when told. */
#ifndef SVF_FAULTS_WRAP_H
#define SVF_FAULTS_WRAP_H

#include <stdbool.h>
#include <stddef.h>

typedef enum fault_mode { FAULT_NONE, FAULT_ONCE, FAULT_FROM_THEN_ON } fault_mode;

/* Starts counting anew; the call number `at`, from 1, is the first to fail. */
void fault_plan(fault_mode mode, size_t at);
/* What failed first since the plan was made: "malloc", ...; NULL: nothing. */
const char *fault_first(void);
/* Counted calls since the plan was made. */
size_t fault_calls(void);
/* Blocks and mappings taken and not given back, since the program started. */
long fault_live(void);

#endif
