#!/bin/bash
# Litmus tests of herd's C dialect as they are: the table of known answers, outcomes and conditions under several models, races, replay, and
# what is not understood: one line, and exit code 65.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
root=$PWD
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1
files=$root/tests/explore/weak/litmus

answer() { # model: of the last report
    sed -n "s/^  under $1: //p" out | tail -1
}

# name, answer under sc without its numbers, number of executions and answer under rc11
while read -r name sc graphs weak; do
    "$PLUMB" explore -q --model sc,rc11 "$files/$name.litmus" >out 2>err
    found=$(answer rc11 | awk '{ print $2 + $3, $1, $4 }' | tr -d ,)
    ok "$name: $graphs graphs, $weak" "$([ "$found" = "$graphs ${weak/_/ }" ]; echo $?)"
    ok "$name: under sc $sc" "$([ "$(answer sc | awk '{ print $1 "_" $4 }' | tr -d ,)" = "$sc" ]; echo $?)"
done <<'TABLE'
SB+rlx Never_No 4 Sometimes_Ok
SB+ra Never_No 4 Sometimes_Ok
SB+sc Never_No 3 Never_No
MP+rlx Never_No 4 Sometimes_Ok
MP+ra Never_No 3 Never_No
MP+sc Never_No 3 Never_No
LB+rlx Never_Ok 3 Never_Ok
LB+ra Never_Ok 3 Never_Ok
LB+sc Never_Ok 3 Never_Ok
IRIW+rlx Never_No 16 Sometimes_Ok
IRIW+ra Never_No 16 Sometimes_Ok
IRIW+sc Never_No 15 Never_No
2+2W+rlx Never_No 4 Sometimes_Ok
2+2W+ra Never_No 4 Sometimes_Ok
2+2W+sc Never_No 3 Never_No
CoRR+rlx Always_Ok 12 Always_Ok
CoRR+ra Always_Ok 12 Always_Ok
CoRR+sc Always_Ok 12 Always_Ok
WRC+rlx Never_No 8 Sometimes_Ok
WRC+ra Never_No 7 Never_No
WRC+sc Never_No 7 Never_No
S+rlx Never_No 4 Sometimes_Ok
S+ra Never_No 3 Never_No
S+sc Never_No 3 Never_No
R+rlx Never_No 4 Sometimes_Ok
R+ra Never_No 4 Sometimes_Ok
R+sc Never_No 3 Never_No
SB+fences Never_No 3 Never_No
MP+fences Never_No 3 Never_No
SB+xchg Never_No 4 Sometimes_Ok
Inc Always_Ok 2 Always_Ok
MP+branch Never_Ok 2 Never_Ok
TABLE

# ---- without a model, and as JSON ----
"$PLUMB" explore -q "$files/SB+rlx.litmus" >out 2>err
ok "the code says the model" "$([ $? = 0 ] && grep -q '^  under sc: Never 0 [0-9]*, No$' out && grep -q '^  under rc11: Sometimes 1 3, Ok$' out; echo $?)"
"$PLUMB" explore -q --json "$files/SB+rlx.litmus" >out 2>err
ok "the answer as JSON" "$(grep -qF '"condition":{"quantifier":"exists","text":"(0:r0=0 /\\ 1:r0=0)","answers":[{"model":"sc","answer":"Never 0 ' out && grep -qF '{"model":"rc11","answer":"Sometimes 1 3, Ok"}' out; echo $?)"
"$PLUMB" explore -q --model rc11 --executions 1 "$files/SB+rlx.litmus" >out 2>err
ok "what was not run may be otherwise" "$([ $? = 2 ] && grep -q '^  under rc11: undecided 0 1, undecided$' out; echo $?)"

# ---- a race is undefined behaviour, with the line of the litmus file ----
cat >race.litmus <<'L'
C race
{ int data = 0; }
P0 (int *data, atomic_int *flag) {
  *data = 1;
  atomic_store_explicit(flag, 1, memory_order_relaxed);
}
P1 (int *data, atomic_int *flag) {
  int r0 = atomic_load_explicit(flag, memory_order_acquire);
  if (r0) { int r1 = *data; }
}
exists (1:r0=1)
L
"$PLUMB" explore -q race.litmus >out 2>err
ok "a race" "$([ $? = 1 ] && grep -q '^data race: .*race.litmus:4' out; echo $?)"
"$PLUMB" replay --trust race.schedule >out 2>err
ok "its replay" "$([ $? = 1 ] && grep -q '^data race' out; echo $?)"

# ---- not understood ----
refused() { # title pattern; the file is on standard input
    cat >bad.litmus
    "$PLUMB" explore -q bad.litmus >out 2>err
    ok "$1" "$([ $? = 65 ] && [ "$(wc -l <err)" = 1 ] && grep -Eq "$2" err; echo $?)"
    [ "$(wc -l <err)" = 1 ] || sed 's/^/# /' err
}
refused "another architecture" '^plumb: bad.litmus:1: not a litmus test of the C dialect; expected C NAME' <<<'X86 SB'
refused "nothing" 'bad.litmus:1: not a litmus test' </dev/null
refused "functions of a kernel" "bad.litmus:3: smp_mb; expected a place" <<'L'
C SB {}
P0 (int *x) { *x = 1;
  smp_mb(); }
exists (x=1)
L
refused "a register that is no number's" 'bad.litmus:[34]: 1:r0; expected a register of a thread that there is' <<'L'
C T {}
P0 (atomic_int *x) { int r0 = atomic_load(x); }
exists (1:r0=1)
L
refused "no condition" "'nothing' behind the threads; expected exists, ~exists or forall" <<'L'
C T {}
P0 (atomic_int *x) { atomic_store(x, 1); }
L
refused "a filter" "'filter' behind the threads" <<'L'
C T {}
P0 (atomic_int *x) { atomic_store(x, 1); }
filter (x=1)
exists (x=1)
L
refused "a condition that is open" 'a parenthesis that is open; expected \)' <<'L'
C T {}
P0 (atomic_int *x) { atomic_store(x, 1); }
exists (x=1
L
refused "a pointer in the initial state" 'a pointer in the initial state' <<'L'
C T { int *p = x; }
P0 (atomic_int *x) { atomic_store(x, 1); }
exists (x=1)
L
refused "the preprocessor" "bad.litmus:3: #; expected C" <<'L'
C T {}
P0 (atomic_int *x) {
#include "/etc/passwd"
}
exists (x=1)
L
finish
