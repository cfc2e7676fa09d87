#!/usr/bin/env bash
# A wrong command line: exit 2, one line that says what to do, nothing written.
. "$(dirname "$0")/lib.sh"

numbers 40
works train -m ccf numbers.csv -o m.svf
refused 2 "'fly' is not a verb" fly
refused 2 "unknown option --fast" train --fast numbers.csv
refused 2 "unknown option -z" train -z numbers.csv
refused 2 "--json takes no value" train --json=yes numbers.csv
refused 2 "needs a value" train numbers.csv --target
refused 2 "train: DATA is missing; usage" train
refused 2 "predict: MODEL is missing; usage" predict
refused 2 "predict: DATA is missing; usage" predict m.svf
refused 2 "merge: PART is missing; usage" merge -o x.svf
refused 2 "usage" train numbers.csv numbers.csv
refused 2 "method" train -m nonsense numbers.csv
refused 2 "nonsense" train -m ccf -s nonsense=1 numbers.csv
refused 2 "NAME=VALUE" train -m ccf -s trees numbers.csv
refused 2 "trees" train -m ccf -s trees=0 numbers.csv
refused 2 "trees" train -m ccf -s trees=many numbers.csv
refused 2 "C" train -m ccf -s C=nan numbers.csv
refused 2 "seed" train --seed -1 numbers.csv
refused 2 "task" train --task guess numbers.csv
refused 2 "format" train --format xls numbers.csv
refused 2 "threads" train --threads x numbers.csv
refused 2 "-o" train - <numbers.csv
refused 2 "json" train --json -o - numbers.csv
refused 2 "input file and would be overwritten" train -o numbers.csv numbers.csv
refused 2 "input file and would be overwritten" predict m.svf numbers.csv -o numbers.csv
refused 2 "exclude" predict m.svf numbers.csv --proba --leaves
refused 2 "standard input" predict - - <numbers.csv
refused 2 "exclude" cv -k 3 --holdout 0.3 numbers.csv
refused 2 "holdout" cv --holdout 1.5 numbers.csv
refused 2 "folds" cv -k 0 numbers.csv
refused 2 "1 fold of 40 rows" cv -k 1 numbers.csv
refused 2 "did you mean 'trees'" train -m ccf -s tress=5 numbers.csv
refused 2 "did you mean 'linear-svm'" train -m linear_svm numbers.csv
refused 2 "'trian' is not a verb; did you mean 'train'?" trian numbers.csv
refused 2 "did you mean 'predict'" pred m.svf numbers.csv
refused 2 "'x' is not a verb; 'svforest' alone" x
refused 2 "did you mean 'methods'" help method
refused 2 "unknown option --thread; did you mean --threads?" train --thread 2 numbers.csv
refused 2 "unknown option --traget; did you mean --target?" train --traget=b numbers.csv
refused 2 "unknown option --hold; did you mean --holdout?" cv --hold 0.3 numbers.csv
refused 2 "unknown option --proba; it is an option of 'predict'" train --proba numbers.csv
refused 2 "unknown option --zzz; 'svforest train -h'" train --zzz numbers.csv
refused 2 "unexpected argument 'more'" train numbers.csv more
refused 2 "method rsvt.*trees" cv -m rsvt,linear-svm -s trees=0 numbers.csv
refused 2 "no method" cv -m , numbers.csv
works cv -m 'linear-svm, rsvt' -k 3 numbers.csv
refused 2 "-o" merge m.svf
refused 2 "moons" synth nothing -n 5
refused 2 "neither" help nothing
refused 2 "nonsense" methods nonsense
refused 2 "nobody.*a, b, class" train --target nobody numbers.csv
absent numbers.csv.svf
# a numeric target with a method for classes: the combination is what is wrong; unless it was not asked for
printf 'a,y\n' >values.csv
awk 'BEGIN { for (i = 0; i < 60; i++) print i "," sin(i) }' >>values.csv
refused 2 "leaf=linear-svm.*vote=majority" train -m rsvt values.csv # all that is wrong, at once
absent values.csv.svf
works train -m et values.csv -o values.svf
grep -q "method *et" out || fail "a numeric target does not get its usual method"
refused 1 "directory" train -o . numbers.csv
refused 1 "No such file" train -o nowhere/m.svf numbers.csv
no_litter
finish
