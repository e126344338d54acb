#!/bin/bash
# Kills `plumb drive` with -9 at random moments and looks whether anything of it is left: processes, folders, mounts (with
# a process its namespaces and ports are gone, too). Part of tools/soak.sh.
#
#     tools/drive-kill.sh [TIMES]        PLUMB=build/plumb
set -u
times=${1:-100}
PLUMB=${PLUMB:-build/plumb}
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 711 "$work" # servers are run by another user when this is root
export TMPDIR=$work
mark=plumb-drive-kill-$$-$RANDOM
left=0 seen=0

# What is driven: what needs no server, and the servers that are there.
runs=("memory --ops 100000000" "--exec examples/drive/queue_client.py --object queue"
      "--exec examples/drive/register_client.sh --object register --faults kill-client,pause-client --every 0.1 --lasts 0.1")
have() { command -v "$1" >/dev/null && [ -e "$(dirname "$PLUMB")/drivers/$2.so" ]; }
have redis-server redis && runs+=("redis --nodes 2 --faults kill,pause --every 0.2 --lasts 0.1")
have memcached memcached && runs+=("memcached --faults kill,pause --every 0.2 --lasts 0.1")
have etcd etcd && runs+=("etcd --faults kill,pause --every 0.2 --lasts 0.1")
[ "$(id -u)" = 0 ] && have etcd etcd &&
    runs+=("etcd --faults partition,slow,lossy --every 0.2 --lasts 0.1" "etcd --faults disk-full --every 0.2 --lasts 0.1")
[ -e "$(dirname "$PLUMB")/drivers/postgres.so" ] && ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 &&
    runs+=("postgres --faults kill,pause --every 0.5 --lasts 0.1")

# Processes that have the mark in their environment, or are in a folder of ours: servers that write their own title write it
# over their environment. A line each: its folder in /proc.
remaining() {
    {
        grep -slaF "PLUMB_MARK=$mark" /proc/[0-9]*/environ | sed 's|/environ$||'
        for p in /proc/[0-9]*; do
            case $(readlink "$p/cwd" 2>/dev/null) in "$work"/*) echo "$p" ;; esac
        done
    } | grep -v "^/proc/$$\$" | sort -u
}
gone() { # within ten seconds
    for _ in $(seq 200); do
        [ -z "$(remaining)" ] && [ -z "$(ls -d "$work"/plumb-drive-* 2>/dev/null)" ] && return 0
        sleep 0.05
    done
    return 1
}

for i in $(seq "$times"); do
    run=${runs[$((RANDOM % ${#runs[@]}))]}
    # shellcheck disable=SC2086 # the words of a command
    PLUMB_MARK=$mark "$PLUMB" drive $run --time 30 --save "$work/saved" >"$work/out" 2>&1 &
    process=$!
    sleep "$((RANDOM % 3)).$((RANDOM % 1000))"
    seen=$((seen + $(remaining | wc -l)))
    kill -9 "$process" 2>/dev/null
    wait "$process" 2>/dev/null
    if ! gone; then
        left=$((left + 1))
        echo "left behind by: plumb drive $run"
        remaining | while read -r p; do tr '\0' ' ' <"$p/cmdline"; echo; done
        ls -d "$work"/plumb-drive-* 2>/dev/null
    fi
    if grep -qF "$work" /proc/mounts; then left=$((left + 1)); echo "a mount is left: plumb drive $run"; fi
done
echo "$times runs killed while $seen processes ran, $left left something behind"
[ "$left" = 0 ] && [ "$seen" -gt 0 ]
