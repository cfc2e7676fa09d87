/* recipe.c - see recipe.h. */
#include "data/recipe.h"

#include <stdlib.h>
#include <string.h>
#include "base/number_text.h"

bool svf_recipe_copy(const svf_recipe *recipe, svf_recipe *copy) {
  *copy = (svf_recipe){0};
  if (recipe->kind == SVF_RECIPE_NONE) return true;
  svf_part_of *part = calloc(recipe->count, sizeof *part);
  if (!part) return false;
  memcpy(part, recipe->part, recipe->count * sizeof *part);
  *copy = (svf_recipe){recipe->kind, part, recipe->count};
  return true;
}

void svf_recipe_free(svf_recipe *recipe) {
  free(recipe->part);
  *recipe = (svf_recipe){0};
}

/* A name in quotes, those within it doubled, unless it is plain letters, digits, points, underscores. */
static void add_name(const char *name, svf_buffer *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  if (*name && name[strspn(name, plain)] == 0) {
    svf_buffer_add(text, name, strlen(name));
    return;
  }
  svf_buffer_add(text, "\"", 1);
  for (; *name; name++) svf_buffer_add(text, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
  svf_buffer_add(text, "\"", 1);
}

bool svf_recipe_text(const svf_recipe *recipe, const char *const *names, svf_buffer *text) {
  bool distance = recipe->kind == SVF_RECIPE_DISTANCE;
  if (distance) svf_buffer_print(text, "distance(");
  for (size_t i = 0; i < recipe->count; i++) {
    char number[SVF_NUMBER_TEXT];
    if (i) svf_buffer_print(text, distance ? "," : "*");
    add_name(names[recipe->part[i].column], text);
    svf_number_text(recipe->part[i].centre, number);
    if (distance) svf_buffer_print(text, "=%s", number);
  }
  if (distance) svf_buffer_print(text, ")");
  return !text->failed;
}
