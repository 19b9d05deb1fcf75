"""Whether this processor has what the program's llama.cpp was compiled for.

Who compiles it compiles it for their own; a program that others compiled is told by a sentence, before the first
instruction that this processor does not know would end it.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from inference.errors import ProcessorTooOld

# x86-64-v2, as Linux names its parts: Qt's libraries and NumPy are compiled for it.
LEAST = ("popcnt", "sse4_1", "sse4_2", "ssse3")
# x86-64-v3; the build's flags stand in `scripts/setup.py`.
PROMISED = ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma")
_X86 = ("x86_64", "amd64")
_ON_WINDOWS = {"sse4_2": 38, "avx2": 40}  # PF_SSE4_2_INSTRUCTIONS_AVAILABLE, PF_AVX2_INSTRUCTIONS_AVAILABLE


def check(*, frozen: bool | None = None, look: Callable[[], tuple[str, ...]] | None = None) -> None:
    """Look at the processor, where others compiled the program.

    Raises:
        ProcessorTooOld: it lacks something.
    """
    if not (getattr(sys, "frozen", False) if frozen is None else frozen):
        return
    lacking = (look or what_is_lacking)()
    if lacking:
        raise ProcessorTooOld(lacking)


def refusal_to_start(look: Callable[..., tuple[str, ...]] | None = None) -> str:
    """Why not even a window can be opened here: a sentence, or nothing where one can."""
    lacking = (look or what_is_lacking)(wanted=LEAST)
    names = ", ".join(name.upper().replace("_", ".") for name in lacking)
    return f"This processor lacks {names}, which Headwater needs to start." if lacking else ""


def what_is_lacking(
    machine: str = "",
    system: str = sys.platform,
    cpuinfo: Path = Path("/proc/cpuinfo"),
    wanted: Sequence[str] = PROMISED,
) -> tuple[str, ...]:
    """What this processor does not have of what was promised to be enough; nothing where that cannot be told. Every
    Intel Mac that runs the macOS that the program needs has all of it."""
    if (machine or platform.machine()).lower() not in _X86:
        return ()
    if system == "win32":
        return _lacking_on_windows(wanted)
    try:
        words = cpuinfo.read_text("utf-8", "replace")
    except OSError:
        return ()
    flags = next((line for line in words.splitlines() if line.startswith("flags")), "").split()
    return tuple(name for name in wanted if name not in flags) if flags else ()


def _lacking_on_windows(wanted: Sequence[str]) -> tuple[str, ...]:
    import ctypes

    # Through its name: only Windows has it, and a checker on another system does not know it.
    windows = getattr(ctypes, "windll", None)
    if windows is None:
        return ()
    has = windows.kernel32.IsProcessorFeaturePresent
    return tuple(name for name in wanted if name in _ON_WINDOWS and not has(_ON_WINDOWS[name]))
