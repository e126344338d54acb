"""The fixture `linearizable`: a recorder whose history is checked when the test is over.

    def test_queue(linearizable):
        recorder = linearizable("queue")
        ... threads that use recorder.op(...) ...
"""
import itertools

import pytest

from .check import check
from .record import Recorder


@pytest.fixture
def linearizable(tmp_path):
    """linearizable(object, **options): a Recorder; options as of plumbline.check, and failures as of Recorder."""
    recorded, numbers = [], itertools.count()

    def make(object=None, failures=(), **options):
        recorder = Recorder(tmp_path / ("history-%d.events.jsonl" % next(numbers)), object, failures)
        recorded.append((recorder, options))
        return recorder

    yield make
    for recorder, options in recorded:
        recorder.close()
        result = check(recorder, **options)
        if not result:
            pytest.fail("%s\n%s" % (recorder.path, result), pytrace=False)
