/* The kernels of the dual solver, in every instruction set: sums over rows of a matrix, steps of pairs and of whole faces.
 * What is known of a step is computed again from K and beta. */
#include "support/test.h"
#include "svm/kernel.h"

enum { N = 43, LD = 48, COUNT = 7, ROOM = 40 };

static svf_random random_at(uint64_t seed) { return svf_random_at((svf_place){.seed = seed, .use = SVF_USE_SYNTH}); }

/* ---- sums over rows ---- */

static void sums(void **state) {
  (void)state;
  svf_random random = random_at(1);
  float k[N * LD + 16];
  double a[N * COUNT], out[COUNT * ROOM] __attribute__((aligned(64))), start[COUNT * ROOM];
  uint32_t row[N];
  for (size_t i = 0; i < N * LD + 16; i++) k[i] = (float)svf_random_normal(&random);
  for (size_t i = 0; i < N * COUNT; i++) a[i] = svf_random_normal(&random);
  for (size_t i = 0; i < N; i++) row[i] = (uint32_t)svf_random_below(&random, N);
  for (size_t table = 0; svf_la_at(table); table++)
    for (size_t n = 1; n <= 32; n++)
      for (size_t count = 1; count <= COUNT; count++) {
        svf_weighing w = {
            .n = n, .count = count, .room = ROOM, .terms = n + 5, .row = row, .a = a, .k = k + n % 3, .stride = LD};
        for (size_t i = 0; i < COUNT * ROOM; i++) out[i] = start[i] = (double)i;
        svf_la_at(table)->dual->weigh(&w, out);
        for (size_t q = 0; q < COUNT; q++)
          for (size_t i = 0; i < ROOM; i++) {
            double sum = start[q * ROOM + i];
            for (size_t t = 0; q < count && i < n && t < w.terms; t++) sum += a[t * count + q] * w.k[row[t] * LD + i];
            if (q >= count || i < n || i >= svf_padded(n)) assert_close(out[q * ROOM + i], sum, 1e-12);
          }
      }
}

/* ---- a problem of two classes ---- */

typedef struct world {
  svf_arena arena;
  float k[N * LD];
  double sign[LD], low[LD], high[LD];
  svf_gram gram;
  svf_climb c;
} world;

static void copy_row(const svf_gram *gram, size_t i, float *row) {
  memcpy(row, (const float *)gram->source + i * LD, N * sizeof *row);
}

/* Points in three dimensions, (1 + x.z)^4; every fifth row has no room at all. rows: of the matrix that are kept. */
static void open_world(world *w, const svf_la *la, uint64_t seed, size_t rows) {
  svf_random random = random_at(seed);
  double x[N][3];
  memset(w, 0, sizeof *w);
  assert_true(svf_gram_open(&w->gram, la, N, rows * LD * sizeof(float), &w->arena));
  w->gram.fill = copy_row;
  w->gram.source = w->k;
  for (size_t i = 0; i < N; i++) {
    w->sign[i] = i % 2 ? 1 : -1;
    double most = i % 5 ? 3 : 0;
    w->low[i] = w->sign[i] > 0 ? 0 : -most, w->high[i] = w->sign[i] > 0 ? most : 0;
    for (size_t j = 0; j < 3; j++) x[i][j] = svf_random_unit(&random) + (j == 0) * .2 * w->sign[i];
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++)
      w->k[i * LD + j] = (float)pow(1 + x[i][0] * x[j][0] + x[i][1] * x[j][1] + x[i][2] * x[j][2], 4);
  for (size_t i = 0; i < N; i++) w->gram.diagonal[i] = w->k[i * LD + i];
  double *memory = SVF_ZERO(&w->arena, double, 4 * LD);
  assert_non_null(memory);
  w->c = (svf_climb){.n = N,
                     .row = w->gram.row,
                     .recent = w->gram.recent,
                     .diagonal = w->gram.diagonal,
                     .low = w->low,
                     .high = w->high,
                     .beta = memory,
                     .e = memory + LD,
                     .rise = memory + 2 * LD,
                     .fall = memory + 3 * LD,
                     .least = 1e-9F,
                     .eps = 1e-6};
  for (size_t i = 0; i < LD; i++) w->c.rise[i] = -INFINITY, w->c.fall[i] = INFINITY;
  for (size_t i = 0; i < N; i++) w->c.e[i] = w->sign[i], svf_climb_sides(&w->c, i);
  w->c.lead = la->dual->lead(N, w->c.e, w->c.rise, w->c.fall);
}

