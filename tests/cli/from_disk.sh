#!/usr/bin/env bash
# train --from-disk: whatever the memory and so the chunks, the model is that of training in memory; a run that found its disk full is
# continued; nothing is left behind. from_disk_killed.sh kills it.
. "$(dirname "$0")/lib.sh"

"$svforest" synth classification -n 15000 -d 4 --classes 3 -o classes.csv -q
"$svforest" synth friedman1 -n 12000 -d 5 -o numbers.csv -q
# Text with separators, quotes and line breaks, dates, blanks; a category that begins late.
awk 'BEGIN { print "age,\"the \"\"colour\"\"\",when,bought"; for (i = 0; i < 12000; i++) {
  colour = substr("redblugrn", 1 + 3 * (i * i % 3), 3)
  print (i % 13 ? i * 7 % 101 : "") ",\"" colour (i % 3 ? "" : ",\n\"\"x\"\"") "\",2024-01-" 1 + i % 28 "," \
    ((i * 37 % 101 + i % 3 * 20 > 60) ? (i % 90 ? 10 : 9) : 2) } }' >mixed.csv
# An index that is the largest occurs once, near the end; comments and blank lines.
awk 'BEGIN { for (i = 0; i < 20000; i++) { if (i % 1000 == 500) print "# " i "\n"
  printf "%d 1:%.3f 3:%.3f%s\n", i % 7 * i % 3, i % 7 + i % 89 / 100, i * i % 97 / 97, (i == 19990 ? " 6:1" : "") } }' >sparse.libsvm
python3 - <<'E'
import struct
def save(path, kind, fortran, rows, columns, number):
    shape = f"{{'descr': '{'<f8' if kind == 'd' else '<f4'}', 'fortran_order': {fortran}, 'shape': ({rows}, {columns}), }}"
    shape += " " * (-(len(shape) + 11) % 64) + "\n"
    places = [(i, j) for j in range(columns) for i in range(rows)] if fortran else [(i, j) for i in range(rows) for j in range(columns)]
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(shape)) + shape.encode())
        out.write(struct.pack(f"<{rows * columns}{kind}", *(number(i, j) for i, j in places)))
value = lambda i, j: (i * (j + 3) * 7919 % 1009) / 1009 if j < 4 else float(i * 7 * 7919 % 1009 > 600)
save("rows.npy", "d", False, 9000, 5, value)
save("columns.npy", "f", True, 9000, 5, value)
E

for job in "classes.csv 1 -m rsvt-full" "classes.csv 2 -m tbrf-l" "classes.csv 18 -m tbrf-g" "numbers.csv 1 -m rf" "mixed.csv 2 -m rsvt-full" "mixed.csv 1 -m rf" \
  "sparse.libsvm 1 -m rf" "rows.npy 1 -m rf" "rows.npy 18 -m metric-forest -s metric_rows=100 -s cell_rows=100 -s partition_rows=2000" "columns.npy 1 -m rf -s vote=weighted"; do
  # shellcheck disable=SC2086
  set -- $job
  table=$1 megabytes=$2 threads=1
  shift 2
  set -- -s trees=3 -s partition_rows=300 "$@" --seed 5
  works train -q --threads 2 "$@" -o memory.svf "$table"
  for memory in ${megabytes}MB $((megabytes * 2))MB 40MB; do
    works train -q --threads $threads "$@" --from-disk --memory $memory -o disk.svf "$table"
    same memory.svf disk.svf
    threads=$((threads + 1))
    absent disk.svf.parts
    rm -rf disk.svf.parts
  done
done
absent disk.svf.parts

# It says what it needs, and takes the options that a table has.
job=(-m rsvt-full -s trees=2 -s partition_rows=300 --from-disk --memory 1MB)
expect 0 train "${job[@]}" --class-weight 2=3 --drop x1 --feature "p=x2*x3" -o disk.svf classes.csv
says "scratch space in disk.svf.parts: about .* MB, and .* are free"
expect 0 train -q -m rsvt-full -s trees=2 -s partition_rows=300 --class-weight 2=3 --drop x1 --feature "p=x2*x3" -o memory.svf classes.csv
same memory.svf disk.svf
mkdir large
expect 0 train "${job[@]}" --scratch large -o disk.svf classes.csv
says "scratch space in large/disk.svf.parts"
[ -z "$(ls -A large)" ] || fail "scratch files are left"

works train -q -m rsvt-full -s trees=2 -s partition_rows=300 -o memory.svf classes.csv
# A part that is damaged is named; without it the run goes on. Other jobs, and another run, are kept out.
rm -f disk.svf
"$svforest" train -q "${job[@]}" -o disk.svf classes.csv &
pid=$!
while [ ! -e disk.svf.parts/rows.2.1 ] && kill -0 $pid 2>/dev/null; do :; done
kill -STOP $pid
if [ ! -e disk.svf ]; then
  refused 1 "in use by another run" train -q "${job[@]}" -o disk.svf classes.csv
  kill -9 $pid
  wait $pid 2>/dev/null
  refused 1 "the parts of another job" train -q "${job[@]}" --seed 8 -o disk.svf classes.csv
  cp disk.svf.parts/rows.1.1 kept
  head -c 3000 kept >disk.svf.parts/rows.1.1
  refused 1 "rows.1.1 is cut short" train -q "${job[@]}" -o disk.svf classes.csv
  rm disk.svf.parts/rows.1.1
  works train -q "${job[@]}" -o disk.svf classes.csv
  same memory.svf disk.svf
