#!/bin/bash
# Native code under x86-TSO: the table of litmus tests, programs drawn by lot against a machine of states, code that needs a fence
# with it and without, in C and in assembly; every strategy, replay, snapshots, several processes, checkpoints; what is refused by name.
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
    timeout 300 "$PLUMB" explore --quiet --time 200 --model tso "$@" "$weak/$program" >out 2>err
    code=$?
}
says() { # name exit-code pattern program options
    local name=$1 expected=$2 pattern=$3
    shift 3
    explored "$@"
    ok "$name" "$([ $code = "$expected" ] && grep -Eq "$pattern" out err; echo $?)"
    [ $code = "$expected" ] || sed 's/^/# /' out err
}
listed() { sed -n 's/^  \([a-z0-9]*=.*[^ ]\)  *[0-9,]*$/\1/p' out | sort; }
outcomes() { # name number program options: so many outcomes, each of one execution by dpor
    local name=$1 expected=$2
    shift 2
    explored "$@" --strategy dpor
    ok "$name: $expected outcomes and executions" "$([ $code = 0 ] && [ "$(listed | wc -l)" = "$expected" ] && grep -q "^$expected executions" out; echo $?)"
    [ "$(listed | wc -l)" = "$expected" ] || sed 's/^/# /' out err
}

# ---- the table: relaxed, release and acquire, and with what orders a store before a load ----
while read -r test buffered fenced; do
    outcomes "$test gcc -O0, relaxed" "$buffered" litmus.c -D"$test" -O0 -DW=relaxed -DR=relaxed
    outcomes "$test gcc -O2, relaxed" "$buffered" litmus.c -D"$test" -O2 -DW=relaxed -DR=relaxed
    outcomes "$test gcc -O2, release and acquire" "$buffered" litmus.c -D"$test" -O2 -DW=release -DR=acquire
    outcomes "$test gcc -O2, seq_cst" "$fenced" litmus.c -D"$test" -O2 -DW=seq_cst -DR=seq_cst
    if ! command -v clang >/dev/null; then echo "# skip: clang is not there"; continue; fi
    PLUMB_CC=clang outcomes "$test clang -O2, relaxed" "$buffered" litmus.c -D"$test" -O2 -DW=relaxed -DR=relaxed
done <<'TABLE'
SB 4 3
MP 3 3
LB 3 3
IRIW 15 15
TWO_PLUS_TWO 3 3
CORR 6 6
WRC 7 7
S 3 3
RTEST 4 3
TABLE

# ---- programs drawn by lot: the outcomes are those of the machine ----
drawn() { # seed, options of the explorer
    local seed=$1
    shift
    gcc -O2 -w -DORACLE -DSEED="$seed" ${GROUPS_DRAWN:+-DGROUPS=$GROUPS_DRAWN} "$weak/random_tso.c" -o oracle && ./oracle | sort -u >wanted
    explored random_tso.c -DSEED="$seed" ${GROUPS_DRAWN:+-DGROUPS=$GROUPS_DRAWN} "$@"
    grep -oE '^  p[0-9]+=[^ ]*' out | tr -d ' ' | sort -u >found
    ok "random programs, seed $seed $*: $(wc -l <wanted) outcomes" "$([ $code = 0 ] && [ -s wanted ] && cmp -s wanted found; echo $?)"
    diff wanted found | head -20 | sed 's/^/# /'
}
drawn 1 -O1 --strategy dpor
drawn 2 -O2 --strategy dpor
GROUPS_DRAWN=2 drawn 3 -O0 --strategy dpor
GROUPS_DRAWN=1 drawn 4 -O1 --strategy bounded --preemptions 100
GROUPS_DRAWN=1 drawn 5 -O1
command -v clang >/dev/null && PLUMB_CC=clang GROUPS_DRAWN=4 drawn 6 -O2 --strategy dpor
[ -z "${PLUMB_SOAK-}" ] || for seed in $(seq 100 200); do drawn "$seed" -O2 --strategy dpor; done

# ---- side by side ----
"$PLUMB" explore --quiet --model sc,tso,rc11 "$weak/litmus.c" -DSB -DW=relaxed -DR=relaxed >out 2>err
ok "three models side by side" "$(grep -Eq '^outcomes +sc +tso +rc11$' out && grep -Eq '^  r1=0 r2=0 +0 +[0-9]+ +1$' out; echo $?)"
"$PLUMB" explore --quiet --json --model sc,tso "$weak/litmus.c" -DSB -DW=relaxed -DR=relaxed >out 2>err
ok "and as JSON" "$(grep -q '{"model":"tso","text":"r1=0 r2=0","executions":' out; echo $?)"
says "the coverage names the model" 0 '^covered: every interleaving under x86-TSO$' litmus.c -DSB -DW=relaxed -DR=relaxed

