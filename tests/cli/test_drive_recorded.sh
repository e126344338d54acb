#!/bin/bash
# Histories of real servers that plumb drive recorded (tests/data/drive/README.md says how): judged whole and as streams.
. "$(dirname "$0")/lib.sh"
data=$(dirname "$0")/../data/drive
listed=0
while read -r name verdict rest; do
    expected=0
    [ "$verdict" = violation ] && expected=1
    plumb check "$data/$name.events.jsonl.gz"
    exits "check: $name is $verdict ($rest)" $expected
    plumb monitor -q "$data/$name.events.jsonl.gz"
    exits "monitor: so it is event by event" $expected
    listed=$((listed + 1))
done < <(sed -nE 's/^    ([a-z-]+) +(linearizable|violation) +(.*)/\1 \2 \3/p' "$data/README.md")
ok "every file is listed" "$([ "$(ls "$data"/*.gz | wc -l)" = $listed ] && [ $listed -gt 0 ]; echo $?)"
plumb view "$data/redis-no-file.events.jsonl.gz" -o "$SCRATCH/page.html" -q
ok "a fault is a stretch of the page" "$(grep -qE '\[[0-9]+,"kill n1 \([0-9.]+ m?s\.\.[0-9.]+ m?s\)",[0-9]+\]' "$SCRATCH/page.html"; echo $?)"
finish
