/* export.c - a model as one C file: see export.h and docs/export.md. */
#include "forest/export/export.h"
#include "base/file.h"

#include <ctype.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

extern const char svf_code_types[], svf_code_encode[], svf_code_answer[], svf_code_alone[], svf_code_committee[];

/* Types and names of the tables, and without which flag they are left out. */
static const struct {
  const char *type, *name;
  unsigned flag;
} lists[SVF_EXPORT_LISTS] = {
    [SVF_EXPORT_FEATURE] = {"feature", "feature", 0},
    [SVF_EXPORT_COLUMN] = {"column", "column", 0},
    [SVF_EXPORT_PART] = {"part", "part", SVF_CODE_MADE},
    [SVF_EXPORT_STATISTIC] = {"float", "statistic", SVF_CODE_STATISTICS},
    [SVF_EXPORT_FILL] = {"float", "fill", SVF_CODE_FILLED},
    [SVF_EXPORT_METRIC] = {"number", "metric", SVF_CODE_METRIC},
    [SVF_EXPORT_TREE] = {"tree", "tree", 0},
    [SVF_EXPORT_NODE] = {"node", "node", 0},
    [SVF_EXPORT_TERM] = {"term", "term", SVF_CODE_OBLIQUE},
    [SVF_EXPORT_CENTRE] = {"float", "centre", SVF_CODE_CENTRES},
    [SVF_EXPORT_WORD] = {"uint32_t", "word", SVF_CODE_LEVELS},
    [SVF_EXPORT_LEAF] = {"leaf", "leaf", 0},
    [SVF_EXPORT_VALUE] = {"number", "value", 0},
    [SVF_EXPORT_ROW] = {"float", "row", SVF_CODE_ROWS},
};

static void print(svf_export *export, const char *text) { svf_buffer_add(&export->out.text, text, strlen(text)); }

static bool has(const svf_export *export, unsigned flag) { return (export->flags & flag) == flag; }

static bool written(const svf_export *export, const svf_export_member *member, int list) {
  return member->list[list].items > 0 && has(export, lists[list].flag);
}

/* ---- what is known before the text: tables, flags, sizes ---- */

static svf_status check_name(const char *name, svf_message *message) {
  bool fine = (isalpha((unsigned char)*name) || *name == '_') && strlen(name) <= 60;
  for (const char *c = name; *c; c++) fine &= isalnum((unsigned char)*c) || *c == '_';
  return fine ? SVF_OK
              : svf_fail(
                    message, SVF_USAGE,
                    "'%.60s' cannot be the name of a C function: use up to 60 letters, digits and underscores, the "
                    "first no digit",
                    name);
}

static svf_status check_kinds(const svf_forest *forest, svf_message *message) {
  if (!forest->kinds.leaf->code)
    return svf_fail(message, SVF_USAGE, "leaf=%s cannot be exported to C", forest->kinds.leaf->kind.name);
  if (!forest->kinds.vote->code)
    return svf_fail(message, SVF_USAGE, "vote=%s cannot be exported to C", forest->kinds.vote->kind.name);
  return SVF_OK;
}

static void add_curve(svf_export *export) {
  if (!export->forest->committee) return;
  uint64_t kind = export->forest->committee->curve.kind;
  if (kind == SVF_CURVE_LOGISTIC) export->flags |= SVF_CODE_CURVED | SVF_CODE_LOGISTIC;
  if (kind == SVF_CURVE_TEMPERATURE) export->flags |= SVF_CODE_CURVED | SVF_CODE_TEMPERATURE;
}

static svf_status make_tables(svf_export *export, svf_message *message) {
  add_curve(export);
  if (export->forest->encoding.classes.count) export->flags |= SVF_CODE_CLASSIFIES;
  for (size_t m = 0; m < export->count; m++) {
    svf_export_member *member = &export->member[m];
    const svf_committee *committee = export->forest->committee;
    member->forest = committee ? committee->member[m].forest : export->forest;
    SVF_TRY(check_kinds(member->forest, message));
    for (int i = 0; i < SVF_EXPORT_LISTS; i++) member->list[i].single = export->out.single;
    export->flags |= member->forest->kinds.leaf->code->kind.flags | member->forest->kinds.vote->code->flags;
    svf_export_encoding(export, member);
    SVF_TRY(svf_export_trees(export, member, message));
  }
  return SVF_OK;
}

