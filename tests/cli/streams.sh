#!/usr/bin/env bash
# '-' is standard input and output; closed descriptors are errors, not surprises.
. "$(dirname "$0")/lib.sh"

numbers 60
works train -m rsvt numbers.csv -o m.svf
"$svforest" train -m rsvt -o - - <numbers.csv >piped.svf 2>err || fail "train - -o -"
same m.svf piped.svf
grep -q "method  *rsvt" err || fail "the report is not on stderr when the model is on stdout"
gzip -c numbers.csv | "$svforest" train -m rsvt -q -o zipped.svf - || fail "gzip from standard input"
same m.svf zipped.svf
works predict m.svf numbers.csv -o want.csv
"$svforest" predict m.svf - <numbers.csv >got.csv || fail "predict from standard input"
same want.csv got.csv
"$svforest" predict - numbers.csv <m.svf >got.csv || fail "a model from standard input"
same want.csv got.csv
works predict m.svf numbers.csv -o -
same want.csv out
"$svforest" synth moons -n 5 | "$svforest" train -m rsvt -q -o five.svf - || fail "synth | train"

closed() {
  wanted=$1
  shift
  [ "$code" -eq "$wanted" ] || fail "$*: exit $code, not $wanted"
  [ -s err ] || fail "$*: no message"
}
"$svforest" train -m rsvt -o closed.svf - <&- >out 2>err
code=$?
closed 1 "train with stdin closed"
absent closed.svf
"$svforest" predict - numbers.csv <&- >out 2>err
code=$?
closed 1 "a model from a closed stdin"
"$svforest" predict m.svf numbers.csv 2>err >&-
code=$?
closed 1 "predict with stdout closed"
"$svforest" train -m rsvt numbers.csv -o shut.svf >/dev/null 2>&- || fail "train with stderr closed"
same m.svf shut.svf
"$svforest" train -m rsvt -o closed.svf - </dev/null >out 2>err
code=$?
closed 1 "train from /dev/null"
absent closed.svf
no_litter
finish
