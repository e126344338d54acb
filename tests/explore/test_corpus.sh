#!/bin/bash
# Every wrong version of the corpus is found with default settings, every right one passes.
[ -e "${PLUMB:-build/plumb}" ] || exit 1
if [ ! -e "$(dirname "${PLUMB:-build/plumb}")/libplumbline-explore.so" ]; then echo "skip corpus: the explorer is not built with sanitizers"; exit 0; fi
exec tools/corpus.sh --tap
