#!/usr/bin/env bash
# Models of earlier versions (tests/models/VERSION, made by tests/models/make.sh) are read, and predict what they did.
models=$(realpath "$(dirname "$0")/../models")
. "$(dirname "$0")/lib.sh"

# agrees OLD NEW: the same lines and cells; two numbers may differ by 1e-9 of the larger.
agrees() {
  paste -d '\n' "$1" "$2" | awk -F, '
    function size(x) { return x < 0 ? -x : x }
    function number(x) { return x ~ /^-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/ }
    function close_to(x, y) { return number(x) && number(y) && size(x - y) <= 1e-9 * (size(x) > size(y) ? size(x) : size(y)) + 1e-12 }
    NR % 2 { fields = split($0, old, ","); next }
    { if (NF != fields) exit wrong = 1
      for (i = 1; i <= NF; i++) if ($i != old[i] && !close_to(old[i], $i)) exit wrong = 1 }
    END { exit wrong || NR < 4 }' && [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ]
}

# predicts MODEL ENDING DATA OPTION...: if that version's predictions are there, these are the same.
predicts() {
  local stored=${1%.svf}.$2
  [ -f "$stored" ] || return 1
  works predict -q "$1" "$3" "${@:4}" -o now.csv
  agrees "$stored" now.csv || fail "$last: another prediction than in $stored"
}

# one FOLDER MODEL
one() {
  local table=${2%.svf}
  works verify "$2"
  works info "$2"
  works info --dump "$2"
  predicts "$2" labels "$1/new.csv" || fail "$2: no stored predictions"
  predicts "$2" proba "$1/new.csv" --proba || predicts "$2" interval "$1/new.csv" --interval 0.9 ||
    fail "$2: neither probabilities nor intervals are stored"
  predicts "$2" oob "$1/${table##*-}.csv" --oob && bagged=$((bagged + 1))
  count=$((count + 1))
}

for folder in "$models"/*/; do
  count=0 bagged=0
  for model in "$folder"*.svf; do one "${folder%/}" "$model"; done
  echo "$(basename "$folder"): $count models, $bagged of them bagged"
  if [ $count -lt 40 ] || [ $bagged -lt 5 ]; then fail "$folder lacks models"; fi
done
finish
