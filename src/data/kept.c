/* kept.c - columns kept as text: which they are, what is asked of them, and those of files that hold numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/buffer.h"
#include "base/number_text.h"
#include "data/raw.h"

void svf_kept_free(svf_kept *kept, size_t count) {
  for (size_t k = 0; k < count; k++) {
    free(kept[k].name);
    free(kept[k].at);
    free(kept[k].text);
  }
  free(kept);
}

size_t svf_table_kept(const svf_table *table) { return table->kept_count; }

const char *svf_table_kept_name(const svf_table *table, size_t kept) {
  return kept < table->kept_count ? table->kept[kept].name : NULL;
}

const char *svf_table_kept_text(const svf_table *table, size_t row, size_t kept) {
  if (kept >= table->kept_count || row >= table->n) return NULL;
  return table->kept[kept].text + table->kept[kept].at[row];
}

bool svf_raw_is_kept(const svf_raw *raw, size_t column) {
  for (size_t k = 0; k < raw->kept_count; k++)
    if (raw->kept[k].column == column) return true;
  return false;
}

bool svf_raw_keep(svf_raw *raw, size_t column) {
  if (svf_raw_is_kept(raw, column)) return true;
  svf_kept *grown = realloc(raw->kept, (raw->kept_count + 1) * sizeof *grown);
  if (!grown) return false;
  raw->kept = grown;
  grown[raw->kept_count] = (svf_kept){.name = strdup(raw->names.text[column]), .column = column};
  return grown[raw->kept_count++].name;
}

static bool print_numbers(const double *number, size_t n, svf_kept *kept) {
  svf_buffer text = {0};
  kept->at = malloc(n * sizeof *kept->at);
  for (size_t i = 0; kept->at && i < n; i++) {
    char digits[SVF_NUMBER_TEXT] = "";
    size_t length = isnan(number[i]) ? 0 : svf_number_text(number[i], digits);
    kept->at[i] = text.size;
    svf_buffer_add(&text, digits, length + 1);
  }
  kept->text = (char *)text.data;
  return kept->at && !text.failed;
}

svf_status svf_raw_keep_numbers(svf_raw *raw, svf_message *message) {
  for (size_t k = 0; k < raw->kept_count; k++) {
    svf_kept *kept = &raw->kept[k];
    if (!kept->at && !print_numbers(raw->column[kept->column].number, raw->n, kept))
      return svf_no_memory(message, raw->path);
  }
  return SVF_OK;
}
