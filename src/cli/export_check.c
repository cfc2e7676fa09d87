/* export_check.c - see export_check.h. */
#include "export_check.h"
#include "text.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ROWS = 1000 };
/* What an answer may differ by, over the range of all. Where trees vote for classes, floats may turn a vote that is tied. */
static const double MOST = 1e-9, MOST_FLOAT = 1e-3, FLOATS_BEYOND = .01;

/* A folder for the work, and what it is about. */
typedef struct bench {
  const svf_forest *forest;
  const svf_export_options *options;
  size_t features, outputs; /* numbers of a row and of an answer */
  char *folder, *model, *caller, *program, *questions, *answers;
  double *row, *wanted; /* ROWS x features; ROWS x (1 + outputs): class or 0, and the numbers */
} bench;

/* ---- rows ---- */

/* xorshift: the same rows every time. */
static double draw(uint64_t *state) {
  *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-53;
}

/* The first encoded column of each feature, of the first forest; NULL where it has none. */
static svf_encoded_info *columns_of(const bench *b) {
  svf_committee_info committee;
  svf_member_info member = {.forest = b->forest};
  svf_forest_info info;
  svf_encoded_info *column = CLI_TAKE(svf_encoded_info, b->features + 1);
  svf_committee_describe(b->forest, &committee);
  if (committee.members) svf_committee_member(b->forest, 0, &member);
  svf_forest_describe(member.forest, &info);
  for (size_t c = info.encoded; c-- > 0;) {
    svf_encoded_info found;
    svf_forest_encoded(member.forest, c, &found);
    if (found.feature < b->features) column[found.feature] = found;
  }
  return column;
}

/* Around the median, or any category and one that is none. */
static double cell(const svf_encoded_info *column, size_t categories, uint64_t *state) {
  if (draw(state) < .05) return NAN;
  if (categories) return floor(draw(state) * (double)(categories + 1));
  double unit = column->shift == 0 && column->scale == 1 ? fabs(column->fill) + 1 : 1;
  return svf_encoded_decode(column, column->fill + (6 * draw(state) - 3) * unit);
}

/* Floats are asked about numbers that are floats. */
static void draw_rows(bench *b) {
  uint64_t state = 88172645463325252u;
  svf_encoded_info *column = columns_of(b);
  for (size_t i = 0; i < ROWS * b->features; i++) {
    size_t j = i % b->features;
    double x = cell(&column[j], svf_forest_categories(b->forest, j), &state);
    b->row[i] = b->options->single ? (double)(float)x : x;
    if (isinf(b->row[i])) b->row[i] = NAN;
  }
  free(column);
}

static int ask_forest(bench *b) {
  svf_message message;
  svf_predictor *predictor;
  svf_forest_info info;
  svf_forest_describe(b->forest, &info);
  CLI_TRY(cli_status(svf_predictor_new(b->forest, &predictor, &message), &message));
  int code = CLI_DONE;
  for (size_t i = 0; i < ROWS && code == CLI_DONE; i++) {
    double *to = b->wanted + i * (1 + b->outputs);
    svf_prediction answer = {.values = to, .probabilities = info.classes ? to + 1 : NULL};
    code = cli_status(svf_predictor_row(predictor, b->row + i * b->features, &answer, &message), &message);
    if (!info.classes) to[1] = to[0], to[0] = 0;
  }
  svf_predictor_free(predictor);
  return code;
}

/* ---- the program ---- */

static bool write_caller(const bench *b) {
  const char *name = b->options->name ? b->options->name : "predict", *type = b->options->single ? "float" : "double";
  FILE *out = fopen(b->caller, "w");
  if (!out) return false;
  fprintf(
      out,
      "#include <stdio.h>\nint %s(const %s *row, %s *out);\nint main(void) {\n  static double in[%zu], said[%zu];\n"
      "  static %s row[%zu], out[%zu];\n  while (fread(in, sizeof *in, %zu, stdin) == %zu) {\n"
      "    for (int j = 0; j < %zu; j++) row[j] = (%s)in[j];\n    said[0] = %s(row, out);\n"
      "    for (int k = 0; k < %zu; k++) said[1 + k] = out[k];\n"
      "    if (fwrite(said, sizeof *said, %zu, stdout) != %zu) return 1;\n  }\n  return fflush(stdout) != 0;\n}\n",
      name, type, type, b->features, 1 + b->outputs, type, b->features, b->outputs, b->features, b->features,
      b->features, type, name, b->outputs, 1 + b->outputs, 1 + b->outputs);
  return fclose(out) == 0;
}

static bool write_questions(const bench *b) {
  FILE *out = fopen(b->questions, "wb");
  if (!out) return false;
  bool fine = fwrite(b->row, sizeof *b->row, ROWS * b->features, out) == ROWS * b->features;
  return fclose(out) == 0 && fine;
}

/* Runs a program with its input and output in files; what it says on stderr is not shown. Returns its exit code; 127: it is
 * not there, or was killed. */
