/* partition_sample.c - the rows of a large table that decide its cuts: those with the smallest keys, a key being a function
 * of seed and row number. And one row of each class, that with the smallest key. So a chunk needs to know nothing of the
 * others: a row that is drawn from the whole table is drawn from its chunk too. */
#include "forest/parts/partition.h"

#include <stdlib.h>

typedef struct ticket {
  uint64_t key;
  uint32_t number, row; /* in the whole table; in this one */
} ticket;

static bool before(ticket a, ticket b) { return a.key != b.key ? a.key < b.key : a.number < b.number; }

/* The largest ticket is on top. */
static void sift(ticket *heap, size_t count, size_t at, ticket t) {
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && before(heap[child], heap[child + 1])) child++;
    if (!before(t, heap[child])) break;
    heap[at] = heap[child];
  }
  heap[at] = t;
}

typedef struct drawing {
  ticket *heap, *class; /* `most`; one per class, and whether it is there */
  bool *seen;
  size_t count, most;
} drawing;

static void draw(drawing *d, ticket t) {
  if (d->count < d->most) {
    d->heap[d->count++] = t;
    for (size_t at = d->count / 2; d->count == d->most && at-- > 0;) sift(d->heap, d->count, at, d->heap[at]);
  } else if (before(t, d->heap[0])) sift(d->heap, d->count, 0, t);
}

static void draw_class(drawing *d, int32_t class, ticket t) {
  if (class < 0 || (d->seen[class] && !before(t, d->class[class]))) return;
  d->seen[class] = true;
  d->class[class] = t;
}

static int by_number(const void *left, const void *right) {
  const ticket *a = left, *b = right;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  return (a->row > b->row) - (a->row < b->row);
}

/* Ascending by number, each row once. A number that two rows have is refused. */
static svf_status finish(drawing *d, size_t classes, size_t *rows, size_t *count, svf_message *message) {
  ticket *all = d->heap;
  size_t n = d->count;
  for (size_t c = 0; c < classes; c++)
    if (d->seen[c]) all[n++] = d->class[c];
  qsort(all, n, sizeof *all, by_number);
  *count = 0;
  for (size_t i = 0; i < n; i++) {
    if (i && all[i].row == all[i - 1].row) continue;
    if (i && all[i].number == all[i - 1].number)
      return svf_fail(message, SVF_USAGE, "two rows have the number %u", all[i].number);
    rows[(*count)++] = all[i].row;
  }
  return SVF_OK;
}

svf_status svf_table_sample(const svf_settings *settings, const svf_table *table, const uint64_t *numbers,
                            size_t *rows, size_t *count, svf_message *message) {
  size_t n = table->n, classes = table->classes.count;
  *count = 0;
  SVF_TRY(svf_partition_wanted(settings, message));
  if (n > SVF_MOST_ROWS) return svf_fail(message, SVF_DATA, "more than %u rows", SVF_MOST_ROWS);
  drawing d = {.most = n < (size_t)settings->partition_rows ? n : (size_t)settings->partition_rows};
  d.heap = malloc((d.most + classes + 1) * sizeof *d.heap);
  d.class = calloc(classes + 1, sizeof *d.class);
  d.seen = calloc(classes + 1, sizeof *d.seen);
  svf_status status = d.heap && d.class && d.seen ? SVF_OK : svf_no_memory(message, "the sample");
  for (size_t i = 0; i < n && !status; i++) {
    uint64_t number = numbers ? numbers[i] : i;
    if (number >= SVF_MOST_ROWS) status = svf_fail(message, SVF_DATA, "more than %u rows", SVF_MOST_ROWS);
    svf_place place = {(uint64_t)settings->seed, SVF_USE_PARTITION, 0, 0, number};
    svf_random random = svf_random_at(place);
    ticket t = {svf_random_u64(&random), (uint32_t)number, (uint32_t)i};
    draw(&d, t);
    if (table->label) draw_class(&d, table->label[i], t);
  }
  if (!status) status = finish(&d, classes, rows, count, message);
  free(d.heap);
  free(d.class);
  free(d.seen);
  return status;
}
