#!/bin/bash
# Criteria from end to end: check, measure, certificates, generated relaxed containers.
. "$(dirname "$0")/lib.sh"

for object in queue stack pqueue-max; do
    history=$SCRATCH/$object.jsonl
    plumb generate --object $object --ops 400 --relax 3 --seed 5 --output "$history"
    exits "$object: a relaxed one is made" 0
    plumb check --quasi 3 --certificate "$SCRATCH/$object.cert" "$history"
    exits "$object: it is quasi(3)" 0
    says "$object: and the report says so" out "quasi(3): 400 operations"
    plumb certify "$SCRATCH/$object.cert"
    exits "$object: the certificate holds" 0
    says "$object: and names the criterion" out "are quasi(3)"
    sed 's/quasi(3)/quasi(2)/' "$SCRATCH/$object.cert" >"$SCRATCH/other.cert"
    plumb certify "$SCRATCH/other.cert"
    exits "$object: it is none of a stricter criterion" 1
    plumb check --quasi 2 --certificate "$SCRATCH/$object.cert" "$history"
    exits "$object: it is not quasi(2)" 1
    says "$object: a violation of that" out "not a quasi(2) $object"
    says "$object: decided again" out "re-checked"
    plumb certify "$SCRATCH/$object.cert"
    exits "$object: the certificate of the violation holds" 0
    plumb check --measure "$history"
    exits "$object: it is measured" 0
    says "$object: 3 is the smallest" out "quasi(3): 400 operations, 0 pending; the smallest k"
    says "$object: and what forces it" out "Not quasi(2):"
    plumb check --measure --json --quiet "$history"
    says "$object: in JSON" out '"measure":{"bounded":true,"smallest":3,"low":3,"high":3,"forced_by":['
    says "$object: with the criterion" out '"criterion":"quasi(3)"'
done

queue=$SCRATCH/queue.jsonl
plumb check --criterion 'quasi(ahead=3,overtaken=3)' "$queue"
exits "limits by name" 0
plumb check --quasi ahead=3,overtaken=1 "$queue"
exits "separate limits" 1
plumb check --criterion 'out-of-order(3,3)' "$queue"
exits "out-of-order" 0
plumb check --engine queue-linear --quasi 3 "$queue"
exits "an engine that does not decide the criterion" 2
says "says so" out "does not decide criterion quasi"
plumb check --object set --quasi 1 "$queue"
exits "no order, no criterion" 64
one_line "in one line" err
plumb check --quasi x "$queue"
exits "no number" 64
plumb check --quasi 1 --measure "$queue"
exits "one or the other" 64
plumb check --criterion 'literal(1)' "$queue"
exits "too long to permute" 64
printf '{"op":"enq","args":[1],"call":0,"ret":1,"res":null}\n{"op":"deq","args":[],"call":2,"ret":3,"res":7}\n' >"$SCRATCH/air.jsonl"
plumb check --measure "$SCRATCH/air.jsonl"
exits "what no k allows" 1
says "is a violation" out "violation"
plumb generate --object queue --relax 2 --mutate reorder
exits "a mutation of a relaxed one" 64
finish
