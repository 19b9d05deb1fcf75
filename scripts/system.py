"""What Headwater needs of the system, what of it is missing, and how to get it.

Knows nothing of pip, nor of the virtual environment. Looking is quick and needs no network.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Need(NamedTuple):
    """One thing the system must have: any one of `names` will do."""

    what: str
    kind: str  # "module", "command", "library" or "font"
    names: tuple[str, ...]
    debian: str
    fedora: str
    vital: bool = True  # without it nothing works; otherwise something is missing from what a person sees


class System:
    """What this system has. The list of libraries is read once."""

    def __init__(self) -> None:
        self._libraries: frozenset[str] | None = None

    def has(self, need: Need) -> bool:
        """Whether any of the things that would do is there."""
        look_up = {
            "module": self.has_module,
            "command": self.has_command,
            "library": self.has_library,
            "font": self.has_font,
        }[need.kind]
        return any(look_up(name) for name in need.names)

    def has_module(self, name: str) -> bool:
        """Whether this Python can import it."""
        return importlib.util.find_spec(name) is not None

    def has_command(self, name: str) -> bool:
        """Whether it is on the PATH, for good."""
        # macOS has a compiler's name there that only offers to install one.
        if sys.platform == "darwin":
            return bool(_output(["xcode-select", "-p"]))
        return shutil.which(name) is not None

    def has_library(self, name: str) -> bool:
        """Whether the linker knows it; a linker that keeps no list cannot be asked."""
        if self._libraries is None:
            self._libraries = _libraries()
        return not self._libraries or name in self._libraries

    def has_font(self, pattern: str) -> bool:
        """Whether fontconfig finds one that matches."""
        return bool(_output(["fc-list", pattern, "file"]).strip())


def needs(platform: str = sys.platform, python: tuple[int, ...] = sys.version_info[:2]) -> tuple[Need, ...]:
    """List what a system of this kind must have."""
    compiler = Need("a C++ compiler", "command", ("c++", "g++", "clang++"), "g++", "gcc-c++")
    if platform == "darwin":
        return (compiler,)
    if platform != "linux":
        return ()
    venv = Need("the venv module", "module", ("ensurepip",), "python{}.{}-venv".format(*python), "python3")
    c_compiler = Need("a C compiler", "command", ("cc", "gcc", "clang"), "gcc", "gcc")
    return (venv, c_compiler, compiler, *(_library(*row) for row in LIBRARIES), *FONTS)


def missing(wanted: Iterable[Need], system: System) -> tuple[Need, ...]:
    """Return what that system lacks."""
    return tuple(need for need in wanted if not system.has(need))


def look(wanted: Iterable[Need]) -> tuple[Need, ...]:
    """Return what this system lacks now."""
    return missing(wanted, System())


def family(os_release: str) -> str:
    """Tell from /etc/os-release whose packages a Linux system has: `debian`, `fedora`, or nothing for others."""
    values = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    names = "{} {}".format(values.get("ID", ""), values.get("ID_LIKE", "")).replace('"', "").split()
    return next((name for name in ("debian", "fedora") if name in names), "")


def packages(lacking: Sequence[Need], names_of: str) -> list[str]:
    """Return the packages of that family that bring what is lacking, each once."""
    return sorted({need.debian if names_of == "debian" else need.fedora for need in lacking})


def advice(lacking: Sequence[Need], platform: str, names_of: str) -> str:
    """Say in one line what to type."""
    lines = {
        "debian": "sudo apt-get install " + " ".join(packages(lacking, "debian")),
        "fedora": "sudo dnf install " + " ".join(packages(lacking, "fedora")),
    }
    if platform == "darwin":
        return "Type: xcode-select --install"
    if names_of in lines:
        return "Type: " + lines[names_of]
    return "On Debian: {debian}; on Fedora: {fedora}; elsewhere the packages of the same content.".format(**lines)


def installs(names: Sequence[str]) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Return the commands that install Debian's packages, in order, each with what it does."""
    install = ("apt-get", "install", "--yes", "--no-install-recommends", *names)
    return (("apt-get", "update"), "asking for the system's packages"), (install, "installing what the system lacks")


