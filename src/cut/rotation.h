/* rotation.h - the linear map of one tree. An axis of the rotated space is a short list of terms, as a plane's are. */
#ifndef SVF_CUT_ROTATION_H
#define SVF_CUT_ROTATION_H

#include "cut/site.h"

typedef struct svf_rotation {
  size_t axes;
  size_t *start;  /* axes + 1: terms of axis a are start[a]..start[a+1]-1 */
  svf_term *term; /* in ground->arena: planes point here */
  float **value;  /* axes x rows of the frame, as svf_plane_side would sum them; in the worker's arena */
} svf_rotation;

/* Random (Blaser and Fryzlewicz, Random rotation ensembles, JMLR 2016): one orthogonal matrix, uniform over all of them.
 * Numbers are rotated; columns of a category with three levels or more, and columns with missing values, stay axes of
 * their own.
 *
 * Principal components (Rodriguez, Kuncheva and Alonso, Rotation forest, PAMI 2006): columns are dealt at random into groups
 * of group_size; for every group some classes are drawn (each with probability 1/2, at least one), then a bootstrap of
 * their rows, as many as group_fraction of them; its principal components, all of them, are the group's axes. Columns with
 * missing values stay axes of their own.
 *
 * Columns that do not vary in the tree's rows are no axes. False: memory ran out, remembered in ground->arena. */
bool svf_rotation_make(const svf_ground *ground, const svf_site *root, svf_rotation *rotation);

#endif
