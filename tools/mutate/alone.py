"""A workshop for one source and one test program, without CMake: both are compiled and linked by the C compiler."""
import os
import subprocess
import threading

from workshop import Trouble, run_limited


class Alone:
    flags = []

    def __init__(self, root, source, test, scratch, jobs):
        self.root, self.scratch = root, scratch
        self.name, self.only_test = os.path.relpath(source, root), os.path.basename(test)
        self.baselines, self.lock = {}, threading.Lock()
        for worker in range(jobs):
            os.makedirs(self.place(worker))
        call = ["cc", "-O2", "-w", "-c", test, "-o", os.path.join(scratch, "test.o")]
        made = subprocess.run(call, capture_output=True, text=True)
        if made.returncode:
            raise Trouble(made.stderr)

    def place(self, worker):
        return os.path.join(self.scratch, f"worker{worker}")

    def compile(self, name, text, worker):
        source, output = os.path.join(self.place(worker), "source.c"), os.path.join(self.place(worker), "mutant.o")
        with open(source, "w") as f:
            f.write(text)
        near = os.path.join(self.root, os.path.dirname(name))
        if subprocess.run(["cc", "-O2", "-w", "-iquote", near, "-c", "source.c", "-o", output], cwd=self.place(worker),
                          capture_output=True).returncode:
            return None
        with open(output, "rb") as f:
            return f.read()

    def original(self, name, text, worker):
        code = self.compile(name, text, worker)
        if code is None:
            raise Trouble(f"{name} does not compile as it is")
        if self.baseline(self.only_test, [], worker) is None:
            raise Trouble(f"{self.only_test} does not pass without a mutant")
        return code

    def link(self, target, name, worker):
        call = ["cc", os.path.join(self.scratch, "test.o"), "mutant.o", "-o", "test"]
        return subprocess.run(call, cwd=self.place(worker), capture_output=True).returncode == 0

    def unlink(self, target, worker):
        pass

    def run(self, worker):
        place = self.place(worker)
        return run_limited([os.path.join(place, "test")], place, dict(os.environ), 2, 20, "yes")

    def baseline(self, test, needs, worker):
        """Only called with the original in place."""
        with self.lock:
            if test not in self.baselines:
                self.baselines[test] = None
                if self.link(test, self.name, worker):
                    ended, cpu, wall, _ = self.run(worker)
                    self.baselines[test] = (cpu, wall) if ended == "passed" else None
            return self.baselines[test]

    def notices(self, test, name, worker):
        return self.run(worker)[0]
