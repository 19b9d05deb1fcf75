"""Whether memory runs out: asked before something takes much of it, and told from the exception afterwards."""

from __future__ import annotations

import errno
import mmap

# What the dynamic linker and Python say where they tell of it in words only.
_WORDS = ("failed to map segment", "cannot allocate memory", "can't start new thread", "cannot create shared object")


def can_reserve(size: int) -> bool:
    """Whether the system would let this process have so many bytes more: it may limit what each may ask for, or what is
    promised to all of them. Nothing is kept of it."""
    try:
        mmap.mmap(-1, max(size, 1)).close()
    except (OSError, OverflowError):
        return False
    return True


def is_shortage(error: BaseException) -> bool:
    """Whether it, or what led to it, tells of memory that was not to be had."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        if _tells_of_it(current):
            return True
        current = current.__cause__ or current.__context__
    return False


def _tells_of_it(error: BaseException) -> bool:
    match error:
        case MemoryError():
            return True
        case OSError() if error.errno is not None:
            return error.errno == errno.ENOMEM
        case ImportError() | RuntimeError() | OSError():
            words = str(error).lower()
            return any(each in words for each in _WORDS)
        case _:
            return False
