/* pool.c - see pool.h. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 1024, POLL_NANOSECONDS = 50000000 };

/* A job in pieces. */
typedef struct share {
  const atomic_int *stop; /* of the thread whose job it is */
  svf_piece piece;
  void *context;
  size_t count;
  atomic_size_t next;
  atomic_bool fine;
  size_t helpers; /* threads at work on it beside its own; guarded by the lock */
  struct share *after;
} share;

/* The threads of one run, as far as they help each other. */
typedef struct svf_crew {
  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t news;  /* a job is shared, a helper is done, a thread has no job left */
  share *open;
  size_t busy; /* threads that may still have a job, and so share it */
} svf_crew;

typedef struct batch {
  svf_pool *pool;
  const svf_stage *stage;
  svf_job job;
  void *context;
  size_t count;
  atomic_size_t next;

  pthread_mutex_t lock; /* guards what follows */
  pthread_cond_t idle;  /* a worker has ended */
  size_t running;
  double done;  /* sum of costs */
  bool stopped; /* by the callback */
  svf_status status;
  size_t failed; /* index of the job whose failure is kept; `count`: none */
  svf_message message;
} batch;

static void do_pieces(share *s, svf_worker *worker) {
  for (;;) {
    size_t index = atomic_fetch_add(&s->next, 1);
    if (index >= s->count || svf_worker_stopped(worker)) return;
    if (!s->piece(s->context, index, worker)) atomic_store(&s->fine, false);
  }
}

bool svf_share(svf_worker *worker, size_t count, svf_piece piece, void *context) {
  share mine = {.stop = worker->stop, .piece = piece, .context = context, .count = count};
  svf_crew *crew = count > 1 ? worker->others : NULL;
  atomic_init(&mine.next, 0);
  atomic_init(&mine.fine, true);
  if (crew) {
    pthread_mutex_lock(&crew->lock);
    mine.after = crew->open;
    crew->open = &mine;
    pthread_cond_broadcast(&crew->news);
    pthread_mutex_unlock(&crew->lock);
  }
  do_pieces(&mine, worker);
  if (crew) {
    pthread_mutex_lock(&crew->lock);
    share **place = &crew->open;
    while (*place != &mine) place = &(*place)->after;
    *place = mine.after;
    while (mine.helpers) pthread_cond_wait(&crew->news, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
  }
  return atomic_load(&mine.fine);
}

/* A thread without a job of its own helps the others until none of them can share any more. */
static void help(svf_crew *crew, svf_worker *worker) {
  pthread_mutex_lock(&crew->lock);
  crew->busy--;
  pthread_cond_broadcast(&crew->news);
  while (crew->busy) {
    share *s = crew->open;
    while (s && atomic_load(&s->next) >= s->count) s = s->after;
    if (!s) {
      pthread_cond_wait(&crew->news, &crew->lock);
      continue;
    }
    s->helpers++;
    pthread_mutex_unlock(&crew->lock);
    worker->stop = s->stop;
    do_pieces(s, worker);
    worker->stop = &worker->halt;
    pthread_mutex_lock(&crew->lock);
    s->helpers--;
    pthread_cond_broadcast(&crew->news);
  }
  pthread_mutex_unlock(&crew->lock);
}

typedef struct seat {
  batch *batch;
  svf_worker *worker;
  bool works; /* false: there are fewer jobs than threads, and this one only helps */
} seat;

size_t svf_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return (size_t)CPU_COUNT(&set);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? (size_t)online : 1;
}

