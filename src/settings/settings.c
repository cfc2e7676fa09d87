/* settings.c - the table behind settings.def: text to value, value to text, checks. */
#include "settings/settings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/number_text.h"
#include "data/number.h"

typedef enum type { TYPE_INTEGER, TYPE_NUMBER, TYPE_CHOICE, TYPE_COUNT, TYPE_LIST, TYPE_KIND } type;

typedef struct row {
  type type;
  size_t offset;
  double low, high;
} row;

#define INTEGER(name, standard, low, high, help)      {TYPE_INTEGER, offsetof(svf_settings, name), low, high},
#define NUMBER(name, standard, low, high, help)       {TYPE_NUMBER, offsetof(svf_settings, name), low, high},
#define CHOICE(name, standard, words, help)           {TYPE_CHOICE, offsetof(svf_settings, name), 0, 0},
#define LIST(name, standard, low, high, help)         {TYPE_LIST, offsetof(svf_settings, name), low, high},
#define COUNT(name, standard, words, low, high, help) {TYPE_COUNT, offsetof(svf_settings, name), low, high},
#define KIND(name, standard, help)                    {TYPE_KIND, offsetof(svf_settings, name), 0, 0},
static const row rows[] = {
#include "settings/settings.def"
};
#undef INTEGER
#undef NUMBER
#undef CHOICE
#undef LIST
#undef COUNT
#undef KIND

#define INTEGER(name, standard, low, high, help)      {#name, "integer", standard, #low ".." #high, help},
#define NUMBER(name, standard, low, high, help)       {#name, "number", standard, #low ".." #high, help},
#define CHOICE(name, standard, words, help)           {#name, "choice", standard, words, help},
#define LIST(name, standard, low, high, help)         {#name, "list", standard, #low ".." #high, help},
#define COUNT(name, standard, words, low, high, help) {#name, "count", standard, words "|" #low ".." #high, help},
#define KIND(name, standard, help)                    {#name, "kind", standard, "", help},
static const svf_setting_info infos[] = {
#include "settings/settings.def"
};

size_t svf_setting_count(void) { return SVF_SETTINGS; }
const svf_setting_info *svf_setting_at(size_t index) { return index < SVF_SETTINGS ? &infos[index] : NULL; }

int svf_setting_find(const char *name) {
  for (int i = 0; i < SVF_SETTINGS; i++)
    if (infos[i].name[0] == name[0] && !strcmp(infos[i].name, name)) return i;
  return -1;
}

static void *place(svf_settings *settings, int number) { return (char *)settings + rows[number].offset; }
static const void *look(const svf_settings *settings, int number) {
  return (const char *)settings + rows[number].offset;
}

void svf_settings_reset(svf_settings *settings) {
  memset(settings, 0, sizeof *settings);
  for (int i = 0; i < SVF_SETTINGS; i++) svf_settings_assign(settings, i, infos[i].standard, NULL);
  memset(settings->given, 0, sizeof settings->given);
}

static svf_status refuse(svf_message *message, int number, const char *value) {
  static const char *const what[] = {
      [TYPE_INTEGER] = "an integer in ", [TYPE_NUMBER] = "a number in ",
      [TYPE_CHOICE] = "one of ",         [TYPE_LIST] = "up to 64 numbers with commas between, each in ",
      [TYPE_COUNT] = "one of ",          [TYPE_KIND] = "the name of a kind",
  };
  return svf_fail(message, SVF_USAGE, "%s=%s: must be %s%s", infos[number].name, value, what[rows[number].type],
                  infos[number].range);
}

/* One number in the row's range that ends at `end`; NaN fails. */
static bool parse_number(int number, const char *text, const char **end, double *value) {
  *end = svf_number_scan(text, value);
  if (!*end) return false;
  bool free = rows[number].type == TYPE_NUMBER || rows[number].type == TYPE_LIST;
  return (free || *value == floor(*value)) && *value >= rows[number].low && *value <= rows[number].high;
}

