#!/bin/bash
# Chaos: a right program that is recorded, and a monitor that is attached, while one thing or another happens to them: kill -9, stops,
# monitors that are killed and come again, a full disk, process numbers of another namespace, a sandbox without the barrier, and a file
# that is damaged or cut afterwards. The program does not die of it, and nothing is ever called a violation. A few runs; with PLUMB_SOAK=1 a thousand
# (other numbers: so many).
. "$(dirname "$0")/lib.sh"
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip the examples are tested with the release build"; exit 0; fi
BUILD=${PLUMB_BUILD:-build}
runs=16
if [ -n "${PLUMB_SOAK-}" ]; then runs=$PLUMB_SOAK; [ "$runs" = 1 ] && runs=1000; fi
RANDOM=${PLUMB_SEED:-7}
log=$SCRATCH/run.plumblog
kinds=(killed stopped followed bit page cut)

cc -O2 -std=c11 -D_GNU_SOURCE -Iinclude -Iexamples/runtime examples/runtime/ms_queue.c -o "$SCRATCH/ms_queue" -pthread \
    -L"$BUILD" -Wl,-rpath,"$BUILD" -lplumbline
ok "the program is built" $?

# full disks: one whose pages come one by one, and one that keeps pages together, where a store takes more room than was asked for
mounted=()
trap 'umount "${mounted[@]}" 2>/dev/null; rm -rf "$SCRATCH"' EXIT
mkdir "$SCRATCH/tmpfs" "$SCRATCH/ext4"
truncate -s 24M "$SCRATCH/image"
mkfs.ext4 -q -m 0 "$SCRATCH/image" 2>/dev/null
mount -t tmpfs -o size=8m none "$SCRATCH/tmpfs" 2>/dev/null && mounted+=("$SCRATCH/tmpfs")
mount -o loop "$SCRATCH/image" "$SCRATCH/ext4" 2>/dev/null && mounted+=("$SCRATCH/ext4")
if [ ${#mounted[@]} -gt 0 ]; then kinds+=(full); else echo "# skipped the full disk: no file system can be mounted here"; fi
if unshare --pid --fork --mount-proc true 2>/dev/null; then kinds+=(namespaces)
else echo "# skipped other process numbers: no namespaces here"; fi

# a system that refuses the barrier (membarrier) to what it runs
cat >"$SCRATCH/sandbox.c" <<'EOF'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int n, char **argument) {
    struct sock_filter refuse[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {4, refuse};
    if (n < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 99;
    return execv(argument[1], argument + 1);
}
EOF
if cc "$SCRATCH/sandbox.c" -o "$SCRATCH/sandbox" && "$SCRATCH/sandbox" /bin/true; then kinds+=(sandboxed)
else echo "# skipped the sandbox: no seccomp here"; fi

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
            disk=${mounted[RANDOM % ${#mounted[@]}]}
            "$SCRATCH/ms_queue" record "$disk/log" 800000 >/dev/null 2>&1
            ended $? 0
            judge "$PLUMB" check "$disk/log"
            rm -f "$disk/log" ;;
        namespaces)
            unshare --pid --fork --mount-proc "$SCRATCH/ms_queue" record "$log" 200000 >/dev/null 2>&1 & p=$!
            while [ ! -s "$log" ] && kill -0 $p 2>/dev/null; do sleep 0.01; done
            judge unshare --pid --fork --mount-proc "$PLUMB" monitor --attach "$log"
            wait $p
            ended $? 0 ;;
        sandboxed) # the program, the monitor, or both
            of=$((RANDOM % 3))
            $([ $of != 1 ] && echo "$SCRATCH/sandbox") "$SCRATCH/ms_queue" record "$log" 200000 >/dev/null 2>&1 & p=$!
            while [ ! -s "$log" ] && kill -0 $p 2>/dev/null; do sleep 0.01; done
            judge $([ $of != 0 ] && echo "$SCRATCH/sandbox") "$PLUMB" monitor --attach "$log"
            wait $p
            ended $? 0
            judge "$PLUMB" check "$log" ;;
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
