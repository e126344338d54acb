#!/bin/bash
# Chaos: a right program that is recorded, and a monitor that is attached, while one thing or another happens to them: kill -9, stops,
# monitors that are killed and come again, a full disk, process numbers of another namespace, and a file that is damaged or cut
# afterwards. The program does not die of it, and nothing is ever called a violation. A few runs; with PLUMB_SOAK=1 a thousand
# (other numbers: so many).
. "$(dirname "$0")/lib.sh"
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip the examples are tested with the release build"; exit 0; fi
BUILD=${PLUMB_BUILD:-build}
runs=12
if [ -n "${PLUMB_SOAK-}" ]; then runs=$PLUMB_SOAK; [ "$runs" = 1 ] && runs=1000; fi
RANDOM=${PLUMB_SEED:-7}
log=$SCRATCH/run.plumblog
kinds=(killed stopped followed bit page cut)

cc -O2 -std=c11 -D_GNU_SOURCE -Iinclude -Iexamples/runtime examples/runtime/ms_queue.c -o "$SCRATCH/ms_queue" -pthread \
    -L"$BUILD" -Wl,-rpath,"$BUILD" -lplumbline
ok "the program is built" $?

mkdir "$SCRATCH/small"
if mount -t tmpfs -o size=8m none "$SCRATCH/small" 2>/dev/null; then
    kinds+=(full)
    trap 'umount "$SCRATCH/small"; rm -rf "$SCRATCH"' EXIT
else
    echo "# skipped the full disk: no file system can be mounted here"
fi
if unshare --pid --fork --mount-proc true 2>/dev/null; then kinds+=(namespaces)
else echo "# skipped other process numbers: no namespaces here"; fi

said= died=
judge() { # command...: what it says is no violation, and it ends as it should
    local out code
    out=$(timeout 60 "$@" 2>&1)
    code=$?
    case $out in *violation*) said="$said; $kind: $out" ;; esac
    case $code in 0 | 2 | 65) ;; *) died="$died; $kind: exit $code of $*: $out" ;; esac
}
record() { "$SCRATCH/ms_queue" record "$log" 100000 >/dev/null 2>&1; }
ended() { # code expected...
    local code=$1
    shift
    for right in "$@"; do [ "$code" = "$right" ] && return; done
    died="$died; $kind: the program ended with $code"
}
pause() { sleep "0.0$((RANDOM % 9))"; }
damage() { # one bit, or a page of zeros, where something is
    local size at byte
    size=$(stat -c %b "$log") at=$((RANDOM * 32768 + RANDOM))
    at=$((at % (size * 512)))
    if [ "$kind" = page ]; then dd if=/dev/zero of="$log" bs=4096 seek=$((at / 4096)) count=1 conv=notrunc 2>/dev/null
    else
        byte=$(od -An -tu1 -j "$at" -N 1 "$log")
        printf "\\x$(printf %x $((byte ^ 1 << RANDOM % 8)))" | dd of="$log" bs=1 seek="$at" conv=notrunc 2>/dev/null
    fi
}

for ((i = 0; i < runs; i++)); do
    kind=${kinds[i % ${#kinds[@]}]}
    rm -f "$log"
    case $kind in
        killed | stopped | followed)
            "$SCRATCH/ms_queue" $([ "$kind" = followed ] && echo ring || echo record) "$log" 200000 >/dev/null 2>&1 & p=$!
            while [ ! -s "$log" ] && kill -0 $p 2>/dev/null; do sleep 0.01; done
            if [ "$kind" = followed ]; then # monitors that die, one after the other
                for _ in 1 2; do "$PLUMB" monitor --attach "$log" >/dev/null 2>&1 & m=$!; pause; kill -9 $m 2>/dev/null; wait $m 2>/dev/null; done
            elif [ "$kind" = stopped ]; then kill -STOP $p 2>/dev/null; pause; kill -CONT $p 2>/dev/null
            else pause; kill -9 $p 2>/dev/null; fi
            if [ "$kind" != killed ]; then judge "$PLUMB" monitor --attach "$log"; fi
            wait $p 2>/dev/null
            ended $? 0 $([ "$kind" = killed ] && echo 137)
            [ "$kind" = followed ] || judge "$PLUMB" check "$log" ;;
        full)
            "$SCRATCH/ms_queue" record "$SCRATCH/small/log" 200000 >/dev/null 2>&1
            ended $? 0
            judge "$PLUMB" check "$SCRATCH/small/log"
            rm -f "$SCRATCH/small/log" ;;
        namespaces)
            unshare --pid --fork --mount-proc "$SCRATCH/ms_queue" record "$log" 200000 >/dev/null 2>&1 & p=$!
            while [ ! -s "$log" ] && kill -0 $p 2>/dev/null; do sleep 0.01; done
            judge unshare --pid --fork --mount-proc "$PLUMB" monitor --attach "$log"
            wait $p
            ended $? 0 ;;
        cut)
            record
            truncate -s $((RANDOM * 32768 % $(stat -c %s "$log"))) "$log"
            judge "$PLUMB" check "$log" ;;
        *)
            record
            damage
            judge "$PLUMB" check "$log" ;;
    esac
done
[ -z "$said" ]; ok "nothing right is called wrong in $runs runs$said" $?
[ -z "$died" ]; ok "programs and tools end as they should$died" $?
finish
