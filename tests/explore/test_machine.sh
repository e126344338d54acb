#!/bin/bash
# The machine of `plumb explore` by itself, under a plain depth-first search: every kind of waiting and of failing, in C and
# C++, from both compilers, optimised and not; the same histories from all of them; replay bit for bit.
. tests/explore/machine/lib.sh
if [ -n "${PLUMB_SANITIZED-}" ] || [ ! -e "$build/libplumbline-explore.so" ]; then echo "skip no explorer in this build"; exit 0; fi

expect() { # name program argument options pattern: the trial's output has it
    local said
    said=$(explore "$4" "$2" "$3" | tr '\n' ' ')
    if [[ $said =~ $5 ]]; then result 0 "$1: $3"; else result 1 "$1: $3"; echo "# expected $5, got: $said"; fi
}

# Executions taken up at a snapshot are those that are run from their start: steps, histories and memory at the end.
same='snapshots good dpor: .* snapshots good bounded: .*'
well='^executions [0-9]+ .* bad 0 bound 0 .* complete'
right_c="mutex bare-ok atomic trylock timedlock condition rwlock spin barrier once keys semaphore futex flag sleep c11 detach"
right_cxx="mutex condition timed pair thread_local shared_ptr static call_once call_once-throws shared_mutex recursive"
# What goes wrong, by the number of its failure_kind.
wrong_c="bare:1 trylock-both:1 timedlock-late:1 local:1 exit:1 deadlock:2 condition-lost:2 futex-lost:2 livelock:3 crash:4 null:4
    overflow:4 abort:4 use-after-free:6 overrun:6 double-free:7 invalid-free:8 leak:9 unlock:12 pipe:13"

for compiler in gcc clang; do
    for level in -O0 -O2; do
        p=$work/primitives
        compile $compiler $level "$sources/primitives.c" "$p" || { result 1 "$compiler $level compiles"; continue; }
        for t in $right_c; do expect "$compiler $level" "$p" "$t" "" "$well"; done
        for t in $wrong_c; do expect "$compiler $level" "$p" "${t%:*}" "leaks=1" "^failure ${t#*:} "; done
        expect "$compiler $level" "$p" bare-ok "races=1" '^failure 10 '
        expect "$compiler $level" "$p" flag-relaxed "races=1" '^failure 10 '
        for t in mutex atomic flag semaphore condition once; do expect "$compiler $level" "$p" "$t" "races=1" "$well"; done
        for t in $right_c; do expect "snapshots, $compiler $level" "$p" "$t" "snapshots=500" "$same"; done
        for t in $wrong_c; do expect "snapshots, $compiler $level" "$p" "${t%:*}" "snapshots=200 leaks=1" "$same"; done
    done
done

for compiler in g++ clang++; do
    for level in -O0 -O2; do
        p=$work/cxx
        compile $compiler $level "$sources/cxx.cpp" "$p" || { result 1 "$compiler $level compiles"; continue; }
        for t in $right_cxx; do expect "$compiler $level" "$p" "$t" "" "$well"; done
        for t in $right_cxx exceptions; do expect "snapshots, $compiler $level" "$p" "$t" "snapshots=300" "$same"; done
        expect "$compiler $level" "$p" exceptions "strategy=random executions=2000" 'executions 2000 .* bad 0 bound 0'
        expect "$compiler $level" "$p" uncaught "" '^failure 5 .*std::runtime_error'
        expect "$compiler $level" "$p" race "races=1" '^failure 10 '
        expect "$compiler $level" "$p" pointer-race "races=1" '^failure 10 '
    done
done

# Clocks, time-outs, and what fails or ends without a reason: choices behind steps.
for level in -O0 -O2; do
    for n in 4 6 7 11 12 14; do
        compile gcc "$level -DCASE=$n" "$sources/clocks.c" "$work/clocks"
        expect "snapshots of clocks, $level" "$work/clocks" "$n" "snapshots=500" "$same"
    done
    for n in 1 2 3 5 6 7 8; do
        compile gcc "$level -DCASE=$n" "$sources/faults.c" "$work/faults"
        expect "snapshots of faults, $level" "$work/faults" "$n" "snapshots=500 spurious=1 timeouts=3" "$same"
    done
done

# Inline assembly with its hooks written out.
for compiler in gcc clang; do
    for level in -O0 -O2; do
        p=$work/assembly
        compile $compiler $level "$sources/assembly.c" "$p" || { result 1 "$compiler $level compiles"; continue; }
        for t in locked torn-lost swap pair fill narrow; do expect "assembly, $compiler $level" "$p" "$t" "" "$well"; done
        expect "assembly, $compiler $level" "$p" torn "" '^failure 1 '
        for t in locked torn swap pair fill; do expect "snapshots of assembly, $compiler $level" "$p" "$t" "snapshots=300" "$same"; done
        if grep -qw avx /proc/cpuinfo; then expect "assembly, $compiler $level" "$p" wide "" "$well"; fi
    done
done

# The histories do not depend on compiler or level, nor on whether unshared memory is filtered.
declare -A histories
for scenario in "enq(1) : deq | deq" "enq(1) | deq" "enq(1) : enq(2) | deq"; do
    for compiler in gcc clang; do
        for level in -O0 -O2; do
            p=$work/msq_$compiler$level
            [ -x "$p" ] || compile $compiler $level "$sources/queue_msq.c" "$p"
            said=$(PLUMB_THREADS=$scenario explore "" "$p" | sed -n 's/.* histories \([0-9]*\) bad 0 .* complete/\1/p')
            histories[$scenario]+="$said "
        done
    done
    [ "$(tr ' ' '\n' <<<"${histories[$scenario]% }" | sort -u | wc -l)" = 1 ] && [ -n "${histories[$scenario]// /}" ]
    result $? "the same histories of '$scenario' from all compilers: ${histories[$scenario]}"
