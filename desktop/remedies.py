"""What can be done, in place, about a reply that failed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

import inference
from desktop.conversations import Failure, FailureKind, Turn, TurnState
from inference import KeyRefused, ModelError, PromptTooLong, ServerError, WindowPolicy

_ROOM = 512  # tokens for a reply, beside the prompt that needs the window


class RemedyKind(StrEnum):
    """What would be done."""

    LEAVE_OUT_OLDEST = "leave out the oldest"
    LARGER_WINDOW = "larger window"
    TRY_AGAIN = "try again"
    CHANGE_KEY = "change the key"


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to do, after which the question is asked again. A larger window holds `context_size` tokens and takes
    `added_bytes` more of memory than now, as far as that can be told."""

    kind: RemedyKind
    context_size: int = 0
    added_bytes: int | None = None


def failure_of(error: Exception) -> Failure:
    """What is kept of an error, so that something can be done about it later too."""
    match error:
        case PromptTooLong():
            return Failure(FailureKind.PROMPT_TOO_LONG, error.needed, error.droppable)
        case KeyRefused():
            return Failure(FailureKind.KEY_REFUSED)
        case ServerError():
            return Failure(FailureKind.SERVER)
        case _:
            return Failure()


def remedies_for(
    turn: Turn, info: inference.ModelInfo | inference.RemoteModelInfo | None, policy: WindowPolicy
) -> tuple[Remedy, ...]:
    """What to offer below a failed reply, the likeliest first, while `info` describes the model that would answer."""
    failure = turn.failure
    if turn.state is not TurnState.FAILED or failure is None:
        return ()
    match failure.kind:
        case FailureKind.PROMPT_TOO_LONG:
            return _for_a_long_prompt(failure, info, policy)
        case FailureKind.KEY_REFUSED:
            return (Remedy(RemedyKind.CHANGE_KEY), Remedy(RemedyKind.TRY_AGAIN))
        case FailureKind.SERVER:
            return (Remedy(RemedyKind.TRY_AGAIN),)
        case FailureKind.OTHER:
            return ()
    assert_never(failure.kind)


def larger_window(info: inference.ModelInfo, needed: int) -> int | None:
    """The next size of a context window, doubled as often as it takes, that holds a prompt of `needed` tokens and a
    reply; `None` where the model was not trained for one."""
    size = info.context_size
    while size < needed + _ROOM:
        size *= 2
    size = min(size, info.training_context)
    return size if size > max(info.context_size, needed) else None


def added_memory(info: inference.ModelInfo, context_size: int) -> int | None:
    """What a window of this size would take more than the present one; `None` where the file does not say."""
    path, kv_type = info.config.path, info.kv_type
    try:
        now = inference.forecast(path, info.context_size, kv_type=kv_type)
        then = inference.forecast(path, context_size, kv_type=kv_type)
    except ModelError:
        return None
    return max(0, then.kv + then.compute - now.kv - now.compute)


def _for_a_long_prompt(
    failure: Failure, info: inference.ModelInfo | inference.RemoteModelInfo | None, policy: WindowPolicy
) -> tuple[Remedy, ...]:
    remedies = []
    if failure.droppable and policy is WindowPolicy.STOP:
        remedies.append(Remedy(RemedyKind.LEAVE_OUT_OLDEST))
    if isinstance(info, inference.ModelInfo) and (size := larger_window(info, failure.needed)):
        remedies.append(Remedy(RemedyKind.LARGER_WINDOW, size, added_memory(info, size)))
    if isinstance(info, inference.ModelInfo) and failure.needed < info.context_size:
        remedies.append(Remedy(RemedyKind.TRY_AGAIN))  # another model's window, or one made larger since
    return tuple(remedies)
