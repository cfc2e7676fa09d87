#!/usr/bin/env bash
# A full disk (/dev/full) is exit 1 with a message, and leaves old files as they were.
. "$(dirname "$0")/lib.sh"
[ -c /dev/full ] || { echo "skipped: no /dev/full"; exit 77; }

numbers 60
works train -m ccf numbers.csv -o m.svf
refused 1 "full.*space" train -m ccf numbers.csv -o /dev/full
refused 1 "full.*space" predict m.svf numbers.csv -o /dev/full
refused 1 "full.*space" merge m.svf -o /dev/full
refused 1 "full.*space" report m.svf numbers.csv -o /dev/full
refused 1 "full.*space" synth moons -n 100 -o /dev/full
[ -c /dev/full ] || fail "/dev/full was replaced"

# WORD...: standard output is full
full() {
  "$svforest" "$@" >/dev/full 2>err
  code=$?
  [ "$code" -eq 1 ] || fail "$* >/dev/full: exit $code, not 1"
  grep -q "space" err || fail "$* >/dev/full: no message"
}
full predict m.svf numbers.csv
full eval m.svf numbers.csv
full eval --json m.svf numbers.csv
full report m.svf numbers.csv -o -
full cv -m ccf numbers.csv
full info --dump m.svf
full verify m.svf
full methods
full help man
full synth moons
full train -m ccf -o - numbers.csv
full -h
full --version

# a limit on the size of files: the old ones stay
seq 1 2000 | awk 'NR == 1 { print "a,class" } { print $1 "," ($1 % 2 ? "odd" : "even") }' >long.csv
works predict m.svf numbers.csv -o answers.csv
cp m.svf old.svf
cp answers.csv old.csv
(
  trap '' XFSZ
  ulimit -f 1
  "$svforest" train -m ccf -q long.csv -o m.svf -s trees=200 2>err
) && fail "train over the limit: exit 0"
same m.svf old.svf
awk 'NR == 1 { print "a,b" } { print NR ",1" }' long.csv >wide.csv
(
  trap '' XFSZ
  ulimit -f 1
  "$svforest" predict m.svf wide.csv -o answers.csv 2>err
) && fail "predict over the limit: exit 0"
same answers.csv old.csv
no_litter
finish
