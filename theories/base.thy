# What all theories share. b(x,y) says that x comes before y; a history's own order (x returned before y was called) is
# part of b. Emmi, Enea, Hamza, "Monitoring refinement via symbolic reasoning" (PLDI 2015), section 3 and figure 3.
#
# ORDER: b is a strict partial order.
theory order
axiom irrefl: forall x. !b(x,x)
axiom trans: forall x,y,z. b(x,y) & b(y,z) -> b(x,z)

# ATOMIC: b is a total order, so that a model is a sequence of operations. The figure has no x != y, and then no operation at
# all could happen.
theory atomic extends order
axiom total: forall x,y. x != y -> (b(x,y) ^ b(y,x))
