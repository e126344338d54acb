#!/bin/bash
# Workers, coordinators and the server of a cluster are killed or stopped at random moments: results are those of one
# process, none is lost and none is there twice. PLUMB_SOAK=1: 200 runs over three servers; PLUMB_CHAOS=N: so many; PLUMB_SERVERS=N; SEED
# says where to begin.
. "$(dirname "$0")/cluster_lib.sh"
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip - client libraries are not ours to sanitize: clusters"; exit 0; fi
has_nats || exit 0
runs=1
servers=1
if [ -n "${PLUMB_SOAK-}" ]; then runs=200 servers=3; fi
servers=${PLUMB_SERVERS:-$servers}
runs=${PLUMB_CHAOS:-$runs}
seed=${SEED:-1}

mkdir histories
for i in $(seq 150); do
    "$PLUMB" generate --object queue --ops 300 --threads 4 --seed "$i" >"histories/h$i.jsonl" 2>/dev/null
done
printf '{"client":1,"op":"enq","args":[1],"call":1,"ret":2}\n{"client":1,"op":"deq","args":[],"call":3,"ret":4,"res":2}\n' >histories/bad.jsonl
"$PLUMB" check -q histories >local.txt 2>/dev/null
ok "one process has results" "$([ "$(wc -l <local.txt)" -gt 150 ]; echo $?)"
explores=$root/corpus/treiber_stack.c
explored=(explore --strategy dpor --threads 2-2 --length 1-2 --time 300s --operations "push(1..2) pop" "$explores")
# How many executions a program takes depends on what its process knows of the one before; on clusters each has its own.
covers() { without_times | sed -E 's/[0-9,]+ executions//; s/[0-9,]+ spurious//'; }

ports=() routes=() processes=() url=
for _ in $(seq "$servers"); do ports+=("$(free_port)") routes+=("$(free_port)"); done
start_server() { # number
    local others=() i
    if [ "$servers" -gt 1 ]; then
        for i in "${!routes[@]}"; do others+=("nats://127.0.0.1:${routes[$i]}"); done
        others=(--cluster_name plumb --server_name "n$1" --cluster "nats://127.0.0.1:${routes[$1]}" --routes "$(IFS=,; echo "${others[*]}")")
    fi
    start_nats "${ports[$1]}" "$SCRATCH/nats$1" ${others[@]+"${others[@]}"}
    processes[$1]=$nats
}
for i in "${!ports[@]}"; do
    start_server "$i"
    url=$url${url:+,}nats://127.0.0.1:${ports[$i]}
done
for _ in $(seq 100); do "$PLUMB" workers --cluster "$url" >/dev/null 2>&1 && break; done # they have found a leader
workers=()
for _ in 1 2; do
    start_worker "$url" --lease 1s -j 1
    workers+=($worker)
done

if has_explorer; then
    "$PLUMB" "${explored[@]}" -q 2>/dev/null | covers >local.covered
    "$PLUMB" "${explored[@]}" -q --cluster "$url" 2>/dev/null | without_times >quiet.explored
    ok "on a cluster that is left in peace, coverage and histories are those of one process" "$(covers <quiet.explored | cmp -s - local.covered; echo $?)"
fi

strike() { # one of what there is, at random
    local victim=$((RANDOM % 2))
    case $((RANDOM % 4)) in
    0)
        kill -9 "${workers[$victim]}"
        start_worker "$url" --lease 1s -j 1
        workers[victim]=$worker
        ;;
    1)
        kill -STOP "${workers[$victim]}"
        sleep 1.5
        kill -CONT "${workers[$victim]}"
        ;;
    2)
        victim=$((RANDOM % servers))
        kill -9 "${processes[$victim]}"
        wait "${processes[$victim]}" 2>/dev/null
        sleep 0.2
        start_server $victim
        ;;
    3) kill -9 "$asked" ;;
    esac
}

# Asks until there is an answer: whoever asks may be killed, and is gone on with under the name it said.
disturbed() { # words of plumb: its output in result.txt
    local resume=()
    for _ in $(seq 100); do
        "$PLUMB" "$@" --cluster "$url" "${resume[@]}" >result.txt 2>asked.err &
        asked=$!
        while kill -0 $asked 2>/dev/null; do
            sleep "0.$((RANDOM % 5 + 1))"
            if [ $strikes -gt 0 ]; then
                strikes=$((strikes - 1))
                strike
            fi
        done
        wait $asked
        code=$?
        if [ $code -lt 64 ] || { [ $code -ne 137 ] && [ $code -ne 66 ]; }; then return; fi
        name=$(sed -n 's/^run //p' asked.err)
        if [ -n "$name" ] && ! grep -q "no such run" asked.err; then resume=(--resume "$name"); fi
    done
}

for run in $(seq "$runs"); do
    RANDOM=$((seed + run))
    strikes=6
    disturbed check histories
    cp asked.err "$SCRATCH/err"
    ok "run $run: histories are judged as by one process (SEED=$((seed + run - 1)))" "$(cmp -s local.txt result.txt; echo $?)"
    cmp -s local.txt result.txt || diff local.txt result.txt | head -5 | sed 's/^/# /'
    has_explorer || continue
    strikes=4
    disturbed "${explored[@]}"
    ok "run $run: programs are explored as in peace, execution by execution" "$(without_times <result.txt | cmp -s - quiet.explored; echo $?)"
    without_times <result.txt | diff quiet.explored - | head -5 | sed 's/^/# /'
done
finish
