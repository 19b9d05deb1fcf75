"""What can be done about a reply that failed, in words for its buttons."""

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
            return _tr("Use a larger window ({tokens} tokens)").format(tokens=wording.whole(remedy.context_size))
        case RemedyKind.TRY_AGAIN:
            return _tr("Try again")
        case RemedyKind.CHANGE_KEY:
            return _tr("Change the key…")
    assert_never(remedy.kind)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Offers", text)
