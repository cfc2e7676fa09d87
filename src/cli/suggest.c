/* suggest.c - what a mistyped verb or option was probably meant to be. */
#include "cli.h"
#include <stdlib.h>
#include <string.h>

/* The only name that begins with the word, else the nearest. */
static const char *choose(const char *word, const char *const *names, size_t count) {
  const char *longer = NULL;
  size_t length = strlen(word), found = 0;
  for (size_t i = 0; i < count; i++)
    if (length > 1 && strncmp(names[i], word, length) == 0) longer = names[i], found++;
  return found == 1 ? longer : svf_name_nearest(word, names, count);
}

const char *cli_suggest_verb(const char *word) {
  size_t count = 0;
  while (cli_verbs[count]) count++;
  const char **names = CLI_TAKE(const char *, count);
  for (size_t i = 0; i < count; i++) names[i] = cli_verbs[i]->name;
  const char *best = choose(word, names, count);
  free(names);
  return best;
}

const char *cli_suggest_option(const cli_verb *verb, const char *word) {
  size_t count = 0;
  for (const cli_option *const *group = verb->options; *group; group++)
    for (const cli_option *option = *group; option->name; option++) count++;
  const char **names = CLI_TAKE(const char *, count);
  count = 0;
  for (const cli_option *const *group = verb->options; *group; group++)
    for (const cli_option *option = *group; option->name; option++) names[count++] = option->name;
  const char *best = choose(word, names, count);
  free(names);
  return best;
}

const cli_verb *cli_option_owner(const char *name) {
  for (const cli_verb *const *verb = cli_verbs; *verb; verb++)
    for (const cli_option *const *group = (*verb)->options; *group; group++)
      for (const cli_option *option = *group; option->name; option++)
        if (strcmp(option->name, name) == 0) return *verb;
  return NULL;
}
