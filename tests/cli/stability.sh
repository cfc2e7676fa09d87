#!/usr/bin/env bash
# What docs/stability.md promises: exit codes, names, keys under --json, and one place for the version.
root=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
command -v "${CC:-cc}" >/dev/null || { echo "skipped: no C compiler, which export --json compares with"; exit 77; }
page=$root/docs/stability.md

# ---- exit codes ----
numbers 60
works train -q -m rf -s trees=2 numbers.csv -o m.svf
expect 0 verify m.svf
expect 1 train -q nowhere.csv -o x.svf
expect 1 verify numbers.csv
expect 1 eval m.svf <(printf 'a,b,class\n')
expect 2 train
expect 2 nothing
expect 2 train -m nothing numbers.csv
expect 2 train -m rf -s trees=many numbers.csv -o x.svf
expect 2 predict m.svf numbers.csv --never
[ "$(grep -c '^| [012] |' "$page")" -eq 3 ] || fail "the page does not list three exit codes"

# ---- names: those of the list are there ----
"$svforest" methods --json >methods.json || fail "methods --json"
"$svforest" --help >help.txt || fail "--help"
python3 - "$root/tests/cli/names.txt" "$root"/include/svforest*.h <<'PYTHON' || fail "a name is gone"
import json, re, sys
with open("methods.json") as file:
    lists = json.load(file)
headers = "\n".join(open(path).read() for path in sys.argv[2:])
there = {f"method {method['name']}" for method in lists["methods"]} | {f"setting {setting['name']}" for setting in lists["settings"]}
there |= {f"{kind['seam']} {kind['name']}" for kind in lists["kinds"]}
there |= {f"function {name}" for name in re.findall(r"^SVF_API[^;]*?\b(svf_\w+)\(", headers, re.M)}
there |= {f"verb {verb}" for verb in re.findall(r"^  ([a-z]+) ", open("help.txt").read(), re.M)}
with open(sys.argv[1]) as file:
    wanted = [line for line in file.read().splitlines() if line and line[0] != "#" and not line.startswith("python ")]
gone = [line for line in wanted if line not in there]
print("gone:", ", ".join(gone), "; more than the list has:", len(there - set(wanted)))
sys.exit(bool(gone) or len(wanted) < 200)
PYTHON

# ---- keys: those that a verb prints are those that the page lists ----
: >keys
# keys VERB WORD...: notes the keys of the object that `svforest VERB WORD... --json` prints.
keys() {
  works "$@" --json
  python3 -c 'import json, sys
for key in json.load(open("out")): print(sys.argv[1], key)' "$1" >>keys || fail "$last: no JSON object"
}
works synth friedman1 -n 150 -o values.csv
keys synth moons -n 10 -o moons.csv
keys train -q -m rf -s trees=2 numbers.csv -o m.svf
keys train -q -m ls-svm -s kernel=rbf -s metric=diagonal numbers.csv -o learned.svf
keys train -q --plan 'effort=1 task=class folds=2 repeats=1; rf trees=2; ccf trees=2' numbers.csv -o auto.svf
works train -q -m rf -s trees=2 -s min_leaf=5 -s background=5 values.csv -o v.svf
for model in m learned auto; do keys info $model.svf; done
keys info m.svf numbers.csv --importance --oob --dump
keys eval m.svf numbers.csv
keys eval v.svf values.csv
keys predict m.svf numbers.csv
keys predict v.svf values.csv --interval 0.9 -o answers.csv
keys cv -q -m rf -s trees=2 -k 2 numbers.csv
keys cv -q -m rf -s trees=2 --holdout 0.3 values.csv
keys tune -q -m rf -s trees=2 --candidates 2 -k 2 numbers.csv -o tuned.svf
keys verify m.svf
keys merge m.svf -o merged.svf
keys methods
keys methods rf
keys explain v.svf values.csv -o explained.csv
keys calibrate -q v.svf values.csv -o calibrated.svf
keys report m.svf numbers.csv -o m.html
keys export m.svf -o m.c
CC=/nowhere/cc expect 0 export m.svf -o n.c --json
grep -q '"not_compared"' out && echo export not_compared >>keys
keys partition -q -m rf -s trees=1 -s max_depth=2 -s partition_rows=100 values.csv -o values.cuts
keys route values.cuts values.csv -o values.rows
keys fit values.cuts values.rows -o values.leaves
keys merge values.cuts values.leaves -o parts.svf
sort -u keys >printed
sed -n 's/^| `\([a-z]*\)` | \(`.*`\) |$/\1 \2/p' "$page" |
  awk '{ verb = $1; for (i = 2; i <= NF; i++) { gsub(/[`,]/, "", $i); print verb, $i } }' | sort -u >promised
[ "$(wc -l <promised)" -gt 100 ] || fail "the page lists few keys"
cmp -s printed promised || { diff printed promised | grep '^[<>]'; fail "keys printed (<) and promised (>) differ"; }

# ---- the version is in the header alone, and the changelog begins with it ----
version=$("$svforest" --version | cut -d' ' -f2)
header=$(sed -n 's/^#define SVF_VERSION_[A-Z]* //p' "$root/include/svforest.h" | paste -sd.)
[ "$version" = "$header" ] || fail "--version says $version, the header $header"
[ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$root/CHANGELOG.md" | head -1)" = "$version" ] || fail "the changelog begins with another version"
finish
