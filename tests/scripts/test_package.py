"""What people install is put together right, also for the systems it is not built on here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageReader

from scripts.package import ICON_SIZES, SYSTEM_LIBRARIES, icns_of, ico_of, largest, trim
from scripts.package_test import libraries_in

ROOT = Path(__file__).parents[2]


def drawn(size: int, folder: Path) -> bytes:
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0xFF2060C0)
    path = folder / f"{size}.png"
    assert image.save(str(path))
    return path.read_bytes()


def sizes_in(icon: bytes, kind: str) -> set[int]:
    buffer = QBuffer()
    buffer.setData(QByteArray(icon))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(kind.encode()))
    assert reader.canRead()
    sizes = set()
    for number in range(reader.imageCount()):
        assert reader.jumpToImage(number)
        image = reader.read()
        assert image.pixelColor(image.width() // 2, image.height() // 2).name() == "#2060c0"
        sizes.add(image.width())
    return sizes


@pytest.mark.skipif(
    not {b"ico", b"icns"} <= {bytes(kind.data()) for kind in QImageReader.supportedImageFormats()},
    reason="this Qt cannot read them",
)
def test_the_icons_of_the_other_systems_have_every_size_that_they_have_room_for(qapp, tmp_path):
    pictures = {size: drawn(size, tmp_path) for size in ICON_SIZES}
    assert sizes_in(ico_of(pictures), "ico") == {size for size in ICON_SIZES if size <= 256}
    assert sizes_in(icns_of(pictures), "icns") == {16, 32, 64, 128, 256, 512}


@pytest.mark.parametrize("program", ["headwater", "headwater.exe"])
def test_the_largest_parts_are_told_whatever_the_program_is_called(tmp_path, program):
    (tmp_path / "_internal" / "model").mkdir(parents=True)
    (tmp_path / "_internal" / "model" / "weights").write_bytes(bytes(3_000_000))
    (tmp_path / "_internal" / "small").write_bytes(b"x")
    (tmp_path / program).write_bytes(bytes(2_000_000))
    assert list(largest(tmp_path, 2)) == ["model 3 MB", f"{program} 2 MB"]


@pytest.mark.skipif(sys.platform != "linux", reason="what is packaged elsewhere is left as it is")
def test_what_every_desktop_has_is_left_out_and_what_lies_there_twice_is_there_once(tmp_path):
    (tmp_path / "lib").mkdir()
    for pattern in SYSTEM_LIBRARIES:
        (tmp_path / "lib" / pattern.replace("*", "")).write_bytes(b"the system's")
    for name in ("libours.so", "libours.so.0"):
        (tmp_path / "lib" / name).write_bytes(b"ours")
    trim(tmp_path)
    assert {path.name for path in (tmp_path / "lib").iterdir()} == {"libours.so", "libours.so.0"}
    assert [path.name for path in libraries_in(tmp_path / "lib")] == ["libours.so"]


def test_what_shops_for_programs_are_told_agrees_with_itself_and_with_the_entry_of_the_menu():
    linux = ROOT / "resources/packaging/linux"
    (told_in,) = linux.glob("*.metainfo.xml")
    told = fromstring(told_in.read_text("utf-8"))  # noqa: S314 - our own file
    name = told.findtext("id", "")
    assert told_in.name == f"{name}.metainfo.xml"
    assert name == name.lower(), "else checkers complain of it"
    entry = ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]  # the keys of an entry have capitals
    entry.read(linux / told.findtext("launchable", ""), "utf-8")
    menu = entry["Desktop Entry"]
    assert menu["Name"] == told.findtext("name")
    assert menu["MimeType"] == f"{told.findtext('provides/mediatype')};"
    assert menu["TryExec"] == told.findtext("provides/binary")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    releases = [release.get("version") for release in told.iter("release")]
    assert releases[0] == version


# The spec is a program of PyInstaller's, which is not here; what it is asked for is.
ASKED_FOR = """
import json, runpy, sys, types
from pathlib import Path

sys.path.insert(0, sys.argv[1])
spec = Path(sys.argv[1]) / "resources/packaging/headwater.spec"
hooks = types.ModuleType("PyInstaller.utils.hooks")
hooks.collect_data_files = hooks.collect_submodules = hooks.copy_metadata = lambda name: []
sys.modules |= {"PyInstaller": types.ModuleType("PyInstaller"), "PyInstaller.utils": types.ModuleType("utils")}
sys.modules["PyInstaller.utils.hooks"] = hooks
asked = {}

def taking(name):
    class Made:
        pure = scripts = binaries = datas = ()

        def __init__(self, *parts, **wishes):
            asked[name] = wishes

    return Made

sys.platform = sys.argv[2]
names = {name: taking(name) for name in ("Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE")}
exec(compile(spec.read_text(), spec, "exec"), {**names, "SPECPATH": str(spec.parent)})
print(json.dumps(asked, default=str))
"""


def asked_for(system: str, **environment: str) -> dict[str, dict[str, object]]:
    command = [sys.executable, "-c", ASKED_FOR, str(ROOT), system]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True, timeout=60)
    found: dict[str, dict[str, object]] = json.loads(done.stdout)
    return found


def test_on_macos_it_is_a_program_with_a_window_its_version_and_its_kind_of_file():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    asked = asked_for("darwin", HEADWATER_VERSION=version, HEADWATER_SIGN="Developer ID Application: Somebody")
    bundle = asked["BUNDLE"]
    assert bundle["version"] == version
    facts = bundle["info_plist"]
    assert isinstance(facts, dict)
    assert facts["LSBackgroundOnly"] is False, "PyInstaller hides whatever has a terminal"
    assert facts["CFBundleDocumentTypes"][0]["CFBundleTypeExtensions"] == ["gguf"]
    assert asked["EXE"]["codesign_identity"] == "Developer ID Application: Somebody"


def test_elsewhere_it_is_one_folder_that_nobody_signs_and_windows_hides_its_terminal():
    assert "BUNDLE" not in asked_for("linux", HEADWATER_SIGN="")
    windows = asked_for("win32", HEADWATER_SIGN="")
    assert "BUNDLE" not in windows
    assert windows["EXE"]["hide_console"] == "hide-early"
    assert windows["EXE"]["codesign_identity"] is None


def test_the_libraries_of_llama_cpp_are_asked_for_once_each():
    asked = asked_for("linux")
    names = [Path(source).name for source, _ in asked["Analysis"]["binaries"]]  # type: ignore[attr-defined]  # JSON
    stems = {name.partition(".")[0] for name in names}
    assert {"libllama", "libggml", "libggml-cpu"} <= stems
    assert [name for name in names if name.partition(".so.")[2] not in ("", "0")] == []
