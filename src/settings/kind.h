/* kind.h - what the kinds of all four seams have in common: a name, the settings they read, when they are
 * legal. */
#ifndef SVF_SETTINGS_KIND_H
#define SVF_SETTINGS_KIND_H

#include "settings/settings.h"

typedef struct svf_kind {
  const char *name, *help;
  const char *const *settings; /* names of the settings it reads, NULL-terminated; NULL: none */

  /* Is the kind legal with these settings for this task (AUTO: any)? NULL: always. */
  svf_status (*check)(const svf_settings *settings, svf_task task, svf_message *message);
} svf_kind;

#endif
