/* test_faults.c - makes the 1st, 2nd, 3rd, ... allocation of a whole job fail, once and from then on, until
 * the job gets through untouched. Each run must end in SVF_MEMORY, or in the very bytes of a run without
 * failures; and with nothing left behind: no block, no mapping, no open file, no temporary file. */
#include "support/test.h"
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include "scenarios.h"
#include "wrap.h"

enum { MOST_STEPS = 100000 };

typedef struct state {
  long live;
  int free_descriptor; /* the lowest */
  size_t temporary;
} state;

static size_t temporary_files(void) {
  size_t count = 0;
  DIR *folder = opendir(".");
  for (struct dirent *entry; folder && (entry = readdir(folder));) count += strstr(entry->d_name, ".tmp") != NULL;
  if (folder) closedir(folder);
  return count;
}

static state observe(void) {
  int descriptor = dup(STDOUT_FILENO);
  close(descriptor);
  return (state){fault_live(), descriptor, temporary_files()};
}

/* Plays a job and frees what it made; *what: the first call that was made to fail, or NULL. */
static svf_status play(const scenario *job, fault_mode mode, size_t at, scene *made, const char **what) {
  *made = (scene){.hash = 0xcbf29ce484222325u};
  fault_plan(mode, at);
  svf_status status = job->run(made, job->details);
  *what = fault_first();
  fault_plan(FAULT_NONE, 0);
  scene_free(made);
  return status;
}

/* A refused mapping is the system's word on a file. */
static bool proper(svf_status status, const char *what) {
  return status == SVF_MEMORY || (status == SVF_IO && strcmp(what, "mmap") == 0);
}

/* Plays a job with its call number `at` failing; false: there was no such call. */
static bool step(const scenario *job, fault_mode mode, size_t at, uint64_t hash) {
  scene made;
  const char *what;
  state before = observe();
  svf_status status = play(job, mode, at, &made, &what);
  state after = observe();
  const char *how = mode == FAULT_ONCE ? "alone" : "and all after it";
  if (after.live != before.live)
    fail_msg("%s: %s, call %zu %s: %ld blocks leak", job->name, what, at, how, after.live - before.live);
  if (after.free_descriptor != before.free_descriptor || after.temporary != before.temporary)
    fail_msg("%s: %s, call %zu %s: a file is left behind", job->name, what, at, how);
  if (status == SVF_OK && made.hash != hash)
    fail_msg("%s: %s, call %zu %s: another result, and no failure", job->name, what, at, how);
  if (status != SVF_OK && (!what || !proper(status, what) || !made.message.text[0]))
    fail_msg("%s: %s, call %zu %s: status %d, '%s'", job->name, what ? what : "-", at, how, status,
             made.message.text);
  return what != NULL;
}

static void every_step_may_fail(void **context) {
  const scenario *job = *context;
  scene made;
  const char *what;
  if (play(job, FAULT_NONE, 0, &made, &what) != SVF_OK) fail_msg("%s: %s", job->name, made.message.text);
  size_t steps = 1;
  while (steps < MOST_STEPS && step(job, FAULT_ONCE, steps, made.hash)) steps++;
  for (size_t at = 1; at < steps; at++) step(job, FAULT_FROM_THEN_ON, at, made.hash);
  print_message("%s: %zu steps\n", job->name, steps - 1);
  assert_in_range(steps, 2, MOST_STEPS - 1);
}

static void a_folder_of_its_own(char *name) {
  if (!mkdtemp(name) || chdir(name) || !scenario_files()) {
    perror(name);
    exit(1);
  }
}

static void remove_folder(const char *name) {
  DIR *folder = opendir(".");
  for (struct dirent *entry; folder && (entry = readdir(folder));) unlink(entry->d_name);
  if (folder) closedir(folder);
  rmdir(name);
}

int main(void) {
  char folder[] = "/tmp/svforest-faults-XXXXXX";
  struct CMUnitTest *tests = calloc(scenario_count, sizeof *tests);
  if (!tests) return 1;
  for (size_t i = 0; i < scenario_count; i++)
    tests[i] = (struct CMUnitTest){scenarios[i].name, every_step_may_fail, NULL, NULL, (void *)&scenarios[i]};
  a_folder_of_its_own(folder);
  int failed = _cmocka_run_group_tests("faults", tests, scenario_count, NULL, NULL);
  remove_folder(folder);
  free(tests);
  return failed;
}
