/* committee_plan.c - which members a committee has: made for a table and an effort, or read from text.
 *
 *   effort=5 task=class folds=5 repeats=1; rf trees=200; ccf
 *
 * The first part says how rows are held out, each of the others names a method and what is changed of it. */
#include "forest/auto/committee.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *task_name(svf_task task) { return task == SVF_TASK_CLASS ? "class" : "regress"; }

/* ---- members ---- */

/* What the committee's settings say for all of its members. */
static void inherit(const svf_settings *base, svf_settings *settings) {
  settings->seed = base->seed;
  settings->cpu = base->cpu;
  settings->class_weight = base->class_weight;
}

/* "NAME=VALUE" of a member. What a committee decides for all of them is not for one to set. */
static svf_status set_pair(char *pair, const svf_settings *base, svf_settings *settings, svf_message *message) {
  char *value = strchr(pair, '=');
  if (!value) return svf_fail(message, SVF_USAGE, "'%.60s' in the plan must be NAME=VALUE", pair);
  *value++ = 0;
  int number = svf_setting_find(pair);
  if (svf_setting_used(base, number))
    return svf_fail(message, SVF_USAGE, "%.60s belongs to the whole committee and cannot be set in its plan", pair);
  return svf_settings_set(settings, pair, value, message);
}

/* One member from "METHOD NAME=VALUE ...", which is cut into words. */
static svf_status read_member(char *text, const svf_settings *base, svf_task task, svf_planned *member,
                              svf_message *message) {
  svf_settings *settings = NULL;
  char *rest, *word = strtok_r(text, " ", &rest);
  if (!word) return svf_fail(message, SVF_USAGE, "the plan has a member without a method");
  SVF_TRY(svf_settings_new(word, &settings, message));
  svf_status status = SVF_OK;
  if (settings->committee)
    status =
        svf_fail(message, SVF_USAGE, "a committee cannot be a member of a committee: remove %s from the plan", word);
  inherit(base, settings);
  while (!status && (word = strtok_r(NULL, " ", &rest))) status = set_pair(word, base, settings, message);
  if (!status) status = svf_settings_check(settings, task, message);
  if (!status) member->settings = *settings;
  svf_settings_free(settings);
  return status;
}

static svf_planned *add_member(svf_plan *plan) {
  svf_planned *grown = realloc(plan->member, (plan->count + 1) * sizeof *grown);
  if (!grown) return NULL;
  plan->member = grown;
  grown[plan->count] = (svf_planned){.price = 0};
  return &grown[plan->count++];
}

bool svf_planned_write(const svf_settings *settings, svf_buffer *text) {
  svf_settings plain;
  const svf_method_info *method = svf_preset_find(settings->method);
  svf_buffer_print(text, "%s", settings->method);
  if (!method || svf_preset_apply(method, &plain, NULL)) return !text->failed; /* a file may name any method */
  inherit(settings, &plain);
  for (int i = 0; i < SVF_SETTINGS; i++) {
    svf_buffer value[2] = {{0}};
    svf_settings_print(settings, i, &value[0]);
    svf_settings_print(&plain, i, &value[1]);
    text->failed |= value[0].failed || value[1].failed;
    bool same =
        text->failed || (value[0].size == value[1].size && !memcmp(value[0].data, value[1].data, value[0].size));
    if (!same) svf_buffer_print(text, " %s=%.*s", svf_setting_at((size_t)i)->name, (int)value[0].size, value[0].data);
    for (int v = 0; v < 2; v++) svf_buffer_free(&value[v]);
  }
  return !text->failed;
}

/* ---- text ---- */

static svf_status read_head(char *text, svf_task task, svf_plan *plan, svf_message *message) {
  char kind[8] = "";
  unsigned effort = 0, folds = 0, repeats = 0;
  int end = 0;
  sscanf(text, " effort=%4u task=%7s folds=%4u repeats=%4u %n", &effort, kind, &folds, &repeats, &end);
  if (!end || text[end] || effort < 1 || effort > SVF_EFFORTS || folds < 2 || folds > 1000 || repeats < 1 ||
      repeats > 1000)
    return svf_fail(
        message, SVF_USAGE,
        "a plan begins with 'effort=1..9 task=class|regress folds=2..1000 repeats=1..1000;', not with '%.80s'", text);
  if (strcmp(kind, task_name(task)))
    return svf_fail(message, SVF_USAGE, "the plan was made for task=%s, and the target of this table is %s", kind,
                    task == SVF_TASK_CLASS ? "classes" : "a number");
  plan->effort = effort, plan->folds = folds, plan->repeats = repeats;
  return SVF_OK;
}

