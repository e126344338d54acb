#!/bin/bash
# plumb worker and --cluster: what workers answer is what one process answers, in a folder and over NATS; workers that die
# lose their units to others, units that kill are set aside, coordinators go on where one was killed.
. "$(dirname "$0")/cluster_lib.sh"
if [ -n "${PLUMB_SANITIZED-}" ]; then echo "skip - client libraries are not ours to sanitize: clusters"; exit 0; fi

# ---- words ----
plumb worker
exits "a worker without a cluster is a usage error" 64
plumb check --cluster http://x "$root/examples/histories"
exits "another scheme is one" 64
says "it says what is expected" err "expected nats://HOST:PORT"
plumb check --cluster file:c --certificate f "$root/examples/histories/"*queue*violation*.jsonl
exits "certificates are written here" 64
plumb check --cluster file:c - </dev/null
exits "standard input does not travel" 64
plumb check --cluster file:c --resume nobody "$root/examples/histories"
exits "a run that is not there cannot be gone on with" 64
says "it is named" err "--resume nobody: there is no such run"
PATH=/nowhere "$PLUMB" worker --cluster file:c >"$SCRATCH/out" 2>"$SCRATCH/err"
code=$?
exits "no sandbox, no worker" 66
says "unless it is told so" err "--unsandboxed"
if [ -e "$(dirname "$PLUMB")/transports/nats.so" ] && has_loopback; then
    plumb check --cluster nats://127.0.0.1:1 "$root/examples/histories"
    exits "no server is one line" 66
    one_line "and no more" err
fi

# ---- histories ----
mkdir runs
for seed in 1 2 3 4 5 6 7 8; do "$PLUMB" generate --object queue --ops 40 --threads 3 --seed $seed >runs/q$seed.jsonl 2>/dev/null; done
"$PLUMB" generate --object kv --ops 20000 --threads 4 --seed 3 >runs/large.jsonl 2>/dev/null # travels in chunks
printf '{"client":1,"op":"enq","args":[1],"call":1,"ret":2}\n{"client":1,"op":"deq","args":[],"call":3,"ret":4,"res":2}\n' >runs/bad.jsonl
printf '{"client":1,"op":"enq","args":[1],"call":1,"ret":2\n' >runs/broken.jsonl
echo nothing >runs/other.txt
ok "one history is larger than a message" "$([ "$(stat -c %s runs/large.jsonl)" -gt 600000 ]; echo $?)"
"$PLUMB" check -q runs >local.txt 2>/dev/null
local_code=$?
ok "one process has results" "$([ -s local.txt ]; echo $?)"
"$PLUMB" check -q --json --junit local.xml runs 2>/dev/null | without_times >local.json
"$PLUMB" check -q runs/bad.jsonl >local.one

same_histories() { # carrier url
    plumb check -q --cluster "$2" runs
    ok "$1: results are those of one process, in order" "$(cmp -s local.txt "$SCRATCH/out"; echo $?)"
    exits "$1: the worst exit code" $local_code
    plumb check -q --json --junit remote.xml --cluster "$2" runs
    ok "$1: the same JSON" "$(without_times <"$SCRATCH/out" | cmp -s - local.json; echo $?)"
    ok "$1: the same JUnit" "$(cmp -s <(without_times <local.xml) <(without_times <remote.xml); echo $?)"
    plumb check -q --cluster "$2" runs/bad.jsonl
    ok "$1: the same explanation" "$(cmp -s local.one "$SCRATCH/out"; echo $?)"
}

# The worker is killed while it has a unit: another one gets it, and its result counts once.
killed_workers() { # carrier url
    start_worker "$2" --lease 1s -j 1
    local first=$worker
    kill -STOP $first # it takes nothing, and is as good as dead where it stands
    "$PLUMB" check -q --cluster "$2" runs >remote.txt 2>/dev/null &
    local asked=$!
    kill -CONT $first
    sleep 0.4
    kill -9 $first
    start_worker "$2" --lease 1s
    wait $asked
    ok "$1: a worker is killed: nothing is lost, nothing is there twice" "$(cmp -s local.txt remote.txt; echo $?)"
    kill $worker
    wait $worker 2>/dev/null
}

