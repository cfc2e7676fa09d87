/* systems.h - the small systems of several fits at once, in single precision; part of single.c.
 *
 * A system of some twenty numbers is a chain of steps that wait for each other. Here a vector holds four columns of each
 * of SIDE systems, so that their chains advance together; a number is spread over the columns of its own system alone, so
 * that a solution has the same bits whatever stands beside it. */

enum { SIDE = WIDTH / 4, ACROSS = WIDTH == 16 ? 3 : 2, GROUPS = SVF_SMALL / 4 };

/* Of each four lanes: number i..l of a, or 4 less of b. */
#define FROM(i, four)          ((i) < 4 ? 4 * (four) + (i) : WIDTH + 4 * (four) + (i)-4)
#define FOUR(i, j, k, l, four) FROM(i, four), FROM(j, four), FROM(k, four), FROM(l, four)
#if defined(__AVX512F__)
#define MIX(a, b, i, j, k, l)                                                                                        \
  __builtin_shufflevector(a, b, FOUR(i, j, k, l, 0), FOUR(i, j, k, l, 1), FOUR(i, j, k, l, 2), FOUR(i, j, k, l, 3))
#define EACH(i, j, k, l) i, j, k, l, i, j, k, l, i, j, k, l, i, j, k, l
#elif defined(__AVX2__)
#define MIX(a, b, i, j, k, l) __builtin_shufflevector(a, b, FOUR(i, j, k, l, 0), FOUR(i, j, k, l, 1))
#define EACH(i, j, k, l)      i, j, k, l, i, j, k, l
#else
#define EACH(i, j, k, l)      i, j, k, l
#define MIX(a, b, i, j, k, l) __builtin_shufflevector(a, b, FOUR(i, j, k, l, 0))
#endif
#define SPREAD(v, c) MIX(v, v, c, c, c, c)

INLINE void spread(vec v, vec out[4]) {
  out[0] = SPREAD(v, 0), out[1] = SPREAD(v, 1), out[2] = SPREAD(v, 2), out[3] = SPREAD(v, 3);
}

/* All bits of the lanes of column c, or of the columns before it. */
static const int32_t column_mask[4][WIDTH] __attribute__((aligned(64))) = {
    {EACH(-1, 0, 0, 0)}, {EACH(0, -1, 0, 0)}, {EACH(0, 0, -1, 0)}, {EACH(0, 0, 0, -1)}};
static const int32_t before_mask[5][WIDTH] __attribute__((aligned(64))) = {
    {0}, {EACH(-1, 0, 0, 0)}, {EACH(-1, -1, 0, 0)}, {EACH(-1, -1, -1, 0)}, {EACH(-1, -1, -1, -1)}};
INLINE ivec column(size_t c) { return *(const ivec *)column_mask[c]; }
INLINE ivec before(size_t c) { return *(const ivec *)before_mask[c]; }

/* Column a of row a. */
INLINE vec diagonal_of(const vec row[4]) {
  return (vec)(((ivec)row[0] & column(0)) | ((ivec)row[1] & column(1)) | ((ivec)row[2] & column(2)) |
               ((ivec)row[3] & column(3)));
}

INLINE vec root(vec v) {
#if defined(__AVX512F__)
  return (vec)_mm512_sqrt_ps((__m512)v);
#elif defined(__AVX2__)
  return (vec)_mm256_sqrt_ps((__m256)v);
#else
  for (int i = 0; i < WIDTH; i++) v[i] = sqrtf(v[i]);
  return v;
#endif
}

/* Four numbers of each system. */
INLINE vec fetch(const float *const x[SIDE], size_t at) {
#if defined(__AVX512F__)
  __m512 v = _mm512_castps128_ps512(_mm_load_ps(x[0] + at));
  v = _mm512_insertf32x4(v, _mm_load_ps(x[1] + at), 1);
  v = _mm512_insertf32x4(v, _mm_load_ps(x[2] + at), 2);
  return (vec)_mm512_insertf32x4(v, _mm_load_ps(x[3] + at), 3);
#elif defined(__AVX2__)
  return (vec)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(x[0] + at)), _mm_load_ps(x[1] + at), 1);
