# Priority queues: the greatest (or least) value leaves first; of equal ones any. Figure 4, MAX: when a1's value is taken out,
# every better one that was there before has been taken out. A tuple counts as its first item.
theory pqueue-max extends collection
summary "priority queue, greatest first, any among equals"
object pqueue-max
axiom max: forall a1,a2,r1. meth(a2)=add & match(a1,r1) & b(a2,r1) & arg(a1) < arg(a2) -> exists r2. match(a2,r2) & b(r2,r1)

theory pqueue-min extends collection
summary "priority queue, least first, any among equals"
object pqueue-min
axiom min: forall a1,a2,r1. meth(a2)=add & match(a1,r1) & b(a2,r1) & arg(a2) < arg(a1) -> exists r2. match(a2,r2) & b(r2,r1)
