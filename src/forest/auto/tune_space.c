/* tune_space.c - the combinations of settings that a search may try, numbered, in order or at random. */
#include "forest/auto/tune.h"

#include <stdio.h>
#include <string.h>

/* A copy of the first `length` bytes. */
static char *copy(svf_arena *arena, const char *text, size_t length) {
  char *made = SVF_TAKE(arena, char, length + 1);
  if (!made) return NULL;
  memcpy(made, text, length);
  made[length] = 0;
  return made;
}

static bool known(const svf_knob *knob, const svf_settings *settings) {
  for (size_t i = 0; i < knob->count; i++)
    if (svf_settings_has(settings, knob->setting, knob->value[i])) return true;
  return false;
}

/* One value more for the knob, unless it has it. */
static svf_status add_value(svf_space *space, svf_knob *knob, const char *text, size_t length, svf_message *message) {
  svf_settings scratch = space->base;
  const char *name = svf_setting_at((size_t)knob->setting)->name;
  char *value = copy(&space->arena, text, length);
  if (!value) return svf_no_memory(message, "the candidates");
  SVF_TRY(svf_settings_set(&scratch, name, value, message));
  if (!known(knob, &scratch)) knob->value[knob->count++] = value;
  return SVF_OK;
}

static size_t count_values(const char *values) {
  size_t count = 1;
  for (; *values; values++) count += *values == '|';
  return count;
}

/* "VALUE|VALUE" behind the knob's own values, of which there may be one. */
static svf_status add_values(svf_space *space, svf_knob *knob, const char *values, svf_message *message) {
  for (const char *at = values;; at++) {
    size_t length = strcspn(at, "|");
    SVF_TRY(add_value(space, knob, at, length, message));
    at += length;
    if (!*at) return SVF_OK;
  }
}

static svf_status new_knob(svf_space *space, int setting, const char *values, svf_knob **knob, svf_message *message) {
  *knob = &space->knob[space->knobs++];
  **knob = (svf_knob){.setting = setting};
  (*knob)->value = SVF_TAKE(&space->arena, const char *, count_values(values) + 1);
  return (*knob)->value ? SVF_OK : svf_no_memory(message, "the candidates");
}

/* NAME=VALUE|VALUE */
static svf_status ask(svf_space *space, const char *text, svf_message *message) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1])
    return svf_fail(message, SVF_USAGE, "%s: write the values to try as NAME=VALUE|VALUE", text);
  char *name = copy(&space->arena, text, (size_t)(equals - text));
  if (!name) return svf_no_memory(message, "the candidates");
  int setting = svf_setting_find(name);
  if (setting < 0) return svf_settings_set(&space->base, name, "", message); /* says that there is none */
  if (setting == SVF_SET_seed || setting == SVF_SET_first_tree)
    return svf_fail(message, SVF_USAGE, "%s does not affect the score: set it instead of trying it", name);
  if (space->base.given[setting])
    return svf_fail(message, SVF_USAGE, "%s is both set and to be tried: leave out one of the two", name);
  for (size_t i = 0; i < space->knobs; i++)
    if (space->knob[i].setting == setting)
      return svf_fail(message, SVF_USAGE, "%s is to be tried twice: name all its values at once", name);
  svf_knob *knob;
  SVF_TRY(new_knob(space, setting, equals + 1, &knob, message));
  return add_values(space, knob, equals + 1, message);
}

/* The base's value first, then those of the table. */
static svf_status offer(svf_space *space, const svf_tuned_row *row, svf_message *message) {
  svf_buffer text = {0};
  svf_knob *knob;
  svf_status status = new_knob(space, row->setting, row->values, &knob, message);
  if (status == SVF_OK && !svf_settings_print(&space->base, row->setting, &text))
    status = svf_no_memory(message, "the candidates");
  if (status == SVF_OK) status = add_value(space, knob, (const char *)text.data, text.size, message);
  svf_buffer_free(&text);
  return status == SVF_OK ? add_values(space, knob, row->values, message) : status;
}

static svf_status offer_all(svf_space *space, svf_task task, svf_message *message) {
  for (size_t i = 0; svf_tuned_at(i); i++) {
    const svf_tuned_row *row = svf_tuned_at(i);
    if (space->base.given[row->setting] || !svf_setting_used(&space->base, row->setting)) continue;
    if (svf_tuned_applies(row, &space->base, task)) SVF_TRY(offer(space, row, message));
  }
  return SVF_OK;
}

