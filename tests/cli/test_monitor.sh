#!/bin/bash
# plumb monitor: verdicts, streams, checkpoints.
. "$(dirname "$0")/lib.sh"
H=examples/histories

for f in "$H"/*right*; do o=$(basename "$f"); plumb monitor -q --object "${o%-right*}" "$f"; exits "$o is linearizable" 0; done
for f in "$H"/*wrong*; do o=$(basename "$f"); plumb monitor -q --object "${o%-wrong*}" "$f"; exits "$o is a violation" 1; done

plumb monitor "$H/lock-wrong.violin"
says "the line of the first bad event" out "$H/lock-wrong.violin:6: event 4:"
says "the few operations are decided again" out "decided again by the oracle"
plumb monitor --json "$H/lock-wrong.violin"; says "--json" out '"verdict":"violation"'

# a stream is judged while it is written: the writer is still there when the verdict comes
mkfifo "$SCRATCH/fifo"
{ printf '# @object queue\n[1] call enq(1)\n[1] return\n[2] call deq\n[2] return 2\n'; sleep 20; } >"$SCRATCH/fifo" &
writer=$!
timeout 10 "$PLUMB" monitor -q "$SCRATCH/fifo" >"$SCRATCH/out" 2>"$SCRATCH/err"; code=$?
exits "a violation is reported before the stream ends" 1
kill "$writer" 2>/dev/null

# so it is where the monitor works in batches, as soon as nothing more comes
"$PLUMB" generate --object stack --ops 2000 --mutate wrong-order --at 0.99 --to violin -O "$SCRATCH/s.violin"
mkfifo "$SCRATCH/silent"
(cat "$SCRATCH/s.violin"; sleep 30) >"$SCRATCH/silent" &
writer=$!
timeout 20 "$PLUMB" monitor -q --object stack - <"$SCRATCH/silent" >"$SCRATCH/out" 2>&1; code=$?
kill "$writer" 2>/dev/null
exits "a stack's violation while the writer is silent" 1

# whole operations, in any order of lines, are events in the order of time
printf '%s\n' '{"client":2,"op":"deq","args":[],"call":5,"ret":6,"res":2}' '{"client":1,"op":"enq","args":[1],"call":1,"ret":2,"res":null}' \
    '{"client":1,"op":"enq","args":[2],"call":3,"ret":4,"res":null}' '{"client":1,"op":"deq","args":[],"call":7,"ret":8,"res":1}' >"$SCRATCH/ops.jsonl"
plumb monitor --object queue "$SCRATCH/ops.jsonl"; exits "JSON lines are events too" 1
says "the bad event and the line it comes from" out "ops.jsonl:1: event 5:"
sed -i '4d;s/"res":2/"res":1/' "$SCRATCH/ops.jsonl"
plumb monitor -q --object queue - <"$SCRATCH/ops.jsonl"; exits "JSON lines from standard input" 0

printf '[1] call read\n[1] return 7\n' >"$SCRATCH/r.violin"
plumb monitor "$SCRATCH/r.violin"; exits "nothing says what object it is" 65
plumb monitor --object register --init 7 "$SCRATCH/r.violin"; exits "--init" 0
printf '[1] call enq(1)\n[1] call enq(2)\n' >"$SCRATCH/twice.violin"
plumb monitor --object queue "$SCRATCH/twice.violin"; exits "a client that calls twice is bad input" 65
one_line "bad input is one line" err
printf '[1] call enq(1)\n[9] call deq\n[1] return\n[1] call enq(2)\n[1] return\n[1] call deq\n[1] return 2\n[9] return 1\n' >"$SCRATCH/lag.violin"
plumb monitor --object queue --max-lag 3 --json "$SCRATCH/lag.violin"; exits "--max-lag goes on soundly" 0
says "--max-lag says what was given up" out '"given_up":1'

# killed at any moment and started again, the verdict is the same
for kind in none wrong-order; do
    args=""; [ $kind = none ] || args="--mutate $kind"
    "$PLUMB" generate --object queue --ops 30000 --seed 7 $args -t violin -O "$SCRATCH/q.violin"
    plumb monitor -q --json "$SCRATCH/q.violin"; expected=$code
    sed 's/,"seconds.*//' "$SCRATCH/out" | grep -o '"verdict.*"operations":[0-9]*' >"$SCRATCH/straight"
    rm -f "$SCRATCH/checkpoint"
    for part in 1 2 3 4 5; do timeout -s KILL 0.0$part "$PLUMB" monitor -q -c "$SCRATCH/checkpoint" --every 500 "$SCRATCH/q.violin"; done >/dev/null 2>&1
    plumb monitor -q --json -c "$SCRATCH/checkpoint" --every 500 "$SCRATCH/q.violin"; exits "after kills ($kind): the exit code" "$expected"
    grep -o '"verdict.*"operations":[0-9]*' "$SCRATCH/out" >"$SCRATCH/resumed"
    ok "after kills ($kind): the verdict and the event" "$(cmp -s "$SCRATCH/straight" "$SCRATCH/resumed"; echo $?)"
