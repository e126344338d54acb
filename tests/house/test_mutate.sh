#!/bin/bash
# tools/mutate/run.py kills what a small test covers and reports what it does not; its list of explained survivors fits the
# sources.
number=0 bad=0
here=$(dirname "$0")/mutate
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! command -v python3 >/dev/null; then echo "skip - no python3"; exit 0; fi

ok() { # title status
    number=$((number + 1))
    if [ "$2" -eq 0 ]; then echo "ok $number - $1"; else sed 's/^/# /' "$scratch/out" | head -40; echo "not ok $number - $1"; bad=1; fi
}
mutate() { tools/mutate/run.py -v "$@" >"$scratch/out" 2>&1; code=$?; }
fates_of() { # pattern of a line of between.c: the fates of its mutants, each once
    local line
    line=$(grep -nF "$1" "$here/between.c" | cut -d: -f1)
    sed -n "s/^\([a-z ]*\).*between\.c:$line (.*/\1/p" "$scratch/out" | sed -e 's/ by.*//' -e 's/ $//' | sort -u
}

mutate --alone "$here/between.c" "$here/between_check.c"
ok "a line that the test covers has no survivor" "$(fates_of 'low <= value' | grep -qx survived; [ $? -eq 1 ]; echo $?)"
ok "its mutants are killed" "$(fates_of 'low <= value' | grep -q killed; echo $?)"
ok "a dropped statement is killed" "$(fates_of 'calls++' | grep -q killed; echo $?)"
ok "a line that it does not cover has survivors" "$(fates_of 'value > 100' | grep -q survived; echo $?)"
ok "with their diffs" "$(grep -A2 'survived: .*between.c:' "$scratch/out" | grep -qF '+    if (value > 101) return 100;'; echo $?)"
ok "and what is reached is killed there too" "$(fates_of 'value > 100' | grep -q killed; echo $?)"
ok "asserts and comments are left alone" "$([ -z "$(fates_of 'assert(')$(grep -F 'For tests/house' "$scratch/out")" ]; echo $?)"
ok "too many survivors: exit 1" "$([ "$code" -eq 1 ]; echo $?)"

cat >"$scratch/list" <<END
file: tests/house/mutate/between.c
code-like: if \(value > 100\) return 100;.*
why: the test is meant to miss it
END
mutate --alone "$here/between.c" "$here/between_check.c" --explained "$scratch/list"
ok "explained survivors do not count: exit 0" "$code"
ok "their reason is printed" "$(grep -q 'because the test is meant to miss it' "$scratch/out"; echo $?)"

first=$(mutate --alone "$here/between.c" "$here/between_check.c" --count 6 --seed 5; grep -vE "building|^\.\.\." "$scratch/out" | sort)
again=$(mutate --alone "$here/between.c" "$here/between_check.c" --count 6 --seed 5; grep -vE "building|^\.\.\." "$scratch/out" | sort)
ok "a seed gives the same mutants again" "$(grep -q killed <<<"$first" && [ "$first" = "$again" ]; echo $?)"
mutate --alone "$here/between.c" "$here/between.c"
ok "a test that does not pass as it is measures nothing: exit 70" "$([ "$code" -eq 70 ]; echo $?)"
mutate --check-explained
ok "tools/mutate/explained.txt fits the sources" "$code"
build=${PLUMB_BUILD:-build/checked}
if [ -e "$build/tests/base_test_printable" ]; then
    # a source of ours, beside a real build directory: its objects, archives and tests are found
    mutate --built --build "$build" --no-sanitizers --count 3 --seed 2 -j1 src/base/printable.c
    ok "a source of this build is mutated, and a test of its room kills" "$(grep -qE ': 3 mutants, [123] killed' "$scratch/out"; echo $?)"
else
    echo "skip - no build directory with tests"
fi
echo "1..$number"
exit $bad
