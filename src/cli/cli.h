/* cli.h - what the verbs of the command share: exit codes, arguments, options, verbs, failures. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "svforest_inspect.h"
#include "svforest_parts.h"

enum { CLI_DONE = 0, CLI_FAULT = 1, CLI_USAGE = 2 }; /* exit codes; 128 + signal when stopped */

/* Passes a nonzero exit code on. */
#define CLI_TRY(call)                                                                                                \
  do {                                                                                                               \
    int cli_try_code = (call);                                                                                       \
    if (cli_try_code != CLI_DONE) return cli_try_code;                                                               \
  } while (0)

typedef struct cli_list {
  const char **item;
  size_t count;
} cli_list;

/* The command line after parsing; what was not given is 0. One struct for all verbs: a verb reads only what
 * its options can set. Texts point into argv. */
typedef struct cli_args {
  bool help, version, quiet, verbose, json;
  size_t threads;
  const char *seed; /* digits */
  const char *target, *weight;
  cli_list drop, keep, ids;
  int task, format; /* svf_task, svf_format */
  const char *method, *output;
  cli_list settings;  /* NAME=VALUE */
  const char *plan;   /* members of a committee */
  const char *effort; /* a digit */
  size_t member;      /* of a committee, from 1; 0: the model itself */
  bool proba, score, leaves;
  double interval, label_set; /* share of the answers that it should hold */
  size_t folds, repeats;
  double holdout, budget;
  int search; /* 1 + svf_tune_search */
  size_t candidates;
  cli_list tries; /* NAME=VALUE|VALUE */
  bool oob, importance, bound, dump;
  const char *background, *class_name;
  bool log_odds, margin, errors;
  size_t permutations;
  int to; /* of export: a language, from 1 */
  const char *name;
  bool single, force;
  const char *page; /* of eval: a report to write */
  size_t resamples;
  cli_list made, class_weights; /* NAME=RECIPE, NAME=WEIGHT */
  size_t rows, features, classes;
  size_t first, slice[2]; /* of training in parts: number of the first row; share I of N */
  bool from_disk;
  double memory; /* bytes */
  const char *scratch;
  cli_list operands;
} cli_args;

/* One option. A table of them ends with an all-zero row. */
typedef struct cli_option cli_option;
struct cli_option {
  char letter;       /* 0: none */
  const char *name;  /* what follows the two dashes */
  const char *value; /* how its value is called in the help; NULL: a flag; "a|b|c": one of these */
  const char *help;
  const char *(*set)(const cli_option *option, const char *text, void *place); /* NULL, or what the value must be */
  size_t place;                                                                /* offset in cli_args */
};

/* Ways to set an option. */
const char *cli_set_flag(const cli_option *option, const char *text, void *place);   /* bool */
const char *cli_set_text(const cli_option *option, const char *text, void *place);   /* const char * */
const char *cli_set_method(const cli_option *option, const char *text, void *place); /* the same: names of methods */
const char *cli_set_digits(const cli_option *option, const char *text, void *place); /* const char *, a uint64_t */
const char *cli_set_list(const cli_option *option, const char *text, void *place);   /* cli_list, one more item */
const char *cli_set_setting(const cli_option *option, const char *text,
                            void *place); /* the same: NAME=VALUE of a setting */
const char *cli_set_count(const cli_option *option, const char *text, void *place);    /* size_t */
const char *cli_set_positive(const cli_option *option, const char *text, void *place); /* size_t, at least 1 */
const char *cli_set_effort(const cli_option *option, const char *text, void *place);   /* const char *, a digit */
const char *cli_set_share(const cli_option *option, const char *text, void *place);    /* double in (0, 1) */
const char *cli_set_seconds(const cli_option *option, const char *text, void *place);  /* double, above 0 */
const char *cli_set_size(const cli_option *option, const char *text, void *place);     /* double, bytes: "2GB" */
const char *cli_set_slice(const cli_option *option, const char *text, void *place);    /* size_t[2], "2/10" */
const char *cli_set_choice(const cli_option *option, const char *text, void *place);   /* int, from 1 */

/* Groups of options that several verbs take. */
extern const cli_option cli_options_data[];  /* how a table is read */
extern const cli_option cli_options_learn[]; /* what is added to a table to be learned from */
extern const cli_option cli_options_run[];   /* --threads, --seed */
extern const cli_option cli_options_talk[];  /* --json, -q, -v, -h, --version */

typedef struct cli_verb {
  const char *name;
  const char *usage;                /* what follows "svforest NAME" */
  const char *summary;              /* one line, no final stop */
  const char *details;              /* paragraphs for help and manual, apart by newlines */
  const char *example;              /* lines, each a command */
  const cli_option *const *options; /* groups; ends with NULL */
  const char *operands;             /* names of those it cannot do without; NULL: none */
  size_t least, most;               /* operands it takes */
  bool settings;                    /* takes -s: the help lists the settings */
  void (*words)(FILE *out);         /* writes what its operands may be, a blank before each; NULL: files */
  int (*run)(const cli_args *args); /* returns an exit code, after saying what failed */
} cli_verb;

extern const cli_verb cli_train, cli_predict, cli_explain, cli_calibrate, cli_eval, cli_report_page, cli_cv, cli_tune,
    cli_info, cli_partition, cli_route, cli_fit_leaves, cli_merge, cli_export, cli_verify, cli_methods, cli_synth,
    cli_demo, cli_completion, cli_help;
extern const cli_verb *const cli_verbs[]; /* all of them, in the order of the manual; ends with NULL */
const cli_verb *cli_verb_find(const char *name);

/* completion_words.c: lists for cli_verb.words. */
void cli_words_verbs(FILE *out);
void cli_words_topics(FILE *out); /* of the verb help */
void cli_words_methods(FILE *out);
void cli_words_synths(FILE *out);

/* suggest.c: the verb, or the option of the verb, that a mistyped word was probably meant to be; NULL: none is near. A
 * word that begins just one of them means that one. */
const char *cli_suggest_verb(const char *word);
const char *cli_suggest_option(const cli_verb *verb, const char *word);
/* The first verb that has an option of this name, or NULL. */
const cli_verb *cli_option_owner(const char *name);

/* Fills args (to be freed by cli_args_free) from the words after the verb. */
int cli_parse(const cli_verb *verb, int count, char **words, cli_args *args);
void cli_args_free(cli_args *args);

/* Says on stderr what went wrong, returns the code. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The exit code for what the library said; says why unless it is SVF_OK. */
int cli_status(svf_status status, const svf_message *message);
/* A remark on stderr, unless -q. */
void cli_note(const cli_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Cleared memory, never NULL: ends the program with CLI_FAULT when there is none. */
void *cli_take(size_t count, size_t size);
#define CLI_TAKE(type, count) ((type *)cli_take((count), sizeof(type)))

#endif
