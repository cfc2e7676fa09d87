/* learning_bound.c - Theorem 1 of DeSalvo and Mohri, Random composite forests (AAAI 2016), for the trees of a forest:
 *
 *   R(f) <= R_S(f) + sum_k min(8 c A_k, m_k+/m) + min over L of sum_{k in L} (m_k+/m - 8 c A_k)
 *                  + C(m, p, rho) + sqrt(log(2/delta) / 2m)
 *
 * with K the leaves where 8 c A_k < m_k+/m, L any of its subsets that has at least |K| - 1/rho of them (so the smallest
 * terms), and A_k as in Proposition 2 (pick/bound.h). The vote of hard trees errs only where half of them do, so its error
 * is at most twice the mean of theirs; each tree gets delta / trees, so that all bounds hold together. */
#include "pick/bound.h"

#include <math.h>
#include <stdlib.h>
#include "cut/scored.h"
#include "forest/auto/committee.h"
#include "forest/measures/judge.h"
#include "forest/answers/tree_answers.h"

typedef struct job {
  svf_judging judging;
  svf_bound *out;
  svf_bound_terms terms;
  svf_bound_tree *tree;
  uint32_t *said; /* [tree][row]: class of the hard tree */
  const float **row;
  size_t largest; /* leaves of the largest tree */
  double most,
      unit; /* the largest weight, and what it counts: weighted rows count together as many as they are worth */
} job;

static double count_of(const job *j, size_t row) {
  const double *measure = j->judging.frame.measure;
  return measure ? j->unit * (measure[row] / j->most) : 1;
}

/* ---- one tree ---- */

typedef struct counts {
  const job *j;
  const svf_desk *desk;
  uint32_t *said;
  double *weight, *right; /* of each leaf */
  size_t *rows;
} counts;

static void hear(void *context, const svf_answer *answer) {
  const counts *c = context;
  const svf_frame *frame = &c->j->judging.frame;
  const double *measure = frame->measure;
  for (size_t i = 0; i < answer->n; i++) {
    uint32_t row = answer->row[i], leaf = c->desk->leaf[row];
    double w = count_of(c->j, row), lead;
    size_t top = svf_vote_top(answer->k, answer->score + i * answer->k, &lead);
    c->said[row] = (uint32_t)top;
    c->rows[leaf] += !measure || measure[row] > 0; /* w may be too small for a double */
    c->weight[leaf] += w;
    if (top == (size_t)frame->label[row]) c->right[leaf] += w;
  }
}

