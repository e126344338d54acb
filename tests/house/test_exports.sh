#!/bin/bash
# Every function that libplumbline exports is declared in a header that is installed, is in the reference with the same
# prototype, and is tried without memory and misused by tests.
BUILD=${PLUMB_BUILD:-build}
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip sanitizers bring names of their own"; exit 0; fi
number=0 bad=0
cd "$(dirname "$0")/../.." || exit 1

result() { # title findings: a line of TAP
    number=$((number + 1))
    if [ -z "$2" ]; then echo "ok $number - $1"; else head -40 <<<"$2" | sed 's/^/# /'; echo "not ok $number - $1"; bad=1; fi
}

names=$(nm -D --defined-only "$BUILD/libplumbline.so" | awk '{print $NF}' | sed 's/@.*//' | grep '^plumb_' | sort -u)
lacks() { # what file...: names that occur in none of the files
    local what=$1; shift
    for name in $names; do grep -qwF "$name" "$@" || echo "$what $name"; done
}
result "libplumbline exports something" "$([ "$(wc -l <<<"$names")" -gt 50 ] || echo "$names")"
result "every exported function is in a public header" "$(lacks 'no header has' include/plumbline/*.h)"
result "every exported function is tried without memory" "$(lacks 'tests/api/test_memory.c lacks' tests/api/test_memory.c)"
result "every exported function is misused" "$(lacks 'tests/api/test_misuse.c lacks' tests/api/test_misuse.c)"
result "docs/REFERENCE.md is what tools/reference.sh makes of the headers" "$(tools/reference.sh | diff docs/REFERENCE.md - | head -20)"
result "every public header but the macros of wrap* is in docs/REFERENCE.md" "$(
    for header in include/plumbline/*.h; do
        case $header in */wrap*) continue ;; esac
        grep -qxF "## plumbline/${header##*/}" docs/REFERENCE.md || echo "docs/REFERENCE.md lacks $header"
    done)"
result "every exported function is in docs/REFERENCE.md" "$(lacks 'docs/REFERENCE.md lacks' docs/REFERENCE.md)"
# `free` is mem_free in these rooms (cmake/libraries.cmake): what the C library allocated is freed by mem_foreign_free,
# which the files that are named here do.
result "rooms of the library allocate by base/mem.h" "$(
    cd src && grep -rnE '\b([mc]alloc|realloc|reallocarray|strn?dup|v?asprintf|posix_memalign|aligned_alloc|open_memstream|getline|getdelim)\(|realpath\([^,]*, NULL' \
        base history object theory engine format evidence monitor runtime remote report api --include='*.c' --include='*.h' |
        grep -vE '^(base/(mem|pool)\.c|runtime/record/|object/serial_object\.c|evidence/proof\.c|format/plumb_log_write\.c)')"
exit $bad
