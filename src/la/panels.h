/* panels.h - passes over rows that lie in panels, several vectors at a time, in single precision; part of single.c. */

/* CHUNK vectors of rows by `columns` vectors; columns is a constant wherever this is called. */
INLINE void score_sums(const int columns, size_t width, const float *x, const float *const *w,
                       vec sum[SVF_COLUMNS][CHUNK]) {
  for (int q = 0; q < columns; q++)
    for (int r = 0; r < CHUNK; r++) sum[q][r] = (vec){0};
  for (size_t j = 0; j < width; j++, x += SVF_PANEL) {
    vec row[CHUNK];
    for (int r = 0; r < CHUNK; r++) row[r] = load(x + r * WIDTH);
    for (int q = 0; q < columns; q++)
      for (int r = 0; r < CHUNK; r++) sum[q][r] += w[q][j] * row[r];
  }
}

INLINE void score_chunk(const int columns, size_t width, const float *x, const float *const *w, float *const *s,
                        size_t at) {
  vec sum[SVF_COLUMNS][CHUNK];
  score_sums(columns, width, x, w, sum);
  for (int q = 0; q < columns; q++)
    for (int r = 0; r < CHUNK; r++) store(s[q] + at + (size_t)(r * WIDTH), sum[q][r]);
}

static void scores(size_t panels, size_t width, const float *x, size_t columns, const float *const *w,
                   float *const *s) {
  for (size_t b = 0; b < panels; b++, x += width * SVF_PANEL)
    for (size_t r = 0; r < SVF_PANEL; r += CHUNK * WIDTH) {
      size_t at = b * SVF_PANEL + r;
      if (columns == 1) score_chunk(1, width, x + r, w, s, at);
      else if (columns == 2) score_chunk(2, width, x + r, w, s, at);
      else if (columns == 3) score_chunk(3, width, x + r, w, s, at);
      else score_chunk(4, width, x + r, w, s, at);
    }
}

/* Four rows by `columns` vectors; columns is a constant wherever this is called. */
INLINE void score_rows(const int columns, size_t ld, const float *x, const float *const *w, float *const *s,
                       size_t at) {
  vec sum[SVF_COLUMNS][4];
  for (int q = 0; q < columns; q++)
    for (int r = 0; r < 4; r++) sum[q][r] = (vec){0};
  for (size_t j = 0; j < ld; j += WIDTH) {
    vec row[4];
    for (size_t r = 0; r < 4; r++) row[r] = load(x + r * ld + j);
    for (int q = 0; q < columns; q++)
      for (int r = 0; r < 4; r++) sum[q][r] += load(w[q] + j) * row[r];
  }
  for (int q = 0; q < columns; q++) *(quad *)(s[q] + at) = totals_of(sum[q][0], sum[q][1], sum[q][2], sum[q][3]);
}

/* With few registers two vectors at a time: the rows are near then. */
static void row_scores(size_t n, size_t ld, const float *x, size_t columns, const float *const *w, float *const *s) {
  enum { MOST = WIDTH == 16 ? 4 : 2 };
  for (size_t i = 0; i < n; i += 4, x += 4 * ld)
    for (size_t q = 0; q < columns; q += MOST) {
      size_t some = columns - q < MOST ? columns - q : MOST;
      if (some == 1) score_rows(1, ld, x, w + q, s + q, i);
      else if (some == 2) score_rows(2, ld, x, w + q, s + q, i);
      else if (some == 3) score_rows(3, ld, x, w + q, s + q, i);
      else score_rows(4, ld, x, w + q, s + q, i);
    }
}

/* Four rows at a time: their sums do not wait for each other. */
static void products(size_t ld, size_t count, const float *const *x, const float *w, float *s) {
  for (size_t q = 0; q < count; q += 4) {
    const float *row[4];
    vec sum[4];
    for (size_t r = 0; r < 4; r++) row[r] = x[q + r < count ? q + r : q], sum[r] = (vec){0};
    for (size_t j = 0; j < ld; j += WIDTH)
      UNROLL for (int r = 0; r < 4; r++) sum[r] += load(row[r] + j) * load(w + j);
    quad found = totals_of(sum[0], sum[1], sum[2], sum[3]);
    for (size_t r = 0; r < 4 && q + r < count; r++) s[q + r] = found[r];
  }
}

