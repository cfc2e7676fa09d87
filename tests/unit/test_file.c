/* test_file.c - files are written whole or not at all. */
#include "support/test.h"
#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "svf-test-file-XXXXXX";

static int enter(void **state) {
  (void)state;
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) {
  (void)state;
  return chdir("..") || rmdir(folder);
}

static size_t read_back(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t length = fread(text, 1, size - 1, file);
  text[length] = 0;
  fclose(file);
  return length;
}

static void assert_holds(const char *path, const char *expected) {
  char text[64];
  read_back(path, text, sizeof text);
  assert_string_equal(text, expected);
}

static size_t files_here(void) {
  size_t count = 0;
  DIR *directory = opendir(".");
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory));) count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

static svf_status write_text(const char *path, const char *text, svf_message *message) {
  return svf_file_write(path, text, strlen(text), message);
}

static void new_and_old(void **state) {
  (void)state;
  svf_message message;
  assert_ok(write_text("a", "one", &message), &message);
  assert_holds("a", "one");
  assert_int_equal(chmod("a", 0640), 0);
  assert_ok(write_text("./a", "two", &message), &message);
  assert_holds("a", "two");
  struct stat facts;
  assert_int_equal(stat("a", &facts), 0);
  assert_int_equal(facts.st_mode & 0777, 0640);
  assert_ok(write_text("a", "", &message), &message);
  assert_holds("a", "");
  assert_int_equal(files_here(), 1);
  unlink("a");
}

static void follows_links(void **state) {
  (void)state;
  svf_message message;
  assert_ok(write_text("target", "old", &message), &message);
  assert_int_equal(symlink("target", "link"), 0);
  assert_ok(write_text("link", "new", &message), &message);
  assert_holds("target", "new");
  struct stat facts;
  assert_int_equal(lstat("link", &facts), 0);
  assert_true(S_ISLNK(facts.st_mode));
  unlink("link"), unlink("target");
}

static void refusals(void **state) {
  (void)state;
  svf_message message = {""};
  assert_int_equal(write_text(".", "x", &message), SVF_IO);
  assert_non_null(strstr(message.text, "directory"));
  assert_int_equal(write_text("nowhere/a", "x", &message), SVF_IO);
  assert_non_null(strstr(message.text, "nowhere/a"));
  assert_int_equal(write_text("", "x", NULL), SVF_IO);
  if (access("/dev/full", W_OK) == 0) {
    assert_int_equal(write_text("/dev/full", "x", &message), SVF_IO);
    assert_non_null(strstr(message.text, "/dev/full"));
  }
  assert_ok(write_text("/dev/null", "x", &message), &message);
  assert_int_equal(files_here(), 0);
}

static void make(const char *path) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fclose(file), 0);
}

static bool exists(const char *path) {
  struct stat facts;
  return lstat(path, &facts) == 0;
}

/* What killed writers left goes, that of a dead process of the same number as well, and files without any
 * permission to write. */
static void leftovers_go(void **state) {
  (void)state;
  svf_message message;
  char own[64];
  snprintf(own, sizeof own, "b.%ld.0.tmp", (long)getpid());
  const char *const left[] = {own, "b.1.0.tmp", "b.99999999.999.tmp", "b.2.0.tmp"};
  for (int round = 0; round < 2; round++) { /* without an old file, and with one */
    for (size_t i = 0; i < 4; i++) make(left[i]);
    assert_int_equal(chmod(left[3], 0444), 0);
    assert_ok(write_text("b", "right", &message), &message);
    assert_holds("b", "right");
    assert_int_equal(files_here(), 1);
  }
  assert_int_equal(mkdir("sub", 0700), 0);
  make("sub/c.1.0.tmp"), make("c.1.0.tmp");
  assert_ok(write_text("sub/c", "right", &message), &message);
  assert_false(exists("sub/c.1.0.tmp"));
  assert_true(exists("c.1.0.tmp"));
  unlink("b"), unlink("c.1.0.tmp"), unlink("sub/c"), rmdir("sub");
}

/* Files that a writer has locked, other names, and what is no regular file. */
static void others_stay(void **state) {
  (void)state;
  svf_message message;
  const char *const other[] = {"b.1.tmp", "b.1.0.tmp~", "b.x.0.tmp", "b.1.x.tmp", "b..0.tmp", "b.1..tmp",
                               "b.1.0",   "bb.1.0.tmp", "a.1.0.tmp", "b.1.0tmp",  "b1.0.tmp", "b.1.0.0.tmp"};
  enum { OTHERS = sizeof other / sizeof *other };
  for (size_t i = 0; i < OTHERS; i++) make(other[i]);
  assert_int_equal(mkdir("b.2.0.tmp", 0700), 0);
  assert_int_equal(symlink("b.1.tmp", "b.3.0.tmp"), 0);
  assert_int_equal(mkfifo("b.4.0.tmp", 0600), 0);
  make("b.5.0.tmp");
  int fd = open("b.5.0.tmp", O_RDONLY);
  assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
  assert_ok(write_text("b", "right", &message), &message);
  assert_int_equal(files_here(), OTHERS + 5);
  close(fd);
  assert_ok(write_text("b", "right", &message), &message);
  assert_false(exists("b.5.0.tmp"));
  assert_int_equal(files_here(), OTHERS + 4);
  for (size_t i = 0; i < OTHERS; i++) unlink(other[i]);
  unlink("b"), rmdir("b.2.0.tmp"), unlink("b.3.0.tmp"), unlink("b.4.0.tmp");
}

static void *read_pipe(void *text) {
  read_back("pipe", text, 64);
  return NULL;
}

static void into_pipe(void **state) {
  (void)state;
  svf_message message;
  char text[64];
  pthread_t reader;
  assert_int_equal(mkfifo("pipe", 0600), 0);
  assert_int_equal(pthread_create(&reader, NULL, read_pipe, text), 0);
  assert_ok(write_text("pipe", "through", &message), &message);
  pthread_join(reader, NULL);
  assert_string_equal(text, "through");
  unlink("pipe");
}

static void standard_output(void **state) {
  (void)state;
  svf_message message;
  fflush(stdout);
  int kept = dup(STDOUT_FILENO);
  assert_non_null(freopen("out", "w", stdout));
  svf_status written = write_text("-", "spoken", &message);
  close(STDOUT_FILENO);
  svf_status closed = write_text("-", "spoken", &message);
  dup2(kept, STDOUT_FILENO);
  close(kept);
  assert_int_equal(written, SVF_OK);
  assert_int_equal(closed, SVF_IO);
  assert_non_null(strstr(message.text, "standard output"));
  assert_holds("out", "spoken");
  unlink("out");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(new_and_old),    cmocka_unit_test(follows_links),
                                     cmocka_unit_test(refusals),       cmocka_unit_test(leftovers_go),
                                     cmocka_unit_test(others_stay),    cmocka_unit_test(into_pipe),
                                     cmocka_unit_test(standard_output)};
  return cmocka_run_group_tests(tests, enter, leave);
}
