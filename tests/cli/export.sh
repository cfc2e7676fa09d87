#!/usr/bin/env bash
# A model as C source: it answers as predict does, for every preset and kind of table, and compiles without a warning.
. "$(dirname "$0")/lib.sh"
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skipped: no C compiler"; exit 77; }

# Numbers, a date, categories of few and of many levels, blank cells; a class of two, of three, and a number.
awk 'BEGIN { srand(3); print "a,b,colour,made,place,two,three,amount"
  for (i = 0; i < 120; i++) { a = rand() * 2 - 1; b = rand() * 900; c = int(rand() * 3); m = int(rand() * 12) + 1; p = int(rand() * 60)
    s = a + b / 400 + (c == 1) + m / 8 + p / 30
    printf "%s,%.3f,%s,2021-%02d-%02dT%02d:30,p%d,%s,%s,%.4f\n", (i % 9 ? a : ""), b, (i % 11 ? substr("redtangum", 3 * c + 1, 3) : ""),
      m, int(rand() * 28) + 1, int(rand() * 24), p, (s > 2.5 ? "yes" : "no"), (s < 2 ? "low" : s < 3.2 ? "middle" : "high"), 100 * s } }' >all.csv
cut -d, -f1-6 all.csv >two.csv
cut -d, -f1-5,7 all.csv >three.csv
cut -d, -f1-5,8 all.csv >amount.csv

# exported WORD...: writes m.c, which was compared with the model, and has no warning.
exported() {
  works export m.svf -o m.c --force "$@"
  prints "compared rows  *1000"
  prints "rows beyond  *0"
  "$cc" -std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only m.c 2>err || fail "$last: warnings ($method)"
}

count=0
for method in $("$svforest" methods --json | sed -n 's/^      "name": "\([a-z0-9-]*\)".*/\1/p'); do
  [ "$method" = auto ] && continue
  for table in three amount; do
    "$svforest" train -q -m "$method" --seed $count -s trees=3 $table.csv -o m.svf 2>err ||
      "$svforest" train -q -m "$method" --seed $count $table.csv -o m.svf 2>err || continue # one tree; or no method for numbers
    exported
    count=$((count + 1))
  done
done
[ "$count" -ge 30 ] || fail "only $count models were exported"

# Kinds of cuts, leaves and votes that no preset has, committees, made features, both precisions.
more() {
  method=$*
  works train -q "$@" -o m.svf
  exported
  exported --float
}
more -m rsvt -s trees=3 -s vote=weighted -s rows=bootstrap two.csv
more -m rsvf -s trees=2 -s vote=max-confidence -s scale=robust two.csv
more -m rsvt -s trees=2 -s multiclass=one-vs-one -s precision=single three.csv
more -m boost -s trees=6 -s stop_rounds=0 two.csv
more -m boost-l -s trees=6 -s stop_rounds=0 -s max_leaves=4 amount.csv
more -m ls-svm -s kernel=laplace -s metric=full -s precision=single amount.csv
more -m xrfm -s cell_rows=60 -s metric_judges=0 three.csv
more -m xrfm -s metric=diagonal -s metric_judges=0 -s precision=single amount.csv
more -m ls-svm -s kernel=linear --feature "area=a*b" --feature "far=distance(a=1,b=20)" amount.csv
more -m poly-svm -s degrees=2 -s multiclass=one-vs-one three.csv
more -m rf -s trees=3 -s vote=simple --feature "area=a^2" three.csv
plan="folds=2 repeats=1; rf trees=3; et trees=3; ls-svm"
more -m auto --plan "effort=1 task=class $plan" two.csv
more -m auto --plan "effort=1 task=class $plan" three.csv
more -m auto --plan "effort=1 task=regress $plan" amount.csv

# A program that makes rows, asks for codes by name, and writes the rows as CSV for predict.
cut -d, -f1-3,5,7 all.csv >plain.csv
cat >caller.c <<'TEXT'
#include <math.h>
#include <stdio.h>
int wine(const double *row, double *out);
const char *wine_feature(int j);
const char *wine_class(int code);
int wine_code(int j, const char *category);
int main(void) {
  const char *colours[] = {"red", "", "gum", "black"};
  if (wine_feature(0)[0] != 'a' || wine_feature(4) || wine_class(-1) || wine_class(3)) return 1;
  fprintf(stderr, "a,b,colour,place\n");
  for (int i = 0; i < 300; i++) {
    double row[4] = {i % 7 ? i / 100. - 1 : INFINITY, i * 3.25, NAN, NAN}, out[3];
    char place[8], a[32] = "";
    if (i % 7) snprintf(a, sizeof a, "%.17g", row[0]);
    else if (wine(row, out) != -1) return 1;
    else row[0] = NAN;
    snprintf(place, sizeof place, "p%d", i % 70);
    if (*colours[i % 4]) row[2] = wine_code(2, colours[i % 4]);
    row[3] = wine_code(3, place);
    fprintf(stderr, "%s,%.17g,%s,%s\n", a, row[1], colours[i % 4], place);
    printf("%s", wine_class(wine(row, out)));
    printf(",%.17g,%.17g,%.17g\n", out[0], out[1], out[2]);
  }
  return 0;
}
TEXT
for settings in "-m rsvt -s trees=4" "-m rf -s trees=4" "-m metric-forest -s trees=2"; do
  # shellcheck disable=SC2086
  works train -q $settings plain.csv -o m.svf
  works export -q --name wine m.svf -o wine.c --force
  "$cc" -std=c11 -g -fsanitize=address,undefined -fno-sanitize-recover=all wine.c caller.c -o caller -lm 2>err ||
    "$cc" -std=c11 wine.c caller.c -o caller -lm 2>err || fail "the caller does not compile"
  ./caller >said 2>rows.csv || fail "the caller failed"
  works predict -q m.svf rows.csv -o classes
  works predict -q --proba m.svf rows.csv -o shares
  tail -n +2 classes | paste -d, - <(tail -n +2 shares) said | awk -F, '
    { if ($1 != $(NF - 3)) bad++
      for (k = 0; k < 3; k++) { off = $(NF - 2 + k) - $(NF - 6 + k); if (off > 1e-12 || off < -1e-12) bad++ } }
    END { if (NR != 300 || bad) { print NR, bad; exit 1 } }' >out || fail "the program and predict differ ($settings)"
done

# What is refused, and what is left as it was.
works export m.svf -o there.c
cp there.c kept.c
refused 2 "exists.*--force" export m.svf -o there.c
same there.c kept.c
works export --force --float -q m.svf -o there.c
cmp -s there.c kept.c && fail "--force did not replace the file"
refused 2 "name the file to write" export m.svf
refused 2 "input file and would be overwritten" export m.svf -o m.svf --force
refused 2 "cannot be the name" export m.svf -o x.c --name "2 fast"
refused 2 "svforest.export" export --to onnx m.svf -o x.onnx
refused 2 "c|onnx" export --to java m.svf -o x.c
refused 2 "json and the code" export --json m.svf -o -
refused 1 "." export two.csv -o x.c
refused 1 "." export m.svf -o nowhere/x.c
[ -c /dev/full ] && refused 1 "full.*space" export -q m.svf -o /dev/full
absent x.c x.onnx
expect 0 export --json m.svf -o j.c && prints '"compared_rows": *1000'
export CC=/nowhere/cc
expect 0 export m.svf -o alone.c
says "not compared.*no C compiler"
same alone.c kept.c
no_litter
finish
