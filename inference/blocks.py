"""Large blocks of memory that go back to the system as soon as nobody holds them.

A C library may keep what it was given back: glibc serves blocks of up to 32 MB from its heap once one of that size was
freed, and KV states of many sizes that come and go leave holes there, twice as large as what is held.
"""

from __future__ import annotations

import mmap
import sys


def block(size: int) -> memoryview:
    """So many bytes of the system's own pages, to be written to.

    Raises:
        MemoryError: there are not so many.
    """
    try:
        return memoryview(_pages(max(size, 1)))[:size]
    except (OSError, OverflowError) as error:
        raise MemoryError(str(error)) from error


def _pages(size: int) -> mmap.mmap:
    if sys.platform == "win32":
        return mmap.mmap(-1, size)
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