# The coordinator is killed before there is a worker; its run is gone on with.
killed_coordinator() { # carrier url
    "$PLUMB" check --cluster "$2" runs >/dev/null 2>run.err &
    local asked=$!
    for _ in $(seq 200); do grep -q '^run ' run.err && break; sleep 0.05; done
    sleep 0.3
    kill -9 $asked
    wait $asked 2>/dev/null
    local name
    name=$(sed -n 's/^run //p' run.err)
    start_worker "$2"
    plumb check -q --cluster "$2" --resume "$name" runs/bad.jsonl
    exits "$1: another input is no continuation" 64
    plumb check -q --cluster "$2" --resume "$name" runs
    ok "$1: a run goes on without the one who began it" "$(cmp -s local.txt "$SCRATCH/out"; echo $?)"
    plumb check -q --cluster "$2" --resume "$name" runs
    exits "$1: and is over then" 64
    kill $worker
    wait $worker 2>/dev/null
}

seen() { # carrier url
    plumb workers --cluster "$2"
    says "$1: workers are seen" out "1 worker, "
    plumb workers --cluster "$2" --prometheus
    says "$1: as metrics" out "plumb_workers 1"
    plumb workers --cluster "$2" --json
    ok "$1: as JSON" "$(python3 -c 'import json,sys; sys.exit(len(json.load(open(sys.argv[1]))["workers"]) != 1)' "$SCRATCH/out"; echo $?)"
}

# ---- exploring ----
cat >counter.c <<'C'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_long n;
PLUMB_OBJECT("counter")
#ifdef WRONG
PLUMB_OP(inc) { atomic_store(&n, atomic_load(&n) + 1); return plumb_none(); }
#else
PLUMB_OP(inc) { atomic_fetch_add(&n, 1); return plumb_none(); }
#endif
PLUMB_OP(get) { return plumb_int(atomic_load(&n)); }
PLUMB_THREADS("inc get | inc")
PLUMB_THREADS("inc get | get inc")
PLUMB_THREADS("inc inc | get get")
PLUMB_THREADS("inc get | inc get | inc")
C
same_explorations() { # carrier url
    for flags in "" "-DWRONG"; do
        # shellcheck disable=SC2086 # flags
        for strategy in dpor dfs bounded; do
            "$PLUMB" explore -q --strategy $strategy --time 120s counter.c $flags >local.explored 2>/dev/null
            local_code=$?
            rm -f counter.schedule
            plumb explore -q --strategy $strategy --time 120s --cluster "$2" counter.c $flags
            exits "$1: explore --strategy $strategy $flags: the verdict is that of one process" $local_code
            if [ -n "$flags" ]; then ok "$1: with a schedule that repeats it" "$([ -e counter.schedule ]; echo $?)"; else
                ok "$1: coverage and counts are those of one process" \
                    "$(cmp -s <(without_times <local.explored) <(without_times <"$SCRATCH/out"); echo $?)"; fi
            rm -f counter.schedule
        done
    done
    # Large enough to be cut into pieces; histories of different pieces may be the same, so they are not counted. Of dpor
    # executions that are given up because all threads sleep may differ by a few.
    in_pieces() { sed -E 's/, [0-9,]+ distinct histories//' | without_times; }
    "$PLUMB" explore -q -j 1 --strategy dfs --time 300s long.c 2>/dev/null | in_pieces >local.explored
    plumb explore -q --strategy dfs --time 300s --cluster "$2" long.c
    ok "$1: pieces of one program have its executions together" "$(in_pieces <"$SCRATCH/out" | cmp -s - local.explored; echo $?)"
    plumb explore -q --strategy dpor --time 300s --cluster "$2" long.c -DLONG
    says "$1: and cover it, with dpor" out "covered: every interleaving"
    plumb explore -q --strategy dfs --time 120s --cluster "$2" long.c -DWRONG
    exits "$1: what one piece finds is the verdict" 1
    rm -f long.schedule
    plumb explore -q --cluster "$2" --program "inc | nothing" counter.c
    exits "$1: a program that makes no sense is bad input there, too" 65
    plumb explore --cluster "$2" --serial counter.c
    exits "$1: what needs more than answers is refused" 64
}

# Some tens of thousands of executions; WRONG: what fails is found in few of them.
cat >long.c <<'C'
#include <assert.h>
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_int n, a, b;
PLUMB_OBJECT("counter")
PLUMB_OP(inc) {
    atomic_fetch_add(&a, 1);
    atomic_fetch_add(&n, 1);
#ifdef WRONG
    assert(atomic_load(&b) != 2 || atomic_load(&a) != 4);
#endif
    atomic_fetch_add(&b, 1);
    return plumb_none();
}
PLUMB_OP(get) { return plumb_int(atomic_load(&n)); }
#ifdef LONG
PLUMB_THREADS("inc inc get | inc get inc | inc get")
#else
PLUMB_THREADS("inc inc get | inc get inc | get")
#endif
C

