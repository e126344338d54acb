"""Random operations: does `plumb explore --serial` call a test wrong exactly when some execution has results that no
serial run explains, and is an invariant broken exactly when there is a moment without a running operation in which it
is?

Operations work on a few shared places. Every interleaving of a handful of them is enumerated, with the order in which
they began and ended, and every serial order.
"""
import itertools
import random
import re

from model import STATES_MOST, TooLarge

PLACES = 2
CASES = 30  # for one compilation
KINDS = 'load store store_seen add exchange swap retry retry_set collect publish take count give_up'.split()


class Operation:
    """code: as in model.py; the result is a number made of all registers."""

    def __init__(self, name, draw):
        self.name, self.registers, self.code, self.text = name, 0, [], []
        for _ in range(draw.randint(1, 2)):
            self.statement(draw)
        self.code.append(('end',))

    def register(self):
        self.registers += 1
        return self.registers - 1

    def statement(self, draw):
        kind, v, u, k = draw.choice(KINDS), draw.randrange(PLACES), draw.randrange(PLACES), draw.randint(1, 2)
        code, say, head = self.code, self.text.append, len(self.code)
        if kind == 'store_seen' and not self.registers:
            kind = 'load'
        if kind == 'load':
            q = self.register()
            code.append(('load', q, v))
            say(f'r[{q}] = x[{v}];')
        elif kind == 'store':
            code.append(('store', v, ('constant', k)))
            say(f'x[{v}] = {k};')
        elif kind == 'store_seen':
            q = draw.randrange(self.registers)
            code.append(('store', v, ('register', q, k)))
            say(f'x[{v}] = r[{q}] + {k};')
        elif kind == 'add':
            q = self.register()
            code.append(('add', q, v, k))
            say(f'r[{q}] = atomic_fetch_add(&x[{v}], {k});')
        elif kind == 'exchange':
            q = self.register()
            code.append(('exchange', q, v, ('constant', k)))
            say(f'r[{q}] = atomic_exchange(&x[{v}], {k});')
        elif kind == 'swap':
            done, seen, old = self.register(), self.register(), draw.randint(0, 2)
            code += [('swap', done, seen, v, ('constant', old), ('constant', k))]
            say(f'{{ int e = {old}; r[{done}] = atomic_compare_exchange_strong(&x[{v}], &e, {k}); r[{seen}] = e; }}')
        elif kind in ('retry', 'retry_set', 'count'):
            q, done, n = self.register(), self.register(), self.register() if kind == 'count' else None
            new, words = (('constant', k), f'{k}') if kind == 'retry_set' else (('register', q, k), f'o + {k}')
            unseen = self.register()
            if n is not None:
                code.append(('copy', n, ('register', n, 1)))
            code += [('load', q, v), ('swap', done, unseen, v, ('register', q, 0), new), ('jump_unless', done, head)]
            code.append(('copy', unseen, ('constant', 0)))
            counting = f'r[{n}]++; ' if n is not None else ''
            say(f'for (int e, o;;) {{ {counting}o = e = x[{v}]; '
                f'if (!atomic_compare_exchange_strong(&x[{v}], &e, {words})) continue; '
                f'r[{q}] = o; r[{done}] = 1; break; }}')
        elif kind == 'collect':  # twice the same: what was read in between belongs to it
            a, b, c, same = (self.register() for _ in range(4))
            code += [('load', a, v), ('load', b, u), ('load', c, v), ('differ', same, a, c), ('jump_if', same, head)]
            say(f'for (int p, q;;) {{ p = x[{v}]; q = x[{u}]; if (p != x[{v}]) continue; r[{a}] = p; r[{b}] = q; '
                f'r[{c}] = p; break; }}')
        elif kind == 'publish':  # reads two, checks, swaps the first for what it has made of the second
            a, b, c, other, done, unseen = (self.register() for _ in range(6))
            code += [('load', a, v), ('load', b, u), ('load', c, v), ('differ', other, a, c), ('jump_if', other, head),
                     ('swap', done, unseen, v, ('register', a, 0), ('register', b, k)), ('jump_unless', done, head),
                     ('copy', unseen, ('constant', 0))]
            say(f'for (int p, q, e;;) {{ p = x[{v}]; q = x[{u}]; if (p != x[{v}]) continue; e = p; '
                f'if (!atomic_compare_exchange_strong(&x[{v}], &e, q + {k})) continue; '
                f'r[{a}] = p; r[{b}] = q; r[{c}] = p; r[{done}] = 1; break; }}')
        elif kind == 'take':  # like a pop: nothing there, or one less
            q, done, unseen = self.register(), self.register(), self.register()
            code += [('load', q, v), None, ('swap', done, unseen, v, ('register', q, 0), ('register', q, -1)),
                     ('jump_unless', done, head)]
            code[head + 1] = ('jump_unless', q, len(code))
            code += [('copy', unseen, ('constant', 0))]
            say(f'for (int p, e;;) {{ p = e = x[{v}]; r[{q}] = p; if (!p) {{ r[{done}] = 0; break; }} '
                f'if (atomic_compare_exchange_strong(&x[{v}], &e, p - 1)) {{ r[{done}] = 1; break; }} }}')
        elif kind == 'give_up':
            q, done, unseen, fix = self.register(), self.register(), self.register(), []
            for _ in range(2):
                code += [('load', q, v), ('swap', done, unseen, v, ('register', q, 0), ('register', q, k)), None]
                fix.append(len(code) - 1)
            for i in fix:
                code[i] = ('jump_if', done, len(code))
            code.append(('copy', unseen, ('constant', 0)))
            say(f'for (int i = 0; i < 2; i++) {{ int p = x[{v}], e = p; r[{q}] = p; '
                f'if ((r[{done}] = atomic_compare_exchange_strong(&x[{v}], &e, p + {k}))) break; }}')

    def result(self, registers):
        return sum(x * 7 ** i for i, x in enumerate(registers))

    def source(self):
        n = max(1, self.registers)
        total = ''.join(f' + r[{i}] * {7 ** i}L' for i in range(self.registers))
        return (f'PLUMB_OP({self.name}) {{\n    long r[{n}] = {{0}};\n    ' + '\n    '.join(self.text) +
                '\n    return plumb_int(0' + total + ');\n}\n')


