/* method.c - a method is four choices: finds their kinds and says whether a combination is legal. */
#include "base/guess.h"
#include "forest/auto/committee.h"
#include "forest/parts/partition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const nothing[] = {NULL};

static const svf_kind *cut_at(size_t i) { return svf_cuts[i] ? &svf_cuts[i]->kind : NULL; }
static const svf_kind *leaf_at(size_t i) { return svf_leaves[i] ? &svf_leaves[i]->kind : NULL; }
static const svf_kind *pick_at(size_t i) { return svf_picks[i] ? &svf_picks[i]->kind : NULL; }
static const svf_kind *vote_at(size_t i) { return svf_votes[i] ? &svf_votes[i]->kind : NULL; }

typedef struct seam {
  int setting;
  size_t name;                         /* where in the settings its kind's name stands */
  const svf_kind *(*at)(size_t index); /* NULL after the last */
} seam;

enum { CUT, LEAF, PICK, VOTE, SEAMS };
static const seam seams[SEAMS] = {
    [CUT] = {SVF_SET_cut, offsetof(svf_settings, cut), cut_at},
    [LEAF] = {SVF_SET_leaf, offsetof(svf_settings, leaf), leaf_at},
    [PICK] = {SVF_SET_pick, offsetof(svf_settings, pick), pick_at},
    [VOTE] = {SVF_SET_vote, offsetof(svf_settings, vote), vote_at},
};

/* What the forest itself reads, whatever the kinds. */
static const char *const common[] = {
    "cut",        "leaf",        "pick",         "vote",           "seed",      "trees",
    "first_tree", "rows",        "class_weight", "scale",          "precision", "cpu",
    "prune",      "name_levels", "background",   "partition_rows", "interval",  "interval_fraction",
    NULL};

/* What a committee reads; its members have the rest. */
static const char *const of_committee[] = {"committee", "seed",       "cpu",      "class_weight",      "effort",
                                           "aim",       "background", "interval", "interval_fraction", NULL};

static const char *kind_name(const svf_settings *settings, const seam *s) { return (const char *)settings + s->name; }

/* Position of a kind in its table, or -1. */
static int find(const seam *s, const char *name) {
  for (int i = 0; s->at((size_t)i); i++)
    if (!strcmp(s->at((size_t)i)->name, name)) return i;
  return -1;
}

/* "; did you mean 'trees'?", or what else helps. */
static const char *hint(const svf_guess *guess, const char *otherwise, char *text, size_t size) {
  snprintf(text, size, guess->best ? "; did you mean '%s'?" : "%s", guess->best ? guess->best : otherwise);
  return text;
}

