/* partition.c - the cuts of all trees from a sample of the rows; see partition.h.
 *
 * A tree of the sample has the size that it would have on the whole table: with one row of the sample for every 1/f rows, a
 * leaf of min_leaf rows has f * min_leaf rows of the sample, and so on. So the settings are changed for the growth. */
#include "forest/answers/background.h"
#include "forest/growth/choose_settings.h"
#include "forest/parts/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

svf_status svf_partition_wanted(const svf_settings *settings, svf_message *message) {
  if (settings->partition_rows > 0) return SVF_OK;
  return svf_fail(message, SVF_USAGE, "set partition_rows, the number of rows that decide the cuts");
}

/* Rows are drawn one by one, and nothing may be known of the others. */
static svf_status check_draw(const svf_settings *settings, const svf_kinds *kinds, svf_message *message) {
  bool repeats = settings->rows == SVF_ROWS_BOOTSTRAP;
  if (settings->rows == SVF_ROWS_BALANCED)
    return svf_fail(message, SVF_USAGE,
                    "partition_rows draws the rows of a tree one by one, and rows=balanced counts classes first: "
                    "use rows=bootstrap");
  if (settings->class_weight != SVF_CLASS_WEIGHT_NONE &&
      (!kinds->leaf->class_costs || (repeats && settings->class_weight == SVF_CLASS_WEIGHT_GIVEN)))
    return svf_fail(message, SVF_USAGE,
                    "class_weight acts in the draw of rows here, which partition_rows makes one by one: leave one of "
                    "them out");
  return SVF_OK;
}

svf_status svf_partition_check(const svf_settings *settings, const svf_kinds *kinds, svf_message *message) {
  const svf_pick *pick = kinds->pick;
  if (kinds->vote->rounds)
    return svf_fail(
        message, SVF_USAGE,
        "partition_rows trains each leaf by itself, and trees of vote=%s correct each other: leave it out",
        settings->vote);
  if (!kinds->cut->propose && !kinds->cut->grow)
    return svf_fail(message, SVF_USAGE, "partition_rows divides rows by cells, and cut=%s makes none: leave it out",
                    settings->cut);
  if (pick->node || pick->best || pick->leaves)
    return svf_fail(message, SVF_USAGE,
                    "pick=%s needs trained leaves, and with partition_rows these come later: use pick=none",
                    settings->pick);
  if (kinds->leaf->prepare)
    return svf_fail(message, SVF_USAGE,
                    "leaf=%s chooses for all leaves together, and partition_rows trains them apart: use "
                    "leaf=linear-svm, ls-svm or constant",
                    settings->leaf);
  if (settings->prune > 0)
    return svf_fail(message, SVF_USAGE,
                    "prune needs trained leaves, and with partition_rows these come later: leave "
                    "one of them out");
  if (settings->candidate_risk != SVF_CANDIDATE_RISK_CONSTANT)
    return svf_fail(
        message, SVF_USAGE,
        "candidate_risk=leaf needs trained leaves, and with partition_rows these come later: use constant");
  if (kinds->cut->overlaps && kinds->cut->overlaps(settings))
    return svf_fail(message, SVF_USAGE, "with partition_rows a row has one leaf in each tree: leave overlap out");
  if (settings->background > settings->partition_rows)
    return svf_fail(
        message, SVF_USAGE,
        "background rows are drawn from the rows of partition_rows, and there are fewer of these: lower background");
  return check_draw(settings, kinds, message);
}

/* Weights of rows are known to those who see the row; what is drawn by them is not. */
static svf_status check_weights(const svf_settings *settings, const svf_kinds *kinds, const svf_table *table,
                                svf_message *message) {
  bool drawn = settings->rows == SVF_ROWS_BOOTSTRAP || kinds->leaf->fixed;
  if (table->weight && drawn)
    return svf_fail(message, SVF_USAGE,
                    "row weights act in the draw of rows here, which partition_rows makes one by one: leave one of "
                    "them out");
  for (size_t c = 0; table->class_weight && c < table->classes.count; c++)
    if (!(table->class_weight[c] > 0))
      return svf_fail(message, SVF_USAGE, "with partition_rows no class may have the weight 0: leave its rows out");
  return SVF_OK;
}

/* ---- the sample ---- */

typedef struct sample {
  svf_table *table;
  uint32_t *number; /* of each row */
} sample;

static void sample_free(sample *s) {
  svf_table_free(s->table);
  free(s->number);
}

