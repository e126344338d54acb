# Exchanger: two operations that meet get each other's value; one that meets none returns empty (or false). Figure 7. b
# is not total: partners take effect at one moment, so that neither is before the other. x != y is missing in the
# figure, and then a lone exchange(1)=>1 would do.
theory exchanger extends order
summary "two operations that meet get each other's value"
object exchanger
method exchange(value) -> removed also swap
match: meth(x)=exchange & meth(y)=exchange & arg(x)=ret(y) & x != y
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom symmetric: forall x,y. match(x,y) -> match(y,x)
axiom exchange: forall x. ret(x)!=empty & ret(x)!=false -> exists y. match(x,y)
axiom overlap: forall x,y. match(x,y) -> !b(x,y) & !b(y,x)