# ---- what needs a fence, and what does not ----
says "Dekker without order" 1 '^assertion failed' bugs.c -DDEKKER -DORDER=relaxed
says "Dekker, seq_cst" 0 'every interleaving under x86-TSO' bugs.c -DDEKKER -DORDER=seq_cst
says "a message needs none" 0 'every interleaving under x86-TSO' bugs.c -DMESSAGE -DORDER=relaxed
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "# skip: $compiler is not there"; continue; }
    export PLUMB_CC=$compiler
    while read -r test failure; do
        says "$compiler: $test without a fence" 1 "^$failure" tso.c -D"$test"
        says "$compiler: $test with one" 0 'every interleaving under x86-TSO' tso.c -D"$test" -DFENCED
    done <<'FENCES'
PETERSON assertion failed
DEQUE assertion failed
HAZARD use after free
SLEEPER deadlock
FENCES
    for test in SPINLOCK SEQLOCK MUTEX_MESSAGE; do
        says "$compiler: $test needs none" 0 'every interleaving under x86-TSO' tso.c -D$test
    done
    for level in -O0 -O2; do
        says "$compiler $level: a volatile byte of every value" 0 'under x86-TSO' tso.c -DMARK $level --preemptions 1 --strategy bounded
        says "$compiler $level: a plain byte of every value" 0 'under x86-TSO' tso.c -DMARK -DPLAIN $level --preemptions 1 --strategy bounded
    done
    says "$compiler: assembly without a fence" 1 '^assertion failed' tso.c -DASSEMBLY '-DFENCE="nop"'
    says "$compiler: lfence and sfence are none" 1 '^assertion failed' tso.c -DASSEMBLY '-DFENCE="sfence\n\tlfence"'
    says "$compiler: mfence" 0 'every interleaving under x86-TSO' tso.c -DASSEMBLY
    says "$compiler: a locked instruction on the stack is one" 0 'every interleaving under x86-TSO' tso.c -DASSEMBLY \
        '-DFENCE="lock; addl $0,-8(%%rsp)"'
done
unset PLUMB_CC

# ---- what is shown, and replayed ----
explored tso.c -DPETERSON --full
ok "a store is shown when it is made and when it reaches memory" "$(grep -q 'stores wants\[0\] = 1 (buffered)' out && grep -q 'store of wants\[0\] = 1 reaches memory' out; echo $?)"
"$PLUMB" replay --trust tso.schedule >again 2>&1
ok "replayed" "$([ $? = 1 ] && grep -q '^assertion failed' again; echo $?)"

# ---- strategies ----
explored litmus.c -DIRIW -DW=relaxed -DR=relaxed --strategy dfs
listed >all
for strategy in dpor bounded auto; do
    explored litmus.c -DIRIW -DW=relaxed -DR=relaxed --strategy $strategy --preemptions 100
    ok "$strategy has all outcomes of dfs" "$(listed | cmp -s - all; echo $?)"
done
for strategy in dpor bounded pct random auto; do
    says "$strategy finds it" 1 '^assertion failed' tso.c -DDEQUE --strategy $strategy --executions 100000
done
says "dfs finds it" 1 "^deadlock" tso.c -DSLEEPER --strategy dfs
says "several processes" 0 'every interleaving under x86-TSO' tso.c -DSEQLOCK -j 2
says "several processes find it" 1 '^assertion failed' tso.c -DDEQUE -j 2
explored tso.c -DSEQLOCK --strategy dpor
alone=$(grep -o '^[0-9,]* executions' out)
explored tso.c -DSEQLOCK --strategy dpor --checkpoint kept --executions 20
explored tso.c -DSEQLOCK --strategy dpor --checkpoint kept
ok "in two parts, by a checkpoint" "$([ $code = 0 ] && grep -q "^$alone" out; echo $?)"

# ---- with snapshots and without every execution is the same ----
for test in SEQLOCK PETERSON DEQUE; do
    "$PLUMB" cc -O1 -g -D$test -DFENCED -I"$root/include" "$weak/tso.c" -o program >out 2>&1
    PLUMB_EXPLORE="trial=1 tso=1 snapshots=3000" ./program >out 2>&1
    ok "$test: snapshots" "$([ $? = 0 ] && grep -q '^snapshots good dpor' out && grep -q '^snapshots good bounded' out; echo $?)"
    grep -q BAD out && sed 's/^/# /' out
done

# ---- refused by name ----
says "states" 64 'without --strategy states' litmus.c -DSB -DW=relaxed -DR=relaxed --strategy states
says "graphs" 64 'without --strategy graphs' litmus.c -DSB -DW=relaxed -DR=relaxed --strategy graphs
says "progress" 64 '^plumb: --progress does not know' litmus.c -DSB -DW=relaxed -DR=relaxed --progress lock-free
finish
