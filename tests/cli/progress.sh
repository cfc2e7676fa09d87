#!/usr/bin/env bash
# A bar with an estimate on a terminal, only for work of over a second; none with -q or where stderr is a file.
. "$(dirname "$0")/lib.sh"
script --version >/dev/null 2>&1 || { echo "skipped: no script(1) to make a terminal"; exit 77; }

numbers 60
works synth classification -n 5000 -d 20 -o large.csv

# on_terminal SECONDS WORD...: what a terminal shows of a run that is stopped after a while
on_terminal() {
  seconds=$1
  shift
  script -qec "timeout -s INT $seconds $svforest $*" /dev/null >screen </dev/null
}
on_terminal 4 train -m rsvt-full -s trees=100000 large.csv -o m.svf
grep -q '\[#*\.*\]  *[0-9]*%' screen || fail "no bar"
grep -q "left" screen || fail "no estimate"
grep -q "stopped; nothing written" screen || fail "not stopped"
absent m.svf
on_terminal 3 train -q -m rsvt-full -s trees=100000 large.csv -o m.svf
grep -q '%' screen && fail "a bar in spite of -q"
on_terminal 9 train -m ccf numbers.csv -o m.svf
grep -q '%' screen && fail "a bar for short work"
[ -s m.svf ] || fail "nothing trained"
on_terminal 4 tune -m rf --search grid --try "'trees=2|100000'" large.csv
grep -q '\[#*\.*\]  *[0-9]*%.*best of 1: accuracy' screen || fail "no bar with the best so far"
timeout -s INT 3 "$svforest" train -m rsvt-full -s trees=100000 large.csv -o n.svf 2>err
grep -q '%' err && fail "a bar in a file"
finish
