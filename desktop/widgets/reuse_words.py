"""Why the prompt was not taken from the KV cache any further, in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

import inference


def why_reading_began(end: inference.ReuseEnd) -> str:
    """A sentence, for a tooltip or the details of a reply."""
    ends = inference.ReuseEnd
    reasons = {
        ends.FIRST_TURN: _tr("It is the first prompt of its conversation: nothing of it was read before."),
        ends.MODEL_RELOADED: _tr("Read from the beginning: the model was loaded anew, and nothing kept fits it."),
        ends.EVICTED: _tr("Read again: what was kept of this conversation was given up to make room for others."),
        ends.NEW_TEXT: _tr("All that was kept was reused; only new text was read."),
        ends.SYSTEM_CHANGED: _tr("Read from the beginning: the system prompt is another one."),
        ends.TURN_CHANGED: _tr("Read from where an earlier turn is no longer the one that was read."),
        ends.TEMPLATE_CHANGED: _tr("Read from where the chat template writes other text than before, such as a date."),
        ends.NOT_REWINDABLE: _tr("Read from an earlier place: this model's memory cannot be cut back everywhere."),
        ends.LAST_TOKEN: _tr("The whole prompt was kept; only its last token was read once more."),
        ends.WHOLE_PROMPT: _tr("The whole prompt was kept, with what follows from it: nothing was read."),
    }
    return reasons[end]


def _tr(text: str) -> str:
    return QCoreApplication.translate("SpeedBar", text)
