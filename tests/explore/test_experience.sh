#!/bin/bash
# What people and machines get to see of an exploration: reports word by word (tests/explore/golden), JSON, JUnit, SARIF, GitHub
# annotations, the progress line, Ctrl-C, replays in gdb and of programs that have changed.
# PLUMB_GOLDEN=write tests/explore/test_experience.sh writes the golden files anew: look at the difference before you keep it.
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
PLUMB=$(realpath "$PLUMB")
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$here/../.." || exit 1

# ---- reports, word by word; times and counts depend on the machine, notes on what was tried before --------------------------------------------------------
mask() { sed -E 's/found after .*, with/found after N executions, with/; s/^replay: .*/replay: SCHEDULE/; /^note: /d'; }
while read -r file flag; do
    plumb explore --quiet --jobs 1 --flags "-D$flag" --schedule "$SCRATCH/schedule" "corpus/$file"
    golden=$here/golden/${file%.*}-$flag.txt
    mask <"$SCRATCH/out" >"$SCRATCH/masked"
    [ "${PLUMB_GOLDEN-}" = write ] && cp "$SCRATCH/masked" "$golden"
    diff "$golden" "$SCRATCH/masked" >"$SCRATCH/difference"
    same=$?
    [ $same -eq 0 ] || sed 's/^/# /' "$SCRATCH/difference"
    ok "golden: $file $flag" $same
    ok "one page: $file $flag" "$([ "$(wc -l <"$SCRATCH/out")" -le 50 ]; echo $?)"
    rm -f "$SCRATCH/schedule"
done <<'CASES'
treiber_stack.c BUG_ABA
michael_scott_queue.c BUG_HEAD
michael_scott_queue.c BUG_TAIL
two_lock_queue.c BUG_HEAD_LOCK
elimination_stack.c BUG_ASSIGNMENT
lock_coupling_set.c BUG_UNLOCK
seqlock_register.c BUG_RECHECK
locks.c BUG_TICKET
chase_lev_deque.c BUG_LAST
blocking_queue.cpp BUG_ONE_CONDITION
CASES

# ---- other programs read it ----------------------------------------------------------------------------------------------------
if command -v python3 >/dev/null; then
    plumb explore --quiet --json --junit "$SCRATCH/junit.xml" --sarif "$SCRATCH/result.sarif" --flags -DBUG_HEAD --schedule "$SCRATCH/schedule" corpus/michael_scott_queue.c
    exits "a violation is exit code 1" 1
    python3 - "$SCRATCH" <<'PYTHON' >"$SCRATCH/python" 2>&1
import json, sys, xml.etree.ElementTree as tree
at = sys.argv[1]
r = json.load(open(at + '/out'))
assert r['schema'] == 'plumb.exploration/1' and r['verdict'] == 'violation' and r['threads'] == 'enq(1) deq | deq', r
assert [o['op'] for o in r['history']].count('deq') == 2 and r['core'] and max(r['core']) < len(r['history']), r
assert all({'client', 'op', 'args', 'call', 'ret', 'res'} == set(o) for o in r['history'])
assert {s['thread'] for s in r['interleaving']} == {1, 2} and all(s['line'] > 0 and s['step'] for s in r['interleaving'])
assert isinstance(r['races'], list) and r['notes']
suite = tree.parse(at + '/junit.xml').getroot()
assert suite.tag == 'testsuite' and suite.get('failures') == '1' and 'taken out 2 times' in suite.find('testcase/failure').text
s = json.load(open(at + '/result.sarif'))
result = s['runs'][0]['results'][0]
flows = result['codeFlows'][0]['threadFlows']
assert s['version'] == '2.1.0' and result['ruleId'] == 'not-linearizable' and len(flows) == 2, s
assert all(f['locations'] for f in flows)  # the schema wants at least one
orders = sorted(l['executionOrder'] for f in flows for l in f['locations'])
assert orders == list(range(1, len(orders) + 1)), orders
assert all(l['location']['physicalLocation']['region']['startLine'] > 0 for f in flows for l in f['locations'])
PYTHON
    ok "JSON, JUnit and SARIF are what their readers expect" $?
    plumb explore --quiet --json --junit "$SCRATCH/junit.xml" --sarif "$SCRATCH/result.sarif" --program "enq(1) | deq" --schedule "$SCRATCH/none" corpus/michael_scott_queue.c
    exits "no violation is exit code 0" 0
    python3 -c 'import json, sys, xml.etree.ElementTree as t; a = sys.argv[1]; r = json.load(open(a + "/out")); assert r["verdict"] == "linearizable" and r["complete"] == 1 and r["threads"] is None; assert not json.load(open(a + "/result.sarif"))["runs"][0]["results"]; assert t.parse(a + "/junit.xml").getroot().get("failures") == "0"' "$SCRATCH" 2>"$SCRATCH/err"
    ok "the same of an exploration without a violation" $?
