#!/bin/bash
# Code whose bugs only weak memory shows: found with default settings, though every interleaving is right; the right versions pass.
# The compilers and levels take turns.
plumb=${PLUMB:-build/plumb}
[ -e "$plumb" ] || exit 1
if [ ! -e "$(dirname "$plumb")/libplumbline-explore.so" ]; then echo "skip weak: the explorer is not built with sanitizers"; exit 0; fi
compilers="gcc -O2,gcc -O0"
command -v clang >/dev/null && compilers="gcc -O2,clang -O2,gcc -O0,clang -O0"
PLUMB_CORPUS_SECONDS=60 PLUMB_CORPUS_COMPILERS=$compilers tools/corpus.sh corpus/weak --tap
bad=$?
while read -r file flag truth more; do
    [ "$truth" = wrong ] || continue
    # shellcheck disable=SC2086
    timeout 100 "$plumb" explore -q --model sc -D"$flag" $more --schedule /dev/null "corpus/weak/$file" >/dev/null 2>&1 && ok=ok || { ok="not ok"; bad=1; }
    echo "$ok - $file $flag is right in every interleaving"
done < <(grep -v '^#' corpus/weak/cases.txt)
exit $bad
