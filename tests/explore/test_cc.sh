#!/bin/bash
# plumb cc: the rewriting of inline assembly under torture and its mutants, real libraries, and the driver as build systems use it.
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
PLUMB=$(realpath "$PLUMB")
stubs=${PLUMB_BUILD:-$(dirname "$PLUMB")}/tests/stubs
[ -f "$stubs/libstub_none.so" ] || { echo "skip the stub runtimes are not built here"; exit 0; }
stubs=$(realpath "$stubs")
export PLUMB_RUNTIME=$stubs/libstub_none.so
cd "$SCRATCH" || exit 1
skip() { number=$((number + 1)); echo "skip $number - $1"; }
compilers=(gcc); command -v clang >/dev/null && compilers+=(clang)
avx2() { grep -qw avx2 /proc/cpuinfo; }
levels=("-O0" "-O2 -mavx2")
[ -z "${PLUMB_SANITIZED-}" ] && levels+=("-O3") # what differs in a sanitized build is our own code, not the compilers
[ -n "${PLUMB_SOAK-}" ] && levels+=("-O1" "-O2" "-O3 -mavx2" "-O2 -fno-omit-frame-pointer")

torture() { # compiler flags: prints what the torture program prints, compiled by plumb cc
    PLUMB_CC=$1 "$PLUMB" cc $2 -w "$here/driver/torture.c" -o torture || return 1
    ./torture
}
plain() { $1 $2 -w -fno-pie -no-pie "$here/driver/torture.c" -o plain && ./plain >plain.out; }

for cc in "${compilers[@]}"; do
    for flags in "${levels[@]}"; do
        case $flags in *avx2*) avx2 || { skip "torture: no AVX2 here"; continue; } ;; esac
        plain "$cc" "$flags"
        torture "$cc" "$flags" >out 2>err && cmp -s out plain.out
        ok "torture: $cc $flags prints what the plain compiler's program prints" $?
    done
done

# Mutants: a thunk that loses something, or a rewriting that does not step over the red zone, must be noticed.
flags=-O2; avx2 && flags="-O2 -mavx2"
plain gcc "$flags"
ok "the torture has at least 22 idioms" "$([ "$(wc -l <plain.out)" -ge 22 ]; echo $?)"
PLUMB_CC=gcc "$PLUMB" cc $flags -w --keep-assembly=. -c "$here/driver/torture.c" -o torture.o
same() { ./"$1" >out 2>err && cmp -s out plain.out; } # a mutant that crashes is noticed as well
mutant() { # name stub
    PLUMB_RUNTIME=$stubs/lib$2.so "$PLUMB" cc torture.o -o mutant 2>err || { ok "mutant can be linked: $1" 1; return; }
    same mutant
    ok "mutant is noticed: $1" "$([ $? -ne 0 ]; echo $?)"
}
"$PLUMB" cc torture.o -o torture && same torture
ok "without a mutation nothing is noticed" $?
mutant "flags not saved" stub_lose_flags
mutant "vectors not saved" stub_lose_vectors
if avx2; then mutant "only half of the wide vectors saved" stub_lose_wide; else skip "no AVX2 here"; fi
sed -e '/^\tleaq -128(%rsp), %rsp$/d' -e '/^\tleaq 128(%rsp), %rsp$/d' -e 's/leaq 136+/leaq 8+/' -e 's/leaq 136(/leaq 8(/' -e 's/leaq 144/leaq 16/' \
    -e 's/offset 144/offset 16/' -e 's/offset -144/offset -16/' torture.plumb.s >mutant.s
gcc -c mutant.s -o mutant.o && "$PLUMB" cc mutant.o -o mutant 2>err
ok "a rewriting without red zone can be linked" $?
same mutant
ok "mutant is noticed: red zone not stepped over" "$([ $? -ne 0 ]; echo $?)"

