/* image_text.c - the settings of a model file, as lines of text: method=..., then name=value for each. */
#include "forest/file/image.h"

#include <stdlib.h>
#include <string.h>

static const char method_is[] = "method=";

/* Later settings are written where they differ from their default only: models without them keep their bytes. */
static bool written(const svf_settings *settings, int number) {
  return number <= SVF_SET_bound_scale ||
         !svf_settings_has(settings, number, svf_setting_at((size_t)number)->standard);
}

bool svf_settings_write(const svf_settings *settings, svf_buffer *text) {
  svf_buffer_print(text, "%s%s\n", method_is, settings->method);
  for (int i = 0; i < SVF_SETTINGS; i++) {
    if (!written(settings, i)) continue;
    svf_buffer_print(text, "%s=", svf_setting_at((size_t)i)->name);
    svf_settings_print(settings, i, text);
    svf_buffer_print(text, "\n");
  }
  return !text->failed;
}

static svf_status read_method(const svf_image *image, const char *line, svf_settings *settings) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
  size_t prefix = strlen(method_is);
  if (strncmp(line, method_is, prefix)) return svf_damaged(image, "its settings do not start with a method");
  size_t length = strlen(line + prefix);
  if (length >= SVF_NAME_SIZE || strspn(line + prefix, letters) != length)
    return svf_damaged(image, "'%.40s' is no name of a method", line + prefix);
  memcpy(settings->method, line + prefix, length + 1);
  return SVF_OK;
}

static svf_status read_setting(const svf_image *image, char *line, svf_settings *settings) {
  char *value = strchr(line, '=');
  if (!value) return svf_damaged(image, "the setting '%.40s' has no value", line);
  *value++ = 0;
  int number = svf_setting_find(line);
  if (number < 0)
    return svf_fail(image->message, SVF_DATA, "%s: has a setting '%.40s' that this version of svforest does not know",
                    image->path, line);
  if (settings->given[number]) return svf_damaged(image, "the setting '%s' occurs twice", line);
  svf_message why;
  if (svf_settings_assign(settings, number, value, &why))
    return svf_fail(image->message, SVF_DATA, "%s: %.200s", image->path, why.text);
  return SVF_OK;
}

/* Cuts the text into lines in place. Ids come last, and are left to image_ids.c. */
static svf_status read_lines(const svf_image *image, char *text, svf_settings *settings) {
  bool ids = false;
  for (char *line = text, *end; *line; line = end + 1) {
    end = strchr(line, '\n');
    if (!end) return svf_damaged(image, "its settings do not end with a newline");
    *end = 0;
    ids |= line != text && svf_ids_line(line);
    if (ids && !svf_ids_line(line)) return svf_damaged(image, "a setting follows the ids");
    if (ids) continue;
    SVF_TRY(line == text ? read_method(image, line, settings) : read_setting(image, line, settings));
  }
  return SVF_OK;
}

svf_status svf_settings_read(const svf_image *image, int section, svf_settings *settings) {
  const char *from = svf_section_data(image->bytes, section);
  size_t size = svf_section_count(image->bytes, section);
  svf_settings_reset(settings);
  if (!size || memchr(from, 0, size)) return svf_damaged(image, "its settings are not text");
  char *text = malloc(size + 1);
  if (!text) return svf_no_memory(image->message, "the settings of a model");
  memcpy(text, from, size);
  text[size] = 0;
  svf_status status = read_lines(image, text, settings);
  free(text);
  memset(settings->given, 0, sizeof settings->given); /* by whose hand, the file does not say */
  return status;
}