/* The dual objective; e, the sum and the bounds are what they should be. */
static double certify(const world *w) {
  double D = 0, sum = 0;
  for (size_t i = 0; i < N; i++) {
    double s = 0;
    for (size_t j = 0; j < N; j++) s += (double)w->k[i * LD + j] * w->c.beta[j];
    assert_true(fabs(w->c.e[i] - (w->sign[i] - s)) <= 1e-8);
    assert_true(w->c.beta[i] >= w->low[i] && w->c.beta[i] <= w->high[i]);
    assert_true((w->c.rise[i] == 0) == (w->c.beta[i] < w->high[i]));
    assert_true((w->c.fall[i] == 0) == (w->c.beta[i] > w->low[i]));
    D += w->c.beta[i] * (w->sign[i] - s / 2);
    sum += w->c.beta[i];
  }
  assert_true(fabs(sum) <= 1e-11);
  return D;
}

/* The pair that a step should take, and by how much D grows; 0: none. */
static double naive_gain(const world *w) {
  size_t i = N;
  double best = 0;
  for (size_t k = 0; k < N; k++)
    if (w->c.rise[k] == 0 && (i == N || w->c.e[k] > w->c.e[i])) i = k;
  for (size_t j = 0; i < N && j < N; j++) {
    double drop = w->c.e[i] - w->c.e[j];
    double bend = (double)w->k[i * LD + i] + w->k[j * LD + j] - 2 * (double)w->k[i * LD + j];
    if (w->c.fall[j] == 0 && drop > 0) best = fmax(best, drop * drop / fmax(bend, 1e-9));
  }
  return best;
}

/* One step at a time, with room for all rows or for three: D grows by at most what the best pair promises, half of it where
 * no bound is in the way. */
static void pairs(void **state) {
  (void)state;
  for (size_t table = 0; svf_la_at(table); table++)
    for (size_t rows = 3; rows <= N; rows += N - 3) {
      world w;
      size_t steps = 0, whole = 0;
      open_world(&w, svf_la_at(table), 3, rows);
      for (double D = 0;;) {
        double gain = naive_gain(&w);
        size_t before = steps;
        svf_climb_end end = svf_la_at(table)->dual->climb(&w.c, 1, &steps);
        if (end == SVF_CLIMB_TOP) break;
        if (end == SVF_CLIMB_ROW) svf_gram_row(&w.gram, w.c.want, w.c.keep);
        double next = certify(&w);
        assert_true(steps == before ? next == D : next > D - 1e-12 && next - D <= gain / 2 * (1 + 1e-4) + 1e-9);
        whole += steps > before && fabs(next - D - gain / 2) <= 1e-4 * gain;
        D = next;
        assert_true(steps < 100000);
      }
      assert_true(w.c.lead.up - w.c.lead.low <= 1e-6 && whole > 5);
      svf_arena_free(&w.arena);
    }
}

/* A step of all free rows: D does not fall; without a bound in the way all free rows end at the same e. */
static void faces(void **state) {
  (void)state;
  size_t tops = 0, ends = 0;
  for (size_t table = 0; svf_la_at(table); table++)
    for (uint64_t seed = 0; seed < 20; seed++) {
      world w;
      svf_face_end end;
      size_t steps = 0;
      open_world(&w, svf_la_at(table), seed, N);
      while (svf_la_at(table)->dual->climb(&w.c, 30 + 5 * seed, &steps) == SVF_CLIMB_ROW)
        svf_gram_row(&w.gram, w.c.want, w.c.keep);
      double D = certify(&w), low = INFINITY, high = -INFINITY;
      assert_true(svf_smo_face(&w.gram, &w.c, &(svf_solver){.arena = &w.arena}, &end));
      double next = certify(&w);
      assert_true(end.moved ? next >= D - 1e-12 : next == D);
      for (size_t i = 0; i < N; i++)
        if (w.c.rise[i] == 0 && w.c.fall[i] == 0) low = fmin(low, w.c.e[i]), high = fmax(high, w.c.e[i]);
      if (end.moved && !end.bounded) assert_true(high - low <= 1e-3), tops++;
      ends += end.bounded;
      svf_arena_free(&w.arena);
    }
  assert_true(tops > 3 && ends > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(pairs), cmocka_unit_test(faces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
