/* dump.h - every tree of a model as indented text or as JSON. */
#ifndef CLI_DUMP_H
#define CLI_DUMP_H

#include "json.h"
#include "cli.h"

void cli_dump_text(FILE *out, const svf_forest *forest);
/* Adds a member "forest": a list of trees, each a list of nodes. */
void cli_dump_json(cli_json *json, const svf_forest *forest);

#endif
