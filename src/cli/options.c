/* options.c - the command line against a verb's tables of options. */
#include "cli.h"
#include "text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const cli_option cli_options_data[] = {
    {0, "target", "NAME|NUMBER",
     "target column, by name or number from 1 (default: the last, or the target of the model)", cli_set_text,
     offsetof(cli_args, target)},
    {0, "drop", "NAME|NUMBER", "leave a column out; may be repeated", cli_set_list, offsetof(cli_args, drop)},
    {0, "weight", "NAME|NUMBER", "column of row weights", cli_set_text, offsetof(cli_args, weight)},
    {0, "task", "class|regress", "predict classes or numbers (default: by the values of the target)", cli_set_choice,
     offsetof(cli_args, task)},
    {0, "format", "csv|libsvm|npy", "format of the data (default: by name and content)", cli_set_choice,
     offsetof(cli_args, format)},
    {0}};

const cli_option cli_options_learn[] = {
    {0, "id", "NAME|NUMBER",
     "column that identifies the rows: not a feature; predict writes it in front of the predictions; may "
     "be repeated",
     cli_set_list, offsetof(cli_args, ids)},
    {0, "feature", "NAME=RECIPE",
     "add a feature computed from columns: A*B, A^2 or distance(A=1.5,B=2); may be repeated", cli_set_list,
     offsetof(cli_args, made)},
    {0, "class-weight", "NAME=WEIGHT", "weight of a class (default: 1; sets class_weight=given); may be repeated",
     cli_set_list, offsetof(cli_args, class_weights)},
    {0}};

const cli_option cli_options_run[] = {
    {0, "threads", "N", "number of threads; 0 is one per processor (default); never changes a result", cli_set_count,
     offsetof(cli_args, threads)},
    {0, "seed", "N", "seed of every random draw", cli_set_digits, offsetof(cli_args, seed)},
    {0}};

const cli_option cli_options_talk[] = {
    {0, "json", NULL, "print one JSON object on standard output", cli_set_flag, offsetof(cli_args, json)},
    {'q', "quiet", NULL, "print no remarks and no progress", cli_set_flag, offsetof(cli_args, quiet)},
    {'v', "verbose", NULL, "print more: the settings of train, the candidates of tune", cli_set_flag,
     offsetof(cli_args, verbose)},
    {'h', "help", NULL, "show this help", cli_set_flag, offsetof(cli_args, help)},
    {0, "version", NULL, "show the version", cli_set_flag, offsetof(cli_args, version)},
    {0}};

const char *cli_set_flag(const cli_option *option, const char *text, void *place) {
  (void)option, (void)text;
  *(bool *)place = true;
  return NULL;
}

const char *cli_set_text(const cli_option *option, const char *text, void *place) {
  (void)option;
  *(const char **)place = text;
  return *text ? NULL : "a text that is not empty";
}

const char *cli_set_list(const cli_option *option, const char *text, void *place) {
  cli_list *list = place;
  return cli_set_text(option, text, &list->item[list->count++]);
}

const char *cli_set_method(const cli_option *option, const char *text, void *place) {
  return cli_set_text(option, text, place);
}

const char *cli_set_setting(const cli_option *option, const char *text, void *place) {
  return cli_set_list(option, text, place);
}

static bool whole(const char *text, uint64_t *number) {
  char *end;
  if (*text < '0' || *text > '9') return false; /* strtoull would take blanks and signs */
  errno = 0;
  *number = strtoull(text, &end, 10);
  return *end == 0 && errno == 0;
}

const char *cli_set_digits(const cli_option *option, const char *text, void *place) {
  uint64_t number;
  return whole(text, &number) ? cli_set_text(option, text, place) : "an integer in 0..18446744073709551615";
}

static bool count_from(uint64_t least, const char *text, void *place) {
  uint64_t number;
  if (!whole(text, &number) || number < least || number > INT32_MAX) return false;
  *(size_t *)place = (size_t)number;
  return true;
}

