#!/usr/bin/env bash
# calibrate: intervals and sets of classes hold, merge drops the scores, and bad input is refused.
. "$(dirname "$0")/lib.sh"

for part in 1 2 3; do works synth friedman1 -n 400 --seed $part -o f$part.csv; done
# holds LEVEL: the truth is the last column of f3.csv.
holds() {
  paste -d, out f3.csv | awk -F, -v level="$1" 'NR > 1 { n++; held += $NF >= $2 && $NF <= $3 }
    END { off = held / n - level; exit off < -0.06 || off > 0.06 }' || fail "$last: the intervals do not hold"
}
for method in rf boost; do
  works train -q -m $method -s trees=30 -o $method.svf f1.csv
  works calibrate $method.svf f2.csv -o held.svf
  prints "^calibration rows  *400$"
  works predict held.svf f3.csv --interval 0.8
  holds 0.8
  works predict held.svf f3.csv --interval 0.95
  holds 0.95
done
works calibrate held.svf f3.csv -o again.svf --json
python3 -c 'import json; assert json.load(open("out"))["calibration_rows"] == 400' || fail "calibrate --json"
refused 2 "do not give a spread" predict boost.svf f3.csv --interval 0.9

# the same at training: 100 of 400 rows are held apart
for method in rf auto; do
  works train -m $method $([ $method = auto ] && echo --effort 1 || echo -s trees=30) -s interval=conformal -o at.svf f1.csv
  prints "^rows  *300$"
  prints "^calibration rows  *100$"
  works predict at.svf f3.csv --interval 0.8
  holds 0.8
done
works info at.svf
prints "^calibration rows  *100$"
works train -q -m rf -s trees=5 -s interval=conformal -s interval_fraction=0.5 -o at.svf f1.csv --json
python3 -c 'import json; o = json.load(open("out")); assert o["rows"] == o["calibration_rows"] == 200' || fail "train --json"
works train -q -m rf -s trees=3 -s interval=conformal -o p0.svf f1.csv
works train -q -m rf -s trees=3 -s first_tree=3 -s interval=conformal -o p1.svf f1.csv
expect 0 merge p0.svf p1.svf -o joined.svf
says "calibrate it"
works train -q -m rf -s trees=6 -s interval=conformal -o p2.svf f1.csv
expect 0 merge p2.svf -o one.svf
same joined.svf one.svf
refused 2 "is for interval=conformal" train -m rf -s interval_fraction=0.2 -o x.svf f1.csv
refused 2 "leave the weights out" train -m rf -s interval=conformal --weight 1 -o x.svf f1.csv
refused 2 "calibrate the finished model" partition -m rf -s partition_rows=100 -s interval=conformal -o x.cuts f1.csv
absent x.svf
absent x.cuts

works train -q -m rf -s trees=5 -o a.svf f1.csv
works train -q -m rf -s trees=5 -s first_tree=5 -o b.svf f1.csv
works calibrate -q a.svf f2.csv -o c.svf
expect 0 merge c.svf b.svf -o whole.svf
says "calibrate it"
works merge a.svf b.svf -o plain.svf
same whole.svf plain.svf

# few rows: the interval is everything, and a set has all classes
numbers 120
head -6 numbers.csv >few.csv
works train -q -m rf -s trees=5 -o rf.svf numbers.csv
expect 0 calibrate rf.svf few.csv -o few.svf
says "5 rows are few"
works predict few.svf few.csv --label-set 0.95
prints "^prediction,no,yes$"
prints "^[a-z]*,1,1$"
works calibrate rf.svf numbers.csv -o sets.svf
works predict sets.svf numbers.csv --label-set 0.5
prints "^yes,0,1$"
prints "^no,1,0$"

refused 2 "needs a calibrated model" predict rf.svf few.csv --label-set 0.9
refused 2 "needs a model of classes" predict held.svf f3.csv --label-set 0.9
refused 2 "exclude each other" predict sets.svf few.csv --label-set 0.9 --proba
refused 2 "exclude each other" predict sets.svf few.csv --label-set 0.9 --oob
refused 2 "must be a number between" predict sets.svf few.csv --label-set 1
refused 2 "with -o" calibrate rf.svf few.csv
refused 1 "no target" calibrate rf.svf f1.csv -o x.svf
refused 2 "would be overwritten" calibrate rf.svf few.csv -o rf.svf
awk -F, '{ print $0 "," NR }' few.csv >weighted.csv
refused 2 "leave the weights out" calibrate rf.svf weighted.csv --target class --weight 4 -o x.svf
absent x.svf
no_litter
finish
