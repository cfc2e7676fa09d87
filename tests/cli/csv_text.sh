#!/usr/bin/env bash
# CSV as people have it: quotes, text labels, blanks, CRLF, BOM, tabs, gzip, no header, --target, --drop, --weight.
. "$(dirname "$0")/lib.sh"

numbers 60
works train -m ccf numbers.csv -o m.svf
works predict m.svf numbers.csv -o want.csv

# the same table in other clothes gives the same predictions
sed 's/$/\r/' numbers.csv >crlf.csv
{ printf '\357\273\277'; cat numbers.csv; } >bom.csv
tr , '\t' <numbers.csv >tabs.tsv
tr , ';' <numbers.csv >semicolons.csv
gzip -c numbers.csv >packed.csv.gz
sed 's/\([^,]*\)$/"\1"/' numbers.csv >quoted.csv
head -c -1 numbers.csv >unended.csv
for file in crlf.csv bom.csv tabs.tsv semicolons.csv packed.csv.gz quoted.csv unended.csv; do
  works train -m ccf $file -o other.svf
  works predict other.svf $file -o got.csv
  same want.csv got.csv
done
sed 1d numbers.csv >headless.csv
expect 0 train -m ccf headless.csv -o headless.svf
prints "rows  *60"
says "^headless.csv has no header: its columns are named x1, x2, ...$"
works train -m ccf -q headless.csv -o headless.svf
expect 0 train -m ccf - -o headless.svf <headless.csv
says "^standard input has no header"
sed '1s/.*/a,b,x3/' numbers.csv >one.csv # a name that looks made up among others
works train -m ccf one.csv -o one.svf

# decimal commas are read as text, and that is said
sed 's/\./,/g' semicolons.csv >commas.csv
expect 0 train -m ccf commas.csv -o commas.svf
says "^commas.csv: column 'a' has numbers with a decimal comma.* write a point$"
works train -m ccf -q commas.csv -o commas.svf

# target by name and by number; columns left out; weights
awk -F, -v OFS=, '{ print $3, NR == 1 ? "id" : "id" NR, $1, $2, NR == 1 ? "w" : NR % 3 + 1 }' numbers.csv >wide.csv
works train -m ccf wide.csv --target class --drop id --weight w -o a.svf
prints "target  *class"
prints "features  *2"
works train -m ccf wide.csv --target 1 --drop=id --weight w -o b.svf
same a.svf b.svf
works train -m ccf wide.csv --target 1 --drop id --drop w -o c.svf
prints "features  *2"
works predict c.svf wide.csv -o got.csv
same want.csv got.csv

# labels with commas, quotes, blanks and line breaks come back as they were
printf 'a,"the, class"\n' >odd.csv
for i in 1 2 3 4 5 6 7 8; do printf '%d,"Smith, J."\n1%d,"say ""hi"""\n2%d,two words\n3%d,"line\nbreak"\n' $i $i $i $i >>odd.csv; done
works train -m linear-svm odd.csv
prints "target  *the, class"
works eval odd.csv.svf odd.csv
grep -qE '^  line\.\.\.eak( +[0-9]+){4}$' out || fail "eval: a line break in a class name breaks the table"
works predict odd.csv.svf odd.csv --proba
head -2 out | tr '\n' '|' >head.txt
for name in '"Smith, J."' '"say ""hi"""' '"line|break"' ',two words'; do
  grep -q -- "$name" head.txt || fail "the header lacks $name"
done
works predict odd.csv.svf odd.csv
grep -q '^"Smith, J."$' out || fail "a label with a comma is not quoted"

# categories and blanks among the features
printf 'size,colour,class\n' >mixed.csv
for i in 1 2 3 4 5 6 7 8 9; do printf '%d,red,x\n,blue,y\n%d,,x\n1%d,"dark green",y\n' $i $i $i >>mixed.csv; done
works train -m ccf mixed.csv
prints "features  *2"
prints "categories  *1$"
works train -m ccf numbers.csv -o m.svf
grep -q categories out && fail "train: categories where there are none"
works info mixed.csv.svf
prints "encoded  *[3-9]"
works info mixed.csv.svf --dump
works eval mixed.csv.svf mixed.csv
finish
