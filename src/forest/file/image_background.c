/* image_background.c - BACK: the background rows of a model file, each a number per column of the table. */
#include "forest/answers/background.h"
#include "forest/file/image.h"

#include <math.h>

/* A number or, of a category, a code; NaN is missing. */
static bool cell_fine(const svf_feature *feature, double x) {
  size_t levels = feature->levels.count;
  if (isnan(x)) return true;
  return levels ? x >= 0 && x < (double)levels && x == floor(x) : isfinite(x);
}

svf_status svf_background_read(const svf_image *image, const double *data, size_t count, svf_forest *forest) {
  const svf_encoding *encoding = &forest->encoding;
  size_t d = encoding->features, wanted = svf_background_rows(&forest->settings, (size_t)forest->parts.rows);
  if (!wanted && !count) return SVF_OK;
  if (!d || count % d || count / d != wanted)
    return svf_damaged(image, "its background rows are not as many as its settings say");
  for (size_t i = 0; i < count; i++)
    if (!cell_fine(&encoding->feature[i % d], data[i])) return svf_damaged(image, "a background row is wrong");
  forest->parts.background = data;
  forest->parts.backgrounds = wanted;
  return SVF_OK;
}
