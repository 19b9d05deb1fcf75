"""What the command line says is done, and what it cannot do is said."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from desktop.__main__ import main, unsafe_pair


def test_the_version_is_printed_and_that_is_all(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("Headwater ")


def test_an_option_that_does_not_exist_is_refused(capsys):
    with pytest.raises(SystemExit) as leaving:
        main(["--flux"])
    assert leaving.value.code == 2
    assert "--flux" in capsys.readouterr().err


def test_cli_hands_over_to_the_engine(capsys):
    with pytest.raises(SystemExit) as leaving:
        main(["cli", "--help"])
    assert leaving.value.code == 0
    assert "--max-tokens" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("python", "pyside", "is_safe"),
    [
        ((3, 11), "6.12.0", False),
        ((3, 10), "6.12.0", False),
        ((3, 11), "6.11.3", True),
        ((3, 11), "6.12.1", True),
        ((3, 12), "6.12.0", True),
        ((3, 13), "6.12.0", True),
    ],
)
def test_a_pair_that_ends_the_process_is_refused(python, pyside, is_safe):
    assert (unsafe_pair(python, pyside) == "") is is_safe


IMPORTED = "import sys, desktop.__main__; print(*sorted(sys.modules))"


def test_nothing_heavy_is_imported_before_the_arguments_are_known():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", IMPORTED], env=environment, capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"PySide6", "llama_cpp", "numpy", "jinja2", "markdown_it", "pygments", "inference"})
