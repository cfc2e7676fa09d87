/* verb_methods.c - the verb methods: methods, kinds and settings, from the library's tables. */
#include "data.h"
#include "json.h"
#include "text.h"
#include <string.h>

enum { NAME_COLUMN = 22 };

static void entry(const char *name, const char *text) {
  int at = printf("  %s", name);
  cli_wrap(stdout, text, NAME_COLUMN, at);
}

static void list_methods(void) {
  puts("methods ('svforest methods NAME' explains one)");
  for (size_t i = 0; i < svf_method_count(); i++) entry(svf_method_at(i)->name, svf_method_at(i)->title);
}

static void list_kinds(void) {
  const char *seam = "";
  for (size_t i = 0; i < svf_kind_count(); i++) {
    svf_kind_info kind = svf_kind_at(i);
    if (strcmp(kind.seam, seam) != 0) printf("\n%s\n", seam = kind.seam);
    entry(kind.name, kind.help);
  }
}

static void list_settings(void) {
  puts("\nsettings");
  for (size_t i = 0; i < svf_setting_count(); i++) {
    const svf_setting_info *info = svf_setting_at(i);
    entry(info->name, info->help);
    printf("%*s", NAME_COLUMN, "");
    cli_setting_range(stdout, info);
    printf("; default %s\n", info->standard);
  }
}

static void json_kinds(cli_json *json) {
  cli_json_list(json, "kinds");
  for (size_t i = 0; i < svf_kind_count(); i++) {
    svf_kind_info kind = svf_kind_at(i);
    cli_json_object(json, NULL);
    cli_json_text(json, "seam", kind.seam);
    cli_json_text(json, "name", kind.name);
    cli_json_text(json, "help", kind.help);
    cli_json_row(json, "settings");
    for (const char *const *setting = kind.settings; *setting; setting++) cli_json_text(json, NULL, *setting);
    cli_json_close(json);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void json_settings(cli_json *json) {
  cli_json_list(json, "settings");
  for (size_t i = 0; i < svf_setting_count(); i++) {
    const svf_setting_info *info = svf_setting_at(i);
    cli_json_object(json, NULL);
    cli_json_text(json, "name", info->name);
    cli_json_text(json, "type", info->type);
    cli_json_text(json, "default", info->standard);
    cli_json_text(json, "range", info->range);
    cli_json_text(json, "help", info->help);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void json_method(cli_json *json, const svf_method_info *method) {
  cli_json_text(json, "name", method->name);
  cli_json_text(json, "title", method->title);
  cli_json_text(json, "paper", method->paper);
  cli_json_text(json, "differs", method->settings);
}

static void json_all(void) {
  cli_json json;
  cli_json_begin(&json, stdout);
  cli_json_list(&json, "methods");
  for (size_t i = 0; i < svf_method_count(); i++) {
    cli_json_object(&json, NULL);
    json_method(&json, svf_method_at(i));
    cli_json_close(&json);
  }
  cli_json_close(&json);
  json_kinds(&json);
  json_settings(&json);
  cli_json_close(&json);
}

static void print_setting(void *user, const svf_setting_info *info, const char *value) {
  (void)user;
  printf("  %-*s %-14s %s\n", NAME_COLUMN - 3, info->name, value, info->help);
}

/* What tune tries, where the method does the task. */
static void print_tuned(const svf_settings *settings, svf_task task, const char *title) {
  char text[1024];
  if (svf_settings_check(settings, task, NULL) != SVF_OK) return;
  printf("\nwhat tune tries for %s\n", title);
  for (size_t i = 0; svf_tune_values(settings, task, i, text, sizeof text) == SVF_OK; i++) {
    char *values = strchr(text, '=');
    *values++ = 0;
    printf("  %-*s %s\n", NAME_COLUMN - 3, text, values);
  }
}

static void text_one(const svf_method_info *method, const svf_settings *settings) {
  printf("%s - %s\n%s\n\nits row of settings\n", method->name, method->title, method->paper);
  cli_wrap(stdout, method->settings, 2, 0);
  puts("\nall that it reads");
  cli_settings_each(settings, print_setting, NULL);
  print_tuned(settings, SVF_TASK_CLASS, "classes");
  print_tuned(settings, SVF_TASK_REGRESS, "numbers");
}

static void json_setting(void *user, const svf_setting_info *info, const char *value) {
  cli_json_text(user, info->name, value);
}

static void json_one(const svf_method_info *method, const svf_settings *settings) {
  cli_json json;
  cli_json_begin(&json, stdout);
  json_method(&json, method);
  cli_json_object(&json, "settings");
  cli_settings_each(settings, json_setting, &json);
  cli_json_close(&json);
  cli_json_close(&json);
}

static int one_method(const cli_args *args, const char *name) {
  svf_message message;
  svf_settings *settings;
  CLI_TRY(cli_status(svf_settings_new(name, &settings, &message), &message));
  for (size_t i = 0; i < svf_method_count(); i++)
    if (strcmp(svf_method_at(i)->name, name) == 0) (args->json ? json_one : text_one)(svf_method_at(i), settings);
  svf_settings_free(settings);
  return CLI_DONE;
}

static int run(const cli_args *args) {
  if (args->operands.count) return one_method(args, args->operands.item[0]);
  if (args->json) {
    json_all();
    return CLI_DONE;
  }
  list_methods();
  list_kinds();
  list_settings();
  return CLI_DONE;
}

static const cli_option *const groups[] = {cli_options_talk, NULL};

const cli_verb cli_methods = {
    .name = "methods",
    .usage = "[NAME]",
    .summary = "list the methods, or one method with its settings",
    .details = "A method is a row of settings: how the space is cut, what predicts in a leaf, which candidate is "
               "picked, how the trees vote, and the numbers for these. Without a name: lists all methods, the kinds "
               "of the four choices, and all settings.",
    .example = "svforest methods\nsvforest methods rsvt",
    .options = groups,
    .least = 0,
    .most = 1,
    .words = cli_words_methods,
    .run = run,
};
