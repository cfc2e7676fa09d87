/* ls_svm.c - the least-squares support vector machine in the cell, linear or with a kernel of distances, for numbers and for
 * classes.
 *
 * A number is fitted as it is. Two classes have one machine with targets -1 and 1, more have one each against the
 * rest. C, and the width of a kernel, are those given or those of their grids with the least leave-one-out error,
 * or the least error on rows held out. The score of a class estimates 2p - 1, p being its share, so the shares are
 * (score + 1) / 2, cut off at 0 and scaled to sum 1, unless they are calibrated (ls_svm_calibrate.c).
 * leaf_features=quadratic adds all squares and products of two features. */
#include "leaf/leaf_code.h"
#include "leaf/ls_svm.h"

#include <math.h>
#include <string.h>

double svf_ls_spread(const svf_leaf_view *leaf) {
  double error = svf_leaf_number(leaf, SVF_LS_ERROR);
  return error < 0 ? -error : sqrt(error);
}

static bool text(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *out) {
  static const char *const forms[] = {"", " quadratic", " rbf", " laplace", " manhattan", " step"};
  svf_ls_view view;
  svf_ls_read(leaf, &view);
  if (view.m == 1) return svf_buffer_print(out, "only %s", classes->text[(size_t)svf_leaf_number(leaf, SVF_LS_HEAD)]);
  svf_buffer_print(out, "%zu%s machine%s, ", view.machines, forms[view.form], view.machines == 1 ? "" : "s");
  if (svf_ls_has_rows(view.form)) svf_buffer_print(out, "%zu rows, sigma %.4g, ", view.each, view.sigma);
  double error = svf_leaf_number(leaf, SVF_LS_ERROR);
  if (view.form == SVF_LS_STEP) svf_buffer_print(out, "%zu features, ", view.each);
  svf_buffer_print(out, "C %.4g, %serror %.4g left out", svf_leaf_number(leaf, SVF_LS_COST),
                   error < 0 ? "root of squared " : "squared ", fabs(error));
  if (view.map) svf_buffer_print(out, ", %s metric", view.full ? "full" : "diagonal");
  if (view.curve) svf_buffer_print(out, ", calibrated");
  for (size_t c = 0; c < view.m; c++)
    svf_buffer_print(out, "%s %s", c ? "" : ", classes",
                     classes->text[(size_t)svf_leaf_number(leaf, SVF_LS_HEAD + c)]);
  return !out->failed;
}

static svf_status check_metric(const svf_settings *settings, svf_message *message) {
  if (settings->kernel == SVF_KERNEL_CHOICE_MANHATTAN && settings->metric == SVF_METRIC_FULL)
    return svf_fail(message, SVF_USAGE, "kernel=manhattan has one weight per feature: use metric=diagonal");
  static const int of_metric[] = {SVF_SET_metric_rows, SVF_SET_metric_rounds, SVF_SET_metric_scope,
                                  SVF_SET_metric_judges};
  for (size_t i = 0; settings->metric == SVF_METRIC_NONE && i < sizeof of_metric / sizeof *of_metric; i++)
    if (settings->given[of_metric[i]])
      return svf_fail(message, SVF_USAGE, "%s has no meaning with metric=none: use metric=auto, diagonal or full",
                      svf_setting_at((size_t)of_metric[i])->name);
  if (settings->metric_scope == SVF_METRIC_SCOPE_FOREST && settings->given[SVF_SET_metric_judges])
    return svf_fail(
        message, SVF_USAGE,
        "metric_judges are rows of a leaf: use metric_scope=leaf, or metric=auto, which chooses the rounds "
        "for the forest");
  return SVF_OK;
}

