"""What can be done, in place, about a reply that failed or did not come to its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

import inference
from desktop.conversations import FailureKind, TurnState
from desktop.turns import Failure, Turn
from inference import AnyModel, KeyRefused, ModelError, PromptTooLong, RemoteModel, ServerError, WindowPolicy

_ROOM = 512  # tokens for a reply, beside the prompt that needs the window


class RemedyKind(StrEnum):
    """What would be done."""

    LEAVE_OUT_OLDEST = "leave out the oldest"
    LARGER_WINDOW = "larger window"
    TRY_AGAIN = "try again"
    CHANGE_KEY = "change the key"
    CONTINUE = "continue"
    ASK = "ask"  # a question that has no reply


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to do, after which the question is asked again, or the reply `goes_on`. A larger window holds
    `context_size` tokens and takes `added_bytes` more of memory than now, as far as that can be told."""

    kind: RemedyKind
    context_size: int = 0
    added_bytes: int | None = None
    goes_on: bool = False


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
    turns: Sequence[Turn],
    info: inference.ModelInfo | inference.RemoteModelInfo | None,
    model: AnyModel | None,
    policy: WindowPolicy,
) -> tuple[Remedy, ...]:
    """What to offer below the last of the turns, the likeliest first. `model` would answer next, and `info` describes
    it, where it is loaded."""
    turn = turns[-1]
    if not turn.is_reply:
        return (Remedy(RemedyKind.ASK),)
    goes_on = can_go_on(turn, model)
    failure = turn.failure
    if turn.state is TurnState.FAILED and failure is not None:
        match failure.kind:
            case FailureKind.PROMPT_TOO_LONG:
                return _for_a_long_prompt(failure, info, policy, goes_on=goes_on)
            case FailureKind.KEY_REFUSED:
                return (Remedy(RemedyKind.CHANGE_KEY), _AGAIN)
            case FailureKind.SERVER:
                return (_AGAIN,)
            case FailureKind.OTHER:
                # Memory, a file or the engine may be well again; what has to be changed first, the sentence says.
                return (_CONTINUE, _AGAIN) if goes_on else (_AGAIN,)
        assert_never(failure.kind)
    if not _was_cut_short(turn):
        return ()
    if not goes_on:
        return () if turn.message.content else (_AGAIN,)
    if turn.finish_reason is inference.FinishReason.WINDOW:
        return _for_a_full_window(turns, info, policy)
    return (_CONTINUE,)


def can_go_on(turn: Turn, model: AnyModel | None) -> bool:
    """Whether this model can go on with a reply: one that its model did not end by itself, or whose end a person wrote
    over. Servers differ in what they make of half a reply, so none is asked."""
    if not turn.is_reply or model is None or isinstance(model, RemoteModel):
        return False
    if not (turn.edited or turn.state is TurnState.FAILED or _was_cut_short(turn)):
        return False
    if turn.message.token_ids and turn.is_by(model):
        return True
    # Where reasoning ends and the answer begins is known by the tokens alone.
    return bool(turn.message.content) and not turn.message.reasoning


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


_CONTINUE = Remedy(RemedyKind.CONTINUE, goes_on=True)
_AGAIN = Remedy(RemedyKind.TRY_AGAIN)


def _was_cut_short(turn: Turn) -> bool:
    if turn.state is TurnState.COMPLETE:
        return turn.finish_reason not in (None, inference.FinishReason.STOP)
    return turn.state is TurnState.INTERRUPTED


def _for_a_long_prompt(
    failure: Failure,
    info: inference.ModelInfo | inference.RemoteModelInfo | None,
    policy: WindowPolicy,
    *,
    goes_on: bool,
) -> tuple[Remedy, ...]:
    remedies = []
    if failure.droppable and policy is WindowPolicy.STOP:
        remedies.append(Remedy(RemedyKind.LEAVE_OUT_OLDEST, goes_on=goes_on))
    if isinstance(info, inference.ModelInfo) and (size := larger_window(info, failure.needed)):
        remedies.append(Remedy(RemedyKind.LARGER_WINDOW, size, added_memory(info, size), goes_on=goes_on))
    if isinstance(info, inference.ModelInfo) and failure.needed < info.context_size:
        # Another model's window, or one made larger since.
        remedies.append(_CONTINUE if goes_on else _AGAIN)
    return tuple(remedies)


def _for_a_full_window(
    turns: Sequence[Turn], info: inference.ModelInfo | inference.RemoteModelInfo | None, policy: WindowPolicy
) -> tuple[Remedy, ...]:
    """A reply that filled the window goes on once there is room in it."""
    usage, has_older = turns[-1].usage, len(turns) > 2
    if not isinstance(info, inference.ModelInfo):
        return ()
    held = 0 if usage is None else usage.input_tokens + usage.output_tokens
    if held < info.context_size or (has_older and policy is WindowPolicy.DROP_OLDEST):
        return (_CONTINUE,)
    remedies = [Remedy(RemedyKind.LEAVE_OUT_OLDEST, goes_on=True)] if has_older else []
    if size := larger_window(info, held):
        remedies.append(Remedy(RemedyKind.LARGER_WINDOW, size, added_memory(info, size), goes_on=True))
    return tuple(remedies)
