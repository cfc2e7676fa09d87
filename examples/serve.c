/* serve.c - answers rows with a model that stays mapped: lines from standard input, or from a Unix socket.
 *
 *   serve MODEL            a row per line of standard input, an answer per line of standard output
 *   serve MODEL SOCKET     the same for each connection to the socket, one after the other, until SIGINT or SIGTERM
 *
 * A row is cells apart by commas, without quotes, in the order of the model's columns; a blank cell is missing. The answer is a
 * class or a number, or "error: ..." for a row that cannot be read. At the end the program says on standard error how long rows
 * took. From the top of a checkout, after `./dev build`:
 *   cc -O2 -std=c11 -Iinclude examples/serve.c -Lbuild -lsvforest -Wl,-rpath,"$PWD/build" -o build/serve */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <svforest.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 100000 }; /* times of the last rows */

typedef struct server {
  svf_forest *forest;
  svf_predictor *predictor;
  svf_forest_info info;
  double *row;
  double time[KEPT]; /* microseconds */
  size_t rows;
} server;

static volatile sig_atomic_t stopped;
static void stop(int signal) { (void)signal, stopped = 1; }

/* ---- one row ---- */

static double category(const server *s, size_t column, const char *text) {
  for (size_t code = 0; code < svf_forest_categories(s->forest, column); code++)
    if (strcmp(svf_forest_category_name(s->forest, column, code), text) == 0) return (double)code;
  return -1; /* not known: counts as missing */
}

/* The number that stands for a cell; 0: there is none. */
static int read_cell(const server *s, size_t column, const char *text, double *value) {
  char *end;
  *value = NAN;
  if (!*text) return 1;
  if (svf_forest_categories(s->forest, column)) return *value = category(s, column, text), 1;
  if (svf_forest_is_date(s->forest, column)) return svf_date_read(text, value);
  *value = strtod(text, &end);
  return *end == 0;
}

/* Cuts the line into cells; NULL: the row is read, else why not. */
static const char *read_row(const server *s, char *line) {
  size_t column = 0;
  for (char *cell = line; cell; column++) {
    char *comma = strchr(cell, ',');
    if (comma) *comma = 0;
    if (column >= s->info.features) return "too many cells";
    if (!read_cell(s, column, cell, &s->row[column])) return "a cell is neither a number nor a date";
    cell = comma ? comma + 1 : NULL;
  }
  return column < s->info.features ? "too few cells" : NULL;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void answer(server *s, char *line, FILE *out) {
  svf_message message;
  double value, start = now();
  svf_prediction prediction = {.values = &value};
  const char *wrong = read_row(s, line);
  if (!wrong && svf_predictor_row(s->predictor, s->row, &prediction, &message)) wrong = message.text;
  if (wrong) fprintf(out, "error: %s\n", wrong);
  else if (s->info.classes) fprintf(out, "%s\n", svf_forest_class_name(s->forest, (size_t)value));
  else fprintf(out, "%.17g\n", value);
  s->time[s->rows++ % KEPT] = now() - start;
}

/* Rows until the end of the stream. Answers are sent when no whole line waits, as far as stdio can tell: at once. */
static void serve(server *s, FILE *in, FILE *out) {
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  while (!stopped && (length = getline(&line, &room, in)) > 0) {
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) line[--length] = 0;
    answer(s, line, out);
    if (fflush(out)) break; /* whoever asked is gone */
  }
  free(line);
}

/* ---- the socket ---- */

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return errno = ENAMETOOLONG, -1;
  strcpy(address.sun_path, path);
  int door = socket(AF_UNIX, SOCK_STREAM, 0);
  if (door < 0) return -1;
  if (bind(door, (struct sockaddr *)&address, sizeof address) == 0 && listen(door, 16) == 0) return door;
  close(door);
  return -1;
}

static void serve_guest(server *s, int guest) {
  FILE *in = fdopen(guest, "r"), *out = fdopen(dup(guest), "w");
  if (in && out) serve(s, in, out);
  if (in) fclose(in);
  if (out) fclose(out);
}

static int serve_socket(server *s, const char *path) {
  int door = listen_at(path);
  if (door < 0) return fprintf(stderr, "%s: %s\n", path, strerror(errno)), 1;
  while (!stopped) {
    int guest = accept(door, NULL, NULL);
    if (guest >= 0) serve_guest(s, guest);
  }
  close(door);
  unlink(path);
  return 0;
}

/* ---- how long rows took ---- */

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void tell(server *s) {
  static const double share[] = {.5, .9, .99, .999};
  size_t n = s->rows < KEPT ? s->rows : KEPT;
  qsort(s->time, n, sizeof *s->time, by_size);
  fprintf(stderr, "%zu rows", s->rows);
  for (size_t i = 0; n && i < sizeof share / sizeof *share; i++)
    fprintf(stderr, ", %g%% within %.1f us", 100 * share[i], s->time[(size_t)(share[i] * (double)(n - 1))]);
  if (n) fprintf(stderr, ", longest %.1f us", s->time[n - 1]);
  fputc('\n', stderr);
}

static int open_server(server *s, const char *path) {
  svf_message message;
  svf_status status = svf_forest_load(path, &s->forest, &message);
  if (!status) status = svf_predictor_new(s->forest, &s->predictor, &message);
  if (status) return fprintf(stderr, "%s\n", message.text), 1;
  svf_forest_describe(s->forest, &s->info);
  s->row = malloc((s->info.features + 1) * sizeof *s->row);
  return s->row ? 0 : (fputs("not enough memory\n", stderr), 1);
}

int main(int argc, char **argv) {
  static server s;
  struct sigaction action = {.sa_handler = stop};
  if (argc != 2 && argc != 3) return fprintf(stderr, "usage: %s MODEL [SOCKET]\n", argv[0]), 2;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  int code = open_server(&s, argv[1]);
  if (!code && argc == 3) code = serve_socket(&s, argv[2]);
  else if (!code) serve(&s, stdin, stdout);
  if (!code) tell(&s);
  free(s.row);
  svf_predictor_free(s.predictor);
  svf_forest_free(s.forest);
  return code;
}
