from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from gguf import GGUFWriter
from hypothesis import given

from inference.errors import ModelUnreadable
from inference.gguf_header import glance, read_facts
from inference.memory import forecast, forecast_of
from inference.sentences import Sentence
from inference.shelf import (
    FactsCache,
    ShelfFacts,
    ShelfFolder,
    ShelfModel,
    ShelfSource,
    facts_of,
    find_models,
    usual_folders,
)
from inference.sizes import DEFAULT_CONTEXT
from tests.deep_types import assert_of_its_types
from tests.gguf_files import write_tiny_model
from tests.odd_values import damaged

OURS = ShelfSource.OURS


def put(path: Path, data: bytes = b"GGUF") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def tiny_in(folder: Path) -> Path:
    folder.mkdir()
    return write_tiny_model(folder / "tiny.gguf")


def found(*folders: ShelfFolder) -> list[tuple[str, ShelfSource]]:
    return [(model.name, model.source) for model in find_models(folders)]


def test_models_are_found_in_every_folder_below(tmp_path):
    for name in ("a.gguf", "maker/repo/b.gguf", "maker/repo/sub/C.GGUF", "maker/repo/notes.txt"):
        put(tmp_path / name)
    assert found(ShelfFolder(tmp_path, OURS)) == [("a", OURS), ("b", OURS), ("C", OURS)]


def test_the_parts_of_a_model_are_one_with_their_sizes_together(tmp_path):
    for number in (1, 2, 3):
        put(tmp_path / f"big-0000{number}-of-00003.gguf", b"x" * number)
    (model,) = find_models([ShelfFolder(tmp_path, OURS)])
    assert (model.name, model.size, model.parts, model.is_ours) == ("big", 6, 3, True)


def test_a_name_that_only_looks_like_a_part_is_a_model(tmp_path):
    write_tiny_model(tmp_path / "Best-of-Breed-Q4_K_M.gguf")
    write_tiny_model(tmp_path / "big-00002-of-00002.gguf")
    assert [model.name for model in find_models([ShelfFolder(tmp_path, OURS)])] == ["Best-of-Breed-Q4_K_M"]


def test_a_glance_counts_all_parts_of_a_model(tmp_path):
    first = write_tiny_model(tmp_path / "big-00001-of-00002.gguf")
    alone = forecast_of(glance(first), DEFAULT_CONTEXT).total
    put(tmp_path / "big-00002-of-00002.gguf", bytes(1_000_000))
    assert forecast_of(glance(first), DEFAULT_CONTEXT).total == facts_of(first).needed == alone + 1_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="other systems' names are always text")
