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
    says "$bug: nothing under sc, and what was not looked at" 0 'were not explored \(--model rc11\)' bugs.c -D$bug -DORDER=relaxed --model sc
    says "$bug: found without a model being named" 1 '^covered: every interleaving under sequential consistency .*, no violation$' bugs.c -D$bug -DORDER=relaxed
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
timeout 60 "$PLUMB" explore --quiet -DMESSAGE --model sc changed.c >out 2>err
ok "a schedule of another model is not tried" "$([ $? = 0 ] && ! grep -q 'was tried first' out; echo $?)"

says "the load that missed a newer write is marked" 1 'reads a 0 \(stale, not 1 of step 1\)' bugs.c -DMESSAGE -DORDER=relaxed --model rc11
ok "and where loads read is said" "$(grep -q 'reads b 1 <- 2' out; echo $?)"
timeout 60 "$PLUMB" explore -q -DMESSAGE -DORDER=relaxed --model rc11 --html page.html "$weak/bugs.c" >out 2>err
ok "the page has the arrows" "$(grep -q ' data-from="' page.html && grep -q ' class="read[^"]* stale" .*data-missed="' page.html && grep -q 'function drawArrows' page.html; echo $?)"

says "a queue that publishes with a relaxed swap races" 1 '^data race' queue.c -DPUBLISH=relaxed --model rc11
says "the same with atomic contents is not linearizable" 1 '^violation: not linearizable' queue.c -DPUBLISH=relaxed -DATOMIC_VALUE --model rc11
says "whose explanation says what was judged" 1 '^That is the real time of the interleaving below. Under RC11 no order of all operations that extends happens-before is right either.$' queue.c -DPUBLISH=relaxed -DATOMIC_VALUE --model rc11
says "the published orders pass" 0 '^covered: every execution under RC11' queue.c -DPUBLISH=release --model rc11

# ---- locks and loops that wait ----
outcomes "a mutex: every order of three threads" 6 waits.c -DMUTEX --model rc11
outcomes "a lock by exchange: every order" 6 waits.c -DEXCHANGE --model rc11
says "a lock by exchange that releases nothing" 1 '^data race' waits.c -DEXCHANGE -DRELEASE=relaxed --model rc11
says "two locks in two orders" 1 '^deadlock' waits.c -DDEADLOCK --model rc11
says "a flag that is awaited" 0 '^covered: every execution under RC11' waits.c -DFLAG --model rc11
says "a flag that never comes" 1 '^livelock' waits.c -DFLAG -DNEVER --model rc11

# ---- what goes wrong under the model that the code asks for is said ----
cat >dies.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int x, y;
static int r1, r2;
static void *a(void *p) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    r1 = atomic_load_explicit(&y, memory_order_relaxed);
    return p;
}
static void *b(void *p) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    r2 = atomic_load_explicit(&x, memory_order_relaxed);
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, a, NULL);
    pthread_create(&t[1], NULL, b, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    for (int fd = 3; !r1 && !r2 && fd < 64; fd++) close(fd); /* the explorer's own among them */
    return 0;
}
C
timeout 60 "$PLUMB" explore -q -j1 dies.c >out 2>err
ok "a process that does not survive rc11 is no verdict" "$([ $? = 2 ] && grep -q '^the program did not survive' out; echo $?)"

# ---- loops that wait, proved or not, and what they find ----
cp "$weak/hangs.c" .
hangs() { # name exit-code pattern flags
    local name=$1 expected=$2 pattern=$3
    shift 3
    rm -f hangs.schedule
    timeout 60 "$PLUMB" explore -q "$@" hangs.c >out 2>err
    code=$?
    ok "$name" "$([ $code = "$expected" ] && grep -Eq "$pattern" out; echo $?)"
    [ $code = "$expected" ] || sed 's/^/# /' out err
}
hangs "a flag that is not given under rc11 alone" 1 '^livelock' -DFLAG
hangs "the same in a loop that counts its looks" 1 '^livelock: thread 2 goes round for ever at hangs.c' -DFLAG -DCOUNTS
"$PLUMB" replay --trust hangs.schedule >again 2>&1
ok "which is replayed" "$([ $? = 1 ] && grep -q '^livelock: thread 2 goes round for ever' again; echo $?)"
hangs "with a fence on each side it is given" 0 '^covered: (every execution|all executions within limits) under RC11' -DFLAG -DCOUNTS -DFENCED
for model in sc tso rc11; do
    hangs "a lock in one bit, whose word changes, $model" 0 "^covered: every" -DBIT --model $model
