from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given

from inference.model_names import display_name, looks_like_model, ollama_models
from tests.odd_values import damaged


def test_files_are_called_by_their_names_and_parts_by_what_they_share():
    assert display_name(Path("/m/small-Q4_K_M.gguf")) == "small-Q4_K_M"
    assert display_name(Path("/m/big-00001-of-00003.gguf")) == "big"
    assert display_name(Path("/m/of\ntwo lines.gguf")) == "of two lines"


def test_ollamas_files_are_called_as_ollama_calls_them(tmp_path):
    blob = tmp_path / "blobs" / "sha256-abc123"
    blob.parent.mkdir()
    blob.write_bytes(b"GGUF")
    manifest = tmp_path / "manifests/registry.ollama.ai/library/llama3.2/3b"
    manifest.parent.mkdir(parents=True)
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:abc123"}
    manifest.write_text(json.dumps({"layers": [layer]}), "utf-8")
    assert list(ollama_models(tmp_path)) == [(blob, "llama3.2:3b")]
    assert display_name(blob) == "llama3.2:3b"
    assert display_name(blob.with_name("sha256-unknown")) == "sha256-unknown"


LAYERS = [{"mediaType": f"application/vnd.ollama.image.{kind}", "digest": "sha256:abc123"} for kind in ("model", "x")]


@given(damaged({"schemaVersion": 2, "layers": LAYERS}))
def test_whatever_damage_left_of_a_manifest_the_others_are_read(tmp_path_factory, content):
    folder = tmp_path_factory.getbasetemp() / "ollama"
    for name, said in (("broken", content), ("sound", {"layers": LAYERS})):
        manifest = folder / "manifests/registry.ollama.ai/library" / name / "1b"
        manifest.parent.mkdir(parents=True, exist_ok=True)
        manifest.write_text(json.dumps(said), "utf-8")
    found = list(ollama_models(folder))
    assert (folder / "blobs/sha256-abc123", "sound:1b") in found
    for path, _ in found:
        assert path.parent == folder / "blobs", "nothing outside it is named"
        assert not path.is_file(), "the system can be asked for it"


def test_what_can_be_opened_as_a_model_is_told_by_its_name():
    assert looks_like_model(Path("/m/a.GGUF"))
    assert looks_like_model(Path("/m/blobs/sha256-abc"))
    assert not looks_like_model(Path("/m/notes.txt"))