/* Levels that no row has are dropped: a chunk of the table may not have known them. */
static bool trim_levels(svf_column *column, size_t n) {
  size_t count = column->levels.count, kept = 0;
  int32_t *code = calloc(count + 1, sizeof *code);
  if (!code) return false;
  for (size_t i = 0; i < n; i++)
    if (column->code[i] >= 0) code[column->code[i]] = 1;
  for (size_t l = 0; l < count; l++) {
    if (code[l]) column->levels.text[kept] = column->levels.text[l];
    else free(column->levels.text[l]);
    code[l] = code[l] ? (int32_t)kept++ : -1;
  }
  column->levels.count = kept;
  for (size_t i = 0; i < n; i++)
    if (column->code[i] >= 0) column->code[i] = code[column->code[i]];
  free(code);
  return true;
}

static svf_status take_sample(const svf_settings *settings, const svf_table *table, const uint64_t *numbers,
                              uint64_t rows, sample *s, svf_message *message) {
  size_t count, wanted = (size_t)settings->partition_rows;
  size_t *row = malloc((table->n + 1) * sizeof *row);
  if (!row) return svf_no_memory(message, "the sample");
  svf_status status = svf_table_sample(settings, table, numbers, row, &count, message);
  if (!status && count < wanted)
    status =
        svf_fail(message, SVF_USAGE,
                 "the sample has %zu rows and should have %zu: hand over all rows, or those that svf_table_sample "
                 "keeps of each chunk",
                 count, wanted);
  if (!status) status = svf_table_take(table, row, count, &s->table, message);
  if (!status && !(s->number = malloc(count * sizeof *s->number))) status = svf_no_memory(message, "the sample");
  for (size_t i = 0; i < count && !status; i++) s->number[i] = (uint32_t)(numbers ? numbers[row[i]] : row[i]);
  if (!status && s->number[count - 1] >= rows)
    status = svf_fail(message, SVF_USAGE, "row %u of %llu rows", s->number[count - 1], (unsigned long long)rows);
  for (size_t j = 0; j < table->d && !status; j++)
    if (s->table->column[j].code && !trim_levels(&s->table->column[j], count))
      status = svf_no_memory(message, "the sample");
  free(row);
  return status;
}

/* ---- the cuts ---- */

static int64_t shrink(int64_t rows, double part) { return (int64_t)fmax(1, ceil((double)rows * part)); }

/* What the trees of a sample of that part of the rows are grown by. */
static svf_settings growth_of(const svf_settings *settings, double part) {
  svf_settings growth = *settings;
  growth.min_leaf = shrink(settings->min_leaf, part);
  growth.min_leaf_factor = settings->min_leaf_factor * sqrt(part);
  growth.cell_rows = shrink(settings->cell_rows, part);
  growth.splits_per_row = settings->splits_per_row / part;
  growth.precision = SVF_PRECISION_DOUBLE;
  return growth;
}

/* Keeps the number of those leaves that others answer for. */
static svf_status keep_fillers(svf_planting *p, const svf_settings *settings, svf_message *message) {
  svf_parts parts = svf_records_parts(p);
  svf_leaf_record *leaf = (svf_leaf_record *)(void *)p->records.leaf.data;
  double *number = (double *)(void *)p->records.number.data;
  size_t kept = 0, l = 0;
  for (size_t t = 0; t < parts.trees; t++)
    for (uint32_t i = 0; i < parts.tree[t].nodes; i++) {
      if (parts.node[parts.tree[t].first_node + i].right) continue;
      double node = number[l];
      bool empty = node != i;
      if (!empty && !leaf[l].rows)
        return svf_fail(message, SVF_DATA, "tree %u sees no row of the sample: raise partition_rows",
                        parts.tree[t].number);
      if (empty && settings->precision == SVF_PRECISION_SINGLE && node >= 1 << 24)
        return svf_fail(message, SVF_DATA, "tree %u has too many nodes for precision=single", parts.tree[t].number);
      leaf[l] = (svf_leaf_record){.first = kept, .length = empty, .rows = leaf[l].rows};
      if (empty) number[kept++] = node;
      l++;
    }
  p->records.number.size = kept * sizeof *number;
  return SVF_OK;
}

static svf_status make_cuts(svf_planting *p, const svf_settings *chosen, uint64_t rows, svf_forest **forest,
                            svf_message *message) {
  double oob;
  svf_buffer image = {0};
  SVF_TRY(svf_plant_prepare(p, message));
  p->kinds.leaf = &svf_leaf_bare;
  SVF_TRY(svf_plant_all(p, false, &oob, message));
  SVF_TRY(keep_fillers(p, chosen, message));
  svf_parts parts = svf_records_parts(p);
  parts.settings = chosen;
  parts.rows = rows;
  svf_status status = svf_image_make(&parts, &image, message);
  if (status) {
    svf_buffer_free(&image);
    return status;
  }
  memcpy(image.data, SVF_CUTS_MAGIC, strlen(SVF_CUTS_MAGIC));
  svf_image_seal(image.data, image.size);
  return svf_image_open_cuts(image.data, image.size, SVF_HOLD_ALLOCATED, "the cuts", forest, message);
}