/* Cuts the text into parts in place. */
static svf_status read_parts(char *text, const svf_settings *base, svf_plan *plan, svf_message *message) {
  char *rest, *part = strtok_r(text, ";\n", &rest);
  SVF_TRY(read_head(part ? part : text, plan->task, plan, message));
  while ((part = strtok_r(NULL, ";\n", &rest))) {
    if (!part[strspn(part, " ")]) continue;
    if (plan->count == SVF_MEMBERS) return svf_fail(message, SVF_USAGE, "a plan has at most %d members", SVF_MEMBERS);
    svf_planned *member = add_member(plan);
    if (!member) return svf_no_memory(message, "the plan");
    SVF_TRY(read_member(part, base, plan->task, member, message));
  }
  return plan->count ? SVF_OK : svf_fail(message, SVF_USAGE, "the plan has no member");
}

svf_status svf_plan_read(const char *text, const svf_settings *base, svf_task task, svf_plan *plan,
                         svf_message *message) {
  *plan = (svf_plan){.task = task};
  char *copy = strdup(text);
  svf_status status = copy ? read_parts(copy, base, plan, message) : svf_no_memory(message, "the plan");
  free(copy);
  if (status) svf_plan_free(plan);
  return status;
}

bool svf_plan_write(const svf_plan *plan, const bool *wanted, svf_buffer *text) {
  svf_buffer_print(text, "effort=%d task=%s folds=%zu repeats=%zu", (int)plan->effort, task_name(plan->task),
                   plan->folds, plan->repeats);
  for (size_t m = 0; m < plan->count; m++) {
    if (wanted && !wanted[m]) continue;
    svf_buffer_print(text, "; ");
    if (!svf_planned_write(&plan->member[m].settings, text)) return false;
  }
  return !text->failed;
}

void svf_plan_free(svf_plan *plan) {
  free(plan->member);
  *plan = (svf_plan){0};
}

/* ---- making one ---- */

/* Seconds of a nominal processor that a plan may hold, by effort. */
static double limit_of(int64_t effort) {
  static const double seconds[] = {2, 5, 12, 30, 100, 180, 300, 500, 1000};
  return seconds[effort - 1];
}

static svf_shape shape_of(const svf_table *table) {
  svf_shape shape = {(double)table->n, (double)table->d, 0,
                     table->task == SVF_TASK_CLASS ? (double)table->classes.count : 1};
  for (size_t j = 0; j < table->d; j++) {
    size_t levels = table->column[j].levels.count;
    shape.columns += levels > 2 ? (double)levels : 1;
  }
  return shape;
}

/* Few folds where little work is wanted; many rounds of them where rows are few and one would be luck. */
static void set_folds(const svf_table *table, int64_t effort, svf_plan *plan) {
  enum { SMALL = 1000, TINY = 300 };
  plan->folds = effort < 3 ? 3 : 5;
  plan->repeats = effort < 3 ? 1 : table->n < TINY ? 4 : table->n < SMALL ? 2 : 1;
}

/* A row of the portfolio for the table; its price becomes that of all its trainings, without end where it does not fit. */
static svf_status plan_row(const svf_portfolio_row *row, const svf_settings *base, const svf_shape *shape,
                           const svf_plan *plan, svf_planned *member, svf_message *message) {
  char text[256];
  snprintf(text, sizeof text, "%s %s", row->method, row->settings);
  SVF_TRY(read_member(text, base, plan->task, member, message));
  double folds = (double)plan->folds, part = (folds - 1) / folds;
  svf_shape most = *shape;
  most.rows *= part;
  member->folds_price = folds * (double)plan->repeats * row->price(&most, &member->settings);
  member->price = row->price(shape, &member->settings) + member->folds_price;
  if (row->choice) member->price += row->choice(shape);
  if (row->fits && !row->fits(shape, &member->settings)) member->price = INFINITY;
  return SVF_OK;
}

/* Rows in the order of the portfolio, as long as the limit allows. The first is always taken. */
svf_status svf_plan_make(const svf_settings *base, const svf_table *table, int64_t effort, svf_plan *plan,
                         svf_message *message) {
  *plan = (svf_plan){.task = table->task, .effort = effort};
  svf_shape shape = shape_of(table);
  set_folds(table, effort, plan);
  double left = limit_of(effort);
  svf_status status = SVF_OK;
  const svf_portfolio_row *row;
  for (size_t i = 0; !status && (row = svf_portfolio_at(i)); i++) {
    svf_planned made;
    if (row->effort > effort || (row->task != SVF_TASK_AUTO && row->task != table->task)) continue;
    status = plan_row(row, base, &shape, plan, &made, message);
    if (status || (plan->count && made.price > left)) continue;
    svf_planned *member = add_member(plan);
    if (!member) status = svf_no_memory(message, "the plan");
    else *member = made, left -= made.price;
  }
  if (status) svf_plan_free(plan);
  return status;
}
