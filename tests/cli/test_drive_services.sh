#!/bin/bash
# plumb drive against real servers, briefly: configurations that keep their promise pass under faults, those that are
# known to break theirs are found. What is not installed is skipped by name (tools/install-deps.sh --services). All of it
# on the loopback interface; PLUMB_SOAK=1 makes it long.
. "$(dirname "$0")/lib.sh"
export TMPDIR=$SCRATCH
chmod 711 "$SCRATCH" # servers are run by another user when this is root
PLUMB=$(realpath "$PLUMB")
cd "$SCRATCH" || exit 1
time=2s tries=3
if [ -n "${PLUMB_SOAK-}" ]; then time=10m tries=10; fi
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip - client libraries are not ours to sanitize: plumb drive of services"; exit 0; fi

drive() { rm -rf saved; timeout 1200 "$PLUMB" drive "$@" --save saved >"$SCRATCH/out" 2>"$SCRATCH/err"; code=$?; }

passes() { # name words...
    local name=$1
    shift
    drive "$@" --time $time
    exits "$name passes" 0
}
# What is wrong shows itself only when the timing is so: another seed may be needed.
is_found() { # name words...
    local name=$1
    shift
    for seed in $(seq $tries); do
        drive "$@" --seed "$seed" --time 10s
        if [ "$code" != 0 ]; then break; fi
    done
    exits "$name is found" 1
    "$PLUMB" check -q saved/history.events.jsonl >/dev/null 2>&1
    ok "$name: so says plumb check of the history" "$([ $? = 1 ]; echo $?)"
}
have() { # driver program
    if [ ! -e "$(dirname "$PLUMB")/drivers/$1.so" ]; then echo "skip - driver $1 was not built"; return 1; fi
    if [ ! -x "$2" ] && ! command -v "$2" >/dev/null; then echo "skip - no $2: driver $1"; return 1; fi
}
faults="--every 700ms --lasts 200ms --timeout 300ms"

if have redis redis-server; then
    # shellcheck disable=SC2086 # options
    passes "Redis with appendfsync always, killed and paused" redis --faults kill,pause $faults
    for object in queue stack set counter lock; do
        drive redis --object $object --ops 300
        exits "a $object of Redis passes" 0
    done
    # shellcheck disable=SC2086
    is_found "Redis without a file, killed" redis --faults kill --set appendfsync=off $faults
    is_found "Redis with reads of a replica" redis --nodes 2 --set reads=replica
    is_found "a lock of Redis that expires while it is held" redis --object lock --set ttl=50 --think 100ms
fi
if have memcached memcached; then
    # shellcheck disable=SC2086
    passes "memcached, paused" memcached --faults pause $faults
    drive memcached --object counter --ops 300
    exits "a counter of memcached passes" 0
    # shellcheck disable=SC2086
    is_found "memcached, killed" memcached --faults kill $faults
fi
if have postgres "$(ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -1)"; then
    # shellcheck disable=SC2086
    passes "PostgreSQL, serializable, killed and paused" postgres --faults kill,pause $faults
    drive postgres --object bank --ops 200
    exits "a bank of PostgreSQL passes" 0
    is_found "a lost update of PostgreSQL, read committed" postgres --object cas-register --set isolation=read-committed
fi
if have etcd etcd; then
    # shellcheck disable=SC2086
    passes "etcd of three, killed and paused" etcd --faults kill,pause $faults
    if [ "$(id -u)" = 0 ] && command -v ip >/dev/null && unshare -n ip link add hub type bridge 2>/dev/null; then
        # shellcheck disable=SC2086
        passes "etcd of three, partitioned, one way too" etcd --faults partition,partition-one-way $faults
        ok "partitions are intervals in the history" "$(grep -qE '"text":"partition(-one-way)? n[123 n]* (\||->) n' saved/history.events.jsonl; echo $?)"
    else
        echo "skip - not root, or no network namespaces: partitions"
    fi
    is_found "etcd with serializable reads" etcd --set reads=serializable
fi
left=$(ls -d "$SCRATCH"/plumb-drive-* 2>/dev/null)
ok "no folder is left" "$([ -z "$left" ]; echo $?)"
finish