/* Depths of the leaves, by number; nodes stand in preorder. */
static bool find_depths(const svf_parts *parts, size_t tree, svf_arena *scratch, size_t *depth) {
  const svf_tree_record *record = &parts->tree[tree];
  const svf_node_record *node = parts->node + record->first_node;
  size_t *of = SVF_ZERO(scratch, size_t, record->nodes);
  for (size_t i = 0; of && i < record->nodes; i++) {
    if (!node[i].right) {
      depth[node[i].first] = of[i];
      continue;
    }
    of[i + 1] = of[node[i].right] = of[i] + 1;
  }
  return of != NULL;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* C(m, p, rho), 0 where there is one hypothesis set and one leaf. */
static double margin_term(const svf_bound *b, double leaves) {
  double c = (double)b->classes, m = b->rows, choices = log((double)b->families * leaves);
  if (!(choices > 0)) return 0;
  double inner = 4 / (b->rho * b->rho) * log(c * c * b->rho * b->rho * m / (4 * choices));
  return 2 / (c * b->rho) * sqrt(choices / m) + sqrt(fmax(0, ceil(inner)) * choices / m);
}

static void add_terms(const counts *c, const size_t *depth, size_t tree, double *excess) {
  const job *j = c->j;
  const svf_forest *forest = j->judging.forest;
  const svf_bound_terms *terms = &j->terms;
  svf_bound_tree *t = &j->tree[tree];
  size_t first = (size_t)forest->parts.tree[tree].first_leaf, beyond = 0;
  for (size_t k = 0; k < t->leaves; k++) {
    svf_leaf_view view = svf_leaf_at(&forest->parts, first + k, forest->fill, forest->la);
    double A = svf_bound_questions(terms, depth[k]) + svf_bound_machines(terms, forest->kinds.leaf->capacity(&view));
    double hit = c->right[k] / terms->m, cost = 8 * terms->classes * A;
    t->error += (c->weight[k] - c->right[k]) / terms->m;
    t->complexity += fmin(cost, hit);
    t->criterion += svf_bound_leaf(terms, forest->settings.bound_scale, A, c->weight[k], c->right[k]);
    if (hit > cost) excess[beyond++] = hit - cost;
  }
  qsort(excess, beyond, sizeof *excess, ascending);
  double least = ceil((double)beyond - 1 / j->out->rho);
  for (size_t k = 0; (double)k < least; k++) t->remainder += excess[k];
  t->margin = margin_term(j->out, (double)t->leaves);
  t->confidence = sqrt(log(2 * (double)forest->parts.trees / j->out->delta) / (2 * terms->m));
  t->bound = t->error + t->complexity + t->remainder + t->margin + t->confidence;
}

/* A tree that saw all rows has as many in each leaf as in training. */
static svf_status check_rows(const counts *c, size_t tree, svf_message *message) {
  const svf_forest *forest = c->j->judging.forest;
  const svf_tree_record *record = &forest->parts.tree[tree];
  if (forest->settings.rows != SVF_ROWS_ALL || forest->settings.prune > 0) return SVF_OK;
  for (size_t k = 0; k < record->leaves; k++) {
    size_t trained = forest->parts.leaf[record->first_leaf + k].rows;
    if (c->rows[k] != trained)
      return svf_fail(
          message, SVF_DATA,
          "the bound needs the table that the model was trained on: leaf %zu of tree %zu had %zu of its rows, "
          "and has %zu of this one's; is it another part of the data, or were columns changed?",
          k + 1, (size_t)record->number + 1, trained, c->rows[k]);
  }
  return SVF_OK;
}

static svf_status judge_tree(void *context, size_t tree, svf_worker *worker, svf_message *message) {
  const job *j = context;
  const svf_forest *forest = j->judging.forest;
  svf_arena *scratch = &worker->arena;
  svf_mark mark = svf_arena_mark(scratch);
  size_t n = j->judging.frame.n, leaves = forest->parts.tree[tree].leaves;
  svf_question question = {.parts = &forest->parts,
                           .leaf = forest->kinds.leaf,
                           .la = forest->la,
                           .fill = forest->fill,
                           .row = j->row,
                           .n = n};
  svf_desk desk;
  counts c = {j,
              &desk,
              j->said + tree * n,
              SVF_ZERO(scratch, double, leaves),
              SVF_ZERO(scratch, double, leaves),
              SVF_ZERO(scratch, size_t, leaves)};
  size_t *depth = SVF_ZERO(scratch, size_t, leaves);
  double *excess = SVF_TAKE(scratch, double, leaves);
  j->tree[tree] = (svf_bound_tree){.leaves = leaves};
  bool fine = !svf_arena_failed(scratch) && find_depths(&forest->parts, tree, scratch, depth) &&
              svf_desk_open(&desk, &forest->parts, n, scratch) &&
              svf_tree_speak(&question, tree, &desk, scratch, hear, &c);
  svf_status status = fine ? check_rows(&c, tree, message) : svf_no_memory(message, "the bound");
  if (status == SVF_OK) add_terms(&c, depth, tree, excess);
  svf_arena_release(scratch, mark);
  return status;
}

/* ---- the forest ---- */

/* Share of the rows that the vote of the hard trees gets wrong; the first of classes with as many votes. */
static bool find_error(const job *j) {
  const svf_frame *frame = &j->judging.frame;
  size_t *votes = calloc(frame->k, sizeof *votes), trees = j->judging.forest->parts.trees;
  double wrong = 0;
  if (!votes) return false;
  for (size_t i = 0; i < frame->n; i++) {
    size_t best = 0;
    for (size_t c = 0; c < frame->k; c++) votes[c] = 0;
    for (size_t t = 0; t < trees; t++) votes[j->said[t * frame->n + i]]++;
    for (size_t c = 1; c < frame->k; c++)
      if (votes[c] > votes[best]) best = c;
    if (best != (size_t)frame->label[i]) wrong += count_of(j, i);
  }
  j->out->error = wrong / j->terms.m;
  free(votes);
  return true;
}

/* As many rows of one weight as would say as much: (sum w)^2 / sum w^2; the unit brings the sum of weights to that. */
static double worth(job *j, const double *weight, size_t n) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; i++) j->most = fmax(j->most, weight[i]);
  for (size_t i = 0; i < n; i++) sum += weight[i] / j->most, squares += weight[i] / j->most * (weight[i] / j->most);
  j->unit = sum / squares;
  return sum * sum / squares;
}

