#!/bin/bash
# plumb explore --html and plumb replay --html: the page has the violation, every step with its source line, memory by name, and
# the schedule. What it looks like is looked at in tests/browser.
. "$(dirname "$0")/../cli/lib.sh"
plain_scratch
here=$(cd "$(dirname "$0")" && pwd)
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$here/../.." || exit 1
page=$SCRATCH/page.html
has() { ok "$1" "$(grep -qF -- "$2" "$page"; echo $?)"; }
lacks() { ok "$1" "$(! grep -qF -- "$2" "$page"; echo $?)"; }

plumb explore --jobs 1 --html "$page" --flags -DBUG_HEAD --schedule "$SCRATCH/ms.schedule" corpus/michael_scott_queue.c
exits "a violation" 1
says "the report is printed as well" out "1 was taken out 2 times"
says "where the page is" err "the page is $page"
has "its verdict" '<p class="verdict">violation</p>'
has "its sentences" 'was taken out 2 times'
has "a column for each thread" '<th scope="col">thread 1</th><th scope="col">thread 2</th>'
has "what the terminal says of a step" '<span class="access">writes q-&gt;head node#2</span><code>atomic_store(&amp;q-&gt;head, next);</code>'
has "memory by name, with what was there" 'data-location0="q-&gt;head" data-before0="node#1" data-after0="node#2"'
has "dull steps" 'class="read dull"'
has "operations are linked to the core" 'data-op="2">#2 deq() returns 1</a>'
has "the schedule" " reuse=newest "
has "how to repeat it" "plumb replay $SCRATCH/ms.schedule"
sed -n '/<pre id="schedule">/,/<\/pre>/p' "$page" | sed 's/.*<pre id="schedule">//; s/<\/pre>.*//; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' >"$SCRATCH/copied"
ok "what is copied is the schedule" "$(diff -q <(grep . "$SCRATCH/copied") "$SCRATCH/ms.schedule" >/dev/null; echo $?)"
plumb replay --html "$page" "$SCRATCH/copied"
exits "and can be replayed" 1
has "to the same page" '<span class="access">writes q-&gt;head node#2</span>'

plumb explore -q --jobs 1 --html - --flags -DBUG_HEAD --schedule "$SCRATCH/ms.schedule" corpus/michael_scott_queue.c
ok "on standard output the page is alone" "$([ "$(head -1 "$SCRATCH/out")" = '<!DOCTYPE html>' ] && [ "$(tail -1 "$SCRATCH/out")" = '</html>' ]; echo $?)"

plumb explore -q --jobs 1 --html "$page" --flags -DBUG_ABA --schedule "$SCRATCH/aba.schedule" corpus/treiber_stack.c
exits "another failure" 1
has "is called by its name" '<p class="verdict">use after free</p>'
has "with where" 'reads from freed memory node#1.next at treiber_stack.c'
has "what was freed" 'data-location0="node#1" data-after0="freed"'
has "what ran alone" '<tr class="alone">'

plumb explore -q --jobs 1 --html "$page" --flags -DBUG_UNLOCK --schedule "$SCRATCH/lock.schedule" corpus/lock_coupling_set.c
has "who holds a lock" 'data-after0="held by thread 2"'
has "and that it is free again" 'data-before0="held by thread 2" data-after0="free"'
has "a core of one operation says what made it impossible" 'and no other operation that matters to it was called before it returned'

plumb explore -q --jobs 1 --html "$page" --flags -DBUG_TWICE --schedule "$SCRATCH/snark.schedule" corpus/snark_deque.c
has "a double compare-and-swap has two places" 'data-location1='
lacks "and knows what it wrote" 'cas right_hat: block#1 -&gt; 0<'

plumb explore -q --jobs 1 --html "$page" --program "enq(1) | deq" --schedule "$SCRATCH/none" corpus/michael_scott_queue.c
exits "no violation" 0
has "is said" '<p class="verdict">no violation</p>'
has "with what was covered" 'Covered: every interleaving'
has "without a history" '<section id="whole" hidden>'

cat >"$SCRATCH/strange.c" <<'SOURCE'
#include <plumbline/test.h>
#include <stdatomic.h>
static atomic_long cell;
PLUMB_OBJECT("register")
PLUMB_OP(write, v) { atomic_store(&cell, v); /* </script><script>alert(1)</script> "&" */ return plumb_none(); }
PLUMB_OP(read) { return plumb_int(atomic_load(&cell) == 1 ? 7 : 0); /* <b> &amp; */ }
PLUMB_INITIAL("0")
PLUMB_THREADS("write(1) | read")
SOURCE
plumb explore -q --jobs 1 --html "$page" --schedule "$SCRATCH/strange.schedule" "$SCRATCH/strange.c"
exits "a strange source" 1
has "is text" '/* &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &quot;&amp;&quot; */'
lacks "and nothing else" '<script>alert'
plumb explore -q --html /nonexistent/page.html --schedule "$SCRATCH/strange.schedule" "$SCRATCH/strange.c"
exits "a place that cannot be written" 66
finish