done

# ---- what happens once ----
for how in STATIC PTHREAD ONCE THROWS; do
    says "$how: once, and everyone sees it" 0 '^covered: every execution under RC11' once.cpp -D$how --model rc11
done
says "who did not call it does not know of it" 1 '^data race: thread 2 reads value' once.cpp -DPEEK --model rc11
says "nor do callers know of each other" 1 '^data race: thread 2 writes x' once.cpp -DCALLERS --model rc11
says "the library's orders are not advised" 0 '^orders: none of 1 can be weaker' once.cpp -DPTHREAD --orders

# ---- several processes ----
for program in "enq(1) | enq(2) | deq | deq" "enq(1) deq | enq(2) deq"; do
    for jobs in 1 2 3; do
        timeout 100 "$PLUMB" explore -q -j$jobs --model rc11 --program "$program" "$root/corpus/weak/michael_scott_queue.c" >out 2>err
        sed 's/, [0-9.]* s$//' out >"said$jobs"
    done
    ok "as many executions by one, two and three processes: $program" "$(grep -q '^covered: every execution under RC11' said1 && cmp -s said1 said2 && cmp -s said1 said3; echo $?)"
done
timeout 100 "$PLUMB" explore -q -j2 --model rc11 -DBUG_NEXT --program "enq(1) deq | enq(2) deq" --schedule found.schedule "$root/corpus/weak/michael_scott_queue.c" >out 2>err
failed=$?
"$PLUMB" replay --trust found.schedule >again 2>&1
ok "what one of several processes finds is replayed" "$([ $? = 1 ] && [ $failed = 1 ] && grep -q '^data race' again; echo $?)"

# ---- refused by name ----
says "a model that there is not" 64 'expected sc, tso, ra or rc11' litmus.c -DSB -DW=relaxed -DR=relaxed --model arm
says "another strategy" 64 'without --strategy pct' litmus.c -DSB -DW=relaxed -DR=relaxed --model rc11 --strategy pct
says "the copy of a volatile structure, or its parts after it" 2 '(the copy of a volatile structure at|atomic accesses of 4 bytes at) .* under a weak memory model' refused.c -DVOLATILE --model rc11
says "a locked instruction of assembly" 2 'inline assembly that accesses memory at .*--model tso has it' refused.c -DASSEMBLY --model rc11
says "a store of assembly" 2 'inline assembly that accesses memory at .*--model tso has it' refused.c -DASSEMBLY -DMOV --model rc11
says "a fence of assembly" 2 'a fence in inline assembly at .*--model tso has it' refused.c -DASSEMBLY -DONLY_FENCE --model rc11
says "more writes of a place than a schedule can name" 2 '[0-9]+ writes of one place, of which at most 255' refused.c -DMANY --model rc11
says "more alternatives than a schedule can name" 2 'a choice among 256, of which at most 255' refused.c -DALTERNATIVES --model sc
says "accesses of two sizes" 2 'atomic accesses of .* bytes' refused.c -DSIZES --model rc11
says "what cannot be run is named, and the rest stands" 0 '^not looked at under rc11: atomic accesses of' refused.c -DSIZES -DRELAXED_TOO
says "a wait with a deadline" 2 'a wait with a deadline' refused.c -DDEADLINE --model rc11
cat >options.c <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_int n;
PLUMB_OBJECT("counter")
PLUMB_OP(inc) { return atomic_fetch_add_explicit(&n, 1, memory_order_relaxed), plumb_none(); }
PLUMB_THREADS("inc | inc")
#ifdef INVARIANT
PLUMB_INVARIANT { return n < 3; }
#endif
C
explored "many.c" -DTHREADS=3 -DLEAK --leaks --model tso
ok "a leak under tso" "$([ $code = 1 ] && grep -q '^leak: 1 block' out; echo $?)"
timeout 60 "$PLUMB" explore -q -DINVARIANT --model tso options.c >out 2>err
ok "an invariant is looked at under tso" "$([ $? = 0 ] && grep -q 'under x86-TSO' out; echo $?)"
for option in "--monitor all" "--serial" "--measure" "--quasi 1" "--progress lock-free"; do
    name=${option%% *}
    [ "$name" = --quasi ] && name=--criterion
    # shellcheck disable=SC2086
    timeout 60 "$PLUMB" explore -q $option --model tso options.c >out 2>err
    ok "$option is refused by name under tso" "$([ $? = 64 ] && grep -q -e "^plumb: $name does not know when a store has reached memory" err; echo $?)"
