#!/usr/bin/env bash
# quickstart.sh - the command from data to answers, in a folder of its own that is removed at the end.
# usage: examples/quickstart.sh [PROGRAM]     PROGRAM: build/svforest unless given
set -euo pipefail
svforest=$(realpath "${1:-build/svforest}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Prints a command, then runs it.
run() {
  printf '\n$ svforest %s\n' "$*"
  "$svforest" "$@"
}

# 2,000 rows to learn from and 1,000 others of the same kind; any CSV with the target in its last column does.
run synth spirals -n 2000 --seed 1 -o train.csv
run synth spirals -n 1000 --seed 2 -o test.csv

# Which method? The same five folds for each.
run cv -m linear-svm,rsvt,rsvt-full train.csv

# Train, measure, predict.
run train -m rsvt-full -s trees=20 -o spirals.svf train.csv
run eval spirals.svf test.csv
run predict spirals.svf test.csv -o answers.csv
head -n 3 answers.csv
run predict spirals.svf test.csv --proba -o probabilities.csv
head -n 3 probabilities.csv

# Look inside, and check the file.
run info spirals.svf
run verify spirals.svf

# Two halves of the forest, as two machines might train them, joined into the same file.
run train -q -m rsvt-full -s trees=10 -o a.svf train.csv
run train -q -m rsvt-full -s trees=10 -s first_tree=10 -o b.svf train.csv
run merge a.svf b.svf -o both.svf
cmp both.svf spirals.svf && echo "both.svf and spirals.svf are the same"
