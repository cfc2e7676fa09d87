/* json.h - a JSON writer: one object to a stream, member by member. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CLI_JSON_DEPTH = 16 };

typedef struct cli_json {
  FILE *out;
  int depth;
  struct {
    char end;     /* '}' or ']' */
    bool flat;    /* all on one line */
    bool started; /* has a member */
  } level[CLI_JSON_DEPTH];
} cli_json;

/* Opens the outermost object; the cli_json_close that fits it ends the line. */
void cli_json_begin(cli_json *json, FILE *out);

/* In an object every member has a key; in a list key is NULL. A row is a list on one line. */
void cli_json_object(cli_json *json, const char *key);
void cli_json_list(cli_json *json, const char *key);
void cli_json_row(cli_json *json, const char *key);
void cli_json_close(cli_json *json);

/* Bytes that are not UTF-8 become U+FFFD; text NULL is null. */
void cli_json_text(cli_json *json, const char *key, const char *text);
/* Reads back as the same double; NaN and infinities are null. */
void cli_json_number(cli_json *json, const char *key, double number);
void cli_json_count(cli_json *json, const char *key, size_t count);
void cli_json_flag(cli_json *json, const char *key, bool flag);

#endif