class Running:
    """Interleavings of threads of operations, in the way of model.Program with one more instruction."""

    def __init__(self, threads):
        self.threads = threads
        self.number = {}
        for t, ops in enumerate(threads):
            for j in range(len(ops)):
                self.number[t, j] = len(self.number)

    def begin(self, t, j):
        op = self.threads[t][j]
        r = [0] * op.registers
        return run_locals(op.code, 0, r), tuple(r)

    def step(self, op, pc, registers, memory):
        """One step: (pc, registers, memory)."""
        r, m = list(registers), list(memory)
        i = op.code[pc]
        if i[0] == 'load':
            r[i[1]] = m[i[2]]
        elif i[0] == 'store':
            m[i[1]] = i[2][1] if i[2][0] == 'constant' else r[i[2][1]] + i[2][2]
        elif i[0] in ('add', 'exchange'):
            r[i[1]] = m[i[2]]
            m[i[2]] = m[i[2]] + i[3] if i[0] == 'add' else i[3][1]
        elif i[0] == 'swap':
            _, done, seen, v, old, new = i
            made = new[1] if new[0] == 'constant' else r[new[1]] + new[2]
            r[done], was = int(m[v] == (old[1] if old[0] == 'constant' else r[old[1]] + old[2])), m[v]
            r[seen] = was
            if r[done]:
                m[v] = made
        return run_locals(op.code, pc + 1, r), tuple(r), tuple(m)

    def explore(self):
        """Results with the order of the operations, and the memories of moments without a running operation."""
        first = (tuple((0, *self.begin(t, 0), False) for t in range(len(self.threads))), (0,) * PLACES, frozenset(),
                 frozenset())
        seen, todo, histories, calm = {first}, [first], set(), set()
        while todo:
            threads, memory, results, order = todo.pop()
            if not any(started for *_, started in threads):
                calm.add(memory)
            if all(j == len(ops) for (j, *_), ops in zip(threads, self.threads)):
                histories.add((tuple(sorted(results)), order))
            for t, (j, pc, r, started) in enumerate(threads):
                if j == len(self.threads[t]):
                    continue
                op, me = self.threads[t][j], self.number[t, j]
                now = order if started else order | {(a, me) for a, _ in results}
                pc2, r2, m2 = self.step(op, pc, r, memory)
                if op.code[pc2][0] == 'end':
                    done = results | {(me, op.result(r2))}
                    more = j + 1 < len(self.threads[t])
                    new = (j + 1, *(self.begin(t, j + 1) if more else (0, ())), False)
                else:
                    done, new = results, (j, pc2, r2, True)
                n = (threads[:t] + (new,) + threads[t + 1:], m2, done, now)
                if n in seen:
                    continue
                if len(seen) > STATES_MOST or max(m2) > 12:
                    raise TooLarge
                seen.add(n)
                todo.append(n)
        return histories, calm

    def serial(self, order):
        memory, results, at = (0,) * PLACES, [], {n: tj for tj, n in self.number.items()}
        for n in order:
            t, j = at[n]
            op = self.threads[t][j]
            pc, r = self.begin(t, j)
            while op.code[pc][0] != 'end':
                pc, r, memory = self.step(op, pc, r, memory)
            results.append((n, op.result(r)))
        return tuple(sorted(results))

    def orders(self):
        for p in itertools.permutations(range(len(self.number))):
            at = {n: i for i, n in enumerate(p)}
            if all(at[self.number[t, j]] < at[self.number[t, j + 1]]
                   for t, ops in enumerate(self.threads) for j in range(len(ops) - 1)):
                yield p

    def is_wrong(self, histories):
        serial = [({n: i for i, n in enumerate(p)}, self.serial(p)) for p in self.orders()]
        return any(not any(results == s and all(at[a] < at[b] for a, b in order) for at, s in serial)
                   for results, order in histories)