/* ---- the text ---- */

/* The numbers of an answer that live on the stack, and bounds of the arithmetic. */
static void write_sizes(svf_export *export) {
  svf_buffer *out = &export->out.text;
  size_t columns = 1, k = export->forest->encoding.classes.count;
  for (size_t m = 0; m < export->count; m++)
    if (export->member[m].forest->encoding.columns > columns) columns = export->member[m].forest->encoding.columns;
  bool single = export->out.single;
  svf_buffer_print(out, "\n#define FEATURES %zu\n#define CLASSES %zu\n#define COLUMNS %zu\n",
                   export->forest->encoding.features, k ? k : 1, columns);
  svf_buffer_print(out, "#define MACHINES %zu\n#define MONOMIALS %zu\n",
                   export->room.machines ? export->room.machines : 1,
                   export->room.monomials ? export->room.monomials : 1);
  print(export, single ? "#define ROOT sqrtf\n#define LARGEST FLT_MAX\n#define MOST_NUMBER (FLT_MAX / 2)\n"
                         "#define MOST_SCORE 1e36f\n#define FARTHEST 80\n"
                       : "#define ROOT sqrt\n#define LARGEST DBL_MAX\n#define MOST_NUMBER (DBL_MAX / 2)\n"
                         "#define MOST_SCORE 1e300\n#define FARTHEST 500\n");
  print(export, "#define LARGEST_FLOAT FLT_MAX\n#define NOTHING NAN\n\n");
}

static void write_curve(svf_export *export) {
  const svf_curve *curve = &export->forest->committee->curve;
  const struct {
    const char *name;
    double value;
  } number[] = {{"SMOOTH", curve->smooth}, {"SLOPE", curve->slope}, {"SHIFT", curve->shift}};
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
    char text[SVF_CODE_TEXT];
    svf_code_number_text(&export->out, number[i].value, text);
    svf_buffer_print(&export->out.text, "#define %s ((number)%s)\n", number[i].name, text);
  }
}

/* A piece that is there stays the only one. */
static void write_once(svf_export *export, const char *piece, const char **done, size_t *count) {
  for (size_t i = 0; i < *count; i++)
    if (done[i] == piece) return;
  done[(*count)++] = piece;
  svf_code_piece(&export->out, piece, export->flags);
}

static void write_kind(svf_export *export, const svf_code_kind *kind, const char **done, size_t *count) {
  for (const char *const *piece = kind->piece; *piece; piece++) write_once(export, *piece, done, count);
}

/* Every kind has at most a few pieces, and there are few kinds. */
static void write_kinds(svf_export *export) {
  const char *done[64];
  size_t count = 0;
  print(export, "\n/* ---- leaves and votes ---- */\n");
  for (size_t m = 0; m < export->count; m++) {
    const svf_kinds *kinds = &export->member[m].forest->kinds;
    write_kind(export, &kinds->leaf->code->kind, done, &count);
    write_kind(export, kinds->vote->code, done, &count);
  }
}

static void write_tables(svf_export *export, const svf_export_member *member, size_t number) {
  for (int i = 0; i < SVF_EXPORT_LISTS; i++) {
    if (!written(export, member, i)) continue;
    const svf_buffer *text = &member->list[i].text;
    svf_buffer_print(&export->out.text, "static const %s %s_%zu[] = {", lists[i].type, lists[i].name, number);
    svf_buffer_add(&export->out.text, text->data, text->size);
    print(export, "\n};\n");
  }
}

