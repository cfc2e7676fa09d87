/* recipe.h - features made of other columns: how a value comes about, and its text.
 *
 *   product     x1 * x2 * ...               squares and powers are products of a column with itself
 *   distance    sqrt((x1 - c1)^2 + ...)     from a point
 * A value is missing if one of its parts is, and is held within the range of a double. */
#ifndef SVF_DATA_RECIPE_H
#define SVF_DATA_RECIPE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/buffer.h"
#include "base/status.h"

typedef enum svf_recipe_kind { SVF_RECIPE_NONE, SVF_RECIPE_PRODUCT, SVF_RECIPE_DISTANCE } svf_recipe_kind;

typedef struct svf_part_of { /* one part of a recipe */
  double centre;             /* of a distance; 0 in a product */
  uint32_t column;           /* among the columns that are not made */
} svf_part_of;

typedef struct svf_recipe {
  svf_recipe_kind kind; /* NONE: the column is not made */
  svf_part_of *part;
  size_t count;
} svf_recipe;

/* A value is a fold over the parts: begin, one step for each, end. */
static inline double svf_recipe_begin(const svf_recipe *recipe) { return recipe->kind == SVF_RECIPE_PRODUCT; }

static inline double svf_recipe_step(const svf_recipe *recipe, size_t part, double value, double x) {
  double off = x - recipe->part[part].centre;
  double next = recipe->kind == SVF_RECIPE_PRODUCT ? value * x : value + off * off;
  return next > DBL_MAX ? DBL_MAX : next < -DBL_MAX ? -DBL_MAX : next; /* an infinity times 0 would be NaN */
}

static inline double svf_recipe_end(const svf_recipe *recipe, double value) {
  return recipe->kind == SVF_RECIPE_DISTANCE ? sqrt(value) : value;
}

/* False (and *copy empty): memory ran out. */
bool svf_recipe_copy(const svf_recipe *recipe, svf_recipe *copy);
void svf_recipe_free(svf_recipe *recipe);

/* Appends "width*height" or "distance(x=1.5,y=2)"; names[column] are the names of the columns. Reads back as the same
 * recipe. */
bool svf_recipe_text(const svf_recipe *recipe, const char *const *names, svf_buffer *text);

/* recipe_parse.c: reads "NAME=EXPRESSION" over the first `columns` names; *name is the caller's to free. On failure
 * both are empty. */
svf_status svf_recipe_parse(const char *text, const char *const *names, size_t columns, char **name,
                            svf_recipe *recipe, svf_message *message);

#endif
