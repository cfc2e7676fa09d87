#!/usr/bin/env bash
# explain: base and contributions add up to what predict says, from a file or from the model's own background rows.
. "$(dirname "$0")/lib.sh"

# adds_up FILE FEATURES [BACK]: base and so many contributions in `out` add up to the column of the file, counted from its last.
adds_up() {
  paste -d, out "$1" | awk -F, -v features="$2" -v back="${3:-0}" '
    NR == 1 { for (i = NF; i > 0; i--) if ($i == "base") base = i; next }
    { sum = -$(NF - back); for (i = base; i <= base + features; i++) sum += $i; if (sum < -1e-12 || sum > 1e-12) bad = 1 }
    END { exit bad || NR < 2 }' || fail "$last: the contributions do not add up"
}

numbers 120
head -31 numbers.csv >few.csv
works train -q -m rf -s trees=10 -s background=20 -o rf.svf numbers.csv
works predict rf.svf few.csv --proba -o answers.csv
works explain rf.svf few.csv
prints '^base,a,b$'
adds_up answers.csv 2
works explain rf.svf few.csv --class no
adds_up answers.csv 2 1
cp out no.out
works explain rf.svf few.csv --class no --threads 1 -o no.csv
same no.csv no.out
works explain rf.svf few.csv --background few.csv --errors
prints '^base,a,b,a_error,b_error$'
adds_up answers.csv 2
works explain rf.svf few.csv --json --log-odds
python3 -c '
import json
e = json.load(open("out"))
assert e["explained"] == "log-odds" and e["class"] == "yes" and e["features"] == ["a", "b"]
assert len(e["contributions"]) == e["rows"] == 30 and e["background_rows"] == 20 and e["largest_error"] == 0
' || fail "explain --json: not what was asked for"

# a category and a made feature are one column each; ids come first
awk -F, 'NR == 1 { print "name,a,colour,class" } NR > 1 { print "n" NR "," $1 "," substr("red blu gry", 1 + 4 * (NR % 3), 3) "," $3 }' numbers.csv >mixed.csv
works train -q -m rsvt --id name --feature 'far=distance(a=0.5)' -s background=8 -s C=1 -o mixed.svf mixed.csv
works explain mixed.svf mixed.csv
prints '^name,base,a,colour,far$'
prints '^n2,[-0-9.e]*,[-0-9.e]*,[-0-9.e]*,[-0-9.e]*$'

# margins, sampling, committees
works train -q -m boost -s trees=10 -s stop_rounds=0 -s background=5 -o boost.svf numbers.csv
works predict boost.svf few.csv --score -o scores.csv
works explain boost.svf few.csv --margin
adds_up scores.csv 2
works synth friedman1 -n 60 -d 8 -o f.csv
works train -q -m random-projection -s trees=3 -s background=3 -o rp.svf f.csv
head -4 f.csv >f3.csv
expect 0 explain rp.svf f3.csv
says "standard error above"
works predict rp.svf f3.csv -o values.csv
expect 0 explain rp.svf f3.csv --permutations 2
adds_up values.csv 8
works explain rp.svf f3.csv -q
works train -q -m auto --effort 1 -s background=5 -o auto.svf numbers.csv
works predict auto.svf few.csv --proba -o answers.csv
works explain auto.svf few.csv
adds_up answers.csv 2

# refused
works train -q -m rf -s trees=2 -o plain.svf numbers.csv
refused 2 "background=N" explain plain.svf few.csv
refused 2 "no class 'maybe'" explain rf.svf few.csv --class maybe
refused 2 "exclude each other" explain rf.svf few.csv --log-odds --margin
refused 2 "sums of trees" explain rf.svf few.csv --margin
refused 2 "predicts a number" explain rp.svf f3.csv --log-odds
refused 2 "a model of classes" explain rp.svf f3.csv --class yes
refused 1 "column 'a' that the model needs is missing" explain rf.svf few.csv --background f.csv
refused 1 "that the model needs is missing" explain rf.svf f.csv
refused 2 "standard input" explain rf.svf - --background - <few.csv
refused 2 "2 permutations" explain rf.svf few.csv --permutations 1
refused 2 "whole number\|integer" train -m rf -s background=-1 numbers.csv
refused 1 "No such file" explain rf.svf few.csv -o none/where.csv
refused 2 "would be overwritten" explain rf.svf few.csv --keep 1 -o few.csv
absent none/where.csv
no_litter
finish