static void write_forest(svf_export *export, const svf_export_member *member, size_t number) {
  const svf_forest *forest = member->forest;
  const svf_kinds *kinds = &forest->kinds;
  svf_buffer *out = &export->out.text;
  svf_buffer_print(out, "\nstatic const forest forest_%zu = {\n  .features = %zu, .columns = %zu, .trees = %zu,\n",
                   number, svf_encoding_all(&forest->encoding), forest->encoding.columns, forest->parts.trees);
  svf_buffer_print(out, "  .said = %zu, .sums = %zu, .average = %d,\n", forest->parts.said, forest->parts.sums,
                   kinds->vote->average);
  if (has(export, SVF_CODE_CLIPPED))
    svf_buffer_print(out, "  .clipped = %d,\n", forest->settings.scale == SVF_SCALE_ROBUST);
  if (forest->parts.metric) svf_buffer_print(out, "  .full = %d,\n", forest->parts.metric->full);
  for (int i = 0; i < SVF_EXPORT_LISTS; i++)
    if (written(export, member, i)) svf_buffer_print(out, "  .%s = %s_%zu,\n", lists[i].name, lists[i].name, number);
  svf_buffer_print(out, "  .ask = %s, .vote = %s,\n", kinds->leaf->code->kind.function, kinds->vote->code->function);
  if (kinds->vote->code->link) svf_buffer_print(out, "  .link = %s,\n", kinds->vote->code->link);
  print(export, "};\n");
}

static void write_members(svf_export *export) {
  const svf_committee *committee = export->forest->committee;
  svf_buffer_print(&export->out.text, "\n#define MEMBERS %zu\n", export->count);
  if (has(export, SVF_CODE_CURVED)) write_curve(export);
  print(export, "static const forest *const member[] = {");
  for (size_t m = 0; m < export->count; m++)
    svf_buffer_print(&export->out.text, "%s&forest_%zu", m ? ", " : "", m + 1);
  print(export, "};\nstatic const number member_weight[] = {");
  export->out.items = 0;
  for (size_t m = 0; m < export->count; m++) svf_code_number(&export->out, committee->member[m].weight);
  print(export, "\n};\n");
}

/* What other files call; the names begin with that of the function. */
static void write_calls(svf_export *export) {
  svf_buffer *out = &export->out.text;
  const char *name = export->name, *type = export->out.single ? "float" : "double";
  svf_buffer_print(
      out,
      "\n/* ---- for other files ---- */\n\nint %s(const %s *row, %s *out) {\n"
      "  for (int j = 0; j < FEATURES; j++)\n    if (row[j] == row[j] && row[j] - row[j] != 0) return -1;\n"
      "  return answer(row, out);\n}\n",
      name, type, type);
  svf_buffer_print(out,
                   "\n/* NULL beyond the last. */\nconst char *%s_feature(int j) {\n"
                   "  return j >= 0 && j < FEATURES ? feature_name[j] : NULL;\n}\n",
                   name);
  if (has(export, SVF_CODE_CLASSIFIES))
    svf_buffer_print(out,
                     "\nconst char *%s_class(int code) {\n"
                     "  return code >= 0 && code < CLASSES ? class_name[code] : NULL;\n}\n",
                     name);
  if (!has(export, SVF_CODE_CATEGORIES)) return;
  svf_buffer_print(out,
                   "\n/* The code of a category of a feature; -1: it is not known. */\n"
                   "int %s_code(int j, const char *category) {\n"
                   "  if (j < 0 || j >= FEATURES) return -1;\n"
                   "  for (uint32_t i = first_category[j]; i < first_category[j + 1]; i++)\n"
                   "    if (strcmp(category_name[i], category) == 0) return (int)(i - first_category[j]);\n"
                   "  return -1;\n}\n",
                   name);
}

