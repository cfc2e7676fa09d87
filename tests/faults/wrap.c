/* wrap.c - see wrap.h. The linker (--wrap=NAME) leads the library's calls of NAME to __wrap_NAME; what libc
 * and zlib take inside themselves is stood for by realpath, inflateInit2_ and inflate as a whole. */
#include "wrap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <zlib.h>

/* One pair of prototypes for each: the real function and its stand-in. */
#define WRAPPED(type, name, arguments)                                                                               \
  type __real_##name arguments;                                                                                      \
  type __wrap_##name arguments

WRAPPED(void *, malloc, (size_t));
WRAPPED(void *, calloc, (size_t, size_t));
WRAPPED(void *, realloc, (void *, size_t));
WRAPPED(int, posix_memalign, (void **, size_t, size_t));
WRAPPED(void, free, (void *));
WRAPPED(char *, strdup, (const char *));
WRAPPED(char *, strndup, (const char *, size_t));
WRAPPED(char *, realpath, (const char *, char *));
WRAPPED(void *, mmap, (void *, size_t, int, int, int, off_t));
WRAPPED(int, munmap, (void *, size_t));
WRAPPED(int, inflateInit2_, (z_streamp, int, const char *, int));
WRAPPED(int, inflate, (z_streamp, int));
WRAPPED(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *));

static atomic_size_t calls;
static atomic_long live;
static _Atomic(const char *) first;
static fault_mode plan;
static size_t start;

void fault_plan(fault_mode mode, size_t at) {
  plan = mode;
  start = at;
  atomic_store(&calls, 0);
  atomic_store(&first, NULL);
}

const char *fault_first(void) { return atomic_load(&first); }

size_t fault_calls(void) { return atomic_load(&calls); }

long fault_live(void) { return atomic_load(&live); }

/* Counts a call; true: it has to fail. */
static bool refuse(const char *name) {
  const char *nothing = NULL;
  size_t number = atomic_fetch_add(&calls, 1) + 1;
  if (plan == FAULT_NONE || number < start || (plan == FAULT_ONCE && number > start)) return false;
  atomic_compare_exchange_strong(&first, &nothing, name);
  errno = ENOMEM;
  return true;
}

static void *counted(void *block) {
  if (block) atomic_fetch_add(&live, 1);
  return block;
}

void *__wrap_malloc(size_t size) { return refuse("malloc") ? NULL : counted(__real_malloc(size)); }

void *__wrap_calloc(size_t count, size_t size) {
  return refuse("calloc") ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size) {
  if (refuse("realloc")) return NULL;
  return block ? __real_realloc(block, size) : counted(__real_realloc(NULL, size));
}

int __wrap_posix_memalign(void **block, size_t alignment, size_t size) {
  if (refuse("posix_memalign")) return ENOMEM;
  int status = __real_posix_memalign(block, alignment, size);
  if (status == 0) counted(*block);
  return status;
}

void __wrap_free(void *block) {
  if (block) atomic_fetch_sub(&live, 1);
  __real_free(block);
}

char *__wrap_strdup(const char *text) { return refuse("strdup") ? NULL : counted(__real_strdup(text)); }

char *__wrap_strndup(const char *text, size_t size) {
  return refuse("strndup") ? NULL : counted(__real_strndup(text, size));
}

char *__wrap_realpath(const char *path, char *resolved) {
  if (refuse("realpath")) return NULL;
  return resolved ? __real_realpath(path, resolved) : counted(__real_realpath(path, NULL));
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  if (refuse("mmap")) return MAP_FAILED;
  void *mapping = __real_mmap(at, size, protection, flags, file, offset);
  return mapping == MAP_FAILED ? mapping : counted(mapping);
}

int __wrap_munmap(void *mapping, size_t size) {
  atomic_fetch_sub(&live, 1);
  return __real_munmap(mapping, size);
}

int __wrap_inflateInit2_(z_streamp stream, int window, const char *version, int size) {
  return refuse("inflateInit2") ? Z_MEM_ERROR : __real_inflateInit2_(stream, window, version, size);
}

int __wrap_inflate(z_streamp stream, int flush) {
  return refuse("inflate") ? Z_MEM_ERROR : __real_inflate(stream, flush);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  return refuse("pthread_create") ? EAGAIN : __real_pthread_create(thread, attributes, run, argument);
}
