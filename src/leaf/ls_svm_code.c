/* ls_svm_code.c - least-squares machines as C. */
#include "leaf/leaf_code.h"
#include "leaf/ls_svm.h"

#include <string.h>

_Static_assert(SVF_LS_LINEAR == 0 && SVF_LS_QUADRATIC == 1 && SVF_LS_RBF == 2 && SVF_LS_LAPLACE == 3 &&
                   SVF_LS_MANHATTAN == 4 && SVF_LS_STEP == 5 && SVF_LANES == 8,
               "code_ls.inc has their numbers");

/* Two floats in a number, or one under precision=single. */
static void write_rows(const svf_ls_view *view, svf_code *row) {
  const svf_leaf_view *leaf = view->leaf;
  for (size_t i = view->pane; i < leaf->length; i++) {
    float pair[2];
    if (leaf->singles) pair[0] = leaf->singles[i];
    else memcpy(pair, leaf->numbers + i, sizeof pair);
    for (size_t j = 0; j < (leaf->singles ? 1 : 2); j++) svf_code_float(row, pair[j]);
  }
}

/* Is it calibrated; then the part of a share that all classes have alike, two numbers of the curve, and what is added before
 * a logarithm. */
static void write_curve(const svf_ls_view *view, svf_code *number) {
  const svf_leaf_view *leaf = view->leaf;
  double rows = view->curve ? svf_leaf_number(leaf, view->curve - 1) : 0;
  svf_code_number(number, view->curve > 0);
  svf_code_number(number, view->curve ? 1 / (rows + 1) : 0);
  for (size_t i = 0; i < 2; i++)
    svf_code_number(number, view->curve && i < svf_ls_curve(view->m) ? svf_leaf_number(leaf, view->curve + i) : 0);
  svf_code_number(number, 1 / (rows + (double)view->m));
}

/* sigma becomes the factor that distances are multiplied with; and the first pane of the rows is named. */
static bool write(const svf_leaf_view *leaf, svf_code *number, svf_code *row, svf_code_room *room) {
  svf_ls_view view;
  if (!svf_ls_read(leaf, &view)) return false;
  bool rows = view.machines && svf_ls_has_rows(view.form);
  if (view.machines > room->machines) room->machines = view.machines;
  svf_code_number(number, (double)view.m);
  svf_code_number(number, view.form);
  for (size_t c = 0; c < view.m; c++) svf_code_number(number, svf_leaf_number(leaf, SVF_LS_HEAD + c));
  if (view.m) write_curve(&view, number);
  if (rows) {
    svf_code_number(number, svf_ls_factor(svf_ls_kernel_of(view.form), view.sigma));
    svf_code_number(number, (double)view.each);
    svf_code_number(number, leaf->d ? (double)(row->items / (SVF_LANES * leaf->d)) : 0);
    svf_code_number(number, !view.map ? 0 : view.full ? 2 : 1);
  }
  size_t numbers = view.machines * (view.each + 1);
  if (view.form == SVF_LS_STEP) {
    svf_code_number(number, (double)view.each);
    numbers = SVF_LS_STEP_EACH * view.each + 1;
  }
  for (size_t i = 0; i < numbers; i++) svf_code_number(number, svf_leaf_number(leaf, view.first + i));
  for (size_t i = view.map; i < view.pane && view.map; i++) svf_code_number(number, svf_leaf_number(leaf, i));
  if (rows && view.each) write_rows(&view, row);
  return true;
}

extern const char svf_code_ls[];
static const char *const pieces[] = {svf_code_ls, NULL};
const svf_leaf_code svf_ls_code = {{.function = "ls_leaf", .piece = pieces, .flags = SVF_CODE_FILLED}, write};
