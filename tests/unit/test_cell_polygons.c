/* test_cell_polygons.c - polygons of a tree's cells: they tile the box, and each holds the points that fall into its leaf. */
#include "support/forest.h"

#include "base/random.h"
#include "cli/cell_polygons.c"
#include "cli/plane.c"

enum { POINTS = 500, MOST = 200 };

void *cli_take(size_t count, size_t size) {
  void *taken = calloc(count + 1, size);
  assert_non_null(taken);
  return taken;
}

typedef struct list {
  cli_cell cell[MOST];
  size_t count;
} list;

static void keep(void *user, const cli_cell *cell) {
  list *l = user;
  assert_true(l->count < MOST);
  l->cell[l->count++] = *cell;
}

/* Twice the area that lies to the left of the edges. */
static double area(const cli_cell *cell) {
  double sum = 0;
  for (size_t i = 0; i < cell->count; i++) {
    const double *a = cell->corner[i], *b = cell->corner[(i + 1) % cell->count];
    sum += a[0] * b[1] - a[1] * b[0];
  }
  return sum;
}

/* By how much the point is outside of the cell, whose corners go round against the clock. */
static double beyond(const cli_cell *cell, const double x[2]) {
  double most = -INFINITY;
  for (size_t i = 0; i < cell->count; i++) {
    const double *a = cell->corner[i], *b = cell->corner[(i + 1) % cell->count];
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    if (length > 1e-12) most = fmax(most, ((b[1] - a[1]) * (x[0] - a[0]) - (b[0] - a[0]) * (x[1] - a[1])) / length);
  }
  return most;
}

static void check(const char *method, const char *pairs) {
  static const double low[2] = {-1.5, -1}, high[2] = {2.5, 1.5};
  static double point[POINTS * 2];
  static int32_t leaf[POINTS];
  static list l;
  svf_message message;
  svf_table *table = test_synth("moons", 300, 0, 0, 1), *points;
  svf_forest *forest = test_train(method, pairs, table, 1);
  svf_random random = svf_random_at((svf_place){.seed = 1, .use = SVF_USE_SYNTH});
  for (size_t i = 0; i < POINTS * 2; i++)
    point[i] = low[i % 2] + svf_random_unit(&random) * (high[i % 2] - low[i % 2]);
  svf_matrix matrix = {.values = point, .rows = POINTS, .columns = 2, .row_stride = 2, .column_stride = 1};
  assert_ok(svf_table_new(&matrix, NULL, &points, &message), &message);
  svf_prediction out = {.leaves = leaf};
  assert_ok(svf_predict(forest, points, NULL, &out, &message), &message);
  l.count = 0;
  cli_cells_each(forest, 0, low, high, keep, &l);
  double sum = 0;
  for (size_t c = 0; c < l.count; c++) sum += area(&l.cell[c]);
  assert_true(l.count > 5);
  assert_close(sum, 2 * (high[0] - low[0]) * (high[1] - low[1]), 1e-9);
  for (size_t i = 0; i < POINTS; i++)
    for (size_t c = 0; c < l.count; c++) {
      double outside = beyond(&l.cell[c], point + 2 * i);
      if (fabs(outside) > 1e-5) assert_int_equal(outside < 0, (size_t)leaf[i] == c); /* single precision at borders */
    }
  svf_forest_free(forest);
  svf_table_free(points);
  svf_table_free(table);
}

static void polygons(void **state) {
  (void)state;
  check("rf", "rows=all trees=1 max_depth=4");
  check("random-rotation", "rows=all trees=1 max_depth=4");
  check("rf", "rows=all cut=voronoi trees=1 cells=40");
  check("rf", "rows=all cut=voronoi trees=1 cells=12 scale=standard");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(polygons)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