done
for option in "--monitor all" "--serial" "--measure" "--quasi 1" "--progress lock-free" "--checkpoint kept" "--reuse choose"; do
    name=${option%% *}
    case $name in --quasi) name=--criterion ;; --reuse) name=$option ;; esac
    # shellcheck disable=SC2086
    timeout 60 "$PLUMB" explore -q $option --model rc11 options.c >out 2>err
    ok "$option is refused by name under rc11" "$([ $? = 64 ] && grep -q -e "$name is for interleavings" err; echo $?)"
done
timeout 60 "$PLUMB" explore -q -DINVARIANT --model rc11 options.c >out 2>err
ok "an invariant is refused by name under rc11" "$([ $? = 64 ] && grep -q 'PLUMB_INVARIANT is for interleavings' err; echo $?)"
timeout 60 "$PLUMB" explore -q -DINVARIANT options.c >out 2>err
ok "an invariant is looked at in interleavings, and what is not looked at is named" "$([ $? = 0 ] && grep -q '^not looked at under rc11: PLUMB_INVARIANT is for interleavings' out; echo $?)"

# ---- volatile accesses are relaxed ones ----
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "# skip: $compiler is not there"; continue; }
    for test in SB MP LB TWO_PLUS_TWO CORR INC; do
        level=-O$((level_turn = (${level_turn:-2} + 2) % 4))
        PLUMB_CC=$compiler explored volatile.c -D$test "$level" --model rc11
        grep '^  r1=\|^covered\|^[0-9,]* executions' out | sed 's/, [0-9.]* s$//' >with
        PLUMB_CC=$compiler explored volatile.c -D$test "$level" -DATOMIC --model rc11
        grep '^  r1=\|^covered\|^[0-9,]* executions' out | sed 's/, [0-9.]* s$//' >without
        ok "$compiler $level: $test with volatile is $test with relaxed atomics" "$([ -s with ] && grep -q 'every execution under RC11' with && cmp -s with without; echo $?)"
    done
done
says "a message by volatile flags" 1 '^assertion failed' volatile.c -DMESSAGE
says "which needs nothing under tso" 0 'every interleaving under x86-TSO' volatile.c -DMESSAGE --model tso
explored volatile.c -DMESSAGE --orders
ok "--orders does not advise orders for volatile accesses" "$(! grep -q 'volatile.c:.* -> ' out; echo $?)"

# ---- inline assembly asks for tso by itself ----
says "assembly without a fence, no model named" 1 '^covered: every interleaving under sequential consistency \(.*, no violation$' tso.c -DASSEMBLY '-DFENCE="nop"'
says "assembly with one, no model named" 0 '^covered: every interleaving under x86-TSO \(' tso.c -DASSEMBLY
timeout 60 "$PLUMB" explore -q --model sc -DASSEMBLY "$weak/tso.c" >out 2>err
ok "and what sc did not look at" "$([ $? = 0 ] && grep -q 'inline assembly on shared memory, whose store buffers were not explored (--model tso)' out; echo $?)"
says "what tso cannot do is named" 0 '^not looked at under tso: --strategy states is for interleavings' tso.c -DASSEMBLY --strategy states

