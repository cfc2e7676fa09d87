/* cell_count.c - see cell_count.h. */
#include "cut/cell_count.h"

#include <math.h>

size_t svf_cell_count(const svf_settings *settings, size_t n) {
  double m = settings->cells > 0 ? (double)settings->cells : round((double)n / (double)settings->cell_rows);
  return m < 1 ? 1 : m > (double)n ? n : (size_t)m;
}

svf_status svf_cell_count_check(const svf_settings *settings, svf_message *message) {
  if (settings->cells <= 0 || !settings->given[SVF_SET_cell_rows]) return SVF_OK;
  return svf_fail(
      message, SVF_USAGE,
      "cell_rows=%lld contradicts cells=%lld, which already sets the number of cells: leave one of them out",
      (long long)settings->cell_rows, (long long)settings->cells);
}