fi
absent disk.svf.parts

# A scratch disk that is too small: what is wrong, and the same command on a larger one.
mkdir small
if mount -t tmpfs -o size=700k none small 2>/dev/null; then
  expect 1 train "${job[@]}" --scratch small -o full.svf classes.csv
  says "name a folder on a larger disk"
  says "No space left on device; small/full.svf.parts keeps what is done"
  absent full.svf
  mount -o remount,size=60m small
  expect 0 train "${job[@]}" --scratch small -o full.svf classes.csv
  says "parts were there"
  same memory.svf full.svf
  [ -z "$(ls -A small)" ] || fail "scratch files are left"
  umount small
fi

# Within so much memory, all of it counted. The table has 24 MB as doubles. Sanitizers reserve more by themselves.
if ! grep -q '__[at]san_init' "$svforest"; then
  "$svforest" synth classification -n 150000 -d 19 -o wide.csv -q
  limited=(-m rsvt-full -s trees=2 -s partition_rows=2000 --threads 1)
  works train -q "${limited[@]}" -o memory.svf wide.csv
  (
    ulimit -v 40000
    "$svforest" train -q "${limited[@]}" --from-disk --memory 8MB -o disk.svf wide.csv 2>err
  ) || fail "train --from-disk needs more than 40 MB"
  same memory.svf disk.svf
fi

# Remarks on the table are made, as in memory; files of somebody else stay where they are.
awk 'BEGIN { print "id,b,y"; for (i = 0; i < 2000; i++) print "n" i "x," i % 5 "," (i % 2 ? "x" : "y") }' >ids.csv
expect 0 train -m rsvt-full -s partition_rows=100 --from-disk -o ids.svf ids.csv
says "column 'id': nearly every row"
mkdir theirs.svf.parts
for name in cuts rows.backup.tmp; do echo x >theirs.svf.parts/$name; done
refused 1 "holds the parts of another job" train -q -m rf -s partition_rows=100 --from-disk -o theirs.svf ids.csv
[ -e theirs.svf.parts/rows.backup.tmp ] || fail "a file of another job was removed"
rm -r theirs.svf.parts

# What is refused.
refused 2 "name it with -m" train --from-disk classes.csv
refused 2 "set partition_rows" train -m rf --from-disk classes.csv
refused 2 "is for --from-disk" train -m rf --memory 1GB classes.csv
refused 2 "is for --from-disk" train -m rf --scratch . classes.csv
refused 2 "must be a size" train -m rf --memory much classes.csv
refused 2 "both must be files" train -m rf -s partition_rows=300 --from-disk -o no.svf - </dev/null
refused 2 "both must be files" train -m rf -s partition_rows=300 --from-disk -o - classes.csv
refused 2 "trees of vote=boost" train -m boost -s partition_rows=300 --from-disk classes.csv
gzip -k numbers.csv
refused 1 "not packed" train -m rf -s partition_rows=300 --from-disk -o no.svf numbers.csv.gz
refused 1 "cannot be read in chunks" train -m rf -s partition_rows=300 --from-disk -o no.svf absent.csv
rm -rf no.svf.parts
refused 1 "would need .* raise the memory, and remove no.svf.parts" train -q -m rsvt-full -s partition_rows=300 --from-disk --memory 100kB -o no.svf classes.csv
rm -rf no.svf.parts
refused 1 "raise it" train -q -m rf -s partition_rows=300 --from-disk --memory 100 -o no.svf numbers.csv
refused 1 "do not fit into the memory" train -q -m rf -s partition_rows=9000 --from-disk --memory 1MB -o no.svf numbers.csv
awk -F, 'NR < 11000 { print; next } { print $1 ",red," $3 "," $4 "," $5 "," $6 }' numbers.csv >late.csv
refused 1 "column 'x2' is a number in late.csv, rows 1 to .* and a category in late.csv, rows" \
  train -q -m rf -s partition_rows=300 --from-disk --memory 1MB -o no.svf late.csv
awk 'BEGIN { print "x,y"; for (i = 0; i < 60000; i++) print i % 71 "," int(i / 1500) + i % 20 }' >counts.csv
refused 1 "say what it is with --task" train -q -m rf -s partition_rows=300 --from-disk --memory 1MB -o no.svf counts.csv
works train -q -m rf -s trees=2 -s partition_rows=300 --task regress --from-disk --memory 2MB -o yes.svf counts.csv
sed '12500s/.*/1,2/' classes.csv >short.csv
refused 1 "short.csv:12500: row has 2 cells" train -q -m rf -s partition_rows=300 --from-disk --memory 1MB -o no.svf short.csv
absent no.svf
rm -rf ./*.parts
no_litter
finish
