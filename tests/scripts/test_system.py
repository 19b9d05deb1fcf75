"""What the system lacks, and what a person is told to type."""

import pytest

from scripts import system

DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n'
UBUNTU = "NAME=Ubuntu\nID=ubuntu\nID_LIKE=debian\n"
FEDORA = "ID=fedora\n"
ROCKY = 'ID="rocky"\nID_LIKE="rhel centos fedora"\n'
COMPILER = system.Need("a C++ compiler", "command", ("c++", "g++"), "g++", "gcc-c++")
GL = system.Need("Qt's libraries", "library", ("libGL.so.1",), "libgl1", "libglvnd-glx")


class Bare(system.System):
    """A system that has what it is given, and nothing else."""

    def __init__(self, *has: str) -> None:
        super().__init__()
        self._has = has

    def has_module(self, name: str) -> bool:
        return name in self._has

    def has_command(self, name: str) -> bool:
        return name in self._has

    def has_library(self, name: str) -> bool:
        return name in self._has

    def has_font(self, pattern: str) -> bool:
        return pattern in self._has


def test_a_system_that_has_everything_lacks_nothing() -> None:
    wanted = system.needs("linux", (3, 11))
    assert system.missing(wanted, Bare(*(need.names[-1] for need in wanted))) == ()


def test_a_bare_system_lacks_everything() -> None:
    wanted = system.needs("linux", (3, 11))
    assert system.missing(wanted, Bare()) == wanted


def test_any_of_several_compilers_will_do() -> None:
    assert system.missing([COMPILER], Bare("g++")) == ()
    assert system.missing([COMPILER, GL], Bare("c++")) == (GL,)


@pytest.mark.parametrize(
    ("os_release", "family"), [(DEBIAN, "debian"), (UBUNTU, "debian"), (FEDORA, "fedora"), (ROCKY, "fedora"), ("", "")]
)
def test_a_system_is_known_by_what_it_says_of_itself(os_release: str, family: str) -> None:
    assert system.family(os_release) == family


def test_a_package_that_brings_several_things_is_named_once() -> None:
    lacking = system.missing(system.needs("linux", (3, 11)), Bare())
    for family in ("debian", "fedora"):
        names = system.packages(lacking, family)
        assert len(names) == len(set(names))
    assert "python3.11-venv" in system.packages(lacking, "debian")
    assert {"fonts-noto-cjk", "fonts-noto-color-emoji", "libxcb-cursor0"} <= set(system.packages(lacking, "debian"))


def test_each_system_is_told_its_own_line() -> None:
    lacking = (COMPILER, GL)
    assert system.advice(lacking, "linux", "debian") == "Type: sudo apt-get install g++ libgl1"
    assert system.advice(lacking, "linux", "fedora") == "Type: sudo dnf install gcc-c++ libglvnd-glx"
    assert system.advice(lacking, "darwin", "") == "Type: xcode-select --install"
    elsewhere = system.advice(lacking, "linux", "")
    assert "apt-get install g++ libgl1" in elsewhere
    assert "dnf install gcc-c++ libglvnd-glx" in elsewhere
    assert "\n" not in elsewhere


def test_debians_packages_are_asked_for_before_they_are_installed() -> None:
    (update, _), (install, _) = system.installs(["g++", "libgl1"])
    assert update == ("apt-get", "update")
    assert install[:2] == ("apt-get", "install")
    assert install[-2:] == ("g++", "libgl1")


def test_macos_needs_a_compiler_only() -> None:
    assert [need.what for need in system.needs("darwin", (3, 12))] == ["a C++ compiler"]


def test_this_system_is_asked_without_an_error() -> None:
    assert set(system.look(system.needs())) <= set(system.needs())
