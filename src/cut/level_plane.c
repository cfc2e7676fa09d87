/* level_plane.c - the plane of a cut that divides the levels of a category. */
#include "cut/columns.h"

#include <float.h>
#include <math.h>

static bool codes_plane(const svf_column_copy *column, const uint32_t *level, size_t listed, svf_arena *arena,
                        svf_plane *plane) {
  plane->count = svf_levels_terms(listed, column->ranks);
  plane->term = SVF_TAKE(arena, svf_term, plane->count);
  if (!plane->term) return false;
  svf_levels_write(column->first, level, listed, column->ranks, plane->term);
  plane->threshold = NAN;
  return true;
}

/* The same of 0/1 columns: each listed one, brought to 0 and 1, is added up. One alone is compared as it is; with none, all
 * rows that are there go left. */
static bool sum_plane(const svf_column_copy *column, const uint32_t *level, size_t listed, svf_arena *arena,
                      svf_plane *plane) {
  plane->count = listed ? listed : 1;
  plane->term = SVF_TAKE(arena, svf_term, plane->count);
  if (!plane->term) return false;
  plane->term[0] = (svf_term){column->first, 1};
  plane->threshold = listed ? .5f : FLT_MAX;
  if (listed == 1) plane->threshold = column->low[level[0]] / 2 + column->high[level[0]] / 2;
  for (size_t l = 0; l < listed; l++) {
    float low = column->low[level[l]], weight = listed == 1 ? 1 : 1 / (column->high[level[l]] - low);
    plane->term[l] = (svf_term){column->first + level[l], weight};
    if (listed > 1) plane->threshold += weight * low;
  }
  return true;
}

bool svf_levels_plane(const svf_column_copy *column, const uint32_t *level, size_t listed, svf_arena *arena,
                      svf_plane *plane) {
  return (column->one_hot ? sum_plane : codes_plane)(column, level, listed, arena, plane);
}