svf_status svf_pool_open(svf_pool *pool, const svf_run *run, svf_message *message) {
  int wish = run ? run->threads : 0;
  if (wish < 0 || wish > MAX_THREADS)
    return svf_fail(message, SVF_USAGE, "threads must be 0..%d, not %d", MAX_THREADS, wish);
  pool->run = run;
  pool->trees = 0;
  pool->shared = false;
  pool->threads = wish ? (size_t)wish : svf_processors();
  if (pool->threads > MAX_THREADS) pool->threads = MAX_THREADS;
  pool->worker = calloc(pool->threads, sizeof *pool->worker);
  if (!pool->worker) return svf_no_memory(message, "the threads");
  for (size_t i = 0; i < pool->threads; i++) pool->worker[i].stop = &pool->worker[i].halt;
  return SVF_OK;
}

void svf_pool_trim(svf_pool *pool) {
  for (size_t i = 0; i < pool->threads; i++) {
    svf_arena_free(&pool->worker[i].arena);
    svf_arena_free(&pool->worker[i].spare);
  }
}

void svf_pool_close(svf_pool *pool) {
  if (!pool->worker) return;
  svf_pool_trim(pool);
  free(pool->worker);
  pool->worker = NULL;
}

/* Stops the threads whose jobs come after this one. Earlier jobs may fail too, and which failure is told must not depend on the
 * threads. The lock is held. */
static void stop_after(batch *b, size_t index) {
  for (size_t i = 0; i < b->pool->threads; i++)
    if (b->pool->worker[i].job > index) atomic_store(&b->pool->worker[i].halt, 1);
}

/* The callback wishes it. The lock is held. */
static void stop_all(batch *b) {
  b->stopped = true;
  for (size_t i = 0; i < b->pool->threads; i++) atomic_store(&b->pool->worker[i].halt, 1);
}

static void keep_failure(batch *b, size_t index, svf_status status, const svf_message *message) {
  if (status == SVF_STOPPED || index >= b->failed) return; /* it was told to stop */
  b->status = status;
  b->failed = index;
  b->message = *message;
  stop_after(b, index);
}

/* Takes the next job that is to be done; `count`: there is none. */
static size_t take(batch *b, svf_worker *worker) {
  size_t index = atomic_fetch_add(&b->next, 1);
  pthread_mutex_lock(&b->lock);
  bool wanted = index < b->failed && !b->stopped;
  if (wanted) worker->job = index;
  pthread_mutex_unlock(&b->lock);
  return wanted ? index : b->count;
}

static void work(batch *b, svf_worker *worker) {
  svf_message message = {""};
  for (size_t index; (index = take(b, worker)) < b->count;) {
    svf_status status = b->job(b->context, index, worker, &message);
    pthread_mutex_lock(&b->lock);
    b->done += b->stage->cost ? b->stage->cost[index] : 1;
    if (status != SVF_OK) keep_failure(b, index, status, &message);
    pthread_mutex_unlock(&b->lock);
  }
}

static void *thread_main(void *argument) {
  seat *s = argument;
  svf_crew *crew = s->worker->others;
  if (s->works) work(s->batch, s->worker);
  if (crew) help(crew, s->worker);
  pthread_mutex_lock(&s->batch->lock);
  s->batch->running--;
  pthread_cond_signal(&s->batch->idle);
  pthread_mutex_unlock(&s->batch->lock);
  return NULL;
}

/* Tells the callback how far we are; true: it wants to stop. */
static bool report(const batch *b, double done, double all) {
  const svf_run *run = b->pool->run;
  if (!run || !run->callback) return false;
  double part = all > 0 ? done / all : 1;
  if (part > 1) part = 1;
  svf_progress progress = {b->stage->phase, b->stage->from + part * (b->stage->to - b->stage->from), b->pool->trees};
  return run->callback(run->user, &progress) != 0;
}

/* Waits for the workers, calling the callback about every POLL_NANOSECONDS without holding the lock. */
static void wait_and_report(batch *b, double all) {
  pthread_mutex_lock(&b->lock);
  while (b->running) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += POLL_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    pthread_cond_timedwait(&b->idle, &b->lock, &until);
    double done = b->done;
    if (!b->running) break;
    bool asked = b->stopped;
    pthread_mutex_unlock(&b->lock);
    if (!asked) asked = report(b, done, all);
    pthread_mutex_lock(&b->lock);
    if (asked && !b->stopped) stop_all(b);
  }
  pthread_mutex_unlock(&b->lock);
}

