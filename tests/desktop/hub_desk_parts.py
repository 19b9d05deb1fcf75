"""A window with models, and a Hub that a test fills."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from desktop.widgets.model_browser import ModelBrowser, Section
from desktop.widgets.model_views import ModelViews
from tests.desktop.desk import Desk
from tests.gguf_files import write_tiny_model
from tests.hub_server import HubServer

REPO = "maker/small-GGUF"
PATIENCE = 20_000


class ModelsOnDesk:
    """The models of a window: what a person would do, and what is to be seen then."""

    def __init__(self, desk: Desk, qtbot, server: HubServer | None = None) -> None:
        self.desk = desk
        self.qtbot = qtbot
        self.server = server
        self.folder = desk.upkeep.models_folder
        self.window = desk.open()
        self.views: ModelViews = desk.furnish(**({"HF_ENDPOINT": server.address} if server is not None else {}))

    def put(self, name: str, **facts: object) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return write_tiny_model(path, **facts)  # type: ignore[arg-type]  # a test names what it needs

    def open(self, section: Section = Section.HERE) -> ModelBrowser:
        self.views.open()
        assert self.views.browser is not None
        self.views.browser.show_section(section)
        self.wait(lambda: self.desk.supply is not None and self.desk.supply.shelf.has_looked)
        self.wait(lambda: not self._is_reading())
        return self.views.browser

    def wait(self, reached: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(reached()), timeout=PATIENCE)

    def notes(self, browser: ModelBrowser) -> dict[str, str]:
        return {card.title: card.note for card in browser.here.list.cards}

    def _is_reading(self) -> bool:
        shelf = self.desk.supply.shelf if self.desk.supply is not None else None
        return shelf is not None and any(shelf.facts(model) is None for model in shelf.models)
