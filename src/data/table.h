/* table.h - a table as it was read: columns of numbers or categories, a target, weights.
 *
 * Columns hold what the file said, before any encoding or scaling. Missing: NaN in a column of numbers, -1 in
 * a column of categories. */
#ifndef SVF_DATA_TABLE_H
#define SVF_DATA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "data/recipe.h"

typedef struct svf_names { /* distinct texts, numbered in order */
  char **text;
  size_t count;
} svf_names;

typedef struct svf_view { /* numbers in the caller's memory */
  const void *values;     /* of row 0; NULL: none */
  ptrdiff_t stride;       /* from row to row, in elements */
  bool float32;
} svf_view;

typedef struct svf_column {
  char *name;
  double *number;    /* n numbers, or NULL */
  svf_view view;     /* the same where the table borrows them */
  int32_t *code;     /* n codes into levels, or NULL; just one of the three is there */
  svf_names levels;  /* categories in order: bytewise, or as given */
  bool date;         /* the numbers are dates, as days since 1970-01-01 in UTC */
  svf_recipe recipe; /* how it is made of others; columns that are made stand last */
  size_t text_line;  /* line of the first cell that is not a number, for messages; 0: none or no file */
} svf_column;

typedef struct svf_kept { /* a column as text, for those who write answers beside it */
  char *name;
  size_t column; /* where it is in the file */
  size_t *at;    /* n: where in `text` each cell begins; NULL: not read yet */
  char *text;    /* all cells, each with a 0 after it */
} svf_kept;

struct svf_table {
  char *path; /* for messages; NULL: made in memory */
  size_t n, d;
  svf_column *column; /* d features */
  bool named;         /* the names are the data's own; false: x1, x2, ... were made up */
  svf_task task;      /* AUTO: no target */
  char *target_name;  /* NULL: no target */
  int32_t *label;     /* classes: n codes, else NULL; -1 only in a table read for a model */
  svf_names classes;
  double *class_weight; /* one per class, or NULL: none were given */
  double *value;        /* regression: n values, else NULL */
  double *weight;       /* NULL: every row 1 */
  svf_kept *kept;
  size_t kept_count;
  svf_names ids;     /* columns of the file that are no features and that a model remembers */
  svf_names remarks; /* sentences about the file, for svf_table_remark */
};

/* kept.c */
void svf_kept_free(svf_kept *kept, size_t count);

/* An empty table of n rows and d columns without storage in its columns; NULL if memory ran out. */
svf_table *svf_table_alloc(size_t n, size_t d);
/* Gives back what its columns hold; target and weights stay. */
void svf_table_strip(svf_table *table);

static inline bool svf_column_numeric(const svf_column *column) { return column->number || column->view.values; }
/* table_view.c: one number of a column that has any; and n from row `first` on, where they are or, borrowed, copied to
 * `room`, which has place for n. */
double svf_column_number(const svf_column *column, size_t row);
const double *svf_column_numbers(const svf_column *column, size_t first, size_t n, double *room);

/* table_set.c, for tables made of a matrix: is it one, under such names (NULL: none)? A column's name, made up where it
 * has none; NULL if memory ran out. */
svf_status svf_matrix_check(const svf_matrix *matrix, const char *const *names, svf_message *message);
char *svf_column_named(const char *name, size_t column);
svf_status svf_refuse_infinite(const svf_column *column, size_t row, svf_message *message);

/* Can weights with this sum be used? With room for what classes and bootstraps multiply them by. */
static inline bool svf_weights_sum(double sum) { return sum > 0 && sum <= 1e304; }

/* Adds a sentence to the table's remarks; false: memory ran out. */
bool svf_table_add_remark(svf_table *table, const char *text);

/* table_feature.c: how many columns are not made; they come first. */
size_t svf_table_inputs(const svf_table *table);

void svf_names_free(svf_names *names);
/* A copy; false (and *copy empty) if memory ran out. */
bool svf_names_copy(const svf_names *names, svf_names *copy);
/* Position of a text of the given length, or -1. Linear for small lists; see svf_name_index for large ones.
 */
int32_t svf_names_find(const svf_names *names, const char *text, size_t length);

#endif
