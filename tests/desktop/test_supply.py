"""Models in the whole program: found after the first paint, fetched while it runs, kept when it leaves."""

from __future__ import annotations

from functools import partial

import pytest

from desktop.app import App
from desktop.places import Places
from desktop.secrets import Keys
from inference import hub as hub_face
from tests.desktop.fakes import MODEL
from tests.gguf_files import write_tiny_model

REPO = "maker/small-GGUF"


@pytest.fixture
def start(qapp, qtbot, tmp_path, engine, hub, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", hub.address)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    places = Places(tmp_path / "data/conversations.sqlite3", tmp_path / "settings.toml", home=tmp_path / "home")
    apps: list[App] = []

    def make_engine(emit, _states):
        engine.listeners.append(emit)
        return engine

    def start() -> App:
        keys = partial(Keys, environment={}, open_keyring=lambda: None)
        apps.append(App(qapp, places, make_engine, MODEL, make_keys=keys))
        qtbot.addWidget(apps[-1].window)
        with qtbot.waitSignal(apps[-1].begun):
            apps[-1].show()
        engine.ready()
        return apps[-1]

    yield start
    for app in apps:
        app.leave()


def add(app: App) -> None:
    hub = hub_face.Hub(app.later.supply.door.session())
    repo = hub.repo(REPO)
    app.later.supply.downloads.add(repo, hub.models(repo)[0])


def test_what_turns_out_to_be_none_to_chat_with_is_not_offered(start, qtbot, tmp_path):
    (tmp_path / "data/models").mkdir(parents=True)
    write_tiny_model(tmp_path / "data/models/found.gguf")
    write_tiny_model(tmp_path / "data/models/projector.gguf", metadata={"general.type": "mmproj"})
    (tmp_path / "data/models/broken.gguf").write_bytes(b"GGUF")
    app = start()
    shelf = app.later.supply.shelf
    qtbot.waitUntil(lambda: shelf.has_looked and not shelf._errands.is_out("read-models"), timeout=20_000)
    offered = app.window.opening.picker.menu_texts
    assert "found" in offered
    assert {"projector", "broken"}.isdisjoint(offered)


def test_models_are_found_by_themselves_after_the_start(start, qtbot, tmp_path):
    (tmp_path / "data/models/maker").mkdir(parents=True)
    write_tiny_model(tmp_path / "data/models/maker/found.gguf")
    app = start()
    qtbot.waitUntil(lambda: "found" in app.window.opening.picker.menu_texts, timeout=20_000)


def test_a_model_is_fetched_and_used_at_once(start, qtbot, hub, tmp_path, engine):
    hub.add(REPO, {"small-Q4_K_M.gguf": write_tiny_model(tmp_path / "tiny.gguf").read_bytes()})
    app = start()
    add(app)
    qtbot.waitUntil(lambda: any("is here and whole" in n.text for n in app.window.board.notices), timeout=20_000)
    next(n for n in app.window.board.notices if "is here and whole" in n.text).action_button.click()
    wanted = tmp_path / "data/models" / REPO / "small-Q4_K_M.gguf"
    qtbot.waitUntil(lambda: engine.last_load.path == wanted, timeout=20_000)
    engine.ready()
    assert app.window.opening.picker.words == "small-Q4_K_M"


def test_leaving_does_not_wait_for_a_download_and_keeps_what_came(start, qtbot, hub, tmp_path):
    data = bytes(range(256)) * 20_000
    hub.add(REPO, {"small-Q4_K_M.gguf": data})
    hub.behaviour.rate = 1e5  # most of a minute in all
    app = start()
    add(app)
    queue = app.later.supply.downloads
    qtbot.waitUntil(lambda: bool(queue.all) and queue.all[0].received > 100_000, timeout=30_000)
    app.leave()
    part = tmp_path / "data/models" / REPO / "small-Q4_K_M.gguf.part"
    assert part.stat().st_size < len(data)
    assert part.read_bytes() == data[: part.stat().st_size]
    hub.behaviour.rate = 0
    again = start()
    with qtbot.waitSignal(again.later.supply.downloads.finished, timeout=20_000) as done:
        pass
    assert done.args[0].path.read_bytes() == data