def test_a_name_that_is_no_text_is_said(tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.gguf"))
    path.write_bytes(write_tiny_model(tmp_path / "tiny.gguf").read_bytes())
    assert facts_of(path).trouble.endswith("Rename it.")
    with pytest.raises(ModelUnreadable):
        read_facts(path)


def test_a_mixture_is_told_at_a_glance(tmp_path):
    dense = write_tiny_model(tmp_path / "a.gguf")
    mixture = write_tiny_model(tmp_path / "b.gguf", metadata={"llama.expert_count": 8})
    assert [facts_of(path).is_mixture for path in (dense, mixture)] == [False, True]


def test_trouble_with_a_file_is_over_when_it_is(tmp_path):
    path = put(tmp_path / "models/a.gguf", b"no model ")
    (model,) = find_models([ShelfFolder(tmp_path / "models", OURS)])
    cache = FactsCache(tmp_path / "facts.json")
    assert cache.read(model).trouble
    good = write_tiny_model(tmp_path / "good.gguf").read_bytes()
    path.write_bytes(good)  # as if it could not be read for a while: the listing is the one from before
    assert cache.read(model).trouble == ""
    assert cache.known(model) == cache.read(model)


def test_when_models_were_used_outlives_a_cache_of_another_version(tmp_path):
    tiny_in(tmp_path / "models")
    (model,) = find_models([ShelfFolder(tmp_path / "models", OURS)])
    (tmp_path / "facts.json").write_text(json.dumps({"version": 1, "used": {str(model.path): 5.0}}))
    assert FactsCache(tmp_path / "facts.json").used(model.path) == 5.0


_ROW = [4, 5, asdict(ShelfFacts(title="Tiny", training_context=2_048, needed=7))]


@given(damaged({"version": 3, "models": {"/m/a.gguf": _ROW}, "used": {"/m/a.gguf": 5.0}}))
def test_what_damage_left_of_the_cache_is_of_its_types_or_not_known(content):
    with TemporaryDirectory() as folder:
        path = Path(folder, "facts.json")
        path.write_text(json.dumps(content))
        cache = FactsCache(path)
        used = cache.used(Path("/m/a.gguf"))
        assert type(used) is float
        assert datetime.fromtimestamp(used, UTC).astimezone() is not None
        facts = cache.known(ShelfModel(Path("/m/a.gguf"), "a", 4, 1, 5, OURS))
    if facts is not None:
        assert_of_its_types(facts)
        assert 0 <= facts.needed <= 2**53


def test_what_is_linked_twice_is_listed_once_where_it_was_found_first(tmp_path):
    real = put(tmp_path / "one/a.gguf")
    (tmp_path / "two").mkdir()
    os.link(real, tmp_path / "two/hard.gguf")
    (tmp_path / "two/soft.gguf").symlink_to(real)
    folders = ShelfFolder(tmp_path / "one", OURS), ShelfFolder(tmp_path / "two", ShelfSource.LM_STUDIO)
    assert found(*folders) == [("a", OURS)]


def test_the_hubs_cache_is_followed_through_its_links(tmp_path):
    blob = put(tmp_path / "models--m--r/blobs/abc")
    link = tmp_path / "models--m--r/snapshots/123/sub/x-Q4_K_M.gguf"
    link.parent.mkdir(parents=True)
    link.symlink_to(blob)
    assert found(ShelfFolder(tmp_path, ShelfSource.HUGGING_FACE)) == [("x-Q4_K_M", ShelfSource.HUGGING_FACE)]


def test_links_that_lead_round_or_nowhere_are_passed_over(tmp_path):
    put(tmp_path / "a.gguf")
    (tmp_path / "round").symlink_to(tmp_path)
    (tmp_path / "gone.gguf").symlink_to(tmp_path / "nothing.gguf")
    assert found(ShelfFolder(tmp_path, OURS), ShelfFolder(tmp_path / "none", OURS)) == [("a", OURS)]


def test_ollamas_models_are_found_by_their_manifests(tmp_path):
    put(tmp_path / "blobs/sha256-aa11", b"model")
    put(tmp_path / "blobs/sha256-bb22", b"other")
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:aa11"}
    others = {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:bb22"}
    manifests = tmp_path / "manifests/registry.ollama.ai"
    put(manifests / "library/llama3.2/3b", json.dumps({"layers": [others, layer]}).encode())
    put(manifests / "someone/own/latest", json.dumps({"layers": [{**layer, "digest": "sha256:bb22"}]}).encode())
    put(manifests / "library/broken/1", b"{nonsense")
    put(manifests / "library/evil/1", json.dumps({"layers": [{**layer, "digest": "sha256:../../x"}]}).encode())
    put(manifests / "library/gone/1", json.dumps({"layers": [{**layer, "digest": "sha256:cc33"}]}).encode())
    names = [name for name, _ in found(ShelfFolder(tmp_path, ShelfSource.OLLAMA))]
    assert sorted(names) == ["llama3.2:3b", "someone/own:latest"]


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_usual_folders_are_those_of_the_system_and_the_variables(tmp_path, platform):
    folders = usual_folders({}, tmp_path, platform)
    assert {folder.source for folder in folders} == set(ShelfSource) - {OURS, ShelfSource.ADDED, ShelfSource.EMBEDDED}
    moved = usual_folders({"HF_HOME": "/elsewhere", "OLLAMA_MODELS": "/mine"}, tmp_path, platform)
    assert Path("/elsewhere/hub") in [folder.path for folder in moved]
    assert Path("/mine") in [folder.path for folder in moved]


def test_a_file_says_at_a_glance_what_its_header_says(tmp_path):
    path = write_tiny_model(tmp_path / "tiny.gguf")
    short, long = glance(path), read_facts(path)
    assert (short.architecture, short.quantisation, short.training_context) == (
        long.architecture,
        long.quantisation,
        long.training_context,
    )
    assert forecast_of(short, DEFAULT_CONTEXT).kv == forecast(path, DEFAULT_CONTEXT).kv
    facts = facts_of(path)
    assert (facts.architecture, facts.training_context, facts.trouble) == (long.architecture, long.training_context, "")
    assert facts.needed > path.stat().st_size


def test_a_file_that_cannot_be_read_says_why(tmp_path):
    assert facts_of(put(tmp_path / "a.gguf", b"<html>")).trouble.endswith("Download it again.")
    assert facts_of(tmp_path / "gone.gguf").trouble


def test_each_file_is_read_once_until_it_changes(tmp_path):
    path = tiny_in(tmp_path / "models")
    folder = ShelfFolder(tmp_path / "models", OURS)
    (model,) = find_models([folder])
    cache = FactsCache(tmp_path / "facts.json")
    assert cache.known(model) is None
    facts = cache.read(model)
    cache.save([model])
    again = FactsCache(tmp_path / "facts.json")
    assert again.known(model) == facts
    path.write_bytes(b"<html> it is another file now")
    (changed,) = find_models([folder])
    assert again.known(changed) is None
    assert again.read(changed).trouble


def test_what_is_wrong_with_a_file_stays_a_sentence_that_other_languages_can_tell(tmp_path):
    put(tmp_path / "models/bad.gguf", b"<html>")
    write_tiny_model(tmp_path / "models/bert.gguf", architecture="bert")
    models = find_models([ShelfFolder(tmp_path / "models", OURS)])
    cache = FactsCache(tmp_path / "facts.json")
    told = {model.name: cache.read(model) for model in models}
    cache.save(models)
    kept = {model.name: FactsCache(tmp_path / "facts.json").known(model) for model in models}
    assert isinstance(told["bad"].trouble, Sentence)
    assert kept["bad"] is None  # it is looked into again
    assert kept["bert"] == told["bert"]
    assert all(isinstance(each.refusal, Sentence) for each in (kept["bert"], told["bert"]))


def test_what_is_gone_is_forgotten(tmp_path):
    tiny_in(tmp_path / "models")
    (model,) = find_models([ShelfFolder(tmp_path / "models", OURS)])
    cache = FactsCache(tmp_path / "facts.json")
    cache.read(model)
    cache.save([])
    assert FactsCache(tmp_path / "facts.json").known(model) is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "nonsense",
        "[]",
        '{"version": 1}',
        '{"version": 99, "models": {"a": [1, 2, {}]}}',
        '{"version": 1, "models": {"a": 5, "b": [1], "c": [1, 2, {"nothing": 1}], "d": [1, 2, {"title": 5}]}}',
    ],
)
def test_a_cache_that_makes_no_sense_is_none(tmp_path, content):
    (tmp_path / "facts.json").write_text(content)
    tiny_in(tmp_path / "models")
    (model,) = find_models([ShelfFolder(tmp_path / "models", OURS)])
    cache = FactsCache(tmp_path / "facts.json")
    assert cache.known(model) is None
    assert cache.read(model).architecture


