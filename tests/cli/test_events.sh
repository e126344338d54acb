#!/bin/bash
# The event form of JSON lines: written by convert, with names, times and notes; monitors' reports keep clients, times and
# the numbers of events; what is printed as JSON is what the manual lists.
. "$(dirname "$0")/lib.sh"
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
cd "$SCRATCH" || exit 1

printf '%s\n' '{"plumb":"history/1","object":"register"}' '{"client":"ann","op":"write","args":[7],"call":1,"ret":4}' \
    '{"annotation":"kill n1","at":5,"until":8}' '{"client":1,"op":"read","args":[],"call":6,"ret":10}' \
    '{"client":3,"op":"write","args":[8],"call":2,"ret":null}' '{"client":3,"op":"write","args":[9],"call":9,"ret":12}' >ops.jsonl
cat >expected.jsonl <<'X'
{"plumb":"history/1","object":"register"}
{"client":"ann","event":"call","op":"write","args":[7],"time":1}
{"client":3,"event":"call","op":"write","args":[8],"time":2}
{"client":"ann","event":"return","res":null,"time":4}
{"event":"note","text":"kill n1","time":5,"until":8}
{"client":1,"event":"call","op":"read","args":[],"time":6}
{"client":3,"event":"info"}
{"client":3,"event":"call","op":"write","args":[9],"time":9}
{"client":1,"event":"return","res":null,"time":10}
{"client":3,"event":"return","res":null,"time":12}
X
plumb convert -q --to events ops.jsonl -; exits "whole operations as events" 0
ok "names, times, infos and notes" "$(cmp -s out expected.jsonl; echo $?)"
plumb convert -q --to jsonl expected.jsonl back.jsonl; plumb convert -q --to jsonl ops.jsonl again.jsonl
ok "and back again" "$(cmp -s back.jsonl again.jsonl; echo $?)"
ok "a note stands where its time is" "$(sed -n 4p back.jsonl | grep -qF '{"annotation":"kill n1","time":5,"until":8}'; echo $?)"
plumb convert -q ops.jsonl b.plumb; plumb convert -q --to jsonl b.plumb -; ok "the binary format keeps it" "$(cmp -s out again.jsonl; echo $?)"
plumb view -q -o page.html ops.jsonl; ok "the page says when" "$(grep -qF 'kill n1 (5..8)' page.html; echo $?)"
plumb convert -q ops.jsonl x.events; ok "by the file's name" "$(cmp -s x.events expected.jsonl; echo $?)"
# a return before a call at one time: the lines are the order
printf '%s\n' '{"client":1,"event":"call","op":"write","args":[1],"time":5}' '{"client":1,"event":"return","time":5}' \
    '{"client":2,"event":"call","op":"read","time":5}' '{"client":2,"event":"return","res":null,"time":5}' >coarse.jsonl
plumb check -q -o register coarse.jsonl; exits "times order nothing" 1; says "they are shown" out "5..5"
plumb convert -q --to jsonl coarse.jsonl c.jsonl; plumb check -q -o register c.jsonl; exits "and are no stamps" 1
sed 's/"time":5}$/"time":4}/;1s/4}/5}/' coarse.jsonl >back.events; plumb check -q -o register back.events
exits "times that go back" 1; says "are not shown" out "0..1"

# monitors: clients, times, numbers of events
printf '%s\n' '{"client":"ann","event":"call","op":"enq","args":[1],"time":10}' '{"client":"ann","event":"return","time":12}' \
    '{"client":"ann","event":"call","op":"enq","args":[2],"time":15}' '{"client":"ann","event":"return","time":18}' \
    '{"client":"bo","event":"call","op":"deq","time":20}' '{"client":"bo","event":"return","res":2,"time":25}' >v.jsonl
plumb monitor -o queue v.jsonl; exits "a violation in events" 1
says "its clients and times" out '#1  "ann"  enq(2)      15..18'; says "in words" out "returned (at 12) before #1 enq(2) was called (at 15)"
{ for i in 1 2 3 4 5; do printf '[1] call enq %s\n[1] return\n[2] call deq\n[2] return %s\n' $i $i; done
    printf '[1] call enq 7\n[1] return\n[1] call enq 8\n[1] return\n[3] call deq\n[3] return 8\n'; } >late.violin
plumb monitor -o queue late.violin; says "events are numbered from the beginning" out "returned (event 21) before #11 enq(8) was called (event 22)"
says "what is not there may be forgotten" out "Of these operations alone; 10 more are not shown and may be forgotten:"
printf '%s\n' '[a] call lock' '[a] return' '[b] call lock' '[b] return' >lock.violin
plumb monitor -o lock lock.violin; says "names that are words" out '"b"'
printf '{"client":"eve","event":"%s","op":"lock"}\n' call info call return >fresh.jsonl
printf '{"client":"bob","event":"%s","op":"lock"}\n' call return >>fresh.jsonl
plumb monitor -o lock fresh.jsonl; exits "a client that goes on" 1; says "keeps its name" out '"eve"'

# every field that is printed is in the manual, and the schema's number
listed() { # name manual-page file
    local missing
    missing=$(python3 - "$ROOT/man/$2" "$3" <<'P'
import json, re, sys
known = set(re.findall(r'\*([a-z_]+)\*', open(sys.argv[1]).read()))
bad = {k for line in open(sys.argv[2]) for k in json.loads(line) if k not in known}
print(' '.join(sorted(bad)))
P
)
    [ -z "$missing" ] || echo "# not in $2: $missing"
    ok "$1" "$([ -z "$missing" ]; echo $?)"
}
plumb check -q --json -o queue v.jsonl ops.jsonl late.violin; cp out all.json
plumb check -q --json --measure -o queue v.jsonl; cat out >>all.json
plumb check -q --json /nonexistent; cat out >>all.json
listed "fields of plumb.report/2" plumb-check.1.scd all.json
plumb monitor --json -o queue v.jsonl; cp out all.json; plumb monitor --json -o register ops.jsonl; cat out >>all.json
echo '{"plumb":"history/1"}' >nothing.jsonl; plumb monitor --json -o queue nothing.jsonl; cat out >>all.json
listed "fields of plumb.monitor/1" plumb-monitor.1.scd all.json
finish
