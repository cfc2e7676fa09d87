#!/usr/bin/env bash
# train --from-disk, killed (kill -9) in each phase and run again: the model of training in memory, and nothing left behind.
# SVFOREST_KILLS=10 kills so often in each phase; the default is 1.
. "$(dirname "$0")/lib.sh"

"$svforest" synth classification -n 15000 -d 4 --classes 3 -o classes.csv -q
job=(-m rsvt-full -s trees=2 -s partition_rows=300)
works train -q "${job[@]}" -o memory.svf classes.csv
job+=(--from-disk --memory 1MB --threads 1)

# appears FILE: waits until the run has made the file; false: it has ended before.
appears() {
  while [ ! -e "disk.svf.parts/$1" ]; do kill -0 $pid 2>/dev/null || return 1; done
}

# killed FILE: a run that is killed some milliseconds after the file appears, then a second run.
killed() {
  rm -rf disk.svf disk.svf.parts
  "$svforest" train -q "${job[@]}" -o disk.svf classes.csv 2>err &
  pid=$!
  appears "$1"
  sleep "0.00$((RANDOM % 10))"
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  if [ -e disk.svf ] && [ ! -e disk.svf.parts ]; then
    late=$((late + 1))
    return
  fi
  hits=$((hits + 1))
  expect 0 train "${job[@]}" -o disk.svf classes.csv
  same memory.svf disk.svf
  absent disk.svf.parts
  no_litter
}

# The number of the last group of cells: its leaves are those before the merge.
groups=0
"$svforest" train -q "${job[@]}" -o disk.svf classes.csv &
pid=$!
while kill -0 $pid 2>/dev/null; do
  for file in disk.svf.parts/rows.0.*; do
    last=${file##*.}
    [ -e "$file" ] && [ "$last" -gt $groups ] && groups=$last
  done
done
wait $pid
[ $groups -ge 3 ] || fail "the memory is too large for several groups of cells"

for phase in sample cuts rows leaves merge; do
  hits=0 late=0
  while [ $hits -lt "${SVFOREST_KILLS:-1}" ] && [ $late -lt 100 ]; do
    case $phase in
    sample) file=job ;;
    cuts) file=cuts ;;
    rows) file=rows.$((hits % 3)).$((hits % (groups + 1))) ;;
    leaves) file=leaves.$((hits % groups)) ;;
    merge) file=leaves.$groups ;;
    esac
    killed "$file"
  done
  [ $hits -gt 0 ] || fail "no run was killed in phase $phase"
  echo "$phase: $hits killed, $late ended before"
done
no_litter
finish
