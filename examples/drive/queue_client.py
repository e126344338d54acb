#!/usr/bin/env python3
"""A client of `plumb drive --exec`: a queue that all clients share, in a file of the run's folder.

    plumb drive --exec examples/drive/queue_client.py --object queue --clients 16

One line of JSON a request, one a reply (docs/DRIVE.md):
    {"plumb":"drive/1","object":"queue","client":3,"folder":"/tmp/...",...}   ->  {"ready":true}
    {"op":"enq","args":[7]}                                                   ->  {"res":null}
    {"op":"deq","args":[]}                                                    ->  {"res":7}  or  {"res":"empty"}
A reply {"fail":"why"} says that the operation did not happen, {"info":"why"} that it may have.

QUEUE_DEFECT=unlocked in the environment leaves out the lock: `plumb drive` then shows what goes wrong.
"""
import fcntl
import json
import os
import sys


def say(reply):
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()


def change(path, what):
    """Reads the queue, has it changed, writes it back; nobody else does so meanwhile."""
    with open(path, "a+", encoding="ascii") as file:
        if os.environ.get("QUEUE_DEFECT") != "unlocked":
            fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        items = [int(word) for word in file.read().split()]
        result = what(items)
        file.seek(0)
        file.truncate()
        file.write(" ".join(map(str, items)))
        file.flush()
        return result


def apply(path, request):
    if request["op"] == "enq":
        return change(path, lambda items: items.append(request["args"][0]))
    if request["op"] == "deq":
        return change(path, lambda items: items.pop(0) if items else "empty")
    raise ValueError("no such operation: " + request["op"])


def main():
    hello = json.loads(sys.stdin.readline())
    path = os.path.join(hello["folder"], "queue")
    say({"ready": True})
    for line in sys.stdin:
        try:
            say({"res": apply(path, json.loads(line))})
        except ValueError as wrong:
            say({"fail": str(wrong)})


if __name__ == "__main__":
    main()
