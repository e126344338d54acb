#!/bin/bash
# plumb drive against the service in its own memory and against programs: right ones pass, wrong ones are found, what is
# kept can be judged again, and nothing is left behind. Servers: test_drive_services.sh.
. "$(dirname "$0")/lib.sh"
examples=$(cd "$(dirname "$0")/../../examples/drive" && pwd)
export TMPDIR=$SCRATCH
mark=plumb-test-drive-$$-$RANDOM
export PLUMB_MARK=$mark
PLUMB=$(realpath "$PLUMB")
cd "$SCRATCH" || exit 1

none_left() { # name: no process with our mark but this shell, no folder of a run; within some seconds
    local left=
    for _ in $(seq 100); do
        left=$(for f in $(grep -slaF "PLUMB_MARK=$mark" /proc/[0-9]*/environ); do
            { tr '\0' ' ' <"${f%/environ}/cmdline"; } 2>/dev/null | grep -E 'plumb drive|client|sleep'
        done; ls -d "$SCRATCH"/plumb-drive-* 2>/dev/null)
        [ -z "$left" ] && break
        sleep 0.1
    done
    [ -z "$left" ] || sed 's/^/# /' <<<"$left"
    ok "$1" "$([ -z "$left" ]; echo $?)"
}

# ---- right services ----
for object in kv register cas-register queue stack set counter; do
    plumb drive memory --object $object --ops 3000 --time 20
    exits "a right $object passes" 0
    says "and says so: $object" out "linearizable: memory: $object, "
done
plumb drive memory --ops 3000 --set hangs=300 --timeout 20ms --time 20
exits "operations that hang are pending" 0
says "and are counted" out " pending"
plumb drive memory --object register --rate 400 --phases '300ms:reads=1; 1m:reads=0' --time 1 --save phases
exits "a load in phases" 0
ok "only reads in the first, then writes" "$(python3 -c '
import json
calls = [e["op"] for e in map(json.loads, open("phases/history.events.jsonl")) if e.get("event") == "call"]
first, last = calls.index("write"), len(calls) - calls[::-1].index("write")
assert first > 0, calls
assert calls[first:last].count("read") <= 8, calls[first:last] # a client may have planned one before' 2>&1 | sed 's/^/# /' >&2; [ "${PIPESTATUS[0]}" = 0 ]; echo $?)"
says "the command that repeats it has them" err "--phases '300ms:reads=1; 1m:reads=0'"
plumb drive memory --faults pause-client --every 50ms --lasts 100ms --time 1 --rate 500 --save paused
exits "clients that are paused" 0
says "are faults" out " faults"
ok "each with its client" "$(grep -qE '"text":"pause-client [0-7]","time":[0-9]+,"until":[0-9]+' paused/history.events.jsonl; echo $?)"
ok "which calls nothing meanwhile" "$(python3 -c '
import json
calls, pauses = {}, []
for line in open("paused/history.events.jsonl"):
    e = json.loads(line)
    if e.get("event") == "call": calls.setdefault(e["client"], []).append(e["time"])
    if e.get("event") == "note": pauses.append((int(e["text"].split()[1]), e["time"], e["until"]))
slack = 20e6 # it was about to call
bad = [p for p in pauses for t in calls.get(p[0], []) if p[1] + slack < t < p[2] - slack]
raise SystemExit(bool(bad) or not pauses)'; echo $?)"
plumb drive memory --ops 2000 --clients 1
says "one client is not many" out "by 1 client in"

# ---- wrong ones ----
for object in kv register queue set counter; do
    plumb drive memory --object $object --ops 20000 --set defect=lost --save saved-$object
    exits "a $object that loses writes is found" 1
