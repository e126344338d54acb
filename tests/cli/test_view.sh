#!/bin/bash
# plumb view and --html: pages, their names, certificates, what cannot be written or read.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/lib.sh
examples=$PWD/examples/histories
page() { ok "$1" "$(grep -q '</html>' "$2" 2>/dev/null; echo $?)"; }

plumb view -o "$SCRATCH/a.html" "$examples/queue-wrong.jsonl"
exits "a violation" 1
says "its line" out "violation: not a linearizable queue"
says "where the page is" err "the page is $SCRATCH/a.html"
page "a page" "$SCRATCH/a.html"

command=$(realpath "$PLUMB")
(cd "$SCRATCH" && "$command" view -q "$examples/queue-right.jsonl" >/dev/null 2>&1)
ok "linearizable" $?
page "named after its input" "$SCRATCH/queue-right.jsonl.html"

plumb view -q -o - "$examples/queue-right.jsonl"
exits "to standard output" 0
ok "the page and nothing else is there" "$([ "$(tail -1 "$SCRATCH/out")" = "</html>" ]; echo $?)"
says "the verdict is beside it" err "linearizable: 6 operations"

plumb check -q --html "$SCRATCH/b.html" --certificate "$SCRATCH/b.cert" "$examples/kv-wrong.edn"
exits "check --html" 1
page "writes a page" "$SCRATCH/b.html"
plumb view -q -o "$SCRATCH/c.html" "$SCRATCH/b.cert"
exits "a certificate of a violation" 1
page "has a page" "$SCRATCH/c.html"
ok "with the same sentences" "$(cmp -s <(grep -o '<li>In every.*' "$SCRATCH/b.html") <(grep -o '<li>In every.*' "$SCRATCH/c.html"); echo $?)"

sed 's/"verdict":"violation"/"verdict":"linearizable"/' "$SCRATCH/b.cert" >"$SCRATCH/forged.cert"
plumb view -q -o "$SCRATCH/forged.html" "$SCRATCH/forged.cert"
exits "a forged certificate is refused" 65
ok "and has no page" "$([ ! -e "$SCRATCH/forged.html" ]; echo $?)"

plumb check -q --html "$SCRATCH/d.html" "$examples/kv-wrong.edn" "$examples/kv-right.edn"
exits "a page is for a single input" 64
plumb view -q -o /nonexistent/x.html "$examples/kv-right.edn"
exits "a place that cannot be written" 66
one_line "is one line" err
plumb view -q /nonexistent
exits "an input that is not there" 66
printf 'nonsense\n' >"$SCRATCH/nonsense"
plumb view -q -o "$SCRATCH/e.html" "$SCRATCH/nonsense"
exits "an input that is no history" 65
plumb view -q -o "$SCRATCH/f.html" --object queue <(seq 0 30 | sed 's/.*/{"client":&,"op":"enq","args":[1],"call":0,"ret":null,"res":null}/')
exits "what can be read only once" 0
page "is read only once" "$SCRATCH/f.html"

(sleep 2; cat "$examples/queue-right.jsonl") | timeout 20 "$PLUMB" view -t 200ms -o "$SCRATCH/late.html" - >"$SCRATCH/out" 2>"$SCRATCH/err"
ok "what could not be read in time is undecided" "$([ $? -eq 2 ]; echo $?)"
ok "and has no page" "$([ ! -e "$SCRATCH/late.html" ] && ! grep -q 'the page is' "$SCRATCH/err"; echo $?)"

plumb convert --to violin "$examples/queue-wrong.jsonl" "$SCRATCH/events.violin"
plumb monitor -q -o queue --html "$SCRATCH/g.html" "$SCRATCH/events.violin"
exits "monitor --html" 1
page "writes a page" "$SCRATCH/g.html"

plumb generate -o queue -n 40 --relax 3 -O "$SCRATCH/relaxed.jsonl"
plumb check -q --measure --html "$SCRATCH/i.html" "$SCRATCH/relaxed.jsonl"
exits "check --measure --html" 0
page "writes a page" "$SCRATCH/i.html"
ok "that says how relaxed it is" "$(grep -q 'The smallest k for which this history is quasi(k) is' "$SCRATCH/i.html"; echo $?)"

BROWSER=true plumb view -q --open -o "$SCRATCH/h.html" "$examples/queue-right.jsonl"
exits "--open starts the browser" 0
BROWSER=/nonexistent/browser plumb view -q --open -o "$SCRATCH/h.html" "$examples/queue-right.jsonl"
exits "or says that it cannot" 66
says "and what to do" err "open $SCRATCH/h.html yourself"
finish
