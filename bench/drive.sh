#!/bin/bash
# What plumb drive itself costs: CPU time of an operation that is planned, recorded, written and judged, against the driver
# `memory`, whose operations take no time. Best of three.
#
#     bench/drive.sh        PLUMB=build/plumb
cd "$(dirname "$0")/.." || exit 1
PLUMB=${PLUMB:-build/plumb}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S'
for object in kv register queue stack set counter; do
    for clients in 1 8; do
        for _ in 1 2 3; do
            { time "$PLUMB" drive memory --object $object --clients $clients --ops 300000 --time 60 -q --json \
                >"$work/report"; } 2>"$work/time"
            operations=$(sed -E 's/.*"operations":([0-9]+).*/\1/' "$work/report")
            awk -v n="$operations" '{printf "%.2f\n", ($1 + $2) / n * 1e6}' "$work/time"
        done | sort -n | head -1 | sed "s/^/$object, $clients clients: /; s/\$/ microseconds of CPU an operation/"
    done
done
