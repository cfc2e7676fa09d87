/* train.c - from a table to a forest: encode, plant trees in batches, make the model's image. */
#include "forest/answers/background.h"
#include "forest/growth/choose_settings.h"
#include "forest/auto/committee.h"
#include "forest/measures/interval.h"
#include "forest/parts/partition.h"
#include "forest/growth/rounds.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH_BYTES = 256 << 20, MIN_BATCH = 8, FEW_BYTES = 16 << 20, MIN_FEW = 4 };

/* Trees that are in the making at a time: their row lists are the memory that training takes beside the table. Where
 * leaves are jobs of their own, a few trees keep all threads busy. */
static size_t batch_size(const svf_planting *p) {
  bool quick = p->kinds.leaf->quick;
  size_t lists = p->settings->rows == SVF_ROWS_ALL ? 1 : 2, least = quick ? MIN_BATCH : MIN_FEW;
  size_t fit = (quick ? BATCH_BYTES : FEW_BYTES) / (lists * sizeof(uint32_t) * (p->frame->n + 1));
  if (fit < least) fit = least;
  if (p->kinds.pick->leaves && fit > MIN_BATCH) fit = MIN_BATCH; /* drafts take as much as many models */
  return fit < (size_t)p->settings->trees ? fit : (size_t)p->settings->trees;
}

static svf_status plant_batch(svf_planting *p, svf_sapling *sapling, size_t first, size_t count, svf_oob *oob,
                              svf_message *message) {
  svf_status status = svf_plant(p, sapling, first, count, message);
  for (size_t t = 0; t < count; t++) {
    if (status == SVF_OK && oob) status = svf_oob_add(oob, p, first + t, &sapling[t].bag, message);
    else if (status == SVF_OK) svf_tree_weigh(p, first + t);
    svf_sapling_free(&sapling[t]);
  }
  return status;
}

svf_status svf_plant_all(svf_planting *p, bool judged, double *oob_result, svf_message *message) {
  size_t trees = (size_t)p->settings->trees, size = batch_size(p);
  svf_sapling *sapling = calloc(size, sizeof *sapling);
  if (!sapling) return svf_no_memory(message, "the trees");
  svf_oob *oob = NULL;
  svf_status status = SVF_OK;
  p->span = (svf_span){NULL, 0, 1, trees};
  if (judged && !(oob = svf_oob_open(p, message))) status = SVF_MEMORY;
  for (size_t first = 0; first < trees && status == SVF_OK; first += size)
    status = plant_batch(p, sapling, first, trees - first < size ? trees - first : size, oob, message);
  *oob_result = status == SVF_OK && oob ? svf_oob_result(oob, p) : NAN;
  svf_oob_free(oob);
  free(sapling);
  return status;
}

/* What all trees share; one job, so that the wish to stop is heard while it lasts. */
static svf_status prepare(void *context, size_t index, svf_worker *worker, svf_message *message) {
  svf_planting *p = context;
  (void)index;
  if (p->kinds.leaf->learn) {
    svf_sapling none = {0};
    svf_ground ground = svf_plant_ground(p, &none, 0, worker);
    ground.arena = &p->arena;
    SVF_TRY(p->kinds.leaf->learn(&ground, &p->metric, message));
  }
  if (p->kinds.cut->prepare)
    SVF_TRY(p->kinds.cut->prepare(p->frame, p->settings, p->pool, &p->arena, &p->prepared, message));
  if (!p->kinds.leaf->prepare) return SVF_OK;
  return p->kinds.leaf->prepare(p->frame, p->settings, &p->arena, &p->shared, message);
}

svf_status svf_plant_prepare(svf_planting *p, svf_message *message) {
  SVF_TRY(svf_ranges_find(p, message));
  p->pool->trees = (size_t)p->settings->trees;
  if (!p->kinds.cut->prepare && !p->kinds.leaf->prepare && !p->kinds.leaf->learn) return SVF_OK;
  svf_stage stage = {"prepare", 0, 0, NULL};
  p->pool->shared = p->kinds.leaf->learn != NULL;
  svf_status status = svf_pool_run(p->pool, &stage, 1, prepare, p, message);
  p->pool->shared = false;
  return status;
}

/* What a forest is trained from. */
typedef struct source {
  const svf_settings *settings;
  const svf_table *table;
  svf_table *own;           /* the table, whose columns may go once they are encoded; NULL: it is somebody else's */
  const svf_forest *before; /* whose rounds come first; NULL: there are none */
  const svf_auto_options *options; /* of a committee; may be NULL */
} source;

