#!/bin/bash
# plumbline/bits.h: each kind of bit is what it is called and no more, several readers do not disturb each other, and a regular bit is
# made of a safe one as Lamport says.
. tests/cli/lib.sh
BUILD=$(dirname "$PLUMB")
[ -e "$BUILD/libplumbline-explore.so" ] || { echo "skip the explorer is not built"; exit 0; }
plain_scratch
explore() { plumb explore --quiet --color never --jobs 1 --strategy states --schedule "$SCRATCH/schedule" "$@"; }
is() { # name, criterion, expected exit code, flags...
    local name=$1 criterion=$2 expected=$3
    shift 3
    explore --criterion "$criterion" --flags "$*" examples/explore/regular_bit.c
    exits "$name" "$expected"
}
is "an atomic bit is linearizable" linearizable 0 -DKIND=PLUMB_ATOMIC
is "a regular bit is regular" regular 0 -DKIND=PLUMB_REGULAR
is "and not linearizable" linearizable 1 -DKIND=PLUMB_REGULAR
is "a safe bit is safe" safe 0 -DKIND=PLUMB_SAFE
is "and not regular" regular 1 -DKIND=PLUMB_SAFE
is "a safe bit that is written when it changes is regular" regular 0
is "and not linearizable" linearizable 1
is "one that is always written is not regular" regular 1 -DALWAYS
# Two readers, each with a number of its own: what one has seen is not forgotten by the other.
cat >"$SCRATCH/two.c" <<'END'
#include <plumbline/bits.h>
static plumb_bit bit = PLUMB_BIT(KIND, 0);
PLUMB_OBJECT("register")
PLUMB_INITIAL("0")
PLUMB_OP(write, x) { plumb_bit_write(&bit, (int)x); return plumb_none(); }
PLUMB_OP(read) { return plumb_int(plumb_bit_read(&bit, 0)); }
PLUMB_OP(get) { return plumb_int(plumb_bit_read(&bit, 1)); }
PLUMB_THREADS("write(1) write(1) | read | get")
END
for row in "PLUMB_ATOMIC linearizable 0" "PLUMB_REGULAR regular 0" "PLUMB_REGULAR linearizable 1" "PLUMB_SAFE safe 0" "PLUMB_SAFE regular 1"; do
    read -r kind criterion expected <<<"$row"
    explore --criterion "$criterion" --flags "-DKIND=$kind" "$SCRATCH/two.c"
    exits "two readers, $kind: $criterion" "$expected"
done
finish
