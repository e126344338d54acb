#!/bin/bash
# The defects that tools/defects/run.sh plants have to follow the sources: each changes exactly one line of its file, and names
# tests that there are.
number=0 bad=0
programs=$(find tests -name 'test_*.c' | sed -e 's|^tests/||' -e 's|/|_|g' -e 's|\.c$||')
field() { sed -n "s/^$1: //p" "$2"; }
for set in tools/defects/*/; do
    number=$((number + 1))
    wrong=$(for d in "$set"*.defect; do
        file=$(field file "$d")
        changed=$(sed "$(field sed "$d")" "$file" | diff "$file" - | grep -c '^>')
        if [ "$changed" -ne 1 ]; then echo "# $d changes $changed lines of $file"; fi
        for t in $(field tests "$d"); do
            if ! grep -qxF "$t" <<<"$programs"; then echo "# $d: there is no test $t"; fi
        done
    done)
    if [ -z "$wrong" ]; then echo "ok $number - $set"; else echo "$wrong"; echo "not ok $number - $set"; bad=1; fi
done
exit $bad
