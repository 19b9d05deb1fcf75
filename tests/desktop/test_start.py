"""What is loaded before the window is painted: each of these would make everybody wait, and not before a reply is it
needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.store import Store
from tests.desktop.exchanges import answered

PAINTED = """
import linecache
import sys
from desktop.__main__ import main

def look():
    print(*sys.modules)
    print(*(f"{name}.{made}" for name in ("QtGui", "QtWidgets") for made in vars(sys.modules[f"PySide6.{name}"])))
    print(*linecache.cache, sep="\\t")

def watch(app):
    app.painted.connect(look)
    app.painted.connect(app.leave)

sys.exit(main(["--data-dir", sys.argv[1]], watch))
"""

OF_THE_ENGINE = {
    "inference.client",
    "inference.counting",
    "inference.engine",
    "inference.events",
    "inference.generation",
    "inference.gguf_header",
    "inference.llama",
    "inference.local_engine",
    "inference.remote",
    "inference.workbench",
    "asyncio",
    "ctypes",
    "httpx2",
    "jinja2",
    "llama_cpp",
    "numpy",
}
OF_TEXT = {
    "desktop.formula_process",
    "desktop.markdown",
    "desktop.store.grams",
    "desktop.store.search",
    "desktop.widgets.boxes",
    "desktop.widgets.message_view",
    "desktop.widgets.segments",
    "desktop.widgets.transcript",
    "latex2mathml",
    "markdown_it",
    "pygments",
    "ziamath",
}
OF_RARE_USE = {
    "desktop.crash_dialog",
    "desktop.demo",
    "desktop.widgets.server_panel",
    "importlib.metadata",
    "importlib.resources",
    "keyring",
}
# What menus, keys and buttons stand for, and what only the first reply, the first file or the end needs.
OF_LATER_USE = {
    "desktop.asking",
    "desktop.calls",
    "desktop.changes",
    "desktop.comparison",
    "desktop.daily_backup",
    "desktop.deletion",
    "desktop.devices",
    "desktop.downloads",
    "desktop.draft_file",
    "desktop.errands",
    "desktop.exchange",
    "desktop.file_choosers",
    "desktop.file_reader",
    "desktop.hub_desk",
    "desktop.idle_unload",
    "desktop.import_reader",
    "desktop.imports",
    "desktop.inspection",
    "desktop.interrupts",
    "desktop.lab_runs",
    "desktop.last_place",
    "desktop.later_parts",
    "desktop.live_reply",
    "desktop.model_ways",
    "desktop.presets",
    "desktop.remedies",
    "desktop.running_reply",
    "desktop.secrets",
    "desktop.server_choice",
    "desktop.shelf",
    "desktop.supply",
    "desktop.turns",
    "desktop.upkeep",
    "desktop.vigil",
    "desktop.wakefulness",
    "desktop.widgets.attachment_row",
    "desktop.widgets.chat_settings",
    "desktop.widgets.comparison_view",
    "desktop.widgets.details",
    "desktop.widgets.inspector",
    "desktop.widgets.lab",
    "desktop.widgets.model_browser",
    "desktop.widgets.preferences",
    "desktop.widgets.progress",
    "desktop.widgets.search_results",
    "desktop.widgets.selection_bar",
    "desktop.widgets.shortcuts",
    "desktop.window_use",
    "html",
    "inference.bounds",
    "inference.hub",
    "inference.hub_errors",
    "inference.requests",
    "inference.server_errors",
    "socket",
    "tomli_w",
}
# Python's halves of Qt's classes are made when they are named or met, some with hundreds of enum members. QTabBar is
# met with all widgets there are, as soon as one that Qt made itself (a viewport) is asked for.
OF_QT = {
    "QtGui.QAccessible",
    "QtGui.QGradient",
    "QtGui.QIcon",
    "QtGui.QImage",
    "QtGui.QPixmap",
    "QtWidgets.QDialog",
    "QtWidgets.QFileDialog",
    "QtWidgets.QMessageBox",
    "QtWidgets.QStyle",
    "QtWidgets.QTabBar",
}


@pytest.fixture(scope="module", params=["the first start", "with conversations"])
def loaded(request, tmp_path_factory) -> tuple[set[str], set[str], set[str]]:
    """The modules, and the classes of Qt, that are there when the window has just been painted; and the files whose
    lines are kept in memory."""
    folder: Path = tmp_path_factory.mktemp("data")
    if request.param == "with conversations":
        keep_a_conversation(folder)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", PAINTED, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    modules, classes, files = done.stdout.splitlines()
    return set(modules.split()), set(classes.split()), set(files.split("\t"))


def keep_a_conversation(folder: Path) -> None:
    store = Store(folder / "conversations.sqlite3")
    answered(store, "Why do rivers bend?", "Because of water.")
    store.close()


@pytest.mark.parametrize(
    "heavy", [OF_THE_ENGINE, OF_TEXT, OF_RARE_USE, OF_LATER_USE], ids=["engine", "text", "rare use", "later use"]
)
def test_what_no_window_needs_is_not_loaded_before_it_is_painted(loaded, heavy):
    modules, _, _ = loaded
    assert "desktop.widgets.composer" in modules
    assert modules & heavy == set()


def test_classes_of_qt_with_hundreds_of_names_are_not_made_before_it_is_painted(loaded):
    _, classes, _ = loaded
    assert "QtWidgets.QMainWindow" in classes
    assert classes & OF_QT == set()


def test_no_source_of_ours_was_read_for_what_is_compiled_already(loaded):
    modules, _, files = loaded
    assert "desktop.window" in modules
    assert [file for file in files if Path(file).parts[-2:-1] in (("desktop",), ("widgets",), ("inference",))] == []
