#!/usr/bin/env bash
# What train says about columns that can be used but are probably not as they were meant; -q says nothing.
. "$(dirname "$0")/lib.sh"

# column NAME EXPRESSION: a table whose first column is an awk expression of i.
column() { awk -v OFMT=%.17g -v CONVFMT=%.17g "BEGIN { print \"$1,b,y\"; for (i = 0; i < 60; i++) print $2 \",\" i % 7 \",\" (i % 2 ? \"p\" : \"q\") }" >"$1.csv"; }

column spike '(i == 5 ? 10000 : i % 10)'
for method in rsvt ccf linear-svm; do
  expect 0 train -m $method spike.csv
  says "spike.csv: column 'spike': the range is more than a thousand times the quartile range"
  says "scale=robust helps"
  works train -q -m $method spike.csv
  works train -m $method -s scale=robust spike.csv
done
works train -m rf spike.csv
column wide '(i == 5 ? 4000 : i % 10)' # eight hundred times is not yet far
works train -m rsvt wide.csv

# where the quartile range is 0, that of the values other than the commonest counts
column zeros '(i == 5 ? 10000 : i % 3 ? 0 : i % 10)'
expect 0 train -m rsvt zeros.csv
says "column 'zeros': the range is more than a thousand times the quartile range"
column rare '(i == 5 ? 10000 : i == 6)'
works train -m rsvt rare.csv
column two '(i == 5 ? 10000 : 0)'
works train -m rsvt two.csv

column jitter '(i % 2 ? "1000000.1" : "1000000.1000000001")'
for method in rsvt rf; do
  expect 0 train -m $method jitter.csv
  says "column 'jitter': constant but for the last digits, left out"
done
column tiny '(i % 5) "e-310"'
expect 0 train -m rsvt tiny.csv
says "column 'tiny': the range is below the smallest normal number, left out"
works train -m rf tiny.csv # which scales by a power of two
column name '"90071992547409" 90 + i % 9'
expect 0 train -m rf name.csv
says "column 'name': integers beyond 2^53"

awk 'BEGIN { print "a,b,c,y"; for (i = 0; i < 60; i++) print (i == 1 ? 1e9 : i % 5) "," (i == 2 ? -1e9 : i % 6) "," i % 7 "," i % 2 }' >two.csv
expect 0 train -m rsvt two.csv
says "column 'a' and 1 other: the range"

# once, also where small forests choose a setting first
expect 0 train -m rsvf -s trees=2 -s overlap=0,0.1 two.csv
[ "$(grep -c thousand err)" -eq 1 ] || fail "not one remark"

# Cuts on one feature are shown in its own units; a sum keeps what is clipped.
expect 0 train -q -m rsvt-full -s scale=robust -s trees=2 -s min_leaf_factor=0.5 spike.csv
works info spike.csv.svf --dump
prints 'spike < [0-9]\|b < [0-9]'
works predict spike.csv.svf spike.csv
works train -m ccf -s scale=robust -s trees=2 spike.csv
works info spike.csv.svf --dump
prints 'clip('
works info spike.csv.svf --dump --json
prints '"clip_scale": *[0-9]'
finish