static svf_status unknown_kind(const seam *s, const char *name, svf_message *message) {
  char list[256] = "";
  for (size_t i = 0, used = 0; s->at(i) && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", s->at(i)->name);
  const char *seam_name = svf_setting_at((size_t)s->setting)->name;
  return svf_fail(message, SVF_USAGE, "%s=%s: there is no such %s; there are %s", seam_name, name, seam_name, list);
}

static svf_status find_all(const svf_settings *settings, int at[SEAMS], svf_message *message) {
  for (int i = 0; i < SEAMS; i++) {
    at[i] = find(&seams[i], kind_name(settings, &seams[i]));
    if (at[i] < 0) return unknown_kind(&seams[i], kind_name(settings, &seams[i]), message);
  }
  return SVF_OK;
}

svf_status svf_kinds_find(const svf_settings *settings, svf_kinds *kinds, svf_message *message) {
  int at[SEAMS];
  SVF_TRY(find_all(settings, at, message));
  *kinds = (svf_kinds){svf_cuts[at[CUT]], svf_leaves[at[LEAF]], svf_picks[at[PICK]], svf_votes[at[VOTE]]};
  return SVF_OK;
}

size_t svf_kinds_said(const svf_kinds *kinds, size_t k) { return kinds->vote->rounds ? 1 : k; }

size_t svf_kinds_sums(const svf_kinds *kinds, size_t k) {
  return kinds->vote->rounds ? kinds->vote->rounds->sums(k) : 1;
}

size_t svf_kind_count(void) {
  size_t count = 0;
  while (svf_kind_at(count).name) count++;
  return count;
}

svf_kind_info svf_kind_at(size_t index) {
  for (int s = 0; s < SEAMS; s++)
    for (size_t i = 0; seams[s].at(i); i++)
      if (index-- == 0) {
        const svf_kind *kind = seams[s].at(i);
        return (svf_kind_info){svf_setting_at((size_t)seams[s].setting)->name, kind->name, kind->help,
                               kind->settings ? kind->settings : nothing};
      }
  return (svf_kind_info){NULL, NULL, NULL, NULL};
}

static bool listed(const char *const *list, const char *name) {
  for (; list && *list; list++)
    if (!strcmp(*list, name)) return true;
  return false;
}

/* Are categories codes, for cuts that divide levels? Then nobody else may look at them. */
static bool codes_alone(const svf_cut *cut, const svf_leaf *leaf, const svf_pick *pick) {
  return cut->divides_levels && !pick->node && !pick->best && leaf->fixed;
}

static bool used(const svf_settings *settings, const int at[SEAMS], int number) {
  const char *name = svf_setting_at((size_t)number)->name;
  if (settings->committee) return listed(of_committee, name);
  if (number == SVF_SET_sample_fraction && settings->rows == SVF_ROWS_SUBSAMPLE) return true;
  if (number == SVF_SET_one_hot_levels)
    return !codes_alone(svf_cuts[at[CUT]], svf_leaves[at[LEAF]], svf_picks[at[PICK]]);
  if (number == SVF_SET_missing_indicator && !svf_leaves[at[LEAF]]->fixed) return true;
  bool read = listed(common, name);
  for (int i = 0; i < SEAMS && !read; i++) read = listed(seams[i].at((size_t)at[i])->settings, name);
  return read;
}

/* Indicators are for leaves that see what stands for a
 * missing value; a table of similarities has no place for them, or for statistics. */
svf_status svf_coding_of(const svf_settings *settings, svf_coding *coding, svf_message *message) {
  svf_kinds kinds;
  SVF_TRY(svf_kinds_find(settings, &kinds, message));
  bool indicators = !kinds.leaf->fixed && settings->kernel != SVF_KERNEL_CHOICE_PRECOMPUTED;
  *coding = (svf_coding){.scale = (svf_scale)settings->scale,
                         .codes = codes_alone(kinds.cut, kinds.leaf, kinds.pick),
                         .indicator = indicators ? settings->missing_indicator : 0,
                         .one_hot =
                             settings->kernel == SVF_KERNEL_CHOICE_PRECOMPUTED ? 0 : (size_t)settings->one_hot_levels,
                         .seed = (uint64_t)settings->seed,
                         .names = settings->name_levels,
                         .balanced = settings->class_weight == SVF_CLASS_WEIGHT_BALANCED};
  return SVF_OK;
}

bool svf_setting_used(const svf_settings *settings, int number) {
  int at[SEAMS];
  return find_all(settings, at, NULL) == SVF_OK && used(settings, at, number);
}

int svf_settings_reads(const svf_settings *settings, size_t index) {
  return index < SVF_SETTINGS && svf_setting_used(settings, (int)index);
}

/* A setting that was given by hand must be read by someone. */
static svf_status check_given(const svf_settings *settings, const int at[SEAMS], svf_message *message) {
  for (int number = 0; number < SVF_SETTINGS; number++) {
    if (!settings->given[number] || used(settings, at, number)) continue;
    const char *name = svf_setting_at((size_t)number)->name;
    if (listed(of_committee, name))
      return svf_fail(message, SVF_USAGE,
                      "%s is for a committee, and this is one forest: leave it out, or use the method auto", name);
    char rows[16];
    svf_settings_get(settings, "rows", rows, sizeof rows);
    return svf_fail(message, SVF_USAGE, "%s has no meaning with rows=%s cut=%s leaf=%s pick=%s vote=%s: leave it out",
                    name, rows, settings->cut, settings->leaf, settings->pick, settings->vote);
  }
  return SVF_OK;
}

/* Trees that correct each other learn other numbers each, and their answers are added up. */
static svf_status check_rounds(const svf_settings *settings, const int at[SEAMS], svf_message *message) {
  if (!svf_votes[at[VOTE]]->rounds) return SVF_OK;
  const svf_pick *pick = svf_picks[at[PICK]];
  if (pick->node || pick->best || pick->cell || pick->leaves)
    return svf_fail(message, SVF_USAGE,
                    "pick=%s scores a tree by its own predictions, and with vote=%s it has none: use pick=none",
                    settings->pick, settings->vote);
  if (!svf_cuts[at[CUT]]->follows)
    return svf_fail(message, SVF_USAGE,
                    "vote=%s gives each tree other targets, and cut=%s cannot use them: use cut=histogram",
                    settings->vote, settings->cut);
  if (!svf_leaves[at[LEAF]]->adjust)
    return svf_fail(message, SVF_USAGE,
                    "vote=%s adds numbers, and leaf=%s does not predict numbers: use leaf=constant", settings->vote,
                    settings->leaf);
  return SVF_OK;
}

static svf_status check_interval(const svf_settings *settings, svf_message *message) {
  if (!settings->given[SVF_SET_interval_fraction] || settings->interval == SVF_INTERVAL_CONFORMAL) return SVF_OK;
  return svf_fail(message, SVF_USAGE,
                  "interval_fraction is for interval=conformal, and interval is none: leave it out, or set that");
}

/* What the forest itself has against the combination. */
static svf_status check_forest(const svf_settings *settings, const int at[SEAMS], svf_task task,
                               svf_message *message) {
  if (task == SVF_TASK_REGRESS && settings->given[SVF_SET_class_weight] &&
      settings->class_weight != SVF_CLASS_WEIGHT_NONE)
    return svf_fail(message, SVF_USAGE, "class_weight is for classes, and the target is a number: leave it out");
  if (task == SVF_TASK_REGRESS && settings->rows == SVF_ROWS_BALANCED)
    return svf_fail(message, SVF_USAGE,
                    "rows=balanced is for classes, and the target is a number; use "
                    "rows=bootstrap");
  if (settings->scale == SVF_SCALE_AUTO && !svf_leaves[at[LEAF]]->choose)
    return svf_fail(message, SVF_USAGE,
                    "scale=auto is chosen by leaves that learn a metric, and leaf=%s does not: use scale=standard or "
                    "scale=robust",
                    settings->leaf);
  if (settings->prune > 0 && !svf_cuts[at[CUT]]->propose)
    return svf_fail(message, SVF_USAGE, "prune removes cuts of single nodes, and cut=%s makes none: leave it out",
                    settings->cut);
  if (svf_picks[at[PICK]]->cell && !svf_cuts[at[CUT]]->by_cells)
    return svf_fail(message, SVF_USAGE,
                    "pick=%s chooses among whole trees of a cell, and cut=%s grows none: use "
                    "cut=adaptive, or pick=none",
                    settings->pick, settings->cut);
  if (svf_picks[at[PICK]]->node && svf_cuts[at[CUT]]->by_cells)
    return svf_fail(message, SVF_USAGE, "pick=%s chooses at a node, and cut=%s works by cells: use pick=best-scored",
                    settings->pick, settings->cut);
  if (svf_picks[at[PICK]]->node && svf_cuts[at[CUT]]->grow)
    return svf_fail(message, SVF_USAGE, "pick=%s chooses cuts, and cut=%s makes all cells at once: use pick=none",
                    settings->pick, settings->cut);
  if (svf_cuts[at[CUT]]->by_cells && settings->vacancy == SVF_VACANCY_MEAN && !svf_leaves[at[LEAF]]->flat)
    return svf_fail(message, SVF_USAGE, "leaf=%s has no constant prediction for empty cells: use vacancy=nn",
                    settings->leaf);
  if (svf_picks[at[PICK]]->judges && settings->rows == SVF_ROWS_ALL)
    return svf_fail(message, SVF_USAGE, "pick=%s needs out-of-bag rows, and rows=all leaves none", settings->pick);
  if ((svf_picks[at[PICK]]->node || svf_picks[at[PICK]]->best) && settings->max_leaves)
    return svf_fail(
        message, SVF_USAGE,
        "max_leaves cuts the node with the largest gain, and pick=%s chooses cuts in another way: use pick=none",
        settings->pick);
  if (svf_picks[at[PICK]]->leaves && !svf_leaves[at[LEAF]]->draft)
    return svf_fail(message, SVF_USAGE,
                    "pick=%s chooses among machines, and leaf=%s has one only; use leaf=kernel-svm", settings->pick,
                    settings->leaf);
  if (svf_picks[at[PICK]]->leaves && !svf_cuts[at[CUT]]->draws_features)
    return svf_fail(
        message, SVF_USAGE,
        "pick=%s counts the features that cuts are drawn from, and with leaf=%s cut=%s does not draw any; "
        "use cut=best",
        settings->pick, settings->leaf, settings->cut);
  SVF_TRY(check_rounds(settings, at, message));
  svf_kinds kinds = {svf_cuts[at[CUT]], svf_leaves[at[LEAF]], svf_picks[at[PICK]], svf_votes[at[VOTE]]};
  if (settings->partition_rows > 0) SVF_TRY(svf_partition_check(settings, &kinds, message));
  SVF_TRY(check_interval(settings, message));
  return check_given(settings, at, message);
}

static svf_status check_committee(const svf_settings *settings, svf_task task, svf_message *message) {
  if (settings->given[SVF_SET_committee])
    return svf_fail(message, SVF_USAGE, "committee belongs to the method: use -m auto instead of setting it");
  bool number_aim = settings->aim == SVF_AIM_MSE || settings->aim == SVF_AIM_MAE;
  for (int number = 0; number < SVF_SETTINGS; number++)
    if (settings->given[number] && !listed(of_committee, svf_setting_at((size_t)number)->name))
      return svf_fail(message, SVF_USAGE, "auto chooses %s for each of its members; to set it, name a method with -m",
                      svf_setting_at((size_t)number)->name);
  if (settings->aim != SVF_AIM_AUTO && task != SVF_TASK_AUTO && number_aim != (task == SVF_TASK_REGRESS))
    return svf_fail(message, SVF_USAGE, "aim=%s is for %s, and the target is %s",
                    number_aim ? "mse or mae" : "log-loss, accuracy or auc", number_aim ? "numbers" : "classes",
                    number_aim ? "classes" : "a number");
  return check_interval(settings, message);
}

/* One more complaint behind those that there are. */
static void gather(svf_message *all, const svf_message *one) {
  size_t used = strlen(all->text);
  snprintf(all->text + used, sizeof all->text - used, "%s%.450s", used ? "; moreover, " : "", one->text);
}

/* All complaints at once: who heeds one should not then hear the next. */
svf_status svf_settings_check(const svf_settings *settings, svf_task task, svf_message *message) {
  int at[SEAMS];
  svf_message all = {""}, one;
  if (settings->committee) return check_committee(settings, task, message);
  SVF_TRY(find_all(settings, at, message));
  for (int i = 0; i < SEAMS; i++) {
    const svf_kind *kind = seams[i].at((size_t)at[i]);
    if (kind->check && kind->check(settings, task, &one) != SVF_OK) gather(&all, &one);
  }
  if (check_forest(settings, at, task, &one) != SVF_OK) gather(&all, &one);
  return all.text[0] ? svf_fail(message, SVF_USAGE, "%s", all.text) : SVF_OK;
}

static svf_status unknown_method(const char *method, svf_message *message) {
  char list[512] = "", text[64];
  svf_guess guess = {method, NULL, 0};
  for (size_t i = 0, at = 0; i < svf_method_count(); i++) {
    svf_guess_offer(&guess, svf_method_at(i)->name);
    if (at < sizeof list)
      at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", svf_method_at(i)->name);
  }
  return svf_fail(message, SVF_USAGE, "there is no method '%.100s'%s There are %s", method,
                  hint(&guess, ".", text, sizeof text), list);
}

svf_status svf_settings_new(const char *method, svf_settings **settings, svf_message *message) {
  *settings = NULL;
  const svf_method_info *preset = svf_preset_find(method);
  if (!preset) return unknown_method(method, message);
  svf_settings *made = malloc(sizeof *made);
  if (!made) return svf_no_memory(message, "the settings");
  svf_status status = svf_preset_apply(preset, made, message);
  if (status == SVF_OK) *settings = made;
  else free(made);
  return status;
}

svf_status svf_settings_copy(const svf_settings *settings, svf_settings **copy, svf_message *message) {
  *copy = malloc(sizeof **copy);
  if (!*copy) return svf_no_memory(message, "the settings");
  **copy = *settings;
  return SVF_OK;
}

void svf_settings_free(svf_settings *settings) { free(settings); }

static svf_status unknown_setting(const char *name, svf_message *message) {
  char text[64];
  svf_guess guess = {name, NULL, 0};
  for (int i = 0; i < SVF_SETTINGS; i++) svf_guess_offer(&guess, svf_setting_at((size_t)i)->name);
  return svf_fail(message, SVF_USAGE, "there is no setting '%.100s'%s", name,
                  hint(&guess, "; 'svforest methods' lists them", text, sizeof text));
}

svf_status svf_settings_set(svf_settings *settings, const char *name, const char *value, svf_message *message) {
  int number = svf_setting_find(name);
  if (number < 0) return unknown_setting(name, message);
  for (int i = 0; i < SEAMS; i++)
    if (seams[i].setting == number && find(&seams[i], value) < 0) return unknown_kind(&seams[i], value, message);
  return svf_settings_assign(settings, number, value, message);
}

svf_status svf_settings_get(const svf_settings *settings, const char *name, char *buffer, size_t size) {
  svf_buffer text = {0};
  int number = svf_setting_find(name);
  if (number < 0 || size == 0) return SVF_USAGE;
  bool fits = svf_settings_print(settings, number, &text) && text.size < size;
  svf_status status = text.failed ? SVF_MEMORY : fits ? SVF_OK : SVF_USAGE;
  size_t length = fits ? text.size : 0;
  memcpy(buffer, text.data ? (const char *)text.data : "", length);
  buffer[length] = 0;
  svf_buffer_free(&text);
  return status;
}

const char *svf_settings_method(const svf_settings *settings) { return settings->method; }

const char *svf_version(void) {
#define TEXT(x)  #x
#define TEXT2(x) TEXT(x)
  return TEXT2(SVF_VERSION_MAJOR) "." TEXT2(SVF_VERSION_MINOR) "." TEXT2(SVF_VERSION_PATCH);
}
