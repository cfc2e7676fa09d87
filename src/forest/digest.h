/* digest.h - a forest made ready for tables: cuts along one column in eight bytes a node, and what its leaves add to the
 * vote, for leaves that say the same of every row and votes that are sums.
 *
 * A digest is made from the model when the first table comes that is large enough to be worth it, and lives as long as
 * the forest. It answers with the same bits as the model. */
#ifndef SVF_FOREST_DIGEST_H
#define SVF_FOREST_DIGEST_H

#include "base/pool.h"
#include "forest/forest.h"

/* Makes the forest's digest, unless it has one, can have none, or `rows` rows are too few. Several threads may do so at
 * once. */
svf_status svf_digest_make(const svf_forest *forest, size_t rows, svf_pool *pool, svf_message *message);
void svf_digest_free(svf_digest *digest);

/* Scratch for up to n rows. */
typedef struct svf_digest_desk {
  const svf_digest *digest; /* NULL: there is none */
  uint32_t *key, *at, *live, *here;
} svf_digest_desk;
/* False: memory ran out. */
bool svf_digest_open(svf_digest_desk *desk, const svf_forest *forest, size_t n, size_t stride, svf_arena *arena);

/* Adds what every tree in order says of n rows to their votes (n x k, at 0 before). */
void svf_digest_ask(const svf_digest_desk *desk, const svf_forest *forest, size_t n, size_t stride, const float *x,
                    double *votes);

#endif
