#!/bin/bash
# Every cell of docs/TOGETHER.md: a specification, a command, a criterion. Run again, each is what the page says: accepted and refuted as it should
# be, or refused by name.
. "$(dirname "$0")/lib.sh"
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip the cells are tested with the other builds"; exit 0; fi
BUILD=${PLUMB_BUILD:-build}
[ -e "$BUILD/libplumbline-explore.so" ] || { echo "skip the explorer is not built"; exit 0; }
plain_scratch
tools/cells/run.sh "$BUILD" >"$SCRATCH/made" 2>"$SCRATCH/err"
ok "every cell is run or refused by name" $?
sed 's/^/# /' "$SCRATCH/err" | head -20
diff docs/TOGETHER.md "$SCRATCH/made" >"$SCRATCH/out"
ok "and is as docs/TOGETHER.md says (tools/cells/run.sh $BUILD >docs/TOGETHER.md)" $?
ok "none is empty" "$(! grep -q '|  |\|BAD' "$SCRATCH/made"; echo $?)"
ok "every number has a reason" "$(for n in $(grep -o '([0-9]*)' "$SCRATCH/made" | tr -d '()' | sort -un); do grep -q "^$n\. .*[a-z]" "$SCRATCH/made" || echo "$n"; done | grep -c . | grep -qx 0; echo $?)"
finish
