#!/bin/bash
# Other systems than Debian 12 on x86-64: CMake says in one line each what it leaves out, the sources of the libraries
# compile with musl, and tools/install-deps.sh names the packages of other distributions.
. "$(dirname "$0")/../cli/lib.sh"
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
cd "$ROOT" || exit 1

configure() { # options...: what CMake says; nothing is built
    rm -rf "$SCRATCH/build"
    cmake -S "$ROOT" -B "$SCRATCH/build" -DBUILD_TESTING=OFF "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
}
if command -v cmake >/dev/null; then
    configure -DPLUMB_EXPLORER=OFF -DPLUMB_SAT=OFF -DPLUMB_DECODE=OFF -DPLUMB_DEBUG_INFO=OFF -DPLUMB_MEMBARRIER=OFF
    ok "configures without what is optional" $?
    for line in "libplumbline-explore is left out" "CaDiCaL is not there or not wanted" "libcapstone is not there or not wanted" \
        "libdw is not there or not wanted" "linux/membarrier.h is not there"; do
        ok "it says: $line" "$([ "$(grep -c -- "$line" "$SCRATCH/out")" -eq 1 ]; echo $?)"
    done
    ok "the explorer's library is no target" "$(! cmake --build "$SCRATCH/build" --target help 2>/dev/null | grep -q 'plumbline_explore$'; echo $?)"
    configure -DPLUMB_X86_64=OFF -DPLUMB_ARM64=OFF
    ok "an unknown processor has no explorer" "$(grep -q 'left out (processor ' "$SCRATCH/out"; echo $?)"
else echo "skip - no cmake"; fi

if command -v musl-gcc >/dev/null; then
    # Headers of the kernel and of zlib and zstd are those of the system; the C library's are musl's.
    mkdir "$SCRATCH/headers"
    for h in linux asm-generic zlib.h zconf.h zstd.h zstd_errors.h; do [ -e /usr/include/$h ] && ln -s /usr/include/$h "$SCRATCH/headers/"; done
    asm=$(gcc -print-multiarch 2>/dev/null); [ -d "/usr/include/$asm/asm" ] && ln -s "/usr/include/$asm/asm" "$SCRATCH/headers/asm"
    [ -e "/usr/include/$asm/zconf.h" ] && ln -sf "/usr/include/$asm/zconf.h" "$SCRATCH/headers/"
    compile() { musl-gcc -std=c11 -Werror -D_GNU_SOURCE -DPLUMB_VERSION=\"0\" -Isrc -Iinclude "$@" -fsyntax-only -fPIC; }
    rooms="base history object runtime/record theory engine engine/general engine/linear engine/quasi engine/symbolic engine/saturate format evidence monitor runtime remote report api"
    if [ -n "${PLUMB_FEWER-}" ]; then rooms="base history runtime/record api"; fi
    for room in $rooms; do
        compile -idirafter "$SCRATCH/headers" src/"$room"/*.c >"$SCRATCH/out" 2>&1; ok "musl: src/$room" $?
    done
    compile src/runtime/record/*.c >"$SCRATCH/out" 2>&1; ok "musl: the recorder without headers of the kernel" $?
else echo "skip - no musl-gcc"; fi

mkdir "$SCRATCH/bin"
for tool in bash echo sh; do ln -s "$(command -v $tool)" "$SCRATCH/bin/"; done
for system in fedora:dnf arch:pacman alpine:apk plan9:"a C and a C++ compiler"; do
    echo "ID=${system%%:*}" >"$SCRATCH/os-release"
    PATH=$SCRATCH/bin PLUMB_OS_RELEASE=$SCRATCH/os-release "$(command -v bash)" tools/install-deps.sh >"$SCRATCH/out" 2>"$SCRATCH/err"
    ok "${system%%:*}: does not fail" $?
    says "${system%%:*}: says what to install" err "install: ${system#*:}"
done
echo 'ID=nobara
ID_LIKE="rhel fedora"' >"$SCRATCH/os-release"
PATH=$SCRATCH/bin PLUMB_OS_RELEASE=$SCRATCH/os-release "$(command -v bash)" tools/install-deps.sh 2>"$SCRATCH/err"; says "a relative of Fedora" err "install: dnf"
finish
