/* dict.c - a hash table with open addresses; see dict.h. */
#include "data/dict.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16, MOST_ROOM = 1 << 30 };

/* Takes in eight bytes. */
static uint64_t mixed(uint64_t hash, const char *text) {
  uint64_t piece;
  memcpy(&piece, text, sizeof piece);
  hash = (hash ^ piece) * 0xBF58476D1CE4E5B9u;
  return hash ^ hash >> 32;
}

/* At most 7 bytes as a number, which is different for different texts of one length. */
static uint64_t short_text(const char *text, size_t length) {
  const unsigned char *byte = (const unsigned char *)text;
  uint32_t first, last;
  if (length < 4) return length ? byte[0] | (uint64_t)byte[length / 2] << 8 | (uint64_t)byte[length - 1] << 16 : 0;
  memcpy(&first, text, sizeof first);
  memcpy(&last, text + length - sizeof last, sizeof last);
  return first | (uint64_t)last << 32;
}

static uint64_t hash_of(const char *text, size_t length) {
  enum { EIGHT = sizeof(uint64_t) };
  uint64_t hash = 0x9E3779B97F4A7C15u ^ length;
  if (length < EIGHT) {
    hash = (hash ^ short_text(text, length)) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 32;
  } else {
    for (size_t at = 0; at + EIGHT < length; at += EIGHT) hash = mixed(hash, text + at);
    hash = mixed(hash, text + length - EIGHT);
  }
  hash *= 0x94D049BB133111EBu;
  return hash ^ hash >> 32;
}

static uint32_t tag_of(uint64_t hash) { return (uint32_t)(hash >> 32); }

static size_t slots(const svf_dict *dict) { return 2 * (size_t)dict->room; }

/* The slot that holds the text, or the empty one where it belongs. */
static size_t seek(const svf_dict *dict, const char *text, size_t length, uint64_t hash) {
  size_t mask = slots(dict) - 1, at = hash & mask;
  for (; dict->slot[at].code >= 0; at = (at + 1) & mask) {
    if (dict->slot[at].tag != tag_of(hash)) continue;
    const svf_dict_entry *entry = &dict->entry[dict->slot[at].code];
    if (entry->length == length && memcmp(dict->text.data + entry->at, text, length) == 0) break;
  }
  return at;
}

static bool grow(svf_dict *dict) {
  if (dict->room >= MOST_ROOM) return false;
  int32_t room = dict->room ? 2 * dict->room : FIRST_ROOM;
  svf_dict_entry *entry = realloc(dict->entry, (size_t)room * sizeof *entry);
  if (!entry) return false;
  dict->entry = entry;
  svf_dict_slot *slot = realloc(dict->slot, 2 * (size_t)room * sizeof *slot);
  if (!slot) return false;
  dict->slot = slot;
  dict->room = room;
  memset(slot, 0xff, slots(dict) * sizeof *slot);
  size_t mask = slots(dict) - 1;
  for (int32_t i = 0; i < dict->count; i++) {
    size_t at = entry[i].hash & mask;
    while (slot[at].code >= 0) at = (at + 1) & mask;
    slot[at] = (svf_dict_slot){i, tag_of(entry[i].hash)};
  }
  return true;
}

int32_t svf_dict_code(svf_dict *dict, const char *text, size_t length) {
  if (dict->count == dict->room && !grow(dict)) return -1;
  uint64_t hash = hash_of(text, length);
  size_t at = seek(dict, text, length, hash);
  if (dict->slot[at].code >= 0) return dict->slot[at].code;
  size_t start = dict->text.size;
  if (!svf_buffer_add(&dict->text, text, length) || !svf_buffer_add(&dict->text, "", 1)) return -1;
  dict->entry[dict->count] = (svf_dict_entry){start, length, hash};
  dict->slot[at] = (svf_dict_slot){dict->count, tag_of(hash)};
  return dict->count++;
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
