/* Where cells end, found 64 bytes at a time by every instruction set, against looking at each byte. */
#include "base/random.h"
#include "data/csv_stops.h"
#include "support/test.h"

enum { MOST = 400 };

static void check(const svf_csv *csv, svf_csv_marks marks) {
  uint32_t stops[MOST + 2], lines[MOST + 2], count = 0, newlines = 0;
  svf_csv_stops found = {.stop = stops, .line = lines};
  size_t size = (size_t)(csv->text.end - csv->text.begin);
  bool odd = false;
  marks(csv, &found);
  for (uint32_t i = 0; i < size; i++) {
    char byte = csv->text.begin[i];
    odd |= byte == '"' || byte == 0;
    if (byte == csv->text.newline) assert_int_equal(lines[newlines++], count);
    if (byte == csv->separator || byte == csv->text.newline) assert_int_equal(stops[count++], i);
  }
  assert_int_equal(newlines, found.lines);
  assert_int_equal(stops[count++], size);
  assert_int_equal(found.count, count);
  assert_int_equal(found.odd, odd);
}

static void as_byte_by_byte(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 8});
  assert_non_null(svf_csv_marks_at(0));
  for (int round = 0; round < 4000; round++) {
    char text[MOST];
    size_t size = svf_random_below(&random, MOST + 1), rare = 1 + svf_random_below(&random, 40);
    for (size_t i = 0; i < size; i++) {
      uint64_t draw = svf_random_below(&random, 2 * rare + 2);
      text[i] = draw < 2 ? ",\n"[draw] : (char)('0' + svf_random_below(&random, 10));
      if (round % 2 && draw == 2) text[i] = (char)svf_random_below(&random, 256);
    }
    if (round % 4 == 2 && size) text[svf_random_below(&random, (uint32_t)size)] = round % 8 == 2 ? '"' : 0;
    svf_csv csv = {.separator = ',', .text = {.begin = text, .end = text + size, .newline = '\n'}};
    for (size_t index = 0; index < 3; index++)
      if (svf_csv_marks_at(index)) check(&csv, svf_csv_marks_at(index));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_byte_by_byte)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
