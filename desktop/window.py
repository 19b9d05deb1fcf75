"""The main window: what is where, menus, shortcuts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from PySide6.QtCore import QByteArray, QCoreApplication, QRect, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QMoveEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QSizePolicy,
    QSplitter,
    QSplitterHandle,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.activity import Activity
from desktop.chat_session import ChatSession
from desktop.conversations import Turn
from desktop.draft_attachments import DraftAttachments
from desktop.draft_count import DraftCount
from desktop.filing import Filing
from desktop.housekeeping import Housekeeping
from desktop.library import Library
from desktop.model_choice import ModelChoice, ModelPhase, ModelState
from desktop.settings import ColourScheme, Settings, SettingsFile
from desktop.theme import Theme, ThemeSource, icon
from desktop.widgets.attaching import Attaching
from desktop.widgets.buttons import Button
from desktop.widgets.column import column_width
from desktop.widgets.composer import Composer
from desktop.widgets.conversation_list import ConversationList
from desktop.widgets.conversation_page import ConversationPage
from desktop.widgets.empty_state import EmptyState
from desktop.widgets.model_notices import ModelNotices
from desktop.widgets.model_picker import ModelPicker
from desktop.widgets.notice import Notice, NoticeKind, NoticeStack
from desktop.widgets.painting import fill
from desktop.widgets.reading_actions import ReadingActions
from desktop.widgets.speed_bar import SpeedBar
from desktop.widgets.switch import Switch
from desktop.widgets.temporary_mark import TemporaryMark
from desktop.widgets.turn_actions import Manner, TurnActions
from desktop.widgets.views import Views
from inference import RemoteModel, WindowPolicy, looks_like_model

if TYPE_CHECKING:
    from PySide6.QtCore import QUrl

    from desktop.file_choosers import FileChoosers
    from desktop.server_choice import ServerChoice
    from desktop.widgets.behind import Behind
    from desktop.widgets.server_panel import ServerPanel
    from desktop.widgets.transcript import Transcript

PANEL_WIDTH = 320  # of what stands beside the conversation, at least
NARROW = 700  # below this width the sidebar and the conversation take turns
LINK_SCHEMES = ("http", "https", "mailto")

_FIRST_SIZE = QSize(1080, 720)
_MOST_NOTICES = 3
_NOTICES_SHARE = 40  # per cent of the window's height, at most
_TITLE_LENGTH = 80
_LAYOUT_PAUSE_MS = 500


class _Themed(Protocol):
    def set_theme(self, theme: Theme) -> None: ...


class View(Protocol):
    """A widget that takes the place of the conversation, or stands beside it."""

    closed: SignalInstance  # it was put away from within

    def set_theme(self, theme: Theme) -> None: ...


FileChooser = Callable[[QWidget], Path | None]


def ask_for_model(parent: QWidget) -> Path | None:
    """The platform's file chooser; `None` when it was put away."""
    from PySide6.QtWidgets import QFileDialog

    title = parent.tr("Open a model file")
    name, _ = QFileDialog.getOpenFileName(parent, title, str(Path.home()), parent.tr("Models (*.gguf);;All files (*)"))
    return Path(name) if name else None


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
        choose_file: FileChooser = ask_for_model,
        draft_count: DraftCount | None = None,
        servers: Callable[[], ServerChoice] | None = None,
        behind: Callable[[], Behind] | None = None,
        file_choosers: FileChoosers | None = None,
        drafts: DraftAttachments | None = None,
    ) -> None:
        super().__init__(parent)
        self._file_choosers = file_choosers
        self.views = None if behind is None else Views(behind, settings, models, themes, self, self)
        self.load_model: Callable[[Path | RemoteModel], object] | None = None  # whoever looks first whether it fits
        self._servers = servers
        self.server_panel: ServerPanel | None = None  # made when somebody wants to name a server
        self._draft_count = draft_count
        self._drafts = drafts
        self._library = library
        self._models = models
        self._settings = settings
        self._themes = themes
        self._choose_file = choose_file
        self._session = library.current
        self._links: tuple[tuple[SignalInstance, Callable[..., None]], ...] = ()
        self._notices: list[Notice] = []
        self._link_notice: Notice | None = None
        self._model_notices = ModelNotices(models, self, self)
        self._shown_phase: ModelPhase | None = None
        self._sidebar_wanted = settings.current.sidebar_shown
        self._sidebar_over = False  # in a narrow window: whether the sidebar stands where the conversation was
        self._panel_wanted = False
        self._layout_timer = QTimer(self, singleShot=True, interval=_LAYOUT_PAUSE_MS)
        self._layout_timer.timeout.connect(self._keep_layout)
        self._make_actions()
        self._make_widgets(themes.current)
        self._lay_out()
        self._make_menus()
        self._connect()
        self._restore_layout()
        self._show_model(models.state)
        self._show_conversations()
        self._show_session(library.current)
        self._say_what_was_found()

    def show_icon(self) -> None:
        """Give the window its icon; to draw it takes as long as half of all that is in the window."""
        self.setWindowIcon(icon("headwater", self._themes.current.accent))

    def open_model(self, path: Path) -> None:
        """Let the model in this file answer from now on."""
        self._model_notices.forget_refusals()
        if looks_like_model(path):
            self.choose_model(path)
            return
        text = self.tr("{name} is not a model file. Headwater opens files that end in .gguf.").format(name=path.name)
        self._model_notices.refuse(text)

    def come_to_front(self, token: str = "") -> None:
        """Show the window before all others, as far as the desktop lets it; `token` is its permission."""
        if token:
            os.environ["XDG_ACTIVATION_TOKEN"] = token  # where Qt looks for it
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def choose_model(self, model: Path | RemoteModel) -> None:
        """Let this model answer from now on."""
        (self.load_model or self._models.choose)(model)

    def put_model_actions(self, actions: Sequence[QAction]) -> None:
        """Have these in the menu, before the file that is opened."""
        self._file_menu.insertActions(self.open_action, list(actions))

    def show_notice(
        self,
        text: str,
        kind: NoticeKind = NoticeKind.INFORMATION,
        action: str = "",
        on_action: Callable[[], object] | None = None,
    ) -> Notice:
        """Say something in place. What stands there already is not said twice."""
        for shown in self._notices:
            if (shown.text, shown.kind) == (text, kind):
                return shown
        notice = Notice(self._themes.current, text, kind, action)
        notice.closed.connect(partial(self.put_away, notice))
        if on_action is not None:
            notice.action_chosen.connect(partial(self._act, notice, on_action))
        self._notices.append(notice)
        if len(self._notices) > _MOST_NOTICES:
            self.put_away(next((old for old in self._notices[:-1] if not old.takes_back), self._notices[0]))
        self._notice_stack.add(notice)
        notice.announce()
        return notice

    def put_away(self, notice: Notice) -> None:
        """Say it no longer."""
        self._notices.remove(notice)
        had_focus = notice.isAncestorOf(self.focusWidget()) if self.focusWidget() is not None else False
        self._notice_stack.remove(notice)
        if had_focus:
            self.composer.focus_field()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Those that stand there now, the oldest first."""
        return tuple(self._notices)

    @property
    def transcript(self) -> Transcript:
        """The messages that are shown. Whoever asks for it has it made."""
        return self.page.transcript

    @property
    def empty_state(self) -> EmptyState:
        """What is shown before there are any."""
        return self.page.empty_state

    @property
    def session(self) -> ChatSession:
        """The one that is shown."""
        return self._session

    @property
    def view(self) -> QWidget | None:
        """What stands where the conversation is otherwise; `None` while that is shown."""
        return self._views.currentWidget() if self._views.currentIndex() > 0 else None

    @property
    def panel(self) -> QWidget | None:
        """What stands beside it, if anything."""
        return self._panels.currentWidget() if self._panel_wanted else None

    def open_view(self, view: QWidget) -> None:
        """Show this `View` in place of the conversation, until it is closed, Escape is pressed or a conversation is
        opened. The window keeps it."""
        if self._views.indexOf(view) < 0:
            self._views.addWidget(view)
            _as_view(view).closed.connect(self.close_view)
        self._views.setCurrentWidget(view)
        self._sidebar_over = False
        self._arrange()
        self.stop_action.setEnabled(True)
        view.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_view(self) -> None:
        """Show the conversation again."""
        if self.view is None:
            return
        self._views.setCurrentIndex(0)
        self._show_activity(self._session.activity)
        self.composer.focus_field()

    def open_panel(self, panel: QWidget) -> None:
        """Show this `View` beside the conversation; where there is no room for both, in its place."""
        if self._panels.indexOf(panel) < 0:
            self._panels.addWidget(panel)
            _as_view(panel).closed.connect(self.close_panel)
        self._panels.setCurrentWidget(panel)
        self._panel_wanted = True
        self._sidebar_over = False
        self._arrange()
        panel.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_panel(self) -> None:
        """Put away what stands beside the conversation."""
        if not self._panel_wanted:
            return
        self._panel_wanted = False
        self._arrange()
        self.composer.focus_field()

    # What the window itself is told

    def closeEvent(self, event: QCloseEvent) -> None:
        self._keep_layout()
        if self.views is not None:
            self.views.keep()
        self.closing.emit()
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        self._notice_stack.set_room(self.height() * _NOTICES_SHARE // 100)
        self._make_room_for_server_panel()
        self._layout_timer.start()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._layout_timer.start()

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
            self.open_model(path)

    # Building

    def _make_actions(self) -> None:
        tr = self.tr
        self.new_action = self._action(tr("&New conversation"), self._library.new, QKeySequence.StandardKey.New)
        self.open_action = self._action(tr("&Open a model file…"), self._ask_for_model, QKeySequence.StandardKey.Open)
        self.server_action = self._action(tr("&Connect to a server…"), self._name_a_server)
        self.server_action.setVisible(self._servers is not None)
        self.eject_action = self._action(tr("&Eject the model"), self._models.eject)
        self.attach_action = self._action(tr("&Attach files…"), self._attach, "Ctrl+Shift+A")
        self.attach_action.setVisible(self._drafts is not None)
        self.stop_action = self._action(tr("&Stop the reply"), self._stop, Qt.Key.Key_Escape)
        self.quit_action = self._action(tr("&Quit"), self.close, "Ctrl+Q")
        self.undo_action = self._action(tr("&Undo"), self._take_back, QKeySequence.StandardKey.Undo)
        self.copy_action = self._action(tr("&Copy"), self._copy, QKeySequence.StandardKey.Copy)
        self.sidebar_action = self._action(tr("&Sidebar"), self._toggle_sidebar, "Ctrl+B", checkable=True)
        self.streaming_action = self._action(tr("S&treaming"), self._set_streaming, "Ctrl+Shift+S", checkable=True)
        self.about_action = self._action(tr("&About Headwater"), self._show_about)
        self.quit_action.setMenuRole(QAction.MenuRole.QuitRole)
        self.about_action.setMenuRole(QAction.MenuRole.AboutRole)
        self.about_action.setVisible(self.views is not None)
        self.scheme_actions = self._scheme_actions()
        self.views_actions = () if self.views is None else self.views.actions()

    def _action(
        self,
        text: str,
        slot: Callable[..., object],
        shortcut: QKeySequence.StandardKey | Qt.Key | str | None = None,
        *,
        checkable: bool = False,
    ) -> QAction:
        action = QAction(text, self)
        action.setCheckable(checkable)
        action.triggered.connect(slot)
        if shortcut is not None:
            action.setShortcut(QKeySequence(shortcut))
        return action

    def _scheme_actions(self) -> dict[ColourScheme, QAction]:
        names = {
            ColourScheme.SYSTEM: self.tr("As the s&ystem"),
            ColourScheme.LIGHT: self.tr("&Light"),
            ColourScheme.DARK: self.tr("&Dark"),
        }
        group = QActionGroup(self)
        actions = {scheme: QAction(name, group) for scheme, name in names.items()}
        for scheme, action in actions.items():
            action.setData(scheme.value)
            action.setCheckable(True)
            action.setChecked(scheme is self._themes.scheme)
        group.triggered.connect(self._on_scheme_chosen)
        return actions

    def _make_widgets(self, theme: Theme) -> None:
        self.conversation_list = ConversationList(theme)
        self.housekeeping = Housekeeping(self._library, self.conversation_list, self._settings, self, self)
        self.filing = Filing(self._library, self.conversation_list, self, self._file_choosers, self)
        self.temporary_mark = TemporaryMark(theme)
        self.unfold_button = Button(theme, name=self.tr("Show the sidebar (Ctrl+B)"), icon_name="sidebar")
        self.new_button = Button(theme, name=self.tr("New conversation (Ctrl+N)"), icon_name="plus")
        self.model_picker = ModelPicker(theme, (self.open_action, self.server_action, self.eject_action))
        self.streaming_switch = Switch(theme, self.tr("Streaming"))
        self.streaming_switch.setToolTip(
            self.tr(
                "On: the reply appears while it is written.\n"
                "Off: it appears whole at its end. The model works the same way, at the same speed."
            )
        )
        self.page = ConversationPage(theme, self._models.embedded)
        self.reading = ReadingActions(self, self.page, self._settings)
        self.composer = Composer(theme)
        say = partial(self.show_notice, kind=NoticeKind.WARNING)
        self.attaching = Attaching(self.composer, self._drafts, self._draft_count, say, parent=self)
        self.speed_bar = SpeedBar(theme)
        self.turn_actions = TurnActions(theme, self.page, self._models, self, self._manner, self)
        self._notice_stack = NoticeStack(theme, column_width())

    def _lay_out(self) -> None:
        conversation = QWidget()
        rows = QVBoxLayout(conversation)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self.page, 1)
        rows.addLayout(_in_the_middle(self.composer, column_width(), (16, 8, 16, 16)))
        self._views = QStackedWidget()
        self._views.addWidget(conversation)
        self._panels = QStackedWidget()
        self._panels.setMinimumWidth(PANEL_WIDTH)
        self._panels.hide()
        self._main = _Surface(self._themes.current)
        column = QVBoxLayout(self._main)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header())
        column.addWidget(self._server_row())
        column.addWidget(self._notice_stack)
        column.addWidget(self._views, 1)
        self._splitter = _Splitter(self._themes.current)
        self._splitter.addWidget(self.conversation_list)
        self._splitter.addWidget(self._main)
        self._splitter.addWidget(self._panels)
        self._splitter.setStretchFactor(1, 1)
        self.conversation_list.setMinimumWidth(180)
        self._main.setMinimumWidth(320)
        whole = QWidget()
        rows = QVBoxLayout(whole)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(self._splitter, 1)
        rows.addWidget(self.speed_bar)
        self.setCentralWidget(whole)
        self.setMinimumSize(360, 360)
        self.setAcceptDrops(True)

    def _server_row(self) -> QWidget:
        """The place of the panel for servers, which is made when it is wanted."""
        self._server_area = QWidget()
        self._server_area.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._server_area.hide()
        return self._server_area

    def _header(self) -> QWidget:
        self._head = _Surface(self._themes.current, line_below=True)
        row = QHBoxLayout(self._head)
        row.setContentsMargins(8, 8, 8, 9)
        row.setSpacing(4)
        row.addWidget(self.unfold_button)
        row.addWidget(self.new_button)
        row.addWidget(self.model_picker)
        row.addWidget(self.temporary_mark)
        row.addStretch(1)
        row.addWidget(self.turn_actions.totals_button)
        row.addWidget(self.streaming_switch)
        self.beside_switch = QHBoxLayout()  # what opens the panels
        row.addLayout(self.beside_switch)
        return self._head

    def _make_menus(self) -> None:
        bar = self.menuBar()
        file, edit = bar.addMenu(self.tr("&File")), bar.addMenu(self.tr("&Edit"))
        self._file_menu = file
        self.housekeeping.fill_menu(bar.addMenu(self.tr("&Conversation")))
        view, about = bar.addMenu(self.tr("&View")), bar.addMenu(self.tr("&Help"))
        _fill(file, (self.new_action, self.housekeeping.temporary_action, self.filing.import_action, None))
        _fill(file, (self.open_action, self.server_action, self.eject_action, None))
        _fill(file, (self.attach_action, self.stop_action, None))
        file.addAction(self.quit_action)
        _fill(edit, (self.undo_action, None, self.copy_action))
        self.reading.fill_edit_menu(edit)
        edit.aboutToShow.connect(self._offer_copy)
        edit.aboutToHide.connect(partial(self.copy_action.setEnabled, True))
        edit.aboutToHide.connect(partial(self.undo_action.setEnabled, True))
        _fill(view, (self.sidebar_action, self.streaming_action, None))
        self.reading.fill_view_menu(view)
        _fill(view.addMenu(self.tr("&Colours")), self.scheme_actions.values())
        if self.views_actions:
            preferences, conversation, shortcuts = self.views_actions
            _fill(edit, (None, preferences))
            _fill(view, (None, conversation))
            _fill(about, (shortcuts,))
        about.addAction(self.about_action)

    def _connect(self) -> None:
        self._library.opened.connect(self._show_session)
        self._library.conversations_changed.connect(self._show_conversations)
        self._library.failed.connect(self._on_failed)
        self._models.changed.connect(self._show_model)
        self._notice_stack.fitted.connect(self._make_room_for_server_panel)
        self._model_notices.open_wanted.connect(self._ask_for_model)
        self._model_notices.key_wanted.connect(self._change_key)
        self._settings.listen(self._on_settings)
        if self.views is not None:
            self.views.server_wanted.connect(self._open_server_panel)
        self._themes.changed.connect(self._set_theme)
        self.conversation_list.opened.connect(self._open_conversation)
        self.conversation_list.new_wanted.connect(self.new_action.trigger)
        self.conversation_list.left.connect(self.composer.focus_field)
        self.closing.connect(self.filing.close)
        self.housekeeping.sidebar_wanted.connect(self._show_sidebar)
        self.housekeeping.open_wanted.connect(self._open_conversation)
        self.housekeeping.hit_opened.connect(self._show_found)
        self.conversation_list.fold_wanted.connect(self.sidebar_action.trigger)
        self.new_button.clicked.connect(self.new_action.trigger)
        self.unfold_button.clicked.connect(self.sidebar_action.trigger)
        self.model_picker.chosen.connect(self.choose_model)
        self.streaming_switch.toggled.connect(self._set_streaming)
        self.empty_state.prompt_chosen.connect(self._send_example)
        self.empty_state.open_wanted.connect(self._ask_for_model)
        self.composer.submitted.connect(self._send)
        self.composer.stop_wanted.connect(self._stop)
        self.composer.draft_changed.connect(self._keep_draft)
        self.composer.thinking_switch.toggled.connect(self._set_thinking)
        self.composer.window_meter.policy_chosen.connect(self._choose_policy)
        self.page.link_activated.connect(self.offer_link)
        self.page.offer_taken.connect(self._take_offer)
        self.page.transcript_made.connect(self.order_tabs)
        self.empty_state.examples_changed.connect(self.order_tabs)
        self.turn_actions.done.connect(self.composer.focus_field)
        self._splitter.splitterMoved.connect(self._on_splitter_moved)
        self._set_streaming(on=self._settings.current.streaming)
        self._set_thinking(on=self._settings.current.thinking)
        self.composer.set_sending_key(self._settings.current.send_with)
        self.order_tabs()

    def order_tabs(self) -> None:
        """Have the keyboard go round in the order in which one reads; to be called when there is more to stop at."""
        stops: tuple[QWidget, ...] = (
            self.conversation_list.fold_button,
            self.conversation_list.new_button,
            *self.conversation_list.tab_stops,
            self.unfold_button,
            self.new_button,
            self.model_picker,
            self.turn_actions.totals_button,
            self.streaming_switch,
            *_stops_in(self.beside_switch),
            self.empty_state.open_button,
            *self.empty_state.prompt_buttons,
            *((self.transcript,) if self.page.has_transcript else ()),
            self.composer.field,
            self.composer.attach_button,
            self.composer.thinking_switch,
            self.composer.window_meter,
            *_stops_in(self.composer.beside_button),
            self.composer.button,
            self.speed_bar,
        )
        for before, after in pairwise(stops):
            self.setTabOrder(before, after)

    # The conversation

    def _show_session(self, session: ChatSession) -> None:
        self._follow(session)
        self.close_view()
        self.page.show_session(session)
        self.turn_actions.show_session(session)
        self.attaching.follow(session)
        self.composer.window_meter.show_policy(session.window_policy)
        self._show_activity(session.activity)
        self.speed_bar.show_figures(session.figures)
        self._show_place()
        self._sidebar_over = False
        self._arrange()
        self.composer.focus_field()

    def _follow(self, session: ChatSession) -> None:
        """Listen to this session and no longer to the one before."""
        for signal, slot in self._links:
            signal.disconnect(slot)
        self._session = session
        if self.views is not None:
            self.views.follow(session)
        self._links = (
            (session.turn_added, self._show_place),
            (session.window_policy_changed, self.composer.window_meter.show_policy),
            (session.activity_changed, self._show_activity),
            (session.figures_changed, self.speed_bar.show_figures),
            (session.title_changed, self._show_title),
            (session.failed, self._on_failed),
        )
        for signal, slot in self._links:
            signal.connect(slot)

    def _show_place(self, _turn: Turn | None = None) -> None:
        """Which conversation this is: the mark in the list, the title."""
        conversation = self._session.conversation
        self.conversation_list.set_current(None if conversation is None else conversation.id)
        self._show_title("" if conversation is None else conversation.title)
        self.temporary_mark.setVisible(self._session.is_temporary)

    def _show_activity(self, _activity: Activity) -> None:
        self.composer.set_busy(busy=self._session.is_busy)
        self.stop_action.setEnabled(self._session.is_busy or self.view is not None)

    def _show_title(self, title: str) -> None:
        name = " ".join(title.split())
        short = name if len(name) <= _TITLE_LENGTH else f"{name[: _TITLE_LENGTH - 1]}…"
        self.setWindowTitle(self.tr("{title} - Headwater").format(title=short) if short else self.tr("Headwater"))

    def _on_failed(self, sentence: str) -> None:
        self.show_notice(sentence, NoticeKind.ERROR)

    def _take_offer(self, number: int) -> None:
        from desktop.remedies import RemedyKind

        remedy, remote = self._session.remedies[number], self._session.turns[-1].remote
        if remedy.kind is RemedyKind.CHANGE_KEY and remote is not None:
            self._change_key(remote)
            return
        self._session.mend(remedy, streaming=self._is_streaming, thinking=self._is_thinking)
        self.composer.focus_field()

    def _choose_policy(self, policy: WindowPolicy) -> None:
        self._session.set_window_policy(policy)

    @property
    def _is_streaming(self) -> bool:
        return self.streaming_switch.isChecked()

    @property
    def _is_thinking(self) -> bool:
        return self.composer.thinking_switch.isChecked()

    def _manner(self) -> Manner:
        return Manner(self._is_streaming, self._is_thinking)

    def _send(self, text: str) -> None:
        files = self.attaching.attachments
        if self._session.send(text, streaming=self._is_streaming, thinking=self._is_thinking, attachments=files):
            self.attaching.forget()
            self.transcript.scroll_to_end()
        elif self._models.config is None:
            self._model_notices.say_that_nobody_answers()

    def _send_example(self, prompt: str) -> None:
        """What is being typed stays; an example that cannot be sent now is offered in an empty field."""
        if self._session.send(prompt, streaming=self._is_streaming, thinking=self._is_thinking):
            self._session.set_draft(self.composer.text)
        elif not self.composer.text.strip():
            self.composer.set_text(prompt)
        self.composer.focus_field()

    def _attach(self) -> None:
        self.composer.attach_button.click()

    def _stop(self) -> None:
        """Escape puts away what lies over the conversation first, then ends its reply."""
        if self.view is not None:
            self.close_view()
        else:
            self._session.stop()

    def _keep_draft(self, text: str) -> None:
        self._session.set_draft(text)
        if self._draft_count is not None:
            self._draft_count.set_draft(text)

    def _copy(self) -> None:
        if self.composer.field.hasFocus():
            self.composer.field.copy()
        else:
            self.transcript.copy()

    def _take_back(self) -> None:
        """Undo what was typed where it was typed, else what a notice offers to undo."""
        if self._can_undo_typing:
            self.composer.field.undo()
        elif offers := [notice for notice in self._notices if notice.takes_back]:
            offers[-1].action_button.click()

    @property
    def _can_undo_typing(self) -> bool:
        return self.composer.field.hasFocus() and self.composer.field.document().isUndoAvailable()

    def _offer_copy(self) -> None:
        typed = self.composer.field.hasFocus() and self.composer.field.textCursor().hasSelection()
        self.copy_action.setEnabled(typed or bool(self.transcript.selected_text()))
        self.undo_action.setEnabled(self._can_undo_typing or any(notice.takes_back for notice in self._notices))

    def offer_link(self, address: str) -> None:
        """A model wrote it: whoever opens it sees first where it leads."""
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        url = QUrl(address)
        if url.scheme().lower() not in LINK_SCHEMES:
            self.show_notice(self.tr("This link is not opened: {address}").format(address=address))
            return
        shown = self.tr("The link leads to {address}").format(
            address=url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        )
        for before in [notice for notice in self._notices if notice is self._link_notice]:
            self.put_away(before)  # of one link at a time is asked
        open_it = partial(QDesktopServices.openUrl, url)
        self._link_notice = self.show_notice(shown, action=self.tr("Open it"), on_action=open_it)

    # The list

    def _show_conversations(self) -> None:
        self.conversation_list.show_conversations(self._library.conversations())
        self._show_place()

    def _show_found(self, turn: int, words: str) -> None:
        """Show a turn that was found, on whichever branch it is, and mark the words in it."""
        if all(shown.id != turn for shown in self._session.turns):
            self._session.show_branch(turn)
        self.transcript.find_at(turn, words)

    def _open_conversation(self, conversation: int) -> None:
        self._library.open(conversation)
        self._sidebar_over = False
        self._arrange()

    # The model

    def _ask_for_model(self) -> None:
        path = self._choose_file(self)
        if path is not None:
            self.open_model(path)

    def _name_a_server(self) -> None:
        self._open_server_panel("")

    def _change_key(self, model: RemoteModel) -> None:
        self._open_server_panel(model.base_url)

    def _open_server_panel(self, address: str) -> None:
        """Let a server be named, or the key of one that is known be changed, in place."""
        if self._servers is None:
            return
        if self.server_panel is None:
            self.server_panel = self._make_server_panel(self._servers())
        self._server_area.show()
        self._make_room_for_server_panel()
        self.server_panel.begin(address)

    def _make_server_panel(self, servers: ServerChoice) -> ServerPanel:
        from desktop.widgets.server_panel import ServerPanel

        panel = ServerPanel(self._themes.current, servers)
        panel.chosen.connect(self._use_server)
        panel.closed.connect(self._put_server_panel_away)
        self._server_area.setLayout(_in_the_middle(panel, column_width(), (16, 12, 16, 0)))
        QWidget.setTabOrder(self.streaming_switch, panel)
        return panel

    def _make_room_for_server_panel(self, notices: int | None = None) -> None:
        if self.server_panel is not None:
            shown = 0 if self._notice_stack.isHidden() else self._notice_stack.height()
            self.server_panel.set_room(self.height() - (shown if notices is None else notices))

    def _use_server(self, model: RemoteModel) -> None:
        self._put_server_panel_away()
        self._models.choose(model)

    def _put_server_panel_away(self) -> None:
        self._server_area.hide()
        self.composer.focus_field()

    def _show_model(self, state: ModelState) -> None:
        self.model_picker.show_state(state)
        self.empty_state.show_state(state)
        self.composer.set_recipient("" if self._models.config is None else state.name)
        self.composer.set_can_send(can_send=self._models.config is not None)
        file_info = state.file_info
        self.composer.offer_thinking(offered=file_info is not None and file_info.has_thinking_switch)
        self.speed_bar.show_device_notes(() if file_info is None else (file_info.device_note, file_info.threads_note))
        self.eject_action.setEnabled(state.phase in (ModelPhase.LOADING, ModelPhase.READY))
        if state.phase is not self._shown_phase:
            self._shown_phase = state.phase
            self.model_picker.show_models(self._models.known_models(), self._models.known_servers())
            self._model_notices.show_state(state)

    # What one may choose

    def _set_streaming(self, on: bool) -> None:  # noqa: FBT001 - a slot gets what Qt's signal carries
        self.streaming_switch.setChecked(on)
        self.streaming_action.setChecked(on)
        if on != self._settings.current.streaming:
            self._keep_choice(replace(self._settings.current, streaming=on))

    def _set_thinking(self, on: bool) -> None:  # noqa: FBT001 - as above
        """One choice for all conversations, like streaming: who has no time for thinking has none anywhere."""
        self.composer.thinking_switch.setChecked(on)
        if on != self._settings.current.thinking:
            self._settings.save(replace(self._settings.current, thinking=on))

    def _on_scheme_chosen(self, action: QAction) -> None:
        self._keep_choice(replace(self._settings.current, colour_scheme=ColourScheme(action.data())))

    def _on_settings(self, before: Settings, after: Settings) -> None:
        """Whoever chose it, here or in the preferences, it is shown and holds."""
        self._set_streaming(on=after.streaming)
        self._set_thinking(on=after.thinking)
        if after.colour_scheme is not before.colour_scheme:
            self._themes.set_scheme(after.colour_scheme)
            self.scheme_actions[after.colour_scheme].setChecked(True)
        if (after.font_family, after.font_size) != (before.font_family, before.font_size):
            self._themes.set_font(after.font_family, after.font_size)
        if self.page.has_transcript:
            self.transcript.set_zoom(after.zoom / 100)
        self.composer.set_sending_key(after.send_with)
        if after.models_folder != before.models_folder:
            self.model_picker.show_models(self._models.known_models(), self._models.known_servers())

    def _keep_choice(self, settings: Settings) -> None:
        self._settings.save(settings)
        if self._settings.notice:  # it holds until the program ends
            self.show_notice(self._settings.notice, NoticeKind.WARNING)

    def _set_theme(self, theme: Theme) -> None:
        themed: tuple[_Themed, ...] = (
            self.conversation_list,
            self.unfold_button,
            self.new_button,
            self.model_picker,
            self.temporary_mark,
            self.streaming_switch,
            self.page,
            self.composer,
            self.speed_bar,
            self.turn_actions,
            self._main,
            self._head,
            self._splitter,
            self._notice_stack,
            *((self.server_panel,) if self.server_panel is not None else ()),
            *self._notices,
            *(_as_view(widget) for widget in (*_widgets_in(self._views)[1:], *_widgets_in(self._panels))),
        )
        for widget in themed:
            widget.set_theme(theme)
        width = column_width()  # the font may be another one
        self._notice_stack.set_column(width)
        for in_line in (self.composer, self.server_panel):
            if in_line is not None:
                in_line.setMaximumWidth(width)

    def _show_about(self) -> None:
        if self.views is not None:
            self.views.open_about()

    # Notices

    def _act(self, notice: Notice, action: Callable[[], object]) -> None:
        self.put_away(notice)
        action()

    def _say_what_was_found(self) -> None:
        if self._settings.notice:
            self.show_notice(self._settings.notice, NoticeKind.WARNING)
        found = self._library.interrupted
        if found == 1:
            self.show_notice(
                self.tr("Headwater closed while a reply was being written. What was there is kept, and marked.")
            )
        elif found:
            self.show_notice(
                self.tr(
                    "Headwater closed while {count} replies were being written. What was there is kept, and marked."
                ).format(count=found)
            )

    # Size and place

    @property
    def _is_narrow(self) -> bool:
        return self.width() < NARROW

    def _toggle_sidebar(self) -> None:
        if self._is_narrow:
            self._sidebar_over = not self._sidebar_over
        else:
            self._sidebar_wanted = not self._sidebar_wanted
            self._layout_timer.start()
        self._arrange()
        if self.conversation_list.isVisible() and self._is_narrow:
            self.conversation_list.view.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.composer.focus_field()

    def _show_sidebar(self) -> None:
        if not self.conversation_list.isVisible():
            self._toggle_sidebar()

    def _arrange(self) -> None:
        """The sidebar beside the conversation, or, where there is no room for both, in its place."""
        shown = self._sidebar_over if self._is_narrow else self._sidebar_wanted
        self.conversation_list.setVisible(shown)
        instead = self._panel_wanted and self.width() < NARROW + PANEL_WIDTH
        self._panels.setVisible(self._panel_wanted and not (self._is_narrow and shown))
        self._main.setVisible(not (self._is_narrow and shown) and not instead)
        self._splitter.setStretchFactor(2, int(instead))  # then it takes the room, not the sidebar
        self.unfold_button.setVisible(not shown)
        self.new_button.setVisible(not shown)
        self.turn_actions.totals_button.setVisible(not self._is_narrow)
        self.sidebar_action.setChecked(shown)

    def _on_splitter_moved(self) -> None:
        self._layout_timer.start()

    def _restore_layout(self) -> None:
        settings = self._settings.current
        # A little smaller than a small screen: the window manager's frame has to fit as well.
        self.resize(_FIRST_SIZE.boundedTo(self.screen().availableSize() * 0.9))
        if settings.window_geometry:
            self.restoreGeometry(QByteArray.fromBase64(settings.window_geometry.encode()))
        width = max(180, settings.sidebar_width)
        self._splitter.setSizes([width, max(320, self.width() - width)])
        self._arrange()

    def _keep_layout(self) -> None:
        self._layout_timer.stop()
        settings = self._settings.current
        width = self._splitter.sizes()[0]
        beside = self.conversation_list.isVisible() and not self._is_narrow
        changed = replace(
            settings,
            window_geometry=bytes(self.saveGeometry().toBase64().data()).decode(),
            sidebar_shown=self._sidebar_wanted,
            sidebar_width=width if beside and width > 0 else settings.sidebar_width,
        )
        if changed != settings:
            self._settings.save(changed)


class _Surface(QWidget):
    """A plain area in the colour that text stands on, with a hairline below it where asked for."""

    def __init__(self, theme: Theme, *, line_below: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._line_below = line_below

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill(painter, self.rect(), self._theme.surface)
        if self._line_below:
            fill(painter, QRect(0, self.height() - 1, self.width(), 1), self._theme.border)
        painter.end()


class _Splitter(QSplitter):
    """A splitter whose handle is a hairline, wider to the mouse than to the eye."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.line = theme.border
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)

    def set_theme(self, theme: Theme) -> None:
        self.line = theme.border
        self.update()

    def createHandle(self) -> QSplitterHandle:  # noqa: N802 - Qt's virtual
        return _Handle(self)


