/* demo_pictures.c - the demo's pictures: decision regions, and the cells of one tree. */
#include "verb_demo.h"
#include "output.h"
#include "forest_picture.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>

enum { GRID = 281, ROWS = 400 };

/* The corners of what is drawn: all points, and a little air. */
static void frame(const svf_table *table, cli_picture *picture) {
  for (size_t axis = 0; axis < 2; axis++) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < svf_table_rows(table); i++) {
      low = fmin(low, svf_table_number(table, i, axis));
      high = fmax(high, svf_table_number(table, i, axis));
    }
    picture->low[axis] = low - 0.05 * (high - low);
    picture->high[axis] = high + 0.05 * (high - low);
  }
}

/* A table of the points of the grid, line by line from the top. */
static svf_status grid_table(const cli_picture *picture, svf_table **table, svf_message *message) {
  double *x = CLI_TAKE(double, 2 * GRID * GRID);
  const char *names[2] = {svf_table_column_name(picture->points, 0), svf_table_column_name(picture->points, 1)};
  for (size_t i = 0; i < GRID * GRID; i++) {
    double across = (double)(i % GRID) / (GRID - 1), down = (double)(i / GRID) / (GRID - 1);
    x[2 * i] = picture->low[0] + across * (picture->high[0] - picture->low[0]);
    x[2 * i + 1] = picture->high[1] - down * (picture->high[1] - picture->low[1]);
  }
  svf_matrix matrix = {.values = x, .rows = GRID * GRID, .columns = 2, .row_stride = 2, .column_stride = 1};
  svf_status status = svf_table_new(&matrix, names, table, message);
  free(x);
  return status;
}

/* The score of the second class less that of the first, on the grid; free() it. */
static svf_status field_of(const svf_forest *forest, const svf_table *grid, const svf_run *run, double **field,
                           svf_message *message) {
  svf_prediction prediction = {.scores = CLI_TAKE(double, 2 * GRID * GRID)};
  *field = CLI_TAKE(double, GRID *GRID);
  svf_status status = svf_predict(forest, grid, run, &prediction, message);
  for (size_t i = 0; i < GRID * GRID; i++) (*field)[i] = prediction.scores[2 * i + 1] - prediction.scores[2 * i];
  free(prediction.scores);
  return status;
}

/* One panel: trains, tests, and asks for every point of the grid. */
typedef struct exhibit {
  cli_trial trial;
  const char *title;
  svf_forest *forest;
  double *field;
} exhibit;

static void caption(const exhibit *e, cli_panel *panel) {
  svf_forest_info info;
  svf_forest_describe(e->forest, &info);
  panel->title = e->title;
  snprintf(panel->caption, sizeof panel->caption, "%zu %s, %zu %s; %.1f%% of new rows right", info.trees,
           cli_plural(info.trees, "tree", "trees"), info.leaves, cli_plural(info.leaves, "leaf", "leaves"),
           100 * e->trial.accuracy);
  panel->field = (cli_field){GRID, e->field};
}

static int prepare(exhibit *e, const cli_halves *halves, const svf_table *grid, cli_job *job) {
  svf_message message;
  CLI_TRY(cli_trial_run(&e->trial, halves, job, &e->forest));
  return cli_status(field_of(e->forest, grid, &job->run, &e->field, &message), &message);
}

static int save(const char *folder, const char *name, const cli_picture *picture) {
  cli_output output;
  char *path = cli_join(folder, name);
  int code = cli_output_open(&output, path);
  if (code == CLI_DONE) {
    cli_picture_write(output.file, picture);
    code = cli_output_finish(&output);
  }
  free(path);
  return code;
}

/* Panels from exhibits, then the file. */
static int hang(cli_picture picture, exhibit *e, size_t count, const char *folder, const char *name) {
  cli_panel panel[2] = {0};
  for (size_t i = 0; i < count; i++) caption(&e[i], &panel[i]);
  if (count == 1) panel[0].cells = e[0].forest;
  picture.panel = panel;
  picture.panels = count;
  return save(folder, name, &picture);
}

static int draw(const cli_halves *halves, const svf_table *grid, cli_picture *picture, const char *folder,
                cli_job *job) {
  exhibit e[3] = {{.trial = {"linear-svm", "vote=mean", 0, 0}, .title = "One linear machine (linear-svm)"},
                  {.trial = {"rsvt-full", "trees=50", 0, 0}, .title = "A forest of them (rsvt-full)"},
                  {.trial = {"rsvt-full", "trees=1 vote=mean", 0, 0}, .title = "One tree of rsvt-full"}};
  int code = CLI_DONE;
  for (size_t i = 0; i < 3 && code == CLI_DONE; i++) code = prepare(&e[i], halves, grid, job);
  picture->title = "Decision regions";
  picture->subtitle = "Two spirals; the darker the shade, the surer the answer";
  if (code == CLI_DONE) code = hang(*picture, e, 2, folder, "/regions.svg");
  picture->title = "The cells of one tree";
  picture->subtitle = "Random cuts divide the plane; every cell has its own machine";
  if (code == CLI_DONE) code = hang(*picture, &e[2], 1, folder, "/tree.svg");
  for (size_t i = 0; i < 3; i++) {
    svf_forest_free(e[i].forest);
    free(e[i].field);
  }
  return code;
}

int cli_demo_pictures(const cli_args *args, const char *folder, cli_job *job) {
  svf_message message;
  cli_halves halves;
  svf_table *grid = NULL;
  CLI_TRY(cli_halves_make("spirals", ROWS, args->seed ? strtoull(args->seed, NULL, 10) : 0, &halves));
  cli_picture picture = {.points = halves.train};
  frame(halves.train, &picture);
  int code = cli_status(grid_table(&picture, &grid, &message), &message);
  if (code == CLI_DONE) code = draw(&halves, grid, &picture, folder, job);
  svf_table_free(grid);
  cli_halves_free(&halves);
  return code;
}
