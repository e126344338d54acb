"""Small concurrent programs as data, every sequentially consistent execution of which can be enumerated.

A thread is a list of instructions. Those that other threads can notice are steps; the rest happen with the step before
them. Nothing here knows how the explorer works: that is the point.
"""
import collections

STATES_MOST = 10000

LOCAL = {'jump', 'jump_if', 'jump_unless', 'equal', 'copy'}

# back: where it goes on after its handler; sent: a signal that did not come yet
Thread = collections.namedtuple('Thread', 'pc registers waits ended back sent', defaults=(None, False))
# spare: so many waits may still end without a signal, as --spurious 1 has it
State = collections.namedtuple('State', 'threads memory owners waiting clock spare')


class TooLarge(Exception):
    pass


def value(expression, registers):
    kind = expression[0]
    return expression[1] if kind == 'constant' else registers[expression[1]] + expression[2]


def run_locals(code, pc, registers):
    """Instructions that no other thread can notice, up to the next step."""
    while code[pc][0] in LOCAL:
        i = code[pc]
        pc += 1
        if i[0] == 'equal':
            registers[i[1]] = int(registers[i[2]] == i[3])
        elif i[0] == 'copy':
            registers[i[1]] = value(i[2], registers)
        elif i[0] == 'jump':
            pc = i[1]
        elif bool(registers[i[1]]) == (i[0] == 'jump_if'):
            pc = i[2]
    return pc


class Program:
    """code: a list of instructions for each thread; registers: how many each has."""

    def __init__(self, code, registers, memory, locks):
        # behind the end
        self.handler = [next(i for i, x in enumerate(c) if x[0] == 'end') + 1 for c in code]
        self.code, self.registers, self.memory, self.locks = code, registers, memory, locks

    def start(self):
        threads = []
        for code, n in zip(self.code, self.registers):
            r = [0] * n
            pc = run_locals(code, 0, r)
            threads.append(Thread(pc, tuple(r), None, code[pc][0] == 'end'))
        return State(tuple(threads), tuple(self.memory), (None,) * self.locks, (), 0, 1)

    def next_states(self, s, t):
        """All states after one step of thread t; none: it cannot go on."""
        thread = s.threads[t]
        i = self.code[t][thread.pc]
        memory, owners, waiting, clock = list(s.memory), list(s.owners), s.waiting, s.clock
        r = list(thread.registers)
        kind = i[0]

        def after(pc=thread.pc + 1, waits=None, waiting=waiting, clock=clock, registers=r, spare=s.spare):
            registers = list(registers)
            if waits is None:
                pc = run_locals(self.code[t], pc, registers)
            back = thread.back
            if waits is None and self.code[t][pc][0] == 'return':
                pc, back = back, None
            ended = waits is None and self.code[t][pc][0] == 'end'
            new = thread._replace(pc=pc, registers=tuple(registers), waits=waits, ended=ended, back=back)
            threads = s.threads[:t] + (new,) + s.threads[t + 1:]
            return State(threads, tuple(memory), tuple(owners), waiting, clock, spare)

        if kind == 'load':
            r[i[1]] = memory[i[2]]
        elif kind == 'store':
            memory[i[1]] = value(i[2], r)
        elif kind == 'add':
            r[i[1]] = memory[i[2]]
            memory[i[2]] += i[3]
        elif kind == 'exchange':
            new = value(i[3], r)
            r[i[1]] = memory[i[2]]
            memory[i[2]] = new
        elif kind == 'swap':  # compare-and-swap: done?, what was there
            _, done, seen, place, old, new = i
            new = value(new, r)
            was = memory[place]
            r[done] = int(was == value(old, r))
            r[seen] = was
            if r[done]:
                memory[place] = new
        elif kind == 'until':  # a loop that reads until it is not zero, for ever
            if not memory[i[2]]:
                return []
            r[i[1]] = memory[i[2]]
        elif kind == 'lock':
            if owners[i[1]] is not None:
                return []
            owners[i[1]] = t
        elif kind == 'try':
            r[i[1]] = int(owners[i[2]] is None)
            if r[i[1]]:
                owners[i[2]] = t
        elif kind == 'timed':  # held: it waits, or its time is over
            if owners[i[2]] is None:
                r[i[1]] = 1
                owners[i[2]] = t
            else:
                r[i[1]] = 0
        elif kind == 'unlock':
            owners[i[1]] = None
        elif kind == 'wait':  # on a condition: releases the lock, then needs a signal and the lock
            if thread.waits is None:
                owners[i[1]] = None
                out = [after(pc=thread.pc, waits='signal', waiting=waiting + (t,))]
                if s.spare:
                    out.append(after(pc=thread.pc, waits='lock', spare=s.spare - 1))
                return out
            if thread.waits == 'signal' or owners[i[1]] is not None:
                return []
            owners[i[1]] = t
        elif kind == 'signal':
            woken = [waiting] if i[1] == 'all' and waiting else [(w,) for w in waiting] or [()]
            out = []
            for some in woken:
                n = after(waiting=tuple(w for w in waiting if w not in some))
                threads = list(n.threads)
                for w in some:
                    threads[w] = threads[w]._replace(waits='lock')
                out.append(n._replace(threads=tuple(threads)))
            return out
        elif kind == 'kill':  # one that has ended takes no signal any more
            n = after()
            if n.threads[i[1]].ended:
                return [n]
            threads = list(n.threads)
            threads[i[1]] = threads[i[1]]._replace(sent=True)
            return [n._replace(threads=tuple(threads))]
        elif kind == 'finish':
            pass
        elif kind == 'clock':  # the same as the newest that was seen, or later
            out = []
            for now in (clock, clock + 1) if clock else (1,):
                q = list(r)
                q[i[1]] = now
                out.append(after(clock=now, registers=q))
            return out
        else:
            raise AssertionError(kind)
        return [after()]

    def signalled(self, s, t):
        """The state in which thread t begins to handle its signal, now or while it waits; none: there is none."""
        thread = s.threads[t]
        if not thread.sent or thread.back is not None:
            return []
        new = thread._replace(pc=self.handler[t], back=thread.pc, sent=False)
        return [s._replace(threads=s.threads[:t] + (new,) + s.threads[t + 1:])]

    def explore(self):
        """(final states, can it get stuck?)"""
        first = self.start()
        seen, todo, finals, stuck = {first}, [first], set(), False
        while todo:
            s = todo.pop()
            moved = False
            for t, thread in enumerate(s.threads):
                if thread.ended:
                    continue
                for n in self.next_states(s, t) + self.signalled(s, t):
                    moved = True
                    if n in seen:
                        continue
                    if len(seen) > STATES_MOST or max(n.memory, default=0) > 40:
                        raise TooLarge
                    seen.add(n)
                    todo.append(n)
            if all(x.ended for x in s.threads):
                finals.add(s)
            elif not moved:
                stuck = True
        return finals, stuck
