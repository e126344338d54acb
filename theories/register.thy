# Register: a read returns the last value written, or the initial one. Figure 6. match(x,y): the read y returned what x wrote;
# many reads may (the figure's INJECTIVE would allow one), and a read of the initial value has no write.
theory register extends atomic
summary "a read returns what was written last"
object register swmr-register
method write(value) also set put
method read() -> value also get
match: meth(x)=write & meth(y)=read & arg(x)=ret(y)
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom readwrite: forall r. meth(r)=read -> ret(r)=init | (exists w. match(w,r) & b(w,r))
# READFROM: a write that the read did not see and that came before it was overwritten by the one it saw. A read that saw none
# comes before every write.
axiom readfrom: forall w1,r. meth(w1)=write & meth(r)=read & !match(w1,r) & b(w1,r) -> exists w2. match(w2,r) & b(w1,w2) & b(w2,r)
axiom matchbefore: forall w,r. match(w,r) -> b(w,r)
