#!/bin/bash
# Certificates from end to end: written by check, accepted by certify, refused when touched, and never loading code by themselves.
. "$(dirname "$0")/lib.sh"

for kind in right wrong; do
    plumb check --certificate "$SCRATCH/$kind.cert" examples/histories/queue-$kind.jsonl
    plumb certify "$SCRATCH/$kind.cert"
    exits "a $kind history's certificate holds" 0
    sed 's/"args":\[1\]/"args":[9]/' "$SCRATCH/$kind.cert" >"$SCRATCH/touched.cert"
    plumb certify "$SCRATCH/touched.cert"
    exits "a touched certificate is refused ($kind)" 1
    says "and why ($kind)" out "refused:"
    head -c 200 "$SCRATCH/$kind.cert" >"$SCRATCH/short.cert"
    plumb certify "$SCRATCH/short.cert"
    exits "a truncated certificate is none ($kind)" 65
    one_line "in one line ($kind)" err
done

cc -std=c11 -shared -fPIC -Iinclude -o "$SCRATCH/counter.so" examples/plugin/bounded_counter.c
plumb check --object "$SCRATCH/counter.so" --certificate "$SCRATCH/plugin.cert" examples/plugin/wrong.jsonl
exits "a plug-in's object is checked" 1
plumb certify "$SCRATCH/plugin.cert"
exits "its certificate needs the plug-in" 65
plumb certify --object "$SCRATCH/counter.so" "$SCRATCH/plugin.cert"
exits "and holds with it" 0
sed 's|"object":"[^"]*"|"object":"./evil.so"|' "$SCRATCH/plugin.cert" >"$SCRATCH/evil.cert"
plumb certify "$SCRATCH/evil.cert"
exits "a certificate does not choose what is loaded" 65

# of a counter nothing can be left out while one that was called early is pending: its cores are long, and are decided again
{ echo '{"client":9,"op":"inc","args":[],"call":0,"ret":null,"res":null}'
  for i in $(seq 200); do echo "{\"client\":1,\"op\":\"inc\",\"args\":[],\"call\":$((2 * i)),\"ret\":$((2 * i + 1)),\"res\":null}"; done
  echo '{"client":1,"op":"get","args":[],"call":900,"ret":901,"res":202}'; } >"$SCRATCH/counter.jsonl"
plumb check --object counter --certificate "$SCRATCH/long.cert" "$SCRATCH/counter.jsonl"
exits "a counter that was not counted up so often" 1
says "its core is long" out "core of 202"
plumb certify "$SCRATCH/long.cert"
exits "its certificate holds, however long the core is" 0
says "and says so" out "was retraced and decided again"

# where everything had returned, the state is known: what was before is left out
plumb generate --object counter --ops 2000 --threads 6 --mutate lost-update --output "$SCRATCH/counter.jsonl"
plumb check --certificate "$SCRATCH/settled.cert" "$SCRATCH/counter.jsonl"
exits "a counter that lost an update" 1
says "it is said where the core begins" out "and the state was "
ok "and the certificate has it" "$(grep -q '"settled":' "$SCRATCH/settled.cert"; echo $?)"
plumb certify "$SCRATCH/settled.cert"
exits "the certificate holds" 0

# proofs of the symbolic engine
if "$PLUMB" check -q --engine symbolic examples/histories/queue-right.jsonl >/dev/null 2>&1; then
    printf '%s\n' '{"client":0,"op":"enq","args":[1],"call":0,"ret":1,"res":null}' '{"client":1,"op":"deq","args":[],"call":2,"ret":7,"res":"empty"}' \
        '{"client":0,"op":"enq","args":[2],"call":3,"ret":4,"res":null}' '{"client":0,"op":"deq","args":[],"call":5,"ret":6,"res":1}' >"$SCRATCH/v.jsonl"
    plumb check --engine symbolic --proof "$SCRATCH/v.proof" "$SCRATCH/v.jsonl"; exits "check --proof" 1
    plumb certify "$SCRATCH/v.proof"; exits "the proof holds" 0
    plumb certify --history "$SCRATCH/v.jsonl" "$SCRATCH/v.proof"; exits "and is about this history" 0
    says "and says so" out "they are those of $SCRATCH/v.jsonl for object queue"
    plumb certify --history examples/histories/queue-wrong.jsonl "$SCRATCH/v.proof"; exits "but not about another" 1
    sed 's/^1 0$/-1 0/' "$SCRATCH/v.proof" >"$SCRATCH/touched.proof"
    plumb certify "$SCRATCH/touched.proof"; exits "a touched proof is refused" 1
    sed '/^c proof/,$d' "$SCRATCH/v.proof" >"$SCRATCH/short.proof"
    plumb certify "$SCRATCH/short.proof"; exits "a truncated proof is none" 65
    plumb check --proof "$SCRATCH/v.proof" "$SCRATCH/v.jsonl"; exits "--proof without symbolic" 64
