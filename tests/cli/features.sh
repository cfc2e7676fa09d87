#!/usr/bin/env bash
# Features made of columns, weights of classes, several methods in one cross-validation.
. "$(dirname "$0")/lib.sh"

numbers 120
awk -F, 'NR == 1 { print "a,b,p,class" } NR > 1 { printf "%s,%s,%.17g,%s\n", $1, $2, $1 * $2, $3 }' numbers.csv >hand.csv
works train -m rsvt -q -s C=1 --feature 'p=a*b' numbers.csv -o made.svf
works train -m rsvt -q -s C=1 hand.csv -o hand.svf
works predict made.svf numbers.csv --proba
cp out made.out
works predict hand.svf hand.csv --proba
same made.out out
awk -F, '{ print $2 "," $1 "," $3 }' numbers.csv >turned.csv
works predict made.svf turned.csv --proba
same made.out out
works info made.svf
prints "^made feature  *p = a\*b$"
works info made.svf --json
prints '"p": "a\*b"'
works train -m rsvt --feature 'p=a*b' --feature 'r=distance(a=0.5,b=0.5)' numbers.csv
prints "made features  *2"
works info numbers.csv.svf --importance
prints "^r "
works info numbers.csv.svf --dump
refused 2 "no column 'c'" train -m ccf --feature 'p=a*c' numbers.csv
refused 2 "write NAME=A\*B" train -m ccf --feature 'p' numbers.csv
refused 2 "there is a column of that name" train -m ccf --feature 'a=b^2' numbers.csv
sed '1!s/^[^,]*/red/' numbers.csv >text.csv
refused 1 "column 'a' holds categories" train -m ccf --feature 'p=a*b' text.csv
refused 1 "the model needs numbers" predict made.svf text.csv

# weights of classes
works train -m rsvt --class-weight yes=3 numbers.csv -o w.svf
works info w.svf
prints "^class weight  *no = 1$"
prints "^class weight  *yes = 3$"
prints "class_weight  *given"
works info w.svf --json
prints '"yes": 3'
refused 2 "no class 'maybe'" train -m ccf --class-weight maybe=3 numbers.csv
refused 2 "NAME=WEIGHT" train -m ccf --class-weight yes numbers.csv
refused 2 "0 or more" train -m ccf --class-weight yes=inf numbers.csv
refused 2 "0 or more" train -m ccf --class-weight yes=-1 numbers.csv
refused 1 "class weights are all 0" train -m ccf --class-weight yes=0 --class-weight no=0 numbers.csv
refused 2 "0 or more" train -m ccf --class-weight yes=nan numbers.csv
refused 2 "class_weight=given" train -m ccf --class-weight yes=2 -s class_weight=balanced numbers.csv
refused 2 "class-weight" train -m ccf -s class_weight=given numbers.csv
awk -F, 'NR == 1 { print "a,b,y" } NR > 1 { print $1 "," $2 "," $1 + 0.5 }' numbers.csv >values.csv
refused 2 "the target is a number" train -m et --class-weight 1=2 --task regress -s leaf=constant -s vote=mean values.csv
refused 2 "rows=balanced" train -m et -s rows=balanced --task regress -s leaf=constant -s vote=mean values.csv

# a rare class is found more often when it weighs more, or bags are balanced
awk 'BEGIN { srand(1); print "a,b,class"; for (i = 0; i < 600; i++) { rare = i % 12 == 0; a = rand() + rare * 0.4; b = rand() + rare * 0.4
  print a "," b "," (rare ? "rare" : "common") } }' >rare.csv
recall() { # OPTION...: rows called rare
  works train -q -m rsvt-full -s leaf=constant -s rows=bootstrap -s min_leaf=5 -s trees=30 -s vote=mean "$@" rare.csv
  works predict rare.csv.svf rare.csv --oob
  grep -c '^rare' out
}
plain=$(recall -s class_weight=none)
for way in "--class-weight rare=11" "-s class_weight=balanced" "-s class_weight=none -s rows=balanced"; do
  # shellcheck disable=SC2086 # words
  [ "$(recall $way)" -gt "$((plain + 20))" ] || fail "$way: the rare class is not found more often than $plain times"
done

# one table of several methods, text labels, weights, made features
awk -F, 'NR == 1 { print $0 ",w" } NR > 1 { print $0 "," NR % 3 }' numbers.csv >weighted.csv
works cv -m linear-svm,rsvt,rsvt-full -k 3 --target class --weight w --feature 'p=a*b' --class-weight yes=2 weighted.csv
[ "$(grep -c '^\(linear-svm\|rsvt\|rsvt-full\)  *[01]\.[0-9]* [ *]  *0\.[0-9]* ' out)" -eq 3 ] || fail "cv: not a line per method"
prints "3 features, 2 classes"
works cv -m linear-svm,rsvt --target class --weight w --json weighted.csv
python3 -c '
import json
results = json.load(open("out"))["results"]
assert sorted(r["method"] for r in results) == ["linear-svm", "rsvt"] and all(len(r["scores"]) == 5 for r in results)
' || fail "cv --json: not two methods with five scores"
finish
