/* dates.c - see dates.h. */
#include "data/dates.h"
#include "data/date.h"
#include "data/scale.h"
#include "data/text_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double read_level(const char *text) {
  size_t length = strlen(text);
  double days;
  if (svf_date_parse(text, length, &days)) return days;
  return svf_text_is(text, length, "nat") ? NAN : INFINITY;
}

svf_dates svf_dates_of(const svf_column *column, size_t n, double *days) {
  svf_dates found = {.other = -1};
  bool any = false;
  for (size_t l = 0; l < column->levels.count; l++) {
    days[l] = read_level(column->levels.text[l]);
    any |= isfinite(days[l]);
    if (isinf(days[l]) && found.other < 0) found.other = (int32_t)l;
  }
  for (size_t i = 0; any && i < n; i++) {
    if (column->code[i] < 0) continue;
    found.dates += isfinite(days[column->code[i]]);
    found.others += isinf(days[column->code[i]]);
  }
  return found;
}

bool svf_dates_numbers(svf_column *column, size_t n, bool due, svf_dates *found) {
  *found = (svf_dates){.other = -1};
  if (!column->levels.count) return true;
  double *days = malloc(column->levels.count * sizeof *days), *number = NULL;
  if (!days) return false;
  *found = svf_dates_of(column, n, days);
  bool all = (found->dates || due) && found->other < 0;
  if (all) number = malloc(n * sizeof *number);
  for (size_t i = 0; number && i < n; i++) number[i] = column->code[i] < 0 ? NAN : days[column->code[i]];
  free(days);
  if (!number) return !all;
  free(column->code);
  svf_names_free(&column->levels);
  *column = (svf_column){.name = column->name, .number = number, .date = true, .text_line = column->text_line};
  return true;
}

bool svf_dates_only(const svf_names *names) {
  double days;
  for (size_t l = 0; l < names->count; l++)
    if (!svf_date_parse(names->text[l], strlen(names->text[l]), &days)) return false;
  return names->count > 0;
}

/* ---- encoded columns ---- */

double svf_date_part(int32_t role, double days) {
  if (role == SVF_ROLE_DAYS || isnan(days)) return days;
  svf_moment moment = svf_date_moment(days);
  return role == SVF_ROLE_MONTH ? moment.month : role == SVF_ROLE_WEEKDAY ? moment.weekday : moment.hour;
}

uint32_t svf_date_roles(const svf_column *column, size_t n, int32_t role[SVF_DATE_ROLES]) {
  svf_moment first = {0};
  bool month = false, weekday = false, hour = false;
  for (size_t i = 0; i < n && !(month && weekday && hour); i++) {
    double days = svf_column_number(column, i);
    if (isnan(days)) continue;
    svf_moment here = svf_date_moment(days);
    if (!first.month) first = here;
    month |= here.month != first.month;
    weekday |= here.weekday != first.weekday;
    hour |= here.hour != first.hour;
  }
  uint32_t count = 0;
  role[count++] = SVF_ROLE_DAYS;
  if (month) role[count++] = SVF_ROLE_MONTH;
  if (weekday) role[count++] = SVF_ROLE_WEEKDAY;
  if (hour) role[count++] = SVF_ROLE_HOUR;
  return count;
}

void svf_date_encode(const svf_encoded *column, size_t width, double days, float *x) {
  for (size_t c = 0; c < width; c++) x[c] = (float)svf_scale_apply(&column[c], svf_date_part(column[c].level, days));
}
