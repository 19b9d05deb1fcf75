"""What the command line says is done, and what it cannot do is said."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from desktop.__main__ import _model, main, unsafe_pair
from inference import RemoteModel


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


def test_a_server_is_named_by_its_address_and_a_file_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert _model("http://localhost:8080") == RemoteModel("http://localhost:8080/v1")
    assert _model("models/small.gguf") == tmp_path / "models" / "small.gguf"
    assert _model((tmp_path / "a b%.gguf").as_uri()) == tmp_path / "a b%.gguf"


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that somebody is in cannot be deleted there")
def test_a_file_named_in_a_folder_that_is_gone_is_refused_in_a_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["small.gguf"]) == 2
    words = "The folder that this was started in is gone. Name the file by its whole path."
    assert capsys.readouterr().err == f"headwater: {words}\n"
    assert _model(str(tmp_path / "small.gguf")) == tmp_path / "small.gguf"


def test_an_address_with_a_password_in_it_is_refused_without_repeating_it(capsys, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert main(["http://me:secret@example.org"]) == 2
    assert "secret" not in capsys.readouterr().err


INTERRUPTED = """
import os, signal, sys
from desktop.__main__ import main

def press_ctrl_c(event, arguments):
    if event == "import" and arguments[0] == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(press_ctrl_c)
sys.exit(main(["--data-dir", sys.argv[2]]))
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("moment", ["PySide6.QtCore", "desktop.app", "desktop.window"])
def test_ctrl_c_before_there_is_a_window_ends_the_program_without_a_word(tmp_path, moment):
    done = run("-c", INTERRUPTED, moment, str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


INTERRUPTS = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTS_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
"""
INSTALLED = "import sys; from desktop.__main__ import main; sys.exit(main())"


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
@pytest.mark.parametrize("start", ["-m desktop", "headwater"])
@pytest.mark.parametrize("words", ["--data-dir data", "cli models list"])
@pytest.mark.parametrize("module", ["desktop.__main__", "argparse", "inference", "inference.own_files"])
def test_nor_does_it_while_python_reads_what_the_program_begins_with(tmp_path, start, words, module):
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTS)
    (tmp_path / "headwater").write_text(INSTALLED)
    paths = os.pathsep.join((str(tmp_path), *sys.path))
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} {start} {words}; echo $?"],
        capture_output=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": paths, "INTERRUPTS_AT": module, "QT_QPA_PLATFORM": "offscreen"},
        check=False,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("130\n", "")


def test_ctrl_c_is_left_to_whoever_imports_the_package():
    done = run("-c", "import signal, desktop; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)")
    assert done.stdout == "True\n"


BROKEN = """
import sys
from desktop.__main__ import main

class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise (ImportError if name == "desktop.window" else ValueError)("of /home/what was said in confidence")

def prepare(app):
    raise KeyError("what was said in confidence")

sys.meta_path.insert(0, Broken())
sys.exit(main(["--data-dir", sys.argv[2]], prepare))
"""


@pytest.mark.parametrize("moment", ["desktop.display", "desktop.window", "the program is built"])
def test_a_fault_before_there_is_a_window_is_told_without_what_was_said(tmp_path, moment):
    done = run("-c", BROKEN, moment, str(tmp_path))
    assert done.returncode == 1
    assert "headwater: Nobody foresaw this:" in done.stderr
    assert "in _run" in done.stderr
    assert "what was said" not in done.stderr


def test_a_picture_that_has_no_place_is_refused_before_anything_is_asked(tmp_path):
    (tmp_path / "file").touch()
    done = run("-m", "desktop", "--demo", str(tmp_path / "file" / "folder" / "shot.png"))
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        f"headwater: The screenshot cannot be saved as {tmp_path / 'file' / 'folder' / 'shot.png'}: Not a directory.\n"
    )


def test_a_picture_that_would_be_a_folder_is_refused_before_anything_is_asked(tmp_path):
    done = run("-m", "desktop", "--demo", str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"headwater: The screenshot cannot be saved as {tmp_path}: Is a directory.\n"


def test_a_demonstration_is_of_the_model_that_was_named_or_of_none(tmp_path):
    done = run("-m", "desktop", "--demo", str(tmp_path / "shot.png"), str(tmp_path / "notes.txt"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "headwater: notes.txt is not a model file. Headwater opens files that end in .gguf.\n"


@pytest.mark.parametrize("option", ["--demo", "--data-dir"])
def test_an_empty_text_names_no_place(capsys, option):
    with pytest.raises(SystemExit) as leaving:
        main([option, ""])
    assert leaving.value.code == 2
    assert f"argument {option}: an empty text names no place" in capsys.readouterr().err


def test_an_empty_text_names_no_model(capsys, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert main([""]) == 2
    assert capsys.readouterr().err == "headwater: An empty text names no model.\n"


SPOKEN_TO_NOBODY = """
import os, sys
from desktop.__main__ import _complain, _say

os.close(0)
for number in (1, 2):
    reader, writer = os.pipe()
    os.close(reader)
    os.dup2(writer, number)
for _ in range(3):
    _say("words")
    _complain("a sentence")
"""


CLOSED = """
import os, sys

for number in (0, 1, 2):
    os.close(number)
sys.stdin = sys.stdout = sys.stderr = None
from desktop.__main__ import main

main(["--version"])
os._exit(os.open(os.devnull, os.O_RDONLY))
"""


def test_no_file_takes_the_place_of_a_stream_that_was_closed():
    assert run("-c", CLOSED).returncode == 3


def test_words_that_nobody_reads_any_more_change_nothing():
    assert run("-c", SPOKEN_TO_NOBODY).returncode == 0


def test_a_terminal_without_the_letters_of_an_answer_gets_the_others(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = run("-c", "from desktop.__main__ import main, _say; main(['--version']); _say('caf\\u00e9')")
    assert done.stdout.endswith("caf?\n")


IMPORTED = "import sys, desktop.__main__; print(*sorted(sys.modules))"


def test_nothing_heavy_is_imported_before_the_arguments_are_known():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", IMPORTED], env=environment, capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"PySide6", "llama_cpp", "numpy", "jinja2", "markdown_it", "pygments", "inference"})