const char *cli_set_count(const cli_option *option, const char *text, void *place) {
  (void)option;
  return count_from(0, text, place) ? NULL : "an integer in 0..2147483647";
}

const char *cli_set_positive(const cli_option *option, const char *text, void *place) {
  (void)option;
  return count_from(1, text, place) ? NULL : "an integer in 1..2147483647";
}

const char *cli_set_slice(const cli_option *option, const char *text, void *place) {
  (void)option;
  size_t *slice = place;
  char first[16] = "";
  size_t length = strcspn(text, "/");
  if (length < sizeof first) memcpy(first, text, length);
  bool fine = text[length] && count_from(1, first, &slice[0]) && count_from(1, text + length + 1, &slice[1]) &&
              slice[0] <= slice[1];
  return fine ? NULL : "I/N with I in 1..N";
}

/* A number above 0; false: it is none. */
static bool above_zero(const char *text, double *number) {
  char *end;
  *number = strtod(text, &end);
  return end != text && *end == 0 && *number > 0;
}

const char *cli_set_effort(const cli_option *option, const char *text, void *place) {
  bool fine = *text >= '1' && *text <= '9' && !text[1];
  return fine ? cli_set_text(option, text, place) : "an integer in 1..9";
}

const char *cli_set_share(const cli_option *option, const char *text, void *place) {
  (void)option;
  return above_zero(text, place) && *(double *)place < 1 ? NULL : "a number between 0 and 1, neither included";
}

const char *cli_set_seconds(const cli_option *option, const char *text, void *place) {
  (void)option;
  return above_zero(text, place) && *(double *)place <= 1e9 ? NULL : "a number above 0, at most 1e9";
}

const char *cli_set_size(const cli_option *option, const char *text, void *place) {
  static const char *const unit[] = {"", "B", "kB", "MB", "GB", "TB"};
  static const double bytes[] = {1, 1, 1e3, 1e6, 1e9, 1e12};
  (void)option;
  char *end;
  double number = strtod(text, &end);
  for (size_t u = 0; u < sizeof unit / sizeof *unit && *text >= '0' && *text <= '9'; u++)
    if (!strcasecmp(end, unit[u]) && number * bytes[u] >= 1 && number * bytes[u] < 1e15) {
      *(double *)place = number * bytes[u];
      return NULL;
    }
  return "a size such as 500MB or 2GB";
}

const char *cli_set_choice(const cli_option *option, const char *text, void *place) {
  size_t length = strlen(text);
  int number = 1;
  for (const char *choice = option->value;; choice++, number++) {
    size_t width = strcspn(choice, "|");
    if (width == length && memcmp(choice, text, length) == 0) {
      *(int *)place = number;
      return NULL;
    }
    choice += width;
    if (*choice == 0) return option->value;
  }
}

/* The option with this letter (name NULL) or with this name of the given length. */
static const cli_option *find(const cli_verb *verb, char letter, const char *name, size_t length) {
  for (const cli_option *const *group = verb->options; *group; group++)
    for (const cli_option *option = *group; option->name; option++) {
      if (name ? strncmp(option->name, name, length) == 0 && option->name[length] == 0 : option->letter == letter)
        return option;
    }
  return NULL;
}

/* Where the parser stands in the words. */
typedef struct cursor {
  const cli_verb *verb;
  int count, at;
  char **words;
  cli_args *args;
} cursor;

static int unknown(const cursor *c, const char *word) {
  return cli_fail(CLI_USAGE, "%s: unknown option %s; 'svforest %s -h' lists the options", c->verb->name, word,
                  c->verb->name);
}

/* The same for a long one, of which a guess can be made; `length` is that of its name. */
static int unknown_long(const cursor *c, const char *word, size_t length) {
  char *name = cli_join(word + 2, "");
  name[length] = 0;
  const char *verb = c->verb->name, *best = cli_suggest_option(c->verb, name);
  const cli_verb *owner = cli_option_owner(name);
  int code = owner  ? cli_fail(CLI_USAGE, "%s: unknown option --%s; it is an option of '%s'", verb, name, owner->name)
             : best ? cli_fail(CLI_USAGE, "%s: unknown option --%s; did you mean --%s?", verb, name, best)
                    : unknown(c, word);
  free(name);
  return code;
}

