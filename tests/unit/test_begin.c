/* Where machines begin: the path ends at the optimum whatever it began from, the leaf finds the weights of the same
 * classes in the model above; and a path that is told to stop leaves everything as it is. */
#include "support/ground.h"
#include "support/rows.h"
#include "leaf/linear_svm.h"
#include "svm/linear_path.h"

static svf_machines_options options_for(const svf_la *la, svf_arena *arena, const double *C, size_t count) {
  return (svf_machines_options){
      .C = C, .C_count = count, .solver = {.la = la, .tolerance = 1e-6, .max_steps = 200, .arena = arena}};
}

/* One machine without parts, begun somewhere; w: ld numbers out. */
static void run_from(svf_arena *arena, const svf_la *la, test_rows *r, const double *begin, double *w) {
  double C = 1, gap = 0;
  svf_machines_options options = options_for(la, arena, &C, 1);
  svf_points points = test_points(arena, r);
  svf_shared shared;
  svf_path path;
  svf_binary binary = {r->sign, r->cost};
  svf_path_result result = {w, NULL, &gap, begin};
  svf_shared_open(&shared, &points, NULL, 0, &options.solver);
  assert_true(svf_path_open(&path, &shared, &options, binary.cost, false));
  assert_true(svf_path_run(&path, &binary, &options.solver, &result));
}

/* From the solution itself nothing moves; from elsewhere, or nowhere, the end is the optimum all the same. */
static void begins(const svf_la *la, size_t n, size_t d) {
  svf_arena arena = {0};
  test_rows r = test_rows_make(&arena, n, n, d, 2);
  size_t ld = r.rows.ld;
  double *w = SVF_ZERO(&arena, double, ld), *v = SVF_ZERO(&arena, double, ld), *from = SVF_ZERO(&arena, double, ld),
         P;
  static const double far[] = {0, 1, -1, 30, 1e8, 1e300, NAN};
  svf_random random = svf_random_at((svf_place){.seed = n});
  run_from(&arena, la, &r, NULL, w);
  assert_true(test_squared_gap(&r.rows, r.sign, r.cost, 1, w, &P) <= 1e-6 * P);
  run_from(&arena, la, &r, w, v);
  assert_memory_equal(w, v, ld * sizeof *w);
  for (size_t a = 0; a < sizeof far / sizeof *far; a++) {
    for (size_t j = 0; j < r.rows.p; j++) from[j] = w[j] + far[a] * svf_random_normal(&random);
    run_from(&arena, la, &r, from, v);
    assert_true(test_squared_gap(&r.rows, r.sign, r.cost, 1, v, &P) <= 1e-6 * P);
  }
  svf_arena_free(&arena);
}

static void the_end_does_not_depend_on_the_beginning(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{2, 1}, {120, 10}, {40, 70}, {300, 63}, {400, 90}, {300, 130}};
  for (size_t t = 0; t < 3; t++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes && svf_la_at(t); s++)
      begins(svf_la_at(t), sizes[s][0], sizes[s][1]);
}

/* A model of classes `codes`, the first weight of each machine naming its classes: 100 plus + minus, or 100 plus. */
static void name_machines(svf_scheme scheme, size_t m, const int32_t *codes, size_t d, double *numbers) {
  double *w = numbers + SVF_LINEAR_HEAD + 3 * m;
  numbers[SVF_LINEAR_CLASSES] = (double)m;
  for (size_t a = 0; a < m; a++) {
    numbers[SVF_LINEAR_HEAD + a] = codes[a];
    if (scheme == SVF_ONE_VS_REST && (m > 2 || a == 1)) *w = 100. * codes[a], w += d + 1;
    for (size_t b = a + 1; scheme == SVF_ONE_VS_ONE && b < m; b++) *w = 100. * codes[a] + codes[b], w += d + 1;
  }
}

static void compare_names(test_ground *t, svf_scheme scheme, size_t all, const int32_t *codes, uint32_t kept) {
  double above[200] = {0}, below[200] = {0};
  int32_t present[5];
  size_t m = 0, d = t->frame.d;
  for (size_t a = 0; a < all; a++)
    if (kept >> a & 1) present[m++] = codes[a];
  if (m < 2) return;
  name_machines(scheme, all, codes, d, above);
  name_machines(scheme, m, present, d, below);
  svf_site up = {.ready = {above, 200, 0}}, site = {.up = &up};
  const double *const *begin = svf_linear_begin(&t->ground, &site, m, present);
  assert_non_null(begin);
  for (size_t a = 0; a < svf_machine_count(scheme, m); a++) {
    double expected = below[SVF_LINEAR_HEAD + 3 * m + a * (d + 1)];
    assert_true(begin[a][0] == expected);
  }
}