static int run_program(const char *const *words, const char *input, const char *output) {
  posix_spawn_file_actions_t files;
  pid_t child;
  int status = 0;
  if (posix_spawn_file_actions_init(&files)) return 127;
  posix_spawn_file_actions_addopen(&files, 0, input, O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  int failed = posix_spawnp(&child, words[0], &files, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed) return 127;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static const char *compiler(void) {
  const char *named = getenv("CC");
  return named && *named ? named : "cc";
}

static int compile(const bench *b) {
  const char *words[] = {compiler(), "-std=c11", "-O1", "-o", b->program, b->model, b->caller, "-lm", NULL};
  return run_program(words, "/dev/null", "/dev/null");
}

/* ---- the comparison ---- */

static double range_of(const bench *b, size_t classes) {
  double low = INFINITY, high = -INFINITY;
  if (classes) return 1;
  for (size_t i = 0; i < ROWS; i++) low = fmin(low, b->wanted[2 * i + 1]), high = fmax(high, b->wanted[2 * i + 1]);
  return high > low ? high - low : fmax(fabs(high), 1);
}

/* Of two classes that are equally probable either may be named. */
static bool tied(const double *wanted, size_t outputs, double class, double other) {
  if (class == other) return true;
  if (!(other >= 0 && other < (double)outputs)) return false;
  return fabs(wanted[(size_t) class] - wanted[(size_t)other]) <= 1e-9;
}

static void compare(const bench *b, const double *said, size_t classes, cli_comparison *c) {
  double range = range_of(b, classes), most = b->options->single ? MOST_FLOAT : MOST;
  for (size_t i = 0; i < ROWS; i++) {
    const double *wanted = b->wanted + i * (1 + b->outputs), *got = said + i * (1 + b->outputs);
    double apart = 0;
    for (size_t k = 1; k <= b->outputs; k++) {
      double off = fabs(got[k] / range - wanted[k] / range);
      apart = off <= apart ? apart : off == off ? off : INFINITY;
    }
    bool same = b->options->single || tied(wanted + 1, b->outputs, wanted[0], got[0]);
    c->beyond += !(apart <= most) || !same;
    c->difference = fmax(c->difference, apart);
  }
  c->rows = ROWS;
}

static int read_answers(const bench *b, cli_comparison *c) {
  size_t count = ROWS * (1 + b->outputs);
  svf_forest_info info;
  svf_forest_describe(b->forest, &info);
  FILE *in = fopen(b->answers, "rb");
  if (!in) return cli_fail(CLI_FAULT, "export: %s: %s", b->answers, strerror(errno));
  double *said = CLI_TAKE(double, count);
  bool whole = fread(said, sizeof *said, count, in) == count;
  fclose(in);
  if (whole) compare(b, said, info.classes, c);
  free(said);
  if (!whole) return cli_fail(CLI_FAULT, "export: the compiled model did not answer all rows; nothing was written");
  double allowed = b->options->single ? FLOATS_BEYOND * ROWS : 0;
  if ((double)c->beyond <= allowed) return CLI_DONE;
  return cli_fail(
      CLI_FAULT,
      "export: the C code differs from the model in %zu of %zu rows, by up to %.3g of the answers' range; "
      "nothing was written",
      c->beyond, c->rows, c->difference);
}

static int compare_programs(bench *b, cli_comparison *c) {
  svf_message message;
  CLI_TRY(cli_status(svf_forest_export_c(b->forest, b->options, b->model, &message), &message));
  if (!write_caller(b) || !write_questions(b)) return c->reason = "the temporary folder cannot be written", CLI_DONE;
  int code = compile(b);
  if (code == 127) return c->reason = "there is no C compiler (cc, or what $CC names)", CLI_DONE;
  if (code) return c->reason = "the C compiler failed", CLI_DONE;
  const char *words[] = {b->program, NULL};
  if (run_program(words, b->questions, b->answers))
    return c->reason = "the compiled model could not be run", CLI_DONE;
  return read_answers(b, c);
}

/* ---- the folder ---- */

static bool open_bench(bench *b) {
  const char *place = getenv("TMPDIR");
  b->folder = cli_join(place && *place ? place : "/tmp", "/svforest-XXXXXX");
  if (!mkdtemp(b->folder)) return false;
  b->model = cli_join(b->folder, "/model.c");
  b->caller = cli_join(b->folder, "/caller.c");
  b->program = cli_join(b->folder, "/program");
  b->questions = cli_join(b->folder, "/questions");
  b->answers = cli_join(b->folder, "/answers");
  return true;
}

static void close_bench(bench *b) {
  char *file[] = {b->model, b->caller, b->program, b->questions, b->answers};
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
    if (file[i]) unlink(file[i]);
    free(file[i]);
  }
  rmdir(b->folder);
  free(b->folder);
  free(b->row);
  free(b->wanted);
}

int cli_export_compare(const svf_forest *forest, const svf_export_options *options, cli_comparison *comparison) {
  svf_forest_info info;
  svf_forest_describe(forest, &info);
  bench b = {.forest = forest, .options = options, .features = info.features, .outputs = info.scores};
  *comparison = (cli_comparison){0};
  if (!b.features) return comparison->reason = "the model looks at no column", CLI_DONE;
  if (!open_bench(&b)) {
    free(b.folder);
    return comparison->reason = "there is no temporary folder", CLI_DONE;
  }
  b.row = CLI_TAKE(double, ROWS *b.features);
  b.wanted = CLI_TAKE(double, ROWS *(1 + b.outputs));
  draw_rows(&b);
  int code = ask_forest(&b);
  if (code == CLI_DONE) code = compare_programs(&b, comparison);
  close_bench(&b);
  return code;
}
