#!/usr/bin/env bash
# Every verb does its job and says so; -h of every verb has an example.
. "$(dirname "$0")/lib.sh"

works
prints "usage: svforest VERB"
works --version
prints "svforest [0-9]"
for verb in train predict eval report cv tune info merge export verify methods synth demo help; do
  works $verb -h
  prints "usage: svforest $verb"
  prints "^example"
  works help $verb
  works $verb --version
done
works help man
prints "^.TH SVFOREST 1"
prints "min_leaf_factor"

works synth moons -n 400 -o moons.csv --seed 3
prints "rows  *400"
[ "$(wc -l <moons.csv)" -eq 401 ] || fail "synth: not 400 rows"
works synth twonorm -n 50 -d 4 -o norm.csv
prints "bayes risk"

works train -m rsvt moons.csv
for key in "method  *rsvt" "task  *classification" "rows  *400" "features  *2" "classes  *2" "trees  *10" leaves "seconds" \
  "worst gap" "unconverged  *0" "model  *moons.csv.svf"; do prints "$key"; done
works train -m rsvt -q moons.csv -o quiet.svf
[ -s out ] && fail "train -q: prints"
same moons.csv.svf quiet.svf
works train -m rsvt-full -s trees=3 --set=min_leaf_factor=2 --seed 5 moons.csv -o full.svf
works info full.svf
prints "method  *rsvt-full"
prints "trees  *3"
prints "min_leaf_factor  *2"
prints "seed  *5"

works predict moons.csv.svf moons.csv
[ "$(head -1 out)" = prediction ] || fail "predict: header"
[ "$(wc -l <out)" -eq 401 ] || fail "predict: not 400 lines"
[ "$(sed 1d out | sort -u | tr '\n' ' ')" = "0 1 " ] || fail "predict: not the class names"
works predict moons.csv.svf moons.csv --proba
[ "$(head -1 out)" = "0,1" ] || fail "predict --proba: header"
sed 1d out | awk -F, '($1 < 0 || $2 < 0 || $1 + $2 < 0.999999 || $1 + $2 > 1.000001) { exit 1 }' || fail "predict --proba: no probabilities"
works predict moons.csv.svf moons.csv --score
[ "$(head -1 out)" = "0,1" ] || fail "predict --score: header"
works predict full.svf moons.csv --leaves
[ "$(head -1 out)" = "tree_1,tree_2,tree_3" ] || fail "predict --leaves: header"
sed 1d out | awk -F, '($1 < 1 || $2 < 1 || $3 < 1 || NF != 3) { exit 1 }' || fail "predict --leaves: not numbers from 1"

works eval moons.csv.svf moons.csv
for key in accuracy "balanced accuracy" f1 auc "log loss" confusion; do prints "$key"; done
awk '$1 == "accuracy" && $2 > 0.8 { found = 1 } END { exit !found }' out || fail "eval: moons below 0.8"

works cv -m rsvt,linear-svm -k 3 -r 2 -s C=1 moons.csv
prints "^rsvt  *0\."
prints "^linear-svm  *0\."
cp out first
expect 0 cv -m rsvt,linear-svm -k 3 -r 2 -s C=1 moons.csv
[ "$(cut -c1-36 first)" = "$(cut -c1-36 out)" ] || fail "cv: not repeatable"
prints "^400 rows, 2 features, 2 classes; 3 folds, 2 times; \\* is the best: the highest accuracy$"
best=$(awk 'NR > 3 && $2 > most { most = $2; name = $1 } END { print name }' out)
[ "$(awk '$3 == "*" { print $1 }' out)" = "$best" ] || fail "cv: the best, $best, is not marked"
works cv -m rsvt --holdout 0.25 moons.csv
prints "; 0.25 of the rows held out$"

works info full.svf --oob
prints "  *3 .*-$"
works info full.svf --dump
prints "^tree 1:"
prints "^tree 3:"
prints "x[12] < "
prints "x[12] >= "
prints "leaf 1, [0-9]* rows: "
works verify full.svf
works methods
for word in rsvt-full linear-svm majority max-confidence min_leaf_factor "^cut" "^leaf" "^pick" "^vote"; do prints "$word"; done
works methods rsvt
prints "thesis"
prints "refused  *stop"

printf 'a,y\n1,x\n2,z\n3,x\n' >words.csv
printf 'a,y\n' >values.csv
awk 'BEGIN { for (i = 0; i < 80; i++) print i "," i * 0.5 + 0.25 }' >>values.csv
works train -m et -s leaf=constant -s vote=mean values.csv
prints "task  *regression"
works eval values.csv.svf values.csv
for key in mse rmse mae r2; do prints "^$key"; done
refused 2 "class" predict values.csv.svf values.csv --proba
works predict values.csv.svf values.csv --score
[ "$(head -1 out)" = prediction ] || fail "predict --score of a regression: header"
works train --effort 1 values.csv # without -m: auto, for both tasks
prints "method  *auto"
prints "task  *regression"
works train --effort 1 -q moons.csv -o usual.svf
works train -m auto --effort 1 -q moons.csv -o named.svf
same usual.svf named.svf
works cv -k 3 --effort 1 moons.csv
prints "^auto "
works train -m tbrf-c values.csv
works predict values.csv.svf values.csv --interval 0.9
[ "$(head -1 out)" = prediction,low,high ] || fail "predict --interval: header"
awk -F, 'NR > 1 && !($2 <= $1 && $1 <= $3) { exit 1 }' out || fail "predict --interval: not around the prediction"
works train -m rf -s rows=all -s trees=1 -o one.svf values.csv
expect 0 predict one.svf values.csv --interval 0.9
says "80 of 80 intervals have no width"
expect 0 predict -q one.svf values.csv --interval 0.9 --json
prints '"without_width": 80,'
works train -m rf -s rows=all -s trees=1 -s min_leaf=5 -o one.svf values.csv
works predict one.svf values.csv --interval 0.9
awk -F, 'NR > 1 && !($2 < $1 && $1 < $3) { exit 1 }' out || fail "predict --interval: no width with one tree"
refused 2 "exclude" predict values.csv.svf values.csv --interval 0.9 --score
refused 2 "interval" predict values.csv.svf values.csv --interval 1
refused 2 "proba" predict full.svf moons.csv --interval 0.9
works cv -m et -k 3 -s trees=5 values.csv
prints "^et "
works train -m vp-svm -s cells=4 -o cells.svf values.csv
works info cells.svf --dump
prints "nearest to centre 4 of 4: leaf 4, "
refused 1 "target of a regression must be a number" train -m et --task regress words.csv

refused 1 "moons.csv: is not a directory" demo -o moons.csv

# values of options: what they must be
refused 2 "folds 0: must be an integer in 1" cv -m ccf -k 0 moons.csv
refused 2 "threads -1: must be an integer in 0" train -m ccf --threads -1 moons.csv
refused 2 "holdout 1: must be a number between 0 and 1" cv -m ccf --holdout 1 moons.csv
refused 2 "budget inf: must be a number above 0" tune -m ccf --budget inf moons.csv
refused 2 "format xml: must be csv|libsvm|npy" train -m ccf --format xml moons.csv
works demo -o pictures
prints "spirals"
for picture in regions tree; do
  grep -q '</svg>' "pictures/$picture.svg" || fail "demo: no $picture.svg"
done
finish
