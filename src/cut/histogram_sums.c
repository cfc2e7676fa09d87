/* histogram_sums.c - the sums of a node's rows by bins: each column in the order of the rows, whatever thread adds it up. */
#include "cut/histogram.h"

#include <string.h>

/* Noise of one level: its mean differs from the node's by its standard error times a normal number (level_order.c). */
static void find_noise(const svf_binned *t, svf_histogram *h) {
  double rest = h->square;
  if (!(h->all.weight > 0)) return;
  if (!t->k) rest -= h->all.sum * h->all.sum / h->all.weight;
  for (size_t c = 0; c < t->k; c++) rest -= h->of_all[c] * h->of_all[c] / h->all.weight;
  h->noise = 2 / 3.14159265358979323846 * fmax(rest, 0) / (double)h->all.rows;
}

/* The node's rows beside each other, and what they sum to. */
bool svf_bins_gather(const svf_binned *t, const svf_site *site, svf_bin_rows *rows, svf_histogram *h) {
  svf_pair *pair = SVF_TAKE(&t->ground->worker->arena, svf_pair, site->n);
  if (!pair) return false;
  const int32_t *label = t->ground->frame->label;
  h->all = (svf_bin_sum){.rows = site->n};
  h->square = 0;
  for (size_t c = 0; c < t->k; c++) h->of_all[c] = 0;
  for (size_t i = 0; i < site->n; i++) {
    pair[i] = t->pair[site->rows[i]];
    h->all.sum += (double)pair[i].sum;
    h->all.weight += (double)pair[i].weight;
    if (t->k) h->of_all[label[site->rows[i]]] += (double)pair[i].weight;
  }
  for (size_t i = 0; t->bins->categories && !t->k && i < site->n; i++)
    h->square += pair[i].weight > 0 ? (double)pair[i].sum * (double)pair[i].sum / (double)pair[i].weight : 0;
  if (t->k) h->square = h->all.weight;
  find_noise(t, h);
  *rows = (svf_bin_rows){site->rows, pair, site->n};
  return true;
}

void svf_bins_leave(const svf_binned *t, svf_histogram *node, const svf_histogram *part) {
  node->all.sum -= part->all.sum;
  node->all.weight -= part->all.weight;
  node->all.rows -= part->all.rows;
  node->square -= part->square;
  for (size_t c = 0; c < t->k; c++) node->of_all[c] -= part->of_all[c];
  find_noise(t, node);
}

static void add_plain(const uint8_t *bin, const svf_bin_rows *rows, svf_bin_sum *cell) {
  for (size_t i = 0; i < rows->n; i++) {
    svf_bin_sum *c = &cell[bin[rows->row[i]]];
    c->sum += (double)rows->pair[i].sum;
    c->rows++;
  }
}

static void add_weighted(const uint8_t *bin, const svf_bin_rows *rows, svf_bin_sum *cell) {
  for (size_t i = 0; i < rows->n; i++) {
    svf_bin_sum *c = &cell[bin[rows->row[i]]];
    c->sum += (double)rows->pair[i].sum;
    c->weight += (double)rows->pair[i].weight;
    c->rows++;
  }
}

static void add_classes(const svf_binned *t, const uint8_t *bin, const svf_bin_rows *rows, svf_bin_sum *cell,
                        double *of) {
  const int32_t *label = t->ground->frame->label;
  for (size_t i = 0; i < rows->n; i++) {
    uint8_t b = bin[rows->row[i]];
    cell[b].weight += (double)rows->pair[i].weight;
    cell[b].rows++;
    of[b * t->k + (size_t)label[rows->row[i]]] += (double)rows->pair[i].weight;
  }
}

/* Empties the bins that have rows, and the one of missing values. */
static void empty_used(const svf_binned *t, const svf_bin_column *column, const svf_bin_rows *rows,
                       svf_bin_cells *c) {
  memset(c->used, 0, sizeof c->used);
  c->cell[column->bins] = (svf_bin_sum){0};
  for (size_t i = 0; i < rows->n; i++) {
    uint8_t b = column->bin[rows->row[i]];
    c->used[b / 64] |= UINT64_C(1) << b % 64;
    c->cell[b] = (svf_bin_sum){0};
    for (size_t q = 0; q < t->k; q++) c->of[b * t->k + q] = 0;
  }
}

static void empty_all(const svf_binned *t, const svf_bin_column *column, const svf_bin_cells *c) {
  memset(c->cell, 0, (column->bins + 1) * sizeof *c->cell);
  if (t->k) memset(c->of, 0, (column->bins + 1) * t->k * sizeof *c->of);
}

void svf_bins_add(const svf_binned *t, const svf_bin_column *column, const svf_bin_rows *rows, svf_bin_cells *c) {
  if (c->few) empty_used(t, column, rows, c);
  else empty_all(t, column, c);
  if (t->k) add_classes(t, column->bin, rows, c->cell, c->of);
  else if (t->plain && !c->few) {
    add_plain(column->bin, rows, c->cell);
    for (size_t b = 0; b <= column->bins; b++) c->cell[b].weight = (double)c->cell[b].rows;
  } else add_weighted(column->bin, rows, c->cell);
}

svf_histogram *svf_histogram_take(const svf_binned *t) {
  svf_arena *arena = t->ground->arena;
  svf_histogram *h = t->pool->free;
  if (h) {
    t->pool->free = h->next;
    return h;
  }
  h = SVF_ZERO(arena, svf_histogram, 1);
  if (!h) return NULL;
  h->cell = SVF_TAKE(arena, svf_bin_sum, t->bins->total);
  h->best = SVF_TAKE(arena, svf_bin_cut, t->columns);
  if (t->k) {
    h->of = SVF_TAKE(arena, double, t->bins->total * t->k);
    h->of_all = SVF_TAKE(arena, double, t->k);
  }
  return svf_arena_failed(arena) ? NULL : h;
}

void svf_histogram_give(const svf_binned *t, svf_histogram *h) {
  h->next = t->pool->free;
  t->pool->free = h;
}
