"""Words of others in tool tips: Qt would take them for HTML, and look for the pictures that are named in it."""

from __future__ import annotations


def as_tip(words: str) -> str:
    """`words` so that a tool tip shows them letter by letter."""
    if "<" not in words and "&lt;" not in words:  # what Qt looks for
        return words
    from html import escape  # it knows thousands of names, and hardly any start needs it

    return f"<qt>{escape(words).replace(chr(10), '<br>')}</qt>"