# ---- the judged order is said under tso, too ----
says "real time where stores were in memory" 1 '^Every operation had its stores in memory when it returned: that is the real time of x86-TSO.$' judged.c -DLOCKED --model tso
says "and where they were not" 1 '^[0-9]+ operations? returned with stores in the buffer. That is the real time of the interleaving below' judged.c --model tso

# ---- random programs as real code, against the axioms ----
oracle=${PLUMB_BUILD:-$(dirname "$PLUMB")}/tests/explore_graph_test_graphs
against_axioms() { # model seed programs options
    local model=$1 seed=$2 n=$3
    shift 3
    "$oracle" oracle "$model" "$seed" "$n" >said
    grep '^p' said | sort -u >wanted
    explored random_weak.c -I"$root/src" -I"$root/tests" -DSEED="$seed" -DPROGRAMS="$n" --model "$model" "$@"
    grep -oE '^  p[0-9]+=[^ ]*' out | tr -d ' ' | sort -u >found
    ok "random programs, $model, seed $seed $*: $(wc -l <wanted) outcomes" "$([ $code = 0 ] && [ -s wanted ] && cmp -s wanted found; echo $?)"
    diff wanted found | head -5 | sed 's/^/# /'
    case "$model $*" in rc11* | ra* | *graphs*)
        ok "and none was begun in vain" "$(grep -q "^$(sed -n 's/^graphs //p' said | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta') executions, " out; echo $?)" ;;
    esac
}
if [ -x "$oracle" ]; then
    for model in sc tso ra rc11; do against_axioms $model 1 100; done
    against_axioms sc 2 100 --strategy graphs
    against_axioms tso 3 100 --strategy dpor -O0
    command -v clang >/dev/null && PLUMB_CC=clang against_axioms rc11 4 100
    [ -z "${PLUMB_SOAK-}" ] || for seed in $(seq 1000 1049); do
        for model in tso ra rc11; do against_axioms $model "$seed" 2000; done
        against_axioms sc "$seed" 2000 --strategy graphs
    done
else
    echo "# skip: the enumerator is not built"
fi

# ---- orders, advised ----
says "--orders: what mends message passing" 1 '^bugs.c:30 first: store, relaxed -> release$' bugs.c -DMESSAGE -DORDER=relaxed --orders
ok "--orders: and nothing else" "$(grep -q '^orders: 2 of 3 have to be stronger (.* of every execution)$' out && grep -q '^bugs.c:34 second: load, relaxed -> acquire$' out; echo $?)"
says "--orders: what can be weaker" 0 '^orders: 3 of 3 can be weaker together \(.* of every execution\)$' bugs.c -DMESSAGE -DORDER=seq_cst --orders
ok "--orders: how far" "$(grep -q '^bugs.c:29 first: store, seq_cst -> relaxed$' out && grep -q '^bugs.c:30 first: store, seq_cst -> release$' out; echo $?)"
says "--orders: Dekker needs them all" 0 '^orders: none of 2 can be weaker' bugs.c -DDEKKER -DORDER=seq_cst --orders
says "--orders: published orders are needed" 0 '^queue.c:35 swap: update, release is needed$' queue.c -DPUBLISH=release --orders
says "--orders: a relaxed publish has to release" 1 '^queue.c:.* relaxed -> release$' queue.c -DPUBLISH=relaxed --orders
ok "--orders: not of which order it cannot tell" "$(grep -q '^  + (the update with memory_order_release)$' out; echo $?)"
cat >spelled.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static void *first(void *p) {
    atomic_store_explicit(&a, 1, memory_order_relaxed);
    int zero = 0;
    atomic_compare_exchange_strong_explicit(&b, &zero, 1, memory_order_relaxed, memory_order_relaxed);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, first, NULL);
    int seen = atomic_load_explicit(&b, memory_order_acquire);
    if (seen) assert(atomic_load_explicit(&a, memory_order_relaxed));
    pthread_join(t, NULL);
    return 0;
}
C
timeout 60 "$PLUMB" explore -q --orders spelled.c >out 2>err
ok "--orders: the source, and what is to stand there" "$(grep -qF '  + atomic_compare_exchange_strong_explicit(&b, &zero, 1, memory_order_release, memory_order_relaxed);' out; echo $?)"
says "--orders: a deadlock is not a matter of orders" 1 '^orders: it fails with seq_cst everywhere' waits.c -DDEADLOCK --orders
says "--orders: what cannot be run" 2 'not looked at under rc11: atomic accesses of' refused.c -DSIZES --orders
says "--orders is for a reader" 64 'expected it without --json' bugs.c -DMESSAGE -DORDER=relaxed --orders --json

