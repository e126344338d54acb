#!/bin/bash
# The sources are as clang-format 14 leaves them (.clang-format), and no line of ours is longer than 120 columns.
number=0 bad=0

result() { # title findings: a line of TAP
    number=$((number + 1))
    if [ -z "$2" ]; then echo "ok $number - $1"; else head -20 <<<"$2" | sed 's/^/# /'; echo "not ok $number - $1"; bad=1; fi
}

mapfile -t sources < <(find src include tests bench fuzz -name '*.[ch]' -o -name '*.hpp' -o -name '*.cpp' | sort)

if clang-format --version 2>/dev/null | grep -q ' version 14\.'; then
    result "clang-format would change nothing" "$(clang-format --dry-run "${sources[@]}" 2>&1 | grep 'warning:' | sort -u)"
else
    echo "skip 1 - no clang-format 14 here"
fi
long_lines() { grep -rnE '^.{121,}' "$@" | cut -c1-100; } # where, and which files
result "no line of src and include is longer than 120 columns" \
    "$(long_lines src include --include='*.[ch]' --include='*.hpp' --include='*.def')"
result "no line of our python is longer than 120 columns" "$(long_lines tools tests bench --include='*.py')"
exit $bad
