# Stack: last in, first out. Figure 4, LIFO: when a1's value is taken out, everything put on top of it was taken out before.
theory stack extends collection
summary "last in, first out"
object stack
axiom lifo: forall a1,a2,r1. meth(a2)=add & match(a1,r1) & b(a1,a2) & b(a2,r1) -> exists r2. match(a2,r2) & b(r2,r1)
