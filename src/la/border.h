/* border.h - a factor corrected for a few rows (Woodbury), in single precision; part of single.c.
 *
 * R'R = M is at hand, M + sum_q x_q x_q' / e_q is wanted (e_q < 0: a row is taken away). With V = R'^-1 X' and
 * S = diag(e) + V'V,
 *     R'^-1 z  becomes  (I - V S^-1 V') R'^-1 z,
 * to which R^-1 is applied as ever. The rows and z stand side by side in the lanes of vectors, z last, so that one forward
 * solve and one Gram matrix of the lanes serve them all. Rows that join make S larger and rows that leave make it
 * negative on their side (M without them is positive definite): elimination needs no exchange of rows. */

enum { ALL = SVF_BORDER + 1 }; /* lanes: the rows and z, in groups of WIDTH */

/* Up to WIDTH rows become the lanes of one vector per number: b[j * WIDTH + lane]. */
INLINE void stand_up(size_t p, size_t count, const float *const *x, float *b) {
  static const float none[4];
  for (size_t q = 0; q < WIDTH; q += 4)
    for (size_t j = 0; j < p; j += 4) {
      const float *from[4];
      for (size_t r = 0; r < 4; r++) from[r] = q + r < count ? x[q + r] + j : none;
      svf_turn(from, b + j * WIDTH + q, WIDTH);
    }
}

/* R'V = B in place, for one group of lanes. */
INLINE void forward_lanes(size_t p, size_t ld, const float *r, float *b) {
  for (size_t k = 0; k < p; k += TALL) {
    vec z[TALL];
    UNROLL for (size_t a = 0; a < TALL; a++) z[a] = load(b + (k + a) * WIDTH);
    UNROLL for (size_t a = 0; a < TALL; a++) {
      z[a] *= r[(k + a) * ld + k + a];
      UNROLL for (size_t c = a + 1; c < TALL; c++) z[c] -= r[(k + a) * ld + k + c] * z[a];
      store(b + (k + a) * WIDTH, z[a]);
    }
    for (size_t j = k + TALL; j < p; j++) {
      vec sum = load(b + j * WIDTH);
      UNROLL for (size_t a = 0; a < TALL; a++) sum -= r[(k + a) * ld + j] * z[a];
      store(b + j * WIDTH, sum);
    }
  }
}

/* TALL rows of V'V, from lanes at a on, by the lanes of one group at b. */
INLINE void lane_gram(size_t p, const float *a, const float *b, float *s) {
  vec sum[TALL];
  UNROLL for (int r = 0; r < TALL; r++) sum[r] = (vec){0};
  for (size_t j = 0; j < p; j++) {
    vec t = load(b + j * WIDTH);
    UNROLL for (int r = 0; r < TALL; r++) sum[r] += a[j * WIDTH + (size_t)r] * t;
  }
  UNROLL for (size_t r = 0; r < TALL; r++) store(s + r * ALL, sum[r]);
}

/* Solves S t = s[.][count] for count unknowns; t: ALL numbers, 0 beyond. Rows of S are eliminated from the first to the
 * last. False: a pivot has lost most of its digits against what it began with. */
static bool eliminate(size_t count, float (*s)[ALL], const float *e, float *t) {
  const float least = 1e-3f;
  float right[ALL];
  for (size_t k = 0; k < count; k++) {
    if (!(fabsf(s[k][k]) > least * fabsf(e[k]))) return false;
    float inverse = 1 / s[k][k];
    for (size_t i = k + 1; i < count; i++) {
      float f = s[k][i] * inverse;
      for (size_t j = i & ~(size_t)(WIDTH - 1); j <= count; j += WIDTH)
        store(&s[i][j], load(&s[i][j]) - f * load(&s[k][j]));
    }
    right[k] = s[k][count];
  }
  for (size_t j = 0; j < ALL; j++) t[j] = 0;
  for (size_t k = count; k-- > 0;) {
    t[k] = right[k] / s[k][k];
    for (size_t i = 0; i < k; i++) right[i] -= s[i][k] * t[k];
  }
  return true;
}

static bool correct(size_t p, size_t ld, const float *r, size_t count, const float *const *x, const float *e,
                    float *z, float *scratch) {
  size_t groups = count / WIDTH + 1, size = svf_padded(p) * WIDTH;
  float s[ALL][ALL] __attribute__((aligned(64))), t[ALL] __attribute__((aligned(64)));
  const float *row[ALL];
  memcpy(row, x, count * sizeof *row);
  row[count] = z;
  for (size_t g = 0; g < groups; g++) {
    size_t some = count + 1 - g * WIDTH;
    stand_up(svf_padded(p), some < WIDTH ? some : WIDTH, row + g * WIDTH, scratch + g * size);
    forward_lanes(p, ld, r, scratch + g * size);
  }
  for (size_t q = 0; q < count; q += TALL)
    for (size_t g = q / WIDTH; g < groups; g++)
      lane_gram(p, scratch + q / WIDTH * size + q % WIDTH, scratch + g * size, &s[q][g * WIDTH]);
  for (size_t q = 0; q < count; q++) s[q][q] += e[q];
  if (!eliminate(count, s, e, t)) return false;
  t[count] = -1;
  for (size_t j = 0; j < p; j++) {
    vec sum = {0};
    for (size_t g = 0; g < groups; g++) sum -= load(t + g * WIDTH) * load(scratch + g * size + j * WIDTH);
    z[j] = total(sum);
  }
  return true;
}
