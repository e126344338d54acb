#!/bin/bash
# Nothing judged is not a verdict: an input without operations is undecided, with a reason, wherever a verdict is told.
. "$(dirname "$0")/lib.sh"

NOTHING="nothing was judged (the history has no operations)"
cd "$SCRATCH" || exit 1
echo '{"plumb":"history/1","object":"queue"}' >named.jsonl
echo '{"plumb":"history/1"}' >unnamed.jsonl
echo '{"event":"note","text":"began","time":1}' >note.jsonl
printf '# @object atomic-queue\n' >header.violin
printf '{:process 0, :type :invoke, :f :%s, :value 1}\n' write >call.edn
{ cat call.edn; sed 's/:invoke/:fail/' call.edn; } >failed.edn
for f in named.jsonl unnamed.jsonl note.jsonl header.violin; do
    plumb check -q "$f"; exits "check of $f" 2; says "it says so" out "undecided: $NOTHING"
    plumb monitor -q -o queue "$f"; exits "monitor of $f" 2; says "it says so" out "undecided: $NOTHING"
done
plumb check -q failed.edn; exits "operations that all failed" 2
says "it says so" out "undecided: nothing was judged (all operations of the history failed: 1)"
plumb monitor -q -o register failed.edn; exits "to a monitor, too" 2
says "it says so" out "undecided: nothing was judged (all operations failed); 2 events, 1 operations, 0 open, 1 failed"
plumb monitor --json -o register failed.edn; says "in JSON" out '"verdict":"undecided"'; says "with the count" out '"failed":1'
plumb check -q call.edn; exits "what is only pending was judged" 0; says "and is counted" out "1 operation, 1 pending"
plumb monitor -q -o register call.edn; exits "by a monitor, too" 0

plumb check --json --junit nothing.xml named.jsonl; exits "JSON" 2
says "its verdict" out '"verdict":"undecided","reason":"'"$NOTHING"'"'; says "no beginning is claimed" out '"prefix":null'
ok "JUnit: no passed test" "$(grep -q '<error type="undecided"' nothing.xml; echo $?)"
ok "and why" "$(grep -qF "$NOTHING" nothing.xml; echo $?)"
plumb monitor --json -o queue named.jsonl; says "JSON of a monitor" out '"verdict":"undecided","events":0,"operations":0,"reason":"'"$NOTHING"'"'
mkdir folder; cp named.jsonl folder; echo '{"client":1,"op":"enq","args":[1],"call":1,"ret":2}' >folder/one.jsonl
plumb check -q -o queue folder; exits "a folder with one" 2; says "it is counted" out "2              1           0           1"
plumb check -q --measure named.jsonl; exits "measured" 2
plumb view -o page.html named.jsonl; exits "a page" 2; ok "it says so" "$(grep -qF "$NOTHING" page.html; echo $?)"
plumb check --certificate n.cert named.jsonl; exits "no certificate" 2; ok "is written" "$([ ! -e n.cert ]; echo $?)"
says "nor is one spoken of" err "no certificate was written: there is no verdict"

# a certificate of nothing, as it was written before
checksum() { python3 - "$1" <<'P'
import sys
h = 0xcbf29ce484222325
for b in open(sys.argv[1], 'rb').read(): h = (h ^ b) * 0x100000001b3 & (1 << 64) - 1
print('{"end":"%016x"}' % h)
P
}
printf '%s\n' '{"plumb":"certificate/1","object":"queue","init":null,"verdict":"linearizable","operations":0}' '{"witness":[]}' >old.cert
checksum old.cert >>old.cert
plumb certify old.cert; exits "a certificate of nothing certifies nothing" 2; says "it says so" out "undecided: nothing was judged"
plumb view -o old.html old.cert; exits "and shows nothing" 2; ok "the page says so" "$(grep -qF "$NOTHING" old.html; echo $?)"
finish
