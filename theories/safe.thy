# Safe register (Lamport 1986): a read that overlaps no write is linearizable together with all writes; any other may return
# anything. As in regular.thy the history's own order is the best b. Criterion safe judges by this.
theory safe extends order
summary "reads that overlap no write are linearizable with all writes; criterion safe"
method write(value)
method read() -> value
match: meth(x)=write & meth(y)=read & arg(x)=ret(y)
define alone(r): forall w. meth(w)=write -> b(w,r) | b(r,w)
define between(w,v,r): meth(v)=write & b(w,v) & b(v,r)
define initial(r): ret(r)=init & !(exists w. meth(w)=write & b(w,r))
axiom matched: forall w,r. match(w,r) -> !b(r,w) & !(exists v. between(w,v,r))
axiom value: forall r. meth(r)=read & alone(r) -> initial(r) | (exists w. match(w,r))
