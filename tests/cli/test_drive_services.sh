#!/bin/bash
# plumb drive against real servers, briefly: configurations that keep their promise pass under faults, those that are
# known to break theirs are found. What is not installed is skipped by name (tools/install-deps.sh --services). All of it
# on the loopback interface; PLUMB_SOAK=1 makes it long.
. "$(dirname "$0")/lib.sh"
export TMPDIR=$SCRATCH
chmod 711 "$SCRATCH" # servers are run by another user when this is root
PLUMB=$(realpath "$PLUMB")
cd "$SCRATCH" || exit 1
time=2s
if [ -n "${PLUMB_SOAK-}" ]; then time=10m; fi
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip - client libraries are not ours to sanitize: plumb drive of services"; exit 0; fi

drive() { rm -rf saved; timeout 1200 "$PLUMB" drive "$@" --save saved >"$SCRATCH/out" 2>"$SCRATCH/err"; code=$?; }

passes() { # name words...
    local name=$1
    shift
    drive "$@" --time $time
    exits "$name passes" 0
}
# What is wrong shows itself only when the timing is so: other seeds, each for longer than the one before.
look_for() { # words...
    for seed in 1 2 3 4 5 6; do
        drive "$@" --seed "$seed" --time "$((3 * seed))s"
        if [ "$code" != 0 ]; then break; fi
    done
}
# By its faults it must come: a server that is killed has forgotten, a node that is cut off is behind.
is_found() { # name words...
    local name=$1
    shift
    look_for "$@"
    exits "$name is found" 1
    is_confirmed "$name"
}
# Two operations have to meet. A machine on which they did not in six runs has shown nothing; another answer than "no
# violation" is wrong all the same.
may_be_found() { # name words...
    local name=$1
    shift
    look_for "$@"
    if [ "$code" = 0 ]; then echo "skip - in six runs of 3 to 18 s the operations did not meet: $name"; return; fi
    exits "$name is found" 1
    is_confirmed "$name"
}
is_confirmed() { # name
    "$PLUMB" check -q saved/history.events.jsonl >/dev/null 2>&1
    ok "$1: so says plumb check of the history" "$([ $? = 1 ]; echo $?)"
}
have() { # driver program
    if [ ! -e "$(dirname "$PLUMB")/drivers/$1.so" ]; then echo "skip - driver $1 was not built"; return 1; fi
    if [ ! -x "$2" ] && ! command -v "$2" >/dev/null; then echo "skip - no $2: driver $1"; return 1; fi
}
is_root() { [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; }
has_partitions() { is_root && command -v ip >/dev/null && unshare -n ip link add hub type bridge 2>/dev/null; }
behind= # what makes a node that is read fall behind for sure
if has_partitions; then behind="--faults partition --every 700ms --lasts 500ms"; fi
if_behind=${behind:+is_found}
if_behind=${if_behind:-may_be_found}
faults="--every 700ms --lasts 200ms --timeout 300ms"

if have redis redis-server; then
    # shellcheck disable=SC2086 # options
    passes "Redis with appendfsync always, killed and paused" redis --faults kill,pause $faults
    for object in queue stack set counter lock; do
        drive redis --object $object --ops 300
        exits "a $object of Redis passes" 0
    done
    if is_root; then
        passes "Redis with appendfsync always, whose disk is full" redis --faults disk-full --every 700ms --lasts 200ms
        ok "that is a fault in the history" "$(grep -q '"text":"disk-full n1"' saved/history.events.jsonl; echo $?)"
        drive redis --faults clock
        exits "a clock that cannot be set" 64
        says "is refused by name" err "the clocks of servers of driver redis cannot be set"
    fi
    mkdir at
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' 2>/dev/null)
    redis-server --port "${port:-26379}" --dir at --save "" --appendonly no >/dev/null &
    running=$!
    for _ in $(seq 100); do redis-cli -p "${port:-26379}" ping >/dev/null 2>&1 && break; sleep 0.05; done
    for object in kv queue set lock; do
        for _ in first second; do drive redis --object $object --at "127.0.0.1:${port:-26379}" --ops 300; done
        exits "a Redis that runs already and holds what a run before has left in a $object passes" 0
    done
    kill $running
    wait $running 2>/dev/null
    # shellcheck disable=SC2086
    is_found "Redis without a file, killed" redis --faults kill --set appendfsync=off $faults
    # shellcheck disable=SC2086
    $if_behind "Redis with reads of a replica" redis --nodes 2 --set reads=replica $behind
    is_found "a lock of Redis that expires while it is held" redis --object lock --set ttl=50 --think 100ms
    is_found "a lock of Redis whose holder is paused for longer" redis --object lock --set ttl=50 --faults pause-client --every 300ms --lasts 200ms
    drive redis --object lock --faults pause-client --every 300ms --lasts 200ms --time 1s
    exits "a lock that does not expire passes with paused clients" 0
fi
if have memcached memcached; then
    # shellcheck disable=SC2086
    passes "memcached, paused" memcached --faults pause $faults
    if is_root && ls /usr/lib/*/faketime/libfaketimeMT.so.1 >/dev/null 2>&1; then
        passes "memcached, whose clock jumps" memcached --faults clock --every 500ms --lasts 300ms
        ok "by seconds" "$(grep -qE '"text":"clock n1 by [-+][0-9]+ s"' saved/history.events.jsonl; echo $?)"
    else
        echo "skip - not root, or no libfaketime: clocks"
    fi
    drive memcached --object counter --ops 300
    exits "a counter of memcached passes" 0
    # shellcheck disable=SC2086
    is_found "memcached, killed" memcached --faults kill $faults
fi
if have postgres "$(ls /usr/lib/postgresql/*/bin/postgres 2>/dev/null | tail -1)"; then
    # shellcheck disable=SC2086
    passes "PostgreSQL, serializable, killed and paused" postgres --faults kill,pause $faults
    if has_partitions; then
        drive postgres --faults slow
        exits "links of one node" 64
        says "are refused before it starts" err "need at least two nodes"
    fi
    drive postgres --object bank --ops 200
    exits "a bank of PostgreSQL passes" 0
    may_be_found "a lost update of PostgreSQL, read committed" postgres --object cas-register --set isolation=read-committed
