/* guess.c - see guess.h. The distance is that of optimal string alignment (Damerau 1964, Levenshtein 1966). */
#include "base/guess.h"

#include <string.h>
#include "svforest_inspect.h"

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* '-' and '_' are one letter, and so are small and large ones. */
static char plain(char c) {
  if (c == '_') return '-';
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Rows of the table of distances between the beginnings of both, the last three of them. */
static size_t distance(const char *a, size_t m, const char *b, size_t n) {
  size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *next = rows[2];
  for (size_t j = 0; j <= n; j++) last[j] = j;
  for (size_t i = 1; i <= m; i++) {
    next[0] = i;
    for (size_t j = 1; j <= n; j++) {
      next[j] = least(least(last[j], next[j - 1]) + 1, last[j - 1] + (plain(a[i - 1]) != plain(b[j - 1])));
      if (i > 1 && j > 1 && plain(a[i - 1]) == plain(b[j - 2]) && plain(a[i - 2]) == plain(b[j - 1]))
        next[j] = least(next[j], before[j - 2] + 1);
    }
    size_t *free = before;
    before = last, last = next, next = free;
  }
  return last[n];
}

void svf_guess_offer(svf_guess *guess, const char *name) {
  size_t m = strlen(guess->wanted), n = strlen(name);
  if (m > LONGEST || n > LONGEST) return;
  size_t far = distance(guess->wanted, m, name, n);
  if (far > (m < n ? n : m) / 3 && far > 1) return; /* a third of the letters wrong is another word */
  if (far >= least(m, n) || (guess->best && far >= guess->distance)) return;
  guess->best = name;
  guess->distance = far;
}

const char *svf_name_nearest(const char *wanted, const char *const *names, size_t count) {
  svf_guess guess = {wanted, NULL, 0};
  for (size_t i = 0; i < count; i++) svf_guess_offer(&guess, names[i]);
  return guess.best;
}
