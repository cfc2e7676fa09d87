/* help.h - help texts and the manual page, all from the tables of verbs, options, methods and settings. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli.h"

void cli_help_version(FILE *out);
void cli_help_overview(FILE *out);
void cli_help_verb(FILE *out, const cli_verb *verb);
/* svforest.1 */
void cli_help_manual(FILE *out);

#endif
