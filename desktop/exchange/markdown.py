"""A conversation as a Markdown file, to be read and printed anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

import inference
from desktop import numerals
from desktop.conversations import Conversation, TurnState
from desktop.turns import Turn, fenced

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`]*)$")
_MARKED = re.compile(r"([\\`*_\[\]<>#|~])")
_LONGEST_NAME = 80
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


def to_markdown(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """These turns of a conversation, which are one branch of it, with the figures of each reply."""
    return "\n\n".join(part for part in _parts(conversation, turns) if part) + "\n"


def file_name_of(conversation: Conversation, suffix: str) -> str:
    """What a file with this conversation is called, on any system."""
    name = " ".join(_NOT_IN_NAMES.sub(" ", conversation.title).split()).strip(". ")[:_LONGEST_NAME].rstrip(". ")
    if not name or _DEVICES.match(name):
        name = f"Conversation {name}".rstrip()
    return f"{name}{suffix}"


def _parts(conversation: Conversation, turns: Iterable[Turn]) -> Iterator[str]:
    yield f"# {_plain(conversation.title) or 'Conversation'}"
    yield f"*{_moment(conversation.created)}*"
    if conversation.system_prompt:
        yield "## System prompt"
        yield _closed(conversation.system_prompt)
    for turn in turns:
        yield from _parts_of(turn)


def _parts_of(turn: Turn) -> Iterator[str]:
    yield f"## {_plain(turn.model_name) or 'Model'}" if turn.is_reply else "## You"
    if turn.message.reasoning:
        yield _quoted(f"*{_thought(turn)}*\n\n{_closed(turn.message.reasoning)}")
    for attachment in turn.attachments:
        yield f"**{_plain(attachment.name)}**"
        yield fenced(attachment.text, attachment.kind if attachment.kind.isalnum() else "")
    yield _closed(turn.message.content.strip("\n"))
    if notes := " · ".join(_notes_of(turn)):
        yield f"*{notes}*"


def _thought(turn: Turn) -> str:
    if turn.thought_seconds is None:
        return "Thought"
    return f"Thought for {numerals.running(turn.thought_seconds)} s"


def _notes_of(turn: Turn) -> Iterator[str]:
    """What is known of how a message came about, and how it ended."""
    if turn.edited:
        yield "edited"
    if turn.left_out:
        yield f"{numerals.whole(len(turn.left_out))} earlier messages not read"
    yield from _figures_of(turn)
    match turn.state:
        case TurnState.FAILED:
            yield _plain(turn.error) or "failed"
        case TurnState.INTERRUPTED | TurnState.WRITING:
            yield "not finished"
        case TurnState.COMPLETE:
            yield from _ending_of(turn)


def _figures_of(turn: Turn) -> Iterator[str]:
    usage, timings = turn.usage, turn.timings
    if usage is not None and usage.input_tokens:
        cached = "" if usage.cached_tokens is None else f" ({numerals.whole(usage.cached_tokens)} of them cached)"
        yield f"{numerals.whole(usage.input_tokens)} tokens read{cached}"
    if timings is not None and timings.prefill_rate is not None:
        yield f"prefill {numerals.rate(timings.prefill_rate)} tok/s"
    if usage is not None and usage.output_tokens:
        yield f"{numerals.whole(usage.output_tokens)} tokens written"
    if timings is not None and timings.decode_rate is not None:
        yield f"decode {numerals.rate(timings.decode_rate)} tok/s"
    if timings is not None and timings.ttft is not None:
        yield f"first token {numerals.duration(timings.ttft)} s"


def _ending_of(turn: Turn) -> Iterator[str]:
    match turn.finish_reason:
        case inference.FinishReason.CANCELLED:
            yield "stopped"
        case inference.FinishReason.WINDOW:
            yield "the context window was full"
        case inference.FinishReason.LENGTH:
            yield "cut at its greatest length"
        case inference.FinishReason.STOP | None:
            pass


def _closed(text: str) -> str:
    """Text whose code is at an end, so that what follows it is none."""
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        if found is None:
            continue
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence) and not found[2].strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _plain(text: str) -> str:
    """Text on one line that means nothing but itself."""
    return _MARKED.sub(r"\\\1", " ".join(text.split()))


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
