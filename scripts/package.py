"""Makes what people install: the program in one folder, and from it, on Linux, a .deb and a portable .tar.zst.

    .venv-package/bin/python -m scripts.package [cuda|metal|vulkan]

`make package` calls it, in an environment whose llama.cpp runs on any processor of the promise (see `PORTABLE` in
`scripts.setup`). On macOS and Windows it makes the folder and the .app; docs/packaging.md says what follows.
"""

from __future__ import annotations

import compileall
import hashlib
import os
import platform
import py_compile
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from desktop.licences import CONTENTS, FOLDER, collected

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "resources" / "packaging"
OUT = ROOT / "build" / "package"
ICON_SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
ICNS_NAMES = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08", 512: b"ic09"}
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}

# What PyInstaller takes along and nothing here uses.
UNUSED = (
    "libQt6Qml*", "libQt6Quick*", "libQt6Pdf*", "libQt6VirtualKeyboard*", "libQt6OpenGL*", "libQt6EglFS*",
    "libQt6EglFs*", "libQt6Test*", "libQt6Sql*", "libQt6Designer*", "libQt6Help*", "libQt6UiTools*",
    "libQt6Concurrent*", "libQt6PrintSupport*", "libqeglfs*", "libqlinuxfb*", "libqvnc*", "libqvkkhrdisplay*",
    "libqminimalegl*", "libqtiff*", "libqtga*", "libqwbmp*", "libqicns*", "libqwebp*", "libqjpeg*", "libqpdf*",
    "libqtvirtualkeyboardplugin*", "libqevdev*", "libqtuiotouchplugin*", "libmtmd*", "lxml/objectify*",
    "lxml/isoschematron/*", "lxml/sax*", "libreadline*", "libtinfo*", "lib-dynload/readline*",
)  # fmt: skip
KEPT_TRANSLATIONS = ("qtbase_de.qm",)
LEVEL = 16  # of the packing; at 19 it takes four times as long for two per cent less

# What every desktop has and must be its own: drivers, fonts, sessions, and all that GTK's file chooser is made of,
# which is the desktop's too: two of one library in one program is how programs die on other distributions.
SYSTEM_LIBRARIES = (
    "libGL.so*", "libEGL.so*", "libGLX.so*", "libGLdispatch.so*", "libOpenGL.so*", "libdrm.so*", "libgbm.so*",
    "libfontconfig.so*", "libfreetype.so*", "libgtk-3.so*", "libgdk-3.so*", "libstdc++.so*", "libgcc_s.so*",
    "libwayland-*.so*", "libX11.so*", "libX11-xcb.so*", "libXau.so*", "libXdmcp.so*", "libXext.so*", "libXrender.so*",
    "libxcb-glx.so*", "libbsd.so*", "libmd.so*", "libglib-2.0.so*", "libgthread-2.0.so*", "libgobject-2.0.so*",
    "libgio-2.0.so*", "libgmodule-2.0.so*", "libatk-1.0.so*", "libcairo*.so*", "libpango*.so*", "libharfbuzz.so*",
    "libgdk_pixbuf-2.0.so*", "libfribidi.so*", "libthai.so*", "libdatrie.so*", "libgraphite2.so*", "libpixman-1.so*",
    "libjpeg.so*", "libpng16.so*", "libmount.so*", "libblkid.so*", "libselinux.so*", "libpcre2-8.so*", "libexpat.so*",
    "libbrotli*.so*", "libdbus-1.so*", "libsystemd.so*", "libgcrypt.so*", "libgpg-error.so*", "libcap.so*",
    "libcuda.so*", "libnvidia-*.so*", "libvulkan.so*",
)  # fmt: skip
DEPENDS = (
    "libgcc-s1", "libegl1", "libgl1", "libfontconfig1", "libfreetype6", "libdbus-1-3", "libglib2.0-0", "libx11-6",
    "libx11-xcb1", "libxcb1", "libxcb-glx0", "libwayland-client0", "libwayland-cursor0", "libwayland-egl1",
)  # fmt: skip
DEVICE_DEPENDS = {"vulkan": ("libvulkan1",)}  # CUDA's driver is NVIDIA's own, under many names
COMPILERS = {29: 11, 30: 12, 31: 13, 32: 13, 33: 14, 34: 15}  # GCC's version by that of its library, GLIBCXX_3.4.x


