# A counter by counting terms; increments and decrements without a number are by one.
theory counting extends atomic
object counter
summary "increments, decrements and their sum"

method inc(int?)
method dec(int?)
method get() -> int

axiom value: forall g. meth(g)=get -> ret(g) = init
    + sum(x. meth(x)=inc & arg(x)!=none & b(x,g), arg(x)) + count(x. meth(x)=inc & arg(x)=none & b(x,g))
    - sum(x. meth(x)=dec & arg(x)!=none & b(x,g), arg(x)) - count(x. meth(x)=dec & arg(x)=none & b(x,g))
