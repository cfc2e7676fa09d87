/* plane.h - a node's cut in the units of the data. */
#ifndef CLI_PLANE_H
#define CLI_PLANE_H

#include "cli.h"

/* left if sum(weight * x) < threshold, x as in the data, or 1 / 0 for being in a category or not. The weight
 * of a single term is 1 unless the term's encoded column is constant. In a sum of several terms a clipped feature stays
 * encoded: clip(z) = z / sqrt(1 + (z/3)^2) with z = (x - shift) * scale. */
typedef struct cli_term {
  const char *feature;  /* name */
  const char *category; /* NULL: a number */
  const char *part;     /* of the feature, as in svf_encoded_info, and */
  const char *part_class;
  size_t column; /* of the table */
  double weight;
  bool clipped;
  double shift, scale; /* of a clipped term */
} cli_term;
typedef struct cli_plane {
  size_t count;
  cli_term *term; /* free() it */
  double threshold;
  bool swapped; /* the single weight was negative: `left` is now the side >= threshold */
} cli_plane;

void cli_plane_of(const svf_forest *forest, const svf_node_info *node, cli_plane *plane);
/* The condition for one side, as "alcohol < 12.75" or "colour is not red". */
void cli_plane_print(FILE *out, const cli_plane *plane, bool left);

#endif
