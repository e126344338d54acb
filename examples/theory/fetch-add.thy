# Fetch-and-add by a sum: each operation returns what all earlier ones have added to the initial value.
theory sums extends atomic
object fetch-add
summary "add returns the sum of what was added before"

method add(int) -> int also fetch_add
method read() -> int

axiom value: forall f. ret(f) = init + sum(x. meth(x)=add & b(x,f), arg(x))
