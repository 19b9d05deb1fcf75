"""The models on this disk: found, told apart, sized, checked, thrown away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QTimer, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices, QPalette
from PySide6.QtWidgets import QLabel, QMenu, QWidget

import inference
from desktop import wording
from desktop.settings import SettingsFile
from desktop.shelf import Shelf
from desktop.sizing import Sizing
from desktop.theme import Theme, figure_font
from desktop.widgets.buttons import Button, ButtonKind
from desktop.widgets.cards import Card, CardList, Tone
from desktop.widgets.fit_panel import FitPanel
from desktop.widgets.form import column_in, label, row_of
from desktop.widgets.line_field import LineField
from desktop.widgets.model_words import card_of_model, size_words
from desktop.widgets.painting import recolour

if TYPE_CHECKING:
    from inference import GgufFacts, ShelfModel, Thrown
    from inference.hub import Verdict

FolderChooser = Callable[[QWidget, Path], Path | None]

_NARROWING_MILLISECONDS = 120  # after the last key


class ShelfPage(QWidget):
    """Lists what the shelf holds; what can be done with the current model stands below it."""

    use_wanted = Signal(object, object)  # path, tokens of its window or None
    larger_wanted = Signal()  # there is nothing here yet
    thrown_away = Signal(object)  # Thrown
    said = Signal(str)  # a sentence for the person

    def __init__(
        self, theme: Theme, shelf: Shelf, sizing: Sizing, settings: SettingsFile, choose_folder: FolderChooser
    ) -> None:
        super().__init__()
        self._theme = theme
        self._shelf = shelf
        self._sizing = sizing
        self._settings = settings
        self._choose_folder = choose_folder
        self._glanced: Path | None = None
        self._moved = False  # whether somebody moved the slider for the current model
        self.filter_field = LineField(theme, self.tr("Find a model"), self.tr("Find"))
        self.folder_button = Button(theme, text=self.tr("Add a folder…"), kind=ButtonKind.OUTLINED)
        self.list = CardList(theme, self.tr("Models on this disk"))
        self._status = label("", figure_font())
        self.fit = FitPanel(theme, sizing)
        self.use_button = Button(theme, text=self.tr("Use this model"), kind=ButtonKind.PRIMARY)
        self.more_button = Button(theme, name=self.tr("More for this model"), icon_name="more")
        self._make_actions()
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self.refresh()

    @property
    def words(self) -> tuple[str, ...]:
        """What the quiet lines say."""
        return tuple(each.text() for each in self.findChildren(QLabel) if each.text() and not each.isHidden())

    @property
    def model(self) -> ShelfModel | None:
        """The current one."""
        return None if self.list.key is None else self._shelf.of_path(Path(self.list.key))

    def refresh(self) -> None:
        """Show what is known now."""
        wanted = self.filter_field.text().strip().casefold()
        models = [model for model in self._shelf.models if wanted in f"{model.name} {model.path}".casefold()]
        self.list.show_cards([self._card(model) for model in models])
        self._show_status()
        self._show_current()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for widget in (self.filter_field, self.folder_button, self.list, self.fit, self.use_button, self.more_button):
            widget.set_theme(theme)
        recolour(self._status, QPalette.ColorRole.WindowText, theme.muted)

    def _make_actions(self) -> None:
        self.show_action = self._action(self.tr("Show in &folder"), self._show_in_folder)
        self.verify_action = self._action(self.tr("&Verify"), self._verify)
        self.delete_action = self._action(self.tr("&Delete"), self._delete)
        self.forget_folder_action = self._action(self.tr("&Look no longer in this folder"), self._forget)
        self._menu = QMenu(self)
        for action in (self.show_action, self.verify_action, self.delete_action, self.forget_folder_action):
            self._menu.addAction(action)

    def _action(self, words: str, slot: Callable[[], object]) -> QAction:
        action = QAction(words, self)
        action.triggered.connect(slot)
        return action

    def _lay_out(self) -> None:
        column = column_in(self)
        column.addLayout(row_of(self.filter_field, self.folder_button, wide=self.filter_field))
        column.addWidget(self._status)
        column.addWidget(self.list, 1)
        column.addWidget(self.fit)
        column.addLayout(row_of(self.use_button, self.more_button))

    def _connect(self) -> None:
        self._pause = QTimer(self, singleShot=True, interval=_NARROWING_MILLISECONDS)
        self._pause.timeout.connect(self.refresh)
        self.filter_field.textChanged.connect(self._pause.start)
        self.folder_button.clicked.connect(self._add_folder)
        self.list.current_changed.connect(self._show_current)
        self.list.chosen.connect(self._use)
        self.list.menu_wanted.connect(self._menu.popup)
        self._menu.aboutToShow.connect(self._name_verifying)
        self.list.delete_wanted.connect(self.delete_action.trigger)
        self.fit.slider.valueChanged.connect(self._on_moved)
        self.use_button.clicked.connect(self._use)
        self.more_button.clicked.connect(self._open_menu)
        self._shelf.changed.connect(self.refresh)
        self._shelf.facts_read.connect(self._on_facts_read)
        self._shelf.verifying.connect(self._on_verifying)
        self._shelf.verified.connect(self._on_verified)
        self._shelf.failed.connect(self._on_failed)

    def _card(self, model: ShelfModel) -> Card:
        facts = self._shelf.facts(model)
        found = None
        if facts is not None:
            found = self._sizing.suitability(model.size, facts.needed, is_mixture=facts.is_mixture)
        return card_of_model(model, facts, self._shelf.used(model), found)

    def _show_status(self) -> None:
        count = len(self._shelf.models)
        if not self._shelf.has_looked:
            words = self.tr("Looking for models on this disk")
        elif count > 1:
            size = size_words(sum(model.size for model in self._shelf.models if model.is_ours))
            words = self.tr("{count} models; those in Headwater's folder take {size}")
            words = words.format(count=wording.whole(count), size=size)
        else:
            words = self.tr("No other model is here yet. Recommended shows some that fit.")
        self._status.setText(words)

    def _show_current(self) -> None:
        model = self.model
        refusal = "" if model is None else self._shelf.refusal(model.path)
        self.use_button.setEnabled(model is not None and not refusal)
        self.use_button.setToolTip(refusal)
        self.use_button.setAccessibleDescription(refusal)
        self.more_button.setEnabled(model is not None)
        is_added = model is not None and model.source is inference.ShelfSource.ADDED
        self.forget_folder_action.setVisible(is_added)
        self.delete_action.setVisible(model is not None and model.is_ours)
        if model is not None and model.is_ours:
            self.delete_action.setText(self.tr("&Delete ({size})").format(size=size_words(model.size)))
        path = None if model is None or refusal else model.path
        if path != self._glanced:
            self._glanced, self._moved = path, False
            self.fit.clear()
            if path is not None:
                self._shelf.glance(path, partial(self._show_fit, path))

    def _show_fit(self, path: Path, facts: GgufFacts) -> None:
        if path == self._glanced:
            own = next((own for own in self._settings.current.windows if own.model == str(path)), None)
            size = (own.context_size if own is not None else 0) or self._settings.current.context_size
            self.fit.show_model(path, facts, size or inference.DEFAULT_CONTEXT)

    def _on_moved(self) -> None:
        self._moved = True

    def _use(self) -> None:
        model = self.model
        if model is not None:
            self.use_wanted.emit(model.path, self.fit.context_size if self._moved else None)

    def _open_menu(self) -> None:
        self._menu.popup(self.more_button.mapToGlobal(QPoint(0, self.more_button.height())))

    def _show_in_folder(self) -> None:
        if (model := self.model) is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(model.path.parent)))

    def _verify(self) -> None:
        """Verify the current model; where that is being done, stop it."""
        model, before = self.model, self._shelf.being_verified
        if model is None:
            return
        if before == model.path:
            self._shelf.stop_verifying()
        else:
            self._shelf.verify(model)
        self.refresh()
        if before != model.path:
            self.list.change(replace(self._card(model), note=self.tr("Reading all of it"), tone=Tone.QUIET, fraction=0))

    def _name_verifying(self) -> None:
        is_read = self.model is not None and self._shelf.being_verified == self.model.path
        self.verify_action.setText(self.tr("Stop &verifying") if is_read else self.tr("&Verify"))

    def _delete(self) -> None:
        model = self.model
        if model is not None and model.is_ours and (thrown := self._shelf.throw_away(model)) is not None:
            self._tell_thrown(thrown)

    def _tell_thrown(self, thrown: Thrown) -> None:
        self.thrown_away.emit(thrown)

    def _add_folder(self) -> None:
        chosen = self._choose_folder(self, Path.home())
        current = self._settings.current
        if chosen is not None and str(chosen) not in current.added_folders:
            self._settings.save(replace(current, added_folders=(*current.added_folders, str(chosen))))

    def _forget(self) -> None:
        model, current = self.model, self._settings.current
        if model is not None:
            left = tuple(folder for folder in current.added_folders if not model.path.is_relative_to(folder))
            self._settings.save(replace(current, added_folders=left))

    def _on_facts_read(self, paths: tuple[Path, ...]) -> None:
        shown = {card.key for card in self.list.cards}
        for path in paths:
            model = self._shelf.of_path(path) if str(path) in shown else None
            if model is not None:
                self.list.change(self._card(model))
        if self.model is not None and self.model.path in paths:
            self._show_current()

    def _on_failed(self, sentence: str) -> None:
        self.refresh()
        self.said.emit(sentence)

    def _on_verifying(self, path: Path, read: int, whole: int) -> None:
        if (model := self._shelf.of_path(path)) is not None:
            words = self.tr("Reading all of it: {read} of {size}").format(read=size_words(read), size=size_words(whole))
            card = replace(self._card(model), note=words, tone=Tone.QUIET, fraction=read / max(1, whole))
            self.list.change(card)

    def _on_verified(self, verdict: Verdict) -> None:
        model = self._shelf.of_path(verdict.path)
        if model is None:
            return
        kinds = inference.hub.VerdictKind
        match verdict.kind:
            case kinds.MATCHES:
                words, tone = self.tr("Whole: its checksum is the Hub's"), Tone.GOOD
            case kinds.DIFFERS:
                words, tone = self.tr("Differs from the Hub's file of that name. Download it again."), Tone.ERROR
            case _:
                words = self.tr("All its tensors are there. The Hub's checksum for it is not known.")
                words = f"{words} {verdict.why}".rstrip()
                tone = Tone.QUIET
        self.list.change(replace(self._card(model), note=words, tone=tone))
        self.said.emit(f"{model.name}: {words}")
