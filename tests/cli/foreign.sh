#!/usr/bin/env bash
# Files of other formats, and addresses: exit 1, the format's name and what to do.
. "$(dirname "$0")/lib.sh"

numbers 60
works train -m ccf numbers.csv -o m.svf
junk() { head -c 300 /dev/zero | tr '\0' '\025'; }

(printf 'PAR1' && junk && printf 'PAR1') >t.parquet
(printf 'ARROW1\0\0' && junk) >t.arrow
(printf 'PK\003\004\024\0\0\0\010\0' && junk && printf 'xl/workbook.xml') >t.xlsx
(printf 'PK\003\004\024\0\0\0\010\0' && junk && printf 'numbers.csv') >t.zip
(printf 'PK\003\004\024\0\0\0\010\0' && junk && printf 'x.npy') >t.npz
(printf '\377\376' && sed 's/./&\x00/g' numbers.csv) >le.csv
(printf '\376\377' && sed 's/./\x00&/g' numbers.csv) >be.csv
sed 's/./&\x00/g' numbers.csv >bare.csv
printf '[{"a": 1, "b": 2.5, "class": "yes"},\n {"a": -1e5, "b": null, "class": "no"}]\n' >list.json
printf '{"a": [1, 2], "b": [true, {}], "class": ["\\"yes", []]}\n' >object.json
printf '{"a": 1, "class": "yes"}\n{"a": 2, "class": "no"}\n' >lines.json
awk 'BEGIN { printf "["; for (i = 0; i < 900; i++) printf "%s[%d, %g, \"yes\"]", i ? ",\n" : "", i, i / 7; print "]" }' >long.json
printf 'BZh91AY&SY%b' '\0\01' >t.bz2
printf '\3757zXZ\0\0' >t.xz
printf '\050\265\057\375\004' >t.zst
tar cf t.tar numbers.csv

refusals() { # FILE PATTERN: by its own name, in gzip, from standard input, under a name that promises CSV
  refused 1 "$2" train -m ccf "$1" -o x.svf
  refused 1 "$2" predict m.svf "$1"
  refused 1 "standard input: is.*$2" eval m.svf - <"$1"
  gzip -c "$1" >packed.gz
  refused 1 "$2" cv -m ccf packed.gz
  cp "$1" renamed.csv
  refused 1 "$2" tune -m ccf renamed.csv
}
refusals t.parquet "a Parquet file, .*read_parquet"
refusals t.arrow "an Arrow file, .*read_feather"
refusals t.xlsx "an Excel file (xlsx), .*CSV"
refusals t.zip "a zip file, .*unpack"
refusals t.npz "an NPZ file, .*numpy.save"
refusals le.csv "text in UTF-16, .*iconv -f UTF-16 "
refusals be.csv "text in UTF-16, .*iconv -f UTF-16 "
refusals bare.csv "text in UTF-16, .*iconv -f UTF-16LE "
refusals list.json "JSON, .*read_json"
refusals object.json "JSON, .*read_json"
refusals lines.json "JSON, .*read_json"
refusals long.json "JSON, .*read_json"
refusals t.bz2 "packed by bzip2, .*bzip2 -dc"
refusals t.xz "packed by xz, .*xz -dc"
refusals t.zst "packed by zstd, .*zstd -dc"
refusals t.tar "a tar archive, .*unpack"
refusals m.svf "an svforest model, .*name a table"
refused 1 "Parquet" train -m ccf --format csv t.parquet

for address in http://a.org/t.csv https://a.org/t.csv s3://bucket/t.csv gs://bucket/t.csv ftp://a.org/t.csv; do
  refused 1 "$address: is an address.*download" train -m ccf "$address"
  refused 1 "$address: is an address.*download" predict "$address" numbers.csv
done
refused 1 "open nowhere/t.csv" train -m ccf nowhere/t.csv

# CSV that begins as one of these does
for head in PAR1 FEA1 svforest ARROW1 '[a]' '{a}' '[1' '"{""a"": 1}"' '[true' '[]' '{"a"' '["a"]'; do
  sed "1s/^a/$head/" numbers.csv >odd.csv
  works train -m ccf -q odd.csv -o odd.svf
  works predict odd.svf odd.csv
done
printf '[1],[2]\n%s\n' "$(sed 1d numbers.csv | cut -d, -f 2,3)" >odd.csv
works train -m ccf -q odd.csv -o odd.svf
# what looks like JSON all through is read where the format is named
printf '[1]\n[2]\n' | awk '{ for (i = 0; i < 20; i++) print }' >odd.csv
refused 1 "JSON" train -m ccf odd.csv
refused 1 "no column is left" train -m ccf --format csv odd.csv
absent x.svf
no_litter
finish
