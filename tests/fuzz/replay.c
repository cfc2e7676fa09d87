/* replay.c - runs a fuzz target over files, or over the files of folders, that are named on the command line.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path, size_t size) {
  FILE *file = fopen(path, "rb");
  uint8_t *data = malloc(size + 1);
  int failed = !file || !data || fread(data, 1, size, file) != size;
  if (failed) fprintf(stderr, "replay: cannot read %s\n", path);
  else LLVMFuzzerTestOneInput(data, size);
  free(data);
  if (file) fclose(file);
  return failed;
}

/* Counts the inputs; returns nonzero if one could not be read. */
static int replay(const char *path, int *count) {
  struct stat facts;
  if (stat(path, &facts)) {
    fprintf(stderr, "replay: no %s\n", path);
    return 1;
  }
  if (!S_ISDIR(facts.st_mode)) {
    ++*count;
    return replay_file(path, (size_t)facts.st_size);
  }
  DIR *folder = opendir(path);
  int failed = !folder;
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char inside[4096];
    if (entry->d_name[0] == '.') continue;
    snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
    failed |= replay(inside, count);
  }
  if (folder) closedir(folder);
  return failed;
}

int main(int argc, char **argv) {
  int failed = 0, count = 0;
  for (int i = 1; i < argc; i++) failed |= replay(argv[i], &count);
  printf("%d inputs replayed\n", count);
  return failed || count == 0;
}
