#!/bin/bash
# Every wrong version of the corpus is found with default settings, every right one passes: for a second each, as long as
# test_monitors.sh looks at most of them once more; for a minute with PLUMB_SOAK.
[ -e "${PLUMB:-build/plumb}" ] || exit 1
if [ ! -e "$(dirname "${PLUMB:-build/plumb}")/libplumbline-explore.so" ]; then echo "skip corpus: the explorer is not built with sanitizers"; exit 0; fi
export PLUMB_CORPUS_SECONDS=${PLUMB_CORPUS_SECONDS:-$([ -n "${PLUMB_SOAK-}" ] && echo 60 || echo 1)}
exec tools/corpus.sh --tap
