#!/usr/bin/env bash
# The numbers of eval, computed again in plain Python from the predictions, with and without weights.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

cat >again.py <<'PYTHON'
import csv, json, math, sys

table, weighted = sys.argv[1], len(sys.argv) > 2
rows = list(csv.DictReader(open(table)))
said = [row["prediction"] for row in csv.DictReader(open("said.csv"))]
shares = [{name: float(p) for name, p in row.items()} for row in csv.DictReader(open("shares.csv"))]
truth = [row["class"] for row in rows]
weight = [float(row["w"]) if weighted else 1.0 for row in rows]
known = list(shares[0])
total = sum(weight)
n = range(len(rows))


def sum_where(condition):
    return sum(weight[i] for i in n if condition(i))


def name(i):  # labels that the model does not know are one class
    return truth[i] if truth[i] in known else None


def area(c):
    pairs = wins = 0.0
    for i in n:
        for j in n:
            if truth[i] == c and truth[j] != c and truth[j] in known:
                pairs += weight[i] * weight[j]
                a, b = shares[i][c], shares[j][c]
                wins += weight[i] * weight[j] * (1.0 if a > b else 0.5 if a == b else 0.0)
    return wins / pairs


classes = sorted({name(i) for i in n}, key=str)
recall = [sum_where(lambda i: name(i) == c and said[i] == c) / sum_where(lambda i: name(i) == c) for c in classes]
named = {name(i) for i in n} | set(said)
f1 = [2 * sum_where(lambda i: name(i) == c == said[i]) / (sum_where(lambda i: name(i) == c) + sum_where(lambda i: said[i] == c))
      for c in named]
areas = [area(c) for c in (known[1:] if len(known) == 2 else known)]
want = {
    "accuracy": sum_where(lambda i: truth[i] == said[i]) / total,
    "balanced_accuracy": sum(recall) / len(recall),
    "f1": sum(f1) / len(f1),
    "auc": sum(areas) / len(areas),
    "log_loss": sum(-weight[i] * math.log(max(shares[i].get(truth[i], 0), 1e-15)) for i in n) / total,
    "unknown_labels": sum(name(i) is None for i in n),
}
got = json.load(open("out"))
for key, value in want.items():
    if abs(got[key] - value) > 1e-9 * max(1, abs(value)):
        print(f"{key}: {got[key]}, should be {value}")
        sys.exit(1)
PYTHON

# check TABLE [weighted]
check() {
  works predict m.svf "$1" -o said.csv
  works predict --proba m.svf "$1" -o shares.csv
  expect 0 eval -q --json m.svf "$1" ${2:+--weight w}
  python3 again.py "$@" || fail "eval of $*"
}

awk 'BEGIN { print "a,b,w,class"; for (i = 0; i < 150; i++) { a = (i * 7 % 23) / 23; b = (i * 5 % 19) / 19
  print a "," b "," i % 4 + 0.5 "," (a + b > 1 + (i * 11 % 13 - 6) / 20 ? "yes" : "no") } }' >two.csv
awk 'BEGIN { print "a,b,w,class"; for (i = 0; i < 150; i++) { a = (i * 7 % 23) / 23; b = (i * 5 % 19) / 19
  print a "," b "," i % 4 + 0.5 "," (a + (i % 7) / 20 < 0.5 ? "p" : b < 0.5 ? "q" : "r") } }' >three.csv
for table in two three; do
  works train -m ccf --drop w $table.csv -o m.svf
  check $table.csv
  check $table.csv weighted
  sed '3,9s/[a-z]*$/other/' $table.csv >strange.csv
  check strange.csv
done

# the unit of the weights changes no measure
works train -m ccf --drop w two.csv -o m.svf
measures() { python3 -c '
import json
o = json.load(open("out"))
print(*(format(o[key], ".9f") for key in ("accuracy", "balanced_accuracy", "f1", "auc", "log_loss")))' >"$1" || fail "$last"; }
works eval --json --weight w m.svf two.csv
measures want
for unit in e300 e-310; do
  sed "2,\$s/,\([^,]*\),\([a-z]*\)$/,\1$unit,\2/" two.csv >units.csv
  works eval --json --weight w m.svf units.csv
  measures got
  same want got
done

printf 'a,y\n' >values.csv
awk 'BEGIN { for (i = 0; i < 90; i++) print i % 31 "," i * 0.5 + 0.25 * (i % 3) }' >>values.csv
works train -m et -s leaf=constant -s vote=mean values.csv -o v.svf
works predict v.svf values.csv -o said.csv
works eval --json v.svf values.csv
python3 - <<'PYTHON' || fail "eval of values"
import csv, json, sys
y = [float(row["y"]) for row in csv.DictReader(open("values.csv"))]
p = [float(row["prediction"]) for row in csv.DictReader(open("said.csv"))]
mean = sum(y) / len(y)
mse = sum((a - b) ** 2 for a, b in zip(y, p)) / len(y)
want = {"mse": mse, "rmse": mse ** 0.5, "mae": sum(abs(a - b) for a, b in zip(y, p)) / len(y),
        "r2": 1 - mse * len(y) / sum((a - mean) ** 2 for a in y)}
got = json.load(open("out"))
sys.exit(any(abs(got[key] - value) > 1e-9 * max(1, abs(value)) for key, value in want.items()))
PYTHON
finish
