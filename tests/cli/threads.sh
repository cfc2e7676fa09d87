#!/usr/bin/env bash
# The number of threads, and running again, never change a byte.
. "$(dirname "$0")/lib.sh"

works synth classification -n 1500 -d 12 --classes 4 -o data.csv
for method in rsvt rsvt-full linear-svm rf et et-svm; do
  works train -m $method --threads 1 data.csv -o one.svf
  works predict --threads 1 --proba one.svf data.csv -o one.csv
  for threads in 1 2 3 8; do
    works train -m $method --threads $threads data.csv -o many.svf
    same one.svf many.svf
    works predict --threads $threads --proba many.svf data.csv -o many.csv
    same one.csv many.csv
  done
done
# Long rows, so many that threads share passes, matrices and classes of one leaf.
works synth classification -n 6000 -d 100 --classes 3 -o long.csv
for grid in 0.01,0.1 10,100; do # H in single precision, and in double
  works train -m rsvt -s cut=none -s trees=1 -s C_grid=$grid --threads 1 long.csv -o one.svf
  for threads in 2 3 5; do
    works train -m rsvt -s cut=none -s trees=1 -s C_grid=$grid --threads $threads long.csv -o many.svf
    same one.svf many.svf
  done
done
works train -m rsvt data.csv -o zero.svf
works train -m rsvt --seed 1 data.csv -o seed.svf
cmp -s zero.svf seed.svf && fail "the seed changes nothing"

# cpu=portable: also whatever the C library chooses for this processor (where it is glibc; elsewhere the variable says nothing).
works train -m rsvt-full -s cpu=portable data.csv -o plain.svf
head -300 data.csv >short.csv
learned() { works train -m metric-forest -s cpu=portable -s trees=2 -s cell_rows=80 -s metric_rows=120 -s metric_rounds=1 short.csv "$@"; }
xrfm() { works train -m xrfm -s trees=2 -s cell_rows=120 -s direction_rows=150 -s metric_rounds=2 data.csv "$@"; }
xrfm -o one.svf --threads 1
for threads in 2 3 8; do
  xrfm -o many.svf --threads $threads
  same one.svf many.svf
done
learned -o learned.svf
works predict --proba learned.svf short.csv -o learned.csv
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-FMA_Usable,-AVX2,-FMA,-FMA4,-AVX512F
works train -m rsvt-full -s cpu=portable data.csv -o other.svf
same plain.svf other.svf
for threads in 1 3; do
  learned --threads $threads -o other.svf
  same learned.svf other.svf
done
works predict --proba other.svf short.csv -o other.csv
same learned.csv other.csv
finish
