#!/usr/bin/env bash
# SIGINT and SIGTERM stop a training soon: exit 128 + signal, a message, nothing written; the old model stays.
. "$(dirname "$0")/lib.sh"
set -m # jobs in the background then get SIGINT as those in the foreground do

numbers 60
works train -m ccf numbers.csv -o m.svf
cp m.svf old.svf
works synth classification -n 5000 -d 20 -o large.csv

# stop SIGNAL CODE VERB...
stop() {
  signal=$1 wanted=$2
  shift 2
  "$svforest" "$@" >out 2>err &
  pid=$!
  busy $((3 * hertz / 2))
  kill -s "$signal" $pid || fail "$*: over too soon"
  wait $pid
  code=$?
  [ "$code" -eq "$wanted" ] || fail "$signal: exit $code, not $wanted"
  grep -q "stopped; nothing written" err || fail "$signal: no message"
}
stop INT 130 train -m rsvt-full -s trees=100000 large.csv -o m.svf
same m.svf old.svf
stop TERM 143 train -m rsvt-full -s trees=100000 large.csv -o new.svf
stop INT 130 train -m ccf -s trees=1000000 -s min_leaf_factor=0.1 large.csv -o new.svf
stop INT 130 cv -m ccf -s trees=100000 large.csv
absent new.svf

# The processor time that a training takes after SIGINT is below a second; twice that leaves room for a slow machine, and
# sanitizers take several times as long.
most=$((2 * hertz))
grep -q __asan_init "$svforest" && most=$((10 * most))

# Ticks of all processes that ended and were waited for, into `ended`.
look_back() {
  times >times
  ended=$(awk -v hz="$hertz" 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/)
    print int(hz * (60 * (u[1] + s[1]) + u[2] + s[2])) }' times)
}

# promptly TICKS WORD...: SIGINT after so much processor time.
promptly() {
  moment=$1
  shift
  "$svforest" "$@" >out 2>err &
  pid=$!
  busy "$moment"
  look_back
  before=$ended
  busy 0 && kill -s INT $pid || fail "$*: over too soon"
  wait $pid
  code=$?
  look_back
  after=$((ended - before - taken))
  [ "$code" -eq 130 ] || fail "$*: exit $code, not 130"
  [ "$after" -lt "$most" ] || fail "$*: $after ticks after SIGINT, not $most"
}
works synth classification -n 6000 -d 20 -o many.csv
promptly "$hertz" train -m ls-svm many.csv -o new.svf
awk 'BEGIN { print "a,name,class"; for (i = 0; i < 10000; i++) print i * 7919 % 10007 ",n" i "," (i * 7919 % 13 < 6 ? "y" : "n") }' \
  >levels.csv
promptly $((2 * hertz)) train -m rsvt -s one_hot_levels=10000 -s name_levels=1 levels.csv -o new.svf
absent new.svf

# a signal that comes twice at once, as from timeout(1), is one wish
timeout 2 "$svforest" train -m rsvt-full -s trees=100000 large.csv -o new.svf >out 2>err
grep -q "stopped; nothing written" err || fail "timeout: no message"
absent new.svf
no_litter
finish
