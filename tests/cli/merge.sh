#!/usr/bin/env bash
# Parts merged in any order are the file of one run, byte for byte; what does not fit together is refused.
. "$(dirname "$0")/lib.sh"

numbers 200
for settings in "-m rsvt" "-m rsvt-full -s rows=bootstrap" "-m rsvt -s vote=weighted -s rows=bootstrap" \
  "-m rsvf -s overlap=0,0.1 -s max_depth=2"; do
  # shellcheck disable=SC2086
  train() { works train -q $settings --seed 7 numbers.csv "$@"; }
  train -s trees=9 -o whole.svf
  train -s trees=4 -o a.svf
  train -s trees=3 -s first_tree=4 -o b.svf
  train -s trees=2 -s first_tree=7 -o c.svf
  works merge a.svf b.svf c.svf -o abc.svf
  same whole.svf abc.svf
  works merge c.svf a.svf b.svf -o cab.svf
  same whole.svf cab.svf
  works merge a.svf b.svf -o ab.svf
  cp ab.svf kept.svf
  refused 2 "is an input file and would be overwritten" merge ab.svf c.svf -o ab.svf
  refused 2 "is an input file and would be overwritten" merge c.svf ab.svf -o ./ab.svf
  same kept.svf ab.svf
  works merge -q c.svf b.svf a.svf -o - && same whole.svf out
done
refused 1 "." merge a.svf c.svf -o gap.svf
refused 1 "." merge a.svf a.svf -o gap.svf
works train -m rsvt --seed 8 -s trees=3 -s first_tree=4 numbers.csv -o seed.svf
refused 1 "." merge a.svf seed.svf -o gap.svf
numbers 150
works train -m rsvt -s vote=weighted -s rows=bootstrap --seed 7 -s trees=3 -s first_tree=4 numbers.csv -o rows.svf
refused 1 "." merge a.svf rows.svf -o gap.svf
absent gap.svf
no_litter
finish
