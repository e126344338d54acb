# Deque: added to and removed from at both ends. match(x,y): the pop y took what the push x had put in. left(x,y) says that what x
# put in is left of what y put in, as long as both are inside.
theory deque extends atomic
summary "double ended queue"
method pushl(value)
method pushr(value)
method popl() -> removed
method popr() -> removed
define add(x): meth(x)=pushl | meth(x)=pushr
define rem(x): meth(x)=popl | meth(x)=popr
match: add(x) & rem(y) & arg(x)=ret(y)
define left(x,y): meth(x)=pushl & b(y,x) | meth(y)=pushr & b(x,y)
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2
axiom addrem: forall r. rem(r) & ret(r)!=empty -> exists a. match(a,r) & b(a,r)
axiom empty: forall e,a. rem(e) & ret(e)=empty & add(a) & b(a,e) -> exists r. match(a,r) & b(r,e)
axiom leftmost: forall r,a1,a2. meth(r)=popl & match(a1,r) & a1 != a2 & add(a2) & b(a2,r) & left(a2,a1)
    -> exists q. match(a2,q) & b(q,r)
axiom rightmost: forall r,a1,a2. meth(r)=popr & match(a1,r) & a1 != a2 & add(a2) & b(a2,r) & left(a1,a2)
    -> exists q. match(a2,q) & b(q,r)
