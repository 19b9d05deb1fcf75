"""The window closes once all that was said in it is kept, by itself if need be."""

from __future__ import annotations

from desktop.widgets.notice_board import NoticeBoard
from desktop.widgets.parting import Parting
from tests.desktop.test_locked import answering, locked, starts

__all__ = ["starts"]


def test_a_window_with_nothing_to_be_kept_may_close_at_once(starts, theme):
    app = answering(starts)
    board = NoticeBoard(theme)
    assert Parting(app.library, board, app.window.close, app).may_close()
    assert board.notices == ()
    starts.end(app)


def test_what_is_written_of_a_running_reply_counts_too(starts, theme, qtbot):
    app = answering(starts)
    qtbot.waitUntil(lambda: app.library.current.turns[-1].message.content == "Because ")
    board, asked = NoticeBoard(theme), []
    parting = Parting(app.library, board, lambda: asked.append(parting.may_close()), app, milliseconds=1)
    with locked(starts) as let_go:
        assert not parting.may_close()
        assert "Headwater closes as soon as it is." in board.notices[0].text
        qtbot.waitUntil(lambda: asked[-3:] == [False] * 3)
        let_go()
        qtbot.waitUntil(lambda: asked[-1:] == [True])
    starts.end(app)


def test_closing_all_the_same_is_one_step(starts, theme):
    app = answering(starts)
    app.library.current.draft.set_text("typed")
    board, closed = NoticeBoard(theme), []
    parting = Parting(app.library, board, lambda: closed.append(parting.may_close()), app)
    with locked(starts):
        app.library.current.draft.set_text("typed on")
        assert not parting.may_close()
        board.notices[0].action_button.click()
        assert closed == [True]
    starts.end(app)
