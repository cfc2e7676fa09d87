#!/usr/bin/env bash
# Training in parts: whatever the chunks, the shares and their order, the model is that of one run; what does not belong
# together is refused by name.
. "$(dirname "$0")/lib.sh"

"$svforest" synth classification -n 700 -d 4 --classes 3 -o classes.csv -q
"$svforest" synth friedman1 -n 700 -d 5 -o numbers.csv -q
awk 'BEGIN { print "age,colour,when,rare,bought"; for (i = 0; i < 700; i++)
  print (i % 13 ? i * 7 % 101 : "") "," substr("redblugrn", 1 + 3 * (i * i % 3), 3) ",2024-01-" 1 + i % 28 "," \
  (i % 97 ? "usual" : "odd" i) "," (i * 37 % 101 + i % 3 * 20 > 60 ? (i % 90 ? 10 : 9) : 2) }' >mixed.csv

# chunks TABLE ROWS: TABLE.1.csv, TABLE.2.csv, ...
chunks() {
  rm -f "$1".[0-9]*.csv
  awk -v n="$2" -v name="$1" 'NR == 1 { head = $0; next } (NR - 2) % n == 0 { file = name "." ++k ".csv"; print head >file }
    { print >file }' "$1.csv"
}

# in_parts TABLE CHUNK SHARES THREADS OPTION...: the model parts.svf, through files
in_parts() {
  table=$1 rows=$2 shares=$3 threads=$4
  shift 4
  rm -f ./*.rows ./*.leaves
  chunks "$table" "$rows"
  files=$(ls "$table".[0-9]*.csv | sort -t. -k2n)
  # shellcheck disable=SC2086
  works partition -q --threads "$threads" "$@" -o t.cuts $files
  k=0
  for file in $files; do
    works route -q --threads "$threads" t.cuts "$file" --first $((k * rows)) -o "$k.rows"
    k=$((k + 1))
  done
  for i in $(seq "$shares"); do
    # shellcheck disable=SC2046
    works fit -q --threads "$threads" t.cuts $(ls ./*.rows | sort -R --random-source=t.cuts) --part "$i/$shares" -o "$i.leaves"
  done
  # shellcheck disable=SC2046
  works merge -q $(ls -r ./*.leaves) t.cuts -o parts.svf
}

for job in "classes -m rsvt-full" "classes -m rf -s background=20" "classes -m tbrf-g" "classes -m metric-forest -s metric_rows=100 -s cell_rows=120" \
  "classes -m xrfm -s direction_rows=100 -s cell_rows=60" \
  "numbers -m rf -s rows=subsample" "numbers -m vp-svm" "numbers -m tbrf-g -s vacancy=nn -s splits_per_row=0.05" \
  "mixed -m rf -s vote=weighted" "mixed -m tbrf-c -s cell_rows=100" "mixed -m rsvt-full" "mixed -m ccf -s precision=single"; do
  # shellcheck disable=SC2086
  set -- $job
  table=$1
  shift
  set -- "$@" -s trees=3 -s partition_rows=150 --seed 5
  works train -q --threads 2 "$@" -o whole.svf "$table.csv"
  in_parts "$table" 97 5 1 "$@"
  same whole.svf parts.svf
  in_parts "$table" 350 2 3 "$@"
  same whole.svf parts.svf
  works verify parts.svf
done

# Rows of weight 0 are in no leaf, in memory and in files.
awk -F, 'BEGIN { OFS = "," } { print $0, NR == 1 ? "w" : NR % 4 / 2 }' classes.csv >weighed.csv
set -- -m rsvt-full -s trees=3 -s partition_rows=150 --weight w --target 5
works train -q "$@" -o whole.svf weighed.csv
rm -f ./*.rows ./*.leaves
works partition -q "$@" -o t.cuts weighed.csv
works route -q --weight w --target 5 t.cuts weighed.csv -o 0.rows
works fit -q t.cuts 0.rows -o 1.leaves
works merge -q t.cuts 1.leaves -o parts.svf
same whole.svf parts.svf

# So many rows as there are, and more, are all.
for method in rsvt-full rf metric-forest; do
  works train -q -m "$method" -s trees=2 classes.csv -o all.svf
  works train -q -m "$method" -s trees=2 -s partition_rows=700 classes.csv -o same.svf
  same all.svf same.svf
done

# Out-of-bag rows are found again.
works train -q -m rf -s trees=20 -s partition_rows=300 classes.csv -o rf.svf
expect 0 info --oob rf.svf classes.csv
works train -q -m rf -s trees=20 -s partition_rows=300 numbers.csv -o rf.svf
expect 0 info --oob rf.svf numbers.csv

# What is refused.
in_parts classes 350 2 1 -m rf -s trees=2 -s partition_rows=150
refused 1 "leaves of cells .* are missing" merge t.cuts 2.leaves -o no.svf
refused 1 "are there twice" merge t.cuts 1.leaves 2.leaves 1.leaves -o no.svf
# Remarks on the table reach whoever trains in parts in memory.
awk 'BEGIN { print "a,b,y"; for (i = 0; i < 300; i++) print i % 7 "," (i % 40 == 1 ? 1e6 : i % 5) "," (i % 2 ? "x" : "y") }' >far.csv
expect 0 train -m rsvt-full -s partition_rows=100 -o far.svf far.csv
says "column 'b'"
refused 1 "rows 0 to 349 are missing" fit t.cuts 1.rows -o no.leaves
refused 1 "rows 0 to 349 are there twice" fit t.cuts 0.rows 0.rows 1.rows -o no.leaves
refused 1 "the table that the cuts come from has 700 rows" route t.cuts classes.2.csv --first 351 -o no.rows
refused 1 "not a model: it holds the cuts" predict t.cuts classes.csv
refused 1 "not a model: it holds rows" verify 0.rows
refused 1 "it holds a model" fit parts.svf 0.rows -o no.leaves
refused 1 "holds rows, and cuts are wanted" fit 0.rows 1.rows -o no.leaves
refused 2 "need the file of cuts" merge 1.leaves 2.leaves -o no.svf
refused 2 "is an input file and would be overwritten" route t.cuts classes.1.csv -o t.cuts
cp t.cuts other.cuts
cp 1.leaves other.kept
in_parts classes 350 2 1 -m rf -s trees=2 -s partition_rows=150 --seed 6
refused 1 "the rows belong to other cuts" fit other.cuts 0.rows 1.rows -o no.leaves
refused 1 "the leaves belong to other cuts" merge t.cuts other.kept 2.leaves -o no.svf
head -c 500 0.rows >short.rows
refused 1 "cut short" fit t.cuts short.rows 1.rows -o no.leaves
sed '3s/,[^,]*$/,/' classes.2.csv >blank.csv
refused 1 "row 352 has a target that is missing" route t.cuts blank.csv --first 350 -o no.rows
refused 1 "column 'x1' that the model needs is missing" route t.cuts mixed.csv -o no.rows
refused 1 "raise one_hot_levels" train -m rsvt-full -s one_hot_levels=3 -s partition_rows=150 mixed.csv -o no.svf
refused 2 "set partition_rows" partition -m rf classes.csv -o no.cuts
refused 2 "draws all 700 rows" partition -m rf -s partition_rows=700 classes.csv -o no.cuts
refused 1 "has other columns" partition -m rf -s partition_rows=150 classes.csv numbers.csv -o no.cuts
for method in rsvf rcf rf-svm linear-svm boost; do
  refused 2 "partition_rows" partition -m "$method" -s partition_rows=150 classes.csv -o no.cuts
done
refused 2 "must be I/N" fit t.cuts 0.rows --part 3/2 -o no.leaves
absent no.svf no.leaves no.rows no.cuts
no_litter
finish
