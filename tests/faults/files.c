/* files.c - the tables on disk that the scenarios read. */
#include "scenarios.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

static bool put(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  bool written = fwrite(bytes, 1, size, file) == size;
  return fclose(file) == 0 && written;
}

static bool put_packed(const char *path, const char *text) {
  gzFile file = gzopen(path, "wb");
  if (!file) return false;
  bool written = gzputs(file, text) >= 0;
  return gzclose(file) == Z_OK && written;
}

/* Numbers, categories, missing values of both, weights, a quoted name, three classes. */
static size_t csv_text(char *text, size_t room) {
  static const char *const colour[] = {"red", "green", "", "\"light, \"\"blue\"\"\""};
  static const char *const kind[] = {"one", "two", "three"};
  size_t at = (size_t)snprintf(text, room, "size,colour,w,\"the, shade\",kind\n");
  for (int i = 0; i < SCENE_ROWS && at < room; i++) {
    char shade[16];
    snprintf(shade, sizeof shade, "%d", i * 7 % 11);
    at += (size_t)snprintf(text + at, room - at, "%d.5,%s,%d,%s,%s\n", i * 5 % 17, colour[i * 3 % 4], 1 + i % 2,
                           i % 9 == 4 ? "NA" : shade, kind[i * 5 % 17 / 6]);
  }
  return at;
}

/* So many plain lines that they are read in one walk. */
static bool put_plain(const char *path) {
  static const char *const colour[] = {"red", "green", ""}, *const flag[] = {"true", "FALSE", "?"};
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  bool fine = fputs("size,colour,flag,w,kind\n", file) >= 0;
  for (int i = 0; i < 700; i++)
    fine = fine && fprintf(file, "%d.5,%s,%s,%d,%s\n", i * 5 % 17, colour[i * 2 % 3], flag[i % 3], 1 + i % 2,
                           i % 3 ? "no" : "yes") > 0;
  return !fclose(file) && fine;
}

/* Dates, some with times, and a column with one that is broken. */
static bool put_dates(const char *path) {
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  bool fine = fputs("when,born,size,kind\n", file) >= 0;
  for (int i = 0; i < SCENE_ROWS; i++)
    fine = fine && fprintf(file, "2024-%02d-%02dT%02d:00Z,1990-%02d-%02d,%d,%s\n", 1 + i % 12, 1 + i % 7 * 4, i % 24,
                           1 + i % 2, i == 9 ? 31 : 1 + i % 28, i * 5 % 17, i % 3 ? "no" : "yes") > 0;
  return !fclose(file) && fine;
}

static bool put_npy(const char *path) {
  static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }";
  struct {
    unsigned char magic[10];
    char header[118];
    float x[8];
  } file = {.magic = "\x93NUMPY\x01\x00\x76", .x = {1, 0, 2, 0, 3, 1, 4, 1}};
  memset(file.header, ' ', sizeof file.header);
  memcpy(file.header, header, sizeof header - 1);
  file.header[sizeof file.header - 1] = '\n';
  return put(path, &file, sizeof file);
}

bool scenario_files(void) {
  static const char sparse[] = "1 1:0.5 3:1\n-1 2:1 4:2.5\n1 1:1\n-1 4:1\n";
  char text[4096];
  size_t size = csv_text(text, sizeof text);
  return put("rows.csv", text, size) && put_packed("rows.csv.gz", text) && put_npy("rows.npy") &&
         put_plain("plain.csv") && put_dates("dates.csv") && put("rows.libsvm", sparse, sizeof sparse - 1);
}
