#!/usr/bin/env bash
# Names of hundreds of bytes, in UTF-8, and with line breaks do not break tables; JSON has them whole.
. "$(dirname "$0")/lib.sh"

python3 - <<'PYTHON'
import csv
names = ["long_" * 60 + "first", "long_" * 60 + "second", "größe_" * 30, "日本語の列" * 20, "two\nlines\tand\x01more", "b"]
with open("data.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow([*names, "class"])
    for i in range(80):
        row = [i * (7 + j) % 23 for j in range(6)]
        out.writerow([*row, "größer als " * 20 if row[0] + row[5] > 22 else "kleiner\nals"])
PYTHON
works train -q -m rf -s trees=5 data.csv --feature 'p=b^2' -o m.svf
works info m.svf --importance
python3 -c '
lines = open("out", encoding="utf-8").read().split("\n\nfeature ")[1].splitlines()
assert len(lines) == 8, lines
assert {len(line) for line in lines[1:]} == {48 + 11 + 11} and len(lines[0]) + len("feature ") == 70, [len(x) for x in lines]
names = [line[:48].rstrip() for line in lines[1:]]
assert len(set(names)) == 7 and any(n.endswith("first") for n in names) and any(n.endswith("second") for n in names), names
assert "two\\nlines\\tand\\x01more" in names
' || fail "info --importance: the table is broken"
works info m.svf data.csv --importance
works eval m.svf data.csv
python3 -c '
lines = open("out", encoding="utf-8").read().split("per prediction)\n")[1].splitlines()
assert len(lines) == 3 and {len(line) for line in lines} == {34}, lines
' || fail "eval: the confusion table is broken"
works info m.svf --json --importance
python3 -c '
import csv, json
info = json.load(open("out"))
names = next(csv.reader(open("data.csv", newline="")))[:-1] + ["p"]
assert info["feature_names"] == names and {row["feature"] for row in info["importance"]} == set(names)
' || fail "info --json: names are cut"
works cv -m rf,et -s trees=2 -k 2 data.csv
works train -q -m rf data.csv --target "$(printf 'two\nlines\tand\001more')" --task regress -o t.svf
works info t.svf
prints '^target  *two\\nlines\\tand\\x01more$'
finish