def run_locals(code, pc, r):
    while code[pc][0] in ('jump_if', 'jump_unless', 'copy', 'differ'):
        i = code[pc]
        pc += 1
        if i[0] == 'copy':
            r[i[1]] = i[2][1] if i[2][0] == 'constant' else r[i[2][1]] + i[2][2]
        elif i[0] == 'differ':
            r[i[1]] = int(r[i[2]] != r[i[3]])
        elif bool(r[i[1]]) == (i[0] == 'jump_if'):
            pc = i[2]
    return pc


class Case:
    def __init__(self, threads, invariant, way):
        self.running, self.threads, self.invariant, self.way = Running(threads), threads, invariant, way

    def program(self):
        return ' | '.join(' '.join(op.name for op in ops) for ops in self.threads)

    def options(self):
        return (['--object', 'none'] if self.invariant else ['--serial']) + ['--program', self.program(), *self.way]

    def judge(self, code, out, err):
        if code == 124 or code >= 64:
            return f'exit {code} {err[:200]}', False
        try:
            histories, calm = self.running.explore()
        except TooLarge:
            return None, None
        wrong = any(m == self.invariant for m in calm) if self.invariant else self.running.is_wrong(histories)
        claimed = re.search(r'^covered: every interleaving(?! with at most)', out, re.M) is not None
        if code == 1 and not wrong:
            return f'a false alarm: {out.splitlines()[0]}', claimed
        if code == 0 and wrong and claimed:
            return 'missed, and every interleaving was claimed', claimed
        return None, claimed


class Test:
    """Half of them have an invariant: that the places never hold these values while no operation is running."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.operations = [Operation(f'op{i}', self.draw) for i in range(6)]
        self.invariant = tuple(self.draw.randint(0, 3) for _ in range(PLACES)) if seed % 2 else None
        if self.invariant == (0,) * PLACES:
            self.invariant = (0, 1)

    def write(self, path):
        with open(path, 'w') as f:
            f.write('#include <plumbline/test.h>\n#include <stdatomic.h>\n' + f'static atomic_int x[{PLACES}];\n')
            f.write(''.join(op.source() for op in self.operations))
            if self.invariant:
                f.write('PLUMB_INVARIANT { return !(' +
                        ' && '.join(f'x[{i}] == {v}' for i, v in enumerate(self.invariant)) + '); }\n')

    def cases(self, most):
        ways = ([], ['-s', 'dpor'], ['-s', 'bounded'], ['-s', 'dpor', '--assume-nothing'], ['-j', '2'])
        for n in range(CASES):
            threads = [[self.draw.choice(self.operations) for _ in range(self.draw.randint(1, 2))]
                       for _ in range(self.draw.choice((2, 2, 3)))]
            if sum(map(len, threads)) <= 4 and most > 0:
                most -= 1
                yield Case(threads, self.invariant, ways[n % len(ways)])
