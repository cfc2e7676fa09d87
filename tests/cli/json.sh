#!/usr/bin/env bash
# --json: one valid object with the promised keys, on every verb, whatever the names in the data are.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

# has EXPRESSION: the object in `out` is valid and the Python expression over it (o) is true
has() {
  python3 -c '
import json, sys
o = json.load(open("out", encoding="utf-8"), parse_constant=lambda name: 1 / 0)
sys.exit(not eval(sys.argv[1]))' "$1" 2>json.err || { cat json.err; fail "$last: not $1"; }
}

numbers 80
works train -m rsvt --json numbers.csv -o m.svf
has 'o["method"] == "rsvt" and o["task"] == "classification" and o["rows"] == 80 and o["features"] == 2'
has 'o["trees"] == 10 and o["leaves"] >= 10 and o["seconds"] >= 0 and o["read_seconds"] >= 0 and o["oob"] is None and o["categories"] == 0'
works train -m rsvt --json -q -s rows=bootstrap numbers.csv -o bag.svf
has '0.5 < o["oob"] <= 1'
works eval --json m.svf numbers.csv
has '0.5 < o["accuracy"] <= 1 and o["predict_seconds"] >= 0 and o["classes"] == ["no", "yes"]'
has 'sum(map(sum, o["confusion"])) == 80 and abs(sum(o["confusion"][i][i] for i in (0, 1)) / 80 - o["accuracy"]) < 1e-12'
has 'all(0 <= o[key] <= 1 for key in ("balanced_accuracy", "f1", "auc")) and o["log_loss"] > 0 and o["unknown_labels"] == 0'
works cv --json -m rsvt,linear-svm -k 4 numbers.csv
has 'sorted(r["method"] for r in o["results"]) == ["linear-svm", "rsvt"] and o["measure"] == "accuracy"'
has 'o["results"][0]["mean"] >= o["results"][1]["mean"]'
has 'all(len(r["scores"]) == 4 and abs(sum(r["scores"]) / 4 - r["mean"]) < 1e-12 and r["sd"] >= 0 and r["seconds"] >= 0 for r in o["results"])'
works cv -m rsvt --json --holdout 0.3 numbers.csv
has 'o["results"][0]["sd"] is None'
works predict --json m.svf numbers.csv
has 'len(o["predictions"]) == 80 and set(o["predictions"]) == {"no", "yes"} and o["unseen"] == 0'
works predict --json --proba m.svf numbers.csv
has 'all(abs(sum(row) - 1) < 1e-9 for row in o["predictions"])'
works predict --json m.svf numbers.csv -o answers.csv
has 'o["output"] == "answers.csv" and "predictions" not in o'
works info --json m.svf
has 'o["settings"]["trees"] == "10" and o["feature_names"] == ["a", "b"] and o["class_names"] == ["no", "yes"]'
has '"learned" not in o'
works train -q -m ls-svm -s metric=diagonal -s kernel=laplace numbers.csv -o learned.svf
works info --json --importance learned.svf
has '[o["learned"][key] for key in ("kernel", "metric", "scale")] == ["laplace", "diagonal", "robust"]'
has 'abs(sum(o["learned"]["weights"].values()) - 1) < 1e-12 and all(o["learned"]["weights"][r["feature"]] == r["metric"] for r in o["importance"])'
works info --importance learned.svf
prints "^weight in the metric$"
prints "^feature .* metric$"
works info --json --oob --dump bag.svf
has 'len(o["oob_trees"]) == 10 and len(o["forest"]) == 10 and o["leaves"] == sum(t["leaves"] for t in o["oob_trees"])'
has 'o["nodes"] == sum(len(t["nodes"]) for t in o["forest"])'
works verify --json m.svf
has 'o["verdict"] == "ok"'
works methods --json
has '{"rsvt", "rsvt-full", "linear-svm"} <= {m["name"] for m in o["methods"]} and len(o["settings"]) > 10 and len(o["kinds"]) > 5'
works methods --json rsvt
has 'o["settings"]["refused"] == "stop"'
works synth --json moons -n 10 -o moons.csv
has 'o["rows"] == 10'
works merge --json m.svf -o n.svf
has 'o["parts"] == 1'

printf 'a,y\n' >values.csv
awk 'BEGIN { for (i = 0; i < 80; i++) print i "," i * 0.5 + 0.25 }' >>values.csv
works train -m et --json -s leaf=constant -s vote=mean values.csv
has 'o["task"] == "regression"'
works eval --json values.csv.svf values.csv
has 'abs(o["rmse"] ** 2 - o["mse"]) < 1e-9 and o["mae"] >= 0 and o["r2"] > 0'

# names that need escapes, and bytes that are no UTF-8
printf 'a,b,class\n' >odd.csv
for i in 1 2 3 4 5 6; do printf '%d,%d,"say ""hi"" \\ back"\n%d,%d,\303\251t\303\251\n%d,%d,bad\377byte\n' $i 1 $i 2 $i 3 >>odd.csv; done
works train -m rsvt --json odd.csv
works train -m rsvt --json --target a --task class odd.csv -o text.svf
has 'o["features"] == 2 and o["categories"] == 1'
works eval --json odd.csv.svf odd.csv
has '"say \"hi\" \\ back" in o["classes"] and "\u00e9t\u00e9" in o["classes"] and "bad\ufffdbyte" in o["classes"]'
finish
