/* arena.c - chunks in a list; see arena.h. Large chunks are mappings of their own: once given back they are gone, where
 * malloc would keep them for a next time that may never come. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/large.h"

enum { ALIGN = 64, FIRST_CHUNK = 1 << 16, LARGE = 1 << 20 };

struct svf_chunk {
  svf_chunk *next;
  size_t size, used;
  size_t mapped;         /* bytes of its mapping; 0: from malloc */
  unsigned char *memory; /* aligned; lies in the same block as this header */
};

static svf_chunk *new_chunk(size_t size) {
  if (size > SIZE_MAX / 2) return NULL;
  size_t all = sizeof(svf_chunk) + ALIGN + size;
  bool large = all >= LARGE;
  svf_chunk *chunk =
      large ? mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : malloc(all);
  if (!chunk || (large && chunk == MAP_FAILED)) return NULL;
  if (large) svf_large_pages(chunk, all);
  uintptr_t start = (uintptr_t)(chunk + 1);
  chunk->memory = (unsigned char *)((start + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1));
  *chunk = (svf_chunk){.size = size, .memory = chunk->memory, .mapped = large ? all : 0};
  return chunk;
}

/* Makes a chunk with `size` free bytes the current one: a later one that was given back, or a new one. */
static bool advance(svf_arena *arena, size_t size) {
  svf_chunk *current = arena->current;
  while (current && current->next) {
    current = current->next;
    current->used = 0;
    arena->current = current;
    if (current->size >= size) return true;
  }
  size_t grown = current ? 2 * current->size : FIRST_CHUNK;
  svf_chunk *chunk = new_chunk(grown > size ? grown : size);
  if (!chunk && grown > size) chunk = new_chunk(size);
  if (!chunk) return false;
  if (current) current->next = chunk;
  else arena->first = chunk;
  arena->current = chunk;
  return true;
}

void *svf_arena_take(svf_arena *arena, size_t count, size_t size) {
  if (arena->failed) return NULL;
  if (size && count > (SIZE_MAX - ALIGN) / size) {
    arena->failed = true;
    return NULL;
  }
  size_t bytes = (count * size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  svf_chunk *current = arena->current;
  if (!current || current->size - current->used < bytes) {
    if (!advance(arena, bytes)) {
      arena->failed = true;
      return NULL;
    }
    current = arena->current;
  }
  void *piece = current->memory + current->used;
  current->used += bytes;
  return piece;
}

void *svf_arena_zero(svf_arena *arena, size_t count, size_t size) {
  void *piece = svf_arena_take(arena, count, size);
  if (piece) memset(piece, 0, count * size);
  return piece;
}

svf_mark svf_arena_mark(const svf_arena *arena) {
  return (svf_mark){arena->current, arena->current ? arena->current->used : 0};
}

void svf_arena_release(svf_arena *arena, svf_mark mark) {
  arena->failed = false;
  arena->current = mark.chunk ? mark.chunk : arena->first;
  if (arena->current) arena->current->used = mark.chunk ? mark.used : 0;
}

void svf_arena_free(svf_arena *arena) {
  for (svf_chunk *chunk = arena->first; chunk;) {
    svf_chunk *next = chunk->next;
    if (chunk->mapped) munmap(chunk, chunk->mapped);
    else free(chunk);
    chunk = next;
  }
  *arena = (svf_arena){0};
}
