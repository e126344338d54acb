# Collections: add puts a value in, remove takes one out and returns it, or finds nothing. Which one is what the theories
# that build on this one say. Figure 4 of the paper.
#
# match(x,y): the remove y took out what the add x had put in. The figure takes for granted that a remove takes out one add's
# value (functional) that no other takes out (injective); without `functional` a stack would allow
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

# The same with operations that name a value: remove(x) takes out one x if there is one and returns true (or x), else false (or
# empty); contains(x) looks. match(x,y) as above. Not in the paper.
theory multiset extends atomic
summary "any value may be removed, or one that is named; contains looks"
object multiset
method add(value) also insert put
method remove(value?) -> removed also get delete
method contains(value) -> bool also member
define any(y): meth(y)=remove & arg(y)=none
define named(y): meth(y)=remove & arg(y)!=none
define absent(y): forall a. meth(a)=add & arg(a)=arg(y) & b(a,y) -> exists r. match(a,r) & b(r,y)
match: meth(x)=add & meth(y)=remove
    & (arg(y)=none & arg(x)=ret(y) | arg(y)!=none & arg(x)=arg(y) & (ret(y)=true | ret(y)=arg(y)))
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2
axiom addrem: forall r. any(r) & ret(r)!=empty -> exists a. match(a,r) & b(a,r)
axiom empty: forall e,a. any(e) & ret(e)=empty & meth(a)=add & b(a,e) -> exists r. match(a,r) & b(r,e)
# What was found was added before; of what was not, everything added before had been taken out.
axiom find: forall r. named(r) -> (ret(r)=true | ret(r)=arg(r)) & (exists a. match(a,r) & b(a,r))
    | (ret(r)=false | ret(r)=empty) & !(exists a. match(a,r)) & absent(r)
axiom present: forall c. meth(c)=contains & ret(c)=true
    -> exists a. meth(a)=add & arg(a)=arg(c) & b(a,c) & (forall r. match(a,r) -> b(c,r))
axiom missing: forall c. meth(c)=contains & ret(c)=false -> absent(c)
axiom bool: forall c. meth(c)=contains -> ret(c)=true | ret(c)=false
