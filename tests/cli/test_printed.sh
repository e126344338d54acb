#!/bin/bash
# Names of files and values cannot make a terminal do anything, and reports are well-formed whatever the values.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/lib.sh
escapes=$(printf '\033\\|\302\233\|\342\200\256\|\342\201\246')
harmless() { ok "$1" "$(! grep -q "$escapes" "$SCRATCH/out" "$SCRATCH/err"; echo $?)"; }
name=$(printf 'a\033[31m\342\200\256b\302\233')
value=$(printf '\342\200\256x\302\2332J\342\201\246')
{
    echo "{\"client\":\"$value\",\"op\":\"enq\",\"args\":[\"$value\"],\"call\":1,\"ret\":2,\"res\":null}"
    echo "{\"client\":\"\\u001b[2J\",\"op\":\"deq\",\"args\":[],\"call\":3,\"ret\":4,\"res\":\"other $value\\u001b\"}"
} >"$SCRATCH/$name.jsonl"
mkdir "$SCRATCH/folder"
cp "$SCRATCH/$name.jsonl" "$SCRATCH/folder/"
echo "no history $value" >"$SCRATCH/folder/$name.txt"
printf '{"client":1,"op":"%s\\u001b","args":[],"call":1,"ret":2,"res":null}\n' "$value" >"$SCRATCH/method.jsonl"

plumb check -o queue "$SCRATCH/$name.jsonl"
exits "check" 1
harmless "check prints no escape of the file's"
plumb check -o queue -v "$SCRATCH/folder"
harmless "nor of a name in a folder"
plumb check -o queue --html "$SCRATCH/$name.html" "$SCRATCH/$name.jsonl"
harmless "nor of a page's name"
plumb check -o queue "$SCRATCH/method.jsonl"
exits "an unknown method" 65
harmless "is not printed as it is"
plumb check "$SCRATCH/$name.nowhere"
exits "a file that is not there" 66
harmless "is not printed as it is"
plumb monitor -o queue "$SCRATCH/$name.jsonl"
exits "monitor" 1
harmless "monitor prints no escape"
plumb check -o queue -q --json "$SCRATCH/$name.jsonl"
harmless "JSON has escapes of its own"
if command -v python3 >/dev/null; then
    python3 - "$SCRATCH/out" "$SCRATCH/$name.jsonl" <<'P'
import json, sys
sys.exit(json.load(open(sys.argv[1]))["file"] != sys.argv[2])
P
    ok "and says the exact name" $?
fi
plumb drive memory --object queue --ops 20 --time 2 --quiet-end 1 --save "$SCRATCH/$name.kept" --html "$SCRATCH/$name.drive.html"
harmless "drive prints no escape of its folder's name"
plumb drive --exec "echo '{}'; : $value" --object register --ops 5 --time 1 --quiet-end 1
harmless "nor of its command"

# ---- characters that XML 1.0 forbids ----
python3 - "$SCRATCH/xml.jsonl" <<'P' 2>/dev/null
import json, sys
with open(sys.argv[1], "w") as f:
    for i, c in enumerate([0, 1, 8, 11, 12, 13, 31, 127, 0x85, 0xfffe, 0xffff, 0x1fffe, 0xfdd0, 0x202e, 0x2028]):
        f.write(json.dumps({"client": i, "op": "read", "args": [], "call": 2 * i, "ret": 2 * i + 1, "res": chr(c) + "<&>]]>"}) + "\n")
P
if [ -s "$SCRATCH/xml.jsonl" ]; then
    for i in $(seq "$(wc -l <"$SCRATCH/xml.jsonl")"); do sed -n "${i}p" "$SCRATCH/xml.jsonl" >"$SCRATCH/one-$i.jsonl"; done
    plumb check -q -o register --junit "$SCRATCH/junit.xml" "$SCRATCH"/one-*.jsonl
    exits "values that no XML can hold" 1
    python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' "$SCRATCH/junit.xml"
    ok "JUnit is well-formed" $?
fi
finish
