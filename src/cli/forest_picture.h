/* forest_picture.h - pictures of forests on two features and two classes, as SVG. */
#ifndef CLI_FOREST_PICTURE_H
#define CLI_FOREST_PICTURE_H

#include "cli.h"
#include "contour.h"

typedef struct cli_panel {
  const char *title;
  char caption[128];
  cli_field field;         /* above 0: the second class; the farther from 0 the surer */
  const svf_forest *cells; /* the cells of its first tree are drawn too; NULL: none */
} cli_panel;

typedef struct cli_picture {
  const char *title, *subtitle;
  const svf_table *points; /* two features, two classes */
  double low[2], high[2];  /* corners of the field, in the units of the features */
  const cli_panel *panel;
  size_t panels;
} cli_picture;

void cli_picture_write(FILE *out, const cli_picture *picture);

#endif
