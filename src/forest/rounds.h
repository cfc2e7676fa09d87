/* rounds.h - training of a vote whose trees correct each other. */
#ifndef SVF_FOREST_ROUNDS_H
#define SVF_FOREST_ROUNDS_H

#include "forest/plant.h"

/* Plants all rounds into the records; rounds: how many there are. A wish to stop after the first of them keeps those done. */
svf_status svf_plant_rounds(svf_planting *planting, size_t *rounds, svf_message *message);

#endif
