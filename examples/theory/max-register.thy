# Max register: write(v) raises it to v at least, read() returns the greatest value written, or the initial one.
theory max-register extends atomic
summary "a read returns the greatest value written"
method write(value)
method read() -> value

# What is read was written before, or is the initial value.
axiom written: forall r. meth(r)=read
    -> ret(r)=init | (exists w. meth(w)=write & arg(w)=ret(r) & b(w,r))

# Nothing greater was written before. `!(x < y)` where others write x >= y.
axiom greatest: forall w,r. meth(w)=write & meth(r)=read & b(w,r) -> !(ret(r) < arg(w))
