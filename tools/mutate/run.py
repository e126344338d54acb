#!/usr/bin/env python3
"""Changes our own sources in small ways, one at a time, and looks whether the tests notice.

    tools/mutate/run.py FILE...                         every mutant of these sources
    tools/mutate/run.py --changed [REV]                 of the sources changed since REV (HEAD)
    tools/mutate/run.py --room format --count 200       random ones of a room; --seed S for the same ones again
    tools/mutate/run.py --alone FILE.c TEST.c           of one source that is compiled with one test program

Mutants are operators exchanged, constants one more or less, conditions negated or always true or false, statements
dropped (points.py). Each is compiled beside a build directory and run with the tests that mirror its source, then the
others of its room (tests.txt adds some); the first that fails, or takes several times as long, kills it. Those that
survive are run once more with sanitizers. A mutant whose object code is the original's, or another mutant's, does not
count.
Survivors that are in explained.txt have been looked at. The rest is printed with its diff.
Exit 0: at most --limit percent (10) survive unexplained; 1: more; 70: the sources do not build or pass as they are.
"""
import argparse
import difflib
import fnmatch
import glob
import os
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # nothing is left in the tree

import explained
from alone import Alone
from points import mutants_of
from workshop import Trouble, Workshop

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def say(text):
    print(text, flush=True)


class Result:
    def __init__(self, number, name, text, mutant):
        self.number, self.name, self.mutant = number, name, mutant
        self.line = text.count("\n", 0, mutant.start) + 1
        mutated = mutant.apply(text)
        self.text = mutated
        self.before, self.after = text.split("\n")[self.line - 1], mutated.split("\n")[self.line - 1]
        self.diff = [d for d in difflib.unified_diff(text.split("\n"), mutated.split("\n"), lineterm="", n=0)][3:]
        self.fate, self.by, self.why = None, None, None

    def show(self, title):
        say(f"{title} {self.name}:{self.line} ({self.mutant.kind})")
        for line in self.diff + ([f"because {self.why}"] if self.why else []):
            say("    " + line)


def mirror(name):
    """tests/a/b/test_c.c of src/a/b/c.c, as a program and as a script."""
    folder, stem = os.path.dirname(name).removeprefix("src/"), os.path.basename(name)[:-2]
    return "tests/" + folder.replace("/", "_") + "_test_" + stem, f"tests/{folder}/test_{stem}.sh"


def extra_tests(name):
    """Tests that tests.txt names for a source."""
    with open(os.path.join(HERE, "tests.txt")) as f:
        for line in f:
            words = line.split("#")[0].split()
            if words and fnmatch.fnmatch(name, words[0]):
                yield from words[1:]


def tests_of(name, workshop):
    """Tests that look at a source, in the order in which they are tried: its own, its folder's, its room's, scripts."""
    if workshop.only_test:
        return [workshop.only_test]
    folder = os.path.dirname(name).removeprefix("src/")
    room = folder.split("/")[0]
    built = (t for t in workshop.links if t.startswith("tests/") and "_test_" in t)
    programs = sorted(t for t in built if workshop.covers(name, t))
    scripts = sorted(os.path.relpath(s, ROOT) for s in glob.glob(f"{ROOT}/tests/{room}/**/test_*.sh", recursive=True))
    own = [t for t in mirror(name) if t in programs or t in scripts]
    near = [t for t in programs if t.startswith("tests/" + folder.replace("/", "_") + "_test_")]
    same_room = [t for t in programs if t.startswith("tests/" + room + "_")]
    extra = []
    for pattern in extra_tests(name):
        extra += [t for t in programs + [os.path.relpath(s, ROOT) for s in glob.glob(f"{ROOT}/tests/*/test_*.sh")]
                  if fnmatch.fnmatch(t, pattern)]
    return list(dict.fromkeys(own + near + same_room + extra + scripts))


def products(test, name, workshop):
    """What has to be linked for a test: itself, or for a script the command and the libraries that hold the source."""
    if not test.endswith(".sh"):
        return [test]
    return [t for t in workshop.links if (t == "plumb" or t.startswith("libplumbline")) and workshop.covers(name, t)]