done
plumb drive memory --ops 20000 --set defect=stale --save stale --certificate my.certificate
exits "stale reads are found" 1
says "with the monitor's reason" out "violation: memory: "
says "and the core of the whole history" out "re-checked: "
says "the command that repeats it is told" err "again: plumb drive 'memory' --set 'defect=stale' --seed 1 --clients 8 --ops 20000"
for file in history.events.jsonl report.html command; do ok "kept: $file" "$([ -s stale/$file ]; echo $?)"; done
plumb check stale/history.events.jsonl
exits "the history that was kept is a violation" 1
plumb certify my.certificate
exits "the certificate holds" 0
plumb drive memory --ops 20000 --set defect=lies
exits "a failure that did happen is found" 1
ok "after a violation a folder is made" "$([ -s drive-memory-1/history.events.jsonl ] && [ -s drive-memory-1/report.html ]; echo $?)"
plumb drive memory --ops 20000 --set defect=lies -q
ok "and another one for the next" "$([ -s drive-memory-2/violation.certificate ]; echo $?)"
plumb drive memory --object counter --ops 20000 --set defect=lost --go-on --save go-on
says "--go-on counts violations" out " violations; "

# ---- what is written ----
plumb drive memory --ops 500 --clients 3 --save right --json
exits "--json" 0
ok "is one object of JSON" "$(python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not (r["schema"] == "plumb.drive/1" and r["verdict"] == "linearizable" and r["operations"] >= 500 and r["reason"] is None))' "$SCRATCH/out" 2>/dev/null; echo $?)"
plumb drive memory --ops 20000 --set defect=lost --save right -q
plumb drive memory --ops 500 --clients 3 --save right -q
ok "a folder that is used again keeps nothing of the run before" "$(! ls right/report.html right/violation.certificate 2>/dev/null; echo $?)"
touch file
plumb drive memory --ops 200 --save file/below --html nowhere/page.html
exits "what cannot be written" 66
ok "is not called written" "$(! grep -qE '^kept: |^the page is ' "$SCRATCH/err"; echo $?)"
says "but said" err "no page was written to nowhere/page.html"
plumb drive memory --ops 200 --json --html nowhere/page.html
says "in JSON too" out '"history":null,"page":null,'
head -1 right/history.events.jsonl | grep -qF '{"plumb":"history/1","object":"kv"'
ok "the history is in the event form" $?
plumb check right/history.events.jsonl
exits "and is linearizable for plumb check too" 0
plumb drive memory --ops 400 --clients 1 --save again -q
plumb drive memory --ops 400 --clients 1 --save again2 -q
calls() { grep '"event":"call"' "$1/history.events.jsonl" | sed 's/,"time".*//' | head -400; }
ok "the same seed makes the same calls" "$(diff <(calls again) <(calls again2) >/dev/null; echo $?)"
plumb drive memory --ops 400 --clients 1 --seed 2 --save again3 -q
ok "another one makes others" "$(! diff <(calls again) <(calls again3) >/dev/null; echo $?)"
plumb drive memory --ops 300 --rate 1000 --think 1ms --keys 20 --skew 1 --rotate 50 --reads 0.5
exits "rate, think time, keys, skew, rotation and reads" 0
plumb drive memory --ops 300 --html page.html
ok "a page of a right run, when it is asked for" "$([ "$code" = 0 ] && grep -q '<html' page.html; echo $?)"

# ---- programs ----
if command -v python3 >/dev/null; then
    plumb drive --exec "$examples/queue_client.py" --object queue --clients 4 --ops 200
    exits "a queue in Python" 0
    QUEUE_DEFECT=unlocked plumb drive --exec "$examples/queue_client.py" --object queue --clients 8 --time 20 --save unlocked
    exits "without its lock it is none" 1
else
    echo "skip - no python3: the client in Python"
fi
plumb drive --exec "$examples/register_client.sh" --object register --clients 3 --time 2 --timeout 200ms --save faults \
    --faults pause-client,kill-client --every 200ms --lasts 300ms
