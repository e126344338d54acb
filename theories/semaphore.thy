# Semaphores. Figure 7 has the one of which only what was acquired can be released (bounded); LIMIT there quantifies over
# n + 1 operations that may be the same and matches in the wrong direction. atmost(k) says it directly. A tryacquire, which the
# figure does not have, takes a permit or says that there is none.
#
# match(x,y): the release y gives back what the acquire x took.
theory bounded-semaphore extends atomic
summary "n permits; a release gives back what was acquired"
object semaphore
parameter permits = 1, 0, 8
parameter bounded = 1, 1, 1
method acquire() also wait down
method release() also signal post up
method tryacquire() -> bool also trywait trydown
define takes(x): meth(x)=acquire | meth(x)=tryacquire & ret(x)=true
define fails(x): meth(x)=tryacquire & ret(x)=false
match: takes(x) & meth(y)=release
define held(x,z): takes(x) & b(x,z) & (forall r. match(x,r) -> !b(r,z))
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2
axiom totalrelease: forall y. meth(y)=release -> exists x. match(x,y) & b(x,y)
axiom limit: forall z. takes(z) -> atmost(permits - 1) x. held(x,z)
axiom none: forall z. fails(z) -> atleast(permits) x. held(x,z)
axiom bool: forall z. meth(z)=tryacquire -> ret(z)=true | ret(z)=false

# The semaphore of most libraries: any client may release, whether or not it acquired. match(x,y): the acquire y took the permit
# that the release x brought; at most n acquires took none, those of the beginning.
theory semaphore extends atomic
summary "n permits to acquire and release"
object semaphore
parameter permits = 1, 0, 8
method acquire() also wait down
method release() also signal post up
method tryacquire() -> bool also trywait trydown
define takes(x): meth(x)=acquire | meth(x)=tryacquire & ret(x)=true
define fails(x): meth(x)=tryacquire & ret(x)=false
match: meth(x)=release & takes(y)
axiom functional: forall x1,x2,y. match(x1,y) & match(x2,y) -> x1 = x2
axiom injective: forall x,y1,y2. match(x,y1) & match(x,y2) -> y1 = y2
axiom matchbefore: forall x,y. match(x,y) -> b(x,y)
axiom limit: atmost(permits) y. takes(y) & !(exists x. match(x,y))
# One fails when all permits of the beginning, and all that were brought before, have been taken. There is a match under which that
# is so each time: permits are taken in the order in which they came.
axiom taken: forall z,x. fails(z) & meth(x)=release & b(x,z) -> exists y. match(x,y) & b(y,z)
axiom none: forall z. fails(z) -> atleast(permits) y. takes(y) & b(y,z) & !(exists x. match(x,y))
axiom bool: forall z. meth(z)=tryacquire -> ret(z)=true | ret(z)=false
