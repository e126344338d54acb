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

# A replica crashes and is started again while another one is slow and a third one came late: what it answered for is
# there, so a newcomer finds what happened before. All three keep files.
cat >"$SCRATCH/announce.c" <<'C'
#include <plumbline/remote.h>
#include <stdlib.h>
#include <string.h>
int main(int n, char **word) { /* ADDRESSES CLIENT enq:1 deq:1 ... */
    plumb_remote *r = plumb_remote_open(&(plumb_remote_options){
        sizeof(plumb_remote_options), .object = "queue", .client = (unsigned)atoi(word[2]), .replicas = word[1],
        .key = getenv("KEY")});
    for (int i = 3; i < n && !plumb_remote_error(r); i++) {
        plumb_value a = plumb_int(atol(word[i] + 4));
        bool adds = !strncmp(word[i], "enq", 3);
        if (plumb_remote_call(r, adds ? "enq" : "deq", &a, adds)) plumb_remote_ret(r, adds ? plumb_none() : a);
    }
    bool bad = plumb_remote_error(r);
    plumb_remote_close(r);
    return bad;
}
C
cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-missing-field-initializers -Iinclude -o "$SCRATCH/announce" "$SCRATCH/announce.c" -L"$BUILD" -lplumbline -Wl,-rpath,"$BUILD" >"$SCRATCH/out" 2>"$SCRATCH/err"
ok "a client is built" $?
keep_replica() { # number address
    : >"$SCRATCH/kept$1.at"
    "$PLUMB" replica --listen "$2" --keep "$SCRATCH/kept$1" >"$SCRATCH/kept$1.at" 2>"$SCRATCH/kept$1.err" & replica[$1]=$!
    started+=($!)
    for try in $(seq 500); do [ -s "$SCRATCH/kept$1.at" ] && break; sleep 0.01; done
}
crash() { kill -9 "${replica[$1]}"; wait "${replica[$1]}"; } 2>/dev/null
replica=()
for i in 0 1 2; do keep_replica $i 127.0.0.1:0; at[i]=$(cat "$SCRATCH/kept$i.at"); done
addresses=${at[0]},${at[1]},${at[2]}
crash 1
timeout 20 "$SCRATCH/announce" "$addresses" 1 enq:1 enq:2
ok "a majority without the late one takes announcements" $?
keep_replica 1 "${at[1]}"
crash 2
keep_replica 2 "${at[2]}"
kill -STOP "${replica[0]}"
timeout 20 "$SCRATCH/announce" "$addresses" 2 deq:1
ok "so does one with the late one and the one that crashed" $?
plumb monitor --replicas "$addresses" --clients 2 --idle 2s
exits "nothing was forgotten: a right queue is right" 0
says "all of it was judged" out "3 operations of 2 clients checked"
kill -CONT "${replica[0]}"
crash 2
printf x | dd of="$SCRATCH/kept2" bs=1 seek=45 conv=notrunc 2>/dev/null
# One that has lost what it answered for does not count, until a client has brought it up to what the others have.
keep_replica 2 "${at[2]}"
ok "a replica that has lost its state says so" "$(grep -q 'does not count until it has caught up' "$SCRATCH/kept2.err"; echo $?)"
ok "what was damaged is kept" "$([ -s "$SCRATCH/kept2.damaged" ]; echo $?)"
kill -STOP "${replica[0]}"
timeout 20 "$SCRATCH/announce" "$addresses" 3 deq:2 2>/dev/null
ok "with it there is no majority" "$([ $? != 0 ]; echo $?)"
kill -CONT "${replica[0]}"
caught_up() { # its file says so: four bytes of ones instead of a client
    for try in $(seq 30); do
        plumb monitor --replicas "$addresses" --clients 9 --idle 1s
        if [ "$(od -An -tx1 -v "$SCRATCH/kept2" | tr -d ' \n' | grep -o ffffffff | wc -l)" = 2 ]; then return 0; fi
    done
    return 1
}
caught_up
ok "a monitor brings it up to the others" $?
kill -STOP "${replica[0]}"
timeout 20 "$SCRATCH/announce" "$addresses" 4 deq:2
ok "then it counts" $?
plumb monitor --replicas "$addresses" --clients 3 --idle 2s
exits "and has forgotten nothing" 0
says "nothing at all" out "4 operations of "
kill -CONT "${replica[0]}"
stop_replicas

# Where a port is named, a file is kept without a word: what crashed goes on, --new begins.
crash_and_go_on() { # words of the second start; the number of operations that a monitor finds goes to out
    local first=${at[0]}
    XDG_STATE_HOME=$SCRATCH/named "$PLUMB" replica --listen "$first" >"$SCRATCH/alone" 2>/dev/null & started+=($!); replica=($!)
    for try in $(seq 500); do [ -s "$SCRATCH/alone" ] && break; sleep 0.01; done
    timeout 20 "$SCRATCH/announce" "$first" "$((++clients_so_far))" enq:1
    crash 0; : >"$SCRATCH/alone"
    XDG_STATE_HOME=$SCRATCH/named "$PLUMB" replica --listen "$first" "$@" >"$SCRATCH/alone" 2>/dev/null & started+=($!); replica=($!)
    for try in $(seq 500); do [ -s "$SCRATCH/alone" ] && break; sleep 0.01; done
    plumb monitor --replicas "$first" --clients 1 --idle 1s
    crash 0
}
clients_so_far=0
crash_and_go_on; says "a replica goes on after a crash" out "1 operations of 1 clients"
crash_and_go_on --new; exits "or begins anew" 2
plumb replica --new --rejoin; exits "not both" 64

# With a shared key: who does not have it is not answered; other addresses than 127.0.0.1 may be named.
head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n' >key; echo "another key, also long enough" >other
mv key other "$SCRATCH"; replica=() addresses=
for i in 0 1 2; do
    : >"$SCRATCH/replica$i"
    "$PLUMB" replica --listen 0.0.0.0:0 --key "$SCRATCH/key" >"$SCRATCH/replica$i" 2>/dev/null & replica+=($!); started+=($!)
    for try in $(seq 500); do [ -s "$SCRATCH/replica$i" ] && break; sleep 0.01; done
    addresses+=${addresses:+,}127.0.0.1:$(sed 's/.*://' "$SCRATCH/replica$i")
done
KEY=$SCRATCH/key timeout 20 "$SCRATCH/announce" "$addresses" 1 enq:1 deq:1; ok "a client with the key" $?
KEY=$SCRATCH/other timeout 20 "$SCRATCH/announce" "$addresses" 2 enq:1; ok "not one with another" "$([ $? != 0 ]; echo $?)"
timeout 20 "$SCRATCH/announce" "$addresses" 3 enq:1; ok "nor without" "$([ $? != 0 ]; echo $?)"
plumb monitor --replicas "$addresses" --replicas-key "$SCRATCH/key" --clients 1 --idle 1; exits "a monitor with the key" 0
plumb monitor --replicas "$addresses" --idle 1; exits "and without: nothing is heard" 2
first=${addresses%%,*}
plumb monitor --replicas "$first,$first,$first" --replicas-key "$SCRATCH/key" --clients 1 --idle 1; exits "one replica under three names is no majority" 2
stop_replicas
finish
