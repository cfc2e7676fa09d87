#!/usr/bin/env bash
# Makes the model files that fuzzing starts from, after a change of the format: models.sh /path/to/svforest
set -eu
svforest=$(realpath "$1")
corpus=$(realpath "$(dirname "$0")/corpus/model")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$svforest" synth moons -n 24 -o moons.csv >/dev/null
"$svforest" synth classification -n 40 -d 3 --classes 3 -o three.csv >/dev/null
"$svforest" synth friedman1 -n 20 -o values.csv >/dev/null
awk 'BEGIN { print "age,sex,colour,bought"; for (i = 0; i < 24; i++)
  print i * 7 % 11 "," (i % 3 ? "f" : "m") "," substr("red  blueNA   ", 1 + 5 * (i % 3), 4) "," (i * 5 % 8 > 3 ? "yes" : "no") }' >mixed.csv
sed 's/,A   ,/,,/' mixed.csv >missing.csv
awk -F, 'NR == 1 { print "name," $0 } NR > 1 { print "n" NR "," $0 }' mixed.csv >named.csv

awk 'BEGIN { print "when,born,size,kind"; for (i = 0; i < 40; i++)
  printf "2024-%02d-%02dT%02d:30Z,1990-01-%02d,%d,%s\n", 1 + i % 12, 1 + i * 3 % 28, i * 5 % 24, 1 + i % 28, i * 7 % 11,
    (i * 5 % 24 > 12 ? "late" : "early") }' >dates.csv

# model NAME DATA OPTION...
model() { "$svforest" train -q -o "$corpus/$1" "${@:3}" "$2"; }
model linear moons.csv -m rsvt-full -s trees=2 -s C=1
model machine three.csv -m linear-svm -s C=1
model pairs three.csv -m rsvt -s trees=1 -s multiclass=one-vs-one -s C=1
model mean mixed.csv -m rsvt-full -s leaf=constant -s vote=weighted -s rows=bootstrap -s trees=3
model single moons.csv -m rsvt-full -s trees=2 -s C=1 -s precision=single
model regression values.csv -m rsvt -s leaf=constant -s vote=mean -s trees=2
model made mixed.csv -m rsvt-full -s leaf=constant -s trees=2 --feature 'square=age^2' --feature 'far=distance(age=3)' \
  --class-weight yes=2
model ids mixed.csv -m rf -s trees=1 --id age --id colour
model left_out named.csv -m rf -s trees=1
model indicated missing.csv -m linear-svm -s C=1
model statistics mixed.csv -m rsvt-full -s leaf=constant -s trees=2 -s one_hot_levels=2
model dates dates.csv -m rsvt-full -s leaf=constant -s trees=2 --feature 'square=born^2'
model squares values.csv -m random-projection -s trees=2 -s leaf=ls-svm -s min_leaf=6
model gauss values.csv -m tbrf-g -s trees=2 -s cells=2
model metric values.csv -m ls-svm -s kernel=laplace -s metric=full -s metric_rounds=1
model weighed three.csv -m metric-forest -s trees=2 -s cell_rows=15 -s metric=diagonal -s kernel=manhattan -s scale=standard
model owned three.csv -m xrfm -s cell_rows=15 -s metric_rounds=1 -s metric_judges=0 -s widths=1 -s C=10
model owned-single values.csv -m xrfm -s metric=diagonal -s precision=single -s metric_rounds=1 -s widths=1 -s C=10
model vacant values.csv -m tbrf-c -s trees=2 -s cells=2 -s range=cell
model centres values.csv -m vp-svm -s cells=3
model pure three.csv -m rf -s trees=2
model vectors three.csv -m rbf-svm -s C=1
model committee moons.csv -m auto --plan 'effort=1 task=class folds=2 repeats=1; rf trees=2; ccf trees=2'
model background mixed.csv -m rf -s trees=1 -s background=4
model background-committee moons.csv -m auto -s background=3 --plan 'effort=1 task=class folds=2 repeats=1; rf trees=1; ccf trees=1'
model plain values.csv -m rf -s trees=1
"$svforest" calibrate -q "$corpus/plain" values.csv -o "$corpus/calibrated" && rm "$corpus/plain"
model folded moons.csv -m rcf -s trees=2 -s degrees=1,2 -s C=0.1 -s max_depth=1 -s precision=double
