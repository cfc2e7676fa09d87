#!/usr/bin/env bash
# A file that is not a whole, sound model is refused by every verb that loads one.
here=$(realpath "$(dirname "$0")")
. "$here/lib.sh"

numbers 60
works train -m ccf numbers.csv -o good.svf
works verify good.svf
prints "ok"
size=$(wc -c <good.svf)

# no PATTERN FILE: all that load refuse it
no() {
  refused 1 "$1" verify "$2"
  refused 1 "$1" info "$2"
  refused 1 "$1" predict "$2" numbers.csv
  refused 1 "$1" eval "$2" numbers.csv
  refused 1 "$1" merge "$2" good.svf -o whole.svf
  absent whole.svf
}
for part in 0 1 7 40 $((size / 2)) $((size - 1)); do
  head -c "$part" good.svf >cut.svf
  no cut.svf cut.svf
done
cp numbers.csv table.svf
no table.svf table.svf
mkdir folder.svf
no folder.svf folder.svf
no absent.svf absent.svf
{ cat good.svf; printf x; } >longer.svf
no longer.svf longer.svf

# the format's number stands after the 8 bytes of the magic
cp good.svf newer.svf
printf '\143' | dd of=newer.svf bs=1 seek=8 conv=notrunc status=none
no "newer version" newer.svf

# one bit flipped, at places over the whole file
for step in $(seq 0 24); do
  at=$((step * (size - 1) / 24))
  byte=$(od -An -tu1 -j "$at" -N 1 good.svf)
  cp good.svf flipped.svf
  # shellcheck disable=SC2059
  printf "\\$(printf '%03o' $((byte ^ 4)))" | dd of=flipped.svf bs=1 seek="$at" conv=notrunc status=none
  refused 1 "flipped.svf" verify flipped.svf
done
refused 1 "." verify - <numbers.csv
works verify - <good.svf

# what fuzzing starts from must be models of this format: tests/fuzz/models.sh makes them
for model in linear machine pairs mean single regression made; do works verify "$here/../fuzz/corpus/model/$model"; done
finish