#else
  return load(x[0] + at);
#endif
}

typedef struct systems {
  size_t p, ld, groups; /* groups of four columns; the right-hand side stands in column p */
  const float *h[SIDE], *z[SIDE];
  float *v[SIDE], scale, *r; /* r: four rows, each `groups` vectors, after each other */
  vec inverse[GROUPS];       /* of the diagonal of R, by four rows */
  unsigned fine;             /* a bit per system */
} systems;

INLINE float *place(const systems *s, size_t row, size_t group) { return s->r + (row * s->groups + group) * WIDTH; }

/* Rows k.. of R, groups g..: scale H - sum over the rows of R above. */
INLINE void system_tile(const int wide, const systems *s, size_t k, size_t g) {
  vec sum[4][ACROSS];
  for (size_t a = 0; a < 4; a++)
    for (int v = 0; v < wide; v++) sum[a][v] = s->scale * fetch(s->h, (k + a) * s->ld + (g + (size_t)v) * 4);
  for (size_t q = 0; q < k; q++) {
    vec b[4];
    spread(load(place(s, q, k / 4)), b);
    for (int v = 0; v < wide; v++) {
      vec t = load(place(s, q, g + (size_t)v));
      for (int a = 0; a < 4; a++) sum[a][v] -= b[a] * t;
    }
  }
  for (size_t a = 0; a < 4; a++)
    for (int v = 0; v < wide; v++) store(place(s, k + a, g + (size_t)v), sum[a][v]);
}

/* The factor of the block on the diagonal; rows beyond the last become 0. */
INLINE void system_corner(systems *s, size_t k, vec f[4]) {
  vec b[4];
  ivec there = before(s->p - k < 4 ? s->p - k : 4);
  UNROLL for (size_t a = 0; a < 4; a++) f[a] = load(place(s, k + a, k / 4)) + (vec)((ivec)((vec){0} + 1) & column(a));
#define TAKE_OFF(a, c) f[c] -= SPREAD(f[a], c) * scaled
  vec scaled = f[0] / SPREAD(f[0], 0);
  TAKE_OFF(0, 1), TAKE_OFF(0, 2), TAKE_OFF(0, 3);
  scaled = f[1] / SPREAD(f[1], 1);
  TAKE_OFF(1, 2), TAKE_OFF(1, 3);
  scaled = f[2] / SPREAD(f[2], 2);
  TAKE_OFF(2, 3);
#undef TAKE_OFF
  vec one = (vec){0} + 1, pivot = diagonal_of(f);
  uint64_t good = lanes((vec)((ivec)one & (((pivot > 0) & (pivot < HUGE_VALF)) | ~there)));
  for (int q = 0; q < SIDE; q++)
    if ((good >> 4 * q & 15) != 15) s->fine &= ~(1u << q);
  s->inverse[k / 4] = (vec)((ivec)(1 / root(pivot)) & there);
  spread(s->inverse[k / 4], b);
  UNROLL for (size_t a = 0; a < 4; a++) {
    f[a] *= b[a];
    if (k + a >= s->p) f[a] = (vec){0};
  }
}

/* R'^-1 of the corner, applied to the groups right of it. */
INLINE void system_rest(const systems *s, size_t k, const vec f[4]) {
  vec b[4];
  spread(s->inverse[k / 4], b);
  vec f01 = SPREAD(f[0], 1), f02 = SPREAD(f[0], 2), f03 = SPREAD(f[0], 3), f12 = SPREAD(f[1], 2),
      f13 = SPREAD(f[1], 3), f23 = SPREAD(f[2], 3);
  for (size_t g = k / 4 + 1; g < s->groups; g++) {
    vec row[4];
    UNROLL for (size_t a = 0; a < 4; a++) row[a] = load(place(s, k + a, g));
    row[0] *= b[0];
    row[1] = (row[1] - f01 * row[0]) * b[1];
    row[2] = ((row[2] - f02 * row[0]) - f12 * row[1]) * b[2];
    row[3] = (((row[3] - f03 * row[0]) - f13 * row[1]) - f23 * row[2]) * b[3];
    UNROLL for (size_t a = 0; a < 4; a++) store(place(s, k + a, g), row[a]);
  }
}

