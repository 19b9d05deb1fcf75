"""What can be done about a reply that failed or did not come to its end, in words for its buttons."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtCore import QCoreApplication

from desktop import wording
from desktop.remedies import Remedy, RemedyKind


def words_for(remedy: Remedy) -> str:
    """What its button says."""
    match remedy.kind:
        case RemedyKind.LEAVE_OUT_OLDEST:
            return _tr("Leave out the oldest turns")
        case RemedyKind.LARGER_WINDOW:
            return _larger_window(remedy)
        case RemedyKind.TRY_AGAIN:
            return _tr("Try again")
        case RemedyKind.CHANGE_KEY:
            return _tr("Change the key…")
        case RemedyKind.CONTINUE:
            return _tr("Continue")
        case RemedyKind.ASK:
            return _tr("Have it answered")
    assert_never(remedy.kind)


def _larger_window(remedy: Remedy) -> str:
    tokens = wording.whole(remedy.context_size)
    if remedy.added_bytes is None:
        return _tr("Use a larger window ({tokens} tokens)").format(tokens=tokens)
    megabytes = wording.whole(max(1, round(remedy.added_bytes / 1e6)))
    return _tr("Use a larger window ({tokens} tokens, +{megabytes} MB)").format(tokens=tokens, megabytes=megabytes)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Offers", text)
