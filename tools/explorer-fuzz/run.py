#!/usr/bin/env python3
"""Random programs against brute force: what `plumb explore` claims is held against every execution there is.

    run.py KIND [--seed N] [--count N] [--seconds T] [--plumb PATH] [--keep DIRECTORY]

KIND  programs    threads, locks, conditions, time-outs, clocks, counted and endless loops, with a main of their own
      operations  operations, alone and with an invariant, compared with their serial runs
      mutants     the corpus with a change somewhere: with and without reductions the answer is the same

Exit 0: no finding. A finding is printed with its seed, and its source is kept.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutants  # noqa: E402
import operations  # noqa: E402
import programs  # noqa: E402

# a batch is one compilation; what needs more executions than this claims nothing, and costs more than it tells
BATCH, EXECUTIONS_MOST, FINDINGS_MOST = 50, '20000', 10
FLAGS = (['-O1'], ['-O2'], ['-O0'])


class Bench:
    def __init__(self, options):
        self.o = options
        self.folder = tempfile.mkdtemp(prefix='explorer-fuzz')
        self.began = time.time()
        self.runs = self.claimed = self.skipped = self.findings = 0

    def over(self):
        return self.findings >= FINDINGS_MOST or self.o.seconds and time.time() - self.began > self.o.seconds

    def compile(self, source, flags):
        binary = source.rsplit('.', 1)[0]
        r = subprocess.run([self.o.plumb, 'cc', '-g', '-w', *flags, source, '-o', binary, '-pthread'],
                           capture_output=True, text=True)
        if r.returncode:
            return None
        return binary

    def explore(self, binary, options, arguments=(), seconds=10, executions=EXECUTIONS_MOST):
        schedule = os.path.join(self.folder, 'schedule')
        for old in glob.glob(schedule + '*'):  # what failed before would be tried first
            os.remove(old)
        command = [self.o.plumb, 'explore', binary, '-q', '--color', 'never', '-t', str(seconds),
                   '--schedule', schedule, '--executions', executions,
                   *([] if '-j' in options else ['-j', '1']), *options,
                   *(['--', *arguments] if arguments else [])]
        try:
            r = subprocess.run(command, capture_output=True, timeout=90, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return 124, '', ''
        return r.returncode, r.stdout.decode(errors='replace'), r.stderr.decode(errors='replace')

    def count(self, claimed):
        self.runs += 1
        self.claimed += bool(claimed)
        self.skipped += claimed is None
        if self.runs % 1000 == 0:
            self.tell()

    def finding(self, what, source, how):
        self.findings += 1
        kept = ''
        if self.o.keep:
            os.makedirs(self.o.keep, exist_ok=True)
            kept = shutil.copy(source, self.o.keep)
        print(f'FINDING {what} ({how}) {kept}', flush=True)

    def tell(self):
        print(f'{self.o.kind}: {self.runs} runs, {self.claimed} of which claimed everything, {self.skipped} too large, '
              f'{self.findings} findings, {time.time() - self.began:.0f} s', flush=True)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.tell()
        return 1 if self.findings else 0


def batches(bench):
    """Lists of so many programs that are small enough to be enumerated, which is known before anything is compiled."""
    seed, left = bench.o.seed, bench.o.count
    while left > 0:
        batch = []
        while len(batch) < min(left, BATCH):
            maker = programs.Maker(seed)
            if maker.enumerate():
                batch.append(maker)
            else:
                bench.skipped += 1
            seed += 1
        left -= len(batch)
        yield batch


def run_programs(bench):
    ways = ([], ['-s', 'dpor'], ['-s', 'dpor', '--assume-nothing'], ['-s', 'bounded', '-p', '3'], ['-j', '2'],
            ['-j', '3', '-s', 'dpor'], ['-s', 'dfs'])
    for n, makers in enumerate(batches(bench)):
        if bench.over():
            break
        flags = FLAGS[n % len(FLAGS)]
        source = f'{bench.folder}/p{makers[0].seed}.c'
        programs.write_source(makers, source)
        binary = bench.compile(source, flags)
        if not binary:
            bench.finding('does not compile', source, flags)
            continue
        for m in makers:
            way = ways[m.seed % len(ways)]
            wrong, claimed = programs.judge(m, *bench.explore(binary, way, [str(m.seed)]))
            bench.count(claimed)
            if wrong:
                bench.finding(f'program {m.seed}: {wrong}', source, f'{" ".join(way)} {" ".join(flags)}')
        os.remove(source)
        os.remove(binary)


def run_operations(bench):
    seed = bench.o.seed
    while bench.runs < bench.o.count and not bench.over():
        flags = FLAGS[seed % len(FLAGS)]
        test = operations.Test(seed)
        source = f'{bench.folder}/o{seed}_test.c'
        test.write(source)
        binary = bench.compile(source, flags)
        if not binary:
            bench.finding('does not compile', source, flags)
            break
        for case in test.cases(bench.o.count - bench.runs):
            wrong, claimed = case.judge(*bench.explore(binary, case.options()))
            bench.count(claimed)
            if wrong:
                bench.finding(f'operations {seed}, {case.program()}: {wrong}', source,
                              f'{" ".join(case.options())} {" ".join(flags)}')
        os.remove(source)
        os.remove(binary)
        seed += 1


def run_mutants(bench):
    seed = bench.o.seed
    while bench.runs < bench.o.count and not bench.over():
        mutant = mutants.make(seed, bench.folder)
        seed += 1
        if not mutant:
            continue
        source, about, tests = mutant
        # a variable that a mutant forgot to set is no finding: it is zero
        binary = bench.compile(source, ['-O1', '-ftrivial-auto-var-init=zero', '-I', mutants.CORPUS])
        if not binary:
            continue
        for test in tests[:bench.o.count - bench.runs]:
            answers = {way: bench.explore(binary, way.split() + ['--program', test], seconds=1,
                                          executions=mutants.EXECUTIONS_MOST) for way in mutants.WAYS}
            wrong, claimed = mutants.judge(answers)
            bench.count(claimed)
            if wrong:
                bench.finding(f'mutant {seed - 1}, {about}, [{test}]: {wrong}', source, '')
        os.remove(binary)
        os.remove(source)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('kind', choices=('programs', 'operations', 'mutants'))
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--count', type=int, default=20000)
    p.add_argument('--seconds', type=float, default=0)
    p.add_argument('--plumb', default=os.environ.get('PLUMB', 'build/plumb'))
    p.add_argument('--keep', help='where sources of findings go')
    bench = Bench(p.parse_args())
    bench.o.plumb = os.path.abspath(bench.o.plumb)
    {'programs': run_programs, 'operations': run_operations, 'mutants': run_mutants}[bench.o.kind](bench)
    return bench.close()


if __name__ == '__main__':
    sys.exit(main())
