/* ls_svm_flat.c - a least-squares leaf that says the same everywhere, for cells without rows: a linear machine without
 * weights, whose bias is the mean of some rows, or 2 * share - 1 of each class. Its error is their variance. */
#include "leaf/ls_svm.h"

#include <math.h>

/* Mean and variance, in halves, so that +-1e308 have a difference, and in a unit near the values, so that it has a square. */
static void write_number(const svf_frame *frame, const svf_site *site, svf_buffer *numbers) {
  double sum = 0, mean = 0, squares = 0, largest = 0;
  for (size_t i = 0; i < site->n; i++) largest = fmax(largest, fabs(frame->value[site->rows[i]]));
  double unit = largest > 0 ? ldexp(1, ilogb(largest)) : 1; /* a power of two: dividing by it rounds nothing */
  for (size_t i = 0; i < site->n; i++) {
    size_t row = site->rows[i];
    double weight = frame->weight ? frame->weight[row] : 1, apart = frame->value[row] / 2 - mean / 2;
    sum += weight;
    mean += 2 * (weight / sum) * apart;
    squares += weight * 4 * (apart / unit) * ((frame->value[row] / 2 - mean / 2) / unit);
  }
  const double head[] = {[SVF_LS_FORM] = SVF_LS_LINEAR, [SVF_LS_COST] = 0};
  for (size_t i = 0; i < SVF_LS_ERROR; i++) svf_ls_write(numbers, head[i]);
  svf_ls_write_error(numbers, squares / sum, unit);
  for (size_t j = 0; j < frame->d; j++) svf_ls_write(numbers, 0);
  svf_ls_write(numbers, mean);
}

static bool write_classes(const svf_ground *ground, const svf_site *site, svf_buffer *numbers) {
  const svf_frame *frame = ground->frame;
  double *share = SVF_ZERO(&ground->worker->arena, double, frame->k), sum = 0, m = 0;
  if (!share) return false;
  for (size_t i = 0; i < site->n; i++) {
    size_t row = site->rows[i];
    double weight = frame->weight ? frame->weight[row] : 1;
    m += share[frame->label[row]] == 0;
    share[frame->label[row]] += weight;
    sum += weight;
  }
  const double head[SVF_LS_HEAD] = {[SVF_LS_CLASSES] = m, [SVF_LS_FORM] = SVF_LS_LINEAR};
  for (size_t i = 0; i < SVF_LS_HEAD; i++) svf_ls_write(numbers, head[i]);
  for (size_t c = 0; c < frame->k; c++)
    if (share[c] > 0) svf_ls_write(numbers, (double)c);
  bool first = true; /* two classes have one machine, for the second */
  for (size_t c = 0; m > 1 && c < frame->k; c++) {
    if (share[c] == 0) continue;
    if (m > 2 || !first) {
      for (size_t j = 0; j < frame->d; j++) svf_ls_write(numbers, 0);
      svf_ls_write(numbers, 2 * (share[c] / sum) - 1);
    }
    first = false;
  }
  return true;
}

svf_status svf_ls_flat(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message) {
  bool fine = true;
  if (ground->frame->label) fine = write_classes(ground, site, numbers);
  else write_number(ground->frame, site, numbers);
  return fine && !numbers->failed ? SVF_OK : svf_no_memory(message, "a leaf");
}