static void write_prototypes(svf_export *export) {
  const char *name = export->name, *type = export->out.single ? "float" : "double";
  svf_buffer *out = &export->out.text;
  print(export, "#include <float.h>\n#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n");
  if (has(export, SVF_CODE_CATEGORIES)) print(export, "#include <string.h>\n");
  svf_buffer_print(out, "\nint %s(const %s *row, %s *out);\nconst char *%s_feature(int j);\n", name, type, type,
                   name);
  if (has(export, SVF_CODE_CLASSIFIES)) svf_buffer_print(out, "const char *%s_class(int code);\n", name);
  if (has(export, SVF_CODE_CATEGORIES)) svf_buffer_print(out, "int %s_code(int j, const char *category);\n", name);
  print(export, "\n/* No product may be fused with a sum: rows would fall into other leaves than in svforest. */\n"
                "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__)\n"
                "#pragma GCC optimize(\"fp-contract=off\")\n#endif\n");
}

static void write_functions(svf_export *export) {
  svf_code_piece(&export->out, svf_code_encode, export->flags);
  write_kinds(export);
  svf_code_piece(&export->out, svf_code_answer, export->flags);
  print(export, "\n/* ---- the model ---- */\n\n");
  for (size_t m = 0; m < export->count; m++) {
    write_tables(export, &export->member[m], m + 1);
    write_forest(export, &export->member[m], m + 1);
  }
  if (export->forest->committee) write_members(export);
  svf_code_piece(&export->out, export->forest->committee ? svf_code_committee : svf_code_alone, export->flags);
  svf_export_names(export);
  write_calls(export);
}

/* Does the text call a function? It ends with 0 unless memory ran out. */
static bool calls(const svf_code *code, const char *function) {
  return !code->text.failed && strstr((const char *)code->text.data, function) != NULL;
}

/* The functions are written first: they say what else is needed. */
static void write_all(svf_export *export) {
  svf_code body;
  write_functions(export);
  svf_buffer_add(&export->out.text, "", 1);
  body = export->out;
  if (calls(&body, "exponential(")) export->flags |= SVF_CODE_EXPONENTIAL;
  if (calls(&body, "logarithm(")) export->flags |= SVF_CODE_LOGARITHM;
  export->out = (svf_code){.single = body.single, .beyond = body.beyond};
  svf_export_head(export);
  write_prototypes(export);
  write_sizes(export);
  svf_code_piece(&export->out, svf_code_types, export->flags);
  if (body.text.size) svf_buffer_add(&export->out.text, body.text.data, body.text.size - 1);
  export->out.text.failed |= body.text.failed;
  svf_buffer_free(&body.text);
}

/* ---- the call ---- */

static void close_export(svf_export *export) {
  for (size_t m = 0; export->member && m < export->count; m++)
    for (int i = 0; i < SVF_EXPORT_LISTS; i++) svf_buffer_free(&export->member[m].list[i].text);
  free(export->member);
  svf_buffer_free(&export->out.text);
}

static svf_status ended(const svf_export *export, svf_message *message) {
  bool failed = export->out.text.failed, beyond = export->out.beyond;
  for (size_t m = 0; m < export->count; m++)
    for (int i = 0; i < SVF_EXPORT_LISTS; i++) {
      failed |= export->member[m].list[i].text.failed;
      beyond |= export->member[m].list[i].beyond;
    }
  if (failed) return svf_no_memory(message, "the C source");
  if (beyond)
    return svf_fail(message, SVF_USAGE, "a number of the model is too large for a float: export it in double");
  return SVF_OK;
}

svf_status svf_forest_export_c(const svf_forest *forest, const svf_export_options *options, const char *path,
                               svf_message *message) {
  static const svf_export_options usual = {0};
  svf_export export = {.forest = forest, .options = options ? options : &usual, .count = 1};
  export.name = export.options->name ? export.options->name : "predict";
  SVF_TRY(check_name(export.name, message));
  if (export.options->single) export.flags |= SVF_CODE_SINGLE, export.out.single = true;
  if (forest->committee) export.count = forest->committee->count;
  export.member = calloc(export.count, sizeof *export.member);
  if (!export.member) return svf_no_memory(message, "the C source");
  svf_status status = make_tables(&export, message);
  if (!status) write_all(&export);
  if (!status) status = ended(&export, message);
  if (!status) status = svf_file_write(path, export.out.text.data, export.out.text.size, message);
  close_export(&export);
  return status;
}
