/* arena.h - memory that is taken piece by piece and given back at once, with remembered failure.
 *
 * Take everything a function needs, ask svf_arena_failed once, then use it. Pieces are 64-byte aligned.
 * A mark given back makes the memory after it free for reuse without returning it to the system, so a
 * thread that fits many leaves allocates only while its largest leaf grows. */
#ifndef SVF_BASE_ARENA_H
#define SVF_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct svf_chunk svf_chunk;

typedef struct svf_arena {
  svf_chunk *first, *current;
  bool failed;
} svf_arena; /* all zero: empty and ready */

typedef struct svf_mark {
  svf_chunk *chunk;
  size_t used;
} svf_mark;

/* count * size bytes, not cleared; NULL (and remembered) on failure or overflow. Never NULL for 0 bytes
 * unless the arena has failed. */
void *svf_arena_take(svf_arena *arena, size_t count, size_t size);
/* The same, cleared. */
void *svf_arena_zero(svf_arena *arena, size_t count, size_t size);
#define SVF_TAKE(arena, type, count) ((type *)svf_arena_take((arena), (count), sizeof(type)))
#define SVF_ZERO(arena, type, count) ((type *)svf_arena_zero((arena), (count), sizeof(type)))

static inline bool svf_arena_failed(const svf_arena *arena) { return arena->failed; }

svf_mark svf_arena_mark(const svf_arena *arena);
/* Also forgets a failure that happened after the mark. */
void svf_arena_release(svf_arena *arena, svf_mark mark);
void svf_arena_free(svf_arena *arena);

#endif
