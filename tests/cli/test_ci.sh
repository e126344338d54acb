#!/bin/bash
# What editors and continuous integration read: SARIF and GitHub's annotations of `plumb check`, the problem matcher, the
# hook for pre-commit, the examples for CTest and Meson.
. "$(dirname "$0")/lib.sh"
plain_scratch
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
case $PLUMB in /*) ;; *) PLUMB=$PWD/$PLUMB ;; esac
cd "$SCRATCH" || exit 1
cp "$ROOT"/examples/histories/queue-*.jsonl .
echo '{"op":"enq"' >"bad, 100%.jsonl"; echo '{"plumb":"history/1","object":"queue"}' >nothing.jsonl

plumb check -q --github queue-wrong.jsonl; exits "annotations" 1
line=$(grep -n '"deq".*"res":2' queue-wrong.jsonl | head -1 | cut -d: -f1)
says "of a violation, at its last operation" out "::error file=queue-wrong.jsonl,line=$line,title=plumb check::violation: not a linearizable queue"
ok "in one line" "$([ "$(grep -c '^::' out)" -eq 1 ] && grep '^::' out | grep -qF '%0ABut #0 enq(1) returned'; echo $?)"
plumb check -q --github queue-right.jsonl; ok "none of what is linearizable" "$(! grep -q '^::' out; echo $?)"
plumb check -q --github nothing.jsonl; says "no answer is a warning" out "::warning file=nothing.jsonl,line=1,title=plumb check::undecided: nothing was judged"
plumb check -q --github "bad, 100%.jsonl"; exits "bad input" 65; says "is an error, its name escaped" out "::error file=bad%2C 100%25.jsonl,line=1,title=plumb check::bad, 100%25.jsonl:1:"
plumb check -q --github --json queue-wrong.jsonl; says "beside JSON" out '{"schema"'

if command -v python3 >/dev/null; then
    plumb check -q --sarif all.sarif queue-wrong.jsonl queue-right.jsonl nothing.jsonl "bad, 100%.jsonl"
    exits "SARIF of several" 65
    python3 - "$line" >out 2>err <<'P'
import json, sys
run = json.load(open("all.sarif"))["runs"][0]
rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
by = {r["ruleId"]: r for r in run["results"]}
assert len(run["results"]) == 3 and set(by) == {"not-linearizable", "undecided", "no-verdict"} <= set(rules)
wrong = by["not-linearizable"]
place = lambda x: (x["physicalLocation"]["artifactLocation"]["uri"], x["physicalLocation"]["region"]["startLine"])
assert place(wrong["locations"][0]) == ("queue-wrong.jsonl", int(sys.argv[1])), place(wrong["locations"][0])
assert [r["id"] for r in wrong["relatedLocations"]] == [0, 1, 3]
assert "no order is left" in wrong["message"]["text"] and wrong["level"] == "error"
assert by["undecided"]["level"] == "warning"
assert place(by["no-verdict"]["locations"][0]) == ("bad%2C%20100%25.jsonl", 1)
P
    ok "what is in it" $?
    plumb check -q --sarif right.sarif queue-right.jsonl; exits "SARIF of a right one" 0
    ok "has no results" "$(grep -qF '"results":[]' right.sarif; echo $?)"
    plumb check -q queue-wrong.jsonl queue-right.jsonl
    { cat out; "$PLUMB" check "bad, 100%.jsonl" 2>&1; } >printed
    python3 - "$ROOT/examples/ci/problem-matcher.json" >out 2>err <<'P'
import json, re, sys
matchers = {m["owner"]: m["pattern"][0]["regexp"] for m in json.load(open(sys.argv[1]))["problemMatcher"]}
found = {owner: [re.match(x, line.rstrip("\n")) for line in open("printed") if re.match(x, line.rstrip("\n"))] for owner, x in matchers.items()}
assert [m.group(1) for m in found["plumb-check"]] == ["queue-wrong.jsonl"], found
assert [m.group(1, 2) for m in found["plumb-input"]] == [("bad, 100%.jsonl", "1")], found
P
    ok "the problem matcher finds them" $?
    python3 - "$ROOT" <<'P'
import re, sys
hook = open(sys.argv[1] + "/.pre-commit-hooks.yaml").read()
files = re.search(r"files: (.*)", hook).group(1)
assert re.search("entry: plumb check", hook) and all(re.search(files, f) for f in ("a.jsonl", "b/c.edn")) and not re.search(files, "x.c")
P
    ok "the hook of pre-commit" $?
else echo "skip - no python3: SARIF, problem matcher, hook"; fi
plumb check -q --sarif /no/such/folder/x queue-right.jsonl; exits "SARIF that cannot be written" 66

# CTest and Meson, with what `make install` leaves
if [ -n "${PLUMB_SANITIZED-}" ] || ! DESTDIR= cmake --install "${PLUMB_BUILD:-$ROOT/build}" --prefix "$SCRATCH/installed" >out 2>err; then
    echo "skip - nothing to install here: CTest and Meson"; finish
fi
export PATH=$SCRATCH/installed/bin:$PATH
cmake -S "$ROOT/examples/ci/ctest" -B ctest -DCMAKE_PREFIX_PATH="$SCRATCH/installed" >out 2>err; ok "CTest: configured" $?
(cd ctest && ctest) >out 2>err; ok "CTest: both tests are as expected" $?
if command -v meson >/dev/null && command -v ninja >/dev/null; then
    meson setup meson "$ROOT/examples/ci/meson" >out 2>err && meson test -C meson >out 2>err; ok "Meson: both tests are as expected" $?
else echo "skip - no meson or ninja"; fi
finish
