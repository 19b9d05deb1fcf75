"""Sentences for people: English texts that know what they were made of, to be said in another language too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

CAPITAL = "capital"  # the format of a sentence that others begin with: its first letter is a capital


class Sentence(str):  # noqa: SLOT000 - a text that carries what it was made of
    """An English sentence, made from `template` (as for `str.format`) and `arguments`, some of them sentences.

    It is a text like any other to whoever shows or writes English. What changes or joins texts makes a plain one of it,
    so a longer sentence is made by a template of its own. Where one may stand at the beginning of another, its place
    there is `{name:capital}`.
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

    def __format__(self, spec: str) -> str:
        return capital(self) if spec == CAPITAL else super().__format__(spec)

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self.template, dict(self.arguments))


def size_text(size: int) -> Sentence:
    """Three digits or so: "98.4 MB"."""
    if size >= 10**9:
        return Sentence("{size:,.1f} GB", size=size / 1e9)
    if size >= 10**6:
        return Sentence("{size:,.1f} MB", size=size / 1e6)
    if size >= 10**3:
        return Sentence("{size:,.1f} kB", size=size / 1e3)
    return Sentence("{size} bytes", size=size)


def from_text(text: str) -> Sentence:
    """A sentence without places, as it was kept in a file."""
    return Sentence(text.replace("{", "{{").replace("}", "}}"))


def capital(words: str) -> str:
    """As at the beginning of a sentence."""
    return words[:1].upper() + words[1:]


def ended(words: str) -> str:
    """What somebody said, as a whole sentence; one that is whole already stays what it is."""
    return words if words.endswith((".", "!", "?", "…")) else Sentence("{words}.", words=words)


def listed(parts: Iterable[str]) -> str:
    """Several with commas between them; empty where there is none."""
    first, *others = tuple(parts) or ("",)
    for part in others:
        first = Sentence("{one}, {other}", one=first, other=part)
    return first


def in_a_row(parts: Iterable[str]) -> str:
    """Several with semicolons between them; empty where there is none."""
    first, *others = tuple(parts) or ("",)
    for part in others:
        first = Sentence("{one}; {other}", one=first, other=part)
    return first


def _made(template: str, arguments: dict[str, object]) -> Sentence:
    return Sentence(template, **arguments)
