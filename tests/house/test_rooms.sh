#!/bin/bash
# docs/ARCHITECTURE.md says that a room includes only rooms below it. Does it?
rooms=(base history object format theory engine evidence generate monitor observe runtime remote explore report api cli)
bad=0 number=0
for i in "${!rooms[@]}"; do
    room=${rooms[$i]}
    above=$(IFS='|'; echo "${rooms[*]:$((i + 1))}")
    number=$((number + 1))
    if [ -n "$above" ] && grep -nE "#include \"($above)/" -r "src/$room" --include='*.[ch]' | sed 's/^/# /' | grep .; then
        echo "not ok $number - $room includes only rooms below it"
        bad=1
    else
        echo "ok $number - $room includes only rooms below it"
    fi
done
number=$((number + 1))
strangers=$(ls src | grep -vxF "$(printf '%s\n' "${rooms[@]}")")
if [ -z "$strangers" ]; then echo "ok $number - every room is on the list"; else echo "not ok $number - not on the list: $strangers"; bad=1; fi
exit $bad