/* All sets of classes of a child below all sets of its parent. */
static void the_weights_are_those_of_the_same_classes(void **state) {
  (void)state;
  static const char *const pairs[] = {"multiclass=one-vs-rest", "multiclass=one-vs-one"};
  static const int32_t codes[] = {0, 2, 3, 7, 9};
  for (int scheme = 0; scheme < 2; scheme++) {
    test_ground t;
    test_ground_open(&t, test_synth("twonorm", 20, 3, 0, 0), "rsvf", pairs[scheme]);
    for (size_t all = 2; all <= 5; all++)
      for (uint32_t kept = 0; kept < 1u << all; kept++) compare_names(&t, (svf_scheme)scheme, all, codes, kept);
    svf_site site = {.up = NULL};
    assert_null(svf_linear_begin(&t.ground, &site, 2, codes));
    test_ground_close(&t);
  }
}

/* A cell with all the rows of the one above, whose model is moved a little: near enough, so it stays where it began. */
static void a_cell_begins_where_the_one_above_ended(void **state) {
  (void)state;
  test_ground t;
  test_ground_open(&t, test_synth("classification", 120, 4, 3, 1), "rsvf", "");
  uint32_t rows[120];
  svf_message message;
  svf_buffer above = {0}, cold = {0}, warm = {0};
  for (uint32_t i = 0; i < 120; i++) rows[i] = i;
  svf_site up = {.name = 1, .rows = rows, .n = 120}, site = {.up = &up, .name = 2, .rows = rows, .n = 120};
  extern const svf_leaf svf_leaf_linear;
  assert_ok(svf_leaf_linear.train(&t.ground, &up, &above, &message), &message);
  assert_ok(svf_leaf_linear.train(&t.ground, &site, &cold, &message), &message);
  assert_memory_equal(above.data, cold.data, cold.size); /* nothing is ready above */
  double *w = (double *)(void *)above.data + SVF_LINEAR_HEAD + 9;
  for (size_t j = 0; j < 15; j++) w[j] *= 1 + 1e-7;
  up.ready = (svf_ready){(const double *)(void *)above.data, above.size / sizeof(double), 0};
  assert_ok(svf_leaf_linear.train(&t.ground, &site, &warm, &message), &message);
  assert_int_equal(warm.size, above.size);
  assert_memory_equal(warm.data + (SVF_LINEAR_HEAD + 9) * sizeof(double), w, 15 * sizeof *w);
  svf_buffer_free(&above);
  svf_buffer_free(&cold);
  svf_buffer_free(&warm);
  test_ground_close(&t);
}

/* Every fit of a hinge, and every one that single precision cannot do, is a solve by itself: none begins after a stop. */
static void a_stopped_path_touches_nothing(void **state) {
  (void)state;
  static const double C[] = {.5, 1, 1e9};
  for (int loss = 0; loss < 2; loss++) {
    svf_arena arena = {0};
    atomic_int stop = 1;
    test_rows r = test_rows_make(&arena, 1, 60, 4, 2);
    svf_points points = test_points(&arena, &r);
    svf_machines_options options = options_for(svf_la_choose(false), &arena, loss ? C : C + 2, loss ? 3 : 1);
    options.loss = loss ? SVF_HINGE : SVF_SQUARED_HINGE;
    options.solver.stop = &stop;
    svf_shared shared;
    svf_path path;
    svf_binary binary = {r.sign, r.cost};
    double *w = SVF_TAKE(&arena, double, 3 * r.rows.ld), gap[3] = {7, 7, 7};
    float held[3 * 60];
    for (size_t i = 0; i < 3 * r.rows.ld; i++) w[i] = 7;
    for (size_t i = 0; i < 180; i++) held[i] = 7;
    svf_path_result result = {w, held, gap, NULL};
    svf_shared_open(&shared, &points, r.fold, 3, &options.solver);
    assert_true(svf_path_open(&path, &shared, &options, binary.cost, true));
    assert_true(svf_path_run(&path, &binary, &options.solver, &result));
    for (size_t i = 0; i < r.rows.ld; i++) assert_true(w[i] == 7);
    for (size_t i = 0; i < 180; i++) assert_true(held[i] == 7);
    assert_true(gap[0] == 7);
    svf_arena_free(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_end_does_not_depend_on_the_beginning),
                                     cmocka_unit_test(the_weights_are_those_of_the_same_classes),
                                     cmocka_unit_test(a_cell_begins_where_the_one_above_ended),
                                     cmocka_unit_test(a_stopped_path_touches_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
