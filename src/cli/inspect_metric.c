/* inspect_metric.c - what a model learned of the distance between rows. */
#include "inspect.h"
#include "text.h"
#include <stdlib.h>

enum { SHOWN = 10 };

static size_t features(const cli_inspection *in) { return in->info.features + in->info.made; }

void cli_inspect_metric(cli_inspection *in) {
  in->metric = CLI_TAKE(double, features(in) + 1);
  if (svf_forest_metric(in->forest, in->metric)) return;
  free(in->metric);
  in->metric = NULL;
}

/* Text as a line of the report, or a member of the JSON object. */
static void tell_setting(const cli_inspection *in, cli_report *report, const char *name) {
  char value[32];
  if (svf_settings_get(svf_forest_settings(in->forest), name, value, sizeof value) == SVF_OK)
    cli_report_text(report, name, value);
}

static void json_weights(const cli_inspection *in, cli_json *json) {
  cli_json_object(json, "weights");
  for (size_t f = 0; f < features(in); f++)
    cli_json_number(json, svf_forest_feature_name(in->forest, f), in->metric[f]);
  cli_json_close(json);
}

/* The heaviest feature that is lighter than the one before, or as heavy and later in the table. */
static size_t next_heaviest(const cli_inspection *in, size_t last) {
  size_t best = features(in);
  for (size_t f = 0; f < features(in); f++) {
    bool after =
        last == features(in) || in->metric[f] < in->metric[last] || (in->metric[f] == in->metric[last] && f > last);
    if (after && (best == features(in) || in->metric[f] > in->metric[best])) best = f;
  }
  return best;
}

static void print_weights(const cli_inspection *in, cli_report *report) {
  size_t at = features(in), count = features(in) < SHOWN ? features(in) : SHOWN;
  for (size_t i = 0; i < count; i++) {
    at = next_heaviest(in, at);
    fputs("  ", report->out);
    cli_fit(report->out, svf_forest_feature_name(in->forest, at), -24);
    fprintf(report->out, " %10s\n", cli_short(in->metric[at]).text);
  }
  if (count < features(in)) fprintf(report->out, "  and %zu more (--importance)\n", features(in) - count);
}

void cli_tell_metric(const cli_inspection *in, cli_report *report) {
  if (!in->metric) return;
  if (report->as_json) cli_json_object(&report->json, "learned");
  tell_setting(in, report, "kernel");
  tell_setting(in, report, "metric");
  tell_setting(in, report, "scale");
  if (report->as_json) json_weights(in, &report->json);
  else fputs("weight in the metric\n", report->out), print_weights(in, report);
  if (report->as_json) cli_json_close(&report->json);
}
