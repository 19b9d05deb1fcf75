"""The words around a message: whose it is, its figures, and how it ended."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from desktop import wording
from desktop.conversations import TurnState
from desktop.turns import Turn
from desktop.widgets.message_view import Caption
from inference import FinishReason, Usage


def caption_of(turn: Turn) -> Caption:
    """What stands around this turn."""
    if not turn.is_reply:
        return Caption(_with_marks(_tr("You"), turn), note=_attached(turn), note_icon="attach")
    name = _with_marks(turn.model_name or _tr("Reply"), turn)
    match turn.state:
        case TurnState.FAILED:
            caption = Caption(name, _figures(turn), turn.error, is_error=True)
        case TurnState.INTERRUPTED:
            notice = _tr("Interrupted: Headwater closed while this was being written")
            caption = Caption(name, _figures(turn), notice)
        case _:
            caption = Caption(name, _figures(turn), _end_of_window(turn))
    return replace(caption, note=_left_out(turn), thought=_thought(turn))


def _with_marks(name: str, turn: Turn) -> str:
    """A name, and what a person did with the message."""
    marks = (_tr("edited") if turn.edited else "", _tr("pinned") if turn.pinned else "")
    return " · ".join(part for part in (name, *marks) if part)


def _attached(turn: Turn) -> str:
    return ", ".join(" ".join(attachment.name.split()) for attachment in turn.attachments)


def _left_out(turn: Turn) -> str:
    count = len(turn.left_out)
    if count == 1:
        return _tr("1 older message was not read")
    return _tr("{count} older messages were not read").format(count=wording.whole(count)) if count else ""


def _thought(turn: Turn) -> str:
    if turn.thought_seconds is None:
        return _tr("Reasoning")
    return _tr("Thought for {seconds} s").format(seconds=wording.running(turn.thought_seconds))


def _end_of_window(turn: Turn) -> str:
    if turn.finish_reason is not FinishReason.WINDOW:
        return ""
    return _tr("The context window is full: the reply ends here")


def _figures(turn: Turn) -> str:
    parts = [_ending(turn.finish_reason)]
    if turn.usage:
        parts.append(_tokens_read(turn.usage))
    if turn.timings and turn.timings.decode_rate:
        parts.append(_tr("{rate} tok/s").format(rate=wording.rate(turn.timings.decode_rate)))
    return " · ".join(part for part in parts if part)


def _tokens_read(usage: Usage) -> str:
    if usage.cached_tokens is None:
        return ""
    words = _tr("{new} new + {cached} cached") if usage.cached_tokens else _tr("{new} new")
    new = wording.whole(usage.input_tokens - usage.cached_tokens)
    return words.format(new=new, cached=wording.whole(usage.cached_tokens))


def _ending(reason: FinishReason | None) -> str:
    match reason:
        case FinishReason.CANCELLED:
            return _tr("Stopped")
        case FinishReason.LENGTH:
            return _tr("Cut off at the length asked for")
        case _:
            return ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("Transcript", text)
