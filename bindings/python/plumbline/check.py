"""Checks histories, by libplumbline where it is found, else by the command `plumb`.

    history = History("queue")
    history.call(1, "enq", 7); history.returned(1)
    result = check(history)          # or check("run.edn"), or check(recorder)
    if not result: print(result)
"""
import html
import json
import os
import tempfile

from . import command, library
from .record import Recorder, encode

LINEARIZABLE, VIOLATION, UNDECIDED = "linearizable", "violation", "undecided"


class PlumblineError(Exception):
    """There is no verdict: bad input, misuse, or neither library nor command."""


class History:
    """A history built by calls. Either events, whose order is the order of time, or whole operations with stamps."""

    def __init__(self, object=None):
        self.object = object
        self._lines = []

    def call(self, client, method, *args, key=None):
        self._add({"client": client, "event": "call", "op": method, "args": list(args)}, key)

    def returned(self, client, result=None):
        self._add({"client": client, "event": "return", "res": result})

    def failed(self, client):
        """The open call of the client certainly had no effect."""
        self._add({"client": client, "event": "fail"})

    def unknown(self, client):
        """It may have one, now or later."""
        self._add({"client": client, "event": "info"})

    def operation(self, client, method, *args, call, ret=None, result=None, key=None):
        """A whole operation; without `ret` it is pending."""
        record = {"client": client, "op": method, "args": list(args), "call": call, "ret": ret}
        if ret is not None:
            record["res"] = result
        self._add(record, key)

    def write(self, path):
        header = {"plumb": "history/1"}
        if self.object is not None:
            header["object"] = self.object
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([encode(header)] + self._lines) + "\n")

    def _add(self, record, key=None):
        if key is not None:
            record["key"] = key
        self._lines.append(encode(record))


class Result:
    """What was found. True when the history is what it was asked to be."""

    def __init__(self, report, page=None):
        self.report = report  # what `plumb check --json` prints: schemas/report-2.schema.json
        self._page = page
        verdict = report["verdict"]
        self.verdict = LINEARIZABLE if verdict == "holds" else verdict
        self.object, self.engine, self.criterion = report["object"], report["engine"], report["criterion"]
        self.operations, self.pending = report["operations"], report["pending"]
        self.reason = report["reason"]  # of an undecided history
        self.core = report["core"]  # of a violation: numbers of operations, from 0 on, in the order of their calls
        self.witness = report["witness"]  # the operations in the order in which they took effect
        self.explanation = "\n".join(report["explanation"] or [])

    def __bool__(self):
        return self.verdict == LINEARIZABLE

    def __str__(self):
        what = "%s (%s): %d operations, %d pending" % (self.verdict, self.object, self.operations, self.pending)
        return "\n".join(line for line in (what, self.reason, self.explanation) if line)

    def __repr__(self):
        return "<plumbline.Result %s of %s>" % (self.verdict, self.object)

    @property
    def page(self):
        """The page that `plumb view` writes; None where the command is missing."""
        return self._page() if self._page else None

    def _repr_html_(self):
        page = self.page
        if page is None:
            return "<pre>%s</pre>" % html.escape(str(self))
        return '<iframe style="width:100%%;height:40em;border:0" srcdoc="%s"></iframe>' % html.escape(page, quote=True)


def check(history, object=None, **options):
    """Is it linearizable? `history`: a History, a path, or a Recorder.

    Options as of `plumb check`: init, engine, criterion, format, timeout (seconds), memory (bytes), threads,
    independent. A history without a verdict because its input is bad raises PlumblineError.
    """
    if isinstance(history, Recorder):
        history = history.path
    if not isinstance(history, History):
        return _check_file(os.fspath(history), object, options, None)
    with tempfile.TemporaryDirectory(prefix="plumbline") as folder:
        path = os.path.join(folder, "history.jsonl")
        history.write(path)
        return _check_file(path, object, options, history)


def _check_file(path, object, options, built):
    unknown = set(options) - command.OPTIONS
    if unknown:
        raise TypeError("unknown options: " + ", ".join(sorted(unknown)))
    found = _by_library(path, object, options)
    if found is None:
        found = command.check(path, object, options)
    if found is None:
        raise PlumblineError("neither libplumbline nor the command plumb was found; PLUMBLINE_LIBRARY and PLUMB name them")
    report = json.loads(found)
    if report["error"]:
        raise PlumblineError(report["error"]["message"])
    return Result(report, lambda: _page(path, object, options, built))


def _by_library(path, object, options):
    # A folder, as Jepsen writes one, is taken apart by the command only.
    return None if os.path.isdir(path) else library.check(path, object, options)


def _page(path, object, options, built):
    if built is None:
        return command.page(path, object, options)
    with tempfile.TemporaryDirectory(prefix="plumbline") as folder:
        path = os.path.join(folder, "history.jsonl")
        built.write(path)
        return command.page(path, object, options)
