#!/bin/bash
# Every class of bad input: exit 65, exactly one line, with file and line and what was expected.
. "$(dirname "$0")/lib.sh"

refuses() { # name file-name fixed-string
    plumb check "$SCRATCH/$2"
    exits "$1: exit 65" 65
    one_line "$1: one line" err
    says "$1: says what and where" err "$3"
    ok "$1: no result" "$([ ! -s "$SCRATCH/out" ]; echo $?)"
}

printf '# @object queue\n[1] call enq(1)\n[1] return\n[2] return 5\n' >"$SCRATCH/unmatched.violin"
refuses "unmatched return" unmatched.violin "unmatched.violin:4: "
printf '{"client":1,"op":"enq","args":[1],"call":9,"ret":3,"res":null}\n' >"$SCRATCH/before.jsonl"
refuses "return before call" before.jsonl "before.jsonl:1: "
printf '{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :invoke, :f :read, :value nil}\n' >"$SCRATCH/two.edn"
refuses "a client with two open calls" two.edn "two.edn:2: "
printf '# @object queue\n[1] call fly(1)\n[1] return\n' >"$SCRATCH/method.violin"
refuses "unknown method" method.violin "unknown method 'fly'"
printf 'enq 1 0 1\nfly 2 2 3\n' >"$SCRATCH/stranger.ops"
refuses "unknown method, object not named" stranger.ops "stranger.ops:2: unknown method 'fly'; expected "
printf '{"client":1,"op":"inc","args":["x"],"call":0,"ret":3,"res":"many"}\n{"client":1,"op":"get","args":[],"call":4,"ret":5,"res":"many"}\n' >"$SCRATCH/kind.jsonl"
plumb check --object counter "$SCRATCH/kind.jsonl"; exits "non-integer where an integer is needed: exit 65" 65
one_line "non-integer where an integer is needed: one line" err
says "non-integer where an integer is needed: says where" err "kind.jsonl:1: "
printf '{"client":1,"op":"enq","args":[1],"call":0,"re' >"$SCRATCH/cut.jsonl"
refuses "truncated file" cut.jsonl "cut.jsonl:1: "
gzip -c examples/histories/queue-right.jsonl | head -c 60 >"$SCRATCH/cut.jsonl.gz"
refuses "truncated gzip" cut.jsonl.gz "cut.jsonl.gz"
printf '{"client":1,"op":"enq","args":["\xff\xfe"],"call":0,"ret":1,"res":null}\n' >"$SCRATCH/utf8.jsonl"
refuses "invalid UTF-8" utf8.jsonl "utf8.jsonl:1: "
{ printf '{"client":1,"op":"enq","args":["'; head -c 10000000 /dev/zero | tr '\0' x; printf '"],"call":0,"ret":1'; } >"$SCRATCH/long.jsonl"
refuses "10 MB line that breaks off" long.jsonl "long.jsonl:1: "
{ printf '{"client":1,"op":"enq","args":'; head -c 100000 /dev/zero | tr '\0' '['; } >"$SCRATCH/deep.jsonl"
refuses "nested 100,000 deep (JSON)" deep.jsonl "deep.jsonl:1: "
{ printf '{:process 0, :type :invoke, :f :read, :value '; head -c 100000 /dev/zero | tr '\0' '['; } >"$SCRATCH/deep.edn"
refuses "nested 100,000 deep (EDN)" deep.edn "deep.edn:1: "
: >"$SCRATCH/empty"
refuses "empty file" empty "empty:1: empty file; expected a history"
printf 'Remember the milk, please.\nAnd the bread!\n' >"$SCRATCH/prose"
refuses "unknown format" prose "prose:1: unknown format, begins with 'Remember the milk, pleas...'; expected "
head -c 10000000 /dev/zero | tr '\0' x >"$SCRATCH/long"
refuses "10 MB line in no format" long "long:1: unknown format, begins with 'xxxx"
head -c 100000 /dev/zero | tr '\0' '[' >"$SCRATCH/deep"
refuses "nested 100,000 deep, in no format" deep "deep:1: "
{ printf '\n\n'; head -c 100000 /dev/zero | tr '\0' '{'; } >"$SCRATCH/deep3"
refuses "nested 100,000 deep, on line 3" deep3 "deep3:3: "
printf '\1\2\3' >"$SCRATCH/bytes"
refuses "bytes in no format" bytes "bytes:1: unknown format, begins with '...'"
plumb check /no/such/file; exits "missing file: exit 66" 66
one_line "missing file: one line" err
says "missing file: named" err "/no/such/file"
mkdir -p "$SCRATCH/d"; plumb convert "$SCRATCH/prose" "$SCRATCH/d/out.jsonl"; exits "convert of bad input" 65
finish
