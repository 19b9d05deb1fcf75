"""Sentences for people: English texts that know what they were made of, to be said in another language too."""

from __future__ import annotations

from collections.abc import Mapping


class Sentence(str):  # noqa: SLOT000 - a text that carries what it was made of
    """An English sentence, made from `template` (as for `str.format`) and `arguments`, some of them sentences.

    It is a text like any other to whoever shows or writes English. What changes or joins texts makes a plain one of it,
    so a longer sentence is made by a template of its own.
    """

    template: str
    arguments: Mapping[str, object]

    def __new__(cls, template: str, /, **arguments: object) -> Sentence:
        sentence = super().__new__(cls, template.format(**arguments))
        sentence.template = template
        sentence.arguments = arguments
        return sentence

    def __str__(self) -> str:
        return self  # that of `str` would forget what it was made of

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self.template, dict(self.arguments))


def ended(words: str) -> str:
    """What somebody said, as a whole sentence; one that is whole already stays what it is."""
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def _made(template: str, arguments: dict[str, object]) -> Sentence:
    return Sentence(template, **arguments)