# ---- choices of threads, among accesses that are revisited ----
for how in "--model rc11" "--model ra" "--strategy graphs"; do
    # shellcheck disable=SC2086
    explored choices.c $how
    grep '^  c=\|^[0-9,]* executions' out | sed 's/, [0-9.]* s$//' >among
    # shellcheck disable=SC2086
    explored choices.c $how -DIN_MAIN
    grep '^  c=\|^[0-9,]* executions' out | sed 's/, [0-9.]* s$//' >before
    ok "$how: choices of threads" "$([ -s among ] && cmp -s among before; echo $?)"
done

# ---- in gdb ----
if command -v gdb >/dev/null; then
    explored bugs.c -DMESSAGE -DORDER=relaxed --model rc11
    printf 'next-step\nnext-step\nnext-step\nnext-step\nnext-step\n' | timeout 60 "$PLUMB" replay --trust --gdb bugs.schedule >again 2>&1
    ok "step by step in gdb, with what a load did not see" "$(grep -q 'thread 1 writes a 1, bugs.c:29' again && grep -q 'reads a 0 (stale, not 1 of step 1), bugs.c:34' again; echo $?)"
else
    echo "# skip: gdb is not there"
fi

# ---- condition variables, many threads, memory ----
outcomes "a waiter is woken and sees what was written" 1 condition.c -DHANDOVER --model rc11
says "a signal outside of the mutex is lost" 1 '^deadlock: .* waits for c' condition.c -DLOST --model rc11
"$PLUMB" replay --trust condition.schedule >again 2>&1
ok "the lost signal is replayed" "$([ $? = 1 ] && grep -q '^deadlock' again; echo $?)"
says "one signal for two waiters" 1 '^deadlock: .* waits for c' condition.c -DUNHEARD --model rc11
for d in HANDOVER TWO; do
    explored condition.c -D$d --model sc --spurious 0
    grep '^  first=' out | sed 's/ [ 0-9]*$//' >expected
    for how in "--model rc11" "--strategy graphs"; do
        # shellcheck disable=SC2086
        explored condition.c -D$d $how
        grep '^  first=' out | sed 's/ [ 0-9]*$//' >found
        ok "$d $how: the outcomes of interleavings" "$([ -s expected ] && diff expected found >/dev/null; echo $?)"
    done
done
says "more threads than fit into one set" 0 'n=4 sum=40  *24$' many.c -DTHREADS=40 --model rc11
says "a leak" 1 '^leak: 1 block' many.c -DTHREADS=3 -DLEAK --leaks --model rc11
# ---- the recorder's own steps (docs/proofs/runtime.md): right, and wrong where an order or a fence is left out ----
for part in PRECISE CAUSAL PUBLISH ANNOUNCE DARK; do
    says "recorder: $part" 0 "no violation" recorder.c -D$part -O2 --model rc11
    says "recorder: $part, broken" 1 "does not hold" recorder.c -D$part -DBROKEN -O2 --model rc11
done

finish