class _Handle(QSplitterHandle):
    def __init__(self, splitter: _Splitter) -> None:
        super().__init__(splitter.orientation(), splitter)
        self._splitter = splitter

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill(painter, self.rect(), self._splitter.line)
        painter.end()


def _widgets_in(stack: QStackedWidget) -> list[QWidget]:
    return [widget for place in range(stack.count()) if (widget := stack.widget(place)) is not None]


def _stops_in(row: QHBoxLayout) -> list[QWidget]:
    return [widget for place in range(row.count()) if (item := row.itemAt(place)) and (widget := item.widget())]


def _as_view(widget: QWidget) -> View:
    return cast("View", widget)  # Qt's stacks know widgets only; what is put there keeps to `View`


def _in_the_middle(widget: QWidget, width: int, margins: tuple[int, int, int, int]) -> QHBoxLayout:
    """A row that holds `widget` in its middle, no wider than `width`."""
    row = QHBoxLayout()
    row.setContentsMargins(*margins)
    widget.setMaximumWidth(width)
    row.addStretch(1)
    row.addWidget(widget, 1000)
    row.addStretch(1)
    return row


def _fill(menu: QMenu, actions: Iterable[QAction | None]) -> None:
    for action in actions:
        if action is None:
            menu.addSeparator()
        else:
            menu.addAction(action)


def _files_in(urls: Iterable[QUrl]) -> list[Path]:
    return [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
