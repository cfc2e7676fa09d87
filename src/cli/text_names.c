/* text_names.c - names in cells of tables, however long they are and whatever bytes they have. */
#include "cli.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

/* The name with its control characters escaped: a line break would break the table. free() it. */
static char *plain(const char *name) {
  char *text = CLI_TAKE(char, 4 * strlen(name) + 1), *to = text;
  for (; *name; name++) {
    unsigned char byte = (unsigned char)*name;
    if (byte == '\n' || byte == '\r' || byte == '\t')
      to += sprintf(to, "\\%c", byte == '\n' ? 'n' : byte == '\r' ? 'r' : 't');
    else if (byte < ' ' || byte == 127) to += sprintf(to, "\\x%02x", byte);
    else *to++ = *name;
  }
  return text;
}

/* The place after one character: a byte, and at most three that continue it. */
static const char *after(const char *at) {
  const char *end = at + 1;
  while (end - at < 4 && ((unsigned char)*end & 0xc0) == 0x80) end++;
  return end;
}

static size_t count(const char *text) {
  size_t characters = 0;
  for (; *text; text = after(text)) characters++;
  return characters;
}

static const char *skip(const char *text, size_t characters) {
  while (characters-- > 0) text = after(text);
  return text;
}

size_t cli_width(const char *name) {
  char *text = plain(name);
  size_t width = count(text);
  free(text);
  return width;
}

void cli_fit(FILE *out, const char *name, int width) {
  enum { DOTS = 3 };
  char *text = plain(name);
  size_t room = (size_t)abs(width), has = count(text);
  if (room && has > room) {
    size_t tail = (room - DOTS) / 2, head = room - DOTS - tail;
    fwrite(text, 1, (size_t)(skip(text, head) - text), out);
    fprintf(out, "...%s", skip(text, has - tail));
  } else {
    int gap = room > has ? (int)(room - has) : 0;
    fprintf(out, "%*s%s%*s", width > 0 ? gap : 0, "", text, width < 0 ? gap : 0, "");
  }
  free(text);
}
