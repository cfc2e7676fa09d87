#!/usr/bin/env bash
# Columns of dates: trained on, asked for, shown, and what is refused.
. "$(dirname "$0")/lib.sh"

# A row every 7 hours in three years; yes: summer, before noon.
awk 'BEGIN { print "name,when,born,y"
  split("31 28 31 30 31 30 31 31 30 31 30 31", length_of, " ")
  for (i = 0; i < 1200; i++) {
    hour = i * 7; day = int(hour / 24); year = 2021 + int(day / 365); day %= 365; month = 1
    while (day >= length_of[month]) day -= length_of[month++]
    printf "n%d,%d-%02d-%02dT%02d:15:00Z,%s,%s\n", i % 3, year, month, day + 1, hour % 24,
      i % 9 ? "1999-12-" 10 + i % 20 : "", (month > 5 && month < 9 && hour % 24 < 12 ? "yes" : "no") } }' >dates.csv
works train -m rf -s trees=20 dates.csv -o dates.svf
prints 'dates  *2$'
prints 'categories  *1$'
works info dates.svf
prints 'encoded  *7$' # a category; days, month, weekday, hour; days, weekday
works cv -m rf -s trees=20 -k 3 --json dates.csv
python3 -c 'import json; assert json.load(open("out"))["results"][0]["mean"] > .99' || fail "month and hour were not found"
works info dates.svf --dump
prints 'when\[hour\] < '
prints 'when\[month\] >= '
prints 'born < 1999-12-[0-3][0-9]'
works info dates.svf --dump --json
prints '"part": "hour"'
works info dates.svf --importance
prints '^ *when '

# the same times in other words, and in another order
works predict dates.svf dates.csv --proba -o want.csv
sed 's/Z,/.000+00:00,/; s/T/ /' dates.csv >words.csv
works predict dates.svf words.csv --proba -o got.csv
same want.csv got.csv
awk -F, -v OFS=, '{ print $3, $2, $1 }' dates.csv >order.csv
works predict dates.svf order.csv --proba -o got.csv
same want.csv got.csv
works predict dates.svf dates.csv --keep when -o kept.csv
head -2 kept.csv | grep -q '^2021-01-01T00:15:00Z,' || fail "a kept date is not as it was"

# threads make no difference; a table without names is asked by place
for threads in 1 3; do works train -q -m ccf -s trees=3 --threads $threads dates.csv -o t$threads.svf; done
same t1.svf t3.svf
tail -n +2 dates.csv >bare.csv
expect 0 train -m rf -s trees=3 bare.csv -o bare.svf
works predict bare.svf bare.csv -o got.csv

# broken dates
sed '20s/,2021-01-06T/,2021-01-36T/' dates.csv >broken.csv
refused 1 "broken.csv:20: column 'when': '2021-01-36T06:15:00Z' is not a date; the model needs one" predict dates.svf broken.csv
expect 0 train -m rf -s trees=3 broken.csv
says "broken.csv:20: column 'when': '2021-01-36T06:15:00Z' is not a date. All but 1 of 1200 cells are dates"
prints 'dates  *1$'
works train -q -m rf -s trees=3 -s name_levels=1 broken.csv
sed '20s/,2021-01-06T06:15:00Z,/,,/' dates.csv >blank.csv
works predict dates.svf blank.csv -o got.csv
awk -F, -v OFS=, 'NR > 1 { $2 = NR } 1' dates.csv >numbers.csv
refused 1 "numbers.csv: column 'when': the model needs dates such as 2024-01-31, and these are numbers" predict dates.svf numbers.csv
works train -q -m rf -s trees=3 numbers.csv
refused 1 "dates.csv:2: column 'when': the model needs numbers, and these are dates" predict numbers.csv.svf dates.csv
expect 0 predict broken.csv.svf dates.csv -o got.csv
says '1 cell has a category that training did not know'

# other uses of the column
refused 1 "dates.csv:2: column 'when': the target is a date; make it a number" train -m ccf --target when dates.csv
refused 1 "dates.csv:2: column 'when': the target is a date" train -m et --target when --task regress dates.csv
refused 1 "column 'born': a row weight must be a number" train -m ccf --weight born dates.csv
works train -q -m rf -s trees=3 --id when dates.csv -o id.svf
works predict id.svf dates.csv
prints '^2021-01-01T00:15:00Z,'
works train -q -m rf -s trees=3 --feature 'age=distance(when=19000)' dates.csv -o made.svf
works predict made.svf dates.csv -o got.csv
# A column that is missing in every row, however it says so.
printf 'when,x,y\n' >days.csv
for day in $(seq 10 27); do echo "2021-01-$day,0.$day,$((day % 2))" >>days.csv; done
works train -m rf -s trees=2 -o days.svf days.csv
printf 'when,x\nNaT,0.5\n' >nat.csv
works predict days.svf nat.csv
[ "$(wc -l <out)" -eq 2 ] || fail "a missing date has no answer"
finish
