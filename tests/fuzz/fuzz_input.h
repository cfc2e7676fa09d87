/* fuzz_input.h - what the fuzz targets share: demands, and a reader that turns the fuzzer's bytes into choices. */
#ifndef SVF_FUZZ_INPUT_H
#define SVF_FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with the place and the words of what is not true. */
#define fuzz_demand(truth) ((truth) ? (void)0 : fuzz_found(__FILE__, __LINE__, #truth))

static inline void fuzz_found(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  abort();
}

/* After its last byte an input goes on with bytes that all the bytes before them decide: a short input is a whole case
 * too, and not one of zeros only. */
typedef struct fuzz_input {
  const uint8_t *at, *end;
  uint64_t state;
} fuzz_input;

static inline fuzz_input fuzz_open(const uint8_t *data, size_t size) {
  fuzz_input in = {data, data + size, 0xcbf29ce484222325u};
  for (size_t i = 0; i < size; i++) in.state = (in.state ^ data[i]) * 0x100000001b3u;
  return in;
}

static inline unsigned fuzz_byte(fuzz_input *in) {
  if (in->at < in->end) return *in->at++;
  in->state = in->state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(in->state >> 56);
}

/* One of `count` choices, at most 256. */
static inline size_t fuzz_choice(fuzz_input *in, size_t count) { return fuzz_byte(in) % count; }

/* True for one byte in so many. */
static inline bool fuzz_rarely(fuzz_input *in, size_t count) { return fuzz_choice(in, count) == count - 1; }

/* Any double at all. */
static inline double fuzz_double(fuzz_input *in) {
  unsigned char byte[sizeof(double)];
  double number;
  for (size_t i = 0; i < sizeof byte; i++) byte[i] = (unsigned char)fuzz_byte(in);
  memcpy(&number, byte, sizeof number);
  return number;
}

/* One of the texts of a list "a|b|c". */
static inline void fuzz_word(fuzz_input *in, const char *list, char *word, size_t size) {
  size_t count = 1;
  for (const char *c = list; *c; c++) count += *c == '|';
  for (size_t skip = fuzz_choice(in, count); skip; skip--) list = strchr(list, '|') + 1;
  snprintf(word, size, "%.*s", (int)strcspn(list, "|"), list);
}

#endif
