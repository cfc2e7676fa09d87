/* raw.h - columns as a parser found them, and what becomes of each: a feature, the target, the weights,
 * nothing.
 *
 * A parser fills this in three steps: names and sizes; svf_raw_roles; the columns' numbers or codes. Then
 * svf_raw_table makes the table of it. What is not moved into the table is freed with the raw columns. */
#ifndef SVF_DATA_RAW_H
#define SVF_DATA_RAW_H

#include "data/read.h"

typedef enum svf_part { SVF_PART_FEATURE, SVF_PART_TARGET, SVF_PART_WEIGHT, SVF_PART_DROPPED, SVF_PART_ID } svf_part;

/* Has the table no use for the column's values? */
static inline bool svf_part_unread(svf_part part) { return part >= SVF_PART_DROPPED; }

typedef struct svf_role {
  svf_part part;
  bool text; /* to be read as text even where all of it looks like numbers: categories for the model */
  bool date; /* the model has dates there */
} svf_role;

typedef struct svf_raw {
  const char *path;
  const svf_encoding *like;
  svf_read_options options;
  size_t n, width;
  size_t first; /* row of the file that is the first here, for messages */
  bool named;
  svf_names names;    /* `width` of them */
  svf_column *column; /* `width`, without names */
  svf_role *role;     /* `width` */
  svf_kept *kept;     /* columns that are kept as text, beside what else they are */
  size_t kept_count;
  /* The line of a row, for messages (slow is fine); NULL: the format has no lines. */
  size_t (*line)(const void *source, size_t row);
  const void *source;
} svf_raw;

void svf_raw_begin(svf_raw *raw, const svf_read *read);
/* Refuses a table of n rows and so many columns that does not fit into memory. */
svf_status svf_raw_fits(const svf_raw *raw, size_t width, svf_message *message);
/* Room for `width` names, columns and roles. */
svf_status svf_raw_widen(svf_raw *raw, size_t width, svf_message *message);
/* Gives column j = names.count the name, or "x1", "x2", ... if it has none: text may be NULL. */
bool svf_raw_name(svf_raw *raw, const char *text, size_t length);
svf_status svf_raw_roles(svf_raw *raw, svf_message *message);
svf_status svf_raw_table(svf_raw *raw, svf_table **table, svf_message *message);
void svf_raw_free(svf_raw *raw);

/* kept.c: keeps a column as text, once; false: no memory. A parser of text fills in the cells; for others svf_raw_table has
 * the second make them of the column's numbers, which must be there even if it is dropped. */
bool svf_raw_keep(svf_raw *raw, size_t column);
svf_status svf_raw_keep_numbers(svf_raw *raw, svf_message *message);
bool svf_raw_is_kept(const svf_raw *raw, size_t column);

/* SVF_DATA "file:line: column 'name': what", or with the row's number where there are no lines. */
svf_status svf_raw_refuse(const svf_raw *raw, size_t row, size_t column, const char *what, svf_message *message);
/* The same for a cell that is text. */
svf_status svf_raw_refuse_text(const svf_raw *raw, size_t column, const char *what, svf_message *message);

/* raw_meaning.c: turns a feature of text into numbers or dates if that is what all its cells are, unless the model has
 * categories there; refuses a cell that is no date where the model has dates, with its line. */
svf_status svf_raw_meaning(svf_raw *raw, size_t j, svf_table *table, svf_message *message);

/* Makes column j the target of the table, as classes or values; see target.c for the rule. */
svf_status svf_target_set(svf_raw *raw, size_t j, svf_table *table, svf_message *message);

#endif
