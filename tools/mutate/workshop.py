"""Builds and runs mutants beside a build directory that stays as it is.

One object is compiled for each mutant, with the options of compile_commands.json. Only the tests that look at the
source are linked again, with the linker's own command of CMake (link.txt); objects that no mutant changes are joined
into one beforehand. Every worker has a copy of the tree as its working directory, and a build directory of links in
which only what it linked is its own. ccache is passed by: no mutant is compiled twice.

A sanitizing workshop compiles the mutant, and links the tests, with the address and undefined behaviour sanitizers. The
other objects are as they were, which is enough for leaks and for what the mutated source itself does to memory.
"""
import glob
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time


SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


class Trouble(Exception):
    """The sources do not build or do not pass as they are: there is nothing to measure."""


def compiler_call(command):
    """A compile command without launcher, dependency files, debug information, warnings, object and source."""
    words, kept, i = shlex.split(command), [], 0
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    while i < len(words):
        if words[i] in ("-o", "-c", "-MF", "-MT", "-MQ"):
            i += 2
            continue
        if words[i] not in ("-MD", "-MMD") and not words[i].startswith(("-Werror", "-g")):
            kept.append(words[i])
        i += 1
    return kept + ["-w", "-g0"]


# A mutant that loops, allocates or writes for ever ends by itself.
LIMITS = ('ulimit -c 0; ulimit -t "$1"; ulimit -f 2000000; if [ "$2" = yes ]; then ulimit -v 6000000; fi; '
          'shift 2; exec "$@"')


def end_session(process):
    """Ends a test and what it started, by the id of its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_limited(command, cwd, env, cpu_seconds, wall_seconds, memory):
    """(how it ended: passed, failed or time-out; seconds of CPU; seconds; what it printed)"""
    began, late = time.monotonic(), threading.Event()
    limits = ["bash", "-c", LIMITS, "limits", str(cpu_seconds), memory]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(limits + command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        timer = threading.Timer(wall_seconds, lambda: (late.set(), end_session(process)))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        end_session(process)
        output.seek(0)
        text = output.read().decode(errors="replace")
    if late.is_set() or process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        ended = "time-out"
    else:
        ended = "passed" if process.returncode == 0 else "failed"
    return ended, usage.ru_utime + usage.ru_stime, time.monotonic() - began, text


def link_words(text_file):
    """The directory of CMake's command for a target, and the words of it."""
    with open(text_file) as f:
        return os.path.dirname(os.path.dirname(os.path.dirname(text_file))), shlex.split(f.read().splitlines()[0])


def archives_of(build):
    """The objects in each static library of the build directory."""
    found = {}
    for text_file in glob.glob(f"{build}/**/CMakeFiles/*.dir/link.txt", recursive=True):
        directory, words = link_words(text_file)
        if os.path.basename(words[0]).endswith("ar"):
            paths = [os.path.normpath(os.path.join(directory, w)) for w in words]
            archive = next(p for p in paths if p.endswith(".a"))
            found[archive] = [p for p in paths if p.endswith(".o")]
    return found


class Link:
    """How CMake links one target: words of the command, objects and archives of the build as absolute paths."""

    def __init__(self, build, text_file, archives):
        self.directory, words = link_words(text_file)
        output = words.index("-o")
        self.output = os.path.normpath(os.path.join(self.directory, words[output + 1]))
        self.words = []
        for word in words[:output] + words[output + 2 :]:
            path = os.path.normpath(os.path.join(self.directory, word))
            self.words.append(path if word.endswith(".o") or path in archives else word)
        self.archived = {o for w in self.words for o in archives.get(w, [])}
        self.objects = [w for w in self.words if w.endswith(".o")]
        self.name = os.path.relpath(self.output, build)

    def holds(self, path):
        return path in self.archived or path in self.objects

    def command(self, joined, joined_objects, exchanged, output):
        """With objects exchanged. One that is in an archive is named first: the archive's is not taken then."""
        words, first = self.words[:1] + [new for old, new in exchanged.items() if old in self.archived], True
        for word in self.words[1:]:
            if word in joined_objects:
                if first:
                    words.append(joined)
                    first = False
            else:
                words.append(exchanged.get(word, word))
        return words + ["-o", output]