done
echo rubbish >"$SCRATCH/checkpoint"
plumb monitor -c "$SCRATCH/checkpoint" "$SCRATCH/q.violin"; exits "a damaged checkpoint is refused" 65

# saturation
"$PLUMB" generate --object queue --ops 3000 --seed 3 -t violin -O "$SCRATCH/q.violin"
plumb monitor -q --engine saturate "$SCRATCH/q.violin"; exits "--engine saturate on a queue" 0
plumb monitor -q --engine saturate --removal immediate "$SCRATCH/q.violin"; exits "--removal immediate is not sure" 2
says "... and says so" out "saturation is incomplete when operations are removed immediately"
"$PLUMB" generate --object stack --ops 3000 --seed 3 --mutate wrong-order -t violin -O "$SCRATCH/s.violin"
plumb monitor --engine 'saturate(removal=component,cap=500)' "$SCRATCH/s.violin"; exits "--engine saturate finds a violation of a stack" 1
plumb monitor --engine search "$SCRATCH/q.violin"; exits "an engine that does not watch events" 64
plumb monitor --removal none "$SCRATCH/q.violin"; exits "--removal without saturate" 64
plumb monitor --engine saturate -c "$SCRATCH/checkpoint" "$SCRATCH/q.violin"; exits "saturate has no checkpoints" 64
printf '[1] call lock\n[1] return\n' >"$SCRATCH/l.violin"
plumb monitor --engine saturate --object lock "$SCRATCH/l.violin"; exits "saturate does not watch locks" 64
# what check refuses, the monitor refuses before it acts on it: the object's own checks are made of each operation
refuses() { # name, lines: 65 and one line from both
    printf "$2" >"$SCRATCH/bad.violin"
    ([ -n "${PLUMB_SANITIZED-}" ] || ulimit -v 4000000; exec "$PLUMB" monitor "$SCRATCH/bad.violin") >"$SCRATCH/out" 2>"$SCRATCH/err"; code=$?
    exits "monitor: $1" 65; one_line "monitor: $1, in one line" err
    plumb check "$SCRATCH/bad.violin"; exits "check: $1" 65
}
refuses "a scan that is no tuple" '# @object snapshot\n[1] call scan\n[1] return 5\n'
refuses "a write_snapshot that is no tuple" '# @object write-snapshot\n[1] call write_snapshot(0,1)\n[1] return 5\n'
refuses "a segment beyond all" '# @object snapshot\n[1] call update(5000000,1)\n[1] return\n'
refuses "a segment below all" '# @object snapshot\n[1] call update(-5,1)\n[1] return\n'
refuses "a view of the wrong size" '# @object snapshot(size=2)\n[1] call scan\n[1] return [1]\n'
printf '[1] call inc\n[1] return\n' >"$SCRATCH/inc.violin"
plumb monitor -o counter --init x "$SCRATCH/inc.violin"; exits "an initial value that is no integer" 64


