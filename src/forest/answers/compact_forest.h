/* compact_forest.h - a compact copy of a forest, ready for tables: cuts along one column in eight bytes a node, and what its
 * leaves add to the vote, for leaves that say the same of every row and votes that are sums.
 *
 * A compact copy is made from the model when the first table comes that is large enough to be worth it, and lives as long as
 * the forest. It answers with the same bits as the model. */
#ifndef SVF_FOREST_COMPACT_FOREST_H
#define SVF_FOREST_COMPACT_FOREST_H

#include "base/pool.h"
#include "forest/forest.h"

/* Makes the forest's compact copy, unless it has one, can have none, or `rows` rows are too few. Several threads may do so at
 * once. */
svf_status svf_compact_make(const svf_forest *forest, size_t rows, svf_pool *pool, svf_message *message);
void svf_compact_free(svf_compact *compact);

/* A block of up to n rows before a compact copy. */
typedef struct svf_compact_desk {
  const svf_compact *compact; /* NULL: there is none */
  const svf_forest *forest;
  size_t stride;
  bool missing;   /* is any value of the block? */
  uint32_t *key;  /* n x stride: the rows */
  uint32_t *list; /* n: those that are asked about */
  uint32_t *live, *here, *said;
} svf_compact_desk;
/* Room from the arena. False: memory ran out. */
bool svf_compact_open(svf_compact_desk *desk, const svf_forest *forest, size_t n, size_t stride, svf_arena *arena);
/* The rows are these. */
void svf_compact_read(svf_compact_desk *desk, size_t n, const float *x);
/* What a tree says of the first n rows of the list, to desk->said at their places. */
void svf_compact_walk(const svf_compact_desk *desk, size_t tree, size_t n);
/* Adds it to their votes (k for each row of the block). */
void svf_compact_add(const svf_compact_desk *desk, size_t tree, size_t n, double *votes);

/* The way of a row through a tree: what its leaf says, and a bit for each column that was looked at (column % 64). */
typedef struct svf_path_record {
  uint64_t looked;
  uint32_t said;
} svf_path_record;
static inline uint64_t svf_column_bit(size_t column) { return (uint64_t)1 << column % 64; }
void svf_compact_paths(const svf_forest *forest, size_t tree, size_t n, size_t stride, const float *x,
                       svf_path_record *path);

/* Does the compact copy hold all that a tally keeps? It knows votes; where the vote sums shares, they are the shares, too. */
static inline bool svf_compact_serves(const svf_compact_desk *desk, bool shares) {
  return desk->compact && (!shares || desk->forest->kinds.vote->add == svf_vote_add_shares);
}

#endif
