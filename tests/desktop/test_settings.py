"""Settings come back as they were saved, and a broken file is never in the way."""

from __future__ import annotations

import os
import stat
import sys
import tomllib
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tomli_w
from hypothesis import assume, given
from hypothesis import strategies as st

from desktop.settings import (
    FONT_SIZES,
    MOST_PRICE,
    ZOOMS,
    ColourScheme,
    ModelWindow,
    SendingKey,
    Settings,
    SettingsFile,
)
from inference import MOST_THREADS, KvType, ProxyKind, RemoteModel
from tests.deep_types import assert_of_its_types
from tests.odd_values import damaged

# TOML is UTF-8: half a surrogate pair has no place in it. No path or name holds a zero.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
ADDRESSES = ("http://127.0.0.1:8080/v1", "https://example.org/v1")
COUNTS = st.integers(1, 2**31 - 1)
SETTINGS = st.builds(
    Settings,
    colour_scheme=st.sampled_from(ColourScheme),
    language=TEXTS,
    font_family=TEXTS,
    font_size=st.none() | st.integers(*FONT_SIZES),
    zoom=st.integers(*ZOOMS),
    reduced_motion=st.booleans(),
    send_with=st.sampled_from(SendingKey),
    streaming=st.booleans(),
    thinking=st.booleans(),
    restore_place=st.booleans(),
    model=TEXTS,
    models_folder=TEXTS,
    device=TEXTS,
    gpu_layers=st.none() | st.integers(0, 2**31 - 1),
    kv_type=st.sampled_from(KvType),
    context_size=st.none() | COUNTS,
    threads=st.none() | st.integers(1, MOST_THREADS),
    kv_memory_megabytes=st.integers(0, 2**31 - 1),
    kv_disk_megabytes=st.integers(0, 2**31 - 1),
    use_server=st.booleans(),
    price_input=st.floats(0, MOST_PRICE),
    price_cached=st.floats(0, MOST_PRICE),
    price_output=st.floats(0, MOST_PRICE),
    price_currency=TEXTS,
    proxy=st.sampled_from(ProxyKind),
    proxy_address=st.sampled_from(["", "http://proxy.example.org:3128", "https://[::1]:8080"]),
    window_geometry=TEXTS,
    sidebar_width=COUNTS,
    sidebar_shown=st.booleans(),
    last_conversation=st.none() | COUNTS,
    last_place=TEXTS,
    recent_models=st.lists(TEXTS, max_size=8).map(tuple),
    windows=st.lists(st.builds(ModelWindow, TEXTS, st.integers(0, 2**31 - 1), TEXTS), max_size=3).map(tuple),
    servers=st.lists(st.builds(RemoteModel, st.sampled_from(ADDRESSES), TEXTS), max_size=3).map(tuple),
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


@pytest.mark.parametrize(
    "content",
    [
        b"streaming = maybe",
        b"\xff\xfe",
        b"[[[",
        bytes(4096),
        bytes(range(256)) * 20,
        b"zoom = 120\ncolour_sch",
        b"zoom = 120\nzoom = 120\n",
        b"flux = " + b"[" * 100_000,
        b"flux = " + b"[" * 500 + b"]" * 500,
        b"zoom = " + b"9" * 10_000,
        b"flux = '" + b"x" * (2 << 20) + b"'",
    ],
    ids=["a word", "UTF-16", "open", "nothing", "binary", "cut", "twice", "deep", "deep and whole", "long", "huge"],
)
def test_a_file_that_is_no_toml_is_set_aside_and_said(tmp_path, content):
    path = tmp_path / "settings.toml"
    path.write_bytes(content)
    settings = SettingsFile(path)
    assert settings.load() == Settings()
    assert not path.exists()
    assert (tmp_path / "settings.broken.toml").read_bytes() == content
    assert "settings.broken.toml" in settings.notice


def test_a_folder_in_its_place_is_said_and_what_is_chosen_applies(tmp_path):
    path = tmp_path / "settings.toml"
    path.mkdir()
    settings = SettingsFile(path)
    assert settings.load() == Settings()
    assert "cannot be read: settings.toml should be an ordinary file" in settings.notice
    settings.save(Settings(zoom=120))
    assert settings.current == Settings(zoom=120)
    assert "cannot be saved" in settings.notice
    assert list(tmp_path.iterdir()) == [path]


@contextmanager
def with_no_special_rights():
    """Whoever may do everything is for a while somebody who may not."""
    if sys.platform == "win32":
        pytest.skip("permissions are otherwise there")
    before = os.geteuid()
    try:
        if before == 0:
            os.seteuid(65_534)
        yield
    finally:
        os.seteuid(before)


def test_a_file_that_nobody_may_read_is_said_and_left_alone(tmp_path):
    SettingsFile(tmp_path / "other.toml").save(Settings())  # what saving needs is imported now
    path = tmp_path / "settings.toml"
    path.write_text("zoom = 130\n")
    path.chmod(0)
    tmp_path.chmod(0o555)
    settings = SettingsFile(path)
    for parent in tmp_path.parents[:2]:
        parent.chmod(0o755)
    with with_no_special_rights():
        assert settings.load() == Settings()
        assert "cannot be read: Permission denied" in settings.notice
        settings.save(Settings(zoom=120))
        assert "cannot be saved" in settings.notice
    assert settings.current == Settings(zoom=120)
    path.chmod(0o600)
    assert path.read_text() == "zoom = 130\n"


def test_a_file_that_an_editor_marked_as_utf_8_is_read(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xef\xbb\xbfzoom = 120\r\n")
    settings = SettingsFile(path)
    assert settings.load() == Settings(zoom=120)
    assert settings.notice == ""


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
        "[[servers]]\nname = 'a'",
        "[[windows]]\nmodel = 'a'\ncontext_size = -1",
        "[[windows]]\nmodel = 'a'\ndevice = 0",
        "[[servers]]\nbase_url = 'http://me:secret@127.0.0.1/v1'\nname = 'a'",
        "[[windows]]\nmodel = 'a'\ncontext_size = 'large'",
        "font_size = 400",
        "font_size = 11.5",
        "zoom = 0",
        "threads = 100000",
        "gpu_layers = -1",
        "kv_type = 'q1'",
        "send_with = 1",
        "proxy = 'tunnel'",
        "proxy_address = 'http://me:secret@proxy.example.org'",
        "proxy_address = 'proxy'",
        "last_conversation = 0",
        "price_input = 'much'",
        'models_folder = "/a\\u0000b"',
        'added_folders = ["/a", "\\u0000"]',
        '[[windows]]\nmodel = "/a\\u0000b"',
        "price_output = inf",
        "price_cached = true",
    ],
)
def test_a_value_of_another_kind_is_not_taken(tmp_path, line):
    path = tmp_path / "settings.toml"
    path.write_text(line)
    settings = SettingsFile(path)
    assert settings.load() == Settings()
    assert settings.notice != ""