fi
plumb explore --quiet --github --flags -DBUG_HEAD --schedule "$SCRATCH/schedule" corpus/michael_scott_queue.c
ok "GitHub annotation: file, line, one line of message" "$(grep -Eq '^::error file=corpus/michael_scott_queue.c,line=[0-9]+,title=plumb explore::violation: .*%0A' "$SCRATCH/out"; echo $?)"

# ---- a schedule that failed is tried first, replayed, and survives changes -------------------------------------------------------------
says "the failing schedule is the first to be tried" out "found after 1 execution,"
plumb replay "$SCRATCH/schedule"
exits "a replayed violation is exit code 1" 1
says "a replay shows the interleaving" out "cas node#1.next: 0 -> node#2"
sed 's/^flags: .*/flags: -DFIXED/' "$SCRATCH/schedule" >"$SCRATCH/fixed"
plumb replay --trust "$SCRATCH/fixed"
exits "a schedule that no longer fails is exit code 0" 0
says "and it says so" out "no longer fails"
sed 's/^choices: \(@[^ ]*\) .*/choices: \1 1*4 3/' "$SCRATCH/schedule" >"$SCRATCH/other"
plumb replay --trust "$SCRATCH/other"
says "a schedule that no longer fits: it says where" out "its first 4 steps are those of the schedule"
says "from there the violation is found again" out "1 was taken out 2 times"
exits "with the exit code of a violation" 1
plumb explore --quiet --time 2 --schedule "$SCRATCH/schedule" corpus/michael_scott_queue.c
says "explored again after the repair: the failing schedule was tried" out "was tried first and no longer fails"
if command -v gdb >/dev/null; then
    plumb explore --quiet --flags -DBUG_HEAD --schedule "$SCRATCH/schedule" corpus/michael_scott_queue.c
    mkdir "$SCRATCH/a place"
    { printf 'continue\nnext-step\nthread-backtraces\n'
      printf 'info registers rip\nthread-backtraces 1\ninfo registers rip\nshell cp "%s"/plumb-gdb-*/script.py "%s"\n' "$SCRATCH/a place" "$SCRATCH"
      printf 'continue\ncontinue\nquit\n'; } |
        TMPDIR="$SCRATCH/a place" timeout 60 "$PLUMB" replay --gdb "$SCRATCH/schedule" >"$SCRATCH/out" 2>&1
    says "gdb stops where another thread goes on" out "thread 2 reads q->head node#1, michael_scott_queue.c:50"
    says "next-step goes on by one step" out "thread 2 reads q->tail node#2, michael_scott_queue.c:51"
    ok "backtraces of the thread whose turn it is and of the other" "$([ "$(grep -c ' in dequeue ' "$SCRATCH/out")" -ge 4 ]; echo $?)"
    # The stack of the thread that waits: its own innermost line, and its callers up to the operation.
    tr '\n' ' ' <"$SCRATCH/out" | grep -o 'thread 1: .*thread 2, whose' | head -1 >"$SCRATCH/waiting"
    ok "the waiting thread stands at its own line" "$(grep -qE 'thread 1: #[0-9]+ +0x[0-9a-f]+ in dequeue \([^)]*\) +at corpus/michael_scott_queue.c:61 ' "$SCRATCH/waiting"; echo $?)"
    ok "and its callers are those of the test" "$(grep -qE 'queue.c:61 #[0-9]+ +plumb_op_deq .*#[0-9]+ +plumb_run_deq ' "$SCRATCH/waiting"; echo $?)"
    ok "gdb reports no error" "$(grep -cE 'Python Exception|Error occurred|write extended state|corrupt stack' "$SCRATCH/out")"
    ok "the registers are as they were" "$([ "$(grep -oE 'rip +0x[0-9a-f]+' "$SCRATCH/out" | sort | uniq -c | awk '{print $1}')" = 2 ]; echo $?)"
    # On processors with AMX gdb 13 cannot write registers: neither by assignment nor around a call of a function.
    assignments='set (var |variable )?\$|\$[a-z0-9]+ *=[^=]|\bset_register\b|write_register'
    calls="'call |'print .*\(|\(\*\)|\)\(%d\)"
    ok "the script was found, below TMPDIR" "$([ -s "$SCRATCH/script.py" ]; echo $?)"
    ok "it writes no register" "$(grep -cE "$assignments" "$SCRATCH/script.py")"
    ok "it calls no function of the program" "$(grep -cE "$calls" "$SCRATCH/script.py")"
    ok "nothing is left below TMPDIR" "$(find "$SCRATCH/a place" -mindepth 1 | wc -l)"
    says "gdb stops before the last step" out "thread 1 writes q->head node#2, michael_scott_queue.c:61"
