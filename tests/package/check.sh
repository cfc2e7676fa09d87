#!/usr/bin/env bash
# Installs a build into a folder of its own, moves that folder, and uses it as strangers would: the command, the
# manual page, the library by CMake and by pkg-config; and compares what it exports with the headers.
# usage: check.sh BUILD COMPILER
set -euo pipefail
build=$(realpath "$1") compiler=$2
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
prefix=$work/prefix
pc=$(find "$prefix" -name svforest.pc)
libdir=$(dirname "$(dirname "$pc")")

fail() {
  echo "FAIL: $*"
  exit 1
}

# Runs a consumer and expects its line.
runs() {
  local line
  line=$(LD_LIBRARY_PATH=$libdir "$1")
  echo "$line ($2)"
  [[ $line == "svforest "*" right" ]] || fail "the consumer made by $2 printed something else"
}

the_command() {
  "$prefix/bin/svforest" --version
  grep -q '^\.TH SVFOREST 1' "$prefix/share/man/man1/svforest.1" || fail "no manual page"
  for script in bash-completion/completions/svforest zsh/site-functions/_svforest fish/vendor_completions.d/svforest.fish; do
    grep -q 'Completion of svforest' "$prefix/share/$script" || fail "no $script"
  done
  [ -s "$prefix/share/doc/svforest/LICENSE" ] || fail "no license"
}

by_cmake() {
  cmake -S "$here" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" >/dev/null
  cmake --build "$work/consumer" >/dev/null
  runs "$work/consumer/consumer" CMake
}

by_pkg_config() {
  local flags static=()
  [ -e "$libdir/libsvforest.so" ] || static=(--static)
  flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config "${static[@]}" --cflags --libs svforest)
  # shellcheck disable=SC2086 # flags are words
  "$compiler" -Wall -Wextra -Werror "$here/consumer.c" -o "$work/consumer_pc" $flags
  runs "$work/consumer_pc" pkg-config
}

# Each header serves by itself, in C and, where there is a compiler for it, in C++.
headers() {
  local header
  for header in "$prefix"/include/svforest*.h; do
    echo "#include \"$header\"" | "$compiler" -Wall -Wextra -Werror -fsyntax-only -x c - || fail "$header in C"
    command -v c++ >/dev/null || continue
    echo "#include \"$header\"" | c++ -Wall -Wextra -Werror -fsyntax-only -x c++ - || fail "$header in C++"
  done
}

exports() {
  [ -e "$libdir/libsvforest.so" ] || return 0
  [ -L "$libdir/libsvforest.so.0" ] || fail "the library lacks the link of its soname"
  nm -D --defined-only "$libdir/libsvforest.so" | awk '{ print $3 }' | sort >"$work/exported"
  printf '#include "%s"\n' "$prefix"/include/svforest*.h | "$compiler" -E -P -x c - | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*visibility("default"))) *[^(]*\b\(svf_[a-z0-9_]*\) *(.*/\1/p' | sort >"$work/declared"
  diff "$work/declared" "$work/exported" || fail "headers (<) and library (>) differ"
  echo "$(wc -l <"$work/exported") functions exported, all in the headers"
}

the_command
by_cmake
by_pkg_config
headers
exports
