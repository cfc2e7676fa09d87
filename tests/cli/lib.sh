# lib.sh - what the tests of the command share. A test is run as: NAME.sh /path/to/svforest
# It works in a folder of its own, counts its failures, and ends with `finish`.
# shellcheck shell=bash
set -u
if [ $# -ne 1 ]; then
  echo "usage: $0 /path/to/svforest" >&2
  exit 2
fi
svforest=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
  echo "FAIL: $*"
  [ -s out ] && sed 's/^/  out: /' out | head -5
  [ -s err ] && sed 's/^/  err: /' err | head -5
  failures=$((failures + 1))
}

# expect CODE WORD...: runs svforest; its output is in `out` and `err`.
expect() {
  wanted=$1
  shift
  last="svforest $*"
  "$svforest" "$@" >out 2>err
  code=$?
  [ "$code" -eq "$wanted" ] || fail "$last: exit $code, not $wanted"
}

# refused CODE PATTERN WORD...: fails with one line on stderr that has the pattern, and nothing on stdout.
refused() {
  wanted=$1 pattern=$2
  shift 2
  expect "$wanted" "$@"
  says "$pattern"
  [ "$(wc -l <err)" -eq 1 ] || fail "$last: the message is not one line"
  [ -s out ] && fail "$last: wrote to standard output"
}

# works WORD...: done, with nothing on stderr.
works() {
  expect 0 "$@"
  [ -s err ] && fail "$last: not silent on stderr"
}

# busy TICKS: waits until the process `pid` has taken so many ticks of processor time, which are then in `taken`; false: it has ended.
busy() {
  local line
  while read -r line 2>/dev/null <"/proc/$pid/stat"; do
    # shellcheck disable=SC2086
    set -- "$1" ${line##*) }
    [ "$2" != Z ] || return 1
    taken=$((${13} + ${14}))
    [ "$taken" -lt "$1" ] || return 0
    sleep 0.05
  done
  return 1
}
hertz=$(getconf CLK_TCK)

# told PATTERN: waits until the process `pid` has written the pattern to `err`; false: it has ended without.
told() {
  while ! grep -q -- "$1" err; do
    kill -0 $pid 2>/dev/null || return 1
    sleep 0.05
  done
}

says() { grep -qi -- "$1" err || fail "$last: stderr lacks '$1'"; }
prints() { grep -q -- "$1" out || fail "$last: stdout lacks '$1'"; }
absent() { for file in "$@"; do [ -e "$file" ] && fail "$file should not be there"; done; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
# No file that a broken run could have left.
no_litter() {
  for file in *.tmp* .*.tmp*; do [ -e "$file" ] && fail "left behind: $file"; done
  return 0
}

# numbers ROWS: a small set of two classes in `numbers.csv`, columns a, b, class.
numbers() {
  awk -v n="$1" 'BEGIN { print "a,b,class"; for (i = 0; i < n; i++) { a = (i * 7 % 23) / 23; b = (i * 5 % 19) / 19;
    print a "," b "," (a + b > 1 ? "yes" : "no") } }' >numbers.csv
}

finish() {
  [ "$failures" -eq 0 ] && exit 0
  echo "$failures failed"
  exit 1
}