fi

# ---- a program with a main of its own ------------------------------------------------------------------------------------------------
cat >"$SCRATCH/main.cpp" <<'CPP'
#include <mutex>
#include <thread>
struct account { std::mutex lock; int balance = 100; };
static account a, b;
static void transfer(account &from, account &to, int n) {
    std::lock_guard<std::mutex> x(from.lock), y(to.lock);
    from.balance -= n, to.balance += n;
}
int main() {
    std::thread t([] { transfer(a, b, 10); });
    transfer(b, a, 20);
    t.join();
}
CPP
plumb explore --quiet --schedule "$SCRATCH/main.schedule" "$SCRATCH/main.cpp"
exits "a main with std::thread: exit code" 1
says "its deadlock, by name and line" out "thread 0 waits for a.lock at main.cpp:6, thread 1 waits for b.lock at main.cpp:6"
plumb replay "$SCRATCH/main.schedule"
says "and its replay" out "locks b.lock"
sed -i 's/transfer(b, a, 20)/transfer(a, b, 20)/' "$SCRATCH/main.cpp"
plumb explore --quiet --schedule "$SCRATCH/main.schedule" "$SCRATCH/main.cpp"
exits "and after the repair" 0
says "with what was covered" out "covered: every interleaving"

# ---- claims of progress ------------------------------------------------------------------------------------------------------------------
claim() { # file flag claim expected-exit words
    plumb explore --quiet --time 2 --flags "-D$2" --progress "$3" --schedule "$SCRATCH/none" "corpus/$1"
    exits "$1 $2 claims to be $3" "$4"
    says "$1 $2, $3: $5" out "$5"
}
claim treiber_stack.c TAGGED lock-free 0 "nothing seen contradicts"
claim treiber_stack.c TAGGED wait-free 1 "pop repeats its loop when others interfere"
claim spsc_ring.c RIGHT wait-free 0 "nothing seen contradicts"
claim locks.c MCS obstruction-free 1 "add waits for another thread at locks.c"
claim two_lock_queue.c RIGHT lock-free 1 "enq waits for another thread at two_lock_queue.c"
claim herlihy_wing_queue.c RIGHT lock-free 1 "deq waits for another thread at herlihy_wing_queue.c"

