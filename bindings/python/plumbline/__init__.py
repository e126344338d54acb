"""Plumbline for Python: record what concurrent operations did, and tell whether it is linearizable."""
from .check import LINEARIZABLE, UNDECIDED, VIOLATION, History, PlumblineError, Result, check
from .record import EMPTY, FULL, Operation, Recorder

__all__ = ["check", "History", "Recorder", "Operation", "Result", "PlumblineError", "EMPTY", "FULL", "LINEARIZABLE",
           "VIOLATION", "UNDECIDED"]
