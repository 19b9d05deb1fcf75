import subprocess
import sys

import pytest

from inference.errors import ModelError
from inference.llama.log import LogFile, LogLines
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


def test_whoever_listens_hears_everything_but_the_debugging():
    log, heard = LogLines(), []
    log.listen(lambda level, text: heard.append((level, text)))
    log.take(DEBUG, b"noise\n")
    log.take(INFO, b"half ")
    log.take(CONTINUED, b"a line\n")
    assert heard == [(INFO, "half "), (CONTINUED, "a line\n")]


def test_a_log_file_has_the_time_and_the_level_of_each_line(tmp_path):
    file = LogFile(tmp_path / "logs" / "llama.log")
    for level, text in ((INFO, "loading\n"), (WARNING, "hm\n"), (ERROR, "broken\n"), (INFO, "\n")):
        file.write(level, text)
    file.close()
    lines = (tmp_path / "logs" / "llama.log").read_text().splitlines()
    assert [line.split(" ", 2)[2] for line in lines] == ["INFO loading", "WARNING hm", "ERROR broken"]


def test_a_full_log_file_is_set_aside_and_no_more_than_two_are_kept(tmp_path):
    file = LogFile(tmp_path / "llama.log", size=1000)
    for number in range(200):
        file.write(INFO, f"line {number}\n")
    file.close()
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert kept == ["llama.log", "llama.log.1", "llama.log.2"]
    assert all(path.stat().st_size <= 1000 for path in tmp_path.iterdir())
    assert "line 199" in (tmp_path / "llama.log").read_text()


def test_a_log_file_that_cannot_be_written_is_passed_over_in_silence(tmp_path, capfd):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    LogFile(in_the_way / "llama.log").write(ERROR, "broken\n")
    gone = LogFile(tmp_path / "llama.log")
    gone.write(ERROR, "a surrogate \ud800, and more\n")
    gone.close()
    assert capfd.readouterr() == ("", "")
