/* blocked.h - kernels for large symmetric matrices and for kernels of distances: a part of kernels.c, which includes it and
 * nobody else does. */
#ifndef SVF_LA_BLOCKED_H
#define SVF_LA_BLOCKED_H

enum {
  TALL = WIDTH == 8 ? 8 : 4, /* rows of a tile of `outer`: as many sums as there are registers for */
  BROAD = 2,                 /* vectors of its columns */
  DEPTH = 64,                /* terms that are summed before a tile is put back */
  STRIP = 128                /* columns whose terms stay in the first cache */
};

static inline __attribute__((always_inline)) void outer_tile(size_t count, svf_dense x, svf_dense z, svf_dense out,
                                                             const int rows, const int vecs) {
  vec sum[TALL][BROAD];
  for (int i = 0; i < rows; i++)
    for (int v = 0; v < vecs; v++) sum[i][v] = load(out.at + (size_t)i * out.ld + (size_t)(v * WIDTH));
  for (size_t q = 0; q < count; q++) {
    const double *a = x.at + q * x.ld, *b = z.at + q * z.ld;
    for (int v = 0; v < vecs; v++) {
      vec t = load(b + v * WIDTH);
      for (int i = 0; i < rows; i++) sum[i][v] += a[i] * t;
    }
  }
  for (int i = 0; i < rows; i++)
    for (int v = 0; v < vecs; v++) *(vec *)(out.at + (size_t)i * out.ld + (size_t)(v * WIDTH)) = sum[i][v];
}

static inline __attribute__((always_inline)) void outer_rows(size_t columns, size_t count, svf_dense x, svf_dense z,
                                                             svf_dense out, const int rows) {
  size_t j = 0;
  for (; j + BROAD * WIDTH <= columns; j += BROAD * WIDTH)
    outer_tile(count, x, (svf_dense){z.at + j, z.ld}, (svf_dense){out.at + j, out.ld}, rows, BROAD);
  for (; j < columns; j += WIDTH)
    outer_tile(count, x, (svf_dense){z.at + j, z.ld}, (svf_dense){out.at + j, out.ld}, rows, 1);
}

static void outer(size_t rows, size_t columns, size_t count, svf_dense x, svf_dense z, svf_dense out) {
  for (size_t q = 0; q < count; q += DEPTH)
    for (size_t j = 0; j < columns; j += STRIP) {
      size_t deep = count - q < DEPTH ? count - q : DEPTH, wide = columns - j < STRIP ? columns - j : STRIP, i = 0;
      svf_dense a = {x.at + q * x.ld, x.ld}, b = {z.at + q * z.ld + j, z.ld}, c = {out.at + j, out.ld};
      for (; i + TALL <= rows; i += TALL, a.at += TALL, c.at += TALL * c.ld) outer_rows(wide, deep, a, b, c, TALL);
      for (; i < rows; i++, a.at++, c.at += c.ld) outer_rows(wide, deep, a, b, c, 1);
    }
}

enum { SQUARE = WIDTH == 8 ? 4 : 2 }; /* rows and vectors of a tile of `dots` */

static inline __attribute__((always_inline)) void dots_tile(size_t columns, svf_dense a, const int rows, svf_dense v,
                                                            const int vectors, svf_dense out) {
  vec sum[SQUARE][SQUARE];
  for (int i = 0; i < rows; i++)
    for (int q = 0; q < vectors; q++) sum[i][q] = (vec){0};
  for (size_t j = 0; j < columns; j += WIDTH)
    for (int i = 0; i < rows; i++) {
      vec t = load(a.at + (size_t)i * a.ld + j);
      for (int q = 0; q < vectors; q++) sum[i][q] += t * load(v.at + (size_t)q * v.ld + j);
    }
  for (int i = 0; i < rows; i++)
    for (int q = 0; q < vectors; q++) out.at[(size_t)q * out.ld + (size_t)i] += folded(sum[i][q]);
}

static inline __attribute__((always_inline)) void dots_some(size_t rows, size_t columns, svf_dense a, svf_dense v,
                                                            const int vectors, svf_dense out) {
  size_t i = 0;
  for (; i + SQUARE <= rows; i += SQUARE)
    dots_tile(columns, (svf_dense){a.at + i * a.ld, a.ld}, SQUARE, v, vectors, (svf_dense){out.at + i, out.ld});
  for (; i < rows; i++)
    dots_tile(columns, (svf_dense){a.at + i * a.ld, a.ld}, 1, v, vectors, (svf_dense){out.at + i, out.ld});
}

static void dots(size_t rows, size_t columns, size_t count, svf_dense a, svf_dense v, svf_dense out) {
  size_t q = 0;
  for (; q + SQUARE <= count; q += SQUARE)
    dots_some(rows, columns, a, (svf_dense){v.at + q * v.ld, v.ld}, SQUARE, (svf_dense){out.at + q * out.ld, out.ld});
  for (; q < count; q++)
    dots_some(rows, columns, a, (svf_dense){v.at + q * v.ld, v.ld}, 1, (svf_dense){out.at + q * out.ld, out.ld});
}

