/* svg.h - the few marks that the pictures are made of. */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stdio.h>

/* The page: background, and the classes of text, line and fill that the marks name. */
void cli_svg_begin(FILE *out, double width, double height);
void cli_svg_end(FILE *out);
/* Text with <, > and & made harmless. */
void cli_svg_text(FILE *out, double x, double y, const char *class, const char *text);
void cli_svg_rect(FILE *out, const double box[4], double round, const char *class);
void cli_svg_circle(FILE *out, double x, double y, double radius, const char *class);
void cli_svg_line(FILE *out, const double ends[4], const char *class);
/* A path: begin, points, end. */
void cli_svg_path_begin(FILE *out, const char *class);
void cli_svg_path_point(FILE *out, double x, double y, int first);
void cli_svg_path_end(FILE *out);

#endif