fi
if have etcd etcd; then
    # shellcheck disable=SC2086
    passes "etcd of three, killed and paused" etcd --faults kill,pause $faults
    if has_partitions; then
        # shellcheck disable=SC2086
        passes "etcd of three, partitioned, one way too" etcd --faults partition,partition-one-way $faults
        ok "partitions are intervals in the history" "$(grep -qE '"text":"partition(-one-way)? n[123 n]* (\||->) n' saved/history.events.jsonl; echo $?)"
        passes "etcd of three, over slow and lossy links" etcd --faults slow,lossy --every 500ms --lasts 300ms --seed 1
        ok "that are intervals in the history" "$(grep -qE '"text":"slow n[123 n]* by [0-9]+ ms"' saved/history.events.jsonl; echo $?)"
    else
        echo "skip - not root, or no network namespaces: partitions, slow and lossy links"
    fi
    passes "etcd as a lock" etcd --object lock --faults pause --every 500ms --lasts 300ms --seed 1
    # shellcheck disable=SC2086
    $if_behind "etcd with serializable reads" etcd --set reads=serializable $behind
fi
if have zookeeper java && { [ -e /usr/share/java/zookeeper.jar ] || { echo "skip - no zookeeper.jar: driver zookeeper"; false; }; }; then
    # shellcheck disable=SC2086
    passes "ZooKeeper of three with sync before reads, killed and paused" zookeeper --faults kill,pause $faults
    may_be_found "ZooKeeper with reads without sync" zookeeper --set reads=local
fi
if have nats nats-server; then
    # shellcheck disable=SC2086
    passes "NATS key-value of three, killed and paused" nats --faults kill,pause $faults
    drive nats --nodes 1 --object cas-register --ops 300
    exits "compare-and-set of one NATS server passes" 0
    may_be_found "NATS key-value with direct reads" nats --set reads=direct
fi
left=$(ls -d "$SCRATCH"/plumb-drive-* 2>/dev/null)
ok "no folder is left" "$([ -z "$left" ]; echo $?)"
finish
