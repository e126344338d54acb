#!/bin/bash
# What the documents show is what the command prints: the example of README.md, the history that docs/FORMATS.md tells a
# reader to write, the formats, objects, engines and exit codes they list.
#
#   PLUMB=PATH   the command; needed
number=0 bad=0
cd "$(dirname "$0")/../.." || exit 1
plumb=${PLUMB:-build/plumb}
[ -x "$plumb" ] || { echo "skip 1 - no $plumb"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

result() { # title findings: a line of TAP
    number=$((number + 1))
    if [ -z "$2" ]; then echo "ok $number - $1"; else head -40 <<<"$2" | sed 's/^/# /'; echo "not ok $number - $1"; bad=1; fi
}

block() { # file first-line: the fenced block that begins with this line, without it
    awk -v first="$2" '
        /^```/ {inside = !inside; fresh = inside; found = 0; next}
        inside && fresh {fresh = 0; found = $0 == first; next}
        inside && found {print}' "$1"
}
indented() { # file first-words: the lines indented by four, from the one that begins so to the end of the paragraph
    awk -v first="$2" 'substr($0, 5, length(first)) == first && /^    / {found = 1} found && !/^    / {exit} found {print substr($0, 5)}' "$1"
}

# Seconds differ from run to run.
timeless() { sed -E 's/[0-9]+\.[0-9]+ s\b/T s/'; }
file=examples/histories/queue-wrong.jsonl
block README.md "\$ build/plumb check $file" | timeless >"$work/said"
COLUMNS=80 "$plumb" check "$file" 2>&1 | timeless >"$work/printed"
result "README.md shows what plumb check prints" "$(if [ -s "$work/said" ]; then diff "$work/said" "$work/printed"; else echo "no such block"; fi)"

indented docs/FORMATS.md '{"client":2,"op":"enq"' >"$work/own.jsonl"
result "the history that docs/FORMATS.md begins with is read, and is linearizable" "$(
    [ "$(wc -l <"$work/own.jsonl")" = 3 ] || echo "expected three lines in $(cat "$work/own.jsonl")"
    "$plumb" check "$work/own.jsonl" >"$work/out" 2>&1 || cat "$work/out")"

result "docs/FORMATS.md has a section for every format" "$("$plumb" formats --names | while read -r name; do
    grep -qx "## $name" docs/FORMATS.md || echo "$name"
done)"
result "plumb(1) has every command" "$("$plumb" --help | sed -nE 's/^  ([a-z+-]+)  +.*/\1/p' | while read -r name; do
    grep -E '^\*' man/plumb.1.scd | grep -qF "*$name*" || echo "$name"
done)"
# 0 linearizable, 1 violation, 64 usage, 65 bad input, 66 cannot open
code() { # expected arguments...
    local expected=$1 ended
    shift
    "$plumb" "$@" >/dev/null 2>&1
    ended=$?
    [ $ended = "$expected" ] || echo "plumb $*: exit $ended, documented $expected"
}
echo '{"client":1,"op":"enq"' >"$work/bad.jsonl"
result "exit codes are the documented ones" "$(code 0 check examples/histories/queue-right.jsonl
    code 1 check "$file"
    code 2 check --engine queue-linear examples/histories/set-right.jsonl
    code 64 check
    code 65 check "$work/bad.jsonl"
    code 66 check "$work/none.jsonl")"
# A form names its version in the sources; the table of upgrades repeats it.
written() { # form version: the third cell of its row in docs/PACKAGES.md begins with this version
    grep -E "^\| .?$1" docs/PACKAGES.md | awk -F' *[|] *' -v v="$2" '$4 == v || index($4, v ",") == 1 {found = 1} END {exit !found}' ||
        echo "$1: version $2 is written"
}
constant() { sed -nE "s/.*\b$1( =)? \"?([a-z-]+\/)?([0-9]+).*/\3/p" "$2" | head -1; }
result "docs/PACKAGES.md names the versions that are written" "$(
    written plumb-log "$(constant LOG_VERSION src/format/plumb_log.h)"
    written certificates "$(constant CERTIFICATE_KIND src/evidence/certificate.h)"
    written 'segments of' "$(constant SEGMENT_KIND src/evidence/segment.h)"
    written 'checkpoints of' "$(constant CHECKPOINT_FIRST_LINE src/explore/outside/checkpoint.c)")"
exit $bad
