/* scenarios.h - whole jobs of the library on tiny data, for a test that makes each of their steps fail. */
#ifndef SVF_FAULTS_SCENARIOS_H
#define SVF_FAULTS_SCENARIOS_H

#include <stdbool.h>
#include "svforest_inspect.h"
#include "svforest_parts.h"

enum { SCENE_ROWS = 36 };

/* What a scenario makes; whoever runs it frees all of it, wherever it stopped. */
typedef struct scene {
  svf_table *table[2];
  svf_settings *settings[2];
  svf_forest *forest[4];
  uint64_t hash; /* of every byte that came out */
  svf_message message;
} scene;

typedef struct scenario {
  const char *name;
  svf_status (*run)(scene *s, const char *details); /* on an empty scene */
  const char *details;
} scenario;

extern const scenario scenarios[];
extern const size_t scenario_count;

/* files.c: writes what scenarios read into the current folder; false: could not. */
bool scenario_files(void);
void scene_free(scene *s);

#endif
