"""Records operations as they happen, one JSON line an event, for `plumb check` and `plumb monitor`.

    with Recorder("queue.events.jsonl", object="queue") as recorder:
        with recorder.op("enq", 7):                 # the client is the thread, unless client= says another
            queue.put(7)
        with recorder.op("deq") as op:
            op.result = queue.get()

The line of a call is in the file before the operation begins, that of its return is written after it ended, and lines are
written one at a time: their order is an order of real time, whatever the threads do. A program that is killed leaves
operations that are pending. So does an operation that raises: whether it took effect is not known. Exceptions that say
that it certainly did not are named in `failures`, or the operation calls op.failed().
"""
import itertools
import json
import os
import threading
import time

EMPTY = "empty"  # the result of a remove that found nothing
FULL = "full"  # the result of an add that found no room


class Operation:
    """One operation, from its call to its return. `result` is what it returned."""

    def __init__(self, recorder, client):
        self._recorder, self._client, self._open = recorder, client, True
        self.result = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if not self._open:
            return
        if kind is None:
            self.returned(self.result)
        elif issubclass(kind, self._recorder.failures):
            self.failed()
        else:
            self.unknown()

    def returned(self, result=None):
        """It ended. A result that JSON cannot say leaves it pending, and raises."""
        try:
            encoded = encode(result)
        except (TypeError, ValueError):
            self.unknown()
            raise
        self._end('"event":"return","res":' + encoded)

    def failed(self):
        """It certainly had no effect."""
        self._end('"event":"fail"')

    def unknown(self):
        """It may have an effect, now or later."""
        self._end('"event":"info"')

    def _end(self, what):
        if not self._open:
            raise RuntimeError("the operation has ended already")
        self._open = False
        self._recorder._ended(self._client, what)


class Recorder:
    """Writes the event form (docs/FORMATS.md). One recorder serves all threads of a process."""

    def __init__(self, path, object=None, failures=()):
        self.path = os.fspath(path)
        self.failures = tuple(failures) if isinstance(failures, (tuple, list)) else (failures,)
        self._lock = threading.Lock()
        self._busy = set()  # clients with an open call
        self._numbers = itertools.count()
        self._thread = threading.local()
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o666)
        header = {"plumb": "history/1", "clock": "ns"}
        if object is not None:
            header["object"] = object
        self._write(json.dumps(header))

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        """Operations that are open stay pending."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
            self._file = None

    def op(self, method, *args, key=None, client=None):
        """The call of an operation: use it as a context manager, or call one of its methods when it has ended."""
        if client is None:
            client = self.client()
        line = '"op":%s,"args":%s' % (encode(method), encode(list(args)))
        if key is not None:
            line += ',"key":' + encode(key)
        with self._lock:
            if client in self._busy:
                raise RuntimeError("client %r has an open call; a client does one operation at a time" % (client,))
            self._event(client, '"event":"call",' + line)
            self._busy.add(client)
        return Operation(self, client)

    def run(self, method, function, *args, key=None, client=None):
        """Calls function(*args) as an operation, and returns what it returns."""
        with self.op(method, *args, key=key, client=client) as op:
            op.result = function(*args)
        return op.result

    def note(self, text):
        """Something that is no operation: a fault, a phase. As a context manager it is an interval."""
        return Note(self, text)

    def client(self):
        """The number of the calling thread."""
        if not hasattr(self._thread, "number"):
            self._thread.number = next(self._numbers)
        return self._thread.number

    def _ended(self, client, what):
        with self._lock:
            self._event(client, what)
            self._busy.discard(client)

    def _event(self, client, what):
        # The time is taken where the line is written, so that times do not go back from line to line.
        self._write('{"client":%s,%s,"time":%d}' % (encode(client), what, time.monotonic_ns()))

    def _write(self, line):
        if self._file is None:
            raise ValueError("the recorder of %s is closed" % self.path)
        data = (line + "\n").encode("utf-8")
        while data:  # all of it, whatever part the system takes at a time
            data = data[os.write(self._file, data):]


class Note:
    """A moment, or with `with` an interval, of which the line is written at its end."""

    def __init__(self, recorder, text):
        self._recorder, self._text, self._begun = recorder, text, time.monotonic_ns()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._say(',"until":%d' % time.monotonic_ns())

    def now(self):
        self._say("")

    def _say(self, until):
        with self._recorder._lock:
            line = '{"event":"note","text":%s,"time":%d%s}' % (encode(self._text), self._begun, until)
            self._recorder._write(line)


def encode(value):
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
