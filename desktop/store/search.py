"""Finding words in titles and texts, in any script, from the first letter on.

The index names what has all the pieces of a word. Each is then looked at, the newest first, so that only what really
has the word is a hit.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from desktop.conversations import Conversation
from desktop.hits import Hit
from desktop.store.excerpts import excerpt_of
from desktop.store.grams import GRAM, folded, words_of
from desktop.store.rows import CONVERSATION

MOST_LOOKED_AT = 2_000  # turns, the newest first: bounds a search for words that have nothing but common grams
_ENOUGH = 200  # hits to choose the best from
_MOST_OF_ONE = 3  # of them in one conversation
_MOST_GRAMS = 40  # of a search
_MOST_PLACES = 8  # of a word in one text that are looked at

_TERMS = re.compile(r'"([^"]+)"|(\S+)')


@dataclass(frozen=True, slots=True)
class _Found:
    """A place where all terms are: in a turn, or with `None` in a title."""

    conversation: int
    turn: int | None
    text: str
    rank: tuple[int, int]  # how many terms are whole words there, and how many begin one


def search(
    connection: sqlite3.Connection, words: str, limit: int, conversation_from: Callable[[tuple[Any, ...]], Conversation]
) -> tuple[Hit, ...]:
    """Where all these words are, the best first: one hit for a conversation, its title before its turns."""
    terms = _terms_of(words)
    if not terms:
        return ()
    best: dict[int, _Found] = {}
    for found in sorted(_in_titles(connection, terms), key=lambda found: found.rank, reverse=True):
        best.setdefault(found.conversation, found)
    for found in sorted(_in_turns(connection, terms), key=lambda found: found.rank, reverse=True):
        best.setdefault(found.conversation, found)
    chosen = list(best.values())[:limit]
    places = ", ".join("?" * len(chosen))
    rows = connection.execute(f"{CONVERSATION} WHERE id IN ({places})", [found.conversation for found in chosen])
    conversations = {row[0]: conversation_from(row) for row in rows}
    return tuple(Hit(conversations[found.conversation], found.turn, *excerpt_of(found.text, terms)) for found in chosen)


def _terms_of(words: str) -> tuple[str, ...]:
    """What must all be there: words, and what stands between quotation marks as it is."""
    sound = words.encode("utf-8", "ignore").decode("utf-8")
    found = (" ".join((quoted or word).split()) for quoted, word in _TERMS.findall(folded(sound)))
    return tuple(dict.fromkeys(term for term in found if term))


def _query(terms: Sequence[str]) -> str | None:
    """What FTS5 is asked: the longest grams of each word. `None` where nothing in the terms is indexed."""
    grams: dict[str, None] = {}
    for word in (word for term in terms for word in words_of(term)):
        length = min(GRAM, len(word))
        grams.update(dict.fromkeys(word[at : at + length] for at in range(len(word) - length + 1)))
    return " AND ".join(f'"{gram}"' for gram in list(grams)[:_MOST_GRAMS]) or None


def _in_titles(connection: sqlite3.Connection, terms: Sequence[str]) -> Iterator[_Found]:
    query = _query(terms)
    if query is None:
        return
    rows = connection.execute(
        "SELECT id, title FROM conversations_grams JOIN conversations ON id = conversations_grams.rowid"
        " WHERE conversations_grams MATCH ? AND deleted IS NULL ORDER BY conversations_grams.rowid DESC LIMIT ?",
        (query, MOST_LOOKED_AT),
    )
    for conversation, title in rows:
        if (rank := _rank(folded(title), terms)) is not None:
            yield _Found(conversation, None, title, rank)


def _in_turns(connection: sqlite3.Connection, terms: Sequence[str]) -> Iterator[_Found]:
    query = _query(terms)
    if query is None:
        return
    rows = connection.execute(
        "SELECT id, conversation, content FROM turns_grams JOIN turns ON id = turns_grams.rowid"
        " WHERE turns_grams MATCH ? AND deleted IS NULL ORDER BY turns_grams.rowid DESC LIMIT ?",
        (query, MOST_LOOKED_AT),
    )
    counts: Counter[int] = Counter()
    deleted = {number for (number,) in connection.execute("SELECT id FROM conversations WHERE deleted IS NOT NULL")}
    for turn, conversation, content in rows:
        if (
            conversation in deleted
            or counts[conversation] == _MOST_OF_ONE
            or (rank := _rank(folded(content), terms)) is None
        ):
            continue
        yield _Found(conversation, turn, content, rank)
        counts[conversation] += 1
        if counts.total() == _ENOUGH:
            return


def _rank(text: str, terms: Sequence[str]) -> tuple[int, int] | None:
    """How many of the terms are whole words in folded text, and how many begin one; `None` where one is missing."""
    whole, begins = 0, 0
    line = text.replace("\n", " ")
    for term in terms:
        begin_words = []
        at = line.find(term)
        if at < 0:
            return None
        for _ in range(_MOST_PLACES):
            if not line[at - 1 : at].isalnum():
                begin_words.append(at + len(term))
            at = line.find(term, at + 1)
            if at < 0:
                break
        begins += bool(begin_words)
        whole += any(not line[end : end + 1].isalnum() for end in begin_words)
    return whole, begins