static svf_status fill(svf_space *space, svf_task task, const svf_tune_options *options, svf_message *message) {
  size_t count = options->try_count, room = count;
  while (!count && svf_tuned_at(room)) room++;
  space->knob = SVF_TAKE(&space->arena, svf_knob, room);
  if (!space->knob) return svf_no_memory(message, "the candidates");
  for (size_t i = 0; i < count; i++) SVF_TRY(ask(space, options->tries[i], message));
  if (!count) SVF_TRY(offer_all(space, task, message));
  space->size = 1;
  for (size_t i = 0; i < space->knobs; i++) {
    if (space->size > SVF_SPACE_MOST / space->knob[i].count)
      return svf_fail(message, SVF_USAGE, "there are more than 10^18 combinations to try: name fewer values");
    space->size *= space->knob[i].count;
  }
  return SVF_OK;
}

svf_status svf_space_open(svf_space *space, const svf_settings *base, svf_task task, const svf_tune_options *options,
                          svf_message *message) {
  *space = (svf_space){.base = *base};
  svf_status status = fill(space, task, options, message);
  if (status != SVF_OK) svf_space_close(space);
  return status;
}

void svf_space_close(svf_space *space) { svf_arena_free(&space->arena); }

void svf_space_at(const svf_space *space, uint64_t index, svf_settings *settings) {
  memcpy(settings, &space->base, sizeof *settings);
  for (size_t i = space->knobs; i-- > 0;) {
    const svf_knob *knob = &space->knob[i];
    const char *value = knob->value[index % knob->count];
    index /= knob->count;
    if (!svf_settings_has(&space->base, knob->setting, value))
      svf_settings_assign(settings, knob->setting, value, NULL); /* was assigned before, when the space was made */
  }
}

bool svf_space_text(const svf_space *space, const svf_settings *settings, svf_buffer *text) {
  const char *gap = "";
  for (size_t i = 0; i < space->knobs; i++) {
    int setting = space->knob[i].setting;
    if (!settings->given[setting]) continue;
    size_t start = text->size;
    svf_buffer_print(text, "%s%s=", gap, svf_setting_at((size_t)setting)->name);
    size_t value = text->size;
    if (!svf_settings_print(settings, setting, text) || !svf_buffer_add(text, "", 1)) return false;
    text->size--; /* the 0 ends the value for the comparison alone */
    if (svf_settings_has(&space->base, setting, (const char *)text->data + value)) text->size = start;
    else gap = " ";
  }
  return !text->failed;
}

svf_status svf_tune_values(const svf_settings *settings, svf_task task, size_t index, char *buffer, size_t size) {
  svf_space space;
  SVF_TRY(svf_space_open(&space, settings, task, &(svf_tune_options){0}, NULL));
  size_t used = 0;
  bool fits = index < space.knobs;
  const svf_knob *knob = space.knob + (fits ? index : 0);
  for (size_t i = 0; fits && i < knob->count; i++) {
    const char *head = i ? "" : svf_setting_at((size_t)knob->setting)->name;
    used += (size_t)snprintf(buffer + used, size - used, "%s%s%s", head, i ? "|" : "=", knob->value[i]);
    fits = used < size;
  }
  svf_space_close(&space);
  if (!fits && size) *buffer = 0;
  return fits ? SVF_OK : SVF_USAGE;
}

/* A permutation of the numbers below 4^half by four rounds of a Feistel network, walked until it meets one below the
 * size (Black and Rogaway 2002): a random order of any number of combinations that takes no memory. */
static uint64_t scatter(uint64_t seed, unsigned half, uint64_t number) {
  uint64_t mask = ((uint64_t)1 << half) - 1, left = number >> half, right = number & mask;
  for (uint32_t round = 0; round < 4; round++) {
    svf_random random = svf_random_at((svf_place){seed, SVF_USE_TUNE, round, right, half});
    uint64_t next = left ^ (svf_random_u64(&random) & mask);
    left = right;
    right = next;
  }
  return left << half | right;
}

uint64_t svf_space_shuffled(const svf_space *space, uint64_t place) {
  uint64_t rest = space->size - 1, number = place - 1;
  unsigned half = 1;
  if (place == 0) return 0;
  while ((uint64_t)1 << (2 * half) < rest) half++;
  do number = scatter((uint64_t)space->base.seed, half, number);
  while (number >= rest);
  return number + 1;
}