class Measurement:
    """Mutants on their way through the tests."""

    def __init__(self, workshops, entries, arguments):
        self.workshops, self.entries, self.arguments = workshops, entries, arguments
        self.results, self.lock = [], threading.Lock()
        self.codes, self.tests, self.slow = {}, {}, set()
        self.waiting = queue.Queue()
        self.wanted, self.trouble, self.stopped, self.began = None, None, False, time.time()

    def counted(self):
        return sum(1 for r in self.results if r.fate in ("killed", "survived"))

    def is_new_code(self, name, code):
        with self.lock:
            known = self.codes.setdefault(name, set())
            if code in known:
                return False
            known.add(code)
            return True

    def chosen_tests(self, name, workshop, worker):
        """The tests of a source that pass without mutants and are not too slow: its own first, then the quick ones."""
        key = (name, workshop)
        with self.lock:
            if key in self.tests:
                return self.tests[key]
        chosen = []
        for test in tests_of(name, workshop):
            known = workshop.baseline(test, products(test, name, workshop), worker)
            if known and known[0] <= self.arguments.slow:
                chosen.append(test)
            elif known:
                with self.lock:
                    if test not in self.slow:
                        say(f"left out: {test} takes more than {self.arguments.slow:.0f} s of CPU (--slow)")
                    self.slow.add(test)
        if not chosen:
            raise Trouble(f"{name}: no test looks at it")
        own = mirror(name)
        chosen.sort(key=lambda t: (t not in own, t.endswith(".sh"), workshop.baselines[t][0]))
        with self.lock:
            self.tests[key] = chosen
        return chosen

    def try_tests(self, result, workshop, worker):
        """Runs the tests until one notices; what was linked for them goes away again."""
        linked = []
        try:
            tests = self.chosen_tests(result.name, workshop, worker)
            for test in tests:
                for product in products(test, result.name, workshop):
                    if product not in linked:
                        linked.append(product)
                        if not workshop.link(product, result.name, worker):
                            result.fate = "not compilable"
                            return True
                ended = workshop.notices(test, result.name, worker)
                if ended != "passed":
                    how = " (time)" if ended == "time-out" else " (sanitizers)" if workshop.flags else ""
                    result.fate, result.by = "killed", test + how
                    return True
            return False
        finally:
            for product in linked:
                workshop.unlink(product, worker)

    def judge(self, result, source, worker):
        first = self.workshops[0]
        original = first.original(result.name, source, worker)
        code = first.compile(result.name, result.text, worker)
        if code is None:
            result.fate = "not compilable"
        elif code == original:
            result.fate = "equivalent"
        elif not self.is_new_code(result.name, code):
            result.fate = "repeated"
        elif not self.try_tests(result, first, worker) and not self.try_others(result, source, worker):
            result.fate = "survived"

    def try_others(self, result, source, worker):
        for workshop in self.workshops[1:]:
            workshop.original(result.name, source, worker)
            if workshop.compile(result.name, result.text, worker) and self.try_tests(result, workshop, worker):
                return True
        return False

    def say_progress(self, result):
        counted = self.counted()
        if result.fate in ("killed", "survived") and counted % 20 == 0:
            killed = sum(r.fate == "killed" for r in self.results)
            say(f"... {counted} mutants, {killed} killed, {int(time.time() - self.began)} s")

    def work(self, worker):
        while True:
            with self.lock:
                if self.trouble or self.stopped or (self.wanted is not None and self.counted() >= self.wanted):
                    return
            try:
                number, (name, source, mutant) = self.waiting.get_nowait()
            except queue.Empty:
                return
            result = Result(number, name, source, mutant)
            try:
                self.judge(result, source, worker)
            except Trouble as trouble:
                self.trouble = trouble
                return
            with self.lock:
                self.results.append(result)
                self.say_progress(result)
                if result.fate == "survived":
                    result.why = explained.reason(self.entries, name, result.before, result.after)
                    result.show("explained:" if result.why is not None else "survived:")
                elif self.arguments.verbose:
                    result.show(f"{result.fate}{' by ' + result.by if result.by else ''}:")

    def run(self, points, wanted):
        self.wanted = wanted
        for number, point in enumerate(points):
            self.waiting.put((number, point))
        for number in (signal.SIGINT, signal.SIGTERM):  # the figures so far are printed
            signal.signal(number, self.stop)
        threads = [threading.Thread(target=self.work, args=(n,)) for n in range(self.arguments.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.trouble:
            raise self.trouble
        return self.first_wanted()

    def stop(self, *_):
        self.stopped = True

    def first_wanted(self):
        """The results up to the last wanted one in the order of the seed, however many workers there were."""
        chosen, counted = [], 0
        for result in sorted(self.results, key=lambda r: r.number):
            if self.wanted is not None and counted == self.wanted:
                break
            chosen.append(result)
            counted += result.fate in ("killed", "survived")
        return chosen


def sources_of_room(room):
    found = sorted(os.path.relpath(s, ROOT) for s in glob.glob(f"{ROOT}/src/{room}/**/*.c", recursive=True))
    if not found:
        raise SystemExit(f"mutate: there is no room {room}")
    return found


def changed_sources(revision):
    call = ["git", "diff", "--name-only", "--diff-filter=d", revision, "--", "src"]
    names = subprocess.run(call, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    return [n for n in names if n.endswith(".c")]


def summary(title, results, limit):
    """Prints the figures; true when few enough survive without a reason."""
    count = {fate: sum(r.fate == fate for r in results) for fate in
             ("killed", "survived", "equivalent", "repeated", "not compilable")}
    total = count["killed"] + count["survived"]
    without_reason = sum(r.fate == "survived" and r.why is None for r in results)
    by_time = sum(r.by is not None and r.by.endswith("(time)") for r in results)
    share = 100 * without_reason / total if total else 0
    say(f"{title}: {total} mutants, {count['killed']} killed ({by_time} by time), {count['survived']} survived "
        f"({count['survived'] - without_reason} explained), {share:.1f} % open; "
        f"not counted: {count['equivalent']} equivalent, {count['repeated']} repeated, "
        f"{count['not compilable']} not compilable")
    return total > 0 and share <= limit


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="REV")
    parser.add_argument("--room", metavar="NAME")
    parser.add_argument("--alone", nargs=2, metavar=("FILE", "TEST"))
    parser.add_argument("--count", type=int, metavar="N",
                        help="stop when N random mutants have been killed or have survived")
    parser.add_argument("--seed", type=int, metavar="S", help="which ones (default: the time)")
    parser.add_argument("--build", default="build/checked", metavar="DIR",
                        help="the build directory to take (build/checked)")
    parser.add_argument("--no-sanitizers", action="store_true", help="survivors are not run with sanitizers")
    parser.add_argument("--jobs", "-j", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--built", action="store_true", help="the build directories are up to date")
    parser.add_argument("--limit", type=float, default=10, metavar="PERCENT")
    parser.add_argument("--slow", type=float, default=30, metavar="S",
                        help="tests that take more CPU are left out (30)")
    parser.add_argument("--explained", default=os.path.join(HERE, "explained.txt"), metavar="LIST")
    parser.add_argument("--check-explained", action="store_true", help="only: does the list still fit the sources?")
    parser.add_argument("--list", action="store_true", help="only: show the mutants")
    parser.add_argument("--verbose", "-v", action="store_true", help="show those that are killed as well")
    return parser.parse_args()


def chosen_sources(arguments):
    if arguments.alone:
        return [os.path.relpath(arguments.alone[0], ROOT)]
    if arguments.room:
        return sources_of_room(arguments.room)
    if arguments.changed:
        return changed_sources(arguments.changed)
    return [os.path.relpath(os.path.abspath(f), ROOT) for f in arguments.files]


def points_of(sources):
    for name in sources:
        with open(os.path.join(ROOT, name)) as f:
            text = f.read()
        for mutant in mutants_of(text):
            yield name, text, mutant


def make_workshops(arguments, sources, scratch):
    if arguments.alone:
        return [Alone(ROOT, *arguments.alone, scratch, arguments.jobs)]
    build = os.path.join(ROOT, arguments.build)
    return [Workshop(ROOT, build, os.path.join(scratch, str(sanitize)), sources, arguments, sanitize, say)
            for sanitize in ([False] if arguments.no_sanitizers else [False, True])]


def main():
    arguments = arguments_of()
    entries = explained.read(arguments.explained)
    if arguments.check_explained:
        wrong = list(explained.outdated(entries, ROOT))
        for line in wrong:
            say(line)
        return 1 if wrong else 0
    sources = chosen_sources(arguments)
    if not sources:
        say("mutate: nothing to mutate")
        return 0 if arguments.changed else 64
    points = list(points_of(sources))
    seed = arguments.seed if arguments.seed is not None else int(time.time())
    if arguments.count:
        random.Random(seed).shuffle(points)
    title = arguments.room or (sources[0] if len(sources) == 1 else f"{len(sources)} files")
    which = f", seed {seed}" if arguments.count else ""
    say(f"{title}: {len(points)} possible mutants of {len(sources)} files{which}")
    if arguments.list:
        for name, text, mutant in points[: arguments.count]:
            Result(0, name, text, mutant).show("mutant")
        return 0
    with tempfile.TemporaryDirectory(prefix="plumb-mutate-", ignore_cleanup_errors=True) as scratch:
        try:
            measurement = Measurement(make_workshops(arguments, sources, scratch), entries, arguments)
            results = measurement.run(points, arguments.count)
        except Trouble as trouble:
            say(f"mutate: {trouble}")
            return 70
    if arguments.count:
        title += f", seed {seed}"
    return 0 if summary(title, results, arguments.limit) else 1


if __name__ == "__main__":
    sys.exit(main())