# Interrupted: what was not judged has no verdict.
interrupt() { # input-lines arguments: sends SIGINT when the input was written
    local lines=$1 fifo=$SCRATCH/fifo
    shift
    rm -f "$fifo" && mkfifo "$fifo"
    "$PLUMB" monitor "$@" "$fifo" >"$SCRATCH/out" 2>"$SCRATCH/err" &
    local monitor=$!
    exec 7>"$fifo"
    printf "$lines" >&7
    for _ in 1 2 3 4 5 6 7 8 9 10; do # until it ends: the first signal may come before it listens to it
        sleep 0.3
        kill -INT $monitor 2>/dev/null || break
    done
    exec 7>&-
    wait $monitor
    code=$?
}
interrupt '{"plumb":"history/1","object":"register"}\n{"client":1,"op":"read","args":[],"call":5,"ret":10,"res":7}\n'
exits "whole operations, interrupted" 130
ok "no verdict about what was not judged" "$(! grep -q '^linearizable' "$SCRATCH/out"; echo $?)"
interrupt '[1] call write(1)\n[1] return\n[2] call read\n' -o register
exits "events, interrupted" 130
says "so far" out "linearizable so far: 2 operations judged; interrupted"
interrupt '[1] call write(1)\n[1] return\n[2] call read\n' -o register --json
says "undecided in JSON" out '"verdict":"undecided"'
printf '%s\n' '{"plumb":"history/1","object":"register"}' '{"client":1,"op":"write","args":[3],"call":1,"ret":2,"res":null}' \
    '{"client":"bob","op":"read","args":[],"call":5,"ret":10,"res":7}' >"$SCRATCH/bob.jsonl"
plumb monitor -f jsonl "$SCRATCH/bob.jsonl"
exits "a short name of a format" 1
says "the client keeps its name" out '"bob"'
says "the times of the file are kept" out "5..10"

# The event form of native JSON lines is judged as it arrives.
call='{"client":1,"event":"call","op":"write","args":[1],"time":1}\n{"client":1,"event":"return","res":null,"time":2}\n'
interrupt "$call"'{"client":"bob","event":"call","op":"read","time":3}\n{"event":"note","text":"kill n1","time":4}\n' -o register
says "events of JSON lines, interrupted" out "linearizable so far: 2 operations judged; interrupted"
printf "$call"'{"client":"bob","event":"call","op":"read"}\n{"client":"bob","event":"return","res":7}\n' >"$SCRATCH/events.jsonl"
plumb monitor -o register "$SCRATCH/events.jsonl"
exits "a violation in the event form" 1
says "its client" out '"bob"'
plumb check -q -o register "$SCRATCH/events.jsonl"
exits "check reads it too" 1
printf "$call"'{"event":"call","op":"read"}\n' >"$SCRATCH/bad.jsonl"
plumb monitor -o register "$SCRATCH/bad.jsonl"
exits "an event without a client" 65
printf "$call"'{"client":3,"event":"begin","op":"read"}\n' >"$SCRATCH/bad.jsonl"
plumb check -o register "$SCRATCH/bad.jsonl"
exits "an unknown event" 65

# --go-on: two violations, and what came between was judged again.
printf '[1] call deq\n[1] return 9\n[1] call deq\n[1] return empty\n[1] call enq(1)\n[1] return\n[1] call deq\n[1] return 8\n' >"$SCRATCH/two.violin"
plumb monitor -o queue --go-on "$SCRATCH/two.violin"
exits "violations, gone beyond" 1
says "the first" out "event 1: a value comes out"
says "the second" out "two.violin:8: event 7"
says "how many" out "2 violations; 0 operations were not judged"
plumb monitor -o queue --go-on --json "$SCRATCH/two.violin"
says "in JSON" out '},{"event":7,"line":8,"reason":'
plumb monitor -o queue --go-on --checkpoint "$SCRATCH/checkpoint" "$SCRATCH/two.violin"
exits "not with checkpoints" 64

