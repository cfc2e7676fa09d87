/* recipe_parse.c - the text of a made feature.
 *
 *   feature     = name "=" (product | distance)
 *   product     = power { "*" power }
 *   power       = name [ "^" digit ]                digit 1..9
 *   distance    = "distance" "(" name "=" number { "," name "=" number } ")"
 *   name        = text in double quotes, a quote in it doubled; or a run of characters other than = * ^ ( ) , and
 *                 quotes, without the blanks at its ends
 * Blanks between these do not matter. */
#include "data/recipe.h"

#include <stdlib.h>
#include <string.h>
#include "data/number.h"

typedef struct reader {
  const char *text, *at;
  const char *const *names;
  size_t columns;
  char *word; /* the name read last; room for the whole text */
  svf_message *message;
} reader;

static svf_status wrong(const reader *r, const char *what) {
  return svf_fail(
      r->message, SVF_USAGE,
      "feature '%.200s': %s; write NAME=A*B, NAME=A^2 or NAME=distance(A=1.5,B=2), odd names in double quotes",
      r->text, what);
}

static void skip(reader *r) { r->at += strspn(r->at, " \t"); }

static bool take(reader *r, char letter) {
  skip(r);
  if (*r->at != letter) return false;
  r->at++;
  return true;
}

static svf_status take_quoted(reader *r) {
  char *to = r->word;
  for (r->at++; *r->at; *to++ = *r->at++)
    if (*r->at == '"' && *++r->at != '"') {
      *to = 0;
      return SVF_OK;
    }
  return wrong(r, "a quote is not closed");
}

static svf_status take_name(reader *r) {
  skip(r);
  if (*r->at == '"') return take_quoted(r);
  size_t length = strcspn(r->at, "=*^(),\"");
  memcpy(r->word, r->at, length);
  r->at += length;
  while (length && strchr(" \t", r->word[length - 1])) length--;
  r->word[length] = 0;
  return length ? SVF_OK : wrong(r, "a name is missing");
}

static svf_status find_column(const reader *r, uint32_t *column) {
  for (size_t j = 0; j < r->columns; j++)
    if (strcmp(r->names[j], r->word) == 0) {
      *column = (uint32_t)j;
      return SVF_OK;
    }
  return svf_fail(r->message, SVF_USAGE, "feature '%.200s': there is no column '%.80s' to make it of", r->text,
                  r->word);
}

static svf_status add_part(const reader *r, svf_part_of part, svf_recipe *recipe) {
  svf_part_of *grown = realloc(recipe->part, (recipe->count + 1) * sizeof *grown);
  if (!grown) return svf_no_memory(r->message, "a feature");
  grown[recipe->count++] = part;
  recipe->part = grown;
  return SVF_OK;
}

/* The first name has been read. */
static svf_status take_product(reader *r, svf_recipe *recipe) {
  recipe->kind = SVF_RECIPE_PRODUCT;
  for (;;) {
    svf_part_of part = {0};
    int power = 1;
    SVF_TRY(find_column(r, &part.column));
    if (take(r, '^')) {
      skip(r);
      if (*r->at < '1' || *r->at > '9') return wrong(r, "a power is a digit from 1 to 9");
      power = *r->at++ - '0';
    }
    for (; power > 0; power--) SVF_TRY(add_part(r, part, recipe));
    if (!take(r, '*')) return SVF_OK;
    SVF_TRY(take_name(r));
  }
}

/* "distance(" has been read. */
static svf_status take_distance(reader *r, svf_recipe *recipe) {
  recipe->kind = SVF_RECIPE_DISTANCE;
  do {
    svf_part_of part = {0};
    SVF_TRY(take_name(r));
    SVF_TRY(find_column(r, &part.column));
    if (!take(r, '=')) return wrong(r, "a distance needs a number for each column");
    skip(r);
    const char *end = svf_number_scan(r->at, &part.centre);
    if (!end || !isfinite(part.centre)) return wrong(r, "a distance needs a number for each column");
    r->at = end;
    SVF_TRY(add_part(r, part, recipe));
  } while (take(r, ','));
  return take(r, ')') ? SVF_OK : wrong(r, "')' is missing");
}

static svf_status parse(reader *r, char **name, svf_recipe *recipe) {
  SVF_TRY(take_name(r));
  if (!(*name = strdup(r->word))) return svf_no_memory(r->message, "a feature");
  if (!take(r, '=')) return wrong(r, "'=' is missing");
  skip(r);
  bool quoted = *r->at == '"';
  SVF_TRY(take_name(r));
  bool distance = !quoted && strcmp(r->word, "distance") == 0 && take(r, '(');
  SVF_TRY(distance ? take_distance(r, recipe) : take_product(r, recipe));
  skip(r);
  return *r->at ? wrong(r, "something follows its end") : SVF_OK;
}

svf_status svf_recipe_parse(const char *text, const char *const *names, size_t columns, char **name,
                            svf_recipe *recipe, svf_message *message) {
  *name = NULL;
  *recipe = (svf_recipe){0};
  reader r = {text, text, names, columns, malloc(strlen(text) + 1), message};
  if (!r.word) return svf_no_memory(message, "a feature");
  svf_status status = parse(&r, name, recipe);
  free(r.word);
  if (!status) return status;
  free(*name);
  *name = NULL;
  svf_recipe_free(recipe);
  return status;
}
