#!/usr/bin/env bash
# Tables that cannot be trained on are refused with a message and exit 1, nothing is written; odd ones that can, work.
. "$(dirname "$0")/lib.sh"

# no CODE PATTERN FILE: training is refused, no model appears
no() {
  refused "$1" "$2" train "$3"
  absent "$3.svf"
  no_litter
}
# yes FILE [OPTION...]: trains, and predicts its own rows without NaN
yes() {
  works train -m rsvt "$@"
  works predict "$1.svf" "$1" --proba
  grep -qi 'nan\|inf' out && fail "$1: NaN or Inf in a prediction"
  [ "$(wc -l <out)" -gt 1 ] || fail "$1: no predictions"
}

: >empty.csv
no 1 "empty.csv" empty.csv
printf '\n\n' >blank.csv
no 1 "blank.csv" blank.csv
printf 'a,b,class\n' >header.csv
no 1 "header.csv" header.csv
printf 'a,b,class\n1,2,x\n3,4\n5,6,y\n' >ragged.csv
no 1 "ragged.csv:3" ragged.csv
printf 'a,b,class\n1,2,x\n3,4,y,9\n5,6,y\n' >long.csv
no 1 "long.csv:3" long.csv
printf 'a,b,class\n1,2,x\n3,inf,y\n5,6,y\n' >inf.csv
no 1 "inf.csv:3" inf.csv
printf 'a,b,class\n1,2,x\n3,-Infinity,y\n5,6,y\n' >minf.csv
no 1 "minf.csv:3" minf.csv
printf 'a,a,class\n1,2,x\n3,4,y\n5,6,y\n' >twice.csv
no 1 "twice.csv.*'\?a'\?" twice.csv
printf 'a,b,class\n1,2,x\n' >one.csv
no 1 "row" one.csv
printf 'a,b,class\n1,2,x\n3,"4,y\n5,6,y\n' >quote.csv
no 1 "quote.csv" quote.csv
mkdir folder.csv
no 1 "folder.csv" folder.csv
no 1 "absent.csv" absent.csv
printf '1 1:2 2:3\n0 2000000000:1\n1 1:1 3:2\n' >wide.libsvm
no 1 "wide.libsvm.*[0-9.]* [TGP]B" wide.libsvm
printf '1 1:2 2:3\n0 2:1 x:3\n1 1:1 3:2\n' >letters.libsvm
refused 1 "letters.libsvm:2" train -m ccf --format libsvm letters.libsvm
head -c 200 /dev/zero >zeros.npy
no 1 "zeros.npy" zeros.npy
printf 'not gzip at all' | gzip | head -c 20 >cut.csv.gz
no 1 "cut.csv.gz" cut.csv.gz

printf 'a,b,class\n1,2,x\n3,NaN,y\n,6,y\n?,1,x\nNA,2,x\n2,2,y\n' >missing.csv
yes missing.csv
printf 'a,b,class\n1,2,x\n3,4,x\n5,6,x\n' >single.csv
yes single.csv
works predict single.csv.svf single.csv
[ "$(sort -u out)" = "$(printf 'prediction\nx')" ] || fail "one class: not a constant"
awk 'BEGIN { for (j = 0; j < 50; j++) printf "f%d,", j; print "class"
  for (i = 0; i < 12; i++) { for (j = 0; j < 50; j++) printf "%d,", (i * 31 + j * 17) % 11; print i % 2 ? "u" : "v" } }' >flat.csv
yes flat.csv
printf 'a,b,class\n1,7,x\n2,7,y\n3,7,x\n4,7,y\n5,7,x\n6,7,y\n' >constant.csv
yes constant.csv
printf 'a,b,class\n7,7,x\n7,7,y\n7,7,x\n7,7,y\n' >still.csv
yes still.csv
printf 'a,b,class\n1e308,-1e308,x\n-1e308,1e308,y\n1e308,0,x\n-1e308,1,y\n1e308,2,x\n0,3,y\n' >huge.csv
expect 0 train -m rsvt huge.csv
says "huge.csv: column 'b': the range is more than a thousand times the quartile range"
printf 'a,b,y\n1,7,2.5\n2,8,2.5\n3,9,2.5\n4,7,2.5\n5,7,2.5\n6,7,2.5\n' >flat_target.csv
works train -m et --task regress -s leaf=constant -s vote=mean -s rows=bootstrap -s trees=3 flat_target.csv
works predict flat_target.csv.svf flat_target.csv
[ "$(sed 1d out | sort -u)" = 2.5 ] || fail "a constant target: not that constant"
works info flat_target.csv.svf --importance
printf 'a,b,class\n1,,x\n2,NA,y\n3,?,x\n4,,y\n5,NaN,x\n6,,y\n' >hollow.csv
yes hollow.csv
yes hollow.csv -s leaf=constant -s rows=bootstrap --feature 'p=a*b'
awk 'BEGIN { print "name,x,class"; for (i = 0; i < 2000; i++) print "n" i % 1000 "," i % 7 "," (i % 1000 < 500 ? "u" : "v") }' >many.csv
yes many.csv -s trees=1 -s C=1 -s min_leaf_factor=5
prints "^u,v"

# weights: 0 is allowed, negative and missing ones are refused with line and column, as are all zeros
printf 'a,w,class\n1,0,x\n2,1,y\n3,2,x\n4,0,y\n5,1,x\n6,1,y\n' >weights.csv
yes weights.csv --weight w
works train -m rsvt --weight w -s rows=bootstrap -s leaf=constant weights.csv
sed 's/^3,2,/3,-2,/' weights.csv >negative.csv
refused 1 "negative.csv:4: column 'w': a row weight must not be negative" train -m ccf --weight w negative.csv
sed 's/^3,2,/3,NaN,/' weights.csv >nan.csv
refused 1 "nan.csv:4: column 'w': a row weight is missing" train -m ccf --weight w nan.csv
sed 's/^\([0-9]\),[0-9]/\1,0/' weights.csv >zero.csv
refused 1 "zero.csv: column 'w': the row weights are all 0" train -m ccf --weight w zero.csv
# a fold in which nothing weighs anything cannot be judged
awk 'BEGIN { print "a,w,class"; for (i = 0; i < 12; i++) print i % 5 "," (i == 3 || i == 4) "," (i % 2 ? "x" : "y") }' >sparse.csv
refused 1 "no weight: use fewer folds" cv -m ccf -k 4 --weight w sparse.csv
refused 1 "no weight: use fewer folds" tune -m ccf -k 4 --weight w --candidates 3 sparse.csv
finish
