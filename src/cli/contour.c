/* contour.c - where a field on a grid rises above a level, as closed lines (marching squares).
 *
 * The grid gets a rim of points below every level, so that all lines close. Going clockwise round a square, a
 * line begins at a side where we leave the region and ends at one where we enter it. The square on the other
 * side of that side sees the opposite, so the pieces join head to tail: next[side of departure] = side of
 * arrival. */
#include "contour.h"
#include "cli.h"
#include <math.h>
#include <stdlib.h>

typedef struct map {
  const cli_field *field;
  double level;
  size_t wide;  /* points in a line of the grid with its rim */
  size_t *next; /* by side: 2 * point for the side to the right of a point, + 1 for the one below; 0: none */
} map;

static double at(const map *m, size_t column, size_t line) {
  size_t side = m->field->side;
  if (column == 0 || line == 0 || column > side || line > side) return -INFINITY;
  return m->field->value[(line - 1) * side + column - 1];
}

static size_t side_right(const map *m, size_t column, size_t line) { return 2 * (line * m->wide + column); }
static size_t side_below(const map *m, size_t column, size_t line) { return side_right(m, column, line) + 1; }

static void square(map *m, size_t column, size_t line) {
  const double corner[4] = {at(m, column, line), at(m, column + 1, line), at(m, column + 1, line + 1),
                            at(m, column, line + 1)};
  const size_t side[4] = {side_right(m, column, line), side_below(m, column + 1, line),
                          side_right(m, column, line + 1), side_below(m, column, line)};
  size_t leave[2], enter[2], count = 0, entered = 0;
  for (size_t e = 0; e < 4; e++) {
    int here = corner[e] > m->level, there = corner[(e + 1) % 4] > m->level;
    if (here && !there) leave[count++] = e;
    if (!here && there) enter[entered++] = e;
  }
  if (count == 1) m->next[side[leave[0]]] = side[enter[0]];
  if (count != 2) return;
  /* a saddle: the mean decides whether the two high corners hang together */
  size_t turn = (corner[0] + corner[1] + corner[2] + corner[3]) / 4 > m->level ? 1 : 3;
  for (size_t e = 0; e < 2; e++) m->next[side[leave[e]]] = side[(leave[e] + turn) % 4];
}

/* Where the line crosses a side; on the rim, at the point of the grid itself. */
static void emit(const map *m, size_t side, int first, cli_contour_use use, void *user) {
  size_t column = side / 2 % m->wide, line = side / 2 / m->wide;
  int below = side % 2;
  double a = at(m, column, line), b = at(m, column + !below, line + (size_t)below);
  double t = isinf(a) ? 1 : isinf(b) ? 0 : (m->level - a) / (b - a);
  use(user, (double)column - 1 + (below ? 0 : t), (double)line - 1 + (below ? t : 0), first);
}

static void trace(map *m, size_t start, cli_contour_use use, void *user) {
  int first = 1;
  for (size_t side = start; m->next[side]; first = 0) {
    size_t next = m->next[side];
    m->next[side] = 0;
    emit(m, side, first, use, user);
    side = next;
  }
}

void cli_contour(const cli_field *field, double level, cli_contour_use use, void *user) {
  map m = {.field = field, .level = level, .wide = field->side + 2};
  size_t sides = 2 * m.wide * m.wide;
  m.next = CLI_TAKE(size_t, sides);
  for (size_t line = 0; line + 1 < m.wide; line++)
    for (size_t column = 0; column + 1 < m.wide; column++) square(&m, column, line);
  for (size_t side = 0; side < sides; side++)
    if (m.next[side]) trace(&m, side, use, user);
  free(m.next);
}
