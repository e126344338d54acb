"""libplumbline, through ctypes: $PLUMBLINE_LIBRARY, or the one that the loader finds."""
import ctypes
import ctypes.util
import os

NAME = "libplumbline.so.0"


class ReadOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("format", ctypes.c_char_p), ("observe", ctypes.c_char_p),
                ("independent", ctypes.c_bool)]


class CheckOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("init", ctypes.c_char_p), ("engine", ctypes.c_char_p),
                ("seconds", ctypes.c_double), ("memory", ctypes.c_size_t), ("threads", ctypes.c_uint),
                ("columns", ctypes.c_uint), ("criterion", ctypes.c_char_p)]


_loaded = {}


def load():
    """The library; None: it is not there."""
    name = os.environ.get("PLUMBLINE_LIBRARY", NAME)
    if name not in _loaded:
        try:
            _loaded[name] = declare(ctypes.CDLL(name)) if name else None
        except OSError:
            _loaded[name] = None
    return _loaded[name]


def declare(lib):
    lib.plumb_version.restype = ctypes.c_char_p
    lib.plumb_history_read.restype = ctypes.c_void_p
    lib.plumb_history_read.argtypes = [ctypes.c_char_p, ctypes.POINTER(ReadOptions)]
    lib.plumb_history_free.argtypes = [ctypes.c_void_p]
    lib.plumb_check.restype = ctypes.c_void_p
    lib.plumb_check.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(CheckOptions)]
    lib.plumb_result_json.restype = ctypes.c_char_p
    lib.plumb_result_json.argtypes = [ctypes.c_void_p]
    lib.plumb_result_free.argtypes = [ctypes.c_void_p]
    return lib


def text(value):
    return None if value is None else str(value).encode("utf-8")


def check(path, object, options):
    """The report as JSON; None: there is no library."""
    lib = load()
    if lib is None:
        return None
    read = ReadOptions(ctypes.sizeof(ReadOptions), text(options.get("format")), None, bool(options.get("independent")))
    how = CheckOptions(ctypes.sizeof(CheckOptions), text(options.get("init")), text(options.get("engine")),
                       float(options.get("timeout") or 0), int(options.get("memory") or 0),
                       int(options.get("threads") or 0), 0, text(options.get("criterion")))
    history = lib.plumb_history_read(os.fsencode(path), ctypes.byref(read))
    result = lib.plumb_check(history, text(object), ctypes.byref(how))
    try:
        return lib.plumb_result_json(result).decode("utf-8")
    finally:
        lib.plumb_result_free(result)
        lib.plumb_history_free(history)
