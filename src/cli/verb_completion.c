/* verb_completion.c - the verb completion: the script of a shell. */
#include "completion.h"
#include <string.h>

static const struct shell {
  const char *name;
  void (*write)(FILE *out);
} shells[] = {{"bash", cli_completion_bash}, {"zsh", cli_completion_zsh}, {"fish", cli_completion_fish}};

enum { SHELLS = sizeof shells / sizeof *shells };

static void names(FILE *out) {
  for (size_t i = 0; i < SHELLS; i++) fprintf(out, " %s", shells[i].name);
}

static int run(const cli_args *args) {
  const char *name = args->operands.item[0];
  for (size_t i = 0; i < SHELLS; i++) {
    if (strcmp(shells[i].name, name)) continue;
    shells[i].write(stdout);
    return CLI_DONE;
  }
  return cli_fail(CLI_USAGE, "completion: there is no script for '%s'; there are bash, zsh and fish", name);
}

static const cli_option *const groups[] = {cli_options_talk, NULL};

const cli_verb cli_completion = {
    .name = "completion",
    .usage = "bash | zsh | fish",
    .summary = "write a completion script for a shell",
    .details = "The script completes verbs, options, methods after -m, settings and their values after -s, and file "
               "names. An installed svforest includes it; otherwise load it as the examples show.\n"
               "bash: add the line to ~/.bashrc. zsh: write it to a folder of $fpath. fish: write it to "
               "~/.config/fish/completions.",
    .example = "source <(svforest completion bash)\n"
               "svforest completion zsh >~/.zfunc/_svforest\n"
               "svforest completion fish >~/.config/fish/completions/svforest.fish",
    .options = groups,
    .operands = "SHELL",
    .least = 1,
    .most = 1,
    .words = names,
    .run = run,
};
