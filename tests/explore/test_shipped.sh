#!/bin/bash
# Structures of ConcurrencyKit, liburcu, Boost.Lockfree and libstdc++ as their packages ship them, with their inline assembly:
# wrong uses are found, right ones pass. The compilers and levels take turns; PLUMB_SOAK=1 runs all of them.
plumb=${PLUMB:-build/plumb}
[ -e "$plumb" ] || exit 1
if [ ! -e "$(dirname "$plumb")/libplumbline-explore.so" ]; then echo "skip shipped: the explorer is not built with sanitizers"; exit 0; fi
export PLUMB_CORPUS_SECONDS=${PLUMB_CORPUS_SECONDS:-0.4}
compilers="gcc -O2,gcc -O0"
command -v clang >/dev/null && compilers="gcc -O2,clang -O2,gcc -O0,clang -O0"
if [ -z "${PLUMB_SOAK-}" ]; then
    PLUMB_CORPUS_COMPILERS=$compilers exec tools/corpus.sh corpus/shipped --tap
fi
bad=0
IFS=, read -ra turns <<<"$compilers"
for turn in "${turns[@]}"; do PLUMB_CORPUS_COMPILERS=$turn PLUMB_CORPUS_SECONDS=5 tools/corpus.sh corpus/shipped --tap || bad=1; done
exit $bad
