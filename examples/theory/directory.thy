# Keys: operations on different keys have nothing to do with each other, so the axioms are about one key.
theory directory extends atomic
object kv
summary "a value for each key"

method put(key, value)
method delete(key)
method get(key) -> value

define changes(w): meth(w)=put | meth(w)=delete
# The last change before a get is what it finds; init before the first one, and none behind a delete.
define last(w,g): changes(w) & b(w,g) & !(exists v. changes(v) & b(w,v) & b(v,g))
axiom put: forall w,g. meth(g)=get & last(w,g) & meth(w)=put -> ret(g)=arg(w)
axiom deleted: forall w,g. meth(g)=get & last(w,g) & meth(w)=delete -> ret(g)=none
axiom first: forall g. meth(g)=get & !(exists w. changes(w) & b(w,g)) -> ret(g)=init
