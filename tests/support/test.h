/* test.h - what every unit test includes: cmocka and comparison of numbers. */
#ifndef SVF_TESTS_TEST_H
#define SVF_TESTS_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* |a - b| <= tolerance * max(1, |a|, |b|); NaN fails. */
#define assert_close(a, b, tolerance)                                                                                \
  do {                                                                                                               \
    double close_a = (a), close_b = (b), close_scale = fmax(1, fmax(fabs(close_a), fabs(close_b)));                  \
    if (!(fabs(close_a - close_b) <= (tolerance)*close_scale))                                                       \
      fail_msg("%s = %.17g, %s = %.17g", #a, close_a, #b, close_b);                                                  \
  } while (0)

/* A call of the library that must succeed; shows the message where it does not. */
#define assert_ok(call, message)                                                                                     \
  do {                                                                                                               \
    if ((call) != SVF_OK) fail_msg("%s: %s", #call, (message)->text);                                                \
  } while (0)

#endif
