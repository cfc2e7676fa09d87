/* npy.h - the steps of reading NPY: the header (npy.c), the numbers (npy_types.c) and the columns (npy_columns.c). */
#ifndef SVF_DATA_NPY_H
#define SVF_DATA_NPY_H

#include "data/input.h"
#include "data/raw.h"

typedef struct svf_npy_type {
  const char *descr; /* as NumPy names it */
  size_t size;       /* bytes of a number */
  /* Reads `count` numbers that are `step` bytes apart; true: one of them is infinite. */
  bool (*move)(const char *at, size_t step, size_t count, double *out);
  /* The same for two columns at once, the second beside the first in the file; NULL: there is no faster way. */
  bool (*move_two)(const char *at, size_t step, size_t count, double *const out[2]);
} svf_npy_type;

typedef struct svf_npy_array { /* raw->n rows of raw->width numbers */
  const svf_npy_type *type;
  size_t begin; /* where in the file the numbers start */
  bool fortran; /* column after column */
  size_t rows;  /* of the file: raw->n or more */
} svf_npy_array;

/* The type of this name; NULL: it is not known. */
const svf_npy_type *svf_npy_type_of(const char *descr);
/* Rows and columns, from the header. */
svf_status svf_npy_shape(const svf_input *input, size_t shape[2], svf_message *message);
/* Reads the columns that are wanted, by all threads of the options, and refuses an infinite value. */
svf_status svf_npy_columns(const svf_input *input, const svf_npy_array *array, svf_raw *raw, svf_message *message);

#endif