done

for level in -O0 -O2; do
    p=$work/msq_gcc$level
    said=$(PLUMB_THREADS="enq(1) deq | enq(2) deq | enq(3) deq" explore "replays=1000" "$p")
    [ "$said" = "replays 1000 identical 1000" ]
    result $? "1000 random schedules are replayed bit for bit ($level: $said)"
    first=$(PLUMB_THREADS="enq(1) deq | enq(2) deq" explore "strategy=random executions=2000" "$p")
    again=0
    for i in $(seq 20); do [ "$(PLUMB_THREADS="enq(1) deq | enq(2) deq" explore "strategy=random executions=2000" "$p")" = "$first" ] || again=1; done
    result $again "processes with different layouts of memory agree ($level)"
done

# Threads that spin: with a loop declared pure an operation is seen to begin only when it gets through, so there are fewer
# histories, each at least as strong (tests/explore/test_scenarios.c compares them); and a lock that is kept is seen.
compile gcc -O2 "$sources/queue_spin.c" "$work/spin" && compile gcc "-O2 -DANNOTATED" "$sources/queue_spin.c" "$work/pure"
result $? "queues behind a spin lock compile"
plain=$(explore "" "$work/spin" | sed -n 's/.* histories \([0-9]*\) bad 0 bound 0 .* complete/\1/p')
pure=$(explore "blocking=1" "$work/pure" | sed -n 's/.* histories \([0-9]*\) bad 0 bound 0 .* complete/\1/p')
[ -n "$plain" ] && [ -n "$pure" ] && [ "$pure" -gt 0 ] && [ "$pure" -le "$plain" ]
result $? "awaiting gives no more histories than spinning ($pure, $plain)"
export PLUMB_THREADS="forget | deq"
expect "kept lock" "$work/spin" spin "" '^failure 3 '
expect "snapshots" "$work/spin" spin "snapshots=2000" "$same"
expect "snapshots" "$work/pure" pure "snapshots=2000 blocking=1" "$same"
expect "kept lock" "$work/pure" pure "blocking=1" '^failure 3 '
export PLUMB_THREADS="enq(1) | deq"
compile gcc "-O2 -DINVARIANT" "$sources/queue_spin.c" "$work/invariant"
expect "invariant and final check" "$work/invariant" invariant "" "$well"
unset PLUMB_THREADS

# Loops that count their attempts are left by going on: what is seen with waiting is what is seen when every look is a step.
for places in 1 2 3 "1 -DYIELDS"; do
    compile gcc "-O2 -DPLACES=$places" "$sources/counted.c" "$work/counted"
    for threads in "enq(1) | deq" "enq(1) : deq | deq" "enq(1) : enq(2) | deq deq" "enq(1) enq(2) | deq"; do
        export PLUMB_THREADS=$threads
        every=$(explore "print=1 spin=0" "$work/counted" | grep -v ^executions | sort -u) some=$(explore "print=1" "$work/counted" | grep -v ^executions | sort -u)
        [ -n "$every" ] && [ "$every" = "$some" ]
        result $? "counted looks at $places places: $threads, the same $(wc -l <<<"$every") histories"
    done
done
compile gcc "-O2 -DLOOKS=500" "$sources/counted.c" "$work/counted"
export PLUMB_THREADS="enq(1) | deq"
explore "" "$work/counted" | grep -q "histories 6 .* complete"
result $? "500 looks: one gives up"
unset PLUMB_THREADS

# Memory that is used again: the ABA of a stack that frees at once is a matter of the policy.
compile gcc -O2 "$sources/stack_treiber.c" "$work/stack"
export PLUMB_THREADS="push(1) push(2) : pop | pop pop push(3)"
for policy in newest oldest choose never; do
    said=$(explore "replays=300 reuse=$policy" "$work/stack")
    [ "$said" = "replays 300 identical 300" ]
    result $? "blocks freed by one thread and allocated by another: $policy is replayed ($said)"
done
for policy in newest oldest choose never; do expect "snapshots, reuse=$policy" "$work/stack" stack "snapshots=5000 reuse=$policy" "$same"; done
expect "reuse" "$work/stack" stack "reuse=never reads=1 all=1" 'failure 6 .* freed memory'
unset PLUMB_THREADS

while IFS='|' read -r scenario pattern; do
    program=msq_gcc-O2
    [[ $scenario =~ peek ]] && program=spin
    said=$(PLUMB_THREADS=${scenario//;/|} PLUMB_EXPLORE=trial=1 timeout 10 "$work/$program" 2>&1)
    [ $? = 65 ] && [[ $said =~ $pattern ]]
    result $? "refused: $scenario ($said)"
done <<'END'
enq(1) ; pop|no such operation
enq ; deq|enq takes 1 arguments, not 0
enq(1,2) ; deq|enq takes 1 arguments, not 2
enq(x) ; deq|expected an integer
enq(1) : deq : deq ; deq|expected the end
enq(1) ; deq)|expected an operation
peek ; peek|for one thread only
END
exit $bad
