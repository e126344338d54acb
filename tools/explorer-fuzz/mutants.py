"""The corpus with a change somewhere: what reductions and proofs of loops leave out must not change the answer.

A mutant is explored as it is by default with dpor, without trusting anything, and with a bound on preemptions. Two
answers that contradict each other are a finding.
"""
import os
import random
import re

CORPUS = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'corpus'))
WAYS = ('-s dpor', '-s dpor --assume-nothing', '-s bounded -p 2', '')
EXECUTIONS_MOST = '3000'  # of test programs of one or two operations a thread
FILES = ('michael_scott_queue.c treiber_stack.c two_lock_queue.c lazy_set.c optimistic_set.c lock_coupling_set.c '
         'mpmc_ring.c spsc_ring.c seqlock_register.c harris_michael_set.c elimination_stack.c chase_lev_deque.c '
         'give_up_stack.c').split()


def drop(line, draw):
    return '' if line.strip().endswith(';') and '=' in line and 'static' not in line else line


def swap_words(a, b):
    def change(line, draw):
        if a in line:
            return line.replace(a, b, 1)
        return line.replace(b, a, 1)
    return change


def invert(line, draw):
    return re.sub(r'\bif \((.*)\) ', r'if (!(\1)) ', line, count=1) if line.count('(') < 6 else line


def weaken_swap(line, draw):
    """A compare-and-swap becomes a plain store that always succeeds."""
    return re.sub(r'atomic_compare_exchange_(strong|weak)\((&?[^,]+), [^,]+, ([^()]+)\)',
                  r'(atomic_store(\2, \3), 1)', line, count=1)


def unlock_nothing(line, draw):
    return re.sub(r'pthread_mutex_(un)?lock\([^;]*\);', '', line, count=1)


CHANGES = (drop, swap_words('head', 'tail'), swap_words('next', 'value'), swap_words('==', '!='),
           swap_words('&&', '||'), swap_words('+ 1', '- 1'), swap_words('<', '<='), invert, weaken_swap, unlock_nothing)


def body_lines(lines):
    """Those of functions: not of declarations and tests."""
    return [i for i, line in enumerate(lines)
            if line.startswith('    ') and not line.strip().startswith(('//', '/*', '*', 'PLUMB_'))]


def small(test, most=2):
    """The test program with at most so many operations a thread: one that can be exhausted without any reduction."""
    parts = re.split(r'\s*([|:])\s*', test)
    calls = [re.findall(r'[^\s(]+(?:\([^)]*\))?', part) for part in parts[::2]]
    out = [' '.join(c[:most]) for c in calls]
    return ''.join(a + (f' {b} ' if b else '') for a, b in zip(out, parts[1::2] + ['']))


def make(seed, folder):
    """(path, what was changed, test programs) or None."""
    draw = random.Random(seed)
    name = draw.choice(FILES)
    with open(os.path.join(CORPUS, name)) as f:
        lines = f.read().split('\n')
    tests = re.findall(r'PLUMB_THREADS\("([^"]*)"\)', '\n'.join(lines))
    for _ in range(60):
        i = draw.choice(body_lines(lines))
        changed = draw.choice(CHANGES)(lines[i], draw)
        if changed == lines[i]:
            continue
        about = f'{name}:{i + 1}: {lines[i].strip()} => {changed.strip()}'
        path = os.path.join(folder, f'm{seed}_{name}')
        with open(path, 'w') as f:
            f.write('\n'.join(lines[:i] + [changed] + lines[i + 1:]))
        return (path, about, [small(test, draw.choice((1, 2))) for test in tests[:2]]) if tests else None
    return None


def answer(code, out):
    if code == 1:
        return 'wrong'
    if code == 0 and re.search(r'^covered: every interleaving(?! with at most)', out, re.M):
        return 'right'
    return 'unknown'


def judge(answers):
    """(what is wrong or None, was everything claimed?)"""
    said = {way or 'auto': answer(code, out) for way, (code, out, _) in answers.items()}
    broken = [way for way, (code, _, err) in answers.items() if code not in (0, 1, 2, 124)]
    if broken:
        return f'exit {answers[broken[0]][0]} ({broken[0]}): {answers[broken[0]][2][:200]}', False
    if 'wrong' in said.values() and 'right' in said.values():
        return f'answers that contradict each other: {said}', True
    return None, 'right' in said.values()
