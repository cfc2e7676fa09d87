/* speak.c - see speak.h. */
#include "forest/speak.h"

#include <string.h>

uint32_t svf_tree_route(const svf_parts *parts, size_t tree, const float *row) {
  const svf_node_record *node = parts->node + parts->tree[tree].first_node;
  uint32_t at = 0;
  while (node[at].right) {
    const svf_node_record *here = &node[at];
    int side = svf_plane_side(parts->term + here->first, here->count >> 1, here->threshold, row);
    if (side < 0) side = here->count & 1 ? 0 : 1;
    at = side ? here->right : at + 1;
  }
  return node[at].first;
}

/* Rows in the order of their leaves: a counting sort. order: n; start: leaves + 1. */
static void group(const uint32_t *leaf, size_t n, size_t leaves, uint32_t *order, uint32_t *start) {
  memset(start, 0, (leaves + 1) * sizeof *start);
  for (size_t i = 0; i < n; i++) start[leaf[i] + 1]++;
  for (size_t l = 0; l < leaves; l++) start[l + 1] += start[l];
  for (size_t i = 0; i < n; i++) order[start[leaf[i]]++] = (uint32_t)i;
  memmove(start + 1, start, leaves * sizeof *start);
  start[0] = 0;
}

/* Scratch of one call. */
typedef struct desk {
  uint32_t *leaf, *order, *start;
  const float **row;
  double *score, *share;
} desk;

static bool open_desk(desk *d, size_t n, size_t leaves, size_t k, svf_arena *scratch) {
  d->leaf = SVF_TAKE(scratch, uint32_t, n);
  d->order = SVF_TAKE(scratch, uint32_t, n);
  d->start = SVF_TAKE(scratch, uint32_t, leaves + 1);
  d->row = SVF_TAKE(scratch, const float *, n);
  d->score = SVF_TAKE(scratch, double, n *k);
  d->share = SVF_TAKE(scratch, double, n *k);
  return !svf_arena_failed(scratch);
}

/* One leaf for its rows, results to the rows' own places. */
static bool speak_leaf(const svf_leaf *kind, const svf_leaf_view *view, const desk *d, uint32_t from, uint32_t to,
                       svf_arena *scratch, const svf_speech *speech) {
  size_t k = view->k, bytes = k * sizeof(double);
  if (!kind->predict(view, d->row + from, to - from, scratch, d->score, d->share)) return false;
  for (uint32_t i = from; i < to; i++) {
    memcpy(speech->score + d->order[i] * k, d->score + (i - from) * k, bytes);
    memcpy(speech->share + d->order[i] * k, d->share + (i - from) * k, bytes);
  }
  return true;
}

bool svf_tree_speak(const svf_parts *parts, const svf_kinds *kinds, size_t tree, const float *const *row, size_t n,
                    const float *fill, svf_arena *scratch, const svf_speech *speech) {
  svf_mark mark = svf_arena_mark(scratch);
  size_t leaves = parts->tree[tree].leaves, first = parts->tree[tree].first_leaf;
  size_t k = parts->encoding->classes.count ? parts->encoding->classes.count : 1;
  desk d;
  bool fine = open_desk(&d, n, leaves, k, scratch);
  if (fine) {
    for (size_t i = 0; i < n; i++) {
      d.leaf[i] = svf_tree_route(parts, tree, row[i]);
      if (speech->leaf) speech->leaf[i] = (int32_t)d.leaf[i];
    }
    group(d.leaf, n, leaves, d.order, d.start);
    for (size_t i = 0; i < n; i++) d.row[i] = row[d.order[i]];
  }
  for (size_t l = 0; fine && l < leaves; l++) {
    if (d.start[l] == d.start[l + 1]) continue;
    svf_leaf_view view = svf_leaf_at(parts, first + l, fill);
    fine = speak_leaf(kinds->leaf, &view, &d, d.start[l], d.start[l + 1], scratch, speech);
  }
  svf_arena_release(scratch, mark);
  return fine;
}

void svf_tally_add(const svf_vote *vote, size_t k, double weight, const double *score, const double *share,
                   const svf_tally *tally, size_t row) {
  vote->add(k, score, share, weight, tally->votes + row * k);
  for (size_t c = 0; c < k; c++) tally->shares[row * k + c] += weight * share[c];
  tally->weight[row] += weight;
}

double svf_tally_end(const svf_vote *vote, size_t k, bool classes, const svf_tally *tally, size_t row) {
  double *votes = tally->votes + row * k, *shares = tally->shares + row * k, weight = tally->weight[row];
  size_t best = 0;
  for (size_t c = 0; c < k; c++) {
    if (weight > 0) shares[c] /= weight;
    if (weight > 0 && vote->average) votes[c] /= weight;
    if (votes[c] > votes[best] || (votes[c] == votes[best] && shares[c] > shares[best])) best = c;
  }
  return classes ? (double)best : votes[0];
}
