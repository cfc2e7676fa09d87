/* weigh.c - class weights as row weights, for leaves that do not put them into costs of their own. */
#include "forest/grow.h"

#include <math.h>

/* class_weight=balanced: rows / (classes * rows of the class), a row counted as often as its weight says. */
static void balance(const svf_frame *frame, double *class_weight) {
  double rows = 0, present = 0; /* weights */
  for (size_t c = 0; c < frame->k; c++) class_weight[c] = 0;
  for (size_t i = 0; i < frame->n; i++) {
    double weight = frame->measure ? frame->measure[i] : 1;
    class_weight[frame->label[i]] += weight;
    rows += weight;
  }
  for (size_t c = 0; c < frame->k; c++) present += class_weight[c] > 0;
  for (size_t c = 0; c < frame->k; c++)
    if (class_weight[c] > 0) class_weight[c] = rows / (present * class_weight[c]);
}

svf_status svf_frame_weigh(const svf_settings *settings, const svf_leaf *leaf, svf_frame *frame,
                           svf_message *message) {
  int how = settings->class_weight;
  if (!frame->label || how == SVF_CLASS_WEIGHT_NONE || leaf->class_costs) return SVF_OK;
  double *weight = SVF_TAKE(&frame->memory, double, frame->n), *own = SVF_TAKE(&frame->memory, double, frame->k);
  if (svf_arena_failed(&frame->memory)) return svf_no_memory(message, "the class weights");
  const double *class_weight = how == SVF_CLASS_WEIGHT_GIVEN ? frame->class_weight : own;
  if (class_weight == own) balance(frame, own);
  double sum = 0;
  for (size_t i = 0; i < frame->n; i++)
    sum += weight[i] = (frame->measure ? frame->measure[i] : 1) * class_weight[frame->label[i]];
  if (!isfinite(sum)) return svf_fail(message, SVF_DATA, "row weights times class weights are too large");
  frame->weight = weight;
  return SVF_OK;
}
