/* site.c - see site.h. */
#include "cut/site.h"

#include <string.h>

svf_sides svf_plane_count(const svf_frame *frame, const uint32_t *rows, size_t n, const svf_plane *plane) {
  svf_sides sides = {0, 0, 0};
  for (size_t i = 0; i < n; i++) {
    int side = svf_plane_side(plane->term, plane->count, plane->threshold, frame->x + rows[i] * frame->stride);
    sides.left += side == 0;
    sides.right += side == 1;
    sides.missing += side < 0;
  }
  return sides;
}

void svf_plane_sides(const svf_frame *frame, const svf_plane *plane, const uint32_t *rows, size_t n,
                     unsigned char *right) {
  for (size_t i = 0; i < n; i++) {
    int side = svf_plane_side(plane->term, plane->count, plane->threshold, frame->x + rows[i] * frame->stride);
    right[i] = side < 0 ? !plane->missing_left : (unsigned char)side;
  }
}

bool svf_plane_copy(const svf_plane *plane, svf_arena *arena, svf_plane *copy) {
  svf_term *term = SVF_TAKE(arena, svf_term, plane->count);
  if (!term) return false;
  memcpy(term, plane->term, plane->count * sizeof *term);
  *copy = *plane;
  copy->term = term;
  return true;
}

size_t svf_plane_take(const svf_frame *frame, const svf_plane *plane, int side, const uint32_t *rows, size_t n,
                      uint32_t *out) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    float value = svf_plane_value(plane, frame->x + rows[i] * frame->stride);
    out[count] = rows[i];
    count += svf_plane_joins(plane, value, side);
  }
  return count;
}

svf_site svf_site_child(svf_site *site, int side) {
  return (svf_site){.up = site, .side = side, .depth = site->depth + 1, .name = svf_random_child(site->name, side)};
}

void svf_site_side(const svf_site *site, uint32_t feature, float root_low, float root_high, float *low, float *high) {
  *low = root_low;
  *high = root_high;
  for (; site->up; site = site->up) {
    const svf_plane *plane = &site->up->plane;
    if (plane->count != 1 || plane->term[0].feature != feature) continue;
    if (site->side == 0 && plane->threshold < *high) *high = plane->threshold;
    if (site->side == 1 && plane->threshold > *low) *low = plane->threshold;
  }
}

uint32_t svf_nearest_centre(const svf_term *term, size_t m, size_t d, const float *row, const float *fill) {
  uint32_t nearest = 0;
  double least = 0;
  for (size_t c = 0; c < m; c++, term += d) {
    double sum = 0;
    for (size_t j = 0; j < d; j++) {
      double apart = (double)(row[j] == row[j] ? row[j] : fill[j]) - term[j].weight;
      sum += apart * apart;
    }
    if (c && !(sum < least)) continue;
    least = sum;
    nearest = (uint32_t)c;
  }
  return nearest;
}
