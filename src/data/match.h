/* match.h - which column of a table feeds which feature of an encoding, and how its categories translate. */
#ifndef SVF_DATA_MATCH_H
#define SVF_DATA_MATCH_H

#include "data/encode.h"

enum { SVF_LEVEL_MISSING = -1, SVF_LEVEL_UNSEEN = -2 };

typedef struct svf_source { /* of one feature */
  const svf_feature *feature;
  const svf_column *column; /* its numbers may be NULL: all missing */
  const int32_t *code;      /* a category: n codes, NULL for a number */
  const int32_t *level;     /* level of each code >= 0; a code below 0 stands for itself */
} svf_source;

static inline int32_t svf_source_level(const svf_source *source, size_t row) {
  int32_t code = source->code[row];
  return code < 0 ? code : source->level[code];
}

/* Fills one source per feature; what they point to lies in the arena or the table. */
svf_status svf_match_columns(const svf_encoding *encoding, const svf_table *table, svf_arena *arena,
                             svf_source *source, svf_message *message);

/* The position in `known` of each of the names, -1 where it is not there; in the arena, NULL if memory ran
 * out. */
int32_t *svf_match_names(const svf_names *known, const svf_names *names, int32_t unknown, svf_arena *arena);

#endif