@pytest.mark.parametrize("name", [field.name for field in fields(Settings)])
@pytest.mark.parametrize("value", ["{}", "[[]]", "-7", "1979-05-27", "1.5"])
def test_no_setting_takes_what_it_cannot_be(tmp_path, name, value):
    if value == "1.5" and isinstance(getattr(Settings(), name), float):
        value = "-1.5"
    path = tmp_path / "settings.toml"
    path.write_text(f"{name} = {value}\n")
    settings = SettingsFile(path)
    assert settings.load() == Settings()
    assert "settings.broken.toml" in settings.notice


def test_two_windows_of_the_program_keep_what_the_other_one_chose(tmp_path):
    path = tmp_path / "settings.toml"
    one, other = SettingsFile(path), SettingsFile(path)
    one.load()
    other.load()
    one.save(replace(one.current, streaming=False, zoom=120))
    other.save(replace(other.current, colour_scheme=ColourScheme.DARK))
    both = Settings(streaming=False, zoom=120, colour_scheme=ColourScheme.DARK)
    assert other.current == both
    assert SettingsFile(path).load() == both
    one.save(replace(one.current, zoom=130))
    assert SettingsFile(path).load() == replace(both, zoom=130)


def test_what_both_changed_is_as_the_last_one_chose(tmp_path):
    path = tmp_path / "settings.toml"
    one, other = SettingsFile(path), SettingsFile(path)
    one.save(replace(one.current, zoom=120))
    other.save(replace(other.current, zoom=80))
    one.save(replace(one.current, zoom=150))
    assert SettingsFile(path).load().zoom == 150