class Workshop:
    only_test = None  # tests are found by the name of the source

    def __init__(self, root, build, scratch, sources, arguments, sanitize, log):
        self.root, self.build, self.scratch, self.log = root, os.path.abspath(build), scratch, log
        self.flags = SANITIZERS if sanitize else []
        self.commands, self.objects = self._compile_commands()
        self.links = self._links()
        self.originals, self.baselines, self.lock = {}, {}, threading.Lock()
        self.slow, self.measuring = arguments.slow, threading.Lock()
        if not arguments.built and not sanitize:
            self._make_up_to_date()
        self._keep_objects()
        self._make_workers(arguments.jobs)
        self._join_the_rest(sources)

    def _compile_commands(self):
        commands, objects = {}, {}
        with open(os.path.join(self.build, "compile_commands.json")) as f:
            for entry in json.load(f):
                name = os.path.relpath(entry["file"], self.root)
                words = shlex.split(entry["command"])
                output = entry.get("output") or words[words.index("-o") + 1]
                commands.setdefault(name, (compiler_call(entry["command"]), entry["directory"]))
                objects.setdefault(name, os.path.normpath(os.path.join(entry["directory"], output)))
        return commands, objects

    def _links(self):
        found, archives = {}, archives_of(self.build)
        for text in glob.glob(f"{self.build}/**/CMakeFiles/*.dir/link.txt", recursive=True):
            if "-o" in link_words(text)[1]:
                link = Link(self.build, text, archives)
                found[link.name] = link
        return found

    def _make_up_to_date(self):
        self.log(f"building {os.path.relpath(self.build, self.root)}")
        made = subprocess.run(["cmake", "--build", self.build, f"-j{os.cpu_count()}"], capture_output=True, text=True)
        if made.returncode:
            raise Trouble("the sources do not build as they are:\n" + made.stdout[-2000:] + made.stderr[-2000:])

    def _keep_objects(self):
        """Objects as they are now, so that a build while mutants are tested does no harm."""
        kept, folder = {}, os.path.join(self.scratch, "objects")
        os.makedirs(folder)

        def keep(path):
            if path not in kept:
                kept[path] = os.path.join(folder, f"{len(kept)}{os.path.splitext(path)[1]}")
                try:
                    os.link(path, kept[path])
                except OSError:
                    shutil.copy(path, kept[path])
            return kept[path]

        self.links = {name: link for name, link in self.links.items() if all(map(os.path.exists, link.objects))}
        for link in self.links.values():
            ours = {w for w in link.words if w.startswith(self.build) and w.endswith((".o", ".a"))}
            link.words = [keep(w) if w in ours else w for w in link.words]
            link.objects = [w for w in link.words if w.endswith(".o")]
            link.archived = {keep(o) for o in link.archived}
        self.objects = {name: kept[path] for name, path in self.objects.items() if path in kept}

    def _make_workers(self, jobs):
        """A copy of the tree for each worker, with a build directory in which everything is a link."""
        names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                               capture_output=True, check=True).stdout
        self.workers = []
        for number in range(jobs):
            tree = os.path.join(self.scratch, f"worker{number}")
            os.makedirs(tree)
            present = [n for n in names.split(b"\0") if n and os.path.exists(os.path.join(self.root, os.fsdecode(n)))]
            subprocess.run(f"tar cf - --null -T - | tar xf - -C {shlex.quote(tree)}", shell=True, cwd=self.root,
                           input=b"\0".join(present), check=True)
            build = os.path.join(tree, "build")
            os.makedirs(os.path.join(build, "tests"))
            for folder in ("", "tests"):
                for name in os.listdir(os.path.join(self.build, folder)):
                    target = os.path.join(build, folder, name)
                    if not os.path.lexists(target):
                        os.symlink(os.path.join(self.build, folder, name), target)
            self.workers.append(tree)

    def _join_the_rest(self, sources):
        """Objects that no mutant changes and every test links, joined into one without debug information."""
        changing = {self.objects[s] for s in sources if s in self.objects}
        links = [link for link in self.links.values() if any(map(link.holds, changing))]
        common = set.intersection(*(set(link.objects) for link in links)) - changing if links else set()
        self.joined, self.joined_objects = os.path.join(self.scratch, "rest.o"), set()
        if len(common) > 1:
            self.joined_objects = common
            subprocess.run(["ld", "-r", "-S", "-o", self.joined, *sorted(common)], check=True)

    def compile(self, name, text, worker):
        """The object code of a source with this text, or None when it does not compile."""
        call, directory = self.commands[name]
        place = os.path.join(self.workers[worker], "mutant")
        source, output = os.path.join(place, name), os.path.join(place, "mutant.o")
        os.makedirs(os.path.dirname(source), exist_ok=True)
        with open(source, "w") as f:
            f.write(text)
        near = os.path.join(self.root, os.path.dirname(name))
        call = [*call, *self.flags, "-iquote", near, f"-ffile-prefix-map={place}/=", "-c", source, "-o", output]
        made = subprocess.run(call, cwd=directory, capture_output=True)
        if made.returncode:
            return None
        with open(output, "rb") as f:
            return f.read()

    def original(self, name, text, worker):
        with self.lock:
            known = self.originals.get(name)
        if known is None:
            known = self.compile(name, text, worker)
            if known is None:
                raise Trouble(f"{name} does not compile as it is")
            with self.lock:
                self.originals[name] = known
        return known

    def covers(self, name, target):
        return target in self.links and self.links[target].holds(self.objects[name])

    def link(self, target, name, worker):
        """Links a target with the worker's mutant of a source; name None: with the sources as they are."""
        link, output = self.links[target], os.path.join(self.workers[worker], "build", target)
        exchanged = {self.objects[name]: os.path.join(self.workers[worker], "mutant", "mutant.o")} if name else {}
        if os.path.lexists(output):
            os.unlink(output)
        call = link.command(self.joined, self.joined_objects, exchanged, output) + self.flags
        made = subprocess.run(call, cwd=link.directory, capture_output=True, text=True)
        if made.returncode and name is None:
            raise Trouble(f"{target} does not link: {made.stderr[-2000:]}")
        return made.returncode == 0

    def unlink(self, target, worker):
        """The target as the build directory has it, in the place of a mutant's."""
        output = os.path.join(self.workers[worker], "build", target)
        if os.path.lexists(output):
            os.unlink(output)
        os.symlink(os.path.join(self.build, target), output)

    def environment(self, worker):
        build = os.path.join(self.workers[worker], "build")
        env = dict(os.environ, PLUMB=os.path.join(build, "plumb"), PLUMB_BUILD=build, PLUMB_FEWER="1")
        env.setdefault("PLUMB_DATA", os.path.join(self.root, "../shared/data"))
        env.pop("PLUMB_SOAK", None)
        if self.flags:
            env["PLUMB_SANITIZED"] = "asan"
        return env

    def run(self, test, worker, cpu_seconds=300, wall_seconds=900):
        tree = self.workers[worker]
        command = ["bash", test] if test.endswith(".sh") else [os.path.join(tree, "build", test)]
        return run_limited(command, tree, self.environment(worker), int(cpu_seconds), wall_seconds,
                           "no" if self.flags else "yes")

    def baseline(self, test, needs, worker):
        """Seconds of CPU and seconds of the test without a mutant; None when it fails then: such a test tells nothing.
        What it needs is linked for that, as it is for mutants. A test is not measured by two workers at once."""
        with self.measuring:
            if test not in self.baselines:
                for product in needs:
                    self.link(product, None, worker)
                self.baselines[test] = self._measured(test, worker)
                for product in needs:
                    self.unlink(product, worker)
            return self.baselines[test]

    def _measured(self, test, worker):
        ended, cpu, wall, output = self.run(test, worker, self.slow + 2)
        if ended == "failed" or ended == "time-out" and cpu <= self.slow:
            self.log(f"left out: {test} does not pass without a mutant ({ended})\n{output[-1500:]}")
            return None
        return cpu, wall

    def notices(self, test, name, worker):
        """How the test ends with the worker's mutant."""
        cpu, wall = self.baselines[test]
        return self.run(test, worker, 5 + 5 * cpu, 30 + 10 * wall)[0]

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
