"""Settings come back as they were saved, and a broken file is never in the way."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.settings import ColourScheme, ModelWindow, Settings, SettingsFile
from inference import RemoteModel

# TOML is UTF-8: half a surrogate pair has no place in it.
TEXTS = st.text(st.characters(codec="utf-8"), max_size=40)
ADDRESSES = ("http://127.0.0.1:8080/v1", "https://example.org/v1")
SETTINGS = st.builds(
    Settings,
    streaming=st.booleans(),
    colour_scheme=st.sampled_from(ColourScheme),
    model=TEXTS,
    context_size=st.none() | st.integers(1, 2**31 - 1),
    threads=st.none() | st.integers(1, 256),
    thinking=st.booleans(),
    recent_models=st.lists(TEXTS, max_size=8).map(tuple),
    windows=st.lists(st.builds(ModelWindow, TEXTS, st.integers(1, 2**31 - 1)), max_size=3).map(tuple),
    servers=st.lists(st.builds(RemoteModel, st.sampled_from(ADDRESSES), TEXTS), max_size=3).map(tuple),
    use_server=st.booleans(),
    window_geometry=TEXTS,
    sidebar_width=st.integers(1, 4000),
    sidebar_shown=st.booleans(),
)


@given(SETTINGS)
def test_what_was_saved_is_what_is_loaded(settings):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "settings.toml"
        SettingsFile(path).save(settings)
        again = SettingsFile(path)
        assert again.load() == settings
        assert again.notice == ""


def test_without_a_file_everything_is_as_at_first(tmp_path):
    settings = SettingsFile(tmp_path / "settings.toml")
    assert settings.load() == Settings()
    assert settings.notice == ""


@pytest.mark.parametrize("content", [b"streaming = maybe", b"\xff\xfe", b"[[["])
def test_a_file_that_is_no_toml_is_set_aside_and_said(tmp_path, content):
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    settings = SettingsFile(path)
    assert settings.load() == Settings()
    assert not path.exists()
    assert (tmp_path / "settings.broken.toml").read_bytes() == content
    assert "settings.broken.toml" in settings.notice


def test_a_value_that_makes_no_sense_costs_only_itself(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("streaming = false\ncontext_size = 0\ncolour_scheme = 'purple'\nthreads = 2\n")
    settings = SettingsFile(path)
    assert settings.load() == Settings(streaming=False, threads=2)
    assert settings.notice != ""


@pytest.mark.parametrize(
    "line",
    [
        "streaming = 1",
        "context_size = true",
        "model = 3",
        "recent_models = [1]",
        "sidebar_width = -5",
        "servers = 3",
        "servers = [3]",
        "[[servers]]\nbase_url = 'http://127.0.0.1/v1'",
        "[[servers]]\nbase_url = 'http://me:secret@127.0.0.1/v1'\nname = 'a'",
        "[[windows]]\nmodel = 'a'\ncontext_size = 'large'",
    ],
)
def test_a_value_of_another_kind_is_not_taken(tmp_path, line):
    path = tmp_path / "settings.toml"
    path.write_text(line)
    settings = SettingsFile(path)
    assert settings.load() == Settings()
    assert settings.notice != ""


def test_a_key_of_another_version_does_no_harm(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("streaming = false\nflux = 3\n")
    settings = SettingsFile(path)
    assert settings.load() == Settings(streaming=False)
    assert settings.notice == ""


def test_the_file_is_its_owners_only_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "made" / "settings.toml"
    settings = SettingsFile(path)
    settings.save(Settings())
    settings.save(replace(settings.current, streaming=False))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.toml"]
    assert settings.current == Settings(streaming=False)


def test_settings_that_cannot_be_saved_still_apply_and_it_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    settings = SettingsFile(tmp_path / "file" / "settings.toml")
    settings.save(Settings(streaming=False))
    assert settings.current.streaming is False
    assert "cannot be saved" in settings.notice
