"""What the engine says, and whatever else knows no Qt, in the language of the program.

Those sentences are English and know their template and what stands in it: the template is what is translated, and
numbers are written as in the words around them. What others say (llama.cpp, servers, the system) stays as it was said.
"""

from __future__ import annotations

from string import Formatter
from typing import Any

from PySide6.QtCore import QCoreApplication

from desktop import wording
from inference import CAPITAL, Sentence, capital

CONTEXT = "Sentence"


def spoken(said: object) -> str:
    """A sentence, or what a failure says of itself; other texts stay as they are."""
    text = str(said)
    if not isinstance(text, Sentence):
        return text
    template = QCoreApplication.translate(CONTEXT, text.template)
    return _Spoken().vformat(template, (), text.arguments)


class _Spoken(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:  # noqa: ANN401 - as in the class above
        match value:
            case Sentence() if format_spec == CAPITAL:
                return capital(spoken(value))
            case Sentence():
                return format(spoken(value), format_spec)
            case int() | float() if format_spec:
                return wording.written(format(value, format_spec))
            case _:
                return format(value, format_spec)
