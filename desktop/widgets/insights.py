"""What lets one see inference happen: the comparison, the Inspector and the Lab, each made when it is first wanted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from desktop.chat_session import ChatSession
from desktop.library import Library
from desktop.theme import Theme, ThemeSource
from desktop.widgets.actions import make_action
from desktop.widgets.buttons import Button
from desktop.widgets.composer import Composer
from desktop.widgets.conversation_page import ConversationPage
from desktop.widgets.header import Header
from desktop.widgets.place import Place

if TYPE_CHECKING:
    from desktop.widgets.comparison_view import ComparisonView
    from desktop.widgets.inspector import Inspector
    from desktop.widgets.lab import LabView
    from desktop.widgets.laboratory import Laboratory


class Bench(Place, Protocol):
    """The window, as far as these are concerned."""

    composer: Composer
    page: ConversationPage
    header: Header

    def order_tabs(self) -> None: ...


class Insights(QObject):
    """Puts its menu and its buttons into the window, and opens what they stand for."""

    def __init__(
        self,
        make_laboratory: Callable[[], Laboratory],
        library: Library,
        themes: ThemeSource,
        place: Bench,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._make_laboratory = make_laboratory
        self._themes = themes
        self._place = place
        self.comparison: ComparisonView | None = None
        self.inspector: Inspector | None = None
        self.lab: LabView | None = None
        self._make_actions()
        self._make_buttons(themes.current)
        place.page.waits_for = self._waits_for
        place.page.empty_state.offer_comparison()
        place.page.empty_state.compare_wanted.connect(self.compare)
        library.opened.connect(self._follow)
        themes.changed.connect(self._set_theme)

    @cached_property
    def laboratory(self) -> Laboratory:
        """Made by the first who asks for it; the live reply is followed from then on."""
        laboratory = self._make_laboratory()
        laboratory.live.follow(self._place.session)
        return laboratory

    def prepare(self) -> None:
        """Follow replies from now on, so that one that is being made is known from its beginning."""
        _ = self.laboratory

    @property
    def _is_made(self) -> bool:
        return "laboratory" in self.__dict__

    def compare(self, prompt: str) -> None:
        """Compare this prompt at the end of the conversation that is shown; without one, let it be typed."""
        view = self._comparison_view()
        view.follow(self._place.session)
        self._place.open_view(view)
        if prompt.strip():
            view.begin(prompt)
        elif not view.prompt.toPlainText().strip():
            view.prompt.setFocus()

    def compare_draft(self) -> None:
        """Compare what is typed; the draft stays where it is. While one runs, it is shown."""
        self.compare("" if self.laboratory.comparisons.is_running else self._place.composer.text)

    def is_at_rest(self) -> bool:
        """Whether neither a comparison nor an experiment is running."""
        if not self._is_made:
            return True
        return not self.laboratory.comparisons.is_running and self.laboratory.runs.running is None

    def toggle_inspector(self) -> None:
        """Beside the conversation; the second time it is put away."""
        if self.inspector is not None and self._place.panel is self.inspector:
            self._place.close_panel()
            return
        if self.inspector is None:
            from desktop.widgets.inspector import Inspector

            own = self.laboratory
            self.inspector = Inspector(self._themes.current, own.live, own.runs, own.models, own.settings)
        self.inspector.follow(self._place.session)
        self._place.close_view()
        self._place.open_panel(self.inspector)

    def open_lab(self) -> None:
        if self.lab is None:
            from desktop.widgets.lab import LabView

            self.lab = LabView(self._themes.current, self.laboratory.runs)
        self._place.open_view(self.lab)

    def _make_actions(self) -> None:
        make = partial(make_action, self)
        compare = self.tr("&Compare streaming on and off")
        self.compare_action = make(compare, self.compare_draft, "Ctrl+Shift+Return")
        self.inspector_action = make(self.tr("&Inspector"), self.toggle_inspector, "Ctrl+I")
        self.lab_action = make(self.tr("&Lab"), self.open_lab, "Ctrl+Shift+L")
        bar = self._place.menuBar()
        menu = QMenu(self.tr("&Inference"), bar)
        bar.insertMenu(bar.actions()[-1], menu)  # help stays the last
        for action in (self.compare_action, self.inspector_action, self.lab_action):
            menu.addAction(action)

    def _make_buttons(self, theme: Theme) -> None:
        compare = self.tr("Compare streaming on and off (Ctrl+Shift+Enter)")
        self.compare_button = Button(theme, name=compare, icon_name="compare")
        self.compare_button.clicked.connect(self.compare_action.trigger)
        self._place.composer.beside_button.addWidget(self.compare_button)
        self.inspector_button = Button(theme, name=self.tr("Inspector (Ctrl+I)"), icon_name="inspect")
        self.inspector_button.clicked.connect(self.inspector_action.trigger)
        self.lab_button = Button(theme, name=self.tr("Lab (Ctrl+Shift+L)"), icon_name="lab")
        self.lab_button.clicked.connect(self.lab_action.trigger)
        for button in (self.inspector_button, self.lab_button):
            self._place.header.beside_switch.addWidget(button)
        self._place.order_tabs()

    def _comparison_view(self) -> ComparisonView:
        if self.comparison is None:
            from desktop.widgets.comparison_view import ComparisonView

            self.comparison = ComparisonView(self._themes.current, self.laboratory.comparisons)
        return self.comparison

    def _follow(self, session: ChatSession) -> None:
        """Another conversation is shown."""
        if self._is_made:
            self.laboratory.live.follow(session)
        if self.inspector is not None:
            self.inspector.follow(session)
        if self.comparison is not None:
            self.comparison.follow(session)

    def _waits_for(self) -> str:
        if self._is_made and self.laboratory.comparisons.is_running:
            return self.tr("Waiting for the comparison to end; Esc withdraws this")
        if self._is_made and self.laboratory.runs.is_busy:
            return self.tr("Waiting for the Lab to end; Esc withdraws this")
        return ""

    def _set_theme(self, theme: Theme) -> None:
        """The views are themed by the window."""
        for button in (self.compare_button, self.inspector_button, self.lab_button):
            button.set_theme(theme)
