# Sets. Figure 5 has them with matchings of adds, removes and contains that do not hold as printed (add(1) contains(1)=>true
# is refused); here a contains that finds its element names the add it saw.
#
# Set whose add and remove return nothing. match(x,y): contains y found what add x had put in.
theory set extends atomic
summary "add and remove return nothing"
object set
method add(value) also insert
method remove(value) also delete
method contains(value) -> bool also member
match: meth(x)=add & meth(y)=contains & arg(x)=arg(y) & ret(y)=true
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
# What is found was added before, and no remove came between.
axiom include1: forall c. meth(c)=contains & ret(c)=true -> exists a. match(a,c) & b(a,c)
axiom include2: forall c,a,r. match(a,c) & meth(r)=remove & arg(r)=arg(c) -> b(r,a) | b(c,r)
# What is not found was removed after every add of it.
axiom exclude: forall c,a. meth(c)=contains & ret(c)=false & meth(a)=add & arg(a)=arg(c) & b(a,c)
    -> exists r. meth(r)=remove & arg(r)=arg(c) & b(a,r) & b(r,c)
axiom bool: forall c. meth(c)=contains -> ret(c)=true | ret(c)=false

# Set whose add and remove say whether they changed it. An add that did (fresh) begins a time in which the element is
# present; match(x,y): y saw, or ended, the presence that x began.
theory bset extends atomic
summary "add and remove say whether they changed the set"
object set
method add(value) -> bool also insert
method remove(value) -> bool also delete
method contains(value) -> bool also member
define fresh(x): meth(x)=add & ret(x)=true
define sees(y): meth(y)=remove & ret(y)=true | meth(y)=contains & ret(y)=true | meth(y)=add & ret(y)=false
define misses(y): meth(y)=add & ret(y)=true | meth(y)=remove & ret(y)=false | meth(y)=contains & ret(y)=false
match: meth(x)=add & ret(x)=true & arg(x)=arg(y) & sees(y)
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom injrem: forall x,y1,y2. match(x,y1) & match(x,y2) & meth(y1)=remove & meth(y2)=remove -> y1 = y2
axiom bool: forall c. ret(c)=true | ret(c)=false
axiom present: forall y. sees(y) -> exists a. match(a,y) & b(a,y)
axiom inside: forall a,c,r. match(a,c) & match(a,r) & meth(r)=remove & meth(c)!=remove -> b(c,r)
axiom absent: forall a,c. fresh(a) & arg(a)=arg(c) & b(a,c) & misses(c) -> exists r. match(a,r) & meth(r)=remove & b(r,c)
