import subprocess
import sys

import pytest

from inference.errors import ModelError
from inference.llama.log import LogLines
from tests.gguf_files import write_tiny_model
from tests.llama_models import load

DEBUG, INFO, WARNING, ERROR, CONTINUED = 1, 2, 3, 4, 5


def written(*lines: tuple[int, bytes]) -> LogLines:
    log = LogLines()
    for level, text in lines:
        log.take(level, text)
    return log


def test_errors_are_told_from_the_rest_and_debugging_is_dropped():
    log = written(
        (DEBUG, b"noise\n"), (INFO, b"loading\n"), (WARNING, b"hm\n"), (ERROR, b"llama_load: it broke: badly\n")
    )
    assert log.lines() == ["loading", "hm", "llama_load: it broke: badly"]
    assert log.errors() == ["llama_load: it broke: badly"]


def test_a_continued_line_belongs_to_the_one_before():
    log = written((ERROR, b"f: half"), (CONTINUED, b" a line\n"), (INFO, b"next\n"))
    assert log.errors() == ["f: half a line"]


def test_only_the_last_lines_are_kept():
    log = written(*((INFO, b"%d\n" % number) for number in range(1000)))
    assert log.lines()[-1] == "999"
    assert len(log.lines()) == 200


def test_what_was_forgotten_is_gone():
    log = written((ERROR, b"f: old\n"))
    log.forget()
    assert log.errors() == []


def test_bytes_that_are_no_text_do_no_harm():
    assert written((ERROR, b"f: \xff\n"), (CONTINUED, b"")).errors() == ["f: \ufffd"]


def test_nothing_reaches_a_terminal_and_the_reason_of_a_failure_is_kept(tmp_path, capfd):
    with pytest.raises(ModelError, match="does not know its architecture"):
        load(write_tiny_model(tmp_path / "x.gguf", architecture="unheard-of"))
    load(write_tiny_model(tmp_path / "y.gguf")).close()
    assert capfd.readouterr() == ("", "")


def test_a_program_that_ends_without_freeing_its_model_ends_quietly(tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf")
    program = (
        "import sys; from pathlib import Path; from tests.llama_models import load;"
        "model = load(Path(sys.argv[1])); model.evaluate([1, 2, 3]); print(len(model.tokens))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")
