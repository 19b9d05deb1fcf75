"""The main window: what is where, menus, shortcuts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMoveEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QMainWindow, QMenu, QMenuBar, QStackedWidget, QVBoxLayout, QWidget

from desktop.chat_session import ChatSession
from desktop.draft_attachments import DraftAttachments
from desktop.draft_count import DraftCount
from desktop.filing import Filing
from desktop.housekeeping import Housekeeping
from desktop.library import Library
from desktop.model_choice import ModelChoice, ModelState
from desktop.settings import Settings, SettingsFile
from desktop.spoken import spoken
from desktop.theme import Theme, Themed, ThemeSource, control_font, icon
from desktop.widgets.actions import make_action
from desktop.widgets.attaching import Attaching
from desktop.widgets.choices import Choices
from desktop.widgets.column import column_width, in_the_middle
from desktop.widgets.composer import Composer
from desktop.widgets.conversation_list import ConversationList
from desktop.widgets.conversation_page import ConversationPage
from desktop.widgets.conversing import Conversing
from desktop.widgets.editing_actions import EditingActions
from desktop.widgets.header import Header, stops_in
from desktop.widgets.link_offer import LinkOffer
from desktop.widgets.model_opening import FileChooser, ModelOpening
from desktop.widgets.notice import NoticeKind
from desktop.widgets.notice_board import NoticeBoard
from desktop.widgets.parting import Parting
from desktop.widgets.place import as_view, widgets_in
from desktop.widgets.placement import Placement
from desktop.widgets.reading_actions import ReadingActions
from desktop.widgets.server_area import ServerArea
from desktop.widgets.side_by_side import SideBySide
from desktop.widgets.speed_bar import SpeedBar
from desktop.widgets.surface import Surface
from desktop.widgets.tab_order import put_after
from desktop.widgets.turn_actions import TurnActions
from desktop.widgets.views import Views
from inference import looks_like_model

if TYPE_CHECKING:
    from PySide6.QtCore import QUrl

    from desktop.file_choosers import FileChoosers
    from desktop.server_choice import ServerChoice
    from desktop.widgets.behind import Behind

_NOTICES_SHARE = 40  # per cent of the window's height, at most
_LEAST_SHARE = 15
_LINES_OF_VIEWS = 18  # of text, for a view and what stands around it: there one chooses from what notices speak of
_TITLE_LENGTH = 80


class Window(QMainWindow):
    """Shows the library's current session, and hands on what the person wants. It decides nothing itself."""

    closing = Signal()

    def __init__(
        self,
        library: Library,
        models: ModelChoice,
        settings: SettingsFile,
        themes: ThemeSource,
        parent: QWidget | None = None,
        choose_file: FileChooser | None = None,
        draft_count: DraftCount | None = None,
        servers: Callable[[], ServerChoice] | None = None,
        behind: Callable[[], Behind] | None = None,
        file_choosers: FileChoosers | None = None,
        drafts: DraftAttachments | None = None,
    ) -> None:
        """Without `choose_file` and `file_choosers` they are the platform's."""
        super().__init__(parent)
        self._library = library
        self._models = models
        self._settings = settings
        self._themes = themes
        self.views = None if behind is None else Views(behind, settings, models, themes, self, self)
        self._make_parts(servers, choose_file, file_choosers)
        self._make_conversation(draft_count, drafts)
        self.parting = Parting(library, self.board, self.close, self)
        self._make_actions()
        self._lay_out()
        self._make_menus()
        self._connect()
        self._placement.restore()
        self._show_model(models.state)
        self._show_conversations()
        self._show_session(library.current)
        self._say_what_was_found()

    def show_icon(self) -> None:
        """Give the window its icon; to draw it takes as long as half of all that is in the window."""
        self.setWindowIcon(icon("headwater", self._themes.current.accent))

    def come_to_front(self, token: str = "") -> None:
        """Show the window before all others, as far as the desktop lets it; `token` is its permission."""
        if token:
            os.environ["XDG_ACTIVATION_TOKEN"] = token  # where Qt looks for it
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    @property
    def session(self) -> ChatSession:
        """The one that is shown."""
        return self.conversing.session

    @property
    def view(self) -> QWidget | None:
        """What stands where the conversation is otherwise; `None` while that is shown."""
        return self._views.currentWidget() if self._views.currentIndex() > 0 else None

    @property
    def panel(self) -> QWidget | None:
        """What stands beside it, if anything."""
        return self._sides.panel

    def open_view(self, view: QWidget) -> None:
        """Show this `View` in place of the conversation, until it is closed, Escape is pressed or a conversation is
        opened. The window keeps it."""
        if self._views.indexOf(view) < 0:
            self._views.addWidget(view)
            as_view(view).closed.connect(self.close_view)
            self._order_what_came()
        self._views.setCurrentWidget(view)
        self._make_room_for_notices()
        self._uncover()
        self.stop_action.setEnabled(True)
        as_view(view).begins_at.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_view(self) -> None:
        """Show the conversation again."""
        if self.view is None:
            return
        self._views.setCurrentIndex(0)
        self._make_room_for_notices()
        self._offer_stop()
        self._go_on()

    def open_panel(self, panel: QWidget) -> None:
        """Show this `View` beside the conversation; where there is no room for both, in its place."""
        self._sides.open_panel(panel)
        self._order_what_came()

    def close_panel(self) -> None:
        """Put away what stands beside the conversation."""
        self._sides.close_panel()

    # What the window itself is told

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.parting.may_close():
            event.ignore()
            return
        self._placement.keep()
        if self.views is not None:
            self.views.keep()
        self.closing.emit()
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sides.arrange()
        self._make_room_for_notices()
        self._placement.keep_soon()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._placement.keep_soon()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What is typed where nothing takes it, in the transcript above all, is meant for the prompt."""
        held = Qt.KeyboardModifier
        commands = held.ControlModifier | held.AltModifier | held.MetaModifier
        is_text = event.text().isprintable() and bool(event.text()) and not event.modifiers() & commands
        if not is_text or not self.composer.isVisible() or self.composer.field.hasFocus():
            super().keyPressEvent(event)
            return
        self.composer.focus_field()
        QCoreApplication.sendEvent(self.composer.field, event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        from desktop.widgets.conversation_drag import conversations_in

        # A conversation on its way would be written into a file by the question.
        if not conversations_in(event.mimeData()) and _files_in(event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = _files_in(event.mimeData().urls())
        if not files:
            return
        event.acceptProposedAction()
        models = [path for path in files if looks_like_model(path)]
        others = [path for path in files if path not in models]
        if others:
            self.attaching.take(others)
        for path in models[:1]:
            self.opening.open(path)

    # Building

    def _make_parts(
        self,
        servers: Callable[[], ServerChoice] | None,
        choose_file: FileChooser | None,
        file_choosers: FileChoosers | None,
    ) -> None:
        """What stands around the conversation."""
        library, models, settings, theme = self._library, self._models, self._settings, self._themes.current
        self.board = NoticeBoard(theme, self)
        self.links = LinkOffer(self.board, self)
        self.conversation_list = ConversationList(theme)
        self.housekeeping = Housekeeping(library, self.conversation_list, settings, self.board, self)
        self.filing = Filing(library, self.conversation_list, self.board, file_choosers, self)
        self.server_area = ServerArea(theme, servers)
        self.opening = ModelOpening(theme, models, settings, self.board, self.server_area, choose_file, self)
        self.speed_bar = SpeedBar(theme)

    def _make_conversation(self, draft_count: DraftCount | None, drafts: DraftAttachments | None) -> None:
        theme, board = self._themes.current, self.board
        self.page = ConversationPage(theme, self._models.embedded)
        self.reading = ReadingActions(self, self.page, self._settings)
        self.composer = Composer(theme)
        self.editing = EditingActions(self, self.composer.field, self.page, board)
        self.choices = Choices(self._settings, self._themes, self.composer.thinking_switch, board, self)
        say = partial(board.show_notice, kind=NoticeKind.WARNING, here=True)
        self.attaching = Attaching(self.composer, drafts, draft_count, say, parent=self)
        self.turn_actions = TurnActions(theme, self.page, self._models, board, self.choices, self)
        self.conversing = Conversing(
            self._library.current,
            self.page,
            self.composer,
            self.attaching,
            self.turn_actions,
            self.speed_bar,
            self.choices,
            draft_count,
            self,
        )

    def _make_actions(self) -> None:
        tr, make = self.tr, partial(make_action, self)
        self.new_action = make(tr("&New conversation"), self._library.new, QKeySequence.StandardKey.New)
        self.attach_action = make(tr("&Attach files…"), self.composer.attach_button.click, "Ctrl+Shift+A")
        self.attach_action.setVisible(self.attaching.is_possible)
        self.stop_action = make(tr("&Stop the reply"), self._stop, Qt.Key.Key_Escape)
        self.quit_action = make(tr("&Quit"), self.close, "Ctrl+Q")
        self.quit_action.setMenuRole(QAction.MenuRole.QuitRole)
        self.sidebar_action = make(tr("&Sidebar"), self._toggle_sidebar, "Ctrl+B", checkable=True)
        self.about_action = make(tr("&About Headwater"), self._show_about)
        self.about_action.setMenuRole(QAction.MenuRole.AboutRole)
        self.about_action.setVisible(self.views is not None)
        self.views_actions = () if self.views is None else self.views.actions()

    def _lay_out(self) -> None:
        conversation = QWidget()
        rows = _column(conversation)
        rows.addWidget(self.page, 1)
        rows.addLayout(in_the_middle(self.composer, (16, 8, 16, 16)))
        self.composer.watch_room(conversation)
        self._views = QStackedWidget()
        self._views.addWidget(conversation)
        theme, opening, switch = self._themes.current, self.opening, self.choices.streaming_switch
        self.header = Header(theme, opening.picker, self.turn_actions.totals_button, switch)
        self._main = Surface(theme)
        rows = _column(self._main)
        for part in (self.header, self.server_area, self.board):
            rows.addWidget(part)
        rows.addWidget(self._views, 1)
        wanted = self._settings.current.sidebar_shown
        self._sides = SideBySide(theme, self.conversation_list, self._main, sidebar_wanted=wanted)
        self._placement = Placement(self, self._sides, self._settings)
        whole = QWidget()
        rows = _column(whole)
        rows.addWidget(self._sides, 1)
        rows.addWidget(self.speed_bar)
        self.setCentralWidget(whole)
        self.setMinimumSize(360, 360)
        self.setAcceptDrops(True)

    def _make_menus(self) -> None:
        bar = self.menuBar()
        file, edit = _menu_in(bar, self.tr("&File")), _menu_in(bar, self.tr("&Edit"))
        self.housekeeping.fill_menu(_menu_in(bar, self.tr("&Conversation")))
        view, about = _menu_in(bar, self.tr("&View")), _menu_in(bar, self.tr("&Help"))
        _fill(file, (self.new_action, self.housekeeping.temporary_action, self.filing.import_action, None))
        self.opening.fill_file_menu(file)
        _fill(file, (None, self.attach_action, self.stop_action, None))
        file.addAction(self.quit_action)
        self.editing.fill_edit_menu(edit)
        self.reading.fill_edit_menu(edit)
        _fill(view, (self.sidebar_action, self.choices.streaming_action, None))
        self.reading.fill_view_menu(view)
        _fill(_menu_in(view, self.tr("&Colours")), self.choices.scheme_actions.values())
        if self.views_actions:
            preferences, conversation, shortcuts = self.views_actions
            _fill(edit, (None, preferences))
            _fill(view, (None, conversation))
            _fill(about, (shortcuts,))
        about.addAction(self.about_action)

    def _connect(self) -> None:
        self._library.opened.connect(self._show_session)
        self._library.conversations_changed.connect(self._show_conversations)
        self._library.failed.connect(self.board.show_error)
        self._models.changed.connect(self._show_model)
        self.board.fitted.connect(self._make_room_for_server)
        self.board.left.connect(self._go_on)
        self.board.said.connect(self._order_what_came)
        self._settings.listen(self._on_settings)
        if self.views is not None:
            self.views.server_wanted.connect(self.server_area.open)
        self.server_area.panel_made.connect(self._order_what_came)
        self.server_area.opened.connect(self._uncover)
        self.server_area.left.connect(self._go_on)
        self._themes.changed.connect(self._set_theme)
        self.conversation_list.opened.connect(self._open_conversation)
        self.conversation_list.new_wanted.connect(self.new_action.trigger)
        self.conversation_list.left.connect(self._go_on)
        self.closing.connect(self.filing.close)
        self.housekeeping.sidebar_wanted.connect(self._show_sidebar)
        self.housekeeping.open_wanted.connect(self._open_conversation)
        self.housekeeping.hit_opened.connect(self.conversing.show_found)
        self.conversation_list.fold_wanted.connect(self.sidebar_action.trigger)
        self.header.new_button.clicked.connect(self.new_action.trigger)
        self.header.unfold_button.clicked.connect(self.sidebar_action.trigger)
        self.page.empty_state.open_wanted.connect(self.opening.ask_for_file)
        self.composer.stop_wanted.connect(self._stop)
        self.page.link_activated.connect(self.links.make)
        self.page.transcript_made.connect(self.order_tabs)
        self.page.empty_state.examples_changed.connect(self.order_tabs)
        self.turn_actions.panel_wanted.connect(self.open_panel)
        self.conversing.identified.connect(self._show_place)
        self.conversing.activity_changed.connect(self._offer_stop)
        self.conversing.unanswered.connect(self.opening.say_if_nobody_answers)
        self.conversing.key_wanted.connect(self.opening.change_key)
        self.conversing.failed.connect(self.board.show_error)
        self.conversing.outdated.connect(partial(self.board.show_notice, kind=NoticeKind.ERROR, here=True))
        self._sides.arranged.connect(self._on_arranged)
        self._sides.panel_closed.connect(self._go_on)
        self.reading.conversation_wanted.connect(self._uncover_conversation)
        self.composer.set_sending_key(self._settings.current.send_with)
        self.order_tabs()

    def order_tabs(self) -> None:
        """Have the keyboard go round in the order in which one reads; to be called when there is more to stop at."""
        stops: tuple[QWidget, ...] = (
            self.conversation_list.fold_button,
            self.conversation_list.new_button,
            *self.conversation_list.tab_stops,
            *self.header.tab_stops,
            self.page.empty_state.open_button,
            *self.page.empty_state.prompt_buttons,
            *((self.page.transcript,) if self.page.has_transcript else ()),
            self.composer.field,
            self.composer.attach_button,
            self.composer.thinking_switch,
            self.composer.window_meter,
            *stops_in(self.composer.beside_button),
            self.composer.button,
            self.speed_bar,
        )
        for before, after in pairwise(stops):
            self.setTabOrder(before, after)
        self._order_what_came()

    def _order_what_came(self) -> None:
        """Servers, notices and views stand below the header; a panel stands beside the conversation."""
        server_panel = self.server_area.panel
        came = (*(() if server_panel is None else (server_panel,)), *self.board.notices, *widgets_in(self._views)[1:])
        put_after(self.header.tab_stops[-1], came)
        put_after(self.composer.button, self._sides.panels)

    # The conversation

    def _show_session(self, session: ChatSession) -> None:
        self.board.leave_conversation()
        self.conversing.follow(session)
        if self.views is not None:
            self.views.follow(session)
        self.close_view()
        self._sides.uncover()
        self._go_on()

    def _show_place(self) -> None:
        """Which conversation this is: the mark in the list, the title."""
        conversation = self.session.conversation
        self.conversation_list.set_current(None if conversation is None else conversation.id)
        self._show_title("" if conversation is None else conversation.title)
        self.header.temporary_mark.setVisible(self.session.is_temporary)

    def _offer_stop(self) -> None:
        self.stop_action.setEnabled(self.session.is_busy or self.view is not None)

    def _show_title(self, title: str) -> None:
        name = " ".join(title.split())
        short = name if len(name) <= _TITLE_LENGTH else f"{name[: _TITLE_LENGTH - 1]}…"
        self.setWindowTitle(self.tr("{title} - Headwater").format(title=short) if short else self.tr("Headwater"))

    def _stop(self) -> None:
        """Escape puts away what lies over the conversation first, then ends its reply."""
        if self.view is not None:
            self.close_view()
        else:
            self.session.stop()

    # The list

    def _show_conversations(self) -> None:
        self.conversation_list.show_conversations(self._library.conversations())
        self._show_place()

    def _open_conversation(self, conversation: int) -> None:
        self._library.open(conversation)
        self._sides.uncover()

    # The model

    def _make_room_for_notices(self) -> None:
        height = self.height()
        room = height * _NOTICES_SHARE // 100
        if self.view is not None:
            lines = _LINES_OF_VIEWS * QFontMetrics(control_font()).height()
            room = min(room, max(height * _LEAST_SHARE // 100, height - lines))
        self.board.set_room(room)

    def _make_room_for_server(self, notices: int) -> None:
        self.server_area.set_room(self.height() - notices)

    def _show_model(self, state: ModelState) -> None:
        self.page.empty_state.show_state(state)
        self.composer.set_recipient("" if self._models.config is None else state.name)
        self.composer.set_can_send(can_send=self._models.config is not None)
        file_info = state.file_info
        self.composer.offer_thinking(offered=file_info is not None and file_info.has_thinking_switch)
        self.speed_bar.show_device_notes(
            () if file_info is None else (spoken(file_info.device_note), spoken(file_info.threads_note))
        )

    # What was chosen

    def _on_settings(self, _before: Settings, after: Settings) -> None:
        if self.page.has_transcript:
            self.page.transcript.set_zoom(after.zoom / 100)
        self.composer.set_sending_key(after.send_with)

    def _set_theme(self, theme: Theme) -> None:
        themed: tuple[Themed, ...] = (
            self.conversation_list,
            self.header,
            self.server_area,
            self.board,
            self.choices,
            self.page,
            self.composer,
            self.speed_bar,
            self.turn_actions,
            self._main,
            self._sides,
            *(as_view(view) for view in widgets_in(self._views)[1:]),
        )
        for part in themed:
            part.set_theme(theme)
        self.composer.setMaximumWidth(column_width())  # the font may be another one
        self._make_room_for_notices()

    def _show_about(self) -> None:
        if self.views is not None:
            self.views.open_about()

    def _say_what_was_found(self) -> None:
        if self._settings.notice:
            self.board.show_notice(spoken(self._settings.notice), NoticeKind.WARNING)
        found = self._library.interrupted
        if found == 1:
            self.board.show_notice(
                self.tr("Headwater closed while a reply was being written. What was there is kept, and marked.")
            )
        elif found:
            self.board.show_notice(
                self.tr(
                    "Headwater closed while {count} replies were being written. What was there is kept, and marked."
                ).format(count=found)
            )

    # Size and place

    def _toggle_sidebar(self) -> None:
        self._sides.toggle_sidebar()
        if self.conversation_list.isVisible() and self._sides.is_narrow:
            self.conversation_list.view.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Have the keyboard where one goes on: in the prompt, or in what stands where that is otherwise."""
        shown = self._sides.in_place_of_conversation or (None if self.view is None else as_view(self.view).begins_at)
        if shown is None:
            self.composer.focus_field()
        else:
            shown.setFocus(Qt.FocusReason.OtherFocusReason)

    def _uncover_conversation(self) -> None:
        """Show the conversation, whatever stands in its place."""
        self.close_view()
        self._uncover()

    def _uncover(self) -> None:
        """Have neither the sidebar nor a panel stand where the conversation and the views are."""
        self._sides.uncover()
        if self._sides.in_place_of_conversation is not None:
            self.close_panel()

    def _show_sidebar(self) -> None:
        if not self.conversation_list.isVisible():
            self._toggle_sidebar()

    def _on_arranged(self, sidebar_shown: bool) -> None:  # noqa: FBT001 - a slot gets what the signal carries
        self.header.show_sidebar_buttons(shown=not sidebar_shown)
        self.sidebar_action.setChecked(sidebar_shown)
        focus = cast("QWidget | None", self.focusWidget())  # its stubs do not know that there may be none
        if focus is None or not focus.isVisibleTo(self):
            self._go_on()  # what the keyboard was in has no room any more, or is covered


def _column(widget: QWidget) -> QVBoxLayout:
    rows = QVBoxLayout(widget)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.setSpacing(0)
    return rows


def _menu_in(parent: QMenuBar | QMenu, title: str) -> QMenu:
    """A menu in another, or in the bar. `addMenu(title)` may have an icon too, see `make_action`."""
    menu = QMenu(title, parent)
    parent.addMenu(menu)
    return menu


def _fill(menu: QMenu, actions: Iterable[QAction | None]) -> None:
    for action in actions:
        if action is None:
            menu.addSeparator()
        else:
            menu.addAction(action)


def _files_in(urls: Iterable[QUrl]) -> list[Path]:
    return [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
