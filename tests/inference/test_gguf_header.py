import pytest

from inference.errors import ModelError, ModelUnreadable, ModelUnsupported
from inference.gguf_header import part_name, read_facts
from inference.llama import load_reader
from inference.model_files import check_file, describe
from inference.model_names import display_name
from tests.gguf_files import CHAT_TEMPLATE, write_tiny_model
from tests.llama_models import loaded, read, write


def test_a_file_says_where_its_weights_are(tmp_path):
    facts = read_facts(write_tiny_model(tmp_path / "x.gguf", block_count=3))
    tokens, layer = 271 * 32 * 4, (32 + 32 * 32 * 2 + 32 * 16 * 2 + 32 + 3 * 64 * 32) * 4
    assert facts.weights.input == tokens
    assert facts.weights.layers == (layer,) * 3
    assert facts.weights.output == 32 * 4
    assert facts.weights.total == facts.parameters * 4


def test_a_model_in_parts_is_loaded_by_its_first_one(tmp_path):
    whole = write_tiny_model(tmp_path / "whole.gguf", block_count=3)
    first = write_tiny_model(tmp_path / "Tiny.gguf", block_count=3, tensors_per_part=10)
    facts = check_file(first)
    one = check_file(whole)
    assert [part.path.name for part in facts.parts] == [f"Tiny-0000{n}-of-00003.gguf" for n in (1, 2, 3)]
    assert (facts.parameters, facts.tensor_count, facts.weights) == (one.parameters, one.tensor_count, one.weights)
    assert facts.file_size == sum(path.stat().st_size for path in tmp_path.glob("Tiny-*"))
    assert display_name(first) == "Tiny"
    with loaded(first) as model, loaded(whole) as same:
        for each in (model, same):
            read(each, list(range(20)))
        assert write(model, 8) == write(same, 8)
        assert model.info.name == "Tiny"


def test_a_part_that_is_missing_is_named(tmp_path):
    first = write_tiny_model(tmp_path / "Tiny.gguf", tensors_per_part=8)
    (tmp_path / "Tiny-00002-of-00003.gguf").unlink()
    with pytest.raises(ModelUnreadable, match=r"Part 2 of 3 is missing: Tiny-00002-of-00003\.gguf"):
        check_file(first)


def test_a_part_that_is_cut_short_is_named(tmp_path):
    first = write_tiny_model(tmp_path / "Tiny.gguf", tensors_per_part=8)
    last = tmp_path / "Tiny-00003-of-00003.gguf"
    last.write_bytes(last.read_bytes()[:-1])
    with pytest.raises(ModelUnreadable, match=r"Tiny-00003-of-00003\.gguf .*ends before its last tensor") as raised:
        check_file(first)
    assert raised.value.path == last


def test_another_part_than_the_first_leads_to_the_first(tmp_path):
    write_tiny_model(tmp_path / "Tiny.gguf", tensors_per_part=8)
    second = tmp_path / "Tiny-00002-of-00003.gguf"
    with pytest.raises(ModelError, match=r"part 2 of 3 of a model.*Tiny-00001-of-00003\.gguf"):
        check_file(second)


def test_a_first_part_under_another_name_says_how_it_must_end(tmp_path):
    first = write_tiny_model(tmp_path / "Tiny.gguf", tensors_per_part=8)
    with pytest.raises(ModelUnreadable, match=r"first of 3 parts, so its name must end in -00001-of-00003\.gguf"):
        check_file(first.rename(tmp_path / "renamed.gguf"))


@pytest.mark.parametrize("count", [2, 65535, 2**32 - 1])
def test_a_file_that_claims_to_have_parts_it_never_had_is_refused_at_once(tmp_path, count):
    path = write_tiny_model(tmp_path / f"x-00001-of-{count:05d}.gguf", metadata={"split.count": count})
    with pytest.raises(ModelUnreadable, match="Part 2 of"):
        read_facts(path)


def test_parts_are_named_as_llama_cpp_names_them(tmp_path):
    assert part_name(tmp_path / "a-b-00002-of-00012.gguf", 3, 12) == "a-b-00003-of-00012.gguf"
    assert part_name(tmp_path / "a-00002-of-00012.gguf", 3, 11) == ""
    assert part_name(tmp_path / "a.gguf", 1, 2) == ""


def test_a_file_is_described_without_loading_it(tmp_path):
    path = write_tiny_model(
        tmp_path / "Tiny-Chat.gguf",
        metadata={
            "general.name": "Checkpoint 7000",
            "general.size_label": "9K",
            "general.license": "apache-2.0",
        },
    )
    facts = describe(path)
    assert (facts.name, facts.title, facts.size_label) == ("Tiny-Chat", "Checkpoint 7000", "9K")
    assert (facts.architecture, facts.quantisation, facts.licence) == ("llama", "F32", "apache-2.0")
    assert (facts.training_context, facts.parts, facts.refusal) == (1024, 1, "")
    assert facts.chat_template == CHAT_TEMPLATE
    assert facts.file_size == path.stat().st_size


def test_a_description_says_why_a_file_cannot_be_chatted_with(tmp_path):
    path = write_tiny_model(tmp_path / "e.gguf", architecture="bert")
    assert "embeddings" in describe(path).refusal
    with pytest.raises(ModelUnsupported):
        load_reader(path)


def test_what_a_file_does_not_say_is_blank(tmp_path):
    facts = describe(write_tiny_model(tmp_path / "x.gguf", template=None, metadata={"general.name": 7}))
    assert (facts.title, facts.size_label, facts.licence, facts.chat_template) == ("", "", "", None)