# Libraries as they are shipped.
if [ -f /usr/include/ck_pr.h ]; then
    for h in array backoff barrier bitmap brlock bytelock cohort ec elide epoch fifo hp hp_fifo hp_stack pflock pr queue ring rwcohort rwlock sequence \
        spinlock stack swlock tflock; do echo "#include <ck_$h.h>"; done >ck.c
    for cc in "${compilers[@]}"; do
        PLUMB_CC=$cc "$PLUMB" cc -w -O2 $([ "$cc" = gcc ] && echo -fkeep-inline-functions) --keep-assembly=. -c ck.c 2>err
        ok "25 headers of ConcurrencyKit are accepted: $cc" $?
        [ "$cc" = gcc ] && ok "and have more than 900 hooks" "$([ "$(grep -c 'call \*__plumb' ck.plumb.s)" -gt 900 ]; echo $?)"
    done
else skip "libck-dev is not there"; fi
if [ -f /usr/include/x86_64-linux-gnu/urcu/uatomic.h ] || [ -f /usr/include/urcu/uatomic.h ]; then
    { echo "#define _LGPL_SOURCE"
      for h in uatomic wfcqueue wfstack lfstack rculfqueue wfqueue rcuhlist urcu-mb; do echo "#include <urcu/$h.h>"; done; } >urcu.c
    cat >>urcu.c <<'END'
