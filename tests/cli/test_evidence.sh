#!/bin/bash
# How much evidence: --evidence; and the same core whatever the number of threads.
. "$(dirname "$0")/lib.sh"
H=examples/histories

# Two keys are wrong: "a" comes first in the file, "b" is wrong first in time.
W=$SCRATCH/two.jsonl
{
    echo '{"client":0,"op":"put","key":"a","args":[1],"call":0,"ret":1,"res":null}'
    echo '{"client":0,"op":"put","key":"b","args":[1],"call":2,"ret":3,"res":null}'
    echo '{"client":0,"op":"get","key":"b","args":[],"call":4,"ret":5,"res":null}'
    seq 10 20000 | sed 's/.*/{"client":1,"op":"put","key":"a","args":[&],"call":&0,"ret":&1,"res":null}/'
    echo '{"client":1,"op":"get","key":"a","args":[],"call":900000,"ret":900001,"res":20}'
} >"$W"
core() { "$PLUMB" check -q --json "$@" "$W" | sed 's/.*"core":\(\[[0-9,]*\]\).*/\1/'; }
first=$(core -j 1)
for threads in 1 2 3 4 8; do
    for run in 1 2 3; do
        [ "$(core -j $threads)" = "$first" ] || { echo "# $(core -j $threads) instead of $first"; first=different; }
    done
done
ok "the same core for every number of threads" "$([ "$first" != different ]; echo $?)"
ok "that of the key that comes first" "$([ "${first##*,}" = "19994]" ]; echo $?)"

plumb check "$H/queue-wrong.jsonl" --evidence full; exits "--evidence full" 1
says "has a core" out "core of 3"
plumb check "$H/queue-wrong.jsonl" --evidence quick; exits "--evidence quick" 1
says "has a core" out "core of"
plumb check "$H/queue-wrong.jsonl" --evidence none; exits "--evidence none" 1
says "the verdict alone" out "violation: not a linearizable queue: "
ok "without a core" "$(! grep -q 'core of\|re-checked' "$SCRATCH/out"; echo $?)"
plumb check --json "$H/queue-wrong.jsonl" --evidence none
says "no core in JSON" out '"core":null'
plumb check "$H/queue-right.jsonl" --evidence none; exits "--evidence none of a right one" 0
says "says that the witness was not replayed" out "; witness not checked"
plumb check --json "$H/queue-right.jsonl" --evidence none
says "in JSON too" out '"witness_checked":false'
plumb check "$H/queue-right.jsonl" --evidence none --certificate "$SCRATCH/c"; exits "nothing to certify" 64
plumb check "$H/queue-right.jsonl" --evidence some; exits "an unknown word" 64
finish
