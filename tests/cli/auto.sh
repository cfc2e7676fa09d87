#!/usr/bin/env bash
# The method auto: options, the plan in the model, members, what is refused.
. "$(dirname "$0")/lib.sh"

works synth classification -n 150 -d 6 --classes 3 -o data.csv
plan='effort=2 task=class folds=3 repeats=1; rf trees=4; ccf trees=3; et trees=5'
works train -m auto --plan "$plan" data.csv -o model.svf --json
grep -q '"method": "auto"' out || fail "the report names another method"
grep -q "\"plan\": \"$plan\"" out || fail "the report has another plan"
grep -q '"members": \[' out || fail "the report lists no members"
grep -q '"member": 1,' out || fail "the report does not number the members"
grep -q '"left_out": \[\]' out || fail "the report does not say that nothing was left out"

# The plan of the model makes it again, whatever the threads and the effort.
works info model.svf --json
found=$(sed -n 's/^ *"plan": "\(.*\)",$/\1/p' out)
[ "$found" = "$plan" ] || fail "the model has another plan: $found"
works train -m auto --effort 9 --threads 3 --plan "$found" data.csv -o again.svf
same model.svf again.svf

# It answers, by the largest probability; single members do, too.
works predict model.svf data.csv -o labels.csv
works predict model.svf data.csv --proba -o proba.csv
awk -F, 'NR == FNR { label[FNR] = $1; next }
  FNR == 1 { for (c = 1; c <= NF; c++) name[c] = $c; next }
  { best = 1; for (c = 2; c <= NF; c++) if ($c > $best) best = c; if (name[best] != label[FNR]) wrong++ }
  END { exit wrong > 0 }' labels.csv proba.csv || fail "a label is not that of the largest probability"
works eval model.svf data.csv
works verify model.svf
works info model.svf --importance
works predict model.svf data.csv --member 1 --leaves
works info model.svf --member 1 --dump
member=$("$svforest" info model.svf | sed -n 's/^ *\([0-9]*\) .* rf trees=4$/\1/p') # a bootstrap, so rows are left out
expect 0 info model.svf data.csv --member "${member:-1}" --oob
prints "trees so far\|oob"
works predict model.svf data.csv --member "${member:-1}" --oob -o oob.csv
refused 2 "add --member" info model.svf data.csv --oob
refused 2 "the committee has" predict model.svf data.csv --member 9
refused 2 "add --member" info model.svf --dump
refused 2 "ask one of its members" predict model.svf data.csv --leaves
refused 2 "cannot be merged" merge model.svf again.svf -o merged.svf

# What belongs to a method, or to a committee, is refused with the other.
for what in "train -o no.svf" cv; do
  # shellcheck disable=SC2086 # a verb and its options
  refused 2 "auto chooses trees .* name a method with -m" $what -s trees=5 data.csv
  # shellcheck disable=SC2086
  refused 2 "--effort is for a committee.* use -m auto" $what -m rf --effort 3 data.csv
done
refused 2 "use -m auto" train -m rf --effort 3 data.csv -o no.svf
refused 2 "integer in 1..9" train -m auto --effort 10 data.csv -o no.svf
refused 2 "a plan begins with" train -m auto --plan rf data.csv -o no.svf
refused 2 "aim=mse" train -m auto -s aim=mse data.csv -o no.svf
works train -m rf -s trees=2 data.csv -o forest.svf
refused 2 "this model is one forest" predict forest.svf data.csv --member 1

# A budget that is too small still gives a model.
works train -m auto --budget 0.01 data.csv -o hurried.svf
works predict hurried.svf data.csv

# Ctrl-C: what has finished is the model.
set -m
works synth classification -n 3000 -d 20 --classes 3 -o large.csv
"$svforest" train --plan "effort=1 task=class folds=2 repeats=1; rf trees=2; rf trees=1000000" large.csv -o stopped.svf >out 2>err &
pid=$!
busy $((3 * hertz / 2))
kill -s INT $pid || fail "over too soon"
wait $pid
[ $? -eq 130 ] || fail "stopped: not 130"
says "stopped: the model has the members that had finished"
works verify stopped.svf
finish
