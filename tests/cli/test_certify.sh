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
finish
