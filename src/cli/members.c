/* members.c - see members.h. */
#include "members.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_is_committee(const svf_settings *settings) {
  char value[8];
  return svf_settings_get(settings, "committee", value, sizeof value) == SVF_OK && !strcmp(value, "yes");
}

void cli_committee_begin(cli_committee *tried, cli_job *job) { *tried = (cli_committee){.job = job}; }

void cli_committee_note(void *user, const svf_member_info *member) {
  enum { ROOM = 64 }; /* as many as a plan may have */
  cli_committee *tried = user;
  if (!tried->item) tried->item = CLI_TAKE(cli_tried, ROOM);
  if (tried->count == ROOM) return;
  cli_tried *one = &tried->item[tried->count++];
  *one = (cli_tried){cli_join(member->settings, ""), member->dropped ? cli_join(member->dropped, "") : NULL,
                     member->score, member->seconds};
  cli_job_wipe(tried->job);
  if (member->dropped) cli_note(tried->job->args, "left out: %s: %s", member->settings, member->dropped);
}

void cli_committee_free(cli_committee *tried) {
  for (size_t i = 0; i < tried->count; i++) {
    free(tried->item[i].settings);
    free(tried->item[i].dropped);
  }
  free(tried->item);
}

/* The settings of the members in the order of the file: those parts of the plan that have a weight. */
static size_t heaviest(const svf_committee_info *info, const svf_forest *forest, const bool *told) {
  size_t best = info->members;
  double most = -1;
  for (size_t m = 0; m < info->members; m++) {
    svf_member_info member;
    svf_committee_member(forest, m, &member);
    if (!told[m] && member.weight > most) most = member.weight, best = m;
  }
  return best;
}

/* Seconds of the training of a member; NaN: it is not known. It is known by its method and score: its settings now name what
 * the method chose, too. */
static double seconds_of(const cli_committee *tried, const svf_member_info *member) {
  size_t length = strcspn(member->settings, " ");
  for (size_t i = 0; tried && i < tried->count; i++) {
    const cli_tried *one = &tried->item[i];
    bool same = strcspn(one->settings, " ") == length && !strncmp(one->settings, member->settings, length);
    if (same && one->score == member->score) return one->seconds;
  }
  return NAN;
}

static void tell_json(cli_report *report, size_t number, const svf_member_info *member, double seconds) {
  cli_json *json = &report->json;
  cli_json_object(json, NULL);
  cli_json_count(json, "member", number);
  cli_json_text(json, "method", svf_settings_method(svf_forest_settings(member->forest)));
  cli_json_text(json, "settings", member->settings);
  cli_json_number(json, "weight", member->weight);
  cli_json_number(json, "score", member->score);
  cli_json_number(json, "seconds", seconds);
  cli_json_close(json);
}

static void tell_text(cli_report *report, size_t number, const svf_member_info *member, double seconds) {
  fprintf(report->out, "  %2zu  %6.3f  %12.6g  ", number, member->weight, member->score);
  if (!isnan(seconds)) fprintf(report->out, "%8.2f s  ", seconds);
  fprintf(report->out, "%s\n", member->settings);
}

static void tell_members(cli_report *report, const svf_forest *forest, const svf_committee_info *info,
                         const cli_committee *tried) {
  bool *told = CLI_TAKE(bool, info->members);
  if (report->as_json) cli_json_list(&report->json, "members");
  else
    fprintf(report->out, "members (number, weight, %s of held-out rows%s, settings)\n", info->aim,
            tried ? ", seconds" : "");
  for (size_t i = 0; i < info->members; i++) {
    svf_member_info member;
    size_t m = heaviest(info, forest, told);
    told[m] = true;
    svf_committee_member(forest, m, &member);
    double seconds = seconds_of(tried, &member);
    if (report->as_json) tell_json(report, m + 1, &member, seconds);
    else tell_text(report, m + 1, &member, seconds);
  }
  if (report->as_json) cli_json_close(&report->json);
  free(told);
}

/* Text has had a note for each. */
static void tell_left_out(cli_json *json, const cli_committee *tried) {
  cli_json_list(json, "left_out");
  for (size_t i = 0; i < tried->count; i++) {
    const cli_tried *one = &tried->item[i];
    if (!one->dropped) continue;
    cli_json_object(json, NULL);
    cli_json_text(json, "settings", one->settings);
    cli_json_text(json, "reason", one->dropped);
    cli_json_number(json, "seconds", one->seconds);
    cli_json_close(json);
  }
  cli_json_close(json);
}

void cli_committee_tell(cli_report *report, const svf_forest *forest, const cli_committee *tried) {
  svf_committee_info info;
  svf_committee_describe(forest, &info);
  if (!info.members || !report->out) return;
  cli_report_text(report, "plan", info.plan);
  cli_report_text(report, "aim", info.aim);
  cli_report_number(report, "score", info.score);
  cli_report_number(report, "score_error", info.deviation);
  cli_report_text(report, "calibrated", info.calibrated ? "yes" : "no");
  tell_members(report, forest, &info, tried);
  if (tried && report->as_json) tell_left_out(&report->json, tried);
}

int cli_committee_refuse(const char *verb, const cli_args *args) {
  const char *given = args->plan ? "plan" : args->effort ? "effort" : args->budget > 0 ? "budget" : NULL;
  if (!given) return CLI_DONE;
  return cli_fail(CLI_USAGE, "%s: --%s is for a committee, and the method %s is one forest: use -m auto", verb, given,
                  args->method);
}

int cli_committee_member(const cli_args *args, const svf_forest **forest) {
  svf_committee_info info;
  if (!args->member) return CLI_DONE;
  svf_committee_describe(*forest, &info);
  if (!info.members)
    return cli_fail(CLI_USAGE, "--member is for committees, and this model is one forest: leave it out");
  if (args->member > info.members)
    return cli_fail(CLI_USAGE, "--member %zu: the committee has %zu members", args->member, info.members);
  svf_member_info member;
  svf_committee_member(*forest, args->member - 1, &member);
  *forest = member.forest;
  return CLI_DONE;
}
