#!/bin/bash
# The JSON Schemas of what is read and printed: what the code prints fits them, each schema in the sources has one, and
# what does not fit is refused.
. "$(dirname "$0")/../cli/lib.sh"
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
command -v python3 >/dev/null || { echo "skip - no python3"; exit 0; }
case $PLUMB in /*) ;; *) PLUMB=$PWD/$PLUMB ;; esac
cd "$SCRATCH" || exit 1
fits() { # name schema file...
    local name=$1 schema=$2; shift 2
    python3 "$ROOT/tests/schemas/validate.py" "$ROOT/schemas/$schema.schema.json" "$@" >out 2>err; ok "$name" $?
}
refuses() { # name schema: of the line in bad.json
    python3 "$ROOT/tests/schemas/validate.py" "$ROOT/schemas/$2.schema.json" bad.json >out 2>err; ok "$1" "$(grep -q '^1 lines, 1 wrong' out; echo $?)"
}
for name in $(grep -rhoE 'plumb\.[a-z]+/[0-9]+\\' "$ROOT/src" | sed -e 's/^plumb\.//' -e 's/\\$//' -e 's|/|-|' | sort -u) report-2 history-1; do
    ok "plumb.$name has a schema" "$([ -f "$ROOT/schemas/$name.schema.json" ]; echo $?)"
done
for schema in "$ROOT"/schemas/*.json; do
    name=$(basename "$schema" .schema.json)
    ok "$name is of the code" "$(grep -rqF "${name%-*}/${name##*-}" "$ROOT/src"; echo $?)"
done

# reports
h=$ROOT/examples/histories
{ for f in "$h"/*; do timeout 60 "$PLUMB" check -q --json "$f"; done
  printf '' >nothing.jsonl; echo '{"plumb":"history/1","object":"queue"}' >empty.jsonl; echo '{"op":' >bad.jsonl
  for f in empty.jsonl bad.jsonl /no/such/file; do "$PLUMB" check -q --json "$f"; done
  "$PLUMB" check -q --json --quasi 1 "$h/queue-wrong.jsonl"; "$PLUMB" check -q --json --measure "$h/queue-wrong.jsonl"
  "$PLUMB" check -q --json --measure "$h/queue-right.jsonl"
  "$PLUMB" check -q --json --evidence none "$h/queue-wrong.jsonl"; "$PLUMB" check -q --json --engine wing-gong "$h/queue-right.jsonl"
  "$PLUMB" check -q --json --criterion sequential "$h/queue-wrong.jsonl"; "$PLUMB" check -q --json -o no-such "$h/queue-wrong.jsonl"
  "$PLUMB" generate -q -o snapshot -n 30 --seed 3 s.jsonl >/dev/null 2>&1 && "$PLUMB" check -q --json --criterion interval s.jsonl; } >reports.json 2>err
fits "reports" report-2 reports.json
for word in linearizable holds violation undecided; do ok "among them $word" "$(grep -qF "\"verdict\":\"$word\"" reports.json; echo $?)"; done
ok "and errors" "$(grep -qF '"error":{"code":65' reports.json; echo $?)"
for change in 's/"verdict":"violation"/"verdict":"wrong"/' 's/"core":\[0/"core":[-1/' 's/"seconds"/"second"/' 's/"parts":1/"parts":"1"/' 's/"history":"[0-9a-f]/"history":"x/'; do
    sed -n "$change p;q" <<<"$(grep -F '"violation"' reports.json)" | head -1 >bad.json; refuses "refused: $change" report-2
done

# histories: what convert writes, and what recorders write
for f in "$h"/*; do
    "$PLUMB" convert -q --to jsonl "$f" - >>ops.jsonl; "$PLUMB" convert -q --to events "$f" - >>events.jsonl
done
fits "histories as operations" history-1 ops.jsonl; fits "as events" history-1 events.jsonl
printf '%s\n' '{"event":"note","text":"kill","time":1,"until":2}' '{"annotation":"x","at":4}' '{"client":"a","event":"info"}' '{"client":1,"event":"fail","time":3}' >notes.jsonl
fits "notes" history-1 notes.jsonl
for line in '{"event":"call","op":"enq"}' '{"client":1,"op":"enq"}' '{"client":1,"op":"enq","call":1.5}' '{"plumb":"history/2"}' '[]'; do
    echo "$line" >bad.json; refuses "refused: $line" history-1
done

# monitors
{ for f in queue-wrong queue-right; do "$PLUMB" monitor -q --json -o queue "$h/$f.jsonl"; "$PLUMB" monitor -q --json --go-on -o queue "$h/$f.jsonl"; done
  "$PLUMB" monitor -q --json -o queue empty.jsonl; "$PLUMB" monitor -q --json --sample 2 -o set "$h/set-right.jsonl"; } >monitors.json 2>err
fits "monitors" monitor-1 monitors.json

# drives
if has_loopback; then
    { "$PLUMB" drive -q --json memory --object queue --ops 500; "$PLUMB" drive -q --json memory --object counter --ops 20000 --set defect=lost --save saved; } >all.json 2>err
    grep -F plumb.drive/1 all.json >drives.json; grep -vF plumb.drive/1 all.json >judged.json
    fits "drives" drive-1 drives.json; fits "and what was judged of them" report-2 judged.json
    ok "one of them a violation" "$(grep -qF '"verdict":"violation"' drives.json; echo $?)"
else echo "skip - no loopback: drives"; fi

# explorations
plain_scratch
if [ -z "${PLUMB_SANITIZED-}" ] && command -v "${CC:-cc}" >/dev/null; then
    cd "$SCRATCH" || exit 1
    { "$PLUMB" explore -q --json -t 5 "$ROOT"/examples/explore/queue_test.c "$ROOT"/examples/explore/queue.c; } >explorations.json 2>err
    fits "explorations" exploration-1 explorations.json
    "$PLUMB" explore -q --json -t 5 "$ROOT/tests/explore/weak/litmus/SB+rlx.litmus" >litmus.json 2>err
    fits "of litmus tests, by two models" exploration-1 litmus.json
else echo "skip - sanitizers, or no compiler: explorations"; fi
finish
