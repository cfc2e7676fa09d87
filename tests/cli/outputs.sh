#!/usr/bin/env bash
# Files are replaced whole: links are followed, permissions kept, a new file gets those that the umask leaves.
. "$(dirname "$0")/lib.sh"

numbers 60
umask 027
mode() { stat -c %a "$1"; }

# replaced FILE WORD...: the verb writes FILE, new, over a private file, and through a link
replaced() {
  file=$1
  shift
  works "$@" -o "$file"
  [ "$(mode "$file")" = 640 ] || fail "$file: a new file has mode $(mode "$file")"
  cp "$file" want
  echo old >private
  chmod 600 private
  ln -sf private link
  works "$@" -o link
  [ -L link ] || fail "$file: the link was replaced"
  [ "$(mode private)" = 600 ] || fail "$file: the mode became $(mode private)"
  same private want
}
replaced m.svf train -m ccf -q numbers.csv
replaced p.csv predict m.svf numbers.csv
replaced n.svf merge -q m.svf
replaced s.csv synth -q moons -n 20

mkdir locked
chmod 500 locked
if [ -w locked ]; then
  echo "as root every folder can be written: that part is left out"
else
  refused 1 "locked" train -m ccf numbers.csv -o locked/m.svf
  refused 1 "locked" predict m.svf numbers.csv -o locked/p.csv
fi
mkfifo pipe
cat pipe >through &
works predict m.svf numbers.csv -o pipe
wait
same through p.csv
no_litter
finish