static void systems_factor(systems *s) {
  for (size_t k = 0; k < s->p; k += 4) {
    for (size_t g = k / 4; g < s->groups; g += ACROSS) {
      size_t wide = s->groups - g;
      if (wide >= ACROSS) system_tile(ACROSS, s, k, g);
      else if (wide == 2) system_tile(2, s, k, g);
      else system_tile(1, s, k, g);
    }
    vec f[4], z[4];
    spread(fetch(s->z, k), z);
    UNROLL for (size_t a = 0; a < 4; a++) {
      float *at = place(s, k + a, s->p / 4);
      store(at, load(at) + (vec)((ivec)z[a] & column(s->p % 4)));
    }
    system_corner(s, k, f);
    system_rest(s, k, f);
    UNROLL for (size_t a = 0; a < 4; a++) store(place(s, k + a, k / 4), f[a]);
  }
}

/* Lane a of four: the sum of those of row[a]. */
INLINE vec totals(const vec row[4]) {
  vec a = MIX(row[0], row[1], 0, 4, 1, 5) + MIX(row[0], row[1], 2, 6, 3, 7);
  vec b = MIX(row[2], row[3], 0, 4, 1, 5) + MIX(row[2], row[3], 2, 6, 3, 7);
  return MIX(a, b, 0, 1, 4, 5) + MIX(a, b, 2, 3, 6, 7);
}

/* R v = z, where v has -1 in column p and R has z there: a sum over all columns is R v - z. */
static void systems_backward(const systems *s) {
  vec v[GROUPS + 1];
  for (size_t g = 0; g < s->groups; g++) v[g] = (vec){0};
  v[s->p / 4] = (vec)((ivec)((vec){0} - 1) & column(s->p % 4));
  for (size_t k = (s->p - 1) & ~(size_t)3;; k -= 4) {
    vec sum[4] = {{0}, {0}, {0}, {0}}, f[4], x[4], b[4];
    for (size_t g = s->groups; g-- > k / 4;)
      UNROLL for (size_t a = 0; a < 4; a++) sum[a] += load(place(s, k + a, g)) * v[g];
    UNROLL for (size_t a = 0; a < 4; a++) f[a] = load(place(s, k + a, k / 4));
    vec low = MIX(f[0], f[1], 0, 4, 1, 5), high = MIX(f[2], f[3], 0, 4, 1, 5);
    vec one = MIX(low, high, 2, 3, 6, 7); /* column 1 */
    low = MIX(f[0], f[1], 2, 6, 3, 7), high = MIX(f[2], f[3], 2, 6, 3, 7);
    vec two = MIX(low, high, 0, 1, 4, 5), three = MIX(low, high, 2, 3, 6, 7), t = totals(sum);
    spread(-s->inverse[k / 4], b);
    x[3] = SPREAD(t, 3) * b[3], t += three * x[3];
    x[2] = SPREAD(t, 2) * b[2], t += two * x[2];
    x[1] = SPREAD(t, 1) * b[1], t += one * x[1];
    x[0] = SPREAD(t, 0) * b[0];
    v[k / 4] += diagonal_of(x);
    for (size_t q = 0; q < SIDE; q++)
      for (size_t a = 0; a < 4; a++) s->v[q][k + a] = v[k / 4][q * 4 + a];
    if (k == 0) return;
  }
}

static unsigned solve_systems(size_t p, size_t ld, size_t count, const float *const *h, float scale,
                              const float *const *z, float *const *v, float *scratch) {
  unsigned fine = 0;
  for (size_t first = 0; first < count; first += SIDE) {
    systems s;
    s.p = p, s.ld = ld, s.groups = p / 4 + 1, s.scale = scale, s.r = scratch, s.fine = (1u << SIDE) - 1;
    for (size_t q = 0; q < SIDE; q++) { /* where there are fewer, the first is solved again */
      size_t from = first + q < count ? first + q : first;
      s.h[q] = h[from], s.z[q] = z[from], s.v[q] = v[from];
    }
    systems_factor(&s);
    systems_backward(&s);
    fine |= s.fine << first;
  }
  return fine & ((1u << count) - 1);
}