def main(arguments: Sequence[str] = ()) -> int:
    """Make all that this system can, for the device that is named; returns the exit status."""
    device = next(iter(arguments), "")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    make_icons(OUT / "icons")
    write_licences(OUT / FOLDER)
    folder = freeze(version)
    say(f"{folder.relative_to(ROOT)}: {size_of(folder) / 1e6:,.0f} MB, made of {', '.join(largest(folder))}")
    if sys.platform == "linux":
        add_licences_of_the_system(folder / "_internal")
        write_needs(folder)
        for made in (make_archive(folder, version, device), make_deb(folder, version, device)):
            say(f"{made.relative_to(ROOT)}: {made.stat().st_size / 1e6:,.0f} MB")
    return 0


def freeze(version: str) -> Path:
    """Put the program into one folder, and leave out what it does not need."""
    command = (sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN")
    places = ("--distpath", str(OUT), "--workpath", str(ROOT / "build" / "pyinstaller"))
    environment = {**os.environ, "HEADWATER_VERSION": version, "PYTHONHASHSEED": "1"}
    run((*command, *places, str(HERE / "headwater.spec")), environment)
    folder = OUT / "headwater"
    add_compiled_support(folder / "_internal")
    if sys.platform == "linux":
        trim(folder / "_internal")
    return folder


def add_compiled_support(inside: Path) -> None:
    """Bring along, compiled, the Python that PySide6 holds as text in a library and else compiles at every start."""
    import shiboken6

    # With this PySide6 itself writes it beside its library, and looks for it there before it takes its own text.
    run((sys.executable, "-c", "import PySide6.QtCore"), {**os.environ, "SBK_EMBED": "no"})
    found = Path(shiboken6.__file__).parent / "files.dir"
    folder = inside / "shiboken6" / "files.dir"
    shutil.copytree(found, folder, ignore=shutil.ignore_patterns("__pycache__"))
    is_compiled = compileall.compile_dir(
        folder, quiet=1, stripdir=inside, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    if not is_compiled:
        raise SystemExit("What PySide6 writes of its support could not be compiled.")


def trim(inside: Path) -> None:
    """Leave out what is not used, what must be the system's own, and what lies there twice."""
    for pattern in (*UNUSED, *SYSTEM_LIBRARIES):
        for path in inside.rglob(pattern):
            if path.is_symlink() or path.is_file():
                path.unlink()
    for path in inside.rglob("translations/*.qm"):
        if path.name not in KEPT_TRANSLATIONS:
            path.unlink()
    link_twins(inside)
    strip(inside)
    for path in sorted(inside.rglob("*"), reverse=True):
        if path.is_symlink() and not path.exists():
            path.unlink()
        elif path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            path.rmdir()


def strip(inside: Path) -> None:
    """Drop what only debuggers read, of what comes from this system and from our own compiler. Wheels' libraries are
    small already, and those that were made to fit into a wheel do not survive it."""
    for pattern in ("*.so*", "python*/lib-dynload/*.so", "llama_cpp/lib/*.so*"):
        for path in inside.glob(pattern):
            if path.is_file() and not path.is_symlink():
                run(("strip", "--strip-unneeded", str(path)))


def link_twins(inside: Path) -> None:
    """Let libraries that are alike be one file and links to it: the system then loads each once."""
    seen: dict[str, Path] = {}
    for path in sorted(inside.rglob("*.so*"), key=lambda path: (len(path.name), str(path))):
        if path.is_symlink() or not path.is_file():
            continue
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        if (twin := seen.setdefault(digest, path)) is not path:
            path.unlink()
            path.symlink_to(os.path.relpath(twin, path.parent))


def make_icons(folder: Path) -> None:
    """Draw the icon in every size, and as the systems want it."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QSize, Qt
    from PySide6.QtGui import QGuiApplication, QIcon

    application = QGuiApplication.instance() or QGuiApplication([])
    folder.mkdir(parents=True, exist_ok=True)
    icon = QIcon(str(ROOT / "resources" / "icons" / "headwater.svg"))
    for size in ICON_SIZES:
        picture = icon.pixmap(QSize(size, size), 1.0).toImage()
        if picture.size() != QSize(size, size):
            picture = picture.scaled(size, size, Qt.AspectRatioMode.KeepAspectRatio)
        if not picture.save(str(folder / f"headwater-{size}.png")):
            raise SystemExit(f"The icon of {size} points could not be written.")
    drawn = {size: (folder / f"headwater-{size}.png").read_bytes() for size in ICON_SIZES}
    (folder / "headwater.ico").write_bytes(ico_of(drawn))
    (folder / "headwater.icns").write_bytes(icns_of(drawn))
    del application


def ico_of(drawn: Mapping[int, bytes]) -> bytes:
    """Windows' icon: PNG pictures of these sizes, as far as it has room for such sizes."""
    fitting = {size: picture for size, picture in sorted(drawn.items()) if size <= 256}
    head = struct.pack("<HHH", 0, 1, len(fitting))
    at = len(head) + 16 * len(fitting)
    for size, picture in fitting.items():
        # 256 is written as 0; one plane of 32 bits for each point.
        head += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(picture), at)
        at += len(picture)
    return head + b"".join(fitting.values())


def icns_of(drawn: Mapping[int, bytes]) -> bytes:
    """macOS's icon: PNG pictures, of the sizes that it has names for."""
    parts = b"".join(
        name + struct.pack(">I", 8 + len(drawn[size])) + drawn[size]
        for size, name in ICNS_NAMES.items()
        if size in drawn
    )
    return b"icns" + struct.pack(">I", 8 + len(parts)) + parts


def write_licences(folder: Path) -> None:
    """Put the licence of every package where the program is put together from, and a list of what is under which."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in collected():
        (folder / name).write_text(text, "utf-8")


def add_licences_of_the_system(inside: Path) -> None:
    """And of the libraries that the program takes along from the system it is built on."""
    for path in sorted(inside.glob("lib*.so*")):
        if path.is_symlink() or (package := package_of(path.name)) is None:
            continue
        copyright_of = Path("/usr/share/doc", package, "copyright")
        if copyright_of.is_file():
            shutil.copyfile(copyright_of, inside / FOLDER / f"{package} (system library)")


def package_of(library: str) -> str | None:
    """Debian's package with this library."""
    if shutil.which("dpkg-query") is None:
        return None
    found = subprocess.run(
        ("dpkg-query", "--search", f"*/{library}*"), capture_output=True, text=True, check=False
    ).stdout
    return found.partition(":")[0].partition(",")[0] or None


def make_archive(folder: Path, version: str, device: str = "") -> Path:
    """A folder that runs from wherever it is unpacked to, compressed."""
    import zstandard

    name = "-".join(filter(None, ("headwater", version, "linux", platform.machine(), device)))
    root = OUT / name
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(folder, root / "program", symlinks=True)
    shutil.copyfile(HERE / "linux" / "launcher.sh", root / "headwater")
    (root / "headwater").chmod(0o755)
    shutil.copyfile(HERE / "linux" / "READ ME.txt", root / "READ ME.txt")
    share_files(root / "share")
    made = OUT / f"{name}.tar.zst"
    packer = zstandard.ZstdCompressor(level=LEVEL, threads=os.cpu_count() or 1)
    with made.open("wb") as file, packer.stream_writer(file) as packed, tarfile.open(fileobj=packed, mode="w|") as tar:
        tar.add(root, name, filter=owned_by_nobody)
    shutil.rmtree(root)
    return made


def make_deb(folder: Path, version: str, device: str = "") -> Path:
    """A package for Debian and its relatives."""
    architecture = ARCHITECTURES.get(platform.machine(), platform.machine())
    root = OUT / "deb"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(folder, root / "usr/lib/headwater", symlinks=True)
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/headwater").symlink_to("../lib/headwater/headwater")
    share_files(root / "usr/share")
    documents = root / "usr/share/doc/headwater"
    documents.mkdir(parents=True)
    shutil.copyfile(folder / "_internal" / FOLDER / CONTENTS, documents / "copyright")
    control = root / "DEBIAN"
    control.mkdir()
    control.joinpath("control").write_text(
        "Package: headwater\n"
        f"Version: {version}\n"
        f"Architecture: {architecture}\n"
        f"Installed-Size: {size_of(root) // 1024}\n"
        "Section: utils\nPriority: optional\n"
        f"Depends: {', '.join((*needs_of(folder), *DEPENDS, *DEVICE_DEPENDS.get(device, ())))}\n"
        "Maintainer: The Headwater developers <headwater@localhost>\n"
        "Description: chat with language models on your own machine\n"
        " Runs language models without a network and shows what happens while it does.\n"
        " A small model comes with it.\n",
        "utf-8",
    )
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    made = OUT / f"headwater{f'-{device}' if device else ''}_{version}_{architecture}.deb"
    run(("dpkg-deb", "--root-owner-group", "-Zzstd", f"-z{LEVEL}", "--build", str(root), str(made)))
    shutil.rmtree(root)
    return made


def write_needs(folder: Path) -> None:
    """Let the program's folder say which C library it needs: the launcher looks before it starts the program."""
    glibc, _ = versions_needed(folder)
    (folder / "glibc").write_text(f"2.{glibc}\n", "utf-8")


def needs_of(folder: Path) -> tuple[str, str]:
    """The packages of the C and the C++ library, as new as what is shipped was built with."""
    glibc, glibcxx = versions_needed(folder)
    return f"libc6 (>= 2.{glibc})", f"libstdc++6 (>= {COMPILERS.get(glibcxx, max(COMPILERS.values()))})"


@cache
def versions_needed(folder: Path) -> tuple[int, int]:
    """The newest symbols that anything shipped wants: x of GLIBC_2.x and of GLIBCXX_3.4.x."""
    found = {"GLIBC_2": 0, "GLIBCXX_3.4": 0}
    for path in (folder / "headwater", *folder.rglob("*.so*")):
        if path.is_file() and not path.is_symlink():
            symbols = subprocess.run(("objdump", "-T", str(path)), capture_output=True, text=True, check=False).stdout
            for name, number in re.findall(r"\b(GLIBC_2|GLIBCXX_3\.4)\.(\d+)", symbols):
                found[name] = max(found[name], int(number))
    return found["GLIBC_2"], found["GLIBCXX_3.4"]


def share_files(share: Path) -> None:
    """What a desktop reads of a program: its entry, its icons, the kind of its files, what it is."""
    linux = HERE / "linux"
    for source, place in (
        (linux / "headwater.desktop", share / "applications"),
        (linux / "org.headwater.headwater.metainfo.xml", share / "metainfo"),
        (linux / "headwater-mime.xml", share / "mime/packages"),
        (ROOT / "resources/icons/headwater.svg", share / "icons/hicolor/scalable/apps"),
    ):
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place / source.name)
    for size in ICON_SIZES:
        place = share / f"icons/hicolor/{size}x{size}/apps"
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(OUT / f"icons/headwater-{size}.png", place / "headwater.png")


def owned_by_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """An entry that says nothing of who packed it."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def size_of(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() or path.is_symlink())


def largest(folder: Path, count: int = 8) -> Iterable[str]:
    """The parts that take most, with their sizes."""
    parts = [*(folder / "_internal").iterdir(), *(path for path in folder.iterdir() if path.is_file())]
    sized = sorted(
        ((size_of(part) if part.is_dir() else part.lstat().st_size, part.name) for part in parts), reverse=True
    )
    return (f"{name} {size / 1e6:,.0f} MB" for size, name in sized[:count])


def run(command: Sequence[str], environment: dict[str, str] | None = None) -> None:
    """Run a command, and end with it where it fails."""
    done = subprocess.run(command, env=environment, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"{Path(command[0]).name} failed with status {done.returncode}.")


def say(words: str) -> None:
    """Tell whoever waits."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
