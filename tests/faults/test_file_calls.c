/* test_file_calls.c - the writing of a file with each of its system calls failing in turn; on systems that lack
 * unnamed files, their naming or locks; and against other writers. */
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "calls.h"

enum { FAILURES_MOST = 1000, THREADS = 6, ROUNDS = 60, LONG = 50000 };

static char folder[] = "/tmp/svforest-file-calls-XXXXXX";

/* ---- the folder --------------------------------------------------------------------------------- */

static int plain(void **state) {
  (void)state;
  memset(&rule, 0, sizeof rule);
  return 0;
}

static int enter(void **state) {
  (void)state;
  return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int leave(void **state) {
  (void)state;
  return chdir("/") || rmdir(folder);
}

static void make(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static bool holds(const char *path, const char *text) {
  char found[64] = "";
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  size_t length = fread(found, 1, sizeof found - 1, file);
  fclose(file);
  return length == strlen(text) && !memcmp(found, text, length);
}

static size_t files_here(void) {
  size_t count = 0;
  DIR *here = __real_opendir(".");
  for (struct dirent *entry; (entry = readdir(here));) count += entry->d_name[0] != '.';
  closedir(here);
  return count;
}

static int lowest_descriptor(void) {
  int fd = dup(STDOUT_FILENO);
  __real_close(fd);
  return fd;
}

static svf_status put(const char *text, svf_message *message) {
  return svf_file_write("f", text, strlen(text), message);
}

/* ---- every call fails --------------------------------------------------------------------------- */

/* Writes over an old file, beside a leftover, with some calls failing; false: there were no such calls. */
static bool step(size_t from, size_t until) {
  svf_message message = {""};
  make("f", "the old one");
  make("f.1.0.tmp", "left");
  int descriptor = lowest_descriptor();
  rule.from = from, rule.until = until;
  atomic_store(&rule.calls, 0);
  svf_status status = put("the new one", &message);
  bool reached = atomic_load(&rule.calls) >= from;
  rule.from = 0;
  const char *expected = status ? "the old one" : "the new one";
  if (!holds("f", expected) || (status && (status != SVF_IO || !strstr(message.text, "f"))))
    fail_msg("call %zu to %zu: status %d, '%s'", from, until, status, message.text);
  if (files_here() > 1 + (access("f.1.0.tmp", F_OK) == 0)) fail_msg("call %zu to %zu: litter", from, until);
  assert_int_equal(lowest_descriptor(), descriptor);
  assert_ok(put("again", &message), &message);
  assert_int_equal(files_here(), 1);
  return reached;
}

static void all_steps(void) {
  size_t at = 1;
  rule.short_writes = true;
  while (at < FAILURES_MOST && step(at, at)) at++;
  assert_in_range(at, 15, FAILURES_MOST - 1);
  for (size_t i = 1; i < at; i++) step(i, FAILURES_MOST);
  unlink("f");
}

static void unnamed_steps(void **state) {
  (void)state;
  all_steps();
}

static void named_steps(void **state) {
  (void)state;
  rule.no_unnamed = EOPNOTSUPP;
  all_steps();
}

static void relinked_steps(void **state) {
  (void)state;
  rule.no_link = ENOENT;
  all_steps();
}

/* ---- systems that lack something ---------------------------------------------------------------- */

static void falls_back(void **state) {
  (void)state;
  static const int errors[] = {EOPNOTSUPP, EISDIR, ENOENT, EINVAL, EPERM};
  svf_message message;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    for (int way = 0; way < 2; way++) {
      *(way ? &rule.no_link : &rule.no_unnamed) = errors[i];
      make("f.1.0.tmp", "left");
      assert_ok(put("first", &message), &message);
      assert_int_equal(chmod("f", 0640), 0);
      assert_ok(put("second", &message), &message);
      struct stat facts;
      assert_int_equal(stat("f", &facts), 0);
      assert_int_equal(facts.st_mode & 0777, 0640);
      assert_true(holds("f", "second"));
      assert_int_equal(files_here(), 1);
      unlink("f");
      plain(NULL);
    }
}

static void without_locks_nothing_goes(void **state) {
  (void)state;
  static const int errors[] = {ENOLCK, EOPNOTSUPP};
  svf_message message;
  make("f.1.0.tmp", "left");
  for (int i = 0; i < 4; i++) {
    rule.no_lock = errors[i % 2];
    rule.no_unnamed = i < 2 ? 0 : EOPNOTSUPP;
    assert_ok(put("right", &message), &message);
    assert_true(holds("f", "right") && holds("f.1.0.tmp", "left"));
    assert_int_equal(files_here(), 2);
  }
  unlink("f"), unlink("f.1.0.tmp");
}

/* ---- other writers ------------------------------------------------------------------------------ */

static char taken[64];
static int rival = -1;

static void remove_first(int fd) {
  (void)fd;
  assert_int_equal(unlink(taken), 0);
}

static void remove_and_make_anew(int fd) {
  remove_first(fd);
  make(taken, "of another thread");
}

static void lock_first(int fd) {
  (void)fd;
  rival = __real_open(taken, O_WRONLY | O_CLOEXEC);
  assert_int_equal(__real_flock(rival, LOCK_EX | LOCK_NB), 0);
}

/* Another writer takes the file for a leftover between its making and its locking. */
static void new_file_is_taken(void **state) {
  (void)state;
  svf_message message;
  snprintf(taken, sizeof taken, "f.%ld.0.tmp", (long)getpid());
  rule.no_unnamed = EOPNOTSUPP;
  rule.before_lock = remove_first;
  assert_ok(put("one", &message), &message);
  assert_true(holds("f", "one"));
  assert_int_equal(files_here(), 1);

  rule.before_lock = remove_and_make_anew;
  assert_ok(put("two", &message), &message);
  assert_true(holds("f", "two") && holds(taken, "of another thread"));
  unlink(taken);

  rule.before_lock = lock_first;
  assert_ok(put("three", &message), &message);
  assert_true(holds("f", "three") && holds(taken, ""));
  assert_int_equal(files_here(), 2);
  __real_close(rival);
  assert_ok(put("four", &message), &message);
  assert_int_equal(files_here(), 1);
  unlink("f");
}

static void move_to_place(int fd) {
  (void)fd;
  assert_int_equal(__real_rename("f.1.0.tmp", "g"), 0);
}

static void move_and_make_anew(int fd) {
  move_to_place(fd);
  make("f.1.0.tmp", "new");
}

/* What looked like a leftover is renamed by its writer before it can be locked; then its name is used again. */
static void leftover_is_gone(void **state) {
  (void)state;
  svf_message message;
  make("f.1.0.tmp", "complete");
  rule.before_lock = move_to_place;
  assert_ok(put("one", &message), &message);
  assert_true(holds("g", "complete"));
  make("f.1.0.tmp", "complete");
  rule.before_lock = move_and_make_anew;
  assert_ok(put("two", &message), &message);
  assert_true(holds("g", "complete") && holds("f.1.0.tmp", "new"));
  unlink("f"), unlink("g"), unlink("f.1.0.tmp");
}

static void *write_often(void *number) {
  char *text = malloc(LONG);
  size_t wrong = !text;
  for (size_t i = 0; text && i < ROUNDS; i++) {
    size_t length = LONG - 100 * i - *(size_t *)number;
    memset(text, (int)('a' + *(size_t *)number), length);
    wrong += svf_file_write("f", text, length, NULL) != SVF_OK;
  }
  free(text);
  *(size_t *)number = wrong;
  return NULL;
}

/* Is the file what one call of one of the threads wrote? */
static bool whole(void) {
  static char text[LONG];
  FILE *file = fopen("f", "rb");
  if (!file) return false;
  size_t length = fread(text, 1, LONG, file), same = 1;
  fclose(file);
  while (same < length && text[same] == text[0]) same++;
  size_t number = (size_t)(text[0] - 'a');
  return number < THREADS && same == length && (LONG - number - length) % 100 == 0;
}

static void threads_write(void) {
  pthread_t thread[THREADS];
  size_t number[THREADS];
  unlink("f");
  for (size_t i = 0; i < THREADS; i++) {
    number[i] = i;
    assert_int_equal(pthread_create(&thread[i], NULL, write_often, &number[i]), 0);
  }
  for (size_t i = 0; i < 200; i++)
    if (access("f", F_OK) == 0 && !whole()) fail_msg("half a file");
  for (size_t i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    assert_int_equal(number[i], 0);
  }
  assert_true(whole());
  assert_int_equal(files_here(), 1);
  unlink("f");
}

static void threads(void **state) {
  (void)state;
  threads_write();
  rule.no_unnamed = EOPNOTSUPP;
  threads_write();
  plain(NULL);
  rule.no_link = ENOENT;
  threads_write();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(unnamed_steps, plain),     cmocka_unit_test_setup(named_steps, plain),
      cmocka_unit_test_setup(relinked_steps, plain),    cmocka_unit_test_setup(falls_back, plain),
      cmocka_unit_test_setup(new_file_is_taken, plain), cmocka_unit_test_setup(without_locks_nothing_goes, plain),
      cmocka_unit_test_setup(leftover_is_gone, plain),  cmocka_unit_test_setup(threads, plain)};
  return cmocka_run_group_tests(tests, enter, leave);
}