fi

# A certificate is tied to its history, whatever format that is in, and to no other.
h=examples/histories
for name in queue-wrong.jsonl queue-right.jsonl kv-wrong.edn lock-right.violin stack-wrong.ops cas-register-right.jepsen-log; do
    plumb check -q --certificate "$SCRATCH/tied" "$h/$name"
    plumb certify --history "$h/$name" "$SCRATCH/tied"
    exits "$name: the history of the certificate" 0
    says "$name: says so" out "the history is that of"
done
plumb check -q --certificate "$SCRATCH/tied" "$h/queue-wrong.jsonl"
plumb certify --history "$h/queue-right.jsonl" "$SCRATCH/tied"
exits "another history is refused" 1
says "and said to be another" out "refused: it is about another history"
plumb convert "$h/queue-wrong.jsonl" "$SCRATCH/same.violin"
plumb certify --history "$SCRATCH/same.violin" "$SCRATCH/tied"
exits "the same history in another format" 0
digest=$(sed -n 's/.*: \([0-9a-f]\{16\}\)$/\1/p' "$SCRATCH/out")
plumb check -q --json "$h/queue-wrong.jsonl"
says "check --json says the same digest" out "\"history\":\"$digest\""
plumb check --certificate "$SCRATCH/tied" "$h/queue-wrong.jsonl"
says "check says it beside the certificate" err "the certificate is of history $digest"
# What a history says is its initial value belongs to it.
for value in 0 1; do
    printf '{"plumb":"history/1","object":"register","init":%s}\n{"client":1,"op":"read","args":[],"call":1,"ret":2,"res":0}\n' $value >"$SCRATCH/from$value.jsonl"
    plumb check -q -c "$SCRATCH/from$value.cert" "$SCRATCH/from$value.jsonl"
    exits "from $value" $value
done
grep -v '"plumb"' "$SCRATCH/from0.jsonl" >"$SCRATCH/from.jsonl"
for value in 0 1; do
    plumb certify "$SCRATCH/from$value.cert"; exits "its certificate holds" 0
    says "and says from what" out "object register from $value"
    plumb certify "$SCRATCH/from$value.cert" --history "$SCRATCH/from$value.jsonl"; exits "it is about that history" 0
    plumb certify "$SCRATCH/from$value.cert" --history "$SCRATCH/from$((1 - value)).jsonl"; exits "not about one with another initial value" 1
    says "which is said" out "refused: it is about the initial value $value, and $SCRATCH/from$((1 - value)).jsonl says $((1 - value))"
    plumb certify "$SCRATCH/from$value.cert" --history "$SCRATCH/from.jsonl"; exits "a history that says none may be judged from any" 0
done
plumb check -q -c "$SCRATCH/from.cert" -o register "$SCRATCH/from.jsonl"; exits "from none" 1
plumb certify "$SCRATCH/from.cert" --history "$SCRATCH/from0.jsonl"; exits "a certificate without one is not about it" 1
says "which is said, too" out "the initial value that there is without one"

# A proof says from which initial value: it is about the history that it was made of, whoever named the value.
printf '{"client":1,"op":"read","args":[],"call":1,"ret":2,"res":0}\n' >"$SCRATCH/read.jsonl"
if "$PLUMB" check -q -o register --init 7 -e symbolic --proof "$SCRATCH/proof" "$SCRATCH/read.jsonl" >"$SCRATCH/out" 2>"$SCRATCH/err"; [ $? -eq 1 ]; then
    plumb certify "$SCRATCH/proof" --history "$SCRATCH/read.jsonl"; exits "a proof with an initial value" 0
    says "says it" out "those of $SCRATCH/read.jsonl for object register from 7"
    plumb certify "$SCRATCH/proof" --history "$SCRATCH/from0.jsonl"; exits "it is not about another one's" 1
    says "which is said" out "refused: it is about the initial value 7"
    sed 's/^c init.*/c init 7/' "$SCRATCH/proof" >"$SCRATCH/bad.proof"
    plumb certify "$SCRATCH/bad.proof"; exits "an initial value without quotes" 65
else echo "skip - no solver"; fi

finish
