#!/usr/bin/env bash
# kill -9 while a model is written: the old or the new model is there, whole, and the next training removes what is left.
# Half of the kills go to a system without unnamed files (tests/faults/no_unnamed.c). `./dev test` makes a few of them; by
# hand, with the number of kills:
#   bash tests/cli/killed_writing.sh build/svforest 200
kills=${2:-6}
set -- "$1"
. "$(dirname "$0")/lib.sh"
shim=$(dirname "$svforest")/tests/faults/libno_unnamed.so
[ -d /proc/self/fd ] || { echo "skipped: no /proc"; exit 77; }
[ -f "$shim" ] || fail "$shim is not there"

now() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); } # milliseconds
open_files() { readlink "/proc/$pid/fd/"* 2>/dev/null; }
leftovers() { find . -name 'm.svf.*.tmp' | wc -l; }

# start PRELOAD: trains the large model; returns when its file is open. False: the training ended unseen.
start() {
  LD_PRELOAD=$1 ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 \
    "$svforest" train -q -m et -s trees=100 --seed 2 large.csv -o m.svf &
  pid=$!
  while kill -0 $pid 2>/dev/null; do
    case $(open_files) in *"$work/#"* | *m.svf.*) return 0 ;; esac
  done
  return 1
}

# one DELAY: kills a training so many milliseconds after it opened its file, and looks at what is there.
one() {
  cp old.svf m.svf
  start "$preload"
  sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  ended=$?
  left=$((left + $(leftovers)))
  works verify m.svf
  if cmp -s m.svf old.svf; then
    [ $ended -eq 137 ] && during=$((during + 1))
  else
    after=$((after + 1))
    same m.svf new.svf
  fi
  works train -m ccf -q numbers.csv -o m.svf
  no_litter
}

numbers 60
works synth classification -n 20000 -d 5 -o large.csv
works train -q -m et -s trees=100 --seed 1 large.csv -o old.svf
for preload in "" "$shim"; do
  during=0 after=0 left=0 long=0
  for _ in 1 2 3; do # the shortest of three writes, so that few kills come after it
    cp old.svf m.svf
    start "$preload" || { wait $pid; continue; }
    begin=$(now)
    wait $pid
    spent=$(($(now) - begin))
    if [ $long -eq 0 ] || [ $spent -lt $long ]; then long=$spent; fi
  done
  [ $long -gt 0 ] || fail "no write was seen"
  mv m.svf new.svf
  for ((i = 0; i < kills / 2; i++)); do one $((long * i * 2 / kills)); done
  enough() { [ $during -gt 0 ] && { [ -z "$preload" ] || [ $left -gt 0 ]; }; }
  for ((i = 0; i < 40; i++)); do enough || one $((long * (i % 8) / 16)); done # a busy machine may be late each time
  echo "${preload:+no }unnamed files: a write of $long ms; $during kills before its end, $after after it; $left files left"
  [ $during -gt 0 ] || fail "no kill hit the write"
  [ -z "$preload" ] || [ $left -gt 0 ] || fail "no named file was left: were unnamed ones used?"
done
finish
