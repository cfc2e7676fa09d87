#!/usr/bin/env bash
# Completion scripts: that of bash is asked, those of zsh and fish are parsed by their shells where these are installed.
. "$(dirname "$0")/lib.sh"

for shell in bash zsh fish; do
  works completion $shell
  cp out script.$shell
done
bash -n script.bash || fail "bash does not parse its script"
for shell in zsh fish; do
  command -v $shell >/dev/null || continue
  $shell -n script.$shell || fail "$shell does not parse its script"
done

# shellcheck source=/dev/null
source script.bash
complete -p svforest | grep -q -- '-F _svforest' || fail "bash: nothing is registered"
# completes WORDS... : the words as bash cuts them, the last being completed; the answers are in `found`
completes() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _svforest
  found=" ${COMPREPLY[*]} "
}
gives() { # ANSWER... : just these
  [ "$found" = " $* " ] || fail "${COMP_WORDS[*]}: completed by '$found', not '$*'"
}
completes svforest tr
gives train
completes svforest ''
for verb in train predict eval report cv tune info merge export verify methods synth demo completion help; do
  [[ $found == *" $verb "* ]] || fail "the verb $verb is not offered"
done
completes svforest --v
gives --version
completes svforest train --thr
gives --threads
completes svforest train -m rsvt-
gives rsvt-full rsvt-ccf
completes svforest cv --method rf,rsvt-f
gives rf,rsvt-full
completes svforest train -s tree
gives trees= tree_candidates= tree_features=
completes svforest train -s cut = a
gives adaptive
completes svforest train -s rows =
gives all bootstrap subsample balanced
completes svforest train -s features = s
gives sqrt
completes svforest train -s trees = 5
gives ""
completes svforest train --set = cut
gives cut= cut_candidates=
completes svforest train --task ''
gives class regress
completes svforest train --task = r
gives regress
completes svforest tune --search g
gives grid
completes svforest methods tbrf-
gives tbrf-c tbrf-l tbrf-g
completes svforest synth moo
gives moons
completes svforest help ma
gives man
completes svforest completion ''
gives bash zsh fish
completes svforest predict m
gives "" # a file: bash's own
completes svforest predict m.svf d.csv -o x
gives ""
completes svforest predict m.svf d.csv --k
gives --keep
completes svforest nonsense ''
gives ""

# every option of every verb, from the help, is in each script
for verb in train predict eval report cv tune info merge export verify methods synth demo completion help; do
  works $verb -h
  for option in $(sed -n '/^options/,/^\(settings\|example\)/s/^  ....--\([a-z-]*\).*/\1/p' out); do
    completes svforest "$verb" "--$option"
    [[ $found == *" --$option "* ]] || fail "bash: $verb --$option is not offered"
    sed -n "/^    ($verb)/,/;;/p" script.zsh | grep -q -- "'\*--$option[=[]" || fail "zsh: $verb --$option is not offered"
    grep -q -- "_from $verb' .*-l $option " script.fish || fail "fish: $verb --$option is not offered"
  done
done
refused 2 "no script for 'tcsh'; there are bash, zsh and fish" completion tcsh
refused 2 "SHELL is missing" completion
finish
