/* image_ids.c - the columns that were ids in training, in a model file: a line "id=NAME" each, after the settings. A newline
 * in a name is written as \n and a backslash as \\. A model without ids has no such line; a program that knows no ids takes
 * the line for a setting that it does not know. */
#include "forest/file/image.h"

#include <stdlib.h>
#include <string.h>
#include "data/names.h"

static const char id_is[] = "id=";

bool svf_ids_line(const char *line) { return strncmp(line, id_is, strlen(id_is)) == 0; }

bool svf_ids_write(const svf_names *ids, svf_buffer *text) {
  for (size_t i = 0; i < ids->count; i++) {
    svf_buffer_print(text, "%s", id_is);
    for (const char *c = ids->text[i]; *c; c++) {
      bool newline = *c == '\n', escaped = newline || *c == '\\';
      if (escaped) svf_buffer_add(text, "\\", 1);
      svf_buffer_add(text, newline ? "n" : c, 1);
    }
    svf_buffer_print(text, "\n");
  }
  return !text->failed;
}

/* The name on a line of the given length; NULL with *fine: no memory, without: no name is written so. */
static char *take_name(const char *line, size_t length, bool *fine) {
  char *name = calloc(length + 1, 1), *to = name;
  *fine = length > 0;
  for (const char *end = line + length; name && *fine && line < end; line++) {
    bool escaped = *line == '\\';
    if (escaped) line++;
    *fine = !escaped || (line < end && (*line == 'n' || *line == '\\'));
    *to++ = escaped && *line == 'n' ? '\n' : *line;
  }
  if (*fine) return name;
  free(name);
  return NULL;
}

static svf_status no_room(const svf_image *image) { return svf_no_memory(image->message, "the names of a model"); }

static svf_status check_distinct(const svf_image *image, const svf_names *ids) {
  svf_name_index index;
  if (!svf_name_index_make(ids->text, ids->count, &index)) return no_room(image);
  const char *twice = svf_name_index_twice(&index);
  svf_status status = twice ? svf_damaged(image, "the id '%.80s' occurs twice", twice) : SVF_OK;
  svf_name_index_free(&index);
  return status;
}

/* Lines are whole, and those of ids come last: svf_settings_read has seen to it. */
svf_status svf_ids_read(const svf_image *image, svf_names *ids) {
  const char *line = svf_section_data(image->bytes, SVF_SETT),
             *end = line + svf_section_count(image->bytes, SVF_SETT);
  size_t prefix = strlen(id_is), room = 0;
  while (line < end && memcmp(line, id_is, prefix)) line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
  for (const char *at = line; at < end; at++) room += *at == '\n';
  if (!room) return SVF_OK;
  ids->text = calloc(room, sizeof *ids->text);
  if (!ids->text) return no_room(image);
  while (ids->count < room) {
    const char *name = line + prefix;
    bool fine;
    line = (const char *)memchr(name, '\n', (size_t)(end - name)) + 1;
    ids->text[ids->count] = take_name(name, (size_t)(line - 1 - name), &fine);
    if (!fine) return svf_damaged(image, "the name of an id is wrong");
    if (!ids->text[ids->count++]) return no_room(image);
  }
  return check_distinct(image, ids);
}