exits "a register in the shell, whose processes are killed and paused" 0
says "faults are counted" out " faults"
ok "and are intervals in the history" "$(grep -qE '"event":"note","text":"(kill|pause)-client [0-9]","time":[0-9]+,"until":[0-9]+' faults/history.events.jsonl; echo $?)"
if command -v go >/dev/null; then
    (cd "$examples/counter_client" && GOFLAGS=-mod=mod GOCACHE=$SCRATCH/cache go build -o "$SCRATCH/counter_client" main.go) 2>"$SCRATCH/err"
    plumb drive --exec ./counter_client --object counter --clients 3 --ops 300
    exits "a counter in Go" 0
else
    echo "skip - no go: the client in Go"
fi
plumb drive --exec 'read x; echo "{\"ready\":true}"; while read x; do echo "{\"fail\":\"no\"}"; done' --object register --ops 20 --time 5
exits "when every operation failed nothing was judged" 2
says "and that is said" out "nothing was judged"
plumb drive --exec 'read x; echo "{\"ready\":true}"; while read x; do echo "{\"info\":\"perhaps\"}"; done' --object register --clients 2 --ops 10 --time 5
exits "and when no operation had an outcome" 2
says "that is said too" out "nothing was judged: "
plumb drive --exec 'read x; echo "{\"ready\":true}"; while read x; do echo "{\"res\":\"x\"}"; done' --object counter --ops 20 --time 5
exits "a result that the object cannot have is bad input" 65
one_line "in one line" err
plumb drive --exec 'exit 1' --object register --time 300ms
exits "programs that end at once" 2
says "are named" out "the program closed its output"
SECONDS=0
plumb drive --exec 'exit 1' --object register --time 5m
exits "where no program ever answers, the load does not go on" 2
ok "for minutes" "$([ $SECONDS -lt 200 ]; echo $?)"
plumb drive --exec 'read x; printf "{\"ready\":true}\n{\"res\":7}\n"; while read x; do echo "{\"res\":7}"; done' \
    --object register --reads 1 --ops 5 --time 5 --json
ok "an answer before the question is none" "$(grep -q '"trouble":"the program answered before it was asked"' out; echo $?)"
if [ "$(id -u)" = 0 ]; then
    mkdir plain && chmod 777 plain
    (TMPDIR=$PWD/plain setpriv --reuid=65534 --regid=65534 --clear-groups "$PLUMB" drive memcached --faults disk-full) >out 2>err
    exits_with=$?
    if [ -e "$PLUMB_BUILD/drivers/memcached.so" ]; then ok "a disk that cannot be had is refused" "$([ $exits_with = 66 ]; echo $?)"; fi
    ok "and leaves no folder" "$([ -z "$(ls plain)" ]; echo $?)"
fi
none_left "nothing is left after runs that ended"

# ---- interrupted, killed ----
"$PLUMB" drive memory --time 20 >out 2>err & process=$!
sleep 0.5
kill -INT $process
wait $process
ok "Ctrl-C ends in order" "$([ $? = 130 ] && grep -q '; interrupted$' out; echo $?)"
"$PLUMB" drive --exec "$examples/register_client.sh" --object register --time 60 >out 2>err & process=$!
sleep 0.7
kill -9 $process
wait $process 2>/dev/null
none_left "nothing is left when it is killed with -9"

# ---- connections that end before the answer ----
# A server that closes one kept connection with its request read, and one that ends altogether then.
cat >broken_etcd.py <<'PY'
import re, socket, sys, threading
ends, seen = sys.argv[1] == "ends", open(sys.argv[2], "w")
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def serve(c):
    data, n = b"", 0
    while True:
        while b"\r\n\r\n" not in data:
            got = c.recv(65536)
            if not got: return
            data += got
        head, data = data.split(b"\r\n\r\n", 1)
        size = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        while len(data) < size: data += c.recv(65536)
        body, data, n = data[:size], data[size:], n + 1
        put = b"/put" in head
        if put: print(body.decode(), file=seen, flush=True)
        if put and n > 5:
            if ends:
                listener.shutdown(socket.SHUT_RDWR)
                listener.close()
            return c.close()
        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
