/* members.h - what a committee is made of, for train, info and verbs that ask one member. */
#ifndef CLI_MEMBERS_H
#define CLI_MEMBERS_H

#include "job.h"
#include "report_lines.h"

typedef struct cli_tried {
  char *settings, *dropped; /* "rf trees=200"; why it was left out, NULL: it was not */
  double score, seconds;
} cli_tried;

/* The members that a training has tried so far. */
typedef struct cli_committee {
  cli_job *job;
  cli_tried *item;
  size_t count;
} cli_committee;

bool cli_is_committee(const svf_settings *settings);
void cli_committee_begin(cli_committee *tried, cli_job *job);
/* svf_auto_options.tell; user: the cli_committee. */
void cli_committee_note(void *user, const svf_member_info *member);
void cli_committee_free(cli_committee *tried);

/* The plan, the score and a line per member, the heaviest first; nothing for one forest. tried: of the training, or NULL. */
void cli_committee_tell(cli_report *report, const svf_forest *forest, const cli_committee *tried);

/* Says which option of a committee was given to a method that is one forest; CLI_DONE: none was. */
int cli_committee_refuse(const char *verb, const cli_args *args);

/* --member K: *forest becomes that member, lent by the committee. */
int cli_committee_member(const cli_args *args, const svf_forest **forest);

#endif
