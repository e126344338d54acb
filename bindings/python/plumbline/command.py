"""The command `plumb`: $PLUMB, or the one on the path."""
import os
import shutil
import subprocess

OPTIONS = {"init", "engine", "criterion", "format", "timeout", "memory", "threads", "independent"}


def find():
    return os.environ.get("PLUMB") or shutil.which("plumb")


def arguments(object, options):
    if object is not None:
        yield from ("--object", str(object))
    for name, value in options.items():
        if name == "independent":
            if value:
                yield "--independent"
        elif value is not None:
            yield from ("--" + name, str(value))


def run(action, path, object, options):
    plumb = find()
    if plumb is None:
        return None
    done = subprocess.run([plumb, "check", "--quiet", *arguments(object, options), *action, "--", path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if not done.stdout.strip():
        from .check import PlumblineError
        raise PlumblineError(done.stderr.decode("utf-8", "replace").strip() or "plumb ended with %d" % done.returncode)
    return done.stdout.decode("utf-8")


def check(path, object, options):
    """The report as JSON; None: there is no command."""
    return run(["--json"], path, object, options)


def page(path, object, options):
    return run(["--html", "-"], path, object, options)
