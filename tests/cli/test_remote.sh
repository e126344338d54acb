#!/bin/bash
# Announcing over message passing: three processes share a queue, three replicas keep what they announce, one monitor judges.
. "$(dirname "$0")/lib.sh"
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip the example is tested with the release build"; exit 0; fi
if ! has_loopback; then echo "skip no connections to 127.0.0.1 here"; exit 0; fi
BUILD=${PLUMB_BUILD:-build}
cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Werror -Iinclude -o "$SCRATCH/shared_queue" examples/remote/shared_queue.c -L"$BUILD" -lplumbline -Wl,-rpath,"$BUILD" >"$SCRATCH/out" 2>"$SCRATCH/err"
ok "the example is built without warnings" $?

started=()
start_replicas() { # three of them: their process numbers in replica[], their addresses in addresses
    replica=() addresses=
    for i in 0 1 2; do
        : >"$SCRATCH/replica$i"
        "$PLUMB" replica >"$SCRATCH/replica$i" 2>/dev/null & replica+=($!)
        started+=($!)
    done
    for i in 0 1 2; do
        for try in $(seq 500); do [ -s "$SCRATCH/replica$i" ] && break; sleep 0.01; done
        addresses+=${addresses:+,}$(cat "$SCRATCH/replica$i")
    done
}
stop_replicas() { kill -9 "${replica[@]}"; wait "${replica[@]}"; } 2>/dev/null
stop_all() { kill -9 "${started[@]}" 2>/dev/null; }
trap 'stop_all; rm -rf "$SCRATCH"' EXIT

# three clients and the monitor, and meanwhile: a command; the clients' codes in codes, the monitor's in code
together() { # operations command [wrong]
    local clients=() n=$1 meanwhile=$2 monitor
    shift 2
    rm -f "$SCRATCH/queue"
    for i in 1 2 3; do "$SCRATCH/shared_queue" "$addresses" "$SCRATCH/queue" "$i" "$n" "$@" 2>>"$SCRATCH/clients" & clients+=($!); done
    timeout 60 "$PLUMB" monitor --replicas "$addresses" --clients 3 --idle 3s --witness "$SCRATCH/witness" >"$SCRATCH/out" 2>"$SCRATCH/err" & monitor=$!
    $meanwhile
    codes=
    for c in "${clients[@]}"; do wait "$c"; codes+=" $?"; done
    wait "$monitor"; code=$?
}
nothing() { :; }
kill_one() { sleep "0.0$((RANDOM % 9))"; kill -9 "${replica[RANDOM % 3]}" 2>/dev/null; }
kill_two() { sleep 0.05; kill -9 "${replica[0]}" "${replica[2]}" 2>/dev/null; }

start_replicas
together 300 nothing; exits "a right queue of three processes" 0
ok "all clients went to their end" "$([ "$codes" = " 0 0 0" ]; echo $?)"
says "all was judged" out "900 operations of 3 clients checked, 0 open"
"$SCRATCH/shared_queue" "$addresses" "$SCRATCH/queue" 2 1 2>"$SCRATCH/err"; code=$?
exits "a number that was used is not used again" 2
says "says so" err "has been here before"
stop_replicas

for turn in 1 2 3; do
    start_replicas
    together 300 kill_one; exits "a right queue, one replica killed ($turn)" 0
    ok "all clients went to their end ($turn)" "$([ "$codes" = " 0 0 0" ]; echo $?)"
    says "all was judged ($turn)" out "900 operations of 3 clients checked, 0 open"
    stop_replicas
    start_replicas
    together 300 kill_one wrong; exits "a wrong queue, one replica killed ($turn)" 1
    plumb certify "$SCRATCH/witness"; exits "its witness holds ($turn)" 0
    stop_replicas
done

start_replicas
together 100000 kill_two; exits "two replicas killed: undecided" 2
says "says why" out "1 of 3 replicas answered"
ok "the clients say so, too" "$([ "$codes" = " 2 2 2" ] && grep -q '1 of 3 replicas answered' "$SCRATCH/clients"; echo $?)"
stop_replicas

# a client that is killed in the middle: its operation is pending, the others go on
kill_client() { sleep 0.1; kill -9 "${clients[0]}" 2>/dev/null; }
start_replicas
together 200 kill_client; ok "a client is killed: no false alarm" "$([ $code = 0 ]; echo $?)"
stop_replicas

plumb monitor --replicas 127.0.0.1:1,127.0.0.1:2; exits "an even number of replicas" 64
one_line "one line" err
plumb monitor --replicas 10.0.0.1:7,127.0.0.1:2,127.0.0.1:3; exits "an address elsewhere" 64
plumb replica --listen 8.8.8.8:80; exits "a replica listens on this machine only" 64
start_replicas
port=${addresses%%,*}
head -c 100000 /dev/urandom 2>/dev/null >"/dev/tcp/127.0.0.1/${port##*:}" 2>/dev/null
printf '\xff\xff\xff\xff\x01' 2>/dev/null >"/dev/tcp/127.0.0.1/${port##*:}" 2>/dev/null
together 20 nothing; exits "replicas that were told nonsense go on" 0
stop_replicas
finish
