/* number_text.h - the shortest text of a number that reads back to the same number, whatever the locale. */
#ifndef SVF_BASE_NUMBER_TEXT_H
#define SVF_BASE_NUMBER_TEXT_H

#include <stddef.h>

enum { SVF_NUMBER_TEXT = 32 }; /* room that always suffices, the final 0 included */

/* "1", "-1", "0.1", "1e-7", "1.5e+300", "nan", "inf"; both zeros are "0". Returns the length. */
size_t svf_number_text(double value, char *buffer);

#endif
