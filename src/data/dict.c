/* dict.c - a hash table with open addresses; see dict.h. */
#include "data/dict.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16, MOST_ROOM = 1 << 30 };

static uint64_t hash_of(const char *text, size_t length) {
  uint64_t hash = 0x9E3779B97F4A7C15u ^ length;
  for (; length > 0;) {
    uint64_t piece = 0;
    size_t taken = length < sizeof piece ? length : sizeof piece;
    memcpy(&piece, text, taken);
    hash = (hash ^ piece) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 32;
    text += taken;
    length -= taken;
  }
  return hash * 0x94D049BB133111EBu >> 16;
}

static size_t slots(const svf_dict *dict) { return 2 * (size_t)dict->room; }

/* The slot that holds the text, or the empty one where it belongs. */
static size_t seek(const svf_dict *dict, const char *text, size_t length, uint64_t hash) {
  size_t mask = slots(dict) - 1, at = hash & mask;
  for (; dict->slot[at] >= 0; at = (at + 1) & mask) {
    const svf_dict_entry *entry = &dict->entry[dict->slot[at]];
    if (entry->hash == hash && entry->length == length && memcmp(dict->text.data + entry->at, text, length) == 0)
      break;
  }
  return at;
}

static bool grow(svf_dict *dict) {
  if (dict->room >= MOST_ROOM) return false;
  int32_t room = dict->room ? 2 * dict->room : FIRST_ROOM;
  svf_dict_entry *entry = realloc(dict->entry, (size_t)room * sizeof *entry);
  if (!entry) return false;
  dict->entry = entry;
  int32_t *slot = realloc(dict->slot, 2 * (size_t)room * sizeof *slot);
  if (!slot) return false;
  dict->slot = slot;
  dict->room = room;
  memset(slot, 0xff, slots(dict) * sizeof *slot);
  size_t mask = slots(dict) - 1;
  for (int32_t i = 0; i < dict->count; i++) {
    size_t at = entry[i].hash & mask;
    while (slot[at] >= 0) at = (at + 1) & mask;
    slot[at] = i;
  }
  return true;
}

int32_t svf_dict_code(svf_dict *dict, const char *text, size_t length) {
  if (dict->count == dict->room && !grow(dict)) return -1;
  uint64_t hash = hash_of(text, length);
  size_t at = seek(dict, text, length, hash);
  if (dict->slot[at] >= 0) return dict->slot[at];
  size_t start = dict->text.size;
  if (!svf_buffer_add(&dict->text, text, length) || !svf_buffer_add(&dict->text, "", 1)) return -1;
  dict->entry[dict->count] = (svf_dict_entry){start, length, hash};
  return dict->slot[at] = dict->count++;
}

typedef struct ranked {
  const char *text;
  int32_t code;
} ranked;

static int by_text(const void *left, const void *right) {
  return strcmp(((const ranked *)left)->text, ((const ranked *)right)->text);
}

static bool sorted(const svf_dict *dict, ranked *order, svf_names *names) {
  for (int32_t i = 0; i < dict->count; i++) order[i] = (ranked){(const char *)dict->text.data + dict->entry[i].at, i};
  qsort(order, (size_t)dict->count, sizeof *order, by_text);
  svf_names found = {calloc((size_t)dict->count, sizeof *found.text), 0};
  if (!found.text) return false;
  for (; found.count < (size_t)dict->count; found.count++) {
    found.text[found.count] = strdup(order[found.count].text);
    if (!found.text[found.count]) {
      svf_names_free(&found);
      return false;
    }
  }
  *names = found;
  return true;
}

bool svf_dict_sort(svf_dict *dict, svf_names *names, int32_t *code, size_t n) {
  size_t count = (size_t)dict->count;
  ranked *order = malloc((count ? count : 1) * sizeof *order);
  int32_t *rank = malloc((count ? count : 1) * sizeof *rank);
  bool done = order && rank && (count == 0 || sorted(dict, order, names));
  if (done) {
    for (size_t i = 0; i < count; i++) rank[order[i].code] = (int32_t)i;
    for (size_t i = 0; i < n; i++)
      if (code[i] >= 0) code[i] = rank[code[i]];
  }
  free(order);
  free(rank);
  svf_dict_free(dict);
  return done;
}

void svf_dict_free(svf_dict *dict) {
  free(dict->entry);
  free(dict->slot);
  svf_buffer_free(&dict->text);
  *dict = (svf_dict){0};
}
