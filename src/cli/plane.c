/* plane.c - a node's cut in the units of the data.
 *
 * encoded = (x - shift) * scale, so sum(w * encoded) < t is sum(w * scale * x) < t + sum(w * scale * shift). A clipped feature
 * (scale=robust) is no linear function of x: alone it is decoded, w * encoded < t being encoded < t / w; in a sum it stays
 * encoded.
 */
#include "plane.h"
#include "text.h"
#include <math.h>
#include <string.h>

/* One term: divided by its weight it reads as a plain comparison. */
static void normalise(cli_plane *plane) {
  double weight = plane->term[0].weight;
  if (plane->count != 1 || weight == 0) return;
  plane->threshold /= weight;
  plane->swapped = weight < 0;
  plane->term[0].weight = 1;
}

static cli_term term_of(const svf_forest *forest, const svf_encoded_info *encoded, double weight) {
  return (cli_term){svf_forest_feature_name(forest, encoded->feature),
                    encoded->category,
                    encoded->part,
                    encoded->part_class,
                    encoded->feature,
                    encoded->clipped ? weight : weight * encoded->scale,
                    encoded->clipped,
                    encoded->shift,
                    encoded->scale};
}

/* A single clipped term, its threshold in units of the data; a constant column stays as it is. */
static void decode(const svf_forest *forest, const svf_node_info *node, cli_plane *plane) {
  svf_encoded_info encoded;
  svf_forest_encoded(forest, node->terms[0].feature, &encoded);
  if (plane->term[0].weight == 0 || encoded.scale == 0) return;
  plane->threshold = svf_encoded_decode(&encoded, plane->threshold);
  plane->term[0].clipped = false;
}

void cli_plane_of(const svf_forest *forest, const svf_node_info *node, cli_plane *plane) {
  *plane = (cli_plane){
      .count = node->term_count, .term = CLI_TAKE(cli_term, node->term_count), .threshold = node->threshold};
  for (size_t i = 0; i < node->term_count; i++) {
    svf_encoded_info encoded;
    svf_forest_encoded(forest, node->terms[i].feature, &encoded);
    plane->term[i] = term_of(forest, &encoded, (double)node->terms[i].weight);
    if (!encoded.clipped) plane->threshold += plane->term[i].weight * encoded.shift;
  }
  if (plane->count) normalise(plane);
  if (plane->count == 1 && plane->term[0].clipped) decode(forest, node, plane);
}

static const char *indicator(const cli_term *term) {
  return term->part && !strcmp(term->part, "missing") ? term->part : NULL;
}

static void print_sum(FILE *out, const cli_plane *plane) {
  for (size_t i = 0; i < plane->count; i++) {
    const cli_term *term = &plane->term[i];
    if (i) fputs(" + ", out);
    if (term->weight != 1) fprintf(out, "%.6g*", term->weight);
    if (term->clipped) fputs("clip(", out);
    fputs(term->feature, out);
    if (term->category) fprintf(out, "[%s]", term->category);
    if (term->part)
      fprintf(out, "[%s%s%s]", term->part, term->part_class ? " " : "", term->part_class ? term->part_class : "");
    if (term->clipped) fputs(")", out);
  }
}

/* A date to the second. */
static void print_date(FILE *out, double days) {
  enum { SECONDS = 86400 };
  char text[40];
  double whole = floor(days);
  svf_date_print(whole + floor((days - whole) * SECONDS + .5) / SECONDS, text, sizeof text);
  fputs(text, out);
}

static bool has_part(const cli_term *term, const char *part) { return term->part && strcmp(term->part, part) == 0; }

void cli_plane_print(FILE *out, const cli_plane *plane, bool left) {
  bool below = left != plane->swapped;
  const cli_term *only = plane->count == 1 && plane->threshold > 0 && plane->threshold <= 1 ? plane->term : NULL;
  const char *state = only ? only->category ? only->category : indicator(only) : NULL;
  if (state) {
    fprintf(out, "%s %s %s", only->feature, below ? "is not" : "is", state);
    return;
  }
  if (plane->count == 1 && plane->term[0].weight == 1 && has_part(&plane->term[0], "days")) {
    fprintf(out, "%s %s ", plane->term[0].feature, below ? "<" : ">=");
    print_date(out, plane->threshold);
    return;
  }
  print_sum(out, plane);
  fprintf(out, " %s %.8g", below ? "<" : ">=", plane->threshold);
}
