# Lock. TOTAL(unlock) of figure 3 (what is unlocked was locked), MUTEX of figure 7 (between two locks there is an
# unlock). MUTEX names the unlock that matches the first lock: equivalent to any unlock between, and saturation finds
# more with it. An unlock is its own client's. A trylock takes the lock or says that another client has it, which the
# figure does not have.
theory lock extends atomic
summary "mutual exclusion; the client that locks is the one that unlocks"
object lock
method lock() also acquire
method unlock() also release
method trylock() -> bool also tryacquire
define takes(x): meth(x)=lock | meth(x)=trylock & ret(x)=true
match: takes(x) & meth(y)=unlock & client(x)=client(y)
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2
axiom totalunlock: forall y. meth(y)=unlock -> exists x. match(x,y) & b(x,y)
axiom mutex: forall l1,l2. takes(l1) & takes(l2) & b(l1,l2) -> exists u. match(l1,u) & b(u,l2)
axiom taken: forall t. meth(t)=trylock & ret(t)=false -> exists l. takes(l) & b(l,t) & (forall u. match(l,u) -> b(t,u))
axiom bool: forall t. meth(t)=trylock -> ret(t)=true | ret(t)=false
