/* row_weights.c - what rows count: row weights times class weights, in the draw of a tree's rows or in its cuts and leaves.
 *
 * A weighted impurity acts backwards in trees that are grown until their leaves are pure: such a leaf has the same answer
 * whatever its rows weigh, and cuts that care most for the heavy rows leave more of the space to the others. So weights act
 * on which rows a tree has, where rows are drawn with repeats, and in trees of constant leaves that are cut step by step.
 * Cells of other trees are mixed: there a row counts its weight. */
#include "forest/growth/grow.h"

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

/* Row weights times a number per class. */
static svf_status multiply(svf_frame *frame, const double *by_class, const double **product, svf_message *message) {
  double *weight = SVF_TAKE(&frame->memory, double, frame->n), sum = 0;
  if (!weight) return svf_no_memory(message, "the class weights");
  for (size_t i = 0; i < frame->n; i++)
    sum += weight[i] = (frame->measure ? frame->measure[i] : 1) * by_class[frame->label[i]];
  if (!isfinite(sum)) return svf_fail(message, SVF_DATA, "row weights times class weights are too large");
  if (!(sum > 0)) return svf_fail(message, SVF_DATA, "row weights times class weights are 0 in every row");
  *product = weight;
  return SVF_OK;
}

/* Weights of the classes, k. A model file keeps no given ones that are all 1. */
static void find_weights(const svf_settings *settings, const svf_frame *frame, double *by_class) {
  if (settings->class_weight == SVF_CLASS_WEIGHT_BALANCED) balance(frame, by_class);
  else
    for (size_t c = 0; c < frame->k; c++) by_class[c] = frame->class_weight ? frame->class_weight[c] : 1;
}

static bool repeats(const svf_settings *settings) {
  return settings->rows == SVF_ROWS_BOOTSTRAP || settings->rows == SVF_ROWS_BALANCED;
}

/* Machines with costs weigh the classes there: balanced ones anyhow, for that goes by the rows of a cell, and given ones
 * where rows are not drawn by them. Then only classes of weight 0 are left out here. */
static svf_status weigh_classes(const svf_settings *settings, const svf_kinds *kinds, svf_frame *frame,
                                svf_message *message) {
  bool given = settings->class_weight == SVF_CLASS_WEIGHT_GIVEN, absent = false;
  bool costs = kinds->leaf->class_costs && !(given && repeats(settings));
  double *by_class = SVF_TAKE(&frame->memory, double, frame->k);
  if (!by_class) return svf_no_memory(message, "the class weights");
  find_weights(settings, frame, by_class);
  if (!costs || kinds->pick->judges) SVF_TRY(multiply(frame, by_class, &frame->judged, message));
  if (!costs) {
    frame->weight = frame->judged;
    frame->class_weight = NULL;
    return SVF_OK;
  }
  for (size_t c = 0; given && c < frame->k; c++) {
    absent |= by_class[c] == 0;
    by_class[c] = by_class[c] > 0;
  }
  return absent ? multiply(frame, by_class, &frame->weight, message) : SVF_OK;
}

/* Weights that differ become chances, of at most 1, and the rows of a tree then count alike. */
static svf_status set_chances(svf_frame *frame, svf_message *message) {
  double most = 0, least = INFINITY;
  for (size_t i = 0; i < frame->n; i++) {
    most = fmax(most, frame->weight[i]);
    if (frame->weight[i] > 0) least = fmin(least, frame->weight[i]);
  }
  if (least == most) return SVF_OK;
  double *chance = SVF_TAKE(&frame->memory, double, frame->n);
  if (!chance) return svf_no_memory(message, "the weights");
  for (size_t i = 0; i < frame->n; i++) chance[i] = frame->weight[i] / most;
  frame->chance = chance;
  frame->weight = NULL;
  return SVF_OK;
}

svf_status svf_frame_weigh(const svf_settings *settings, const svf_kinds *kinds, svf_frame *frame,
                           svf_message *message) {
  if (frame->label && settings->class_weight != SVF_CLASS_WEIGHT_NONE)
    SVF_TRY(weigh_classes(settings, kinds, frame, message));
  bool drawn = repeats(settings) || (kinds->leaf->fixed && (kinds->cut->propose || kinds->cut->by_cells));
  if (kinds->vote->rounds) return SVF_OK; /* they multiply the loss of each row */
  return frame->weight && drawn ? set_chances(frame, message) : SVF_OK;
}