/* Rows are shown to trees that were grown before: has the table their columns and classes? */
static svf_status check_columns(const svf_forest *before, const svf_frame *frame, svf_message *message) {
  if (!before || (before->encoding.columns == frame->d && svf_forest_k(before) == frame->k &&
                  (before->encoding.classes.count > 0) == (frame->label != NULL)))
    return SVF_OK;
  return svf_fail(message, SVF_DATA, "the forest was trained on another table: columns or classes differ");
}

static svf_status make_forest(svf_planting *p, svf_forest **forest, svf_message *message) {
  double oob = NAN;
  svf_buffer image = {0};
  SVF_TRY(svf_plant_prepare(p, message));
  SVF_TRY(svf_survey(p, message));
  svf_settings done = *p->settings;
  size_t rounds = 0;
  if (p->kinds.vote->rounds) {
    SVF_TRY(svf_plant_rounds(p, &rounds, message));
    done.trees = (int64_t)rounds;
  } else SVF_TRY(svf_plant_all(p, p->settings->rows != SVF_ROWS_ALL, &oob, message));
  svf_parts parts = svf_records_parts(p);
  parts.settings = &done;
  svf_status status = svf_image_make(&parts, &image, message);
  if (status == SVF_OK) status = svf_image_open(image.data, image.size, SVF_HOLD_ALLOCATED, NULL, forest, message);
  else svf_buffer_free(&image);
  if (status == SVF_OK) (*forest)->oob = oob;
  return status;
}

static svf_status plant_forest(const source *from, const svf_encoding *encoding, svf_frame *frame,
                               const svf_buffer *background, const svf_run *run, svf_forest **forest,
                               svf_message *message) {
  const svf_settings *settings = from->settings;
  svf_pool pool;
  svf_planting p = {.settings = settings,
                    .encoding = encoding,
                    .frame = frame,
                    .pool = &pool,
                    .background = background,
                    .before = from->before};
  SVF_TRY(check_columns(from->before, frame, message));
  p.la = svf_la_choose(settings->cpu == SVF_CPU_PORTABLE);
  SVF_TRY(svf_kinds_find(settings, &p.kinds, message));
  SVF_TRY(svf_frame_weigh(settings, &p.kinds, frame, message));
  SVF_TRY(svf_pool_open(&pool, run, message));
  svf_status status = make_forest(&p, forest, message);
  svf_records_free(&p.records);
  svf_arena_free(&p.arena);
  svf_pool_close(&pool);
  return status;
}

static svf_status check_table(const svf_table *table, svf_message *message) {
  const char *name = table->path ? table->path : "the table";
  if (table->task == SVF_TASK_AUTO) return svf_fail(message, SVF_DATA, "%s: there is no target column", name);
  if (table->n < 2)
    return svf_fail(message, SVF_DATA, "%s: training needs at least 2 rows, there is %zu", name, table->n);
  if (table->n > UINT32_MAX / 2) return svf_fail(message, SVF_DATA, "%s: more than %u rows", name, UINT32_MAX / 2);
  if (table->d == 0) return svf_fail(message, SVF_DATA, "%s: there is no column besides the target", name);
  for (size_t i = 0; table->label && i < table->n; i++)
    if (table->label[i] < 0) return svf_fail(message, SVF_DATA, "%s: row %zu has no label", name, i + 1);
  return SVF_OK;
}

static svf_status check_class_weights(const svf_settings *settings, const svf_table *table, svf_message *message) {
  bool given = settings->class_weight == SVF_CLASS_WEIGHT_GIVEN;
  if (given && !table->class_weight)
    return svf_fail(message, SVF_USAGE,
                    "class_weight=given needs a weight per class with the table (--class-weight "
                    "NAME=WEIGHT, or svf_table_set_class_weights)");
  if (!given && table->class_weight)
    return svf_fail(message, SVF_USAGE, "the table comes with class weights: set class_weight=given to use them");
  return SVF_OK;
}

svf_status svf_train_check(const svf_settings *settings, const svf_table *table, svf_message *message) {
  SVF_TRY(check_table(table, message));
  SVF_TRY(svf_settings_check(settings, table->task, message));
  return check_class_weights(settings, table, message);
}

