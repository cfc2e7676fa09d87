/* remark.c - what is probably not as it was meant in a table that can be used all the same. */
#include <string.h>
#include "data/table.h"

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

int svf_table_remark(const svf_table *table, svf_message *remark) {
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
