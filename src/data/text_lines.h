/* text_lines.h - what CSV and LIBSVM files have in common: lines of text without 0 bytes. */
#ifndef SVF_DATA_TEXT_LINES_H
#define SVF_DATA_TEXT_LINES_H

#include "data/read.h"

typedef struct svf_text {
  const char *path;        /* for messages */
  const char *begin, *end; /* after a byte order mark; *end is 0, and no byte before it is */
  char newline;            /* what ends a line: '\n', or '\r' where there is no '\n' at all */
} svf_text;

/* Refuses an empty file and one with 0 bytes. Borrows the bytes. */
svf_status svf_text_open(const svf_bytes *bytes, const char *path, svf_text *text, svf_message *message);

/* How many newlines are between the two. */
size_t svf_text_lines(const svf_text *text, const char *from, const char *to);

/* The end of the line that `at` is on: its newline, or the end of the text. */
const char *svf_text_line_end(const svf_text *text, const char *at);

/* Is the text this word, given in small letters, in any case? ASCII whatever the locale. */
bool svf_text_is(const char *text, size_t length, const char *word);

#endif
