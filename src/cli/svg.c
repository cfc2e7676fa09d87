/* svg.c - the few marks that the pictures are made of. */
#include "svg.h"

static const char *const style =
    "  text { font-family: 'Inter', 'Helvetica Neue', 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2937; "
    "}\n"
    "  .title { font-size: 22px; font-weight: 600; }\n"
    "  .subtitle { font-size: 13px; fill: #6b7280; }\n"
    "  .head { font-size: 15px; font-weight: 600; }\n"
    "  .small { font-size: 12px; fill: #6b7280; }\n"
    "  .page { fill: #f8fafc; }\n"
    "  .frame { fill: none; stroke: #cbd5e1; stroke-width: 1.2; }\n"
    "  .shade0 { fill: #c7dbf3; } .shade1 { fill: #e2edf9; }\n"
    "  .shade2 { fill: #fdeedd; } .shade3 { fill: #fad7ae; }\n"
    "  .shade1, .shade2, .shade3 { fill-rule: evenodd; }\n"
    "  .border { fill: none; stroke: #334155; stroke-width: 1.8; stroke-linejoin: round; }\n"
    "  .cell { fill: none; stroke: #8292a8; stroke-width: 1; }\n"
    "  .class0 { fill: #2f6db5; stroke: #ffffff; stroke-width: .7; }\n"
    "  .class1 { fill: #d9701e; stroke: #ffffff; stroke-width: .7; }\n";

void cli_svg_begin(FILE *out, double width, double height) {
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n"
          "<style>\n%s</style>\n",
          width, height, width, height, style);
  cli_svg_rect(out, (const double[4]){0, 0, width, height}, 0, "page");
}

void cli_svg_end(FILE *out) { fputs("</svg>\n", out); }

void cli_svg_text(FILE *out, double x, double y, const char *class, const char *text) {
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
  for (; *text; text++) {
    if (*text == '<' || *text == '>' || *text == '&') fprintf(out, "&#%d;", *text);
    else fputc(*text, out);
  }
  fputs("</text>\n", out);
}

void cli_svg_rect(FILE *out, const double box[4], double round, const char *class) {
  fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%.1f\" class=\"%s\"/>\n", box[0],
          box[1], box[2], box[3], round, class);
}

void cli_svg_circle(FILE *out, double x, double y, double radius, const char *class) {
  fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"%s\"/>\n", x, y, radius, class);
}

void cli_svg_line(FILE *out, const double ends[4], const char *class) {
  fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", ends[0], ends[1], ends[2],
          ends[3], class);
}

void cli_svg_path_begin(FILE *out, const char *class) { fprintf(out, "<path class=\"%s\" d=\"", class); }

void cli_svg_path_point(FILE *out, double x, double y, int first) {
  fprintf(out, "%s%.1f %.1f", first ? "M" : "L", x, y);
}

void cli_svg_path_end(FILE *out) { fputs("\"/>\n", out); }
