#!/usr/bin/env bash
# make.sh - a model of every method, with what it predicts, to be read by all later versions.
#   bash tests/models/make.sh /path/to/svforest tests/models/VERSION
# Run it once for a release, with the program of that release, and commit the folder. Never run it again for an old
# version: the files prove that its models can still be read (tests/cli/old_models.sh).
#
# The folder holds the training tables classes.csv, two.csv and numbers.csv, new rows in new.csv, and for each model
#   NAME-TABLE.svf            the model, trained on TABLE.csv
#   NAME-TABLE.labels         `predict` of the new rows: labels, or numbers
#   NAME-TABLE.proba          `predict --proba` of them, for classes
#   NAME-TABLE.interval       `predict --interval 0.9` of them, for numbers
#   NAME-TABLE.oob            `predict --oob` of TABLE.csv, for forests that draw their rows
set -eu
[ $# -eq 2 ] || { echo "usage: $0 /path/to/svforest FOLDER" >&2; exit 2; }
svforest=$(realpath "$1")
mkdir -p "$2"
cd "$2"

# table KIND ROWS SEED: numbers, one of them with missing values, a category with missing values, a column of two words; the
# target is three classes, two, or a number. New rows have no target, a category that training did not see, and other
# values missing.
table() {
  awk -v kind="$1" -v rows="$2" -v seed="$3" 'BEGIN {
    srand(seed)
    split("red,green,blue,," (kind == "new" ? "violet" : "red"), colour, ",")
    print "width,height,colour,lit" (kind == "new" ? "" : ",target")
    for (i = 0; i < rows; i++) {
      a = int(rand() * 1000) / 100; b = int(rand() * 1000) / 1000; c = 1 + int(rand() * 5); lit = rand() < 0.5
      y = a / 5 + b + (c == 2) - lit / 2 + rand() / 4
      target["classes"] = y < 1.2 ? "low" : y < 2 ? "mid" : "top"
      target["two"] = y < 1.6 ? "low" : "top"
      target["numbers"] = y
      print (kind == "new" && i % 7 == 2 ? "" : a) "," (i % 11 == 3 ? "NA" : b) "," colour[c] "," (lit ? "yes" : "no") \
        (kind == "new" ? "" : "," target[kind])
    } }'
}
for kind in classes two numbers; do table $kind 60 7 >$kind.csv; done
table new 40 8 >new.csv

# answers NAME-TABLE
answers() {
  local more="--proba" file=$1.proba
  [ "${1##*-}" = numbers ] && more="--interval 0.9" file=$1.interval
  "$svforest" predict -q "$1.svf" new.csv -o "$1.labels"
  # shellcheck disable=SC2086 # words
  "$svforest" predict -q $more "$1.svf" new.csv -o "$file"
  "$svforest" predict -q --oob "$1.svf" "${1##*-}.csv" -o "$1.oob" 2>/dev/null || true # rows=all has none
}

# model NAME-TABLE OPTION...: false if the method is not for that table
model() {
  "$svforest" train -q -s cpu=portable --seed 3 -o "$1.svf" "${@:2}" "${1##*-}.csv" && answers "$1"
}

for method in $("$svforest" methods --json | sed -n '1,/"cut"/s/^ *"name": "\(.*\)",$/\1/p'); do
  for data in classes numbers; do
    model "$method-$data" -m "$method" -s trees=3 || echo "no $method-$data"
  done
done

# what the format treats in a way of its own
model single-classes -m rsvt-full -s trees=3 -s precision=single
model single-numbers -m tbrf-g -s trees=2 -s precision=single
model made-classes -m rf -s trees=3 --feature 'square=width^2' --feature 'area=width*height' \
  --feature 'far=distance(width=3,height=0.5)'
model made-numbers -m et -s trees=3 --feature 'area=width*height'
model weighted-classes -m rsvt -s trees=3 --class-weight top=3 --class-weight low=0.5
model weighted-two -m linear-svm --class-weight top=3
model bagged-two -m rsvt-full -s trees=5 -s rows=bootstrap -s vote=weighted
model bagged-numbers -m rf -s trees=5 -s vote=weighted
model pairs-classes -m rsvt -s trees=2 -s multiclass=one-vs-one
model crammer-classes -m linear-svm -s multiclass=crammer-singer
model rbf-two -m rbf-svm
model oblique-numbers -m tbrf-l -s trees=2 -s oblique=yes
model vacant-numbers -m tbrf-c -s trees=2 -s cells=3 -s range=cell
model centres-numbers -m vp-svm -s cells=3
model quadratic-numbers -m random-projection -s trees=2 -s leaf=ls-svm -s leaf_features=quadratic -s min_leaf=12
model part-classes -m et -s trees=2 -s first_tree=5
