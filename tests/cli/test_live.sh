#!/bin/bash
# Streams that are judged while they grow (plumb monitor --cluster): by one monitor and in parts, the same verdicts as those
# of the file; state in the cluster, taken over when a monitor is killed; services that publish by themselves. Over a folder,
# and over NATS where it is installed.
. "$(dirname "$0")/lib.sh"
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip - processes that are killed: tested with the other builds"; exit 0; fi
BUILD=$(realpath "${PLUMB_BUILD:-build}")
PLUMB=$(realpath "$PLUMB")
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
started=()
trap 'kill -9 "${started[@]}" 2>/dev/null; rm -rf "$SCRATCH"' EXIT
cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$ROOT/include" -o "$SCRATCH/service" "$ROOT/tests/cli/live_service.c" -L"$BUILD" -lplumbline -Wl,-rpath,"$BUILD" >"$SCRATCH/out" 2>"$SCRATCH/err"
ok "a service is built" $?
cd "$SCRATCH" || exit 1
zcat "$ROOT/tests/data/drive/etcd-right.events.jsonl.gz" >right.jsonl
zcat "$ROOT/tests/data/drive/etcd-serializable.events.jsonl.gz" >wrong.jsonl

streams() { # URL name
    plumb publish --cluster "$1" --subject orders.right right.jsonl; exits "$2: a right stream is published" 0
    plumb publish --cluster "$1" --subject orders.wrong wrong.jsonl; exits "$2: a wrong one, too" 0
    plumb monitor --cluster "$1" --subject orders.right --object kv --idle 1 -q; exits "$2: the right one is right" 0
    says "$2: all of it" out "3086 events, 1543 operations"
    plumb monitor --cluster "$1" --subject orders.right --object kv --idle 1 -q; says "$2: the second time nothing is judged twice" out "3086 events, 1543 operations"
    plumb monitor --cluster "$1" --subject orders.right --object kv --parts 3 --idle 1 -q; exits "$2: in three parts" 0
    ok "$2: which are all of it" "$([ "$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' out | awk '{n += $1} END {print n}')" = 3086 ]; echo $?)"
    plumb monitor --cluster "$1" --subject orders.wrong --object kv --idle 1; exits "$2: the wrong one is found" 1
    says "$2: at its event" out "event 168: get(3) -> none"
    plumb monitor --cluster "$1" --subject orders.wrong --object kv --idle 1; exits "$2: and stays found" 1
    plumb monitor --cluster "$1" --subject orders.wrong --object kv --idle 1 --parts 2 -q; exits "$2: in parts, too" 1
    plumb monitor --cluster "$1" --subject orders.none --object kv --idle 0.3; exits "$2: nothing published is nothing judged" 2
    timeout 60 ./service "$1" live.r 1 0 && timeout 60 ./service "$1" live.r 2 0; ok "$2: services publish" $?
    plumb monitor --cluster "$1" --subject live.r --object kv --idle 1 -q; exits "$2: what they did is right" 0
    says "$2: calls and returns of both" out "80 events, 40 operations"
    timeout 60 ./service "$1" live.w 1 0 && timeout 60 ./service "$1" live.w 2 1
    plumb monitor --cluster "$1" --subject live.w --object kv --idle 1 -q; exits "$2: an old value is found" 1
}

# Two monitors; the one that has the part is killed or stopped in the middle, the other one goes on.
take_over() { # subject signal
    local to="file:$SCRATCH/cluster"
    plumb publish --cluster "$to" --subject "$1" -q first.jsonl
    "$PLUMB" monitor --cluster "$to" --subject "$1" --object kv -q >m1 2>e1 & m1=$!; started+=($m1)
    for try in $(seq 100); do grep -qs "monitor-.*-$m1-0 1499 " "$SCRATCH"/cluster/key/monitors.* && break; sleep 0.1; done
    "$PLUMB" monitor --cluster "$to" --subject "$1" --object kv --idle 3 -q >m2 2>e2 & m2=$!; started+=($m2)
    kill -"$2" $m1
    plumb publish --cluster "$to" --subject "$1" -q second.jsonl
    wait $m2; code=$?; cp m2 out; cp e2 err
}
head -n 1500 right.jsonl >first.jsonl; tail -n +1501 right.jsonl >second.jsonl
take_over killed KILL 2>/dev/null
exits "a monitor that is killed is followed by another" 0
says "which skips nothing and judges nothing twice" out "3086 events, 1543 operations"
take_over stopped STOP
exits "so is one that is stopped" 0
says "by which all is judged as well" out "3086 events, 1543 operations"
kill -CONT $m1; wait $m1; code=$?; cp m1 out; cp e1 err
exits "when it goes on, it says nothing of the stream" 2
ok "at all" "$([ ! -s out ]; echo $?)"
says "but that it was followed" err "another monitor has taken over"

streams "file:$SCRATCH/cluster" folder
plumb monitor --cluster "file:$SCRATCH/cluster" --object kv; exits "a subject is needed" 64
plumb monitor --cluster "file:$SCRATCH/cluster" --subject a/b --object kv; exits "one that is one" 64
plumb monitor --cluster "file:$SCRATCH/cluster" --subject orders.right --object kv --name n --idle 1 -q
plumb monitor --cluster "file:$SCRATCH/cluster" --subject orders.wrong --object kv --name n --idle 1; exits "a name is of one stream" 64
one_line "and that is said in a line" err

if command -v nats-server >/dev/null && [ -e "$BUILD/transports/nats.so" ] && has_loopback; then
    port=$((20000 + $$ % 20000))
    nats-server -js -sd "$SCRATCH/js" -a 127.0.0.1 -p $port >"$SCRATCH/nats.log" 2>&1 & started+=($!)
    for try in $(seq 100); do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.05; done
    streams "nats://127.0.0.1:$port" NATS
    plumb monitor --cluster "nats://127.0.0.1:$port" --subject 'live.*' --object kv --idle 1 -q; exits "a pattern of subjects" 1
else
    echo "skip - no nats-server, or built without libnats: streams of NATS"
fi
finish
