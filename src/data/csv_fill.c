/* csv_fill.c - the columns of a CSV file, chunk by chunk, by all threads.
 *
 * A column is taken for numbers unless the first rows or the model say that it is text. Where a text turns up
 * later the column is left alone until the end of the walk, and a second walk reads it, and only it, as text.
 * A number that is infinite is refused, unless the column turns out to be text, where it is a word like any
 * other. Threads are handed chunks in order, so the first odd cell that one of them saw in a column is the
 * first of all. */
#include "data/csv_fill.h"

#include <stdlib.h>
#include "base/large.h"
#include "la/la.h"

#ifdef SVF_X86 /* csv_lanes.c, compiled once per instruction set but the portable one, which would gain nothing */
extern void svf_csv_lanes_avx2(const char *text, const uint32_t *stop, size_t width, size_t row, double *const *value,
                               unsigned char *fine);
extern void svf_csv_lanes_avx512(const char *text, const uint32_t *stop, size_t width, size_t row,
                                 double *const *value, unsigned char *fine);
static const svf_csv_lanes lanes[] = {NULL, svf_csv_lanes_avx2, svf_csv_lanes_avx512};
#else
static const svf_csv_lanes lanes[] = {NULL};
#endif

svf_csv_lanes svf_csv_lanes_at(size_t index) { return index <= svf_la_level() ? lanes[index] : NULL; }

static const svf_stage stage = {.phase = "read", .to = 1};

static svf_status chunk_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const svf_csv_filler *f = context;
  size_t hand = (size_t)(worker - f->file->pool->worker);
  svf_csv csv;
  f->owner[index] = (uint16_t)hand;
  SVF_TRY(svf_csv_load(f->file, index, index, &f->file->room[hand], &csv, message));
  return svf_csv_rows(f, &f->hand[hand], &csv, &f->file->chunk[index], message);
}

svf_status svf_csv_walk(svf_csv_filler *f, svf_message *message) {
  if (f->once) return svf_csv_walk_once(f, message);
  return svf_pool_run(f->file->pool, &stage, f->file->chunks, chunk_job, f, message);
}

static svf_status prepare(svf_csv_filler *f, size_t j, svf_csv_reading how, svf_message *message) {
  svf_column *column = &f->raw->column[j];
  if (how == SVF_CSV_NUMBERS) column->number = svf_large_alloc(f->raw->n * sizeof *column->number);
  if (how == SVF_CSV_TEXTS) column->code = svf_large_alloc(f->raw->n * sizeof *column->code);
  if (how != SVF_CSV_SKIP && !column->number && !column->code) return svf_no_memory(message, f->raw->path);
  for (size_t h = 0; h < f->hands; h++) {
    svf_csv_slot *s = &f->hand[h].slot[j];
    s->reading = how;
    s->number = column->number;
    f->hand[h].number[j] = how == SVF_CSV_NUMBERS ? column->number : NULL; /* others keep what they have */
    s->code = column->code;
  }
  return SVF_OK;
}

/* Of the threads' findings the first. */
static size_t earlier(size_t line, size_t other) { return other && (!line || other < line) ? other : line; }

/* After a walk: what all threads saw of a column, in the slot of the first. */
static bool gather(const svf_csv_filler *f, size_t j) {
  svf_csv_slot *all = &f->hand[0].slot[j];
  for (size_t h = 1; h < f->hands; h++) {
    const svf_csv_slot *s = &f->hand[h].slot[j];
    all->again |= s->again;
    all->text_line = earlier(all->text_line, s->text_line);
    all->infinite_line = earlier(all->infinite_line, s->infinite_line);
  }
  f->raw->column[j].text_line = all->text_line;
  return all->again;
}

static svf_status levels_job(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const svf_csv_filler *f = context;
  (void)worker;
  return f->hand[0].slot[index].reading == SVF_CSV_TEXTS ? svf_csv_levels(f, index, message) : SVF_OK;
}

/* Reads the columns as they are prepared. */
static svf_status read_columns(svf_csv_filler *f, bool *again, svf_message *message) {
  SVF_TRY(svf_csv_walk(f, message));
  bool texts = false;
  *again = false;
  for (size_t j = 0; j < f->raw->width; j++) {
    *again |= gather(f, j);
    texts |= f->hand[0].slot[j].reading == SVF_CSV_TEXTS;
  }
  return texts ? svf_pool_run(f->file->pool, &stage, f->raw->width, levels_job, f, message) : SVF_OK;
}

