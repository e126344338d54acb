#!/bin/bash
# What the memory of a program under test is: which accesses are ordered and which race, where invariants look at it, stacks, blocks
# that come back, what libc keeps, what is left at the end. Each program states its right answer.
sources=$(realpath "$(dirname "$0")/memory")
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1
explore() { plumb explore --quiet -j1 --schedule "$SCRATCH/schedule" "$@"; rm -f "$SCRATCH/schedule"; }
matches() { ok "$1" "$(grep -qE -- "$2" "$SCRATCH/out"; echo $?)"; } # name pattern
compilers=(gcc); command -v clang >/dev/null && compilers+=(clang)

# ---- blocks end at their last byte ------------------------------------------------------------------------------------------------
cat >ends.c <<'C'
#include <stdatomic.h>
#include <pthread.h>
#include <stdlib.h>
static atomic_int n;
static char *block;
static void *work(void *p) {
    int at = SIZE - 2 + n++;
    if (WRITES) block[at] = 1;
    else n += block[at] > 99;
    return p;
}
int main(void) {
    pthread_t t[3];
    block = realloc(calloc(SIZE / 2, 1), SIZE);
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    free(block);
    return 0;
}
C
for size in 2 15 16 17 40 4096; do
    explore -O1 -DSIZE=$size -DTHREADS=2 -DWRITES=1 ends.c
    exits "$size bytes are $size bytes" 0
    explore -O1 -DSIZE=$size -DTHREADS=3 -DWRITES=1 ends.c
    exits "and none more to write, of $size" 1
    matches "which is what is said, of $size" "^use after free: thread . writes to .* outside of every allocated block, at ends.c:8"
    explore -O1 -DSIZE=$size -DTHREADS=3 -DWRITES=0 ends.c
    exits "none to read, of $size" 1
done

# ---- happens-before ------------------------------------------------------------------------------------------------------------
for cc in "${compilers[@]}"; do
    export PLUMB_CC=$cc
    for type in int long short; do
        for race in 1 2 4 8 10; do
            explore --races --model sc -O1 -DT=$type -DCASE=$race "$sources/orders.c"
            exits "$cc, $type: case $race is a race" 1
            matches "$cc, $type: of d, in case $race" "writes d at .* while thread 1 writes it"
        done
        for ordered in 3 5 6 7 9 11; do
            explore --races --model sc -O1 -DT=$type -DCASE=$ordered "$sources/orders.c"
            exits "$cc, $type: case $ordered is ordered" 0
        done
    done
    explore --races -O1 "$sources/named_race.c"
    matches "$cc: the variable that is read" "reads s.late at .* while thread 1 writes it"
    says "$cc: the value that is read" out "  reads s.late 7 "
    explore --races -O1 -DWRITES "$sources/named_race.c"
    matches "$cc: the variable that is written" "writes s.late at .* while thread 1 writes it"
    says "$cc: the value that is written" out "  writes s.late 5 "
done
unset PLUMB_CC

# ---- invariants ----------------------------------------------------------------------------------------------------------------
for strategy in auto dpor bounded dfs; do
    for broken in 1 2 5 6; do
        explore -s $strategy -DCASE=$broken "$sources/invariants.c"
        exits "$strategy: invariant $broken is broken" 1
        says "$strategy: and said to be, $broken" out "invariant broken"
    done
    for holds in 3 4; do
        explore -s $strategy -DCASE=$holds "$sources/invariants.c"
        exits "$strategy: invariant $holds holds" 0
    done
done
# ---- stacks --------------------------------------------------------------------------------------------------------------------
explore -O1 "$sources/stacks.c"
exits "six of eight megabytes are used" 0
explore -O1 -DMAIN "$sources/stacks.c"
exits "by main, too" 0
explore -O1 -DMB=20 -DASKED=24 "$sources/stacks.c"
exits "20 of 24 that were asked for" 0
for frame in 9 20 100; do
    explore -O1 -DMB=$frame "$sources/stacks.c"
    exits "a frame of $frame megabytes" 1
    says "is an overflow: $frame" out "its stack overflows"
done

# ---- what libc keeps -----------------------------------------------------------------------------------------------------------
explore -O1 "$sources/seeds.c"
exits "seeds" 0

# ---- blocks that come back, and what is left at the end --------------------------------------------------------------------------
for outcome in 2 3; do
    explore -O1 --reuse choose -DOUTCOME=$outcome "$sources/reuse.c"
    exits "a block that another thread freed: outcome $outcome is found" 1
    explore -O1 -s dpor --reuse choose -DOUTCOME=$outcome "$sources/reuse.c"
    exits "and with dpor: $outcome" 1
done
explore -O1 --reuse choose -DOUTCOME=1 "$sources/reuse.c"
exits "a block that was not freed does not come back" 0
explore -O1 --reuse choose --races -DOUTCOME=1 -DFREES "$sources/reuse.c"
exits "a free comes before the malloc that returns the block" 0
explore --freed-reads --reuse choose -DBUG_ABA --program "push(1) pop | pop push(2) push(3) pop" "$sources/../../../corpus/treiber_stack.c"
exits "a freed block that stays away for one allocation and then comes back: ABA" 1
if command -v g++ >/dev/null; then
    explore --leaks -std=c++17 "$sources/statics.cpp"
    exits "static objects are destroyed before leaks are counted" 0
    explore --leaks -std=c++17 -DLEAK "$sources/statics.cpp"
    exits "and leaks are still seen" 1
    says "as leaks" out "never freed"
fi
finish