/* Gives the option its value: the rest of its word where there is one, else the next word. */
static int assign(cursor *c, const cli_option *option, const char *rest) {
  const char *text = rest;
  if (option->value && !text) {
    if (c->at >= c->count)
      return cli_fail(CLI_USAGE, "%s: --%s needs a value (%s)", c->verb->name, option->name, option->value);
    text = c->words[c->at++];
  }
  const char *must = option->set(option, text, (char *)c->args + option->place);
  if (must) return cli_fail(CLI_USAGE, "%s: --%s %s: must be %s", c->verb->name, option->name, text, must);
  return CLI_DONE;
}

static int take_long(cursor *c, const char *word) {
  size_t length = strcspn(word + 2, "=");
  const cli_option *option = find(c->verb, 0, word + 2, length);
  if (!option) return unknown_long(c, word, length);
  const char *rest = word[2 + length] ? word + 3 + length : NULL;
  if (rest && !option->value) return cli_fail(CLI_USAGE, "%s: --%s takes no value", c->verb->name, option->name);
  return assign(c, option, rest);
}

/* -q, -qv, -k5, -k 5 */
static int take_short(cursor *c, const char *word) {
  for (const char *letter = word + 1; *letter; letter++) {
    const cli_option *option = find(c->verb, *letter, NULL, 0);
    if (!option) return unknown(c, word);
    if (option->value) return assign(c, option, letter[1] ? letter + 1 : NULL);
    CLI_TRY(assign(c, option, NULL));
  }
  return CLI_DONE;
}

static int take_word(cursor *c, bool *plain) {
  const char *word = c->words[c->at++];
  if (*plain || word[0] != '-' || word[1] == 0) {
    c->args->operands.item[c->args->operands.count++] = word;
    return CLI_DONE;
  }
  if (strcmp(word, "--") == 0) {
    *plain = true;
    return CLI_DONE;
  }
  return word[1] == '-' ? take_long(c, word) : take_short(c, word);
}

static int check_operands(const cli_verb *verb, const cli_args *args) {
  if (args->operands.count < verb->least) {
    const char *name = verb->operands;
    for (size_t i = 0; i < args->operands.count; i++) name += strcspn(name, " ") + 1;
    return cli_fail(CLI_USAGE, "%s: %.*s is missing; usage: svforest %s %s", verb->name, (int)strcspn(name, " "),
                    name, verb->name, verb->usage);
  }
  if (args->operands.count > verb->most)
    return cli_fail(CLI_USAGE, "%s: unexpected argument '%s'; usage: svforest %s %s", verb->name,
                    args->operands.item[verb->most], verb->name, verb->usage);
  return CLI_DONE;
}

int cli_parse(const cli_verb *verb, int count, char **words, cli_args *args) {
  cursor c = {verb, count, 0, words, args};
  bool plain = false;
  size_t room = (size_t)count + 1;
  *args = (cli_args){.drop.item = CLI_TAKE(const char *, room),
                     .keep.item = CLI_TAKE(const char *, room),
                     .ids.item = CLI_TAKE(const char *, room),
                     .settings.item = CLI_TAKE(const char *, room),
                     .made.item = CLI_TAKE(const char *, room),
                     .tries.item = CLI_TAKE(const char *, room),
                     .class_weights.item = CLI_TAKE(const char *, room),
                     .operands.item = CLI_TAKE(const char *, room)};
  while (c.at < count) CLI_TRY(take_word(&c, &plain));
  return args->help || args->version ? CLI_DONE : check_operands(verb, args);
}

void cli_args_free(cli_args *args) {
  free(args->drop.item);
  free(args->keep.item);
  free(args->ids.item);
  free(args->settings.item);
  free(args->made.item);
  free(args->tries.item);
  free(args->class_weights.item);
  free(args->operands.item);
}
