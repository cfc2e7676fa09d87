/* text_lines.c - see text_lines.h. */
#include "data/text_lines.h"

#include <string.h>

svf_status svf_text_open(const svf_bytes *bytes, const char *path, svf_text *text, svf_message *message) {
  const char *begin = bytes->data, *end = begin + bytes->size;
  if (bytes->size >= 3 && memcmp(begin, "\xEF\xBB\xBF", 3) == 0) begin += 3;
  size_t size = (size_t)(end - begin);
  const char *zero = memchr(begin, 0, size);
  bool feeds = memchr(begin, '\n', size);
  *text = (svf_text){path, begin, end, feeds ? '\n' : '\r'};
  if (zero)
    return svf_fail(message, SVF_DATA, "%s:%zu: a byte 0, so this is not text in UTF-8 or ASCII", path,
                    svf_text_lines(text, begin, zero) + 1);
  if (begin + strspn(begin, " \t\r\n") == end) return svf_fail(message, SVF_DATA, "%s: the file is empty", path);
  return SVF_OK;
}

size_t svf_text_lines(const svf_text *text, const char *from, const char *to) {
  size_t lines = 0;
  while ((from = memchr(from, text->newline, (size_t)(to - from)))) from++, lines++;
  return lines;
}

const char *svf_text_line_end(const svf_text *text, const char *at) {
  const char *end = memchr(at, text->newline, (size_t)(text->end - at));
  return end ? end : text->end;
}

bool svf_text_is(const char *text, size_t length, const char *word) {
  for (; length > 0 && *word; text++, word++, length--) {
    char small = *text >= 'A' && *text <= 'Z' ? (char)(*text + ('a' - 'A')) : *text;
    if (small != *word) return false;
  }
  return length == 0 && *word == 0;
}
