#!/usr/bin/env bash
# Columns of true and false are numbers, whatever their spelling; labels keep theirs, and eval knows them by any.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { print "a,flag,class"; for (i = 0; i < 60; i++) { f = i % 3 == 0; a = (i * 7 % 23) / 23;
  print a "," (f ? "True" : "False") "," ((f && a < .5) || (!f && a > .6) ? "True" : "False") } }' >python.csv
awk -F, -v OFS=, 'NR > 1 { $2 = tolower($2); $3 = tolower($3) } 1' python.csv >small.csv
awk -F, -v OFS=, 'NR > 1 { $2 = $2 == "True"; $3 = toupper($3) } 1' python.csv >numbers.csv
works train -m rf -s trees=5 python.csv -o python.svf
works predict python.svf python.csv --proba -o want.csv
works eval python.svf python.csv
grep -v seconds out >want.txt
for file in small.csv numbers.csv; do
  works predict python.svf $file --proba -o got.csv
  same want.csv got.csv
  works eval python.svf $file
  grep -v seconds out >got.txt
  same want.txt got.txt
  works train -m rf -s trees=5 $file -o other.svf
  works predict other.svf python.csv --proba -o got.csv
  tail -n +2 want.csv >want.rows && tail -n +2 got.csv >got.rows # their headers name the classes
  same want.rows got.rows
done

# another word makes it a column of categories, and a label that is neither stays unknown
sed '3s/,False,/,maybe,/' python.csv >maybe.csv
refused 1 "maybe.csv:2: column 'flag': the model needs numbers" predict python.svf maybe.csv
works train -m rf -s trees=5 maybe.csv -o maybe.svf
works predict maybe.svf python.csv -o got.csv

finish
