# A queue that can be asked for its size: what went in and has not come out.
theory sized extends queue
method size() -> int

axiom size: forall s. meth(s)=size ->
    ret(s) = count(x. meth(x)=add & b(x,s)) - count(y. meth(y)=remove & ret(y)!=empty & b(y,s))
