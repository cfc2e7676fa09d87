/* code.h - C source text while it is written: lists of numbers, names, and pieces of code that are kept as files.
 *
 * A piece is a file code_NAME.inc beside the source that needs it. Its lines `#if FLAG`, `#if A || B`, `#else` and `#endif`
 * are settled when it is written out, so that an exported model has only the code that it uses. */
#ifndef SVF_BASE_CODE_H
#define SVF_BASE_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/buffer.h"

/* What a model uses. The names of the flags in the pieces are in code.c. */
typedef enum svf_code_flag {
  SVF_CODE_SINGLE = 1 << 0,     /* numbers are floats */
  SVF_CODE_CLASSIFIES = 1 << 1, /* the target is classes */
  SVF_CODE_CLIPPED = 1 << 2,    /* scale=robust */
  SVF_CODE_DATES = 1 << 3,      /* and so on for kinds of columns */
  SVF_CODE_CATEGORIES = 1 << 4,
  SVF_CODE_STATISTICS = 1 << 5,
  SVF_CODE_CODES = 1 << 6,
  SVF_CODE_INDICATORS = 1 << 7,
  SVF_CODE_MADE = 1 << 8,
  SVF_CODE_OBLIQUE = 1 << 9, /* cuts along several columns */
  SVF_CODE_LEVELS = 1 << 10, /* cuts of a category */
  SVF_CODE_PLANES = 1 << 11, /* either of them */
  SVF_CODE_CENTRES = 1 << 12,
  SVF_CODE_FILLED = 1 << 13, /* somebody asks for rows without missing values */
  SVF_CODE_METRIC = 1 << 14,
  SVF_CODE_ROWS = 1 << 15,   /* leaves hold training rows */
  SVF_CODE_LINKED = 1 << 16, /* votes become probabilities at the end */
  SVF_CODE_EXPONENTIAL = 1 << 17,
  SVF_CODE_LOGARITHM = 1 << 18,
  SVF_CODE_CURVED = 1 << 19, /* a committee with a calibration, of one of the next two kinds */
  SVF_CODE_LOGISTIC = 1 << 20,
  SVF_CODE_TEMPERATURE = 1 << 21
} svf_code_flag;

typedef struct svf_code {
  svf_buffer text;
  bool single; /* numbers are written as floats */
  bool beyond; /* one of them was too large for that */
  size_t items, column;
} svf_code; /* all zero: empty and ready */

/* Items of a list, each with its comma; lines are broken. */
void svf_code_number(svf_code *code, double value);
void svf_code_float(svf_code *code, float value);
void svf_code_whole(svf_code *code, size_t value);
/* An item that the caller wrote. */
void svf_code_item(svf_code *code, const char *text);
/* Numbers alone: a float; a number in the precision of the code. */
enum { SVF_CODE_TEXT = 40 }; /* room that suffices */
void svf_code_float_text(float value, char *text);
void svf_code_number_text(svf_code *code, double value, char *text);
/* A string in quotes, whatever bytes it has; it may stand in a comment, too. NULL is "". */
void svf_code_quoted(svf_code *code, const char *text);
/* A piece, with the lines that the flags ask for. */
void svf_code_piece(svf_code *code, const char *piece, unsigned flags);

/* How a kind of leaf or vote is written. */
typedef struct svf_code_kind {
  const char *function;     /* what trees call */
  const char *const *piece; /* in order, each written once; ends with NULL */
  unsigned flags;           /* what they need */
  const char *link;         /* of a vote: what turns sums into answers; NULL: nothing */
} svf_code_kind;

#endif
