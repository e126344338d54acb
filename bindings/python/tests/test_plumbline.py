"""Run by tests/bindings/test_python.sh, once with the library and once with the command."""
import io
import json
import os
import tempfile
import threading
import unittest

import plumbline
from plumbline import EMPTY, History, PlumblineError, Recorder, check, command, library


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Recording(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "h.events.jsonl")

    def test_events(self):
        with Recorder(self.path, object="queue") as r:
            with r.op("enq", 7):
                pass
            with r.op("deq", client="b") as op:
                op.result = 7
            with r.note("kill n1"):
                pass
        header, call, ret, call_b, ret_b, note = lines(self.path)
        self.assertEqual(header, {"plumb": "history/1", "clock": "ns", "object": "queue"})
        self.assertEqual((call["client"], call["event"], call["op"], call["args"]), (0, "call", "enq", [7]))
        self.assertEqual((ret["client"], ret["event"], ret["res"]), (0, "return", None))
        self.assertEqual((call_b["client"], ret_b["res"]), ("b", 7))
        self.assertTrue(call["time"] <= ret["time"] <= call_b["time"] <= ret_b["time"])
        self.assertTrue(note["event"] == "note" and note["time"] <= note["until"])
        self.assertEqual(check(r).verdict, "linearizable")

    def test_an_exception_is_pending_and_the_client_goes_on(self):
        with Recorder(self.path, object="queue") as r:
            with self.assertRaises(OSError):
                with r.op("enq", 1):
                    raise OSError("timed out")
            with r.op("deq") as op:
                op.result = 1
        self.assertEqual([e.get("event") for e in lines(self.path)][1:], ["call", "info", "call", "return"])
        result = check(r)
        self.assertTrue(result)
        self.assertEqual(result.pending, 1)

    def test_a_failure_did_not_happen(self):
        with Recorder(self.path, object="queue", failures=KeyError) as r:
            with self.assertRaises(KeyError):
                with r.op("enq", 1):
                    raise KeyError("refused")
            with r.op("enq", 2) as op:
                op.failed()
            with r.op("deq") as op:
                op.result = 1
        self.assertEqual([e.get("event") for e in lines(self.path)][1:5], ["call", "fail", "call", "fail"])
        self.assertEqual(check(r).verdict, "violation")

    def test_what_json_cannot_say(self):
        with Recorder(self.path) as r:
            with self.assertRaises(TypeError):
                r.op("enq", object())
            with self.assertRaises(TypeError):
                with r.op("deq") as op:
                    op.result = object()
            with self.assertRaises(ValueError):
                r.op("enq", float("nan"))
        self.assertEqual([e.get("event") for e in lines(self.path)][1:], ["call", "info"])

    def test_misuse(self):
        r = Recorder(self.path)
        op = r.op("deq")
        with self.assertRaises(RuntimeError):
            r.op("deq")
        op.returned(EMPTY)
        with self.assertRaises(RuntimeError):
            op.returned(EMPTY)
        r.close()
        with self.assertRaises(ValueError):
            r.op("deq")

    def test_threads(self):
        shared, lock = [], threading.Lock()

        def work(r, first):
            for value in range(first, first + 200):
                with r.op("push", value):
                    with lock:
                        shared.append(value)
                with r.op("pop") as op:
                    with lock:
                        op.result = shared.pop() if shared else EMPTY

        with Recorder(self.path, object="stack") as r:
            threads = [threading.Thread(target=work, args=(r, n * 1000)) for n in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        result = check(r)
        self.assertEqual((result.verdict, result.operations), ("linearizable", 1600))
        times = [e["time"] for e in lines(self.path)[1:]]
        self.assertEqual(times, sorted(times))


class Checking(unittest.TestCase):
    def wrong(self):
        h = History("queue")
        h.operation(1, "enq", 1, call=0, ret=2)
        h.operation(2, "enq", 2, call=3, ret=6)
        h.operation(1, "deq", call=5, ret=9, result=2)
        return h

    def test_violation(self):
        result = check(self.wrong())
        self.assertFalse(result)
        self.assertEqual((result.verdict, result.core, result.witness), ("violation", [0, 1, 2], None))
        self.assertIn("comes before #0 enq(1)", result.explanation)
        self.assertIn("violation (queue): 3 operations, 0 pending", str(result))

    def test_events_by_calls(self):
        h = History()
        h.call(1, "put", 5, key="a")
        h.returned(1)
        h.call(1, "put", 6, key="a")
        h.unknown(1)
        h.call(1, "get", key="a")
        h.returned(1, 6)
        h.call(2, "put", 7, key="b")
        h.failed(2)
        result = check(h, object="kv")
        self.assertEqual((result.verdict, result.operations, result.pending), ("linearizable", 3, 1))
        self.assertEqual(sorted(result.witness), [0, 1, 2])

    def test_options(self):
        h = History("register")
        h.operation(1, "read", call=0, ret=1, result=3)
        self.assertEqual(check(h).verdict, "violation")
        self.assertTrue(check(h, init=3))
        self.assertTrue(check(self.wrong(), criterion="quasi(1)"))
        with self.assertRaises(TypeError):
            check(h, speed=3)

    def test_no_verdict_is_an_error_and_undecided_is_none(self):
        with self.assertRaises(PlumblineError):
            check("/no/such/file")
        h = History("queue")
        h.call(1, "enq", 1)
        h.call(1, "enq", 2)
        with self.assertRaisesRegex(PlumblineError, "history.jsonl:3"):
            check(h)
        nothing = check(History("queue"))
        self.assertEqual(nothing.verdict, "undecided")
        self.assertIn("no operations", nothing.reason)
        self.assertFalse(nothing)

    def test_files_and_pages(self):
        wrong = os.path.join(os.environ["ROOT"], "examples", "histories", "kv-wrong.edn")
        self.assertEqual(check(wrong).verdict, "violation")
        page = check(self.wrong())._repr_html_()
        if command.find():
            self.assertTrue(page.startswith("<iframe"))
            self.assertIn("&lt;html", page)
        else:
            self.assertTrue(page.startswith("<pre>violation"))

    def test_the_way_that_was_asked_for(self):
        self.assertEqual(library.load() is not None, os.environ["WAY"] == "library")


if __name__ == "__main__":
    unittest.main()
