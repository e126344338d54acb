"""Random programs with a main of their own: is every outcome found that there is, none that there is not, and is a
program that gets stuck said to?

Each is C text and, beside it, the same as data for model.py. What a run of the explorer saw is what the program wrote.
"""
import random
import re

from model import Program, TooLarge

STATEMENTS = ('load store store add exchange swap retry retry_again count give_up_3 give_up_40 until if lock lock try '
              'timed clock clock await notify kill').split()

HEAD = '''#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
static void *(*body[8])(void *);
static pthread_t t[8];
static void all(int n) {
    for (int i = 0; i < n; i++) pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < n; i++) pthread_join(t[i], NULL);
}
'''


class Maker:
    """One program of number `seed`: text and data side by side."""

    def __init__(self, seed):
        self.seed, self.draw, self.known = seed, random.Random(seed), None
        draw = self.draw
        self.places, self.locks = draw.randint(1, 3), draw.randint(1, 2)
        self.initial = [draw.choice((0, 0, 1)) for _ in range(self.places)]
        # a few ingredients each: what everything is in is too large to enumerate
        self.menu = [draw.choice(STATEMENTS) for _ in range(draw.randint(2, 6))]
        if 'kill' in self.menu:  # that a signal comes while a thread waits for a condition is not explored, and said
            self.menu = [x for x in self.menu if x not in ('await', 'notify')]
        self.handler = draw.randrange(self.places), draw.randrange(self.places), draw.randint(1, 2)
        self.threads = []
        self.features = set()
        for t in range(draw.choice((2, 2, 2, 3))):
            self.number = t
            self.code, self.text, self.registers, self.clocks = [], [], 0, []
            for _ in range(draw.randint(1, 4)):
                self.statement(0, frozenset())
            self.code.append(('end',))
            self.threads.append((self.code, self.text, self.registers, self.clocks))
        for code, _, registers, _ in self.threads if 'kill' in self.features else ():
            a, b, k = self.handler
            code[-1:] = [('finish',), ('end',), ('load', registers, b), ('store', a, ('register', registers, k)),
                         ('return',)]

    def program(self):
        # one register more, for handlers
        return Program([t[0] for t in self.threads], [t[2] + 1 for t in self.threads], self.initial, self.locks)

    def enumerate(self):
        """(every outcome there is, can it get stuck?); None: it is too large."""
        if self.known is None:
            try:
                finals, stuck = self.program().explore()
                self.known = {self.outcome(s) for s in finals}, stuck
            except TooLarge:
                self.known = ()
        return self.known or None

    def register(self):
        self.registers += 1
        return self.registers - 1

    def place(self, v):
        return f'v{self.seed}[{v}]'

    def expression(self):
        draw = self.draw
        free = [q for q in range(self.registers) if q not in self.clocks]
        if free and draw.random() < .5:
            q, more = draw.choice(free), draw.randint(0, 1)
            return f'r[{q}] + {more}', ('register', q, more)
        k = draw.randint(1, 3)
        return str(k), ('constant', k)

    def statement(self, depth, held):
        draw = self.draw
        kind = draw.choice(self.menu)
        v, k = draw.randrange(self.places), draw.randint(1, 2)
        at, code, say = self.place(v), self.code, self.text.append
        if kind in ('load', 'store') or (kind in ('if', 'lock', 'try', 'timed', 'await', 'notify') and depth):
            if draw.random() < .5 or kind == 'load':
                q = self.register()
                code.append(('load', q, v))
                say(f'r[{q}] = {at};')
            else:
                words, what = self.expression()
                code.append(('store', v, what))
                say(f'{at} = {words};')
        elif kind == 'add':
            q = self.register()
            code.append(('add', q, v, k))
            say(f'r[{q}] = atomic_fetch_add(&{at}, {k});')
        elif kind == 'exchange':
            words, what = self.expression()
            q = self.register()
            code.append(('exchange', q, v, what))
            say(f'r[{q}] = atomic_exchange(&{at}, {words});')
        elif kind == 'swap':
            words, what = self.expression()
            done, seen, old = self.register(), self.register(), draw.randint(0, 2)
            code.append(('swap', done, seen, v, ('constant', old), what))
            say(f'{{ int e = {old}; r[{done}] = atomic_compare_exchange_strong(&{at}, &e, {words}); r[{seen}] = e; }}')
        elif kind == 'retry':  # loads anew each time
            q, done, seen, head = self.register(), self.register(), self.register(), len(code)
            code += [('load', q, v), ('swap', done, seen, v, ('register', q, 0), ('register', q, k)),
                     ('jump_unless', done, head)]
            say(f'do {{ int e = r[{q}] = {at}; '
                f'r[{done}] = atomic_compare_exchange_strong(&{at}, &e, e + {k}); '
                f'r[{seen}] = e; }} while (!r[{done}]);')
        elif kind == 'retry_again':  # goes on with what the failure told
            q, done = self.register(), self.register()
            code.append(('load', q, v))
            head = len(code)
            code += [('swap', done, q, v, ('register', q, 0), ('register', q, k)), ('jump_unless', done, head)]
            say(f'{{ int e = {at}; while (!atomic_compare_exchange_strong(&{at}, &e, e + {k})) {{}} '
                f'r[{q}] = e; r[{done}] = 1; }}')
        elif kind == 'count':  # remembers how often it failed: not pure
            q, done, seen, n, head = (*(self.register() for _ in range(4)), len(code))
            code += [('copy', n, ('register', n, 1)), ('load', q, v),
                     ('swap', done, seen, v, ('register', q, 0), ('register', q, k)), ('jump_unless', done, head)]
            say(f'do {{ r[{n}]++; int e = r[{q}] = {at}; '
                f'r[{done}] = atomic_compare_exchange_strong(&{at}, &e, e + {k}); '
                f'r[{seen}] = e; }} while (!r[{done}]);')
        elif kind.startswith('give_up'):
            looks, q, found = int(kind[8:]), self.register(), self.register()
            fix = []
            for _ in range(looks):
                code += [('load', q, v), ('equal', found, q, k), None]
                fix.append(len(code) - 1)
            for i in fix:
                code[i] = ('jump_if', found, len(code))
            say(f'for (int i = 0; i < {looks}; i++) {{ r[{q}] = {at}; if ((r[{found}] = r[{q}] == {k})) break; }}')
        elif kind == 'until':
            q = self.register()
            code.append(('until', q, v))
            say(f'while (!(r[{q}] = {at})) {{}}')
        elif kind == 'kill':  # only threads that are there for sure: those before it
            if not self.number:
                return
            u = draw.randrange(self.number)
            code.append(('kill', u))
            say(f'pthread_kill(t[{u}], SIGUSR1);')
        elif kind == 'clock':
            q = self.register()
            self.clocks.append(q)
            code.append(('clock', q))
            say(f'r[{q}] = now();')
        elif kind == 'if':
            free = [q for q in range(self.registers) if q not in self.clocks]
            if not free:
                return
            q, c = draw.choice(free), self.register()
            code += [('equal', c, q, draw.randint(0, 2)), None]
            fix = len(code) - 1
            say(f'if ((r[{c}] = r[{q}] == {code[fix - 1][3]})) {{')
            for _ in range(draw.randint(1, 2)):
                self.statement(depth + 1, held)
            say('}')
            code[fix] = ('jump_unless', c, len(code))
        elif kind in ('lock', 'try', 'timed'):
            m = draw.randrange(self.locks)
            if m in held:
                return
            lock = f'm{self.seed}[{m}]'
            fix = None
            if kind == 'lock':
                code.append(('lock', m))
                say(f'pthread_mutex_lock(&{lock}); {{')
            else:
                q = self.register()
                code += [(kind, q, m), None]
                fix = len(code) - 1
                call = f'trylock(&{lock})' if kind == 'try' else f'timedlock(&{lock}, &(struct timespec){{0}})'
                say(f'if ((r[{q}] = !pthread_mutex_{call})) {{')
            for _ in range(draw.randint(1, 2)):
                self.statement(depth + 1, held | {m})
            code.append(('unlock', m))
            say(f'pthread_mutex_unlock(&{lock}); }}')
            if fix is not None:
                code[fix] = ('jump_unless', q, len(code))
        elif kind == 'await':
            q, head = self.register(), len(code) + 1
            code += [('lock', 0), ('load', q, v), None, ('wait', 0), ('jump', head)]
            code[head + 1] = ('jump_if', q, len(code))
            code.append(('unlock', 0))
            say(f'pthread_mutex_lock(&m{self.seed}[0]); while (!(r[{q}] = {at})) '
                f'pthread_cond_wait(&c{self.seed}, &m{self.seed}[0]); pthread_mutex_unlock(&m{self.seed}[0]);')
        elif kind == 'notify':
            how = draw.choice(('one', 'all'))
            code += [('lock', 0), ('store', v, ('constant', k)), ('unlock', 0), ('signal', how)]
            say(f'pthread_mutex_lock(&m{self.seed}[0]); {at} = {k}; pthread_mutex_unlock(&m{self.seed}[0]); '
                f'pthread_cond_{"broadcast" if how == "all" else "signal"}(&c{self.seed});')
        self.features.add(kind)

    def source(self):
        s, n = self.seed, len(self.threads)
        out = [f'static atomic_int v{s}[{self.places}] = {{{", ".join(map(str, self.initial))}}};',
               f'static pthread_mutex_t m{s}[2] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};',
               f'static pthread_cond_t c{s} = PTHREAD_COND_INITIALIZER;',
               f'static long o{s}[{n}][{max(1, *(t[2] for t in self.threads))}];']
        for t, (_, text, registers, _) in enumerate(self.threads):
            out.append(f'static void *t{s}_{t}(void *p) {{\n    long r[{max(1, registers)}] = {{0}};\n    ' +
                       '\n    '.join(text) +
                       f'\n    for (int i = 0; i < {registers}; i++) o{s}[{t}][i] = r[i];\n    return p;\n}}')
        if 'kill' in self.features:
            a, b, k = self.handler
            out.append(f'static void h{s}(int n) {{ int e = {self.place(b)}; {self.place(a)} = e + {k}; (void)n; }}')
        out.append(f'static void p{s}(void) {{\n    char line[1024];\n    int n = sprintf(line, "OUT");')
        out += [f'    body[{t}] = t{s}_{t};' for t in range(n)]
        if 'kill' in self.features:
            out.append(f'    signal(SIGUSR1, h{s});')
        out.append(f'    all({n});')
        for t, (_, _, registers, clocks) in enumerate(self.threads):
            out += [f'    n += sprintf(line + n, " %ld", o{s}[{t}][{q}]);' for q in range(registers) if q not in clocks]
        out += [f'    n += sprintf(line + n, " %d", {self.place(v)});' for v in range(self.places)]
        for (t, q), (u, w) in self.clock_pairs():
            a, b = f'o{s}[{t}][{q}]', f'o{s}[{u}][{w}]'
            out.append(f'    n += sprintf(line + n, " %d", ({a} > {b}) - ({a} < {b}));')
        # in one piece: several processes write to the same place
        out.append('    line[n++] = \'\\n\';\n    if (write(2, line, n)) {}\n}')
        return '\n'.join(out)

    def clock_pairs(self):
        all_looks = [(t, q) for t, x in enumerate(self.threads) for q in x[3]]
        return [(a, b) for i, a in enumerate(all_looks) for b in all_looks[:i]]

    def outcome(self, state):
        out = []
        for t, (_, _, registers, clocks) in enumerate(self.threads):
            out += [state.threads[t].registers[q] for q in range(registers) if q not in clocks]
        out += state.memory
        for (t, q), (u, w) in self.clock_pairs():
            a, b = state.threads[t].registers[q], state.threads[u].registers[w]
            out.append((a > b) - (a < b))
        return tuple(out)


