# A queue by its axioms, for docs/TOGETHER.md.
theory belt extends atomic
method enq(value)
method deq() -> removed
match: meth(x)=enq & meth(y)=deq & arg(x)=ret(y)
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2
axiom taken: forall r. meth(r)=deq & ret(r)!=empty -> exists a. match(a,r) & b(a,r)
axiom empty: forall e,a. meth(e)=deq & ret(e)=empty & meth(a)=enq & b(a,e) -> exists r. match(a,r) & b(r,e)
axiom fifo: forall a1,a2,r2. meth(a1)=enq & match(a2,r2) & b(a1,a2) -> exists r1. match(a1,r1) & b(r1,r2)
