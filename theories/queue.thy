# Queue: first in, first out. Figure 4, FIFO: when a2's value is taken out, everything added before a2 was taken out earlier.
theory queue extends collection
summary "first in, first out"
object queue
axiom fifo: forall a1,a2,r2. meth(a1)=add & match(a2,r2) & b(a1,a2) -> exists r1. match(a1,r1) & b(r1,r2)
