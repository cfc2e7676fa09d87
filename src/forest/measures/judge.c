/* judge.c - a block of rows before the trees of a forest; see judge.h. */
#include "forest/measures/judge.h"

#include <math.h>
#include <string.h>
#include "forest/answers/compact_forest.h"
#include "forest/answers/tree_answers.h"

/* A block at work. */
typedef struct block {
  const svf_judging *judging;
  svf_verdict *verdict;
  size_t first, n, k;
  const float **row;   /* n: as the trees see them */
  const float **asked; /* those of one tree */
  uint32_t *place;     /* where in the block they are */
  svf_desk desk;
  svf_compact_desk compact; /* where what single trees say is not wanted */
  double *score, *share;    /* what the tree says of them */
  svf_tally tally;
  svf_tally copy;   /* of one row */
  svf_sum *outcome; /* n: of the vote so far, weighted; all 0: nobody was asked */
} block;

static bool open_block(block *b, svf_arena *arena) {
  size_t n = b->n, k = b->k;
  b->row = SVF_TAKE(arena, const float *, n);
  b->asked = SVF_TAKE(arena, const float *, n);
  b->place = SVF_TAKE(arena, uint32_t, n);
  b->score = SVF_TAKE(arena, double, n *k);
  b->share = SVF_TAKE(arena, double, n *k);
  b->tally =
      (svf_tally){SVF_ZERO(arena, double, n *k), SVF_ZERO(arena, double, n *k), SVF_ZERO(arena, double, n), k, 0};
  b->copy = (svf_tally){SVF_TAKE(arena, double, k), SVF_TAKE(arena, double, k), SVF_TAKE(arena, double, 1), k, 0};
  b->outcome = SVF_ZERO(arena, svf_sum, n);
  return svf_compact_open(&b->compact, b->judging->forest, n, b->judging->frame.stride, arena) &&
         svf_desk_open(&b->desk, &b->judging->forest->parts, n, arena) && !svf_arena_failed(arena);
}

/* The rows of the block, copied where one feature shows other values. */
static bool show_rows(block *b, svf_arena *arena) {
  const svf_frame *frame = &b->judging->frame;
  const svf_shuffle *shuffle = b->verdict->shuffle;
  float *copy = shuffle ? SVF_TAKE(arena, float, b->n * frame->stride) : NULL;
  if (shuffle && !copy) return false;
  for (size_t i = 0; i < b->n; i++) {
    b->row[i] = frame->x + (b->first + i) * frame->stride;
    if (!shuffle) continue;
    float *own = copy + i * frame->stride;
    const float *other = frame->x + shuffle->from[b->first + i] * frame->stride;
    memcpy(own, b->row[i], frame->stride * sizeof *own);
    memcpy(own + shuffle->first, other + shuffle->first, shuffle->width * sizeof *own);
    b->row[i] = own;
  }
  return true;
}

static size_t choose_rows(block *b, size_t tree) {
  const svf_judging *j = b->judging;
  size_t count = 0;
  for (size_t i = 0; i < b->n; i++) {
    size_t row = b->first + i;
    if (j->seen && j->seen[tree * j->stride + row / 8] >> row % 8 & 1) continue;
    b->asked[count] = b->row[i];
    b->place[count++] = (uint32_t)i;
  }
  return count;
}

static void note(void *context, const svf_answer *answer) {
  const block *b = context;
  size_t k = answer->k, bytes = k * sizeof(double);
  for (size_t i = 0; i < answer->n; i++) {
    memcpy(b->score + answer->row[i] * k, answer->score + i * k, bytes);
    memcpy(b->share + answer->row[i] * k, answer->share + i * k, bytes);
  }
}

/* Asks one tree of `count` rows. False: memory ran out. */
static bool ask_tree(block *b, size_t tree, size_t count, svf_arena *scratch) {
  const svf_forest *forest = b->judging->forest;
  svf_question question = {&forest->parts, forest->kinds.leaf, forest->la, forest->fill, b->asked, count, true};
  return svf_tree_speak(&question, tree, &b->desk, scratch, note, b);
}

/* Adds the outcome of a prediction. */
static void add_outcome(svf_sum *sum, const svf_frame *frame, size_t row, double predicted) {
  svf_sum_add(sum, svf_row_outcome(frame->label, frame->value, row, predicted), svf_row_weight(frame->measure, row));
}

/* The vote on a row so far, without ending its tally; votes and shares are in b->copy. */
static double answer(block *b, size_t i) {
  const svf_forest *forest = b->judging->forest;
  size_t k = b->k;
  memcpy(b->copy.votes, b->tally.votes + i * k, k * sizeof(double));
  memcpy(b->copy.shares, b->tally.shares + i * k, k * sizeof(double));
  b->copy.weight[0] = b->tally.weight[i];
  return svf_tally_end(forest->kinds.vote, k, forest->encoding.classes.count > 0, &b->copy, 0);
}

static void judge_row(block *b, size_t i) {
  b->outcome[i] = (svf_sum){0, 0};
  add_outcome(&b->outcome[i], &b->judging->frame, b->first + i, answer(b, i));
}

