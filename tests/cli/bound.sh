#!/usr/bin/env bash
# Random composite forests by the command: training, the bound of a model, what is refused.
. "$(dirname "$0")/lib.sh"

works synth classification -n 150 -d 4 --classes 3 -o c.csv
works train -m rcf -s trees=3 -s degrees=1,2 -s C=1 -s max_depth=2 c.csv
works info c.csv.svf --bound c.csv
[ "$(grep -c '^  *[1-3]  *[1-4]  *0\.' out)" -eq 3 ] || fail "info --bound: not a line per tree"
prints "^bound_families  *2\|^bound families  *2"
prints "criterion to compare by"
works info c.csv.svf --bound c.csv --json
cp out info.json
python3 -c '
import json
info = json.load(open("info.json"))
trees = info["bound_trees"]
assert len(trees) == 3 and all(t["bound"] >= t["error"] for t in trees)
for t in trees:
    terms = t["error"] + t["complexity"] + t["remainder"] + t["margin"] + t["confidence"]
    assert abs(terms - t["bound"]) < 1e-9
assert abs(info["bound"] - 2 * sum(t["bound"] for t in trees) / 3) < 1e-9
' || fail "info --bound --json: terms do not add up"
works info c.csv.svf --dump
prints "degree [12]"

head -100 c.csv >part.csv
refused 1 "150 rows" info c.csv.svf --bound part.csv
works synth classification -n 150 -d 4 --classes 3 --seed 7 -o other.csv
refused 1 "trained on: leaf" info c.csv.svf --bound other.csv
refused 2 "trained on" info c.csv.svf --bound
works train -m rf -s trees=2 -o rf.svf c.csv
refused 2 "leaf=constant" info rf.svf --bound c.csv
refused 2 "use leaf=kernel-svm" train -m rf -s pick=bound c.csv
refused 2 "use cut=best" train -m rcf -s cut=random c.csv
awk -F, -v OFS=, 'NR > 1 { $1 = $1 < 0 ? $1 - 1 : -1 - $1 } 1' c.csv >negative.csv
refused 1 "kernel=chi2" train -m chi2-svm -s scale=none negative.csv
works synth friedman1 -n 80 -o number.csv
for method in rcf rf-svm poly-svm; do
  refused 2 "-m ls-svm" train -m $method number.csv
done
works train -m ls-svm number.csv
works train -m tbrf-l number.csv
works train -m poly-svm -s folds=2 --task class c.csv
refused 2 "gamma_factors are for" train -m poly-svm -s gamma_factors=1,2 c.csv
finish
