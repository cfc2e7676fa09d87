/* contour.h - where a field on a grid rises above a level, as closed lines. */
#ifndef CLI_CONTOUR_H
#define CLI_CONTOUR_H

#include <stddef.h>

typedef struct cli_field {
  size_t side;         /* side x side points */
  const double *value; /* value[j * side + i] at column i, line j */
} cli_field;

/* Receives a point in grid units, 0..side-1; `first` begins a new closed line. */
typedef void (*cli_contour_use)(void *user, double x, double y, int first);

/* The borders of {field > level}, closed along the edge of the grid where it reaches that far. */
void cli_contour(const cli_field *field, double level, cli_contour_use use, void *user);

#endif