#define ALL(n, t) t v##n; long f##n(t a, t b) { long r = uatomic_cmpxchg(&v##n, a, b); r += uatomic_xchg(&v##n, a); \
    r += uatomic_add_return(&v##n, b); uatomic_and(&v##n, a); uatomic_or(&v##n, b); uatomic_add(&v##n, a); uatomic_inc(&v##n); \
    uatomic_dec(&v##n); cmm_smp_mb(); caa_cpu_relax(); return r + uatomic_read(&v##n); }
ALL(1, unsigned char) ALL(2, unsigned short) ALL(4, unsigned) ALL(8, unsigned long)
END
    for cc in "${compilers[@]}"; do PLUMB_CC=$cc "$PLUMB" cc -w -O2 -c urcu.c 2>err; ok "headers of liburcu are accepted: $cc" $?; done
    PLUMB_CC=gcc "$PLUMB" cc -w -O2 -fkeep-inline-functions -c urcu.c 2>err
    ok "its cycle counter is a look at the clock" "$(objdump -dr urcu.o | grep -q __plumb_rdtsc; echo $?)"
else skip "liburcu-dev is not there"; fi

# The driver.
cat >one.c <<'END'
#include "two.h"
int main(void) { long x = 1; __asm__ volatile("lock; incq %0" : "+m"(x)); return two() + (int)x - 4; }
END
echo 'int two(void);' >two.h
printf '#include "two.h"\nint two(void) { return 2; }\n' >two.c
printf 'int one_cxx() { try { throw 1; } catch (int) { return 1; } return 0; }\nextern "C" int two(void);\nint main() { return one_cxx() + two() - 3; }\n' >one.cc
printf '\t.globl three\nthree:\n\tmovl $3, %%eax\n\tlock; incl (%%rdi)\n\tret\n\t.section .note.GNU-stack,"",@progbits\n' >three.s
printf '#define VALUE $3\n\t.globl three\nthree:\n\tmovl VALUE, %%eax\n\trdpmc\n\tret\n' >bad.S
cat >Makefile <<'END'
CFLAGS = -O1 -MMD -MP
prog: one.o two.o
	$(CC) $(LDFLAGS) $^ -o $@
-include one.d two.d
END
for cc in "${compilers[@]}"; do
    export PLUMB_CC=$cc
    rm -f prog ./*.o ./*.d
    make -s CC="$PLUMB cc" >out 2>err && ./prog
    ok "make CC=\"plumb cc\": $cc" $?
    ok "dependencies name the object and the header: $cc" "$(grep -q '^one.o:.*two.h' one.d; echo $?)"
    "$PLUMB" cc one.c two.c -o both 2>err && ./both
    ok "several sources in one go: $cc" $?
    "$PLUMB" c++ one.cc two.c -x c -o cxx 2>err; "$PLUMB" cc -c two.c && "$PLUMB" c++ one.cc two.o -o cxx 2>err && ./cxx
    ok "plumb c++, with an exception: $cc" $?
    "$PLUMB" cc -c three.s 2>err
    ok "an assembly file: $cc" "$(objdump -dr three.o | grep -q __plumb_asm; echo $?)"
    "$PLUMB" cc -c bad.S 2>err; code=$?
    exits "refused assembly is exit 65: $cc" 65
    says "with file and line of the .S file: $cc" err "bad.S:5: rdpmc: "
    printf 'int main(void) {\n    __asm__ volatile("rdpmc" ::: "rax", "rdx");\n}\n' >clock.c
    "$PLUMB" cc -c clock.c 2>err; code=$?
    exits "refused inline assembly is exit 65: $cc" 65
    says "with file and line: $cc" err "clock.c:2: rdpmc: "
    one_line "in one line: $cc" err
    "$PLUMB" cc -c --asm-unknown=warn clock.c 2>err
    ok "--asm-unknown=warn goes on: $cc" $?
done
unset PLUMB_CC
"$PLUMB" cc -E one.c >out 2>err; ok "-E is the compiler's" "$(grep -q 'int two(void);' out; echo $?)"
"$PLUMB" cc -S -O1 two.c -o - >out 2>err; ok "-S is the compiler's" "$(grep -q 'two:' out && ! grep -q tsan out; echo $?)"
"$PLUMB" cc --version >out 2>err; ok "questions go to the compiler" $?
echo '-c two.c -o "with space.o"' >args; "$PLUMB" cc @args; ok "response files" "$([ -f 'with space.o' ]; echo $?)"
echo 'int two(void) { return 2; }' | "$PLUMB" cc -x c -c - -o stdin.o; ok "a source on standard input" $?
"$PLUMB" cc -c missing.c 2>err; ok "the compiler's failure is ours" "$([ $? -ne 0 ]; echo $?)"
plumb cc -flto -c two.c; exits "-flto is refused" 64
one_line "in one line" err
echo 'int main(void) { return 0; } int f(void) { return 1; }' >opaque.c
gcc -c two.c -o plain_two.o && "$PLUMB" cc one.c plain_two.o -o prog 2>err; ok "foreign objects without atomics are linked" $?

# What hides atomics is refused by name.
printf 'long c; __thread long own; int two(void) { own++; __atomic_fetch_add(&c, 1, 5); return 2; }\n' >hidden.c
printf 'int unused(void) { return 0; }\n' >unused.c
gcc -O2 -c hidden.c -o hidden.o && gcc -O2 -c unused.c && ar rcs libhidden.a unused.o hidden.o
gcc -shared -fPIC -O2 hidden.c -o libhides.so
if "$PLUMB" cc one.c hidden.o -o prog 2>/dev/null; then
    skip "built without libcapstone"
else
    plumb cc one.c hidden.o -o prog; exits "an object with hidden atomics is refused" 65
    says "by its name" err "hidden.o: was not compiled by plumb cc and has 1 atomic instruction"
    says "and why it was not taken in" err "hidden.o: could not be taken apart: it has data of each thread"
    ok "and there is no program" "$([ ! -e prog ]; echo $?)"
    plumb cc one.c -L. -lhidden -o prog; exits "so is a member of an archive" 65
    says "by archive and member" err "libhidden.a(hidden.o)"
    plumb cc one.c two.c libhidden.a -o prog; exits "a member that is not used does no harm" 0
    plumb cc one.c ./libhides.so -o prog; exits "so is a shared library" 65
    says "by its name" err "libhides.so"
    plumb cc --foreign=warn one.c hidden.o -o prog; exits "--foreign=warn goes on" 0
    "$PLUMB" cc -O2 -c hidden.c -o hidden.o && plumb cc one.c hidden.o -o prog; exits "compiled by plumb cc, it is welcome" 0
    printf '#include <poll.h>\nint main(void) { return poll(0, 0, 0); }\n' >poll.c
    plumb cc poll.c -o prog; exits "a call that could block and is not modelled is refused" 65
    says "by its name" err "calls poll"
fi
finish
