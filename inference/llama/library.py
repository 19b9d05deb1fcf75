"""The bindings, as this engine calls them.

Only `llama_decode` and a few long calls let other threads run meanwhile. The short ones keep Python's lock: each
time it is given away, a painting window may keep it for a whole frame.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from typing import Any

from inference.processor import check
from inference.shortage import can_reserve

# Bytes that llama.cpp and numpy's linear algebra ask for while they are loaded, as measured with 2 processors, rounded
# up. With less they end the process, or cannot be loaded a second time.
_LIBRARIES = (128 + 48 * min(os.cpu_count() or 1, 64)) << 20

# Without it an abort inside ggml starts a debugger to print its own stack, and waits for it.
os.environ.setdefault("GGML_NO_BACKTRACE", "1")

check()  # the first instruction of the library may be one that ends the process
if not can_reserve(_LIBRARIES):
    raise MemoryError

from llama_cpp import __version__ as version  # noqa: E402 - as said above
from llama_cpp import llama_cpp as llama  # noqa: E402 - as said above

__all__ = [
    "abort_callback", "llama", "sampler_accept", "sampler_apply", "sampler_sample", "token_to_piece", "version",
    "vocab_is_end",
]  # fmt: skip

_held: Any = ctypes.PyDLL(llama._lib._name, handle=llama._lib._handle)  # noqa: SLF001 - the very library it loaded

sampler_sample = _held.llama_sampler_sample
sampler_sample.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32]
sampler_sample.restype = ctypes.c_int32

sampler_apply = _held.llama_sampler_apply
sampler_apply.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
sampler_apply.restype = None

sampler_accept = _held.llama_sampler_accept
sampler_accept.argtypes = [ctypes.c_void_p, ctypes.c_int32]
sampler_accept.restype = None

token_to_piece = _held.llama_token_to_piece
token_to_piece.argtypes = [
    ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_bool,
]  # fmt: skip
token_to_piece.restype = ctypes.c_int32

vocab_is_end = _held.llama_vocab_is_eog
vocab_is_end.argtypes = [ctypes.c_void_p, ctypes.c_int32]
vocab_is_end.restype = ctypes.c_bool


def abort_callback() -> Any:  # noqa: ANN401 - a native function pointer
    """A native function that returns 0 while the C string it is given is empty: `strlen`.

    llama.cpp asks some five hundred times a token whether to go on. Were Python asked, it would wait for its lock
    each time.
    """
    library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
    return ctypes.cast(library.strlen, llama.ggml_abort_callback)