static svf_status train(const source *from, const svf_run *run, svf_forest **forest, svf_message *message) {
  const svf_settings *settings = from->settings;
  const svf_table *table = from->table;
  svf_encoding encoding;
  svf_frame frame;
  SVF_TRY(svf_train_check(settings, table, message));
  svf_settings chosen = *settings;
  if (settings->partition_rows > 0 && table->n > (size_t)settings->partition_rows)
    return svf_train_in_parts(settings, table, from->own, run, forest, message);
  chosen.partition_rows = SVF_PARTITION_ALL; /* so many, and more, are all */
  SVF_TRY(svf_settings_choose(&chosen, table, run, message));
  SVF_TRY(svf_settings_choose_leaf(&chosen, table, run, message));
  svf_coding coding;
  SVF_TRY(svf_coding_of(&chosen, &coding, message));
  SVF_TRY(svf_encoding_learn(table, &coding, run, &encoding, message));
  svf_buffer background = {0};
  svf_status status = svf_background_draw(&chosen, table, &background, message);
  if (status == SVF_OK) status = svf_encode_training(&encoding, table, &coding, run, &frame, message);
  if (from->own) svf_table_strip(from->own);
  if (status == SVF_OK) {
    source inner = {.settings = &chosen, .table = table, .before = from->before};
    status = plant_forest(&inner, &encoding, &frame, &background, run, forest, message);
    svf_frame_free(&frame);
  }
  svf_encoding_free(&encoding);
  svf_buffer_free(&background);
  return status;
}

static svf_status train_any(const source *from, const svf_run *run, svf_forest **forest, svf_message *message) {
  if (!from->settings->committee) return train(from, run, forest, message);
  SVF_TRY(svf_train_check(from->settings, from->table, message));
  return svf_committee_train(from->settings, from->table, from->options, run, forest, message);
}

/* interval=conformal: the model is that of the rows that are not held apart, and does not know of the others. */
static svf_status train_apart(const source *from, const svf_run *run, svf_forest **forest, svf_message *message) {
  svf_apart apart;
  svf_settings settings = *from->settings;
  svf_settings_assign(&settings, SVF_SET_interval, "none", NULL);
  svf_settings_assign(&settings, SVF_SET_interval_fraction, svf_setting_at(SVF_SET_interval_fraction)->standard,
                      NULL);
  settings.given[SVF_SET_interval_fraction] = 0;
  SVF_TRY(svf_train_check(from->settings, from->table, message));
  svf_status status = svf_apart_open(from->settings, from->table, &apart, message);
  if (!status) {
    if (from->own) svf_table_strip(from->own);
    source part = *from;
    part.settings = &settings;
    part.table = apart.train;
    part.own = from->own ? apart.train : NULL;
    status = train_any(&part, run, forest, message);
  }
  if (*forest) { /* also of a committee that was stopped */
    svf_message why;
    svf_status calibrated = svf_apart_calibrate(&apart, run, forest, &why);
    if (calibrated) status = svf_fail(message, calibrated, "%s", why.text);
  }
  svf_apart_free(&apart);
  return status;
}

static svf_status train_all(const source *from, const svf_run *run, svf_forest **forest, svf_message *message) {
  bool apart = from->settings->interval == SVF_INTERVAL_CONFORMAL;
  *forest = NULL;
  return (apart ? train_apart : train_any)(from, run, forest, message);
}

svf_status svf_train(const svf_settings *settings, const svf_table *table, const svf_run *run, svf_forest **forest,
                     svf_message *message) {
  svf_status status = train_all(&(source){.settings = settings, .table = table}, run, forest, message);
  if (status) svf_forest_free(*forest), *forest = NULL; /* of a stopped training */
  return status;
}

svf_status svf_train_after(const svf_forest *before, const svf_settings *settings, const svf_table *table,
                           const svf_run *run, svf_forest **forest, svf_message *message) {
  return train_all(&(source){.settings = settings, .table = table, .before = before}, run, forest, message);
}

svf_status svf_train_auto(const svf_settings *settings, const svf_table *table, const svf_auto_options *options,
                          const svf_run *run, svf_forest **forest, svf_message *message) {
  *forest = NULL;
  if (!settings->committee)
    return svf_fail(message, SVF_USAGE, "the method %s is no committee: use auto", settings->method);
  return train_all(&(source){.settings = settings, .table = table, .options = options}, run, forest, message);
}

svf_status svf_train_once(const svf_settings *settings, svf_table **table, const svf_run *run, svf_forest **forest,
                          svf_message *message) {
  source from = {.settings = settings, .table = *table, .own = settings->committee ? NULL : *table};
  svf_status status = train_all(&from, run, forest, message);
  if (status) svf_forest_free(*forest), *forest = NULL;
  svf_table_free(*table);
  *table = NULL;
  return status;
}
