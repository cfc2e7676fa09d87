/* Where cells end, found 64 bytes at a time by every instruction set, against looking at each byte. */
#include "base/random.h"
#include "data/csv_stops.h"
#include "data/csv_track.h"
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

/* The same of a text with quotes, against the states of csv_track.h. A quote in a bare cell means nothing there, and is odd
 * here. */
static void check_quotes(const svf_csv *csv, svf_csv_marks marks) {
  uint32_t stops[MOST + 2], lines[MOST + 2], inner[MOST + 2], count = 0, newlines = 0, inners = 0;
  svf_csv_stops found = {.stop = stops, .line = lines, .inner = inner};
  svf_csv_state state = SVF_CSV_LINE;
  uint32_t size = (uint32_t)(csv->text.end - csv->text.begin);
  bool odd = false;
  marks(csv, &found);
  for (uint32_t i = 0; i <= size && !odd; i++) {
    unsigned char kind = i < size ? csv->kind[(unsigned char)csv->text.begin[i]] : SVF_CSV_END;
    svf_csv_state next = svf_csv_moves[state][kind];
    bool inside = state == SVF_CSV_QUOTED;
    odd = next == SVF_CSV_BROKEN || (i < size && kind == SVF_CSV_END) ||
          (state == SVF_CSV_BARE && kind == SVF_CSV_QUOTE);
    if (!odd && !found.odd && i < size) {
      if (kind == SVF_CSV_NEWLINE && inside) assert_int_equal(inner[inners++], i);
      if (kind == SVF_CSV_NEWLINE && !inside) assert_int_equal(lines[newlines++], count);
      if (kind >= SVF_CSV_STOP && !inside) assert_int_equal(stops[count++], i);
    }
    state = next;
  }
  if (odd != found.odd) fail_msg("%d instead of %d: %.*s", found.odd, odd, (int)size, csv->text.begin);
  if (odd) return;
  assert_int_equal(newlines, found.lines);
  assert_int_equal(inners, found.inners);
  assert_int_equal(stops[count++], size);
  assert_int_equal(found.count, count);
}

/* Whole cells, so that most texts are not odd, or just any bytes. */
static size_t make_quotes(svf_random *random, char *text, bool any) {
  static const char *const parts[] = {"\"\"",
                                      "\"a,b\"",
                                      "\"x\ny\"",
                                      "\"say \"\"so\"\"\"",
                                      " \"1\" ",
                                      "12.5",
                                      "a b",
                                      "\"\"\"\"",
                                      "",
                                      "\t",
                                      "\"1234567890123456789012345678901234567890\"",
                                      "7"};
  static const char bytes[] = "\"\",\na \r";
  size_t size = 0, most = svf_random_below(random, MOST - 60);
  while (size < most) {
    if (any) text[size++] = bytes[svf_random_below(random, sizeof bytes - 1)];
    else
      size += (size_t)sprintf(text + size, "%s%s", parts[svf_random_below(random, 12)],
                              &",\0\n\0\r\n"[2 * svf_random_below(random, 3)]);
  }
  if (size && svf_random_below(random, 4) == 0) text[svf_random_below(random, (uint32_t)size)] = '"';
  if (size && svf_random_below(random, 40) == 0) text[svf_random_below(random, (uint32_t)size)] = 0;
  return size;
}

static void quotes_as_states(void **state) {
  (void)state;
  svf_random random = svf_random_at((svf_place){.seed = 9});
  for (int round = 0; round < 20000; round++) {
    char text[MOST + 1] = "";
    size_t size = make_quotes(&random, text, round % 4 == 3);
    svf_csv csv = {.separator = ',', .quotes = true, .text = {.begin = text, .end = text + size, .newline = '\n'}};
    csv.kind['"'] = SVF_CSV_QUOTE, csv.kind[','] = SVF_CSV_STOP, csv.kind['\n'] = SVF_CSV_NEWLINE,
    csv.kind[0] = SVF_CSV_END;
    csv.kind[' '] = csv.kind['\t'] = csv.kind['\r'] = SVF_CSV_BLANK;
    for (size_t index = 0; index < 3; index++)
      if (svf_csv_marks_at(index)) check_quotes(&csv, svf_csv_marks_at(index));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_byte_by_byte), cmocka_unit_test(quotes_as_states)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