/* The sums of one chunk of rows, for all numbers of the rows; they stay lane by lane in `sums`. */
INLINE void gather_chunk(const int columns, size_t width, const float *x, const float *const *a, size_t at,
                         float *sums) {
  vec weight[SVF_COLUMNS][CHUNK];
  for (int q = 0; q < columns; q++)
    for (int r = 0; r < CHUNK; r++) weight[q][r] = load(a[q] + at + (size_t)(r * WIDTH));
  for (size_t j = 0; j < width; j++, x += SVF_PANEL) {
    vec row[CHUNK];
    for (int r = 0; r < CHUNK; r++) row[r] = load(x + r * WIDTH);
    for (int q = 0; q < columns; q++, sums += WIDTH) {
      vec sum = load(sums);
      for (int r = 0; r < CHUNK; r++) sum += weight[q][r] * row[r];
      store(sums, sum);
    }
  }
}

/* u[q][j] += the total of vector (j, q) of `sums`, four j at a time. */
INLINE void flush(size_t columns, size_t width, const float *sums, double *const *u) {
  size_t j = 0, step = columns * WIDTH;
  for (; j + 4 <= width; j += 4)
    for (size_t q = 0; q < columns; q++) {
      const float *from = sums + (j * columns + q) * WIDTH;
      quad sum = totals_of(load(from), load(from + step), load(from + 2 * step), load(from + 3 * step));
      for (size_t l = 0; l < 4; l++) u[q][j + l] += sum[l];
    }
  for (; j < width; j++)
    for (size_t q = 0; q < columns; q++) u[q][j] += total(load(sums + (j * columns + q) * WIDTH));
}

static void gather(size_t panels, size_t width, const float *x, size_t columns, const float *const *a,
                   double *const *u, float *scratch) {
  for (size_t first = 0; first < panels; first += FLUSH) {
    size_t end = panels - first < FLUSH ? panels : first + FLUSH;
    memset(scratch, 0, columns * width * WIDTH * sizeof *scratch);
    for (size_t b = first; b < end; b++, x += width * SVF_PANEL)
      for (size_t r = 0; r < SVF_PANEL; r += CHUNK * WIDTH) {
        size_t at = b * SVF_PANEL + r;
        if (columns == 1) gather_chunk(1, width, x + r, a, at, scratch);
        else if (columns == 2) gather_chunk(2, width, x + r, a, at, scratch);
        else if (columns == 3) gather_chunk(3, width, x + r, a, at, scratch);
        else gather_chunk(4, width, x + r, a, at, scratch);
      }
    flush(columns, width, scratch, u);
  }
}

/* `count` vectors of every row in the set for `columns` sums, both constants wherever this is called. */
INLINE void combine_some(const int columns, const int count, size_t panels, size_t ld, const float *x,
                         const float *const *a, const uint64_t *set, double *const *u) {
  vec sum[SVF_COLUMNS][PULL];
  for (int q = 0; q < columns; q++)
    for (int v = 0; v < count; v++) sum[q][v] = (vec){0};
  for (size_t b = 0; b < panels; b++)
    for (uint64_t left = set[b]; left; left &= left - 1) {
      size_t i = b * SVF_PANEL + (size_t)__builtin_ctzll(left);
      for (int v = 0; v < count; v++) {
        vec row = load(x + i * ld + (size_t)(v * WIDTH));
        for (int q = 0; q < columns; q++) sum[q][v] += a[q][i] * row;
      }
    }
  for (int q = 0; q < columns; q++)
    for (int v = 0; v < count; v++) {
      float part[WIDTH] __attribute__((aligned(64)));
      store(part, sum[q][v]);
      for (int l = 0; l < WIDTH; l++) u[q][v * WIDTH + l] += part[l];
    }
}

