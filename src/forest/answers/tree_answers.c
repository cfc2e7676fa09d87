/* tree_answers.c - see tree_answers.h. */
#include "forest/answers/tree_answers.h"

#include <string.h>

/* Rows that a leaf is asked for at a time: they and what is said of them stay in the cache. And how many leaves ahead the
 * numbers are called for: deep trees have a leaf for almost every row, each somewhere else in memory. */
enum { TOGETHER = 64, AHEAD = 8 };

bool svf_desk_open(svf_desk *desk, const svf_parts *parts, size_t n, svf_arena *arena) {
  size_t leaves = 0, k = parts->said, together = n < TOGETHER ? n : TOGETHER;
  for (size_t t = 0; t < parts->trees; t++)
    if (parts->tree[t].leaves > leaves) leaves = parts->tree[t].leaves;
  desk->leaf = SVF_TAKE(arena, uint32_t, n);
  desk->head = SVF_ZERO(arena, uint32_t, leaves);
  desk->next = SVF_TAKE(arena, uint32_t, n);
  desk->touched = SVF_TAKE(arena, uint32_t, n < leaves ? n : leaves);
  desk->order = SVF_TAKE(arena, uint32_t, together);
  desk->row = SVF_TAKE(arena, const float *, together);
  desk->score = SVF_TAKE(arena, double, together *k);
  desk->share = SVF_TAKE(arena, double, together *k);
  return !svf_arena_failed(arena);
}

/* Lists the rows of each leaf, ascending; a list holds positions from 1 and ends with 0. Returns how many leaves have
 * any. */
static size_t group(const svf_desk *desk, size_t n) {
  size_t count = 0;
  for (size_t i = n; i-- > 0;) {
    uint32_t leaf = desk->leaf[i];
    if (!desk->head[leaf]) desk->touched[count++] = leaf;
    desk->next[i] = desk->head[leaf];
    desk->head[leaf] = (uint32_t)i + 1;
  }
  return count;
}

/* One leaf, asked for its rows by and by. */
static bool speak_leaf(const svf_question *q, const svf_leaf_view *view, const svf_desk *desk, uint32_t first,
                       svf_arena *scratch, svf_listener hear, void *context) {
  double *share = q->shares ? desk->share : NULL;
  for (uint32_t at = first; at;) {
    size_t n = 0;
    for (; at && n < TOGETHER; at = desk->next[at - 1], n++) {
      desk->order[n] = at - 1;
      desk->row[n] = q->row[at - 1];
    }
    if (!q->leaf->predict(view, desk->row, n, scratch, desk->score, share)) return false;
    hear(context, &(svf_answer){desk->order, n, view->k, desk->score, share, view});
  }
  return true;
}

static void call_numbers(const svf_parts *parts, const svf_leaf_record *leaf) {
  __builtin_prefetch((const char *)parts->number + leaf->first * svf_number_size(parts->single));
}

bool svf_tree_speak(const svf_question *question, size_t tree, const svf_desk *desk, svf_arena *scratch,
                    svf_listener hear, void *context) {
  const svf_parts *parts = question->parts;
  bool fine = true;
  svf_tree_route(question, tree, desk->leaf);
  size_t count = group(desk, question->n);
  const svf_leaf_record *record = parts->leaf + parts->tree[tree].first_leaf;
  for (size_t t = 0; t < count; t++) {
    if (t + 2 * AHEAD < count) __builtin_prefetch(&record[desk->touched[t + 2 * AHEAD]]);
    if (t + AHEAD < count) call_numbers(parts, &record[desk->touched[t + AHEAD]]);
    uint32_t leaf = desk->touched[t], first = desk->head[leaf];
    desk->head[leaf] = 0;
    if (!fine) continue; /* the heads are left as they were found */
    svf_leaf_view view = svf_leaf_at(parts, parts->tree[tree].first_leaf + leaf, question->fill, question->la);
    fine = speak_leaf(question, &view, desk, first, scratch, hear, context);
  }
  return fine;
}

void svf_tally_add(const svf_vote *vote, size_t said, double weight, const double *score, const double *share,
                   const svf_tally *tally, size_t row) {
  weight = svf_tally_weight(vote, weight);
  size_t first = row * tally->k + tally->at;
  vote->add(said, score, share, weight, tally->votes + first);
  for (size_t c = 0; tally->shares && c < said; c++) tally->shares[first + c] += weight * share[c];
  tally->weight[row] += weight;
}

double svf_tally_end(const svf_vote *vote, size_t k, bool classes, const svf_tally *tally, size_t row) {
  double *votes = tally->votes + row * k, *shares = tally->shares ? tally->shares + row * k : NULL;
  double weight = vote->rounds ? 0 : tally->weight[row];
  size_t best = 0;
  if (vote->rounds) vote->rounds->link(k, classes, votes, shares);
  for (size_t c = 0; c < k; c++) {
    if (weight > 0 && shares) shares[c] /= weight;
    if (weight > 0 && vote->average) votes[c] /= weight;
    if (votes[c] > votes[best] || (shares && votes[c] == votes[best] && shares[c] > shares[best])) best = c;
  }
  return classes ? (double)best : votes[0];
}

bool svf_tally_tied(size_t k, const svf_tally *tally, size_t row, double winner) {
  const double *votes = tally->votes + row * k;
  for (size_t c = 0; c < k; c++)
    if (c != (size_t)winner && votes[c] == votes[(size_t)winner]) return true;
  return false;
}