def write_source(makers, path):
    with open(path, 'w') as f:
        f.write(HEAD + '\n'.join(m.source() for m in makers))
        f.write('\nint main(int argc, char **argv) {\n    switch (argc > 1 ? atoi(argv[1]) : 0) {\n')
        f.write(''.join(f'    case {m.seed}: p{m.seed}(); break;\n' for m in makers) + '    }\n    return 0;\n}\n')


STUCK = re.compile(r'deadlock|livelock')
CLOCKS_ONLY = re.compile(r'^covered: all interleavings within limits; [\d,]+ looks? at the clock could have seen '
                         r'(other times|another time)$', re.M)
LOOKS_WITH_TIME = 6  # of one thread, one after the other: after that time may stand still for it


def due(maker, expected, out):
    """The outcomes that have to be seen, and whether everything was claimed. Where the only limit is what clocks said,
    those in which no two looks see the same time are due: that time passes is always tried."""
    if re.search(r'^covered: every interleaving(?! with at most)', out, re.M):
        return expected, True
    if not CLOCKS_ONLY.search(out) or any(len(t[3]) > LOOKS_WITH_TIME for t in maker.threads):
        return set(), False
    pairs = len(maker.clock_pairs())
    return {o for o in expected if 0 not in o[len(o) - pairs:]}, False


def judge(maker, code, out, err):
    """(what is wrong or None, was everything claimed?), of a program that can be enumerated."""
    expected, stuck = maker.enumerate()
    seen = {tuple(map(int, line.split()[1:])) for line in err.splitlines() if line.startswith('OUT')}
    needed, claimed = due(maker, expected, out)
    first = out.splitlines()[0] if out else ''
    if seen - expected:
        return f'an outcome that there is not: {sorted(seen - expected)[:2]}', claimed
    if code == 1 and not (stuck and STUCK.search(first)):
        return f'a false alarm: {first}', claimed
    if code == 0 and stuck and claimed:
        return 'it can get stuck, and every interleaving was claimed', claimed
    if code == 0 and needed - seen:
        return f'missed {len(needed - seen)} of {len(needed)}: {sorted(needed - seen)[:2]}', claimed
    if code not in (0, 1, 2):
        return f'exit {code}', claimed
    return None, claimed
