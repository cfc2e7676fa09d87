/* The pool: every job once, failures, the wish to stop, progress that never falls. */
#include "support/test.h"
#include <time.h>
#include "base/pool.h"

enum { JOBS = 500 };

static svf_status count_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  (void)message;
  svf_mark mark = svf_arena_mark(&worker->arena);
  memset(svf_arena_take(&worker->arena, index + 1, 1), 1, index + 1);
  svf_arena_release(&worker->arena, mark);
  ((unsigned char *)context)[index]++;
  return SVF_OK;
}

static void every_job_once(void **state) {
  (void)state;
  for (int threads = 1; threads <= 8; threads++) {
    unsigned char done[JOBS] = {0};
    svf_run run = {.threads = threads};
    svf_pool pool;
    svf_message message;
    svf_stage stage = {"count", 0, 1, NULL};
    assert_ok(svf_pool_open(&pool, &run, &message), &message);
    assert_ok(svf_pool_run(&pool, &stage, JOBS, count_job, done, &message), &message);
    assert_ok(svf_pool_run(&pool, &stage, 0, count_job, done, &message), &message);
    svf_pool_close(&pool);
    for (int i = 0; i < JOBS; i++) assert_int_equal(done[i], 1);
  }
}

enum { PIECES = 40 };

/* Piece q of a job writes its own place; sums of all pieces must be there when the sharing returns. */
static bool square_piece(void *context, size_t index, svf_worker *worker) {
  svf_mark mark = svf_arena_mark(&worker->arena);
  size_t *scratch = SVF_TAKE(&worker->arena, size_t, 100);
  for (size_t i = 0; i < 100; i++) scratch[i] = index;
  if (index % 7 == 0) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
  ((size_t *)context)[index] += scratch[index] * index;
  svf_arena_release(&worker->arena, mark);
  return true;
}

static bool bad_piece(void *context, size_t index, svf_worker *worker) {
  (void)context, (void)worker;
  return index != 5;
}

static svf_status sharing_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  size_t result[PIECES] = {0}, sum = 0;
  for (int round = 0; round < 3; round++)
    if (!svf_share(worker, PIECES, square_piece, result)) return svf_fail(message, SVF_MEMORY, "a piece");
  if (svf_share(worker, 8, bad_piece, NULL)) return svf_fail(message, SVF_DATA, "a failure was lost");
  for (size_t q = 0; q < PIECES; q++) sum += result[q];
  ((size_t *)context)[index] = sum;
  return SVF_OK;
}

static void jobs_share_their_pieces(void **state) {
  (void)state;
  for (int threads = 1; threads <= 8; threads++)
    for (size_t jobs = 1; jobs < 12; jobs += 5) {
      size_t sums[12] = {0};
      svf_run run = {.threads = threads};
      svf_pool pool;
      svf_message message;
      svf_stage stage = {"share", 0, 1, NULL};
      assert_ok(svf_pool_open(&pool, &run, &message), &message);
      pool.shared = true;
      assert_ok(svf_pool_run(&pool, &stage, jobs, sharing_job, sums, &message), &message);
      svf_pool_close(&pool);
      for (size_t i = 0; i < jobs; i++) assert_int_equal(sums[i], 3 * 39 * 40 * 79 / 6);
    }
}

static svf_status fail_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  (void)context, (void)worker;
  return index >= 3 ? svf_fail(message, SVF_DATA, "job %zu", index) : SVF_OK;
}

/* Of many failures the first job's comes back, whichever thread is late. */
static void failure_comes_back(void **state) {
  (void)state;
  enum { ROUNDS = 300 };
  svf_run run = {.threads = 8};
  svf_pool pool;
  svf_message message;
  svf_stage stage = {"fail", 0, 1, NULL};
  assert_ok(svf_pool_open(&pool, &run, &message), &message);
  for (int round = 0; round < ROUNDS; round++) {
    assert_int_equal(svf_pool_run(&pool, &stage, JOBS, fail_job, NULL, &message), SVF_DATA);
    assert_string_equal(message.text, "job 3");
  }
  unsigned char done[JOBS] = {0}; /* and the pool is as good as new */
  assert_ok(svf_pool_run(&pool, &stage, JOBS, count_job, done, &message), &message);
  svf_pool_close(&pool);
}

/* Every job but the first waits to be stopped; the first one fails: its failure is what comes back. */
static svf_status wait_or_fail(void *context, size_t index, svf_worker *worker, svf_message *message) {
  (void)context;
  if (index == 0) return svf_fail(message, SVF_MEMORY, "no memory");
  while (!atomic_load(worker->stop)) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return svf_fail(message, SVF_STOPPED, "stopped");
}

static void a_stopped_job_hides_no_failure(void **state) {
  (void)state;
  svf_run run = {.threads = 4};
  svf_pool pool;
  svf_message message;
  svf_stage stage = {"wait", 0, 1, NULL};
  assert_ok(svf_pool_open(&pool, &run, &message), &message);
  assert_int_equal(svf_pool_run(&pool, &stage, 4, wait_or_fail, NULL, &message), SVF_MEMORY);
  assert_string_equal(message.text, "no memory");
  svf_pool_close(&pool);
}