/* As many vectors at a time as there are registers for. */
_Static_assert(PULL == 4 || PULL == 8, "what combine_all counts with");
INLINE void combine_all(const int columns, size_t panels, size_t ld, const float *x, const float *const *pulls,
                        const uint64_t *set, double *const *sums) {
  const int most = columns < SVF_COLUMNS ? PULL : PULL / 2;
  for (size_t b = 0; b < panels; b += FLUSH_ROWS)
    for (size_t j = 0, count; j < ld; j += count * WIDTH) {
      size_t some = panels - b < FLUSH_ROWS ? panels - b : FLUSH_ROWS, left = (ld - j) / WIDTH;
      const float *from = x + b * SVF_PANEL * ld + j, *a[SVF_COLUMNS];
      double *u[SVF_COLUMNS];
      for (int q = 0; q < columns; q++) a[q] = pulls[q] + b * SVF_PANEL, u[q] = sums[q] + j;
      count = left >= (size_t)most ? (size_t)most : left >= 4 ? 4 : left >= 2 ? 2 : 1;
      if (count == PULL) combine_some(columns, PULL, some, ld, from, a, set + b, u);
      else if (count == 4) combine_some(columns, 4, some, ld, from, a, set + b, u);
      else if (count == 2) combine_some(columns, 2, some, ld, from, a, set + b, u);
      else combine_some(columns, 1, some, ld, from, a, set + b, u);
    }
}

static void combine(size_t panels, size_t ld, const float *x, size_t columns, const float *const *a,
                    const uint64_t *set, double *const *u) {
  if (columns == 1) combine_all(1, panels, ld, x, a, set, u);
  else if (columns == 2) combine_all(2, panels, ld, x, a, set, u);
  else if (columns == 3) combine_all(3, panels, ld, x, a, set, u);
  else combine_all(4, panels, ld, x, a, set, u);
}

/* The pulls of one vector of rows; part: their c_i slack_i^2 are added to it. */
INLINE vec pull_of(vec score, vec value, vec *part) {
  ivec sign = (ivec)value & INT32_MIN;
  vec slack = 1 - (vec)((ivec)score ^ sign);
  slack = (vec)((ivec)slack & (ivec)(slack > 0));
  vec pull = value * slack;
  *part += (vec)((ivec)pull ^ sign) * slack;
  return pull;
}

/* Losses are single precision over that many panels. */
enum { LOSSES = 8 };

static double slacks(size_t panels, const float *s, const float *v, float *a, uint64_t *set) {
  double sum = 0;
  vec part = {0};
  for (size_t b = 0; b < panels; b++) {
    uint64_t bits = 0;
    for (size_t r = 0; r < SVF_PANEL; r += WIDTH) {
      vec pull = pull_of(load(s + b * SVF_PANEL + r), load(v + b * SVF_PANEL + r), &part);
      store(a + b * SVF_PANEL + r, pull);
      bits |= lanes(pull) << r;
    }
    set[b] = bits;
    if (b % LOSSES + 1 == LOSSES || b + 1 == panels) sum += total(part), part = (vec){0};
  }
  return sum;
}

/* One panel: scores become pulls while they are in registers, and the panel takes the pulls while it is in the nearest
 * cache; sums NULL: it does not. */
