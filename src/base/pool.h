/* pool.h - jobs over threads: plain pthreads, made for one call and joined at its end, so that forking after
 * training is safe and no thread outlives a call.
 *
 * The calling thread does not work: it waits, calls the progress callback and raises the stop flag. Jobs
 * write only to places of their own, so the outcome does not depend on which thread runs which job.
 *
 * A large job can be shared: threads that find no job of their own left take over pieces of it. */
#ifndef SVF_BASE_POOL_H
#define SVF_BASE_POOL_H

#include <stdatomic.h>
#include "base/arena.h"
#include "base/status.h"

typedef struct svf_worker {
  svf_arena arena;         /* scratch of this thread; a job gives back what it took */
  svf_arena spare;         /* empty: what one job is done with and the next may take over */
  const atomic_int *stop;  /* nonzero: end soon with SVF_STOPPED; its own, or of the thread that it helps */
  atomic_int halt;         /* its own */
  size_t job;              /* that it does */
  struct svf_crew *others; /* who may help with pieces of a job; NULL: nobody */
} svf_worker;

/* Has the run been asked to stop? */
static inline bool svf_worker_stopped(const svf_worker *worker) {
  return worker->stop && atomic_load_explicit(worker->stop, memory_order_relaxed);
}

/* One piece of a job, by whichever thread; false: memory ran out. */
typedef bool (*svf_piece)(void *context, size_t index, svf_worker *worker);
/* Runs piece(context, 0..count-1) on this thread and on idle ones, and returns when all are done. Pieces write to places
 * of their own. Where nobody can help they run in order. False: one of them said so.
 * After the wish to stop the remaining pieces are left out: the caller asks svf_worker_stopped before it relies on them. */
bool svf_share(svf_worker *worker, size_t count, svf_piece piece, void *context);

typedef struct svf_pool {
  const svf_run *run; /* NULL: defaults */
  size_t threads;
  svf_worker *worker;
  size_t trees; /* for progress */
  bool shared;  /* jobs may call svf_share: all threads are started, however few jobs there are */
} svf_pool;

/* A part of a whole job, for progress. */
typedef struct svf_stage {
  const char *phase;
  double from, to;    /* of the whole, 0..1 */
  const double *cost; /* of each job, or NULL: all alike */
} svf_stage;

typedef svf_status (*svf_job)(void *context, size_t index, svf_worker *worker, svf_message *message);

/* How many processors there are for this process. */
size_t svf_processors(void);

svf_status svf_pool_open(svf_pool *pool, const svf_run *run, svf_message *message);
void svf_pool_close(svf_pool *pool);
/* Between runs: gives back the scratch memory that threads keep. */
void svf_pool_trim(svf_pool *pool);

/* Runs job(context, 0..count-1), handed out in that order. The failure of the lowest index is returned, whatever the threads:
 * a failure stops later jobs, while earlier ones run to their end. */
svf_status svf_pool_run(svf_pool *pool, const svf_stage *stage, size_t count, svf_job job, void *context,
                        svf_message *message);
/* The same with threads of its own, for work before the first tree: the callback hears of no progress, but can stop it. A
 * single job is not worth a thread: it runs here and to its end. */
svf_status svf_pool_once(const svf_run *run, const char *phase, size_t count, svf_job job, void *context,
                         svf_message *message);

#endif
