#!/bin/bash
# Objects that another compiler made are taken apart and explored as they are: what they do wrong is found, what they do right is
# covered completely, and what cannot be taken apart is refused by name, with the reason.
. "$(dirname "$0")/../cli/lib.sh"
plain_scratch
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1
explore() { "$PLUMB" explore -q --color never "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"; code=$?; }
# taken apart it is assembly, which asks for tso as well
covers() { ok "$1" "$(grep -Eqx "covered: every interleaving( under sequential consistency)?" out; echo $?)"; }

# A counter with what compilers make of tables, pointers and calls.
cat >counter.c <<'C'
#include <stdlib.h>
static long count;
static long *where = &count;
static long ways[4] = {1, 10, 100, 1000};
static int plain(int n) { count += n; return (int)count; }
static int atomic(int n) { return (int)__atomic_add_fetch(where, n, __ATOMIC_SEQ_CST); }
static int (*const kind[])(int) = {atomic, plain};
int counter_kind;
__attribute__((noinline)) int digits(int n) { /* a table of jumps */
    switch (n) {
    case 0: return 7; case 1: return 3; case 2: return 9; case 3: return 12; case 4: return 5;
    case 5: return 31; case 6: return 8; case 7: return 2; default: return abs(n);
    }
}
int counter_add(int n) { return kind[counter_kind](n); }
int counter_sum(void) {
    int sum = 0;
    for (int i = -2; i < 10; i++) sum += digits(i);
    for (int i = 0; i < 4; i++) sum += (int)ways[i];
    return sum;
}
C
cat >user.c <<'C'
#include <assert.h>
#include <pthread.h>
extern int counter_kind, counter_add(int), counter_sum(void);
static void *add(void *p) { counter_add(1); return p; }
int main(int argc, char **argv) {
    (void)argv;
    pthread_t t[2];
    counter_kind = argc > 1;
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(counter_add(0) == 2);
    assert(counter_sum() == 7 + 3 + 9 + 12 + 5 + 31 + 8 + 2 + 2 + 1 + 8 + 9 + 1111);
    return 0;
}
C
cat >tls.c <<'C'
__thread int own;
int own_add(int n) { return own += n; }
C
printf 'int own_add(int); int main(void) { static int n; __atomic_add_fetch(&n, 1, 5); return own_add(0); }\n' >tls_user.c
printf 'int main(void) { static int n; return __atomic_add_fetch(&n, 1, 5) - 1; }\n' >probe.c
gcc -c probe.c && "$PLUMB" cc probe.o -o probe 2>/dev/null
if ! objdump -d probe 2>/dev/null | grep -q __plumb_asm; then
    skip "built without libcapstone, or no objdump"
    finish
fi

for compiler in gcc clang; do
    command -v $compiler >/dev/null || { skip "no $compiler"; continue; }
    for level in -O0 -O1 -O2 -O3 -Os; do
        $compiler $level -fPIC -fno-exceptions -c counter.c -o counter.o
        explore user.c counter.o; exits "$compiler $level: right code is right" 0
        covers "every access of it is seen"
        explore user.c counter.o -- plain; exits "$compiler $level: a lost update is found" 1
    done
done
gcc -O2 -c counter.c && ar rcs libcounter.a counter.o
explore user.c -L. -lcounter -- plain; exits "so it is in an archive" 1
explore user.c -L. -lcounter; covers "and right code of it is covered"
explore --foreign=warn user.c counter.o; says "--foreign=warn leaves it as it is" out "not compiled by plumb cc"

# Nothing is taken in that does not come out the same when it is assembled again.
cat >strange.s <<'S'
    .text
    .globl counter_sum, counter_add
counter_add: .byte 0x48, 0x8b, 0xc7 /* mov %rdi, %rax, written the other way */
    lock incl count(%rip)
    ret
counter_sum: ret
    .data
    .globl counter_kind, count
counter_kind: .long 0
count: .long 0
    .section .note.GNU-stack,"",@progbits
S
gcc -c strange.s
explore user.c strange.o; exits "what is not the same again is not taken in" 65
says "and said so" err "strange.o: could not be taken apart: its section .text does not come out the same"
gcc -O2 -c tls.c; sed 's/own += n/__atomic_add_fetch(\&own, n, 5)/' tls.c >tls2.c; gcc -O2 -c tls2.c
explore tls_user.c tls2.o; exits "data of each thread is refused" 65
says "with the reason" err "tls2.o: could not be taken apart: it has data of each thread"
finish