static svf_status plant_cuts(const svf_settings *chosen, const svf_encoding *encoding, svf_frame *frame,
                             uint64_t rows, const svf_buffer *background, const svf_run *run, svf_forest **forest,
                             svf_message *message) {
  svf_pool pool;
  svf_settings growth = growth_of(chosen, (double)frame->n / (double)rows);
  svf_planting p = {
      .settings = &growth, .encoding = encoding, .frame = frame, .pool = &pool, .background = background};
  p.la = svf_la_choose(growth.cpu == SVF_CPU_PORTABLE);
  SVF_TRY(svf_kinds_find(&growth, &p.kinds, message));
  SVF_TRY(svf_frame_weigh(&growth, &p.kinds, frame, message));
  SVF_TRY(svf_pool_open(&pool, run, message));
  svf_status status = make_cuts(&p, chosen, rows, forest, message);
  svf_records_free(&p.records);
  svf_arena_free(&p.arena);
  svf_pool_close(&pool);
  return status;
}

/* Rows that learn a statistic of the target are encoded without their own target, and which rows these are is not known to
 * those who encode the others. */
static svf_status check_statistics(const svf_encoding *encoding, svf_message *message) {
  for (size_t j = 0; j < encoding->features; j++)
    if (encoding->feature[j].statistic)
      return svf_fail(
          message, SVF_DATA,
          "column '%.80s' has %zu categories, and above one_hot_levels they become statistics of the target, "
          "which partition_rows cannot learn: raise one_hot_levels or leave the column out",
          encoding->feature[j].name, encoding->feature[j].levels.count);
  return SVF_OK;
}

static svf_status learn(const svf_settings *settings, const sample *s, uint64_t rows, const svf_run *run,
                        svf_forest **forest, svf_message *message) {
  svf_encoding encoding;
  svf_frame frame;
  svf_coding coding;
  svf_settings chosen = *settings;
  SVF_TRY(svf_settings_choose_leaf(&chosen, s->table, run, message));
  SVF_TRY(svf_coding_of(&chosen, &coding, message));
  SVF_TRY(svf_encoding_learn(s->table, &coding, run, &encoding, message));
  svf_buffer background = {0};
  svf_status status = check_statistics(&encoding, message);
  if (!status) status = svf_background_draw(&chosen, s->table, &background, message);
  if (!status) status = svf_encode(&encoding, s->table, run, &frame, message);
  if (status == SVF_OK) {
    frame.number = s->number;
    status = plant_cuts(&chosen, &encoding, &frame, rows, &background, run, forest, message);
    svf_frame_free(&frame);
  }
  svf_buffer_free(&background);
  svf_encoding_free(&encoding);
  return status;
}

svf_status svf_partition(const svf_settings *settings, const svf_table *table, const uint64_t *numbers, uint64_t rows,
                         const svf_run *run, svf_portion **cuts, svf_message *message) {
  *cuts = NULL;
  svf_kinds kinds;
  SVF_TRY(svf_train_check(settings, table, message));
  SVF_TRY(svf_partition_wanted(settings, message));
  if (settings->interval == SVF_INTERVAL_CONFORMAL)
    return svf_fail(message, SVF_USAGE,
                    "interval=conformal holds rows apart, and training in parts takes all: keep some rows out, and "
                    "calibrate the finished model with them");
  SVF_TRY(svf_kinds_find(settings, &kinds, message));
  SVF_TRY(check_weights(settings, &kinds, table, message));
  if (rows > SVF_MOST_ROWS) return svf_fail(message, SVF_DATA, "more than %u rows", SVF_MOST_ROWS);
  if (rows <= (uint64_t)settings->partition_rows)
    return svf_fail(message, SVF_USAGE,
                    "partition_rows=%lld draws all %llu rows: train them in one go, or draw fewer",
                    (long long)settings->partition_rows, (unsigned long long)rows);
  sample s = {0};
  svf_forest *forest = NULL;
  svf_portion *made = calloc(1, sizeof *made);
  svf_status status =
      made ? take_sample(settings, table, numbers, rows, &s, message) : svf_no_memory(message, "cuts");
  if (!status) status = learn(settings, &s, rows, run, &forest, message);
  sample_free(&s);
  if (!status) {
    made->kind = SVF_PORTION_CUTS;
    made->mark = svf_portion_mark(forest);
    status = svf_sketch_open(forest, "the cuts", &made->cuts, message);
  }
  if (status) svf_portion_free(made);
  else *cuts = made;
  return status;
}
