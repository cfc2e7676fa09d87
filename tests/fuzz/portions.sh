#!/usr/bin/env bash
# Makes the files of training in parts that fuzzing starts from, after a change of their format: portions.sh /path/to/svforest
set -eu
svforest=$(realpath "$1")
mkdir -p "$(dirname "$0")/corpus/portion"
corpus=$(realpath "$(dirname "$0")/corpus/portion")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$svforest" synth classification -n 240 -d 3 --classes 3 -o table.csv -q
# cuts NAME OPTION...
cuts() { "$svforest" partition -q -s partition_rows=100 -s trees=2 "${@:2}" -o "$corpus/$1.cuts" table.csv; }
cuts axis -m rf -s max_depth=3
cuts machine -m rsvt-full -s trees=1
cuts centres -m vp-svm -s cells=3 -s trees=1
cuts metric -m metric-forest -s cell_rows=120 -s metric_rows=60 -s trees=1
cuts vacant -m tbrf-c -s range=cell -s cell_rows=60
cuts nearest -m tbrf-c -s range=cell -s cell_rows=60 -s vacancy=nn -s trees=1
cuts whole -m rf
"$svforest" route -q "$corpus/whole.cuts" table.csv -o "$corpus/whole.rows"
"$svforest" fit -q "$corpus/whole.cuts" "$corpus/whole.rows" -o "$corpus/whole.leaves"
"$svforest" fit -q "$corpus/whole.cuts" "$corpus/whole.rows" --part 2/2 -o "$corpus/half.leaves"
