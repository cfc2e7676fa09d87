/* voronoi.c - a Voronoi partition (Meister and Steinwart, Optimal learning rates for localized SVMs, JMLR 2016): m rows are
 * drawn, no row twice, and a point belongs to the nearest of them, the first of equals, by Euclidean distance between encoded
 * rows in which a missing value counts as the column's median. */
#include "cut/cut.h"

/* m of n rows, ascending: each way of taking them has the same chance. */
static void draw_rows(svf_random *random, const svf_site *root, size_t m, uint32_t *row) {
  for (size_t i = 0, taken = 0; i < root->n && taken < m; i++)
    if (svf_random_below(random, root->n - i) < m - taken) row[taken++] = root->rows[i];
}

static svf_term *centres(const svf_ground *ground, const svf_site *root, size_t m) {
  const svf_frame *frame = ground->frame;
  svf_random random = svf_site_random(ground, root, SVF_USE_CUT, 0);
  size_t d = frame->d;
  uint32_t *row = SVF_TAKE(ground->arena, uint32_t, m);
  svf_term *term = SVF_TAKE(ground->arena, svf_term, m * d);
  if (!row || !term) return NULL;
  draw_rows(&random, root, m, row);
  for (size_t c = 0; c < m; c++)
    for (size_t j = 0; j < d; j++) {
      float x = frame->x[row[c] * frame->stride + j];
      term[c * d + j] = (svf_term){(uint32_t)j, x == x ? x : frame->fill[j]};
    }
  return term;
}

svf_status svf_cells_check(const svf_settings *settings, svf_message *message) {
  if (settings->cells <= 0 || !settings->given[SVF_SET_cell_rows]) return SVF_OK;
  return svf_fail(
      message, SVF_USAGE,
      "cell_rows=%lld contradicts cells=%lld, which already sets the number of cells: leave one of them out",
      (long long)settings->cell_rows, (long long)settings->cells);
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  return svf_cells_check(settings, message);
}

static const char *const settings[] = {"cells", "cell_rows", NULL};

extern const svf_cut svf_cut_voronoi;
const svf_cut svf_cut_voronoi = {.kind.name = "voronoi",
                                 .kind.help = "Voronoi cells of m rows drawn as centres, all at once",
                                 .kind.settings = settings,
                                 .kind.check = check,
                                 .centres = centres};
