/* cell_count.h - the settings cells and cell_rows, for cuts that divide the space into a number of cells. */
#ifndef SVF_CUT_CELL_COUNT_H
#define SVF_CUT_CELL_COUNT_H

#include "settings/settings.h"

/* How many cells n rows have: at least 1, at most n. */
size_t svf_cell_count(const svf_settings *settings, size_t n);

/* Refuses cells and cell_rows together. */
svf_status svf_cell_count_check(const svf_settings *settings, svf_message *message);

#endif
