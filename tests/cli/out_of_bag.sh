#!/usr/bin/env bash
# Out-of-bag results and importances from a model and its training table: info, predict and eval agree.
. "$(dirname "$0")/lib.sh"

works synth classification -n 300 -d 5 -o c.csv
works train -m ccf -s rows=bootstrap -s trees=7 -s leaf=constant --json c.csv
oob=$(awk -F': ' '$1 ~ /"oob"/ { sub(",", "", $2); print $2 }' out)
works info c.csv.svf --oob
[ "$(grep -c '^  *[0-9]* *[0-9]* *[0-9]* *1 *0\.[0-9]*$' out)" -eq 7 ] || fail "info --oob: not a line per tree"
works info c.csv.svf c.csv --oob
[ "$(grep -c '^  *[0-9]* *[0-9]* *[0-9]* *1 *0\.[0-9]* *0\.[0-9]*$' out)" -eq 7 ] || fail "info --oob DATA: no curve"
prints "^oob  *0\."
works info c.csv.svf c.csv --oob --importance --json
cp out info.json
python3 -c '
import json, sys
info = json.load(open("info.json"))
oob = float(sys.argv[1])
assert abs(info["oob"] - oob) < 1e-12 and abs(info["oob_curve"][-1] - oob) < 1e-12
assert len(info["oob_curve"]) == 7 and len(info["oob_trees"]) == 7
assert abs(info["unshuffled_accuracy"] - oob) < 1e-12
features = info["importance"]
assert sorted(f["feature"] for f in features) == ["x%d" % i for i in range(1, 6)]
assert abs(sum(f["gain"] for f in features) - 1) < 1e-9 and all(f["leaf"] == 0 for f in features)
assert [f["permutation"] for f in features] == sorted((f["permutation"] for f in features), reverse=True)
assert all(f["permutation_sd"] >= 0 for f in features)
' "$oob" || fail "info --json: out of bag or importance is wrong"

# rows: blank where every tree saw the row; their share of right answers is the out-of-bag accuracy
works predict c.csv.svf c.csv --oob
paste -d, <(sed 1d out) <(sed 1d c.csv | sed 's/.*,//') | awk -F, -v oob="$oob" '$1 == "" { blank++; next }
  { n++; right += $1 == $2 } END { d = right / n - oob; exit !(d < 1e-9 && d > -1e-9 && blank > 0 && n + blank == 300) }' ||
  fail "predict --oob: not the out-of-bag answers"
works predict c.csv.svf c.csv --oob --proba
[ "$(wc -l <out)" -eq 301 ] || fail "predict --oob --proba: not 300 lines"
grep -qi nan out && fail "predict --oob --proba: prints nan"
works predict c.csv.svf c.csv --oob --json
prints "null"
works eval c.csv.svf c.csv --oob --json
awk -F': ' -v oob="$oob" '$1 ~ /"accuracy"/ { d = $2 - oob; good = d < 1e-9 && d > -1e-9 } END { exit !good }' out || fail "eval --oob: another accuracy"

# parts merged give the same
works train -m ccf -q -s rows=bootstrap -s trees=3 -s leaf=constant c.csv -o a.svf
works train -m ccf -q -s rows=bootstrap -s trees=4 -s first_tree=3 -s leaf=constant c.csv -o b.svf
works merge -q a.svf b.svf -o merged.svf
same merged.svf c.csv.svf

# another table, another order, no bags
(head -1 c.csv && sed 1d c.csv | tac) >turned.csv
refused 1 "not the table that the model was trained on" info c.csv.svf turned.csv --oob
refused 1 "not the table that the model was trained on" predict c.csv.svf turned.csv --oob
head -250 c.csv >short.csv
refused 1 "it had 300 rows, not 249" eval c.csv.svf short.csv --oob
works train -m ccf -q c.csv -o all.svf
refused 2 "rows=all" info all.svf c.csv --oob
refused 2 "for --oob, --importance or --bound" info all.svf c.csv
refused 2 "exclude" predict c.csv.svf c.csv --oob --leaves

# importance of a model alone, and on other rows
works info all.svf --importance
prints "^feature  *gain  *leaf$"
works info all.svf short.csv --importance -r 2 --seed 3
prints "permutation  *sd$"
cp out first
works info all.svf short.csv --importance -r 2 --seed 3 --threads 1
same first out

# rows weighted, values instead of classes
works synth friedman1 -n 200 -o f.csv
awk -F, 'NR == 1 { print $0 ",w" } NR > 1 { print $0 "," NR % 3 }' f.csv >fw.csv
works train -m et --target value --weight w -s leaf=constant -s vote=mean -s rows=subsample --json fw.csv
oob=$(awk -F': ' '$1 ~ /"oob"/ { sub(",", "", $2); print $2 }' out)
works eval fw.csv.svf fw.csv --weight w --oob --json
awk -F': ' -v oob="$oob" '$1 ~ /"mse"/ { d = $2 - oob; good = d < 1e-9 && d > -1e-9 } END { exit !good }' out || fail "eval --oob: another mse"
refused 1 "rows or weights" eval fw.csv.svf fw.csv --oob

# With leaves in single precision training and the file agree, too.
for method in ccf rsvt-full tbrf-g ls-svm metric-forest xrfm rf-svm; do
  works train -m $method -s rows=bootstrap -s trees=2 -s precision=single -o single.svf --json c.csv
  oob=$(awk -F': ' '$1 ~ /"oob"/ { sub(",", "", $2); print $2 }' out)
  works eval single.svf c.csv --oob --json
  awk -F': ' -v oob="$oob" '$1 ~ /"accuracy"/ { d = $2 - oob; good = d < 1e-2 && d > -1e-2 } END { exit !good }' out ||
    fail "eval --oob: another accuracy than in training, $method with precision=single"
done

# Rows that have chosen the cuts cannot judge the forest: that is said.
numbers 60
expect 0 train -m rsvf -s trees=3 numbers.csv -o m.svf
says "far too optimistic"
works train -m rf -s trees=3 numbers.csv -o m.svf
finish
