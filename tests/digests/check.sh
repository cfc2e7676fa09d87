#!/usr/bin/env bash
# Tests digests.py on a small table: two runs are equal, another seed is not, and a renamed word is mapped back.
# usage: check.sh PYTHON SVFOREST
set -euo pipefail
python=$1 svforest=$(realpath "$2")
digests=$(realpath "$(dirname "$0")")/digests.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAIL: $*"
  exit 1
}

list() { "$python" -B "$digests" make "$svforest" --tables t.csv --methods "$1" "${@:2}"; }
compare() { "$python" -B "$digests" compare "$@"; }

"$svforest" synth friedman1 -q -n 60 --seed 1 -o numbers.csv
"$svforest" synth moons -q -n 120 --seed 1 -o t.csv
list rf,rsvt,auto >first
list rf,rsvt,auto >second
compare first second || fail "two runs differ"
[ "$(grep -c '^[0-9a-f]\{32\} ' first)" -eq 12 ] || fail "twelve models are expected"
list rsvt --tables numbers.csv >refusals
[ "$(grep -c '^refused  *rsvt numbers' refusals)" -eq 4 ] || fail "rsvt is for classes: it is refused"

list rf --seed 2 >other
list rf >same
compare same other >out && fail "another seed is not seen"
grep -q 'differs: rf t threads=3 cpu=portable' out || fail "what differs is not listed"

# A word of another length moves every section; mapped back, the settings are those of before.
list rf --word trees=number_of_trees >renamed
compare same renamed >out && fail "a renamed word is not seen"
"$svforest" train -q -m rf t.csv -o a.svf
PYTHONPATH=$(dirname "$digests") "$python" -B - <<'PYTHON'
from pathlib import Path
from digests import old_words, sections

text = dict(sections(Path("a.svf").read_bytes()))["SETT"].decode()
renamed = old_words(text, [("trees", "number_of_trees")])
assert "\nnumber_of_trees=100\n" in renamed and "\nchoice_trees=3\n" in renamed
assert old_words(renamed, [("number_of_trees", "trees")]) == text
PYTHON
echo "digests: equal runs are equal, changed ones are not"