# --sample: no false alarm, and the verdict says of what it speaks.
plumb generate -o kv -n 2000 -j 4 -O "$SCRATCH/kv.jsonl"
plumb monitor -o kv --sample 1/4 "$SCRATCH/kv.jsonl"
exits "a sample" 0
says "of what" out "linearizable of the sampled 1/4: 4000 events, 2000 operations"
plumb monitor -o kv --sample 1/4 --json "$SCRATCH/kv.jsonl"
says "a sample in JSON" out '"sample":"1/4"'
plumb monitor -o kv --sample 4 "$SCRATCH/kv.jsonl"
exits "no share" 64
plumb generate -o counter -n 100 -O "$SCRATCH/counter.jsonl"
plumb monitor --sample 1/4 "$SCRATCH/counter.jsonl"
exits "an object that has no parts" 64

# The evidence of a late violation has numbers of its own: what came before is not in it.
plumb generate -o queue -n 400 -j 3 --mutate wrong-order -O "$SCRATCH/late.jsonl"
plumb monitor -q -o queue --witness "$SCRATCH/late.cert" "$SCRATCH/late.jsonl"
exits "a late violation" 1
plumb certify "$SCRATCH/late.cert"
exits "its certificate holds" 0

# Operations that never return do not end a monitor; what it cannot follow is counted.
for o in set lock rwlock 'semaphore(3)' counter fetch-add max-register multiset snapshot kv cas-register; do
    plumb generate -o "$o" -n 1500 -j 16 --pending 0.02 -O "$SCRATCH/pending.jsonl"
    plumb monitor -q -o "$o" "$SCRATCH/pending.jsonl"
    exits "time-outs of 16 clients: $o" 0
done
plumb generate -o deque -n 400 -j 16 -O "$SCRATCH/deque.jsonl"
plumb monitor -q -o deque "$SCRATCH/deque.jsonl"
exits "a deque is decided whole" 0
plumb monitor -q --go-on -o deque "$SCRATCH/deque.jsonl"
exits "too many ways" 2
says "how many were not judged" out "operations were not judged: there were more than 65536 ways"

# A log that was converted from a history has no program that could go on.
plumb generate -o queue -n 100 -O "$SCRATCH/q.jsonl"
plumb convert --to plumb-log "$SCRATCH/q.jsonl" "$SCRATCH/q.log"
timeout 20 "$PLUMB" monitor --attach "$SCRATCH/q.log" >"$SCRATCH/out" 2>"$SCRATCH/err"
code=$?
exits "attached to a converted log" 0
# relaxed containers: as check decides them
"$PLUMB" generate --object queue -n 2000 --relax "quasi(2)" -s 4 >"$SCRATCH/relaxed.jsonl"
for k in 1 2 3; do
    "$PLUMB" check -q --object queue --criterion "quasi($k)" "$SCRATCH/relaxed.jsonl" >/dev/null 2>&1; expected=$?
    plumb monitor -q --object queue --criterion "quasi($k)" "$SCRATCH/relaxed.jsonl"; exits "quasi($k) online" $expected
done
says "the criterion is named, not linearizability" out "quasi(3): "
plumb monitor -q --object queue "$SCRATCH/relaxed.jsonl"; exits "it is no strict queue" 1
plumb monitor -q --object queue --criterion "aligned(1)" "$SCRATCH/relaxed.jsonl"; exits "a criterion that is not closed under cuts" 64
says "is refused by its name" err "criterion aligned(1) cannot be monitored; expected linearizable, quasi, out-of-order"
plumb monitor -q --object queue --criterion "quasi(1)" --sample 1/4 "$SCRATCH/relaxed.jsonl"; exits "a relaxed queue is not sampled" 64
says "since the criterion is about all elements" err "is about all elements from the beginning"
finish
