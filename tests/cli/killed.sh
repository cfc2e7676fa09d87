#!/usr/bin/env bash
# kill -9 in the middle of a training leaves the old model as it was.
. "$(dirname "$0")/lib.sh"

numbers 60
works train -m ccf numbers.csv -o m.svf
cp m.svf old.svf
works synth classification -n 5000 -d 20 -o large.csv
for wait in 0.3 0.6 1; do
  "$svforest" train -q -m rsvt-full -s trees=100000 large.csv -o m.svf &
  pid=$!
  sleep $wait
  kill -9 $pid 2>/dev/null || fail "it was over before it could be killed"
  wait $pid 2>/dev/null
  same m.svf old.svf
done
works verify m.svf
finish
