/* tuned.c - the TUNE rows of settings.def: which values of a setting are worth trying, and when. */
#include "settings/settings.h"

#include <string.h>

#define INTEGER(name, standard, low, high, help)
#define NUMBER(name, standard, low, high, help)
#define CHOICE(name, standard, words, help)
#define LIST(name, standard, low, high, help)
#define COUNT(name, standard, words, low, high, help)
#define KIND(name, standard, help)
#define TUNE(name, values, when) {SVF_SET_##name, values, when},
static const svf_tuned_row rows[] = {
#include "settings/settings.def"
};

const svf_tuned_row *svf_tuned_at(size_t index) { return index < sizeof rows / sizeof *rows ? &rows[index] : NULL; }

bool svf_settings_has(const svf_settings *settings, int number, const char *value) {
  svf_settings other;
  memcpy(&other, settings, sizeof other);
  if (svf_settings_assign(&other, number, value, NULL) != SVF_OK) return false;
  other.given[number] = settings->given[number];
  return !memcmp(&other, settings, sizeof other);
}

/* One condition, NAME=VALUE or NAME!=VALUE, of the given length. */
static bool holds(const char *condition, size_t length, const svf_settings *settings, svf_task task) {
  char text[64] = "";
  if (length >= sizeof text) return false;
  memcpy(text, condition, length);
  char *equals = strchr(text, '=');
  if (!equals) return false;
  bool other = equals > text && equals[-1] == '!';
  equals[other ? -1 : 0] = 0;
  if (!strcmp(text, "task")) return strcmp(equals + 1, task == SVF_TASK_REGRESS ? "regress" : "class") == 0;
  int number = svf_setting_find(text);
  return number >= 0 && svf_settings_has(settings, number, equals + 1) != other;
}

bool svf_tuned_applies(const svf_tuned_row *row, const svf_settings *settings, svf_task task) {
  for (const char *at = row->when; *at;) {
    size_t length = strcspn(at, " ");
    if (!holds(at, length, settings, task)) return false;
    at += length + (at[length] == ' ');
  }
  return true;
}
