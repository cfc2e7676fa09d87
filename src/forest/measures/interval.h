/* interval.h - interval=conformal: some rows are held apart, the model is trained on the others, and those held apart
 * calibrate it (conformal.c). */
#ifndef SVF_FOREST_INTERVAL_H
#define SVF_FOREST_INTERVAL_H

#include "data/table.h"
#include "settings/settings.h"

/* Rows are drawn by their number in the table alone, so that neither answers nor features have a say in it. */
typedef struct svf_apart {
  svf_table *train, *held;
} svf_apart;

/* Divides the rows of a table that has been checked for training. svf_apart_free follows also after a failure. */
svf_status svf_apart_open(const svf_settings *settings, const svf_table *table, svf_apart *apart,
                          svf_message *message);
/* Puts a calibrated model in the place of *forest; on failure *forest is freed and NULL. It does not look at the wish to stop: a
 * training that was stopped and has a model keeps it. */
svf_status svf_apart_calibrate(const svf_apart *apart, const svf_run *run, svf_forest **forest, svf_message *message);
void svf_apart_free(svf_apart *apart);

#endif
