/* text.h - small pieces of text: numbers that read back, CSV fields, cells of tables, wrapped paragraphs. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stddef.h>
#include <stdio.h>

typedef struct cli_digits {
  char text[32];
} cli_digits;

/* The shortest decimal text that reads back as the same number. */
cli_digits cli_number(double number);
/* A few digits for people: 4 decimals below 1000, 1 below a million, else 4 digits and a power of ten. "-" for NaN. */
cli_digits cli_short(double number);
/* Seconds for people, as exact as a clock is: 4 decimals, fewer from 10 s on. "-" for NaN. */
cli_digits cli_seconds(double seconds);

/* Writes a CSV field, in quotes where it needs them. */
void cli_csv(FILE *out, const char *text);
/* Characters of a name as cli_fit writes it: those of UTF-8, control characters escaped. */
size_t cli_width(const char *name);
/* Writes a name into a cell of a table: padded to so many characters, on the left if width is negative, as printf does; a
 * longer one has "..." in its middle. 0: as long as it is. */
void cli_fit(FILE *out, const char *name, int width);
/* Writes paragraphs (apart by newlines) with every line indented, wrapped at 100 columns; the first line goes
 * on from column `at`. */
void cli_wrap(FILE *out, const char *text, int indent, int at);
/* a + b as a new string; free() it. */
char *cli_join(const char *a, const char *b);
/* One of the two words, by count. */
const char *cli_plural(size_t count, const char *one, const char *many);

#endif
