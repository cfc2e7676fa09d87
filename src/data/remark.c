/* remark.c - what is probably not as it was meant in a table that can be used all the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "data/encode.h"

/* "-12,5": a number but for its comma? */
static bool has_decimal_comma(const char *text) {
  static const char *const digits = "0123456789";
  text += *text == '-' || *text == '+';
  size_t before = strspn(text, digits);
  if (!before || text[before] != ',') return false;
  size_t after = strspn(text + before + 1, digits);
  return after && !text[before + 1 + after];
}

static bool is_number(const char *text) {
  text += *text == '-' || *text == '+';
  return *text && !text[strspn(text, "0123456789")];
}

/* Are all of these numbers, some of them with a decimal comma? */
static bool are_numbers(const svf_names *names) {
  size_t commas = 0;
  for (size_t i = 0; i < names->count; i++) {
    bool comma = has_decimal_comma(names->text[i]);
    if (!comma && !is_number(names->text[i])) return false;
    commas += comma;
  }
  return commas > 0;
}

bool svf_table_add_remark(svf_table *table, const char *text) {
  svf_names *list = &table->remarks;
  char **grown = realloc(list->text, (list->count + 1) * sizeof *grown);
  if (!grown) return false;
  list->text = grown;
  grown[list->count] = strdup(text);
  return grown[list->count] && ++list->count;
}

static int remark_commas(const svf_table *table, svf_message *remark) {
  const char *path = table->path ? table->path : "the table", *name = NULL;
  size_t count = 0;
  for (size_t j = 0; j < table->d && !name; j++)
    if (are_numbers(&table->column[j].levels)) name = table->column[j].name, count = table->column[j].levels.count;
  if (!name && are_numbers(&table->classes)) name = table->target_name, count = table->classes.count;
  if (!name) return 0;
  svf_fail(remark, SVF_OK,
           "%s: column '%s' has numbers with a decimal comma, which are taken as %zu %s: write a point", path, name,
           count, name == table->target_name ? "classes" : "categories");
  return 1;
}

int svf_table_remark(const svf_table *table, size_t index, svf_message *remark) {
  if (index < table->remarks.count) svf_fail(remark, SVF_OK, "%s", table->remarks.text[index]);
  return index < table->remarks.count || (index == table->remarks.count && remark_commas(table, remark));
}

/* What each finding means, and what to do; %s is "column 'a'" or "columns 'a' and 2 others". */
static const char *const finding_texts[SVF_FINDINGS] = {
    [SVF_FOUND_OUTLIERS] =
        "%s: %s: the range is more than a thousand times the quartile range, so a few values may hide the "
        "others; scale=robust helps",
    [SVF_FOUND_ROUNDING] = "%s: %s: constant but for the last digits, left out",
    [SVF_FOUND_TINY] =
        "%s: %s: the range is below the smallest normal number, left out; multiply it by a power of ten",
    [SVF_FOUND_LONG_INTEGERS] =
        "%s: %s: integers beyond 2^53 (9007199254740992) lose their last digits; if they are names, "
        "leave them out (--drop) or put a letter in front",
    [SVF_FOUND_NAMES] = "%s: %s: nearly every row has a text of its own, as names and ids are, left out; "
                        "name_levels=1 takes it as a category",
};

static void remark_finding(const svf_table *table, const svf_finding *finding, svf_finding which,
                           const svf_run *run) {
  svf_message remark;
  char columns[256];
  size_t count = 0, first = 0;
  for (size_t j = table->d; j-- > 0;)
    if (finding[j] == which) first = j, count++;
  if (!count) return;
  if (count == 1) snprintf(columns, sizeof columns, "column '%.200s'", table->column[first].name);
  else
    snprintf(columns, sizeof columns, "column '%.200s' and %zu other%s", table->column[first].name, count - 1,
             count == 2 ? "" : "s");
  svf_fail(&remark, SVF_OK, finding_texts[which], table->path ? table->path : "the table", columns);
  run->remark(run->user, remark.text);
}

void svf_remark_findings(const svf_table *table, const svf_finding *finding, const svf_run *run) {
  for (int which = SVF_FOUND_NOTHING + 1; which < SVF_FINDINGS; which++)
    remark_finding(table, finding, (svf_finding)which, run);
}
