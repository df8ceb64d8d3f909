"""Compiled libraries that do not get along, and the order in which they do; and one that must be told to be silent.

usearch loads numkong for the whole process, and with it numkong's own copy of the C++ runtime. If onnxruntime comes
after that, it uses parts of that copy and the process dies while importing it (usearch 2.26, numkong 7.8, onnxruntime
1.31). With the system's C++ runtime loaded for the whole process first, every library finds the same one.

onnxruntime 1.31 writes an identifier of the device into the home folder when it is imported, and reports to its makers
how it is used, unless a variable of the environment says that it must not.
"""

from __future__ import annotations

import os
import sys
from functools import cache

from recollect.errors import ProviderUnavailable

_RUNTIME = "libstdc++.so.6"
_SILENT = "ORT_DISABLE_TELEMETRY"


@cache
def share_cpp_runtime() -> bool:
    """To be called before usearch is imported; whether onnxruntime may be imported after it."""
    if sys.platform != "linux" or "onnxruntime" in sys.modules:
        return True  # the fault is Linux's alone, and of this order
    if "usearch" in sys.modules:
        return False  # too late: the program imported it by itself
    import ctypes

    try:
        ctypes.CDLL(_RUNTIME, mode=ctypes.RTLD_GLOBAL)
    except OSError:  # a system with another C++ library: its wheels are built without this one
        return True
    return True


def before_onnxruntime() -> None:
    """To be called before onnxruntime is imported, which then reports to nobody.

    Raises rather than dies if the program imported usearch by itself.
    """
    if not share_cpp_runtime():
        raise ProviderUnavailable("import onnxruntime before usearch: in the other order it would end the process")
    os.environ[_SILENT] = "1"
