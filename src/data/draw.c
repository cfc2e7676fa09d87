/* draw.c - see draw.h. */
#include "data/draw.h"

static size_t class_of(const svf_draw *d, size_t i) { return d->label ? (size_t)d->label[i] : 0; }
static bool there(const svf_draw *d, size_t i) {
  return (!d->weight || d->weight[i] > 0) && (!d->label || d->label[i] >= 0);
}

/* Each way of taking the quota of a class has the same chance. */
size_t svf_draw_rows(const svf_draw *d, svf_random *random, size_t wanted, svf_arena *scratch, uint32_t *row) {
  svf_mark mark = svf_arena_mark(scratch);
  size_t *left = SVF_ZERO(scratch, size_t, d->classes), *quota = SVF_ZERO(scratch, size_t, d->classes), all = 0,
         taken = 0;
  if (svf_arena_failed(scratch)) return 0;
  for (size_t i = 0; i < d->n; i++)
    if (there(d, i)) left[class_of(d, i)]++, all++;
  for (size_t c = 0; c < d->classes; c++) {
    double share = all ? (double)wanted * (double)left[c] / (double)all : 0;
    quota[c] = share < 2 ? 2 : (size_t)(share + .5);
    if (quota[c] > left[c] || wanted >= all) quota[c] = left[c];
  }
  for (size_t i = 0; i < d->n; i++) {
    if (!there(d, i)) continue;
    size_t c = class_of(d, i);
    if (svf_random_below(random, left[c]--) < quota[c]) row[taken++] = (uint32_t)i, quota[c]--;
  }
  svf_random_shuffle(random, row, taken);
  svf_arena_release(scratch, mark);
  return taken;
}
