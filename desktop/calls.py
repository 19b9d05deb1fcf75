"""What a second start of the program calls to the first."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

_TOKENS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")  # by which a desktop lets a window come to the front


@dataclass(frozen=True, slots=True)
class Call:
    """What a second start wants of the first: a model, if any, and the desktop's permission to come to the front."""

    model: str = ""  # an absolute path or an address
    token: str = ""

    @classmethod
    def for_model(cls, words: str | None, environment: Mapping[str, str] = os.environ) -> Call:
        """The call of a start with this argument. A path is made absolute: the first may run in another folder."""
        model = words or ""
        if model and "://" not in model:
            model = str(Path(model).absolute())
        return cls(model, next((environment[name] for name in _TOKENS if environment.get(name)), ""))

    def packed(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def unpacked(cls, line: bytes) -> Call | None:
        """What was called; nothing where it makes no sense."""
        with suppress(ValueError, RecursionError):
            values = json.loads(line)
            if isinstance(values, dict) and all(_is_name(value) for value in values.values()):
                return cls(values.get("model", ""), values.get("token", ""))
        return None


def _is_name(value: object) -> bool:
    """Whether it can be that of a file.

    Raises:
        ValueError: it has letters that no name can have.
    """
    return isinstance(value, str) and b"\0" not in os.fsencode(value)