/* Four vectors of columns at a time; `ring` holds the last SVF_BAND rows of the solution. */
static inline __attribute__((always_inline)) void band_squares_some(size_t rows, const double *factor, svf_dense q,
                                                                    const int vecs, double *square) {
  vec ring[SVF_BAND][4], sum[4];
  for (int v = 0; v < vecs; v++) sum[v] = (vec){0};
  for (int b = 0; b < SVF_BAND; b++)
    for (int v = 0; v < vecs; v++) ring[b][v] = (vec){0};
  for (size_t e = 0; e < rows; e++, factor += SVF_BAND + 1) {
    vec z[4];
    for (int v = 0; v < vecs; v++) z[v] = load(q.at + e * q.ld + (size_t)(v * WIDTH));
    for (size_t b = SVF_BAND; b > 0; b--) /* the newest row last: the others need not wait for it */
      for (int v = 0; v < vecs; v++) z[v] -= factor[b] * ring[(e - b) % SVF_BAND][v];
    for (int v = 0; v < vecs; v++) {
      z[v] *= factor[0];
      ring[e % SVF_BAND][v] = z[v];
      sum[v] += z[v] * z[v];
    }
  }
  for (int v = 0; v < vecs; v++) *(vec *)(square + v * WIDTH) = sum[v];
}

static void band_squares(size_t rows, size_t columns, size_t count, svf_dense factor, svf_dense q, svf_dense square) {
  size_t i = 0;
  for (; i + 4 * WIDTH <= columns; i += 4 * WIDTH) /* the columns stay in the cache for all factors */
    for (size_t c = 0; c < count; c++)
      band_squares_some(rows, factor.at + c * factor.ld, (svf_dense){q.at + i, q.ld}, 4,
                        square.at + c * square.ld + i);
  for (; i < columns; i += WIDTH)
    for (size_t c = 0; c < count; c++)
      band_squares_some(rows, factor.at + c * factor.ld, (svf_dense){q.at + i, q.ld}, 1,
                        square.at + c * square.ld + i);
}

enum { HALVES = SVF_LANES / WIDTH, ASKERS = 4 };

static inline __attribute__((always_inline)) vec root(vec x) {
  for (int i = 0; i < WIDTH; i++) x[i] = sqrt(x[i]);
  return x;
}

static inline __attribute__((always_inline)) void distance_tile(const svf_distance kind, const svf_asked *from,
                                                                const int count, const float *pane, svf_dense out) {
  vec sum[ASKERS][HALVES];
  for (int a = 0; a < count; a++)
    for (int h = 0; h < HALVES; h++) sum[a][h] = (vec){0};
  for (size_t j = 0; j < from->d; j++)
    for (int h = 0; h < HALVES; h++) {
      vec t = widen(pane + j * SVF_LANES + (size_t)(h * WIDTH));
      for (int a = 0; a < count; a++) {
        vec step = (double)from->x[(size_t)a * from->ld + j] - t;
        if (kind == SVF_DISTANCE_CITY) sum[a][h] += choose((lvec)(step < 0), -step, step);
        else sum[a][h] += step * step;
      }
    }
  for (int a = 0; a < count; a++)
    for (int h = 0; h < HALVES; h++)
      *(vec *)(out.at + (size_t)a * out.ld + (size_t)(h * WIDTH)) =
          kind == SVF_DISTANCE_EUCLID ? root(sum[a][h]) : sum[a][h];
}

static inline __attribute__((always_inline)) void distances_of(const svf_distance kind, const svf_asked *from,
                                                               size_t panes, const float *pane, svf_dense out) {
  for (size_t b = 0; b < panes; b++, pane += from->d * SVF_LANES, out.at += SVF_LANES) {
    svf_asked some = *from;
    size_t i = 0;
    for (; i + ASKERS <= from->n; i += ASKERS, some.x += ASKERS * some.ld)
      distance_tile(kind, &some, ASKERS, pane, (svf_dense){out.at + i * out.ld, out.ld});
    for (; i < from->n; i++, some.x += some.ld)
      distance_tile(kind, &some, 1, pane, (svf_dense){out.at + i * out.ld, out.ld});
  }
}

static void distances(svf_distance kind, const svf_asked *from, size_t panes, const float *pane, svf_dense out) {
  if (kind == SVF_DISTANCE_SQUARE) distances_of(SVF_DISTANCE_SQUARE, from, panes, pane, out);
  else if (kind == SVF_DISTANCE_EUCLID) distances_of(SVF_DISTANCE_EUCLID, from, panes, pane, out);
  else distances_of(SVF_DISTANCE_CITY, from, panes, pane, out);
}

static void gaussians(size_t n, double factor, const double *distance, double *out) {
  for (size_t i = 0; i < n; i += WIDTH) {
    vec x = -factor * load(distance + i), least = -500 - (vec){0};
    lvec far = (lvec)(x < least);
    *(vec *)(out + i) = choose(far, (vec){0}, exponential(choose(far, least, x)));
  }
}

static void signs(size_t n, size_t count, const double *a, const float *c, svf_dense x, double *out) {
  const vec none = {0};
  for (size_t j = 0; j < count; j++) {
    const double *row = x.at + j * x.ld;
    vec at = (double)c[j] - none, sum = none;
    for (size_t i = 0; i < n; i += WIDTH) {
      vec other = load(row + i), weight = load(a + i);
      sum += choose((lvec)(other < at), weight, none) - choose((lvec)(other > at), weight, none);
    }
    out[j] += total(sum);
  }
}

static const svf_blocked blocked = {outer, dots, band_squares, distances, gaussians, signs};

#endif
