/* rounds.h - training of a vote whose trees correct each other. */
#ifndef SVF_FOREST_ROUNDS_H
#define SVF_FOREST_ROUNDS_H

#include "forest/growth/plant.h"
#include "vote/boosting.h"

/* Plants all rounds into the records; rounds: how many there are. A wish to stop after the first of them keeps those done. */
svf_status svf_plant_rounds(svf_planting *planting, size_t *rounds, svf_message *message);

/* rounds_resume.c: the trees of planting->before to the records, and their answers to the sums. */
svf_status svf_rounds_resume(svf_planting *planting, svf_boosting *boosting, svf_message *message);

#endif
