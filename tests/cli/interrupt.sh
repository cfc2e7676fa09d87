#!/usr/bin/env bash
# SIGINT and SIGTERM stop a training soon: exit 128 + signal, a message, nothing written; the old model stays.
. "$(dirname "$0")/lib.sh"
set -m # jobs in the background then get SIGINT as those in the foreground do

numbers 60
works train numbers.csv -o m.svf
cp m.svf old.svf
works synth classification -n 5000 -d 20 -o large.csv

# stop SIGNAL CODE VERB...
stop() {
  signal=$1 wanted=$2
  shift 2
  "$svforest" "$@" >out 2>err &
  pid=$!
  sleep 1.5
  kill -s "$signal" $pid || fail "$*: over too soon"
  wait $pid
  code=$?
  [ "$code" -eq "$wanted" ] || fail "$signal: exit $code, not $wanted"
  grep -q "stopped; nothing written" err || fail "$signal: no message"
}
stop INT 130 train -m rsvt-full -s trees=100000 large.csv -o m.svf
same m.svf old.svf
stop TERM 143 train -m rsvt-full -s trees=100000 large.csv -o new.svf
stop INT 130 train -s trees=1000000 -s min_leaf_factor=0.1 large.csv -o new.svf
stop INT 130 cv -s trees=100000 large.csv
absent new.svf

# a signal that comes twice at once, as from timeout(1), is one wish
timeout 2 "$svforest" train -m rsvt-full -s trees=100000 large.csv -o new.svf >out 2>err
grep -q "stopped; nothing written" err || fail "timeout: no message"
absent new.svf
no_litter
finish