while True:
    try: c, _ = listener.accept()
    except OSError: break
    threading.Thread(target=serve, args=(c,)).start()
PY
broken_etcd() { # ends|goes-on: what was called and how it came out, in `run`; what the server read, in `seen`
    rm -rf run seen port
    python3 broken_etcd.py "$1" seen >port & server=$!
    while [ ! -s port ]; do sleep 0.05; done
    plumb drive etcd --object register --reads 0 --clients 1 --ops 40 --time 2 --rate 50 --quiet-end 100ms --at "127.0.0.1:$(cat port)" --save run
    kill $server 2>/dev/null
    wait $server 2>/dev/null
}
if [ -e "$PLUMB_BUILD/drivers/etcd.so" ] && command -v python3 >/dev/null && has_loopback; then
    broken_etcd ends
    ok "a request that was read before the server ended is not called failed" "$(python3 -c '
import base64, json
seen = [base64.b64decode(json.loads(l)["value"]).decode() for l in open("seen")]
events = [json.loads(l) for l in open("run/history.events.jsonl")]
call = {}
how = {}
for e in events:
    if e.get("event") == "call" and e["op"] == "write": call[e["client"]] = str(e["args"][0])
    elif e.get("client") in call: how[call.pop(e["client"])] = e["event"]
assert seen and how[seen[0]] == "return", (seen, how)
assert how.get(seen[-1], "info") == "info", (seen[-1], how.get(seen[-1]))
' 2>&1 | sed 's/^/# /' >&2; [ "${PIPESTATUS[0]}" = 0 ]; echo $?)"
    broken_etcd goes-on
    ok "nor is it sent again" "$([ -s seen ] && [ -z "$(sort seen | uniq -d)" ]; echo $?)"
else
    echo "skip - driver etcd is not built, or no loopback interface: connections that end before the answer"
fi

# ---- usage ----
usage() { # name words...
    local name=$1 words=$2
    shift 2
    plumb drive "$@"
    exits "$name" 64
    says "$name: says why" err "$words"
    one_line "$name: in one line" err
}
usage "nothing to drive" "expected the name of a driver, or --exec CMD"
usage "two things" "one of them" memory --exec true
usage "a word that is no name" "expected a name such as redis" 'no such'
usage "an object that the driver has not" "driver memory has no object bank; expected one of kv" memory --object bank
usage "an option it has not" "driver memory has no such option" memory --set colour=red
usage "a choice it has not" "expected one of none stale" memory --set defect=odd
usage "nodes it has not" "starts at most 0" memory --nodes 2
usage "a fault that is none" "fault 'flood'; expected some of kill, pause" memory --faults flood
usage "a partition without nodes" "fault partition needs servers that plumb drive started" --exec true --object register --faults partition
usage "a thread that is to be killed" "fault kill-client is for --exec" memory --faults kill-client
usage "a fault without servers" "fault kill needs servers that plumb drive started" memory --faults kill
usage "a disk without servers" "fault disk-full needs servers that plumb drive started" memory --faults disk-full
usage "a clock without servers" "fault clock needs servers that plumb drive started" memory --faults clock
usage "programs without an object" "expected --object O" --exec true
usage "a phase without a time" "--phases 'reads=1'; expected such as '10s:reads=0.9" memory --phases reads=1
usage "a phase of what it has not" "expected such as" memory --phases 5s:colour=1
usage "a skew that is none" "expected a number from 0 to 10" memory --skew much
plumb drive nosuch
exits "a driver that is not there" 66
says "says where it would come from" err "tools/install-deps.sh --services"
one_line "in one line" err
echo "int x;" >none.c && cc -shared -fPIC -o none.so none.c 2>/dev/null
plumb drive ./none.so
exits "a shared object that is no driver" 65
plumb drive memory --describe
says "--describe lists options" out "--set defect=none"
finish
