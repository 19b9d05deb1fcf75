from __future__ import annotations

import json
from pathlib import Path

from inference.model_names import display_name, looks_like_model, ollama_models


def test_files_are_called_by_their_names_and_parts_by_what_they_share():
    assert display_name(Path("/m/small-Q4_K_M.gguf")) == "small-Q4_K_M"
    assert display_name(Path("/m/big-00001-of-00003.gguf")) == "big"


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


def test_what_can_be_opened_as_a_model_is_told_by_its_name():
    assert looks_like_model(Path("/m/a.GGUF"))
    assert looks_like_model(Path("/m/blobs/sha256-abc"))
    assert not looks_like_model(Path("/m/notes.txt"))
