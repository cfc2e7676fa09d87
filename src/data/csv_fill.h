/* csv_fill.h - what the parts of filling columns share: csv_fill.c walks, csv_rows.c reads the rows of a chunk,
 * csv_levels.c joins the dictionaries of the threads, csv_keep.c reads the columns that are kept as text. */
#ifndef SVF_DATA_CSV_FILL_H
#define SVF_DATA_CSV_FILL_H

#include "data/csv_lanes.h"
#include "data/csv_stops.h"

typedef enum svf_csv_reading { SVF_CSV_SKIP, SVF_CSV_NUMBERS, SVF_CSV_TEXTS, SVF_CSV_KEPT } svf_csv_reading;

typedef struct svf_csv_slot { /* of one column in one thread */
  svf_csv_reading reading;
  bool again; /* is to be read as text in the next walk */
  double *number;
  int32_t *code;                   /* into the thread's dictionary */
  size_t text_line, infinite_line; /* of the first such cell; 0: none */
  svf_dict dict;
  size_t *at;      /* of a kept column: where each row's cell begins in the thread's text */
  svf_buffer text; /* cells of a kept column, each with a 0 after it */
} svf_csv_slot;

typedef struct svf_csv_hand { /* one thread */
  svf_csv_slot *slot;         /* of each column */
  double **number;            /* of each column: that of its slot; NULL: none are read */
  unsigned char *fine;        /* of each column: rows whose cells were read */
  svf_buffer scratch, stops;
} svf_csv_hand;

typedef struct svf_csv_filler {
  svf_csv_once *once; /* not NULL: the file is not cut yet, and walked over for the first time */
  const svf_csv_file *file;
  const svf_csv_head *head;
  svf_raw *raw;
  svf_csv_hand *hand;
  size_t hands;
  svf_csv_lanes lanes; /* NULL: this processor has none */
  uint16_t *owner;     /* of each chunk: the hand that read it */
} svf_csv_filler;

typedef struct svf_csv_span { /* rows of the table */
  size_t first, end;
} svf_csv_span;
/* Those of a chunk. */
static inline svf_csv_span svf_csv_rows_of(const svf_csv_filler *f, const svf_csv_chunk *chunk) {
  bool header = f->head->header && chunk->row == 0;
  size_t first = chunk->row + header - f->head->header;
  return (svf_csv_span){first, first + chunk->rows - header};
}

/* csv_once.c: the walk that reads the rows and cuts the file; raw->n becomes what it is. */
svf_status svf_csv_walk_once(svf_csv_filler *f, svf_message *message);

/* Reads the rows of a chunk, whose text `csv` is. */
svf_status svf_csv_rows(const svf_csv_filler *f, svf_csv_hand *hand, const svf_csv *csv, const svf_csv_chunk *chunk,
                        svf_message *message);
/* The same for a text without quotes whose cells are found. */
svf_status svf_csv_bare_rows(const svf_csv_filler *f, svf_csv_hand *hand, const svf_csv *csv,
                             const svf_csv_stops *stops, const svf_csv_chunk *chunk, svf_message *message);

/* One walk over the file, in which all columns are read as their slots say. */
svf_status svf_csv_walk(svf_csv_filler *f, svf_message *message);

/* Reads the columns that are kept as text, in a walk of their own. */
svf_status svf_csv_keep(svf_csv_filler *f, svf_message *message);

/* Makes the levels of a column that was read as text, and its codes into them. */
svf_status svf_csv_levels(const svf_csv_filler *f, size_t column, svf_message *message);

#endif
