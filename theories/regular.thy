# Regular register (Lamport 1986, for any number of writers): each read by itself, together with all writes, is linearizable. It
# returns the value of a write that it does not precede, and no other write lies wholly between that write and the read; the
# initial value was written before everything. The axioms only forbid more of b, so that the history's own order is the best b.
# The criterion of the same name (docs/CRITERIA.md) judges by this.
theory regular extends order
summary "each read alone, with all writes, is linearizable; criterion regular"
method write(value)
method read() -> value
match: meth(x)=write & meth(y)=read & arg(x)=ret(y)
define between(w,v,r): meth(v)=write & b(w,v) & b(v,r)
define initial(r): ret(r)=init & !(exists w. meth(w)=write & b(w,r))
axiom matched: forall w,r. match(w,r) -> !b(r,w) & !(exists v. between(w,v,r))
axiom value: forall r. meth(r)=read -> initial(r) | (exists w. match(w,r))
