#!/usr/bin/env bash
# The examples of every verb's help work as they stand, in the order of the manual, on tables with the names they use.
. "$(dirname "$0")/lib.sh"

ln -s "$svforest" svforest
PATH=$work:$PATH
awk 'BEGIN { srand(1); print "bottle,acid,x,y,width,height,quality"
  for (i = 0; i < 90; i++) { a = rand(); b = rand(); print i "," a "," b "," rand() "," rand() "," a * b "," (a + b > 1 ? "good" : "bad") } }' >wine.csv
export TMPDIR=$work
cp wine.csv plots.csv
cp wine.csv test.csv
cut -d, -f1-6 wine.csv >new.csv
"$svforest" synth moons -n 1000 -o a.csv -q
"$svforest" synth moons -n 1000 --seed 1 -o b.csv -q
"$svforest" synth moons -n 2000 -o large.csv -q
gzip -c wine.csv >big.csv.gz
man=$("$svforest" help man)

count=0
for verb in train predict eval report cv tune info partition route fit merge export verify methods synth; do
  "$svforest" $verb -h | sed '1,/^example$/d; s/^  //' >lines
  [ -s lines ] || fail "$verb -h has no example"
  while read -r line; do
    line=${line/--budget 60/--budget 2}
    line=${line/train --id/train --effort 1 --id}
    eval "$line" >out 2>err </dev/null || fail "$line"
    count=$((count + 1))
  done <lines
done
[ "$count" -ge 15 ] || fail "only $count examples were found"
grep -q "svforest tune" <<<"$man" || fail "the manual lacks tune"
finish