def unattended(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which apt asks no questions."""
    return {**environment, "DEBIAN_FRONTEND": "noninteractive"}


def os_release(path: Path = Path("/etc/os-release")) -> str:
    """Read what the system says of itself; nothing where it says nothing."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""


# What the wheels of Qt and llama.cpp link to and do not bring: file, Debian's package, Fedora's, vital.
LIBRARIES = (
    ("libgomp.so.1", "libgomp1", "libgomp", True),
    ("libGL.so.1", "libgl1", "libglvnd-glx", True),
    ("libEGL.so.1", "libegl1", "libglvnd-egl", True),
    ("libX11.so.6", "libx11-6", "libX11", True),
    ("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon", True),
    ("libdbus-1.so.3", "libdbus-1-3", "dbus-libs", True),
    ("libfontconfig.so.1", "libfontconfig1", "fontconfig", True),
    ("libfreetype.so.6", "libfreetype6", "freetype", True),
    ("libglib-2.0.so.0", "libglib2.0-0", "glib2", True),
    ("libgthread-2.0.so.0", "libglib2.0-0", "glib2", True),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11", False),
    ("libX11-xcb.so.1", "libx11-xcb1", "libX11-xcb", False),
    ("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor", False),
    ("libxcb-glx.so.0", "libxcb-glx0", "libxcb", False),
    ("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm", False),
    ("libxcb-image.so.0", "libxcb-image0", "xcb-util-image", False),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms", False),
    ("libxcb-randr.so.0", "libxcb-randr0", "libxcb", False),
    ("libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil", False),
    ("libxcb-render.so.0", "libxcb-render0", "libxcb", False),
    ("libxcb-shape.so.0", "libxcb-shape0", "libxcb", False),
    ("libxcb-shm.so.0", "libxcb-shm0", "libxcb", False),
    ("libxcb-sync.so.1", "libxcb-sync1", "libxcb", False),
    ("libxcb-util.so.1", "libxcb-util1", "xcb-util", False),
    ("libxcb-xfixes.so.0", "libxcb-xfixes0", "libxcb", False),
    ("libxcb-xkb.so.1", "libxcb-xkb1", "libxcb", False),
    ("libwayland-client.so.0", "libwayland-client0", "libwayland-client", False),
    ("libwayland-cursor.so.0", "libwayland-cursor0", "libwayland-cursor", False),
)

FONTS = (
    Need("fontconfig", "command", ("fc-list",), "fontconfig", "fontconfig", vital=False),
    Need("a font for text", "font", (":lang=en",), "fonts-noto-core", "google-noto-sans-fonts", vital=False),
    Need(
        "a font for code",
        "font",
        (":lang=en:spacing=100",),
        "fonts-noto-mono",
        "google-noto-sans-mono-fonts",
        vital=False,
    ),
    Need("a font for CJK", "font", (":lang=zh-cn",), "fonts-noto-cjk", "google-noto-sans-cjk-fonts", vital=False),
    Need(
        "a font for emoji",
        "font",
        (":charset=1f9e0",),
        "fonts-noto-color-emoji",
        "google-noto-color-emoji-fonts",
        vital=False,
    ),
)


def _library(name: str, debian: str, fedora: str, vital: bool) -> Need:  # noqa: FBT001  a row of the table above
    return Need("Qt's libraries" if debian != "libgomp1" else "OpenMP", "library", (name,), debian, fedora, vital)


def _libraries() -> frozenset[str]:
    # Not every user's PATH holds the folder that ldconfig is in.
    programs = [found for found in (shutil.which("ldconfig"), "/sbin/ldconfig") if found and Path(found).is_file()]
    text = _output([programs[0], "-p"]) if programs else ""
    return frozenset(line.split()[0] for line in text.splitlines() if "=>" in line)


def _output(command: Sequence[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
