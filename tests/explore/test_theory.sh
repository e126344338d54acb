#!/bin/bash
# A theory file as the object of an explored program: by the engines, by the monitor of all histories, and refused by name by the
# monitors that are made for built-in objects.
. "$(dirname "$0")/../cli/lib.sh"
PLUMB=$(realpath "$PLUMB")
root=$PWD
[ -e "$(dirname "$PLUMB")/libplumbline-explore.so" ] || { echo "skip the explorer is not built with sanitizers"; exit 0; }
cd "$SCRATCH" || exit 1
cp "$root"/examples/explore/queue.[ch] .
printf '%s\n' 'theory belt extends atomic' 'method put(value)' 'method take() -> removed' \
    'match: meth(x)=put & meth(y)=take & arg(x)=ret(y)' \
    'axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2' \
    'axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2' \
    'axiom taken: forall r. meth(r)=take & ret(r)!=empty -> exists a. match(a,r) & b(a,r)' \
    'axiom empty: forall e,a. meth(e)=take & ret(e)=empty & meth(a)=put & b(a,e) -> exists r. match(a,r) & b(r,e)' \
    'axiom fifo: forall a1,a2,r2. meth(a1)=put & match(a2,r2) & b(a1,a2) -> exists r1. match(a1,r1) & b(r1,r2)' >belt.thy
printf '%s\n' '#include "queue.h"' '#include <plumbline/test.h>' 'static queue *q;' 'PLUMB_OBJECT("belt.thy")' \
    'PLUMB_SETUP { q = queue_new(); }' 'PLUMB_OP(put, v) { queue_put(q, (int)v); return plumb_none(); }' \
    'PLUMB_OP(take) { int v; return queue_take(q, &v) ? plumb_int(v) : plumb_empty(); }' >belt_test.c

plumb explore -q --jobs 1 -O1 belt_test.c queue.c; exits "the wrong queue is no belt" 1
says "two took the same" out "violation"
plumb explore -q --jobs 1 -O1 --program "put(1) | take" belt_test.c queue.c; exits "with one taker it is one" 0
plumb explore -q --jobs 1 -O1 --program "put(1) : take | take" --monitor all belt_test.c queue.c; exits "by the monitor of all histories" 1
plumb explore -q --jobs 1 -O1 --monitor pattern belt_test.c queue.c; exits "there are no bad patterns of a theory" 64
says "and that is said by its name" err "not for belt.thy"
sed 's/"belt.thy"/"none.thy"/' belt_test.c >none_test.c
plumb explore -q --jobs 1 -O1 none_test.c queue.c; exits "a theory that is not there" 66
finish
