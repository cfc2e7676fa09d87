#!/usr/bin/env bash
# tune: the flags it prints give back its score in cv, with -o its model is that of train; budget, Ctrl-C, bad input, JSON.
. "$(dirname "$0")/lib.sh"
set -m # jobs in the background then get SIGINT as those in the foreground do

works synth moons -n 300 -o moons.csv
works synth friedman1 -n 200 -o values.csv

# value KEY: a number or text of the JSON in `out`
value() { sed -n "s/^  \"$1\": \"\\{0,1\\}\\([^\",]*\\)\"\\{0,1\\},\\{0,1\\}$/\\1/p" out | head -1; }

# flags of a search give back its score: same folds, same seed
again() {
  data=$1
  shift
  works tune "$@" --json "$data"
  best=$(value best)
  flags=$(sed -n 's/^  "flags": "\(.*\)",$/\1/p' out)
  folds=$(value folds)
  [ -n "$best" ] && [ -n "$flags" ] || fail "$last: no score or no flags"
  # shellcheck disable=SC2086 # words of the flags
  works cv $flags -k "$folds" --json "$data"
  grep -q "\"mean\": $best," out || fail "cv $flags: not the score $best"
}
again moons.csv -m rf -s trees=5 --candidates 6
again moons.csv -m rsvt -s trees=3 -k 3 --seed 7 --candidates 5 --search random
again values.csv -m tbrf-c -s trees=5 --search grid --try 'splits_per_row=0.1|0.5' --try 'tree_candidates=2|5'

# -q prints the flags alone; -o writes the model that train makes of them
works tune -q -m rf -s trees=4 --candidates 4 moons.csv -o tuned.svf
[ "$(wc -l <out)" -eq 1 ] || fail "-q: more than the flags"
flags=$(cat out)
# shellcheck disable=SC2086
works train -q $flags moons.csv -o trained.svf
same tuned.svf trained.svf
works tune -m rf -s trees=4 --candidates 4 moons.csv
prints "^untuned "
prints "^best "
prints "^tried  *4$"
prints "^-m rf -s trees=4"
"$svforest" tune -m rf -s trees=4 --candidates 4 moons.csv -o - >piped.svf 2>err || fail "-o -"
same tuned.svf piped.svf
says "^best"
# the same answer again, and for any number of threads
works tune -q -m rf -s trees=4 --candidates 9 --threads 1 moons.csv
mv out first
works tune -q -m rf -s trees=4 --candidates 9 --threads 3 moons.csv
same first out
# -v tells of every candidate on stderr
expect 0 tune -v -m rf -s trees=4 --candidates 4 moons.csv
[ "$(grep -c 'rows:' err)" -ge 4 ] || fail "-v: not a line per candidate"

# what was set by hand is not tried as well
refused 2 "min_leaf is both set and to be tried" tune -m rf -s min_leaf=100 -s trees=4 --try 'min_leaf=1|2' moons.csv

# combinations that do not go together are counted, with a reason
expect 0 tune -m tbrf-c --search grid -s trees=2 --try 'range=cell|data' --try 'oblique=yes|no' values.csv
prints "^tried  *3$"
prints "^refused  *1$"
says "1 combination does not go together and was left out: range is for"
expect 0 tune -m tbrf-c --json --search grid -s trees=2 --try 'range=cell|data' --try 'oblique=yes|no' values.csv
prints '"refused": 1,'
prints '"refusal": "range is for'
works tune --json --search grid -m rf -s trees=2 --try 'min_leaf=1|2' moons.csv
prints '"refused": 0,'

# a budget: over in time, says how many were tried
start=$SECONDS
works tune -m rf --budget 2 --search random --try 'trees=2|1000000' moons.csv
[ $((SECONDS - start)) -le 12 ] || fail "the budget was not kept"
prints "^tried  *1$"
prints "trees=2"
refused 1 "raise the budget" tune --budget 0.2 -m rf -s trees=1000000 moons.csv

# Ctrl-C: the best so far is printed and written, exit 0; nothing so far: as everywhere
"$svforest" tune -m rf --search grid --try 'trees=2|1000000' moons.csv -o best.svf >out 2>err &
pid=$!
busy $((3 * hertz / 2))
kill -s INT $pid || fail "over too soon"
wait $pid || fail "stopped: exit $?"
says "stopped; the best of 1"
prints "-s trees=2"
[ -s best.svf ] || fail "stopped: no model"
"$svforest" tune -m rf -s trees=1000000 moons.csv -o none.svf >out 2>err &
pid=$!
busy $hertz
kill -s INT $pid || fail "over too soon"
wait $pid
[ $? -eq 130 ] || fail "stopped with nothing: not 130"
says "stopped; nothing written"
absent none.svf

# without a method: many settings of several, together; the flags give the model again
works tune --effort 1 --json moons.csv -o committee.svf
prints '"method": "auto"'
prints '"left_out": 0'
count=$(value tried)
[ "${count:-0}" -gt 6 ] || fail "tune: only $count candidates"
works tune --effort 1 -q --threads 3 moons.csv
eval "works train -q $(cat out) moons.csv -o replayed.svf"
same committee.svf replayed.svf
works info committee.svf
expect 0 tune --effort 1 -v -q moons.csv
expect 0 tune --effort 1 -v values.csv
[ "$(grep -c '  et\| rf' err)" -ge 4 ] || fail "-v: not a line per candidate"
works tune --budget 0.01 moons.csv -o hurried.svf
works verify hurried.svf
"$svforest" tune --effort 9 -v moons.csv -o best.svf >out 2>err &
pid=$!
told ' ccf$' # the first candidate
kill -s INT $pid || fail "over too soon"
wait $pid || fail "stopped: exit $?"
says "stopped; the best of"
prints "^-m auto --plan"
works verify best.svf
for words in "--try trees=1|2" "--search grid" "--candidates 3" "-k 4"; do
  # shellcheck disable=SC2086
  refused 2 "is for the settings of one method: name it with -m" tune $words moons.csv
done
refused 2 "leave out -m rf" tune -m rf --effort 2 moons.csv

refused 2 "DATA" tune
refused 2 "NAME=VALUE|VALUE" tune -m ccf --try trees moons.csv
refused 2 "min_leaf" tune -m ccf --try 'min_leef=1|2' moons.csv
refused 2 "trees=x" tune -m ccf --try 'trees=1|x' moons.csv
refused 2 "twice" tune -m ccf --try 'trees=1|2' --try 'trees=3' moons.csv
refused 2 "no meaning" tune -m rf --try 'C=1|2' moons.csv
refused 2 "leaf=linear-svm classifies.*vote=majority" tune -m rsvt values.csv
refused 2 "is legal.*leaf=linear-svm classifies" tune -m rsvt --try 'trees=1|2' values.csv
refused 2 "budget" tune -m ccf --budget 0 moons.csv
refused 2 "budget" tune -m ccf --budget soon moons.csv
refused 2 "search" tune -m ccf --search luck moons.csv
refused 2 "folds" tune -m ccf -k 1 moons.csv
refused 2 "method" tune -m nothing moons.csv
refused 2 "json" tune -m ccf --json -o - moons.csv
refused 2 "input file and would be overwritten" tune -m ccf -o moons.csv moons.csv
refused 1 "nothing.csv" tune -m ccf nothing.csv
refused 1 "No such file" tune -m ccf -o nowhere/m.svf moons.csv
printf 'a,b\n1,2\n' >one.csv
refused 2 "folds" tune -m ccf one.csv
no_litter
finish
