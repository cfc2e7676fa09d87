#!/usr/bin/env bash
# What prediction refuses in a table, and what it takes: order, extra columns, unseen categories.
. "$(dirname "$0")/lib.sh"

printf 'a,colour,class\n' >train.csv
for i in 1 2 3 4 5 6 7 8 9 10; do
  printf '%d,red,x\n%d.5,green,y\n%d.25,blue,x\n' $i $i $i >>train.csv
done
works train -m ccf train.csv -o m.svf
works predict m.svf train.csv -o plain.out

printf 'a,colour\n1,red\nfour,green\n' >text.csv
refused 1 "text.csv:3.*a" predict m.svf text.csv
printf 'a,class\n1,x\n' >missing.csv
refused 1 "colour" predict m.svf missing.csv
printf 'a,colour\n1,red\n2\n' >ragged.csv
refused 1 "ragged.csv:3" predict m.svf ragged.csv
printf 'a,colour\n' >header.csv
refused 1 "header.csv" predict m.svf header.csv
: >empty.csv
refused 1 "empty.csv" predict m.svf empty.csv
printf 'a,colour\n1,red\ninf,red\n' >inf.csv
refused 1 "inf.csv:3" predict m.svf inf.csv
refused 1 "absent.csv" predict m.svf absent.csv

# by name: reordered, with a column more, without the target
awk -F, -v OFS=, '{ print $3, $2, "extra", $1 }' train.csv | sed '1s/extra/more/' >moved.csv
works predict m.svf moved.csv -o moved.out
same plain.out moved.out
cut -d, -f1,2 train.csv >bare.csv
works predict m.svf bare.csv -o bare.out
same plain.out bare.out

printf 'a,colour\n1,red\n2,violet\n3,pink\n,green\n' >unseen.csv
expect 0 predict m.svf unseen.csv
says "2 cells"
[ "$(wc -l <out)" -eq 5 ] || fail "unseen categories: not 4 predictions"
works predict -q m.svf unseen.csv
# one row is enough here
printf 'a,colour\n1,red\n' >one.csv
works predict m.svf one.csv

# eval: needs the target; labels that the model does not know are errors
refused 1 "class" eval m.svf bare.csv
sed 's/,x$/,z/' train.csv >other.csv
expect 0 eval m.svf other.csv
says "20 rows"
prints "unknown labels  *20"
finish
