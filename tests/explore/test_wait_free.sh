#!/bin/bash
# Our own wait-free code under our own explorer: recorder, verifier and guard (src/runtime, compiled by plumb cc) in small cases, through every
# interleaving. The rest of the house takes part as it was built: what it works on belongs to one thread.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
root=$PWD build=$(dirname "$PLUMB")
house=$build/libplumb_house.a
[ -e "$build/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
[ -e "$house" ] || { echo "skip the objects of the house are not here"; exit 0; }
cd "$SCRATCH" || exit 1

flags=(-I"$root/include" -I"$root/src" -D_GNU_SOURCE -DPLUMB_SELF_CHECKS)
objects="plumb_values plumb_engines plumb_solver plumb_checking plumb_exploring plumb_outside"
# shellcheck disable=SC2086
(cd "$build/CMakeFiles" && find ${objects// /.dir }.dir -name '*.o' ! -path '*/src/runtime/*' -printf "$build/CMakeFiles/%p\0") | xargs -0 ar rcs house.a
strip --strip-debug house.a # it is linked again and again
compiled() { # files flags: as cmake/libraries.cmake has them
    for f in $1; do "$PLUMB" cc -O1 -g "${flags[@]}" ${2:+"$2"} -c "$f" -o "$(basename "$f" .c).o" || ok "plumb cc $f" 1; done
}
compiled "$root/src/runtime/record/*.c"
compiled "$root/src/runtime/*.c" -Dfree=mem_free

# The header of logs that are shared with forked processes is mapped over a part of what there is (MAP_FIXED): here it is that part. And nothing
# that an execution leaves is wiped for the next one.
cat >again.c <<'EOF'
#include <string.h>
#include <sys/mman.h>
void *map_or_again(void *at, size_t size, int access, int kind, int file, off_t offset);
int __wrap_madvise(void *at, size_t size, int advice);
void *map_or_again(void *at, size_t size, int access, int kind, int file, off_t offset) {
    return kind & MAP_FIXED ? memset(at, 0, size) : mmap(at, size, access, kind, file, offset);
}
int __wrap_madvise(void *at, size_t size, int advice) {
    (void)at, (void)size, (void)advice;
    return 0;
}
EOF
"$PLUMB" cc -O1 -g -D_GNU_SOURCE -c again.c -o again.o || ok "plumb cc again.c" 1
"$PLUMB" cc -O1 -g "${flags[@]}" -Dmmap=map_or_again -c "$root/src/runtime/record/recording.c" -o recording.o || ok "plumb cc recording.c" 1

explored() { # source flags threads: the report is in $SCRATCH/out. What no small case calls, the solver among it, need not be linked.
    # shellcheck disable=SC2086
    timeout 600 "$PLUMB" explore --quiet --jobs 1 --strategy dpor --spurious 0 --time 500 --schedule "$SCRATCH/schedule" "${flags[@]}" $2 --program "$3" "$root/tests/explore/runtime/$1" ./*.o house.a \
        --foreign=warn -Wl,--wrap=mmap,--wrap=munmap,--wrap=madvise,--wrap=syscall,--unresolved-symbols=ignore-all -lz -lzstd -lm >"$SCRATCH/out" 2>"$SCRATCH/err"
    code=$?
    rm -f "$SCRATCH/schedule"
}

# What the report says is left out, and nothing else may be: weaker orders than sequential consistency, memory that malloc could have given, and the
# house as it was built.
known="( under sequential consistency; [0-9]+ places? uses? weaker orders, whose reorderings were not explored \(--model rc11\))?"
known+="(; [0-9]+ allocations? could have got other memory [(]--reuse[)])?"
known+="(; [0-9]+ linked objects were not compiled by plumb cc: what they access was not seen)?"

all() { # name source flags threads
    explored "$2" "$3" "$4"
    exits "$1: $4" 0
    ok "$1: through every interleaving" "$(grep -qxE "covered: every interleaving($known)?" "$SCRATCH/out"; echo $?)"
}

for clock in TICKET SNAPSHOT; do
    c=-DCLOCK=PLUMB_CLOCK_$clock
    all "$clock, a right queue is called linearizable" recorded.c "$c" "enq(1) | deq | look"
    all "$clock, a right queue's answers are all verified" guarded.c "$c" "enq(1) | deq"
    if [ -n "${PLUMB_SOAK-}" ]; then all "$clock, a wrong queue is found" recorded.c "$c -DWRONG" "enq(1) : deq | deq | look"; fi
    if [ -n "${PLUMB_SOAK-}" ] || [ $clock = SNAPSHOT ]; then all "$clock, a wrong queue's answers do not get out" guarded.c "$c -DWRONG" "enq(1) : deq | deq"; fi
done
all "TICKET, a value that was there and is not found is noticed" recorded.c "-DCLOCK=PLUMB_CLOCK_TICKET -DFORGETFUL" "enq(1) | deq | look"
explored guarded.c "-DCLOCK=PLUMB_CLOCK_TICKET -DWRONG -DTRUSTING" "enq(1) : deq | deq"
exits "they would, if the guard were not heeded" 1
says "and the assertion says so" out "handed_out"
finish