static double total_cost(const svf_stage *stage, size_t count) {
  if (!stage->cost) return (double)count;
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += stage->cost[i];
  return sum;
}

/* Starts up to `wanted` threads and waits for them; what no thread could be had for runs here. */
static void run_threads(batch *b, size_t wanted, double all, svf_message *message) {
  pthread_t *thread = malloc(wanted * sizeof *thread);
  seat *seats = malloc(wanted * sizeof *seats);
  if (!thread || !seats) {
    free(thread);
    free(seats);
    b->status = svf_no_memory(message, "the threads");
    b->message = message ? *message : b->message;
    return;
  }
  size_t started = 0;
  svf_crew crew = {.busy = wanted};
  pthread_mutex_init(&crew.lock, NULL);
  pthread_cond_init(&crew.news, NULL);
  b->running = wanted;
  for (; started < wanted; started++) {
    seats[started] = (seat){b, &b->pool->worker[started], started < b->count};
    b->pool->worker[started].others = b->pool->shared && wanted > 1 ? &crew : NULL;
    if (pthread_create(&thread[started], NULL, thread_main, &seats[started]) != 0) break;
  }
  pthread_mutex_lock(&b->lock);
  b->running -= wanted - started;
  pthread_mutex_unlock(&b->lock);
  pthread_mutex_lock(&crew.lock);
  crew.busy -= wanted - started;
  pthread_cond_broadcast(&crew.news);
  pthread_mutex_unlock(&crew.lock);
  b->pool->worker[0].others = started ? b->pool->worker[0].others : NULL;
  if (started == 0) work(b, &b->pool->worker[0]);
  wait_and_report(b, all);
  for (size_t i = 0; i < started; i++) pthread_join(thread[i], NULL);
  for (size_t i = 0; i < wanted; i++) b->pool->worker[i].others = NULL;
  pthread_cond_destroy(&crew.news);
  pthread_mutex_destroy(&crew.lock);
  free(thread);
  free(seats);
}

svf_status svf_pool_run(svf_pool *pool, const svf_stage *stage, size_t count, svf_job job, void *context,
                        svf_message *message) {
  batch b = {.pool = pool, .stage = stage, .job = job, .context = context, .count = count, .failed = count};
  double all = total_cost(stage, count);
  atomic_init(&b.next, 0);
  pthread_mutex_init(&b.lock, NULL);
  pthread_cond_init(&b.idle, NULL);
  b.stopped = report(&b, 0, all);
  if (!b.stopped && count) {
    size_t wanted = pool->shared || pool->threads < count ? pool->threads : count;
    bool alone = wanted == 1 && (!pool->run || !pool->run->callback);
    if (alone) work(&b, &pool->worker[0]);
    else run_threads(&b, wanted, all, message);
  }
  pthread_cond_destroy(&b.idle);
  pthread_mutex_destroy(&b.lock);
  for (size_t i = 0; i < pool->threads; i++) {
    pool->worker[i].job = 0;
    atomic_store(&pool->worker[i].halt, 0);
  }
  if (b.stopped) return svf_fail(message, SVF_STOPPED, "stopped");
  if (b.status != SVF_OK && message) *message = b.message;
  return b.status;
}

svf_status svf_pool_once(const svf_run *run, const char *phase, size_t count, svf_job job, void *context,
                         svf_message *message) {
  svf_run here = {.threads = 1};
  svf_stage stage = {phase, 0, 0, NULL};
  svf_pool pool;
  SVF_TRY(svf_pool_open(&pool, count > 1 ? run : &here, message));
  svf_status status = svf_pool_run(&pool, &stage, count, job, context, message);
  svf_pool_close(&pool);
  return status;
}
