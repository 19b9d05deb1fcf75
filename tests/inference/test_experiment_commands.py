"""`compare` and `lab` in a terminal, with the real small model."""

from __future__ import annotations

import csv
import io
import json

import pytest

from inference.__main__ import _parser_of
from inference.experiment_commands import COMPARED_TOKENS
from tests.inference.test_main import run


@pytest.mark.model
def test_compare_prints_one_object_with_samples_and_medians() -> None:
    done = run("compare", "Explain KV caching in one sentence.", "--runs", "2", "--max-tokens", "12", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    for mode in ("on", "off"):
        for figure in ("first_text", "total", "decode_rate"):
            assert len(found[mode][figure]["samples"]) == 2
            assert min(found[mode][figure]["samples"]) <= found[mode][figure]["median"]
    assert found["on"]["first_text"]["median"] < found["off"]["first_text"]["median"]
    assert "n = 2." in found["sentence"]  # a busy machine is said after it
    assert found["texts_differ"] is False


@pytest.mark.model
def test_compare_is_read_as_markdown_and_may_be_csv() -> None:
    done = run("compare", "--runs", "1", "--max-tokens", "4", "--csv", "--", "lab")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0][0] == "Streaming on and off"
    assert ["Every run"] in rows


@pytest.mark.model
def test_lab_prints_one_object_with_a_verdict() -> None:
    done = run("lab", "max-tokens", "--quick", "--json", "--threads", "1")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["name"] == "max-tokens"
    assert found["verdict"]["sentence"]
    assert found["quick"] is True


def test_an_answer_that_is_compared_has_an_end_that_is_said_before_and_may_be_another() -> None:
    assert f"(default: {COMPARED_TOKENS})" in " ".join(run("compare", "--help").stdout.split())
    parser = _parser_of("compare")
    assert parser.parse_args(["Why?"]).max_tokens == COMPARED_TOKENS
    assert parser.parse_args(["Why?", "--max-tokens", "5"]).max_tokens == 5
    assert _parser_of("").parse_args(["Why?"]).max_tokens is None


def test_the_commands_explain_themselves() -> None:
    for command, word in (("compare", "--runs"), ("lab", "kv-cache")):
        done = run(command, "--help")
        assert done.returncode == 0
        assert word in done.stdout
