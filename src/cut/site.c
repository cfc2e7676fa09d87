/* site.c - see site.h. */
#include "cut/site.h"

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

bool svf_feature_range(const svf_frame *frame, const uint32_t *rows, size_t n, uint32_t feature, float *low,
                       float *high) {
  bool found = false;
  for (size_t i = 0; i < n; i++) {
    float x = frame->x[rows[i] * frame->stride + feature];
    if (!found && x == x) *low = *high = x, found = true;
    if (x < *low) *low = x;
    if (x > *high) *high = x;
  }
  return found;
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
