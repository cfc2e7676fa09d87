#!/usr/bin/env bash
# The example serve.c answers as predict does, from standard input and from a socket.
# usage: serving.sh /path/to/svforest /path/to/example_serve
serve=$(realpath "$2")
set -- "$1"
. "$(dirname "$0")/../cli/lib.sh"

awk 'BEGIN { srand(2); print "a,colour,day,y"; for (i = 0; i < 120; i++) { a = rand(); c = int(rand() * 2)
  printf "%s,%s,2024-%02d-%02d,%s\n", (i % 8 ? a : ""), (i % 9 ? (c ? "red" : "blue") : ""), i % 12 + 1, i % 28 + 1, (a + c > 1 ? "yes" : "no") } }' >t.csv
works train -q -m rsvt t.csv -o m.svf
works predict -q m.svf t.csv -o wanted
tail -n +2 wanted >answers
tail -n +2 t.csv | cut -d, -f1-3 >rows
"$serve" m.svf <rows >out 2>err || fail "serve: exit $?"
same out answers
says "^120 rows, 50% within .* us.*longest"

printf '1,2\n1,red,2024-01-01,4\nx,red,2024-01-01\n,black,\ninf,red,2024-01-01\n' | "$serve" m.svf >out 2>err
[ "$(grep -c '^error: ' out)" -eq 4 ] || fail "serve: not 4 errors"
[ "$(sed -n 4p out | grep -c '^\(yes\|no\)$')" -eq 1 ] || fail "serve: an unknown category has no answer"
"$serve" nothing.svf </dev/null >out 2>err && fail "serve: a model that is not there"
"$serve" 2>err && fail "serve: no usage"

# two guests, one after the other
if command -v python3 >/dev/null; then
  "$serve" m.svf door 2>err &
  server=$!
  for _ in $(seq 100); do [ -S door ] && break; sleep .05; done
  python3 - <<'PYTHON' >out || fail "the socket"
import socket
rows = open("rows").read().splitlines(True)
for part in (rows[:50], rows[50:]):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("door")
        with s.makefile("rw") as f:
            for row in part:
                f.write(row); f.flush()
                print(f.readline(), end="")
PYTHON
  same out answers
  kill -TERM $server
  wait $server || fail "serve: exit $? after SIGTERM"
  says "^120 rows"
  absent door
fi
finish
