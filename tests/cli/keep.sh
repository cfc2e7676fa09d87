#!/usr/bin/env bash
# predict --keep: columns of the input in front of the answers, as they are in the file.
. "$(dirname "$0")/lib.sh"

awk 'BEGIN { print "name,a,b,colour,class"
  for (i = 0; i < 60; i++) { a = (i * 7 % 23) / 23; b = i * 5 % 19
    name = i % 5 == 0 ? "" : i % 5 == 1 ? "\"Smith, \"\"J\"\" " i "\"" : i % 5 == 2 ? "00" i : i % 5 == 3 ? "NA" : "1.5" i "e0"
    printf "%s,%.3f,%d,%s,%s\n", name, a, b, (i % 7 ? i % 3 ? "red" : "blue" : ""), (a + b / 19 > 1 ? "yes" : "no") } }' >data.csv
works train -m ccf -q --drop name data.csv -o m.svf
works predict m.svf data.csv -o plain.csv
works predict m.svf data.csv --keep name --keep colour --keep b -o kept.csv

# cut out of the input by another program
cat >paste.py <<'PYTHON'
import csv, sys
table, answers, *names = sys.argv[1:]
rows = list(csv.DictReader(open(table)))
out = csv.reader(open(answers))
want = [names + next(out)] + [[row[n] for n in names] + answer for row, answer in zip(rows, out)]
assert list(csv.reader(sys.stdin)) == want, "kept columns differ"
PYTHON
check() { # ANSWERS NAME...: `out` is the named columns of data.csv, then the answers
  python3 paste.py data.csv "$@" <out || fail "$last: not the columns of the input and the answers"
}
cp kept.csv out
check plain.csv name colour b
for how in "" --proba --score --leaves; do
  # shellcheck disable=SC2086 # words
  works predict m.svf data.csv $how -o answers.csv
  works predict m.svf data.csv $how --keep a --keep 1 --keep class --keep a --threads 3
  check answers.csv a name class
done
grep -q '^,' kept.csv || fail "a blank cell is not blank"
grep -q '^002,' kept.csv || fail "a number is not as it was written"
grep -q '^NA,' kept.csv || fail "NA is not as it was written"

# gzip, standard input, another separator, --drop, a table without names, JSON
gzip -c data.csv >data.csv.gz
works predict m.svf data.csv.gz --keep name --keep colour --keep b
same out kept.csv
works predict m.svf - --keep name --keep colour --keep b <data.csv
same out kept.csv
python3 -c 'import csv, sys; csv.writer(sys.stdout, delimiter="\t", lineterminator="\r\n").writerows(csv.reader(open("data.csv")))' >data.tsv
works predict m.svf data.tsv --drop name --keep name --keep colour --keep b
same out kept.csv
works predict m.svf data.csv --keep name --json
python3 -c '
import csv, json
object = json.load(open("out"))
rows = list(csv.DictReader(open("data.csv")))
assert object["kept"] == {"name": [row["name"] or None for row in rows]} and len(object["predictions"]) == len(rows)
' || fail "predict --json: the kept column is not there"
works predict m.svf data.csv --keep name --keep colour --keep b --json -o again.csv
same again.csv kept.csv
numbers 60
sed 1d numbers.csv | awk -F, '{ print $1 "," $2 "," ($3 == "yes") }' >bare.csv
expect 0 train -m ccf bare.csv -o bare.svf
works predict bare.svf bare.csv --keep 2 --keep x1
[ "$(head -2 out | tail -1 | cut -d, -f 1-2)" = "$(head -1 bare.csv | awk -F, '{ print $2 "," $1 }')" ] || fail "columns by number"

# numbers: an interval, rows out of bag; LIBSVM; NPY
awk -F, 'NR == 1 { print "a,b,y" } NR > 1 { print $1 "," $2 "," $1 * $2 + 0.5 }' numbers.csv >values.csv
works train -q -m rf values.csv -o rf.svf
works predict rf.svf values.csv --interval 0.9 --keep y
[ "$(head -1 out)" = y,prediction,low,high ] || fail "the names of an interval"
works predict rf.svf values.csv --oob --keep b
[ "$(head -1 out)" = b,prediction ] || fail "the names out of bag"
awk 'BEGIN { for (i = 0; i < 40; i++) print i % 2, "1:" i * 7 % 11 / 4, "3:" i % 5 }' >t.libsvm
works train -m ccf -q t.libsvm -o libsvm.svf
works predict libsvm.svf t.libsvm --keep x2 --keep x1 --keep label
[ "$(sed -n 3p out | cut -d, -f 1-3)" = 0,1.75,1 ] || fail "columns of LIBSVM"
if python3 -c 'import numpy' 2>/dev/null; then
  python3 -c 'import numpy; numpy.save("t.npy", numpy.array([[i * 7 % 11 / 4, float("nan") if i % 3 else 0.1, i % 2] for i in range(40)]))'
  works train -m ccf -q t.npy -o npy.svf --drop 2
  works predict npy.svf t.npy --drop 2 --keep x2 --keep 1
  [ "$(sed -n 2,3p out | cut -d, -f 1-2)" = "$(printf '0.1,0\n,1.75')" ] || fail "columns of NPY"
fi

# a large file that is read in one walk, by several threads
awk 'BEGIN { print "id,x,class"; for (i = 0; i < 300000; i++) print "r" i "," i * 7 % 1000 / 1000 "," (i * 7 % 1000 > 500 ? "p" : "q") }' >large.csv
works train -q -m rf -s trees=2 -s max_depth=2 --drop id large.csv -o large.svf
works predict large.svf large.csv --keep id --threads 3 -o large.out
[ "$(cut -d, -f 1 large.csv | cksum)" = "$(cut -d, -f 1 large.out | cksum)" ] || fail "the rows of a large file"

refused 2 "no column 'nobody' for the columns to keep" predict m.svf data.csv --keep nobody
refused 2 "no column '9'" predict m.svf data.csv --keep 9
sed '1s/colour/prediction/; 1s/name/yes/' data.csv >clash.csv
works train -m ccf -q --drop yes clash.csv -o clash.svf
refused 2 "the answers is named 'prediction' too" predict clash.svf clash.csv --keep prediction
refused 2 "the answers is named 'yes' too" predict clash.svf clash.csv --keep yes --proba
works predict clash.svf clash.csv --keep yes
sed '1s/colour/a/' data.csv >twins.csv
refused 1 "columns 2 and 4 are both named 'a'" predict m.svf twins.csv --keep a
no_litter
finish