static void set_terms(job *j) {
  const svf_forest *forest = j->judging.forest;
  const svf_frame *frame = &j->judging.frame;
  const svf_settings *settings = &forest->settings;
  svf_bound *b = j->out;
  double rows = (double)frame->n;
  if (frame->measure) rows = worth(j, frame->measure, frame->n);
  for (size_t t = 0; t < forest->parts.trees; t++)
    if (forest->parts.tree[t].leaves > j->largest) j->largest = forest->parts.tree[t].leaves;
  b->rows = rows;
  b->classes = frame->k;
  b->features = svf_encoding_all(&forest->encoding);
  b->drawn = svf_features_wanted(settings, b->features, true);
  if (b->drawn > b->features) b->drawn = b->features;
  b->families = forest->kinds.leaf->drafts ? forest->kinds.leaf->drafts(settings) : 1;
  if (!(b->delta > 0)) b->delta = .05;
  bool fixed = b->rho > 0 || (settings->max_depth > 0 && settings->max_depth < 60);
  if (!(b->rho > 0)) b->rho = fixed ? ldexp(1, -(int)settings->max_depth) : 1 / (double)j->largest;
  b->guarantee =
      fixed && settings->rows == SVF_ROWS_ALL && settings->class_weight == SVF_CLASS_WEIGHT_NONE && !frame->measure;
  j->terms = (svf_bound_terms){rows, (double)frame->k, (double)b->drawn, (double)b->features};
}

static svf_status check(const svf_forest *forest, const svf_table *table, svf_message *message) {
  const svf_kinds *kinds = &forest->kinds;
  if (!kinds->leaf->capacity || (kinds->cut->propose && !kinds->cut->draws_features))
    return svf_fail(
        message, SVF_USAGE,
        "the bound is for leaves of kernel machines (leaf=kernel-svm) on cuts of random features (cut=best), "
        "and this model has leaf=%s and cut=%s",
        forest->settings.leaf, forest->settings.cut);
  if (table->n != forest->parts.rows)
    return svf_fail(message, SVF_DATA,
                    "the bound needs the table that the model was trained on: that had %zu rows, this has %zu",
                    (size_t)forest->parts.rows, table->n);
  return SVF_OK;
}

static svf_status judge_all(job *j, svf_pool *pool, svf_message *message) {
  const svf_frame *frame = &j->judging.frame;
  size_t trees = j->judging.forest->parts.trees;
  svf_stage stage = {"bound", 0, 1, NULL};
  set_terms(j);
  j->row = calloc(frame->n, sizeof *j->row);
  j->said = calloc(frame->n * trees, sizeof *j->said);
  j->tree = calloc(trees, sizeof *j->tree);
  if (!j->row || !j->said || !j->tree) return svf_no_memory(message, "the bound");
  for (size_t i = 0; i < frame->n; i++) j->row[i] = frame->x + i * frame->stride;
  SVF_TRY(svf_pool_run(pool, &stage, trees, judge_tree, j, message));
  if (!find_error(j)) return svf_no_memory(message, "the bound");
  double sum = 0;
  for (size_t t = 0; t < trees; t++) {
    sum += j->tree[t].bound;
    if (j->out->tree) j->out->tree[t] = j->tree[t];
  }
  j->out->bound = trees > 1 ? 2 * sum / (double)trees : sum;
  return SVF_OK;
}

svf_status svf_forest_bound(const svf_forest *forest, const svf_table *table, const svf_run *run, svf_bound *bound,
                            svf_message *message) {
  svf_pool pool;
  job j = {.out = bound};
  SVF_TRY(svf_committee_refuse(forest, "bound", message));
  if (!(bound->delta >= 0 && bound->delta < 1) || !(bound->rho >= 0 && bound->rho <= 1))
    return svf_fail(message, SVF_USAGE, "a bound needs 0 < delta < 1 and 0 < rho <= 1, or 0 for the usual ones");
  SVF_TRY(check(forest, table, message));
  SVF_TRY(svf_pool_open(&pool, run, message));
  svf_status status = svf_judging_open(&j.judging, forest, table, SVF_JUDGED_TRAINING, &pool, message);
  if (status == SVF_OK) status = judge_all(&j, &pool, message);
  svf_judging_close(&j.judging);
  svf_pool_close(&pool);
  free(j.row);
  free(j.said);
  free(j.tree);
  return status;
}