def test_two_thousand_models_are_listed_in_less_than_a_second(tmp_path):
    header = write_tiny_model(tmp_path / "tiny.gguf").read_bytes()[:4096]
    for number in range(2000):
        put(tmp_path / f"models/maker{number % 50}/repo{number}/m-{number}-Q4_K_M.gguf", header)
    began = time.process_time()
    assert len(find_models([ShelfFolder(tmp_path / "models", OURS)])) == 2000
    assert time.process_time() - began < 1.0


def test_what_cannot_be_chatted_with_says_so_at_a_glance(tmp_path):
    assert facts_of(write_tiny_model(tmp_path / "a.gguf")).refusal == ""
    projector = write_tiny_model(tmp_path / "b.gguf", metadata={"general.type": "mmproj"})
    assert "projector" in facts_of(projector).refusal
    assert "embeddings" in facts_of(write_tiny_model(tmp_path / "c.gguf", architecture="bert")).refusal


def test_when_a_model_was_used_is_remembered_as_long_as_it_is_there(tmp_path):
    path = tiny_in(tmp_path / "models")
    (model,) = find_models([ShelfFolder(tmp_path / "models", OURS)])
    cache = FactsCache(tmp_path / "facts.json")
    assert cache.used(path) == 0
    cache.note_use(path, 123.5)
    cache.note_use(tmp_path / "gone.gguf", 1.0)
    cache.save([model])
    again = FactsCache(tmp_path / "facts.json")
    assert (again.used(path), again.used(tmp_path / "gone.gguf")) == (123.5, 0)


def test_the_hubs_variables_may_speak_of_the_home(tmp_path):
    def places(**environment: str) -> list[Path]:
        return [folder.path for folder in usual_folders(environment, tmp_path, "linux")]

    assert places(HF_HUB_CACHE="~/cache")[0] == tmp_path / "cache"
    assert places(HF_HOME="~/hf")[0] == tmp_path / "hf/hub"
    assert places()[0] == tmp_path / ".cache/huggingface/hub"


def test_a_header_with_a_large_vocabulary_is_glanced_at_in_milliseconds(tmp_path):
    path = tmp_path / "large.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_uint32("general.file_type", 15)
    for key, value in {"block_count": 32, "context_length": 131072, "embedding_length": 4096}.items():
        writer.add_uint32(f"llama.{key}", value)
    writer.add_token_list([f"token {number}" for number in range(150_000)])
    writer.add_token_merges([f"to {number}" for number in range(150_000)])
    writer.add_string("tokenizer.chat_template", "{{ messages }}" * 500)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    began = time.process_time()
    for _ in range(10):
        assert glance(path).training_context == 131072
    assert (time.process_time() - began) / 10 < 0.02
