/* cuts.c - the table of cuts. */
#include "cut/cut.h"

extern const svf_cut svf_cut_none, svf_cut_random, svf_cut_best, svf_cut_extra, svf_cut_project, svf_cut_rotate,
    svf_cut_cca, svf_cut_adaptive, svf_cut_voronoi, svf_cut_histogram, svf_cut_halve, svf_cut_gradient;

const svf_cut *const svf_cuts[] = {
    &svf_cut_none, &svf_cut_random,   &svf_cut_best,    &svf_cut_extra,     &svf_cut_project, &svf_cut_rotate,
    &svf_cut_cca,  &svf_cut_adaptive, &svf_cut_voronoi, &svf_cut_histogram, &svf_cut_halve,   &svf_cut_gradient,
    NULL};