/* What one tree said of the rows it was asked of. */
static void hear(block *b, size_t tree, size_t count) {
  const svf_forest *forest = b->judging->forest;
  const svf_frame *frame = &b->judging->frame;
  size_t k = forest->parts.said;
  svf_tally tally = svf_tally_of(&b->tally, &forest->parts, tree);
  for (size_t a = 0; a < count; a++) {
    const double *score = b->score + a * k, *share = b->share + a * k;
    size_t i = b->place[a], row = b->first + i;
    svf_tally_add(forest->kinds.vote, k, forest->parts.tree[tree].weight, score, share, &tally, i);
    if (b->verdict->curve) judge_row(b, i);
    if (!b->verdict->tree || forest->kinds.vote->rounds) continue; /* a step answers nothing alone */
    double lead, own = frame->label ? (double)svf_vote_top(k, score, &lead) : score[0];
    add_outcome(&b->verdict->tree[tree], frame, row, own);
  }
  for (size_t i = 0; b->verdict->curve && i < b->n; i++) svf_sum_join(&b->verdict->curve[tree], b->outcome[i]);
}

static bool ask_trees(block *b, svf_arena *scratch) {
  for (size_t t = 0; t < b->judging->forest->parts.trees; t++) {
    size_t count = choose_rows(b, t);
    if (!ask_tree(b, t, count, scratch)) return false;
    hear(b, t, count);
  }
  return true;
}

/* Lists the rows that a tree must be asked of again; of the others it says what it said of the row as it is. */
static size_t list_changed(block *b, size_t tree, size_t count, uint64_t bits) {
  const svf_judging *j = b->judging;
  const svf_path_record *path = j->path + tree * j->frame.n + b->first;
  size_t listed = 0;
  for (size_t a = 0; a < count; a++) {
    uint32_t i = b->place[a];
    b->compact.said[i] = path[i].said;
    b->compact.list[listed] = i;
    listed += (path[i].looked & bits) != 0;
  }
  return listed;
}

/* The same by the compact copy; the rows stand one after the other. */
static void ask_compact(block *b) {
  const svf_parts *parts = &b->judging->forest->parts;
  const svf_shuffle *shuffle = b->verdict->shuffle;
  uint64_t bits = 0;
  for (uint32_t c = 0; shuffle && c < shuffle->width; c++) bits |= svf_column_bit(shuffle->first + c);
  svf_compact_read(&b->compact, b->n, b->row[0]);
  for (size_t t = 0; t < parts->trees; t++) {
    size_t count = choose_rows(b, t), listed = b->judging->path ? list_changed(b, t, count, bits) : count;
    if (!b->judging->path) memcpy(b->compact.list, b->place, count * sizeof *b->place);
    svf_compact_walk(&b->compact, t, listed);
    memcpy(b->compact.list, b->place, count * sizeof *b->place);
    svf_compact_add(&b->compact, t, count, b->tally.votes);
    double weight = svf_tally_weight(b->judging->forest->kinds.vote, parts->tree[t].weight);
    for (size_t a = 0; a < count; a++) b->tally.weight[b->place[a]] += weight;
  }
  memcpy(b->tally.shares, b->tally.votes, b->n * b->k * sizeof(double));
}

static void write_row(block *b, size_t i) {
  size_t row = b->first + i, k = b->k;
  bool asked = b->tally.weight[i] > 0;
  double value = asked ? answer(b, i) : (double)NAN;
  for (size_t c = 0; !asked && c < k; c++) b->copy.votes[c] = b->copy.shares[c] = NAN;
  if (b->verdict->values) b->verdict->values[row] = value;
  if (b->verdict->scores) memcpy(b->verdict->scores + row * k, b->copy.votes, k * sizeof(double));
  if (b->verdict->probabilities) memcpy(b->verdict->probabilities + row * k, b->copy.shares, k * sizeof(double));
}

bool svf_judge(const svf_judging *judging, size_t number, svf_arena *scratch, svf_verdict *verdict) {
  const svf_forest *forest = judging->forest;
  size_t first = number * SVF_JUDGE_BLOCK, rest = judging->frame.n - first;
  block b = {.judging = judging, .verdict = verdict, .first = first, .k = svf_forest_k(forest)};
  b.n = rest < SVF_JUDGE_BLOCK ? rest : SVF_JUDGE_BLOCK;
  svf_mark mark = svf_arena_mark(scratch);
  bool fine = open_block(&b, scratch) && show_rows(&b, scratch);
  if (fine && !verdict->curve && !verdict->tree && svf_compact_serves(&b.compact, true)) ask_compact(&b);
  else fine = fine && ask_trees(&b, scratch);
  for (size_t i = 0; fine && i < b.n; i++) {
    write_row(&b, i);
    if (!(b.tally.weight[i] > 0)) continue;
    judge_row(&b, i);
    svf_sum_join(&verdict->whole, b.outcome[i]);
  }
  svf_arena_release(scratch, mark);
  return fine;
}