/* Job 2 fails while job 1 is at work with a helper; job 1 runs to its end all the same, and fails with all of its pieces done. */
static bool slow_piece(void *context, size_t index, svf_worker *worker) {
  nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  if (!svf_worker_stopped(worker)) ((unsigned char *)context)[index] = 1;
  return true;
}

static svf_status fail_late(void *context, size_t index, svf_worker *worker, svf_message *message) {
  if (index == 2) return svf_fail(message, SVF_DATA, "the later job");
  if (index != 1) return SVF_OK;
  unsigned char *done = memset(context, 0, PIECES);
  svf_share(worker, PIECES, slow_piece, done);
  size_t sum = 0;
  for (size_t q = 0; q < PIECES; q++) sum += done[q];
  return svf_fail(message, SVF_DATA, "the earlier job, %zu pieces", sum);
}

static void an_earlier_job_is_not_stopped_by_a_later_failure(void **state) {
  (void)state;
  unsigned char done[PIECES];
  char expected[80];
  snprintf(expected, sizeof expected, "the earlier job, %d pieces", PIECES);
  for (int threads = 1; threads <= 4; threads++) {
    svf_run run = {.threads = threads};
    svf_pool pool;
    svf_message message;
    svf_stage stage = {"late", 0, 1, NULL};
    assert_ok(svf_pool_open(&pool, &run, &message), &message);
    pool.shared = true;
    assert_int_equal(svf_pool_run(&pool, &stage, 20, fail_late, done, &message), SVF_DATA);
    assert_string_equal(message.text, expected);
    svf_pool_close(&pool);
  }
}

static svf_status long_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  (void)context, (void)index;
  while (!atomic_load(worker->stop)) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return svf_fail(message, SVF_STOPPED, "stopped");
}

static int stop_at_third(void *user, const svf_progress *progress) {
  double *seen = user;
  assert_true(progress->done >= seen[1] && progress->done <= 1);
  seen[1] = progress->done;
  return ++seen[0] >= 3;
}

static void a_wish_to_stop_reaches_a_running_job(void **state) {
  (void)state;
  double seen[2] = {0, 0};
  svf_run run = {.threads = 2, .callback = stop_at_third, .user = seen};
  svf_pool pool;
  svf_message message;
  svf_stage stage = {"long", 0, 1, NULL};
  assert_ok(svf_pool_open(&pool, &run, &message), &message);
  assert_int_equal(svf_pool_run(&pool, &stage, 5, long_job, NULL, &message), SVF_STOPPED);
  assert_int_equal((int)seen[0], 3);
  svf_pool_close(&pool);
}

/* Piece 7 raises the flag: with one thread no later one begins, and the run ends as stopped jobs do. */
typedef struct raising {
  atomic_int *stop;
  size_t pieces;
} raising;

static bool raise_flag(void *context, size_t index, svf_worker *worker) {
  raising *r = context;
  r->pieces++;
  if (index == 7) atomic_store(r->stop, 1);
  return worker->stop == r->stop;
}

static void a_wish_to_stop_leaves_pieces_out(void **state) {
  (void)state;
  atomic_int stop = 0;
  svf_worker worker = {.stop = &stop};
  raising r = {&stop, 0};
  assert_true(svf_share(&worker, 1000, raise_flag, &r));
  assert_int_equal(r.pieces, 8);
  assert_true(svf_share(&worker, 1000, raise_flag, &r));
  assert_int_equal(r.pieces, 8);
}

/* Work before the first tree can be stopped too, and its callback hears of no progress. */
static void a_wish_to_stop_reaches_a_pool_of_one_call(void **state) {
  (void)state;
  double seen[2] = {0, 0};
  svf_run run = {.threads = 2, .callback = stop_at_third, .user = seen};
  svf_message message;
  assert_int_equal(svf_pool_once(&run, "once", 5, long_job, NULL, &message), SVF_STOPPED);
  assert_true((int)seen[0] == 3 && seen[1] == 0);
  unsigned char done[JOBS] = {0};
  assert_ok(svf_pool_once(NULL, "once", JOBS, count_job, done, &message), &message);
  for (int i = 0; i < JOBS; i++) assert_int_equal(done[i], 1);
}

static void refuses_silly_threads(void **state) {
  (void)state;
  svf_run run = {.threads = -1};
  svf_pool pool;
  assert_int_equal(svf_pool_open(&pool, &run, NULL), SVF_USAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_job_once),
                                     cmocka_unit_test(jobs_share_their_pieces),
                                     cmocka_unit_test(failure_comes_back),
                                     cmocka_unit_test(a_stopped_job_hides_no_failure),
                                     cmocka_unit_test(an_earlier_job_is_not_stopped_by_a_later_failure),
                                     cmocka_unit_test(a_wish_to_stop_reaches_a_running_job),
                                     cmocka_unit_test(a_wish_to_stop_leaves_pieces_out),
                                     cmocka_unit_test(a_wish_to_stop_reaches_a_pool_of_one_call),
                                     cmocka_unit_test(refuses_silly_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