def test_what_a_newer_version_wrote_stays_in_the_file(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("flux = 3\n")
    settings = SettingsFile(path)
    settings.load()
    settings.save(replace(settings.current, streaming=False))
    assert tomllib.loads(path.read_text())["flux"] == 3


def test_a_file_that_was_broken_meanwhile_is_set_aside_before_it_is_written_over(tmp_path):
    path = tmp_path / "settings.toml"
    settings = SettingsFile(path)
    settings.save(Settings(zoom=120))
    path.write_text("zoom = [")
    settings.save(replace(settings.current, streaming=False))
    assert SettingsFile(path).load() == Settings(zoom=120, streaming=False)
    assert (tmp_path / "settings.broken.toml").read_text() == "zoom = ["
    assert "settings.broken.toml" in settings.notice


def test_whoever_listens_hears_of_a_change_once(tmp_path):
    settings = SettingsFile(tmp_path / "settings.toml")
    heard = []
    settings.listen(lambda before, after: heard.append((before.zoom, after.zoom)))
    settings.save(Settings(zoom=120))
    settings.save(Settings(zoom=120))
    assert heard == [(100, 120)]


def test_the_file_says_what_it_is(tmp_path):
    path = tmp_path / "settings.toml"
    SettingsFile(path).save(Settings())
    assert path.read_text().startswith("# What was chosen in Headwater.")


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


EVERYTHING = Settings(
    language="de",
    font_size=12,
    price_input=1.5,
    model="/models/a.gguf",
    added_folders=("/models",),
    unload_after_minutes=30,
    device="CUDA0",
    gpu_layers=4,
    context_size=4096,
    threads=4,
    proxy_address="http://proxy.example.org:3128",
    last_conversation=7,
    folded_folders=("Work",),
    recent_models=("/models/a.gguf",),
    windows=(ModelWindow("/models/a.gguf", 8192, "CUDA0"),),
    servers=(RemoteModel("https://example.org/v1", "a"),),
)


def written(settings: Settings) -> dict[str, object]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "settings.toml"
        SettingsFile(path).save(settings)
        return tomllib.loads(path.read_text("utf-8"))


@given(damaged(written(EVERYTHING) | {"of_a_newer_version": {"names": ["a"], "count": 1}}))
def test_whatever_damage_left_of_the_file_the_settings_are_of_their_types_and_can_be_saved(content):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "settings.toml"
        try:
            path.write_text(tomli_w.dumps(content), "utf-8")
        except (TypeError, ValueError, AttributeError):
            assume(False)  # nothing that TOML has a word for
        file = SettingsFile(path)
        found = file.load()
        assert_of_its_types(found)
        for window in found.windows:
            assert 0 <= window.context_size < 2**31, "what shows it holds it in 32 bits"
        for name in ("context_size", "gpu_layers", "kv_memory_megabytes", "sidebar_width", "last_conversation"):
            assert (getattr(found, name) or 0) < 2**31
        file.save(replace(found, zoom=150))
        assert file.notice == ""
        assert SettingsFile(path).load() == replace(found, zoom=150)


@pytest.mark.parametrize("name", ["of_a_newer_version", "model", "windows"])
def test_a_list_as_deep_as_a_file_can_hold_it_is_no_hindrance(tmp_path, name):
    for depth in range(100, 1_000, 50):
        path = tmp_path / "settings.toml"
        path.write_text(f"{name} = {'[' * depth}{']' * depth}\n")
        file = SettingsFile(path)
        file.save(replace(file.load(), zoom=150))
        assert SettingsFile(path).load().zoom == 150
