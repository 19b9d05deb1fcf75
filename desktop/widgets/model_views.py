"""Opens the models from wherever they are wanted, and says before a load what it would cost."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject

import inference
from desktop import wording
from desktop.model_choice import ModelChoice, name_of
from desktop.settings import SettingsFile
from desktop.theme import ThemeSource
from desktop.widgets.actions import make_action
from desktop.widgets.conversation_page import ConversationPage
from desktop.widgets.link_offer import LinkOffer
from desktop.widgets.model_opening import ModelOpening
from desktop.widgets.notice import Notice, NoticeKind
from desktop.widgets.place import Place
from inference import ModelConfig, RemoteModel

if TYPE_CHECKING:
    from desktop.supply import Supply
    from desktop.widgets.model_browser import ModelBrowser, Section
    from desktop.widgets.shelf_page import FolderChooser
    from inference import Forecast, GgufFacts, Thrown
    from inference.hub import Download

_UNDO_SECONDS = 30.0


class Desk(Place, Protocol):
    """The window, as far as models are concerned."""

    page: ConversationPage
    opening: ModelOpening
    links: LinkOffer


class ModelViews(QObject):
    """Puts its actions into the window's menu and its picker, and opens what they stand for."""

    def __init__(
        self,
        make_supply: Callable[[], Supply],
        models: ModelChoice,
        settings: SettingsFile,
        themes: ThemeSource,
        place: Desk,
        parent: QObject | None = None,
        choose_folder: FolderChooser | None = None,
    ) -> None:
        """Without `choose_folder` the platform's chooser is shown."""
        super().__init__(parent)
        self._make_supply = make_supply
        self._models = models
        self._settings = settings
        self._themes = themes
        self._choose_folder = choose_folder
        self._place = place
        self._warning: Notice | None = None
        self._wanted: object = None  # the choice that is being looked at
        self.browser: ModelBrowser | None = None
        self._make_actions()
        place.opening.load = self.load
        place.page.empty_state.offer_larger()
        place.page.empty_state.larger_wanted.connect(self.find_larger)

    @cached_property
    def _supply(self) -> Supply:
        supply = self._make_supply()
        supply.downloads.finished.connect(self._on_finished)
        return supply

    def prepare(self) -> None:
        """Know from now on what there is, and what is on its way."""
        _ = self._supply

    def open(self) -> None:
        """Show the models that are here."""
        self._place.open_view(self._made())
        self._made().look()

    def find_larger(self) -> None:
        """Show well-known models that this machine can hold."""
        from desktop.widgets.model_browser import Section

        self._open_at(Section.RECOMMENDED)

    def search(self) -> None:
        """Show the Hub."""
        from desktop.widgets.model_browser import Section

        self._open_at(Section.SEARCH)

    def load(self, model: Path | RemoteModel, context_size: int | None = None) -> None:
        """Let this model answer from now on; where it would not stay in memory, only when that is wanted."""
        self._put_warning_away()
        self._wanted = wanted = object()
        if isinstance(model, RemoteModel):
            self._models.choose(model)
            return
        take = partial(self._models.choose, model, context_size)
        size = context_size or self._window_of(model)
        weigh, untold = partial(self._weigh, wanted, model, size, take), partial(self._take_untold, wanted, take)
        self._supply.shelf.weigh(model, weigh, untold)

    def _take_untold(self, wanted: object, take: Callable[[], object]) -> None:
        """Nothing is known of its size: the load itself will say why."""
        if wanted is self._wanted:
            take()

    def _weigh(self, wanted: object, model: Path, size: int, take: Callable[[], object], facts: GgufFacts) -> None:
        if wanted is not self._wanted:
            return  # somebody chose another meanwhile
        forecast = self._supply.sizing.forecast(model, facts, size)
        if forecast.fits:
            take()
            return
        action = self.tr("Load it all the same")
        words = self._warning_words(model, facts, forecast)
        self._warning = self._place.board.show_notice(words, NoticeKind.WARNING, action, take)

    def _warning_words(self, model: Path, facts: GgufFacts, forecast: Forecast) -> str:
        from desktop.widgets.model_words import size_words

        words = self.tr(
            "{model} needs {needed} with a window of {window} tokens; {free} are free. "
            "The system would swap, or read the file again and again, and it would write very slowly."
        ).format(
            model=name_of(ModelConfig(model)),
            needed=size_words(forecast.total + forecast.margin),
            window=wording.whole(forecast.context_size),
            free=size_words(forecast.available),
        )
        smaller = self._fitting_window(model, facts, forecast.context_size)
        if smaller:
            words += " " + self.tr("A window of {count} tokens would fit: Models, Here.").format(
                count=wording.whole(smaller)
            )
        return words

    def _fitting_window(self, model: Path, facts: GgufFacts, size: int) -> int:
        while size >= 1024:
            size //= 2
            if self._supply.sizing.forecast(model, facts, size).fits:
                return size
        return 0

    def _window_of(self, model: Path) -> int:
        config = self._models.config_of(model)
        size = config.context_size if isinstance(config, ModelConfig) else None
        return size or inference.DEFAULT_CONTEXT

    def _put_warning_away(self) -> None:
        if self._warning is not None:
            self._place.board.put_away(self._warning)
        self._warning = None

    def _make_actions(self) -> None:
        picker, make = self._place.opening.picker, partial(make_action, self)
        self.models_action = make(self.tr("&Models…"), self.open, "Ctrl+Shift+M")
        self.switch_action = make(self.tr("S&witch the model"), picker.showMenu, "Ctrl+M")
        find = make(self.tr("&Find more models…"), self.find_larger)
        self._place.opening.add_actions((self.models_action, find), (self.models_action, self.switch_action))

    def _made(self) -> ModelBrowser:
        if self.browser is None:
            from desktop.widgets.model_browser import ModelBrowser
            from desktop.widgets.preferences import ask_for_folder

            choose = self._choose_folder or ask_for_folder
            self.browser = ModelBrowser(self._themes.current, self._supply, self._settings, choose)
            self.browser.use_wanted.connect(self._use)
            self.browser.thrown_away.connect(self._tell_thrown)
            self.browser.put_aside.connect(self._tell_put_aside)
            self.browser.said.connect(self._say)
            self.browser.link_activated.connect(self._place.links.make)
        return self.browser

    def _open_at(self, section: Section) -> None:
        browser = self._made()
        self._place.open_view(browser)
        self._supply.look()
        browser.show_section(section)

    def _use(self, path: Path, context_size: int | None) -> None:
        self._place.close_view()
        self.load(path, context_size)

    def _tell_thrown(self, thrown: Thrown) -> None:
        from desktop.widgets.model_words import size_words

        words = self.tr("Deleted {model}, {size}.").format(model=thrown.name, size=size_words(thrown.size))
        shelf = self._supply.shelf
        self._offer_undo(words, partial(shelf.bring_back, thrown), partial(shelf.throw_out, thrown))

    def _tell_put_aside(self, download: Download) -> None:
        from desktop.widgets.model_words import size_words

        words = self.tr("Removed {model}; the {size} that were fetched go, too.")
        words = words.format(model=download.name, size=size_words(download.received))
        queue = self._supply.downloads
        self._offer_undo(words, partial(queue.take_back, download.id), partial(queue.throw_out, download.id))

    def _offer_undo(self, words: str, undo: Callable[[], object], finish: Callable[[], object]) -> None:
        notice = self._place.board.show_notice(words, action=self.tr("Undo"), on_action=undo)
        notice.takes_back = True
        notice.gone.connect(partial(self._finish, notice, finish))
        notice.put_away_after(_UNDO_SECONDS)

    def _finish(self, notice: Notice, finish: Callable[[], object]) -> None:
        if not notice.is_answered:
            finish()

    def _on_finished(self, download: Download) -> None:
        words = self.tr("{model} is here and whole.").format(model=download.name)
        action = self.tr("Use this model")
        self._place.board.show_notice(words, action=action, on_action=partial(self._use, download.path, None))

    def _say(self, sentence: str) -> None:
        self._place.board.show_notice(sentence)
