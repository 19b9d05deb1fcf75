"""How a model may be loaded that could not be loaded as it was wished."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inference import (
    AnyModel,
    DeviceNotFound,
    InferenceError,
    MemoryShort,
    ModelChanged,
    ModelConfig,
    ModelCrashed,
    ModelNotFound,
    ModelUnreadable,
    OutOfMemory,
)

_SMALL_WINDOW = 512  # tokens; below it a model has hardly room for a question


class WayKind(StrEnum):
    """What would be done otherwise."""

    ON_CPU = "on the cpu"
    SMALLER_WINDOW = "smaller window"
    ANY_DEVICE = "any device"  # the engine's own choice
    AGAIN = "again"  # the same once more: by then there may be more memory, or another file in that place


@dataclass(frozen=True, slots=True)
class Way:
    """How to load a model that could not be loaded as it was wished. A smaller window holds `context_size` tokens."""

    kind: WayKind
    context_size: int = 0


def ways_after(model: AnyModel, error: InferenceError) -> tuple[Way, ...]:
    """What may go better after this error, the likeliest first."""
    match error:
        case ModelCrashed():
            on_cpu = (Way(WayKind.ON_CPU),) if error.was_on_gpu else ()
            smaller = (Way(WayKind.SMALLER_WINDOW, error.smaller_context),) if error.smaller_context else ()
            return on_cpu + smaller
        case OutOfMemory(context_size=int(size)) if size // 2 >= _SMALL_WINDOW:
            return (Way(WayKind.SMALLER_WINDOW, size // 2), Way(WayKind.AGAIN))
        case OutOfMemory() | MemoryShort() | ModelChanged() | ModelNotFound() | ModelUnreadable():
            return (Way(WayKind.AGAIN),)
        case DeviceNotFound() if isinstance(model, ModelConfig) and model.device is not None:
            return (Way(WayKind.ANY_DEVICE),)
        case _:
            return ()
