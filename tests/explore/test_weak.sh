#!/bin/bash
# Native code under a weak memory model: the table of litmus tests, outcomes side by side, bugs that need weak memory and their mended
# forms, locks, loops that wait, races, replay, and what is refused by name.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
root=$PWD
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1
weak=$root/tests/explore/weak

explored() { # program options: the report is in out
    local program=$1
    shift
    rm -f ./*.schedule
    timeout 300 "$PLUMB" explore --quiet --time 200 "$@" "$weak/$program" >out 2>err
    code=$?
}
says() { # name exit-code pattern program options
    local name=$1 expected=$2 pattern=$3
    shift 3
    explored "$@"
    ok "$name" "$([ $code = "$expected" ] && grep -Eq "$pattern" out err; echo $?)"
    [ $code = "$expected" ] || sed 's/^/# /' out err
}
outcomes() { # name number program options: so many outcomes
    local name=$1 expected=$2
    shift 2
    explored "$@"
    local n
    n=$(grep -c '^  [a-z0-9]*=' out)
    ok "$name: $expected outcomes" "$([ $code = 0 ] && [ "$n" = "$expected" ]; echo $?)"
    [ "$n" = "$expected" ] || sed 's/^/# /' out err
}

# ---- the table: outcomes under sc, rc11 relaxed, release and acquire, sequentially consistent ----
while read -r test sc relaxed release consistent; do
    outcomes "$test gcc -O0, rc11, relaxed" "$relaxed" litmus.c -D"$test" -O0 --model rc11 -DW=relaxed -DR=relaxed
    outcomes "$test gcc -O2, rc11, relaxed" "$relaxed" litmus.c -D"$test" -O2 --model rc11 -DW=relaxed -DR=relaxed
    outcomes "$test gcc -O2, sc" "$sc" litmus.c -D"$test" -O2 --model sc -DW=relaxed -DR=relaxed
    outcomes "$test gcc -O2, rc11, release and acquire" "$release" litmus.c -D"$test" -O2 --model rc11 -DW=release -DR=acquire
    outcomes "$test gcc -O2, rc11, seq_cst" "$consistent" litmus.c -D"$test" -O2 --model rc11 -DW=seq_cst -DR=seq_cst
    if ! command -v clang >/dev/null; then echo "# skip: clang is not there"; continue; fi
    PLUMB_CC=clang outcomes "$test clang -O2, rc11, relaxed" "$relaxed" litmus.c -D"$test" -O2 --model rc11 -DW=relaxed -DR=relaxed
done <<'TABLE'
SB 3 4 4 3
MP 3 4 3 3
LB 3 3 3 3
IRIW 15 16 16 15
TWO_PLUS_TWO 3 4 4 3
CORR 6 6 6 6
WRC 7 8 7 7
S 3 4 3 3
RTEST 3 4 4 3
TABLE

# ---- side by side, and as JSON ----
explored litmus.c -DSB -DW=relaxed -DR=relaxed --model sc,rc11
ok "several models side by side" "$(grep -Eq '^  r1=0 r2=0 +0 +1$' out; echo $?)"
explored litmus.c -DSB -DW=relaxed -DR=relaxed --model sc,rc11 --json
ok "outcomes of several models as JSON" "$(grep -q '"outcomes":\[{"model":"sc","text":"r1=0 r2=1","executions":' out && grep -q '{"model":"rc11","text":"r1=0 r2=0","executions":1,' out; echo $?)"

# ---- bugs that only weak memory shows, and what mends them ----
for bug in DEKKER MESSAGE; do
    says "$bug: nothing under sc, and what was not looked at" 0 'were not explored \(--model rc11\)' bugs.c -D$bug -DORDER=relaxed
    says "$bug: found under rc11" 1 '^assertion failed' bugs.c -D$bug -DORDER=relaxed --model rc11
    "$PLUMB" replay --trust bugs.schedule >again 2>&1
    ok "$bug: replayed" "$([ $? = 1 ] && grep -q '^assertion failed' again; echo $?)"
    says "$bug: mended, every execution" 0 '^covered: every execution under RC11$' bugs.c -D$bug -DORDER=seq_cst --model rc11
done
# the schedule of a failure is no execution of the model once the orders were strengthened: it must not be believed
sed 's/#define ORDERED .*/#define ORDERED memory_order_relaxed/' "$weak/bugs.c" >changed.c
timeout 60 "$PLUMB" explore --quiet -DMESSAGE --model rc11 changed.c >out 2>err
failed=$?
sed -i 's/#define ORDERED .*/#define ORDERED memory_order_seq_cst/' changed.c
timeout 60 "$PLUMB" explore --quiet -DMESSAGE --model rc11 changed.c >out 2>err
ok "a schedule that the mended program has no more does not fail it" "$([ $? = 0 ] && [ $failed = 1 ] && grep -q '^no violation' out; echo $?)"
# nor is it one of another model, which therefore says nothing of it
sed -i 's/#define ORDERED .*/#define ORDERED memory_order_relaxed/' changed.c
timeout 60 "$PLUMB" explore --quiet -DMESSAGE --model rc11 changed.c >out 2>err
timeout 60 "$PLUMB" explore --quiet -DMESSAGE changed.c >out 2>err
ok "a schedule of another model is not tried" "$([ $? = 0 ] && ! grep -q 'was tried first' out; echo $?)"

says "the load that missed a newer write is marked" 1 'reads a 0 \(stale, not 1\)' bugs.c -DMESSAGE -DORDER=relaxed --model rc11

says "a queue that publishes with a relaxed swap races" 1 '^data race' queue.c -DPUBLISH=relaxed --model rc11
says "the same with atomic contents is not linearizable" 1 '^violation: not linearizable' queue.c -DPUBLISH=relaxed -DATOMIC_VALUE --model rc11
says "the published orders pass" 0 '^covered: every execution under RC11' queue.c -DPUBLISH=release --model rc11

# ---- locks and loops that wait ----
outcomes "a mutex: every order of three threads" 6 waits.c -DMUTEX --model rc11
outcomes "a lock by exchange: every order" 6 waits.c -DEXCHANGE --model rc11
says "a lock by exchange that releases nothing" 1 '^data race' waits.c -DEXCHANGE -DRELEASE=relaxed --model rc11
says "two locks in two orders" 1 '^deadlock' waits.c -DDEADLOCK --model rc11
says "a flag that is awaited" 0 '^covered: every execution under RC11' waits.c -DFLAG --model rc11
says "a flag that never comes" 1 '^livelock' waits.c -DFLAG -DNEVER --model rc11

# ---- refused by name ----
says "a model that there is not" 64 'expected sc, tso, ra or rc11' litmus.c -DSB -DW=relaxed -DR=relaxed --model arm
says "another strategy" 64 'without --strategy pct' litmus.c -DSB -DW=relaxed -DR=relaxed --model rc11 --strategy pct
says "a volatile access" 2 'a volatile access .* under a weak memory model' refused.c -DVOLATILE --model rc11
says "accesses of two sizes" 2 'atomic accesses of .* bytes' refused.c -DSIZES --model rc11
says "a condition variable" 2 'a condition variable' refused.c -DCONDITION --model rc11
finish
