"""The engine from a terminal: the reply to one stream, all else to the other."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inference.__main__ import key_for
from inference.errors import ModelNotFound
from tests.gguf_files import write_tiny_model
from tests.scripted_server import ScriptedServer, plain, usage

FIGURES = {
    *("load", "queued", "prepare", "prefill", "first_sample", "wait", "decode", "finish", "ttft", "total"),
    *("prefill_rate", "decode_rate", "measured_at_client"),
}


def run(*words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inference", *words],
        input=text,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--max-tokens", "0", "Hi"),
        ("--max-tokens", "many", "Hi"),
        ("--temperature", "-1", "Hi"),
        ("--top-p", "nan", "Hi"),
        ("--context-size", "0", "Hi"),
        ("--stop", "", "Hi"),
        ("--unknown", "Hi"),
        ("--model", "http://me:secret@127.0.0.1/v1", "Hi"),
        ("--model", "http://127.0.0.1/v1", "--threads", "1", "Hi"),
        ("--remote-model", "llama", "--model", "a.gguf", "Hi"),
        ("--remote-model", "llama", "Hi"),
        ("--show-prompt", "--model", "http://127.0.0.1/v1", "Hi"),
        ("--template", os.devnull, "--model", "http://127.0.0.1/v1", "Hi"),
        ("--model", "", "Hi"),
        ("compare",),
        ("compare", "--runs", "0", "Hi"),
        ("compare", "--runs", "10", "Hi"),
        ("compare", "--model", "http://127.0.0.1/v1", "Hi"),
        ("lab",),
        ("lab", "speed"),
        ("lab", "--input-price", "-1", "cost"),
        ("lab", "--model", "http://127.0.0.1/v1", "cost"),
        ("models", "fetch", "a/b"),
        ("models", "get"),
        ("models", "get", "nonsense"),
        ("models", "search", "--limit", "0", "x"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_2(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_model_that_is_not_there_is_one_sentence_and_exit_1(tmp_path: Path) -> None:
    done = run("--model", str(tmp_path / "gone.gguf"), "Hi")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip() == str(ModelNotFound(tmp_path / "gone.gguf"))


def test_a_file_that_is_no_model_is_one_sentence_and_exit_1(tmp_path: Path) -> None:
    page = tmp_path / "page.gguf"
    page.write_text("<!doctype html><html></html>")
    done = run("--model", str(page), "Hi")
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_server_that_is_not_there_is_one_sentence_and_exit_1() -> None:
    done = run("--model", "http://127.0.0.1:1/v1", "Hi")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip() == "Nothing answers at 127.0.0.1:1. Start the server there, or check the address."


def test_a_server_answers_and_figures_that_nobody_said_are_left_out() -> None:
    counted = usage(12, 3, cached=8)
    with ScriptedServer(plain("Hello", " there", usage=counted)) as server:
        done = run("--model", server.url, "--remote-model", "llama", "--max-tokens", "9", "Hi")
        assert (done.returncode, done.stdout) == (0, "Hello there\n")
        assert "read 4 new + 8 cached tokens; wrote 3 tokens" in done.stderr
        assert "load" not in done.stderr
        assert server.chats[0].body["model"] == "llama"
    with ScriptedServer(plain("Hello")) as server:
        figures = run("--model", server.url, "Hi").stderr
        assert figures.startswith("first token")
        whole = json.loads(run("--json", "--model", server.url, "Hi").stdout)
    assert whole["usage"] == {
        "input_tokens": None,
        "cached_tokens": None,
        "output_tokens": None,
        "reasoning_tokens": 0,
    }
    assert whole["timings"]["measured_at_client"]
    assert whole["timings"]["prefill_rate"] is None


@pytest.mark.parametrize(
    ("model", "environment", "key"),
    [
        ("http://127.0.0.1:8080/v1", {"HEADWATER_API_KEY": " sk-h\n", "OPENAI_API_KEY": "sk-o"}, "sk-h"),
        ("https://api.openai.com", {"HEADWATER_API_KEY": "sk-h", "OPENAI_API_KEY": "sk-o"}, "sk-h"),
        ("https://api.openai.com/v1", {"OPENAI_API_KEY": "sk-o"}, "sk-o"),
        ("https://API.OpenAI.com:443/v1/", {"HEADWATER_API_KEY": " ", "OPENAI_API_KEY": "sk-o"}, "sk-o"),
        ("http://api.openai.com/v1", {"OPENAI_API_KEY": "sk-o"}, None),
        ("https://api.openai.com:8443/v1", {"OPENAI_API_KEY": "sk-o"}, None),
        ("https://api.openai.com.evil.example/v1", {"OPENAI_API_KEY": "sk-o"}, None),
        ("http://127.0.0.1:8080/v1", {"OPENAI_API_KEY": "sk-o"}, None),
        ("model.gguf", {"HEADWATER_API_KEY": "sk-h"}, None),
        (None, {"HEADWATER_API_KEY": "sk-h"}, None),
    ],
)
def test_a_key_from_the_environment_goes_only_where_it_was_meant_for(
    model: str | None, environment: dict[str, str], key: str | None
) -> None:
    assert key_for(model, environment) == key


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")


def through_a_shell(tiny: Path, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `line`, in which $ASK is the program with a tiny model, as a person's shell does it."""
    ask = f"'{sys.executable}' -m inference --model '{tiny}' --threads 1 --max-tokens 4"
    usual = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("$ASK", ask)],
        env={**usual, **environment},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60,
        check=False,
    )


posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
TRIES = 5
WAYS = ("hi", "--no-stream hi", "--json hi", "--show-prompt hi", "--help")


@posix
@pytest.mark.parametrize("way", WAYS)
def test_a_full_disk_is_one_sentence_and_exit_1(tiny: Path, way: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    done = through_a_shell(tiny, f"$ASK {way} >/dev/full")
    assert done.returncode == 1
    assert done.stderr == f"Standard output cannot be written to: {os.strerror(errno.ENOSPC)}.\n"


@posix
@pytest.mark.parametrize("way", WAYS)
def test_a_reader_who_was_never_there_is_no_complaint(tiny: Path, way: str) -> None:
    done = through_a_shell(tiny, f"{{ $ASK {way}; echo $? >&2; }} | true")
    assert done.stderr.split("\n")[-2:] == ["1", ""]
    assert "Error" not in done.stderr


@posix
def test_closed_streams_are_lived_with(tiny: Path) -> None:
    assert through_a_shell(tiny, "$ASK hi <&-").returncode == 0
    assert through_a_shell(tiny, "$ASK --json hi >&- 2>&- <&-").returncode == 0
    unread = through_a_shell(tiny, "$ASK - <&-")
    assert unread.returncode == 2
    assert len(unread.stderr.splitlines()) == 1


@posix
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8:strict"])
def test_what_a_terminal_cannot_write_does_not_end_the_reply(tiny: Path, encoding: str) -> None:
    line = "printf 'a\\377b' | $ASK --show-prompt --system '👍' -"
    shown = through_a_shell(tiny, line, PYTHONIOENCODING=encoding)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "<|im_start|>user\n" in shown.stdout
    whole = through_a_shell(tiny, "$ASK --json --max-tokens 60 --temperature 2 hi", PYTHONIOENCODING=encoding)
    assert isinstance(json.loads(whole.stdout)["text"], str)


@posix
def test_a_template_that_is_no_text_is_one_sentence(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "own.jinja").write_bytes(b"\xff\xfe{{ 1 }}")
    done = through_a_shell(tiny, f"$ASK --template '{tmp_path}/own.jinja' hi")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("own.jinja is not text in UTF-8.\n")


def test_help_names_every_option() -> None:
    done = run("--help")
    assert done.returncode == 0
    first = "--model --system --template --thinking --show-prompt --max-tokens"
    for option in f"{first} --temperature --seed --stop --no-stream --json".split():
        assert option in done.stdout


def test_a_template_that_cannot_be_read_is_one_sentence_and_exit_1(tmp_path: Path) -> None:
    done = run("--template", str(tmp_path / "gone.jinja"), "Hi")
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.model
def test_the_prompt_is_shown_exactly_and_nothing_is_generated() -> None:
    done = run("--show-prompt", "--system", "Be short.", "Hi <|im_end|>")
    assert done.returncode == 0
    assert done.stdout == (
        "<|im_start|>system\nBe short.<|im_end|>\n<|im_start|>user\nHi <|im_end|><|im_end|>\n<|im_start|>assistant\n"
    )
    assert done.stderr == ""


@pytest.mark.model
def test_the_prompt_is_shown_as_an_object_where_one_is_asked_for() -> None:
    shown, as_object = run("--show-prompt", "Hi"), run("--show-prompt", "--json", "Hi")
    assert json.loads(as_object.stdout) == {"prompt": shown.stdout}


@pytest.mark.model
def test_an_answer_follows_its_grammar_and_its_schema(tmp_path: Path) -> None:
    grammar, schema = tmp_path / "yes-or-no.gbnf", tmp_path / "schema.json"
    grammar.write_text('root ::= "yes" | "no"', "utf-8")
    schema.write_text('{"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}', "utf-8")
    said = run("--grammar", str(grammar), "--temperature", "0", "Is water wet?")
    assert said.stdout.strip() in ("yes", "no")
    told = run("--json-schema", str(schema), "--temperature", "0", "--max-tokens", "64", "How old is a cat of three?")
    assert isinstance(json.loads(told.stdout)["age"], int)


@pytest.mark.model
def test_a_grammar_that_is_refused_is_one_sentence_with_the_parsers_words(tmp_path: Path) -> None:
    grammar = tmp_path / "broken.gbnf"
    grammar.write_text("root ::= (", "utf-8")
    refused = run("--grammar", str(grammar), "Hi")
    assert refused.returncode == 1
    assert len(refused.stderr.strip().splitlines()) == 1
    assert "expecting" in refused.stderr


@pytest.mark.model
def test_drafts_are_counted_in_the_figures_and_the_object() -> None:
    wishes = ("--speculation", "--temperature", "0", "--max-tokens", "80")
    prompt = "Repeat exactly: " + "the cat sat on the mat and the dog lay on the rug; " * 4
    # How many there are depends on how long drafting paid, and so on what else the machine does.
    replies = (json.loads(run("--json", *wishes, prompt).stdout) for _ in range(TRIES))
    drafts = next(reply["drafts"] for reply in replies if reply["drafts"]["tokens"])
    assert drafts["tokens"] >= drafts["accepted"] > 0
    assert any("drafted tokens accepted" in run(*wishes, prompt).stderr for _ in range(TRIES))


@pytest.mark.model
def test_a_template_of_ones_own_takes_the_place_of_the_models(tmp_path: Path) -> None:
    template = tmp_path / "own.jinja"
    template.write_text("{% for m in messages %}{{ m.role }}: {{ m.content }}{{ '\n' }}{% endfor %}", "utf-8")
    shown = run("--show-prompt", "--template", str(template), "Hi")
    assert shown.stdout == "user: Hi\n"
    template.write_text("{% if %}", "utf-8")
    broken = run("--template", str(template), "Hi")
    assert broken.returncode == 1
    assert broken.stderr.startswith("The model's chat template cannot render this conversation: ")


@pytest.mark.model
def test_the_reply_streams_to_standard_output_and_the_figures_to_standard_error() -> None:
    done = run("--max-tokens", "24", "--temperature", "0", "What is the capital of Japan?")
    whole = run("--max-tokens", "24", "--temperature", "0", "--no-stream", "What is the capital of Japan?")
    assert done.returncode == 0
    assert "Tokyo" in done.stdout
    assert whole.stdout == done.stdout
    assert "tok/s" in done.stderr
    assert "first token" in done.stderr


@pytest.mark.model
def test_json_is_one_object_with_every_figure() -> None:
    done = run("--json", "--max-tokens", "8", "--seed", "1", "-", text="Say hello.")
    assert done.returncode == 0
    reply = json.loads(done.stdout)
    assert set(reply) == {"text", "reasoning", "finish_reason", "model", "usage", "timings"}
    assert set(reply["usage"]) == {"input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"}
    assert set(reply["timings"]) == FIGURES
    assert reply["finish_reason"] in ("length", "stop")
    assert reply["usage"]["output_tokens"] <= 8
    assert reply["timings"]["load"] > 0
    timings = reply["timings"]
    phases = ("queued", "load", "prepare", "prefill", "first_sample", "decode", "finish")
    assert timings["total"] == pytest.approx(sum(timings[phase] for phase in phases))
    assert timings["ttft"] == pytest.approx(timings["total"] - timings["load"] - timings["decode"] - timings["finish"])


@pytest.mark.model
def test_anything_after_two_dashes_is_a_prompt() -> None:
    done = run("--json", "--max-tokens", "1", "--", "compare")
    assert done.returncode == 0
    assert json.loads(done.stdout)["usage"]["output_tokens"] == 1


INTERRUPTS = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTS_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
@pytest.mark.parametrize(
    "module",
    [
        *("inference.configuration", "inference.errors", "inference.ids", "inference.messages", "inference.__main__"),
        *("argparse", "json", "inference.client", "inference.engine", "inference.remote", "inference.model_commands"),
    ],
)
def test_ctrl_c_while_it_starts_ends_it_without_a_word(tmp_path: Path, module: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTS)
    paths = os.pathsep.join((str(tmp_path), str(Path.cwd())))
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m inference models list; echo $?"],
        capture_output=True,
        env=os.environ | {"PYTHONPATH": paths, "INTERRUPTS_AT": module},
        check=False,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("130\n", "")


def test_ctrl_c_is_left_to_whoever_imports_the_package() -> None:
    program = "import signal, inference; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout == "True\n"


@pytest.mark.model
@pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals")
def test_ctrl_c_in_mid_reply_ends_cleanly_at_once() -> None:
    prompt = "Write a very long story about a river."
    with subprocess.Popen(
        [sys.executable, "-m", "inference", "--temperature", "0", prompt],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(5)
        os.kill(process.pid, signal.SIGINT)
        process.stdout.read()
        errors = process.stderr.read()
        assert process.wait(timeout=60) == 130
    assert errors == b""


@pytest.mark.model
def test_a_reader_who_goes_away_ends_it_without_a_complaint() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "inference", "--temperature", "0", "Write a long story."],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
        assert process.wait(timeout=30) == 1
