#!/usr/bin/env bash
# --id: a column that names the rows is no feature, stays in the model's memory, and comes first in its answers.
. "$(dirname "$0")/lib.sh"

numbers 80
awk -F, 'NR == 1 { print "key,a,b,\"two\\\nlines\",class" } NR > 1 { print "k" NR "," $1 "," $2 ",t" NR "," $3 }' numbers.csv >data.csv
two=$(printf 'two\\\nlines')
works train -m ccf -q numbers.csv -o plain.svf
works predict plain.svf numbers.csv -o plain.csv
works train -m ccf -q --drop key --drop 4 data.csv -o dropped.svf
same plain.svf dropped.svf # without ids the bytes are what they were
works train -m ccf -q --id "$two" --id key data.csv -o m.svf
works verify m.svf
works predict m.svf data.csv -o got.csv
python3 -c '
import csv
data, got, plain = [list(csv.reader(open(name, newline=""))) for name in ("data.csv", "got.csv", "plain.csv")]
assert got == [[d[0], d[3], *p] for d, p in zip(data, plain)], got[:3]
' || fail "predict: not the ids and the answers"
works predict m.svf data.csv --proba
[ "$(sed -n 3p out | cut -d, -f 1-2)" = k2,t2 ] || fail "ids before probabilities"
works predict m.svf data.csv --keep b --keep key -q
[ "$(sed -n 3p out | cut -d, -f 1-3)" = "k2,t2,$(sed -n 2p numbers.csv | cut -d, -f 2)" ] || fail "ids come before what is kept, each once"
works predict m.svf data.csv --drop key --drop 4
same out plain.csv
expect 0 predict m.svf numbers.csv
says "no column 'key'"
same out plain.csv
works eval m.svf data.csv
cp out with
works eval plain.svf numbers.csv
[ "$(grep accuracy with)" = "$(grep accuracy out)" ] || fail "eval is not as without ids"
works info m.svf
prints "^id  *key$"
works info m.svf --json
prints '"ids": \["key", "two\\\\\\u000alines"\]'
works info m.svf data.csv --importance
works predict m.svf data.csv --json
prints '"key": \["k2", "k3"'

# the same in cv and tune; in parts
works cv -k 3 -m rf --id key --id 4 data.csv --json
prints '"features": 2'
works tune -q -m rf -k 2 --try 'min_leaf=1|5' --id key --drop 4 -o tuned.svf data.csv
works predict tuned.svf data.csv
[ "$(head -1 out)" = key,prediction ] || fail "tune forgets the id"
for part in 0 3; do works train -q -m rf -s trees=3 -s first_tree=$part --id key --drop 4 data.csv -o part$part.svf; done
works train -q -m rf -s trees=6 --id key --drop 4 data.csv -o one.svf
works merge part3.svf part0.svf -o merged.svf
same one.svf merged.svf
works train -q -m rf -s trees=3 -s first_tree=3 --drop key --drop 4 data.csv -o other.svf
refused 1 "their ids differ" merge part0.svf other.svf -o x.svf

# a table without names: by place
sed 1d numbers.csv | awk -F, '{ print $1 "," 1000 + NR "," $2 "," ($3 == "yes") }' >bare.csv
expect 0 train -m ccf -q --id 2 bare.csv -o bare.svf
works predict bare.svf bare.csv
[ "$(sed -n 1,2p out | cut -d, -f 1)" = "$(printf 'x2\n1001')" ] || fail "an id without a name"
cp out want
works eval bare.svf bare.csv
cut -d, -f 1-3 bare.csv >blind.csv # without the target
works predict bare.svf blind.csv
same out want
cut -d, -f 1,3 bare.csv >less.csv # without the id as well
expect 0 predict bare.svf less.csv
says "no column 'x2'"
cut -d, -f 2 want >answers
same out answers

refused 2 "no column 'nobody' for the ids" train -m ccf --id nobody data.csv
refused 2 "cannot be both" train -m ccf --id key --drop key data.csv
refused 2 "cannot be both" train -m ccf --id class --target class data.csv
refused 2 "unknown option --id; it is an option of 'train'" predict m.svf data.csv --id key
absent x.svf
no_litter
finish
