#!/usr/bin/env bash
# LIBSVM text (from 0 and from 1) and NPY give what the same table in CSV gives.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { print "x1,x2,x3,class"; for (i = 0; i < 90; i++) print i * 7 % 23 "," i * 5 % 19 "," i % 4 "," (i * 7 % 23 + i * 5 % 19 > 20) }' >data.csv
works train -m ccf data.csv -o csv.svf
works predict csv.svf data.csv -o want.csv

for first in 0 1; do
  sed 1d data.csv | awk -F, -v f=$first '{ printf "%s", $4; for (j = 1; j <= 3; j++) if ($j != 0) printf " %d:%s", j - 1 + f, $j; print "" }' >data.libsvm
  works train -m ccf data.libsvm -o libsvm.svf
  prints "features  *3"
  works predict libsvm.svf data.libsvm -o got.csv
  same want.csv got.csv
  works eval libsvm.svf data.libsvm
  works train -m ccf --format libsvm - -o piped.svf <data.libsvm
  same libsvm.svf piped.svf
done

command -v python3 >/dev/null || finish
python3 - <<'PYTHON'
import csv, struct
rows = [[float(v) for v in row] for row in list(csv.reader(open("data.csv")))[1:]]
for name, kind, code, order in (("c8", "<f8", "d", False), ("f4", "<f4", "f", True), ("i4", "<i4", "i", False)):
    cells = [v for column in zip(*rows) for v in column] if order else [v for row in rows for v in row]
    head = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({len(rows)}, 4), }}"
    head += " " * (64 - (10 + len(head) + 1) % 64) + "\n"
    with open(name + ".npy", "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        out.write(struct.pack(f"<{len(cells)}{code}", *(int(v) if code == "i" else v for v in cells)))
PYTHON
for file in c8 f4 i4; do
  expect 0 train -m ccf $file.npy
  says "^$file.npy has no header"
  works predict $file.npy.svf $file.npy -o got.csv
  same want.csv got.csv
done
finish
