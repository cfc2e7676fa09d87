/* forest_picture.c - pictures of forests on two features and two classes, as SVG. */
#include "forest_picture.h"
#include "cell_polygons.h"
#include "svg.h"

enum { MARGIN = 32, SIDE = 440, GAP = 32, TOP = 132, FOOT = 56, MOST_POINTS = 400 };

/* From the units of the features, or of the field's grid, to the page. */
typedef struct place {
  FILE *out;
  const cli_picture *picture;
  double left, top; /* of the panel */
  double step;      /* page units between points of the field */
} place;

static double across(const place *p, double x) {
  return p->left + SIDE * (x - p->picture->low[0]) / (p->picture->high[0] - p->picture->low[0]);
}

static double down(const place *p, double y) {
  return p->top + SIDE * (p->picture->high[1] - y) / (p->picture->high[1] - p->picture->low[1]);
}

static void contour_point(void *user, double x, double y, int first) {
  const place *p = user;
  cli_svg_path_point(p->out, p->left + x * p->step, p->top + y * p->step, first);
}

static void region(place *p, const cli_field *field, double level, const char *class) {
  cli_svg_path_begin(p->out, class);
  cli_contour(field, level, contour_point, p);
  cli_svg_path_end(p->out);
}

static void draw_cell(void *user, const cli_cell *cell) {
  const place *p = user;
  if (cell->count < 3) return;
  cli_svg_path_begin(p->out, "cell");
  for (size_t i = 0; i <= cell->count; i++) {
    const double *corner = cell->corner[i % cell->count];
    cli_svg_path_point(p->out, across(p, corner[0]), down(p, corner[1]), i == 0);
  }
  cli_svg_path_end(p->out);
}

static void draw_points(const place *p) {
  const svf_table *table = p->picture->points;
  const int32_t *label = svf_table_labels(table);
  size_t n = svf_table_rows(table), step = n > MOST_POINTS ? n / MOST_POINTS : 1;
  for (size_t i = 0; i < n; i += step) {
    double x = svf_table_number(table, i, 0), y = svf_table_number(table, i, 1);
    cli_svg_circle(p->out, across(p, x), down(p, y), 3, label[i] ? "class1" : "class0");
  }
}

static void draw_panel(FILE *out, const cli_picture *picture, const cli_panel *panel, double left) {
  place p = {out, picture, left, TOP, (double)SIDE / (double)(panel->field.side - 1)};
  const double box[4] = {left, TOP, SIDE, SIDE};
  cli_svg_text(out, left, TOP - 30, "head", panel->title);
  cli_svg_text(out, left, TOP - 12, "small", panel->caption);
  fprintf(out,
          "<clipPath id=\"panel%.0f\"><rect x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" "
          "rx=\"6\"/></clipPath>\n",
          left, left, TOP, SIDE, SIDE);
  fprintf(out, "<g clip-path=\"url(#panel%.0f)\">\n", left);
  cli_svg_rect(out, box, 0, "shade0");
  region(&p, &panel->field, -0.5, "shade1");
  region(&p, &panel->field, 0, "shade2");
  region(&p, &panel->field, 0.5, "shade3");
  draw_points(&p);
  if (panel->cells) cli_cells_each(panel->cells, 0, picture->low, picture->high, draw_cell, &p);
  region(&p, &panel->field, 0, "border");
  fputs("</g>\n", out);
  cli_svg_rect(out, box, 6, "frame");
}

/* One line under the panels that says what the marks are. */
static void draw_legend(FILE *out, const cli_picture *picture) {
  double y = TOP + SIDE + 30, x = MARGIN + 4;
  for (size_t class = 0; class < 2; class ++, x += 90) {
    char name[64];
    snprintf(name, sizeof name, "class %s", svf_table_class_name(picture->points, class));
    cli_svg_circle(out, x, y, 4.5, class ? "class1" : "class0");
    cli_svg_text(out, x + 11, y + 4, "small", name);
  }
  cli_svg_line(out, (const double[4]){x, y, x + 24, y}, "border");
  cli_svg_text(out, x + 32, y + 4, "small", "decision border");
  if (!picture->panel[0].cells) return;
  x += 150;
  cli_svg_line(out, (const double[4]){x, y, x + 24, y}, "cell");
  cli_svg_text(out, x + 32, y + 4, "small", "cell");
}

void cli_picture_write(FILE *out, const cli_picture *picture) {
  double width = 2 * MARGIN + SIDE * (double)picture->panels + GAP * (double)(picture->panels - 1);
  cli_svg_begin(out, width, TOP + SIDE + FOOT);
  cli_svg_text(out, MARGIN, 42, "title", picture->title);
  cli_svg_text(out, MARGIN, 66, "subtitle", picture->subtitle);
  for (size_t i = 0; i < picture->panels; i++)
    draw_panel(out, picture, &picture->panel[i], MARGIN + (double)i * (SIDE + GAP));
  draw_legend(out, picture);
  cli_svg_end(out);
}