static bool parse_list(int number, const char *text, svf_list *list) {
  svf_list found = {.count = 0};
  for (const char *at = text;; at++) {
    if (found.count == SVF_LIST_SIZE) return false;
    if (!parse_number(number, at, &at, &found.item[found.count++])) return false;
    if (*at == 0) break;
    if (*at != ',') return false;
  }
  *list = found;
  return true;
}

/* Position of a word in "one|two|three", or -1. */
static int find_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (int i = 0;; i++) {
    size_t span = strcspn(words, "|");
    if (span == length && !memcmp(words, word, span)) return i;
    if (!words[span]) return -1;
    words += span + 1;
  }
}

static bool parse_kind(const char *value, char *name) {
  size_t length = strlen(value);
  if (length == 0 || length >= SVF_NAME_SIZE) return false;
  if (strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-") != length) return false;
  memset(name, 0, SVF_NAME_SIZE);
  memcpy(name, value, length);
  return true;
}

svf_status svf_settings_assign(svf_settings *settings, int number, const char *value, svf_message *message) {
  const char *end;
  double parsed;
  int word;
  bool fine = false;
  switch (rows[number].type) {
  case TYPE_INTEGER:
    fine = parse_number(number, value, &end, &parsed) && *end == 0;
    if (fine) *(int64_t *)place(settings, number) = (int64_t)parsed;
    break;
  case TYPE_NUMBER:
    fine = parse_number(number, value, &end, &parsed) && *end == 0;
    if (fine) *(double *)place(settings, number) = parsed;
    break;
  case TYPE_CHOICE:
    word = find_word(infos[number].range, value);
    fine = word >= 0;
    if (fine) *(int *)place(settings, number) = word;
    break;
  case TYPE_COUNT: /* the last item of the range is the numbers' own and cannot be a word */
    word = find_word(infos[number].range, value);
    fine = word >= 0 && !strchr(value, '.');
    if (fine) *(int64_t *)place(settings, number) = -1 - word;
    else if ((fine = parse_number(number, value, &end, &parsed) && *end == 0))
      *(int64_t *)place(settings, number) = (int64_t)parsed;
    break;
  case TYPE_LIST:
    fine = parse_list(number, value, place(settings, number));
    break;
  case TYPE_KIND:
    fine = parse_kind(value, place(settings, number));
    break;
  }
  if (!fine) return refuse(message, number, value);
  settings->given[number] = 1;
  return SVF_OK;
}

/* One of the words of "one|two|three". */
static bool print_word(const char *words, int64_t position, svf_buffer *text) {
  for (; position > 0; position--) words += strcspn(words, "|") + 1;
  return svf_buffer_add(text, words, strcspn(words, "|"));
}

static bool print_list(const svf_list *list, svf_buffer *text) {
  for (size_t i = 0; i < list->count; i++) {
    char number[32];
    svf_number_text(list->item[i], number);
    svf_buffer_print(text, "%s%s", i ? "," : "", number);
  }
  return !text->failed;
}

bool svf_settings_print(const svf_settings *settings, int number, svf_buffer *text) {
  const void *value = look(settings, number);
  char buffer[32];
  const char *words = infos[number].range;
  switch (rows[number].type) {
  case TYPE_INTEGER:
    return svf_buffer_print(text, "%lld", (long long)*(const int64_t *)value);
  case TYPE_NUMBER:
    svf_number_text(*(const double *)value, buffer);
    return svf_buffer_print(text, "%s", buffer);
  case TYPE_CHOICE:
    return print_word(words, *(const int *)value, text);
  case TYPE_COUNT:
    if (*(const int64_t *)value < 0) return print_word(words, -1 - *(const int64_t *)value, text);
    return svf_buffer_print(text, "%lld", (long long)*(const int64_t *)value);
  case TYPE_LIST:
    return print_list(value, text);
  case TYPE_KIND:
    return svf_buffer_print(text, "%s", (const char *)value);
  }
  return false;
}
