# Collections: add puts a value in, remove takes one out and returns it, or finds nothing. Which one is what the theories
# that build on this one say. Figure 4 of the paper.
#
# match(x,y): the remove y took out what the add x had put in. The figure takes for granted that a remove takes out one add's
# value (functional) that nobody else takes out (injective); without `functional` a stack would allow
# add(1) remove=>1 add(1) remove=>empty.
theory collection extends atomic
method add(value) also enq push insert put
method remove() -> removed also rem deq pop deletemax deletemin get
match: meth(x)=add & meth(y)=remove & arg(x)=ret(y)
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2
# ADDREM: what is removed was added before.
axiom addrem: forall r. meth(r)=remove & ret(r)!=empty -> exists a. match(a,r) & b(a,r)
# EMPTY: nothing is found only when everything added before has been removed before.
axiom empty: forall e,a. meth(e)=remove & ret(e)=empty & meth(a)=add & b(a,e) -> exists r. match(a,r) & b(r,e)

# A pool gives out any of its values: nothing more is to be said.
theory pool extends collection
summary "any value may be removed"
object multiset