static svf_status first_walk(svf_csv_filler *f, bool *again, svf_message *message) {
  for (size_t j = 0; j < f->raw->width; j++) {
    svf_role role = f->raw->role[j];
    svf_csv_reading how = role.text || f->head->text[j] ? SVF_CSV_TEXTS : SVF_CSV_NUMBERS;
    SVF_TRY(prepare(f, j, svf_part_unread(role.part) ? SVF_CSV_SKIP : how, message));
  }
  return read_columns(f, again, message);
}

/* Reads again, as text, what turned out to be text. */
static svf_status second_walk(svf_csv_filler *f, svf_message *message) {
  for (size_t j = 0; j < f->raw->width; j++) {
    bool again = f->hand[0].slot[j].again;
    if (again) {
      free(f->raw->column[j].number);
      f->raw->column[j].number = NULL;
    }
    for (size_t h = 0; h < f->hands; h++) f->hand[h].slot[j].again = false;
    SVF_TRY(prepare(f, j, again ? SVF_CSV_TEXTS : SVF_CSV_SKIP, message));
  }
  bool more;
  return read_columns(f, &more, message);
}

static svf_status refuse_infinite(const svf_csv_filler *f, svf_message *message) {
  for (size_t j = 0; j < f->raw->width; j++)
    if (f->raw->column[j].number && f->hand[0].slot[j].infinite_line)
      return svf_fail(message, SVF_DATA, "%s:%zu: column '%.80s': a number is infinite or too large", f->raw->path,
                      f->hand[0].slot[j].infinite_line, f->raw->names.text[j]);
  return SVF_OK;
}

/* More cells than the text has room for: some row is short, and memory must not be asked for before that is
 * said. */
static svf_status refuse_short(svf_csv_filler *f, svf_message *message) {
  if (f->once || (double)f->raw->n * (double)f->raw->width <= (double)f->file->input->size + 1) return SVF_OK;
  return svf_csv_walk(f, message); /* all slots are still SKIP */
}

static svf_status fill(svf_csv_filler *f, svf_message *message) {
  bool again;
  SVF_TRY(refuse_short(f, message));
  SVF_TRY(svf_raw_fits(f->raw, f->raw->width + f->raw->kept_count, message));
  SVF_TRY(first_walk(f, &again, message));
  if (again) SVF_TRY(second_walk(f, message));
  SVF_TRY(refuse_infinite(f, message));
  return svf_csv_keep(f, message);
}

static bool take_hands(svf_csv_filler *f) {
  f->owner = malloc(f->file->chunks * sizeof *f->owner);
  f->hand = calloc(f->hands, sizeof *f->hand);
  bool fine = f->owner && f->hand;
  for (size_t h = 0; fine && h < f->hands; h++) {
    svf_csv_hand *hand = &f->hand[h];
    hand->slot = calloc(f->raw->width, sizeof *hand->slot);
    hand->number = calloc(f->raw->width, sizeof *hand->number);
    hand->fine = calloc(f->raw->width, sizeof *hand->fine);
    fine = hand->slot && hand->number && hand->fine;
  }
  return fine;
}

static void free_hands(svf_csv_filler *f) {
  for (size_t h = 0; f->hand && h < f->hands; h++) {
    svf_csv_hand *hand = &f->hand[h];
    for (size_t j = 0; hand->slot && j < f->raw->width; j++) {
      svf_dict_free(&hand->slot[j].dict);
      svf_buffer_free(&hand->slot[j].text);
    }
    free(hand->slot);
    free(hand->number);
    free(hand->fine);
    svf_buffer_free(&hand->scratch);
    svf_buffer_free(&hand->stops);
  }
  free(f->hand);
  free(f->owner);
}

svf_status svf_csv_fill(const svf_csv_file *file, const svf_csv_head *head, svf_raw *raw, svf_csv_once *once,
                        svf_message *message) {
  size_t hands = file->pool->threads < file->chunks ? file->pool->threads : file->chunks;
  svf_csv_filler f = {.once = once,
                      .file = file,
                      .head = head,
                      .raw = raw,
                      .hands = hands,
                      .lanes = svf_csv_lanes_at(svf_la_level())};
  svf_status status = take_hands(&f) ? fill(&f, message) : svf_no_memory(message, raw->path);
  free_hands(&f);
  return status;
}
