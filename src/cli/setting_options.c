/* setting_options.c - settings from the command line, and which of them a method reads. */
#include "members.h"
#include "data.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

/* NAME=VALUE */
static int set_one(svf_settings *settings, const char *pair) {
  svf_message message;
  const char *equals = strchr(pair, '=');
  if (!equals) return cli_fail(CLI_USAGE, "-s %s: write it as NAME=VALUE", pair);
  char *name = cli_join(pair, "");
  name[equals - pair] = 0;
  svf_status status = svf_settings_set(settings, name, equals + 1, &message);
  free(name);
  if (status == SVF_USAGE) return cli_fail(CLI_USAGE, "method %s: %s", svf_settings_method(settings), message.text);
  return cli_status(status, &message);
}

static int set_all(svf_settings *settings, const cli_args *args) {
  svf_message message;
  if (args->class_weights.count) CLI_TRY(set_one(settings, "class_weight=given"));
  for (size_t i = 0; i < args->settings.count; i++) CLI_TRY(set_one(settings, args->settings.item[i]));
  if (args->effort && cli_is_committee(settings))
    CLI_TRY(cli_status(svf_settings_set(settings, "effort", args->effort, &message), &message));
  if (args->seed) CLI_TRY(cli_status(svf_settings_set(settings, "seed", args->seed, &message), &message));
  svf_status status = svf_settings_check(settings, SVF_TASK_AUTO, &message);
  if (status == SVF_USAGE) return cli_fail(CLI_USAGE, "method %s: %s", svf_settings_method(settings), message.text);
  return cli_status(status, &message);
}

const char *cli_method(const cli_args *args) {
  return args->method ? args->method : svf_method_default((svf_task)args->task);
}

int cli_settings(const cli_args *args, const char *method, svf_settings **settings) {
  svf_message message;
  CLI_TRY(cli_status(svf_settings_new(method, settings, &message), &message));
  int code = set_all(*settings, args);
  if (code == CLI_DONE) return code;
  svf_settings_free(*settings);
  *settings = NULL;
  return code;
}

void cli_settings_each(const svf_settings *settings, cli_setting_use use, void *user) {
  char value[1024];
  for (size_t i = 0; i < svf_setting_count(); i++) {
    const svf_setting_info *info = svf_setting_at(i);
    if (!svf_settings_reads(settings, i)) continue;
    if (svf_settings_get(settings, info->name, value, sizeof value) == SVF_OK) use(user, info, value);
  }
}

void cli_setting_range(FILE *out, const svf_setting_info *info) {
  const char *gap = "";
  if (strcmp(info->type, "kind") != 0) {
    fputs(info->range, out);
    return;
  }
  for (size_t i = 0; i < svf_kind_count(); i++) {
    svf_kind_info kind = svf_kind_at(i);
    if (strcmp(kind.seam, info->name) != 0) continue;
    fprintf(out, "%s%s", gap, kind.name);
    gap = "|";
  }
}
