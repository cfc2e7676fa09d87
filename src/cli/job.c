/* job.c - a long job of the library: threads, a bar on the terminal, Ctrl-C. */
#include "job.h"
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_WIDTH = 32 };

static volatile sig_atomic_t seen; /* a signal handler can reach nothing else */

/* timeout(1) sends its signal twice, to the process and to its group: only a later one is a second wish. */
static void note(int number) {
  static time_t first;
  time_t now = time(NULL);
  if (!seen) {
    seen = number;
    first = now;
  } else if (now > first + 1) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

/* A signal that our parent had ignored (nohup, a job in the background) stays ignored. */
static void heed(int number) {
  struct sigaction action;
  if (sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_IGN) return;
  memset(&action, 0, sizeof action);
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

int cli_signal(void) { return (int)seen; }
void cli_signal_forget(void) { seen = 0; }

int cli_stopped(void) { return cli_fail(128 + (seen ? (int)seen : SIGINT), "stopped; nothing written"); }

double cli_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_left(double seconds) {
  long left = (long)(seconds + 0.5);
  if (left < 100) fprintf(stderr, "%ld s left", left);
  else if (left < 6000) fprintf(stderr, "%ld min %02ld s left", left / 60, left % 60);
  else fprintf(stderr, "%ld h %02ld min left", left / 3600, left / 60 % 60);
}

static void draw(cli_job *job, const char *phase, double done, double elapsed) {
  int full = (int)(done * BAR_WIDTH);
  char bar[BAR_WIDTH + 1];
  memset(bar, '.', BAR_WIDTH);
  memset(bar, '#', (size_t)full);
  bar[BAR_WIDTH] = 0;
  fprintf(stderr, "\r%-8s [%s] %3.0f%%  ", phase, bar, 100 * done);
  if (done > 0) print_left(elapsed * (1 - done) / done);
  if (job->note[0]) fprintf(stderr, "; %s", job->note);
  fputs("\033[K", stderr);
  fflush(stderr);
  job->drawn = true;
}

static int step(void *user, const svf_progress *progress) {
  cli_job *job = user;
  double elapsed = cli_now() - job->start;
  double done = job->first + job->share * progress->done;
  if (job->bar && elapsed > 1) draw(job, progress->phase ? progress->phase : "", done < 1 ? done : 1, elapsed);
  return seen != 0;
}

void cli_job_begin(cli_job *job, const cli_args *args) {
  *job = (cli_job){.run = {.threads = (int)args->threads, .callback = step, .user = job},
                   .args = args,
                   .bar = !args->quiet && isatty(STDERR_FILENO),
                   .start = cli_now(),
                   .share = 1};
  heed(SIGINT);
  heed(SIGTERM);
}

static void remark(void *user, const char *text) {
  cli_job *job = user;
  cli_job_wipe(job);
  cli_note(job->args, "%s", text);
}

void cli_job_remarks(cli_job *job) { job->run.remark = remark; }

void cli_job_part(cli_job *job, double first, double share) {
  job->first = first;
  job->share = share;
}

void cli_job_wipe(cli_job *job) {
  if (job->drawn) fputs("\r\033[K", stderr);
  job->drawn = false;
}

double cli_job_end(cli_job *job) {
  cli_job_wipe(job);
  return cli_now() - job->start;
}