# Kills whoever runs it, but not the one who only asks what it declares.
cat >deadly.c <<'C'
#include <plumbline/test.h>
#include <signal.h>
#include <unistd.h>
PLUMB_OBJECT("counter")
__attribute__((constructor)) static void strike(void) { if (getuid() == 65534) kill(getppid(), SIGKILL); }
PLUMB_OP(inc) { return plumb_none(); }
PLUMB_THREADS("inc | inc")
C
# Fails where it can write to the root, reach a port of the machine, has a connection of the worker, has a right that only
# root has, or is not nobody.
cat >jailed.c <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <plumbline/test.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
PLUMB_OBJECT("counter")
static int escapes;
static int has_socket(void) {
    struct stat s;
    for (int fd = 0; fd < 256; fd++)
        if (!fstat(fd, &s) && S_ISSOCK(s.st_mode)) return 1;
    return 0;
}
__attribute__((constructor)) static void look(void) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int before = has_socket(), s = socket(AF_INET, SOCK_STREAM, 0);
    escapes = before || open("/etc/shadow", O_RDONLY) >= 0 || open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0 ||
              unshare(CLONE_NEWUSER) == 0 ||
              open("/var/plumb-was-here", O_CREAT | O_WRONLY, 0600) >= 0 || open(OUTSIDE, O_RDONLY) >= 0 ||
              connect(s, (struct sockaddr *)&to, sizeof to) == 0 || getuid() != 65534;
    close(s);
}
PLUMB_OP(inc) { assert(!escapes); return plumb_none(); }
PLUMB_THREADS("inc | inc")
C

sandboxed() { # carrier url port
    if [ ${#sandbox[@]} -gt 0 ]; then echo "skip - bwrap does not work here: the sandbox"; return; fi
    plumb explore --time 60s --cluster "$2" deadly.c
    exits "$1: a program that kills its workers is undecided" 2
    says "$1: it was set aside" out "set aside"
    says "$1: and is named" out "inc | inc"
    touch "$SCRATCH/secret"
    sed -i "1i #define PORT $3\n#define OUTSIDE \"$SCRATCH/secret\"" jailed.c
    plumb explore -q --cluster "$2" jailed.c
    exits "$1: code runs in a sandbox" 0
    plumb explore -q jailed.c
    exits "$1: and here it would not" 1
    sed -i 1,2d jailed.c
    rm -f jailed.schedule
}

all_of() { # carrier url port
    start_worker "$2"
    local own=$worker
    same_histories "$1" "$2"
    seen "$1" "$2"
    if has_explorer; then
        same_explorations "$1" "$2"
        sandboxed "$1" "$2" "$3"
    else
        echo "skip - no libplumbline-explore: exploring on clusters"
    fi
    kill $own
    wait $own
    ok "$1: a worker that is told to leaves in peace" $?
    "$PLUMB" check -q runs >local.txt 2>/dev/null
    local_code=$?
    killed_workers "$1" "$2"
    killed_coordinator "$1" "$2"
}

all_of folder "file:$SCRATCH/cluster" 9
if has_nats; then
    port=$(free_port)
    start_nats "$port" "$SCRATCH/nats"
    all_of NATS "nats://127.0.0.1:$port" "$port"
    start_worker "nats://127.0.0.1:$port"
    for _ in $(seq 200); do grep -qs 'is ready' "$SCRATCH"/worker.*.err && break; sleep 0.05; done
    sleep 0.3
    kill $nats $worker
    wait $nats 2>/dev/null
    for _ in $(seq 600); do kill -0 $worker 2>/dev/null || break; sleep 0.1; done
    ok "NATS: a worker whose server is gone leaves when it is told to" "$(kill -0 $worker 2>/dev/null; [ $? != 0 ]; echo $?)"

    port=$(free_port)
    start_nats "$port" "$SCRATCH/guarded" --user plumb --pass secret
    plumb workers --cluster "nats://127.0.0.1:$port"
    exits "NATS: a server that asks for a password is not entered without" 66
    PLUMB_CLUSTER_PASSWORD=secret plumb workers --cluster "nats://127.0.0.1:$port" --cluster-user plumb
    exits "NATS: and with it" 0
fi
finish
