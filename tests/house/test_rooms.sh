#!/bin/bash
# docs/ARCHITECTURE.md says that a room includes only rooms below it. Does it? Rooms inside rooms too: `engine` alone means
# the files that stand in src/engine itself, `engine/linear` those of that folder.
rooms=(drivers base history object format theory
    engine engine/general engine/linear engine/quasi engine/symbolic engine/saturate
    evidence generate monitor observe runtime/record runtime remote transports
    explore/model explore/graph explore/reduction explore/strategy explore/campaign explore/compile explore/inside explore/outside
    drive scale report api cli)
number=0 bad=0

result() { # title findings: a line of TAP
    number=$((number + 1))
    if [ -z "$2" ]; then echo "ok $number - $1"; else echo "$2" | sed 's/^/# /'; echo "not ok $number - $1"; bad=1; fi
}

# Every include of a file of ours as "ROOM FILE INCLUDED-ROOM".
includes() {
    grep -rnE '^#include "[a-z]' src --include='*.[ch]' |
        sed -E 's|^src/(.*)/([^/]*):[0-9]+:#include "(.*)/[^/"]*".*|\1 src/\1/\2 \3|'
}

all=$(includes)
for i in "${!rooms[@]}"; do
    room=${rooms[$i]}
    above=" ${rooms[*]:$((i + 1))} "
    result "$room includes only rooms below it" \
        "$(awk -v room="$room" -v above="$above" '$1 == room && index(above, " " $3 " ") {print $2 " includes " $3}' <<<"$all")"
done
# The two halves of the explorer live in different processes, and its compiler in neither.
for pair in "inside outside" "outside inside" "inside compile"; do
    read -r from to <<<"$pair"
    result "explore/$from does not include explore/$to" "$(awk -v f="explore/$from" -v t="explore/$to" '$1 == f && $3 == t' <<<"$all")"
done
strangers=$(find src -name '*.[ch]' -printf '%h\n' | sort -u | sed 's|^src/||' | grep -vxF "$(printf '%s\n' "${rooms[@]}")")
result "every room is on the list" "$strangers"
exit $bad
