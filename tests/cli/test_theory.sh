#!/bin/bash
# plumb theory, and theory files as objects.
. "$(dirname "$0")/lib.sh"

plumb theory; exits "theories are listed" 0
says "the queue is among them" out "queue"
plumb theory --print queue; exits "a shipped theory is printed" 0
says "with its axiom" out "axiom fifo:"
plumb theory --print nothing; exits "unknown theory" 64
plumb theory queue; exits "a theory is described" 0
says "with its methods" out "remove() -> removed"
plumb theory queue --axioms; says "axioms are written out" out "fifo: (forall x0,x1,x2."
plumb theory queue --against queue --length 4; exits "a theory equals its object" 0
plumb theory queue --against stack; exits "a theory differs from another object" 1
says "the smallest difference is printed" out "push(1); push(2); pop() -> 1"
plumb theory queue --against nothing; exits "against an unknown object" 64
plumb theory exchanger --against exchanger; exits "a partial order has no sequential histories" 64
plumb theory --against queue; exits "comparing needs a theory" 64
plumb theory "$SCRATCH/none.thy"; exits "no such file" 66
printf 'theory t extends atomic\nmethod a()\naxiom x: forall x. b(x,\n' >"$SCRATCH/bad.thy"
plumb theory "$SCRATCH/bad.thy"; exits "a mistake in a theory" 65
says "is told with line and column" err "bad.thy:4:1: the file ends; expected a variable"
one_line "in one line" err
plumb check --object "$SCRATCH/bad.thy" examples/theory/right.jsonl; exits "a mistake in the object's theory" 65

mine=examples/theory/max-register.thy
plumb theory $mine --against max-register --values 3; exits "the documented max-register is one" 0
plumb check --object $mine examples/theory/right.jsonl; exits "a right history of one's own theory" 0
plumb check --object $mine examples/theory/wrong.jsonl; exits "a wrong history of one's own theory" 1
says "names the axiom" out "axiom greatest does not hold"
plumb check --object $mine --certificate "$SCRATCH/c" examples/theory/wrong.jsonl; exits "a certificate for it" 1
plumb certify "$SCRATCH/c"; exits "is accepted" 0
plumb check --object $mine --engine enumerate examples/theory/wrong.jsonl; exits "by the enumerating engine, too" 1
plumb check --object $mine --engine soar examples/theory/wrong.jsonl; exits "an engine that does not know it says so" 2
plumb check --object theories/queue.thy --init 3 examples/theory/right.jsonl; exits "no initial value without init" 64
finish
