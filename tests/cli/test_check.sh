#!/bin/bash
# Verdicts, exit codes and reports of single files and of many.
. "$(dirname "$0")/lib.sh"
H=examples/histories

for f in "$H"/*right*; do plumb check "$f"; exits "$(basename "$f") is linearizable" 0; done
for f in "$H"/*wrong*; do plumb check "$f"; exits "$(basename "$f") is a violation" 1; done

plumb check "$H/queue-right.jsonl"
says "the verdict line" out "linearizable: 6 operations, 1 pending; witness checked"
says "what was understood is talk" err "read $H/queue-right.jsonl: plumb-jsonl, 3 clients, 5 ok, 1 pending"
plumb check -q "$H/queue-right.jsonl"
ok "--quiet: no talk" "$([ ! -s "$SCRATCH/err" ]; echo $?)"
plumb check "$H/queue-wrong.jsonl"
says "a violation names the core" out "core of 3"
says "a violation is explained" out "no order is left"
plumb check --engine search --verbose "$H/queue-wrong.jsonl"
says "--engine is used" out "engine search"
plumb check --object stack "$H/queue-wrong.jsonl"; exits "an object that lacks the methods is bad input" 65
plumb check --object register --init 7 <(printf '# @object register\n[1] call read\n[1] return 7\n'); exits "--init is the register's value" 0
plumb check --object register <(printf '# @object register\n[1] call read\n[1] return 7\n'); exits "without --init the register holds nothing" 1

# standard input, packed files
plumb check - <"$H/queue-wrong.jsonl"; exits "standard input" 1
gzip -c "$H/queue-wrong.jsonl" >"$SCRATCH/q.jsonl.gz"
plumb check "$SCRATCH/q.jsonl.gz"; exits "gzip is taken off" 1
if command -v zstd >/dev/null; then
    zstd -qc "$H/queue-wrong.jsonl" >"$SCRATCH/q.jsonl.zst"
    plumb check "$SCRATCH/q.jsonl.zst"; exits "zstd is taken off" 1
fi
plumb check - < <(gzip -c "$H/queue-right.jsonl"); exits "packed standard input" 0

# several
plumb check "$H/queue-right.jsonl" "$H/kv-right.edn"; exits "two right ones" 0
plumb check "$H/queue-right.jsonl" "$H/queue-wrong.jsonl"; exits "a wrong one among several" 1
ok "one line each, in the order given" "$(head -2 "$SCRATCH/out" | cut -d: -f1 | tr '\n' ' ' | grep -qxF "$H/queue-right.jsonl $H/queue-wrong.jsonl "; echo $?)"
says "a summary" out "files   linearizable   violation"
plumb check "$H/queue-wrong.jsonl" /no/such/file; exits "a file that cannot be opened is worse than a violation" 66
printf '[1] return 3\n' >"$SCRATCH/bad.violin"
plumb check "$H/queue-wrong.jsonl" "$SCRATCH/bad.violin" /no/such/file; exits "bad input is worse still" 65
mkdir -p "$SCRATCH/dir/sub"
cp "$H/queue-right.jsonl" "$SCRATCH/dir/b.jsonl"
cp "$H/stack-wrong.ops" "$SCRATCH/dir/sub/a.ops"
echo "Remember the milk, please." >"$SCRATCH/dir/note"
plumb check "$SCRATCH/dir"; exits "a directory" 1
says "files of a directory" out "$SCRATCH/dir/b.jsonl: linearizable"
says "files of its directories" out "$SCRATCH/dir/sub/a.ops: violation"
says "others are named as skipped" err "skipped $SCRATCH/dir/note"
mkdir "$SCRATCH/empty"
plumb check "$SCRATCH/empty"; exits "a directory without histories" 65
plumb check --threads 1 "$H"; cp "$SCRATCH/out" "$SCRATCH/one"
plumb check --threads 4 "$H"
ok "the number of threads does not change the report" "$(cmp -s "$SCRATCH/out" "$SCRATCH/one"; echo $?)"

# json, junit
plumb check --json "$H"; exits "--json has the same exit code" 1
ok "--json: a line for each input" "$([ "$(wc -l <"$SCRATCH/out")" -eq "$(ls "$H" | wc -l)" ]; echo $?)"
plumb check --json /no/such/file "$SCRATCH/bad.violin" "$H/queue-wrong.jsonl" "$H/queue-right.jsonl"
says "--json: an error has its line" out '"error":{"code":66'
says "--json: core numbers" out '"core":[0,1,3]'
says "--json: schema" out '{"schema":"plumb.report/2","file":'
plumb check --json --junit "$SCRATCH/report.xml" "$H" "$SCRATCH/bad.violin"
if command -v python3 >/dev/null; then
    ok "--json is JSON with the documented fields" "$(python3 -c '
import json, sys
for line in open(sys.argv[1]):
    o = json.loads(line)
    assert list(o)[:12] == ["schema", "file", "object", "engine", "criterion", "operations", "pending", "verdict", "reason", "seconds", "core", "witness"]
    assert (o["verdict"] == "violation") == (o["core"] is not None)
    assert (o["verdict"] == "linearizable") == (o["witness"] is not None)
' "$SCRATCH/out" 2>>"$SCRATCH/err"; echo $?)"
    ok "--junit is XML" "$(python3 -c '
import sys, xml.dom.minidom
s = xml.dom.minidom.parse(sys.argv[1]).documentElement
assert int(s.getAttribute("tests")) == len(s.getElementsByTagName("testcase"))
assert int(s.getAttribute("failures")) == len(s.getElementsByTagName("failure")) > 0
assert int(s.getAttribute("errors")) == len(s.getElementsByTagName("error")) == 1
' "$SCRATCH/report.xml" 2>>"$SCRATCH/err"; echo $?)"
fi
plumb check --junit /no/such/dir/x.xml "$H/queue-right.jsonl"; exits "a report that cannot be written" 66

# colours
plumb check --color always "$H/queue-right.jsonl"
ok "--color always" "$(grep -q "$(printf '\033')" "$SCRATCH/out"; echo $?)"
NO_COLOR=1 plumb check "$H/queue-right.jsonl"
ok "no colour in a file" "$(! grep -q "$(printf '\033')" "$SCRATCH/out"; echo $?)"

# convert, generate, certify
for to in jsonl violin edn plumb ops jepsen-log plumblog; do
    plumb convert "$H/queue-wrong.jsonl" "$SCRATCH/c.$to"; exits "convert to $to" 0
    plumb check --object queue "$SCRATCH/c.$to"; exits "the verdict of $to is the same" 1
done
plumb convert --to etcd-operations "$H/queue-wrong.jsonl" "$SCRATCH/q.json"; exits "a queue is no etcd history" 65
says "and that is said" err "cannot be written as etcd-operations"
ok "and nothing is left behind" "$([ ! -e "$SCRATCH/q.json" ]; echo $?)"
plumb convert --to violin "$H/queue-right.jsonl" -; says "convert to standard output" out "call enq(1)"
plumb convert "$H/queue-right.jsonl" "$SCRATCH/x.unknown"; exits "a name that says no format" 64
plumb generate --object queue --ops 50 --seed 3; cp "$SCRATCH/out" "$SCRATCH/first"
plumb generate --object queue --ops 50 --seed 3
ok "the same seed gives the same history" "$(cmp -s "$SCRATCH/out" "$SCRATCH/first"; echo $?)"
plumb check --object queue "$SCRATCH/first"; exits "what is generated is linearizable" 0
plumb generate --object register --ops 100 --mutate fresh-value --output "$SCRATCH/mutant.jsonl"; exits "generate a violation" 0
plumb check --object register "$SCRATCH/mutant.jsonl"; exits "a mutation is a violation" 1
for f in queue-right.jsonl queue-wrong.jsonl; do
    plumb check --certificate "$SCRATCH/cert" "$H/$f"
    plumb certify "$SCRATCH/cert"; exits "the certificate of $f holds" 0
done
sed 's/"args":\[2\]/"args":[5]/' "$SCRATCH/cert" >"$SCRATCH/forged"
plumb certify "$SCRATCH/forged"; ok "a forged certificate is refused" "$([ "$code" -ne 0 ]; echo $?)"
plumb certify "$H/queue-right.jsonl"; exits "a history is no certificate" 65
plumb certify /no/such/file; exits "a missing certificate" 66
plumb check --certificate "$SCRATCH/cert" "$H"; exits "--certificate is for one input" 64

# saturation
plumb check --engine saturate "$H/queue-right.jsonl"; exits "saturate gives no witness for a right queue" 2
says "and says no more than it did" out "not refuted"
plumb check --engine 'counting(k=0)' "$H/queue-right.jsonl"; exits "counting keeps one interval apart at least" 64
plumb check --object quene "$H/queue-right.jsonl"; exits "an unknown object" 64
says "the object that was meant" err "did you mean 'queue'?"
plumb check --engine saturate "$H/queue-wrong.jsonl"; exits "saturate on a wrong queue" 1
says "with a core that was decided again" out "decided again by the oracle"
plumb check --engine saturate --removal immediate "$H/queue-right.jsonl"; exits "saturate with immediate removal is not sure" 2
says "and says why" out "no violation found; saturation is incomplete when operations are removed immediately"
plumb check --removal none "$H/queue-right.jsonl"; exits "--removal without saturate" 64
plumb check --engine saturate --removal soon "$H/queue-right.jsonl"; exits "an unknown rule of removal" 64
finish
