#!/bin/bash
# Plumbline for arm64, cross-built here and run by qemu-user: is the verdict of every case of the corpus the one of x86-64? And is
# what the explorer does not know there refused by name?
#
#   tools/machines/arm64.sh      skipped, with what is missing, where the cross compiler, the arm64 libraries or qemu are not there
#
# qemu-user and not qemu-system: the explorer runs all threads of a program on one thread of the operating system, so nothing
# depends on how faithfully an emulator runs threads side by side, and programs start in milliseconds. Nothing is said here of
# the recorder, whose threads do run side by side.
set -u
cd "$(dirname "$0")/../.." || exit 1
skip() { echo "skipped arm64: $1"; exit 0; }
command -v aarch64-linux-gnu-g++ >/dev/null || skip "no aarch64-linux-gnu-g++ (Debian: g++-aarch64-linux-gnu)"
command -v qemu-aarch64-static >/dev/null || skip "no qemu-aarch64-static (Debian: qemu-user-static)"
[ -e /usr/lib/aarch64-linux-gnu/pkgconfig/libzstd.pc ] || skip "no libzstd-dev:arm64 (dpkg --add-architecture arm64)"

# `plumb explore` starts the programs that it compiled: the kernel has to know who runs them.
rules=/proc/sys/fs/binfmt_misc
if [ ! -e $rules/qemu-aarch64 ]; then
    [ -e $rules/register ] || mount -t binfmt_misc binfmt_misc $rules 2>/dev/null
    cat /usr/lib/binfmt.d/qemu-aarch64.conf >$rules/register 2>/dev/null
    [ -e $rules/qemu-aarch64 ] || skip "the kernel does not start programs for arm64 (binfmt_misc), and this user cannot tell it to"
fi

build=build/arm64
cmake -S . -B $build -DCMAKE_TOOLCHAIN_FILE=cmake/arm64.cmake -DCMAKE_BUILD_TYPE=Release >$build.log 2>&1 &&
    cmake --build $build -j"$(nproc)" --target plumb plumbline_explore plumbline_explore_many >>$build.log 2>&1 ||
    { tail -20 $build.log; echo "0 passed, 1 failed"; exit 1; }
export PLUMB=$build/plumb PLUMB_CC=aarch64-linux-gnu-gcc PLUMB_CXX=aarch64-linux-gnu-g++
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
count() { # lines of TAP
    passed=$((passed + $(grep -c '^ok ' "$1"))) failed=$((failed + $(grep -c '^not ok ' "$1")))
    grep '^not ok ' "$1"
}
outcome() { # title code expected
    if [ "$2" = "$3" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "not ok - $1 (exit $2)"; fi
}

# an emulator is slow: right ones get more time
PLUMB_CORPUS_SECONDS=${PLUMB_CORPUS_SECONDS:-20} tools/corpus.sh --tap >"$work/corpus"
count "$work/corpus"
for code in 'dmb ish' 'ldr x9, [x9]' 'mrs x9, cntvct_el0'; do
    printf 'int main(void) { __asm__ volatile("%s" ::: "x9", "memory"); return 0; }\n' "$code" >"$work/assembly.c"
    $PLUMB explore -q "$work/assembly.c" >"$work/out" 2>&1
    outcome "refused by name: $code" $? 65
    grep -q "$code.*not explored on arm64" "$work/out"
    outcome "with its words: $code" $? 0
done
printf 'int main(void) { __asm__ volatile("yield; add x9, x9, #1" ::: "x9"); return 0; }\n' >"$work/assembly.c"
$PLUMB explore -q "$work/assembly.c" >"$work/out" 2>&1
outcome "instructions that touch registers alone" $? 0
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