# ---- while it works --------------------------------------------------------------------------------------------------------------------
timeout 60 "$PLUMB" explore --time 50 --schedule "$SCRATCH/none" corpus/michael_scott_queue.c >"$SCRATCH/out" 2>"$SCRATCH/err" &
pid=$!
sleep 2
kill -INT "$(pgrep -P $pid -x plumb)"
wait $pid
code=$?
exits "Ctrl-C is exit code 130" 130
says "Ctrl-C: what is covered so far" out "covered: "
if command -v python3 >/dev/null; then
    timeout 60 python3 - "$PLUMB" >"$SCRATCH/out" 2>&1 <<'PYTHON'
import pty, sys
pty.spawn([sys.argv[1], 'explore', '--time', '3', '--schedule', '/dev/null/none', 'corpus/michael_scott_queue.c'])
PYTHON
    ok "a progress line on a terminal, wiped at the end" "$(grep -aEq 'executions, [0-9]+/s, [0-9]+ histories' "$SCRATCH/out" && tail -c 2000 "$SCRATCH/out" | grep -aq 'no violation'; echo $?)"
    plumb explore --time 2 --schedule "$SCRATCH/none" corpus/michael_scott_queue.c
    ok "no progress line elsewhere" "$([ ! -s "$SCRATCH/err" ]; echo $?)"
fi
# ---- places in headers ---------------------------------------------------------------------------------------------------------------
# The line of the library's own header first, then the primitives that it calls; the compiler's headers are left out.
mkdir "$SCRATCH/library"
cat >"$SCRATCH/library/primitives.h" <<'C'
static inline long primitive_load(long *p) {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
C
cat >"$SCRATCH/library/ticket.h" <<'C'
#include "primitives.h"
static inline long ticket(long *n) {
    long was = primitive_load(n);
    __atomic_store_n(n, was + 1, __ATOMIC_SEQ_CST);
    return was;
}
C
cat >"$SCRATCH/tickets.c" <<'C'
#include <plumbline/test.h>
#include "library/ticket.h"
static long n;
PLUMB_OBJECT("fetch-and-add") PLUMB_THREADS("add(1) | add(1)")
PLUMB_OP(add, by) { (void)by; return plumb_int(ticket(&n)); }
C
plumb explore --quiet -O1 --schedule "$SCRATCH/schedule" "$SCRATCH/tickets.c"
says "the chain of inlined headers" out "ticket.h:3 < primitives.h:2"
says "a line of the library itself" out " ticket.h:4"

# ---- pointers into globals, and a loop of one instruction ----
cat >"$SCRATCH/pool.c" <<'C'
#include <assert.h>
#include <pthread.h>
struct node { struct node *next; int value; };
static struct node pool[3];
static struct node *volatile head = &pool[1];
static int *volatile count = &pool[0].value;
static long volatile number;
static void *other(void *p) { head = &pool[2]; count = &pool[2].value; number = (long)&pool[2]; return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    struct node *h = head;
    int *c = count;
    long n = number;
    pthread_join(t, 0);
    assert(h == &pool[1] || c == &pool[0].value || !n);
    return 0;
}
C
plumb explore --quiet --full --schedule "$SCRATCH/schedule" "$SCRATCH/pool.c"
exits "a pointer that changes is seen" 1
says "an element of an array by its name" out "writes head &pool[2] "
says "a member of it" out "writes count &pool[2].value"
ok "a number is a number" "$(grep -q "writes number [0-9]" "$SCRATCH/out"; echo $?)"
cat >"$SCRATCH/hangs.c" <<'C'
#include <pthread.h>
static void endless(void) { for (;;) __asm__ volatile(""); }
static void *other(void *p) { endless(); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); pthread_join(t, 0); return 0; }
C
plumb explore --quiet --schedule "$SCRATCH/schedule" "$SCRATCH/hangs.c"
says "a loop that does not end has a place, be it one instruction" out "without a step, at hangs.c:2"
ok "and a schedule" "$([ -s "$SCRATCH/schedule" ]; echo $?)"

finish