/* Under vote=boost the machine is a step (ls_svm_step.c). */
static svf_status check_step(const svf_settings *settings, svf_message *message) {
  if (strcmp(settings->vote, "boost")) return SVF_OK;
  if (svf_ls_form_of(settings) != SVF_LS_LINEAR)
    return svf_fail(message, SVF_USAGE,
                    "the steps of vote=boost are linear in the features on the path to the leaf: use kernel=linear "
                    "leaf_features=linear");
  if (settings->selection == SVF_SELECTION_HOLDOUT)
    return svf_fail(message, SVF_USAGE,
                    "the steps of vote=boost choose C by leave-one-out: leave selection out, or give C");
  return SVF_OK;
}

static svf_status check(const svf_settings *settings, svf_task task, svf_message *message) {
  (void)task;
  bool gauss = svf_ls_has_rows(svf_ls_form_of(settings));
  if (!gauss && settings->kernel != SVF_KERNEL_CHOICE_LINEAR)
    return svf_fail(message, SVF_USAGE,
                    "leaf=ls-svm has no such kernel; use kernel=linear, rbf, laplace, manhattan or auto");
  if (!gauss && settings->scale == SVF_SCALE_AUTO)
    return svf_fail(message, SVF_USAGE, "scale=auto is chosen together with the metric of a kernel: use kernel=auto");
  if (settings->kernel == SVF_KERNEL_CHOICE_AUTO && settings->gamma > 0)
    return svf_fail(message, SVF_USAGE, "gamma depends on the kernel, which kernel=auto chooses: leave gamma out");
  if (settings->C > 0 && settings->given[SVF_SET_C_grid])
    return svf_fail(message, SVF_USAGE, "C_grid is not used when C is given: leave it out");
  if (gauss && settings->leaf_features == SVF_LEAF_FEATURES_QUADRATIC)
    return svf_fail(message, SVF_USAGE, "leaf_features=quadratic is for kernel=linear; use leaf_features=linear");
  if (gauss && settings->gamma > 0 && settings->given[SVF_SET_widths])
    return svf_fail(message, SVF_USAGE, "widths are not used when gamma is given: leave one of them out");
  static const int of_gauss[] = {
      SVF_SET_gamma,  SVF_SET_widths,      SVF_SET_width_unit,    SVF_SET_kernel_memory, SVF_SET_bias,
      SVF_SET_metric, SVF_SET_metric_rows, SVF_SET_metric_rounds, SVF_SET_metric_scope,  SVF_SET_metric_judges};
  for (size_t i = 0; !gauss && i < sizeof of_gauss / sizeof *of_gauss; i++)
    if (settings->given[of_gauss[i]])
      return svf_fail(message, SVF_USAGE,
                      "%s has no meaning with kernel=linear: use kernel=rbf, laplace or manhattan, or leave it out",
                      svf_setting_at((size_t)of_gauss[i])->name);
  SVF_TRY(check_step(settings, message));
  return check_metric(settings, message);
}

static const char *const settings_read[] = {
    "C",           "C_grid",      "leaf_features", "kernel",       "gamma",
    "widths",      "width_unit",  "bias",          "selection",    "kernel_memory",
    "metric",      "metric_rows", "metric_rounds", "metric_scope", "metric_judges",
    "calibration", NULL};

extern const svf_leaf svf_leaf_ls;
const svf_leaf svf_leaf_ls = {
    .kind.name = "ls-svm",
    .kind.help = "least-squares machine, linear, rbf, laplace or manhattan, C and width by leave-one-out in the cell",
    .kind.settings = settings_read,
    .kind.check = check,
    .chooses = svf_ls_chooses,
    .choose = svf_ls_choose,
    .learn = svf_ls_learn,
    .train = svf_ls_train,
    .flat = svf_ls_flat,
    .valid = svf_ls_valid,
    .predict = svf_ls_predict,
    .adjust = svf_ls_step_adjust,
    .weights = svf_ls_weights,
    .linear = svf_ls_linear,
    .length = svf_ls_own_length,
    .spread = svf_ls_spread,
    .text = text,
    .code = &svf_ls_code};