INLINE void look_panel(const int columns, size_t width, const float *x, svf_sight *sight, bool score, size_t b,
                       vec part[SVF_COLUMNS], float *sums) {
  float pulls[SVF_COLUMNS][SVF_PANEL] __attribute__((aligned(64)));
  const float *w[SVF_COLUMNS], *a[SVF_COLUMNS];
  uint64_t bits[SVF_COLUMNS];
  for (int q = 0; q < columns; q++) w[q] = sight[q].w, a[q] = pulls[q], bits[q] = 0;
  for (size_t r = 0; r < SVF_PANEL; r += CHUNK * WIDTH) {
    vec s[SVF_COLUMNS][CHUNK];
    size_t at = b * SVF_PANEL + r;
    if (score) score_sums(columns, width, x + r, w, s);
    for (int q = 0; q < columns; q++) UNROLL for (size_t c = 0; c < CHUNK; c++) {
        float *place = sight[q].s + at + c * WIDTH;
        if (score) store(place, s[q][c]);
        else s[q][c] = load(place);
        vec pull = pull_of(s[q][c], load(sight[q].v + at + c * WIDTH), &part[q]);
        bits[q] |= lanes(pull) << (r + c * WIDTH);
        if (sums) store(&pulls[q][r + c * WIDTH], pull);
      }
  }
  for (int q = 0; q < columns; q++) sight[q].set[b] = bits[q];
  for (size_t r = 0; sums && r < SVF_PANEL; r += CHUNK * WIDTH) gather_chunk(columns, width, x + r, a, r, sums);
}

INLINE void look_some(const int columns, size_t panels, size_t width, const float *x, svf_sight *sight, bool score,
                      float *scratch) {
  double *u[SVF_COLUMNS] = {0};
  vec part[SVF_COLUMNS];
  for (int q = 0; q < columns; q++) u[q] = sight[q].u, sight[q].loss = 0, part[q] = (vec){0};
  for (size_t b = 0; b < panels; b++, x += width * SVF_PANEL) {
    if (scratch && b % FLUSH == 0) memset(scratch, 0, (size_t)columns * width * WIDTH * sizeof *scratch);
    look_panel(columns, width, x, sight, score, b, part, scratch);
    if (b % LOSSES + 1 == LOSSES || b + 1 == panels)
      for (int q = 0; q < columns; q++) sight[q].loss += total(part[q]), part[q] = (vec){0};
    if (scratch && (b % FLUSH + 1 == FLUSH || b + 1 == panels)) flush((size_t)columns, width, scratch, u);
  }
}

static void look(size_t panels, size_t width, const float *x, size_t columns, svf_sight *sight, bool score,
                 float *scratch) {
  if (columns == 1) look_some(1, panels, width, x, sight, score, scratch);
  else if (columns == 2) look_some(2, panels, width, x, sight, score, scratch);
  else if (columns == 3) look_some(3, panels, width, x, sight, score, scratch);
  else look_some(4, panels, width, x, sight, score, scratch);
}

static void largest(size_t rows, size_t count, const float *s, float *most) {
  for (size_t i = 0; i < rows; i += WIDTH) {
    vec found = (vec){0} - FLT_MAX;
    for (size_t q = 0; q < count; q++) {
      vec next = load(s + q * rows + i);
      ivec above = next > found;
      found = (vec)(((ivec)next & above) | ((ivec)found & ~above));
    }
    store(most + i, found);
  }
}

static void squares(size_t panels, size_t width, const float *x, float *square) {
  for (size_t b = 0; b < panels; b++, x += width * SVF_PANEL) {
    vec sum[VECS];
    for (int r = 0; r < VECS; r++) sum[r] = (vec){0};
    for (size_t j = 0; j < width; j++)
      for (int r = 0; r < VECS; r++) {
        vec row = load(x + j * SVF_PANEL + (size_t)(r * WIDTH));
        sum[r] += row * row;
      }
    for (int r = 0; r < VECS; r++) store(square + b * SVF_PANEL + (size_t)(r * WIDTH), sum[r]);
  }
}

static void panels(size_t count, size_t width, size_t ld, const float *x, float *out) {
  for (size_t b = 0; b < count; b++, x += SVF_PANEL * ld, out += SVF_PANEL * width) {
    size_t j = 0;
    for (; j + 4 <= width; j += 4)
      for (size_t i = 0; i < SVF_PANEL; i += 4) {
        const float *row = x + i * ld + j;
        svf_turn((const float *const[]){row, row + ld, row + 2 * ld, row + 3 * ld}, out + j * SVF_PANEL + i,
                 SVF_PANEL);
      }
    for (; j < width; j++)
      for (size_t i = 0; i < SVF_PANEL; i++) out[j * SVF_PANEL + i] = x[i * ld + j];
  }
}
