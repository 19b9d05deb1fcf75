"""Finding words in titles and texts, in any script, from the first letter on.

Two FTS5 tables hold, for every title and every turn, which pieces of one, two and three letters occur in it: its
grams. FTS5's own trigrams know nothing of words of one or two letters, which is what many a word is in Chinese. What
has all the grams of a word is then looked at, so that only what really has the word is a hit.

What was written waits in a table to be indexed, a few turns at a time, when there is time for it. Triggers put it
there, and take out of the index what changes or goes.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

from desktop.conversations import Conversation, Hit, TurnState
from desktop.store.rows import CONVERSATION

GRAM = 3  # letters; more would make the index large and find nothing else
MOST_LOOKED_AT = 2_000  # turns, the newest first: bounds a search for words that have nothing but common grams
_ENOUGH = 200  # hits to choose the best from
_MOST_OF_ONE = 3  # of them in one conversation
_MOST_GRAMS = 40  # of a search
_MOST_PLACES = 8  # of a word in one text that are looked at
_BEFORE, _AFTER = 40, 120  # characters of an excerpt
_MERGE_PAGES = 64  # of the index, rewritten at once

# Marks that people leave out when they search: accents, vowel points of Hebrew and Arabic, and what is not seen.
_LEFT_OUT = re.compile(
    "[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640\u00ad\u200b-\u200d\ufe00-\ufe0f]"
)
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"'})
# FTS5's tokenizer is told that these are letters; what separates words for it must not be in a gram.
_LETTERS = "!#$%&()*+,-./:;<=>?@[\\]^_`{|}~"
_SEPARATORS = re.compile(r"[\s\x00-\x1f\x7f\"']+")
_INDEXED = (("conversations", "title"), ("turns", "content"))
_TERMS = re.compile(r'"([^"]+)"|(\S+)')
_MADE_BY = f"3 {unicodedata.unidata_version}"  # what `folded` depends on; where it changes, all is indexed anew


@dataclass(frozen=True, slots=True)
class _Found:
    """A place where all terms are: in a turn, or with `None` in a title."""

    conversation: int
    turn: int | None
    text: str
    rank: tuple[int, int]  # how many terms are whole words there, and how many begin one


def create(connection: sqlite3.Connection) -> None:
    """Make the index, in a file that has none. What is there already waits to be indexed."""
    connection.execute("CREATE TABLE index_state (made_by TEXT NOT NULL, to_merge INTEGER NOT NULL)")
    connection.execute("INSERT INTO index_state (made_by, to_merge) VALUES ('', 0)")
    for table, text in _INDEXED:
        waiting = f"SELECT 1 FROM {table}_to_index WHERE id = old.id"
        take_out = (
            f"INSERT INTO {table}_grams ({table}_grams, rowid, grams)"
            f" SELECT 'delete', old.id, grams(old.{text}) WHERE NOT EXISTS ({waiting});"
        )
        for statement in (
            f"CREATE TABLE {table}_to_index (id INTEGER PRIMARY KEY)",
            f"INSERT INTO {table}_to_index SELECT id FROM {table}",
            _trigger(table, "AFTER INSERT", f"INSERT INTO {table}_to_index VALUES (new.id);"),
            _trigger(
                table,
                f"AFTER UPDATE OF {text}",
                f"{take_out} INSERT OR IGNORE INTO {table}_to_index VALUES (old.id);",
                f"WHEN old.{text} IS NOT new.{text}",
            ),
            _trigger(table, "AFTER DELETE", f"{take_out} DELETE FROM {table}_to_index WHERE id = old.id;"),
        ):
            connection.execute(statement)
        _create_grams(connection, table)


def prepare(connection: sqlite3.Connection) -> None:
    """Teach a connection what the triggers ask for."""
    connection.create_function("grams", 1, grams_of, deterministic=True)


def is_outdated(connection: sqlite3.Connection) -> bool:
    """Whether the index was made with other rules than those of this program: what is in it cannot be taken out."""
    (made_by,) = connection.execute("SELECT made_by FROM index_state").fetchone()
    return bool(made_by != _MADE_BY)


def start_over(connection: sqlite3.Connection) -> None:
    """Empty the index; everything is then to be indexed."""
    for table, _ in _INDEXED:
        connection.execute(f"DROP TABLE {table}_grams")
        _create_grams(connection, table)
        connection.execute(f"INSERT OR IGNORE INTO {table}_to_index SELECT id FROM {table}")
    connection.execute("UPDATE index_state SET made_by = ?, to_merge = 0", (_MADE_BY,))


def has_more_to_index(connection: sqlite3.Connection) -> bool:
    """Whether something waits to be indexed; a reply that is still being written does not."""
    return any(connection.execute(f"{_waiting(table, text)} LIMIT 1").fetchone() for table, text in _INDEXED)


def index_some(connection: sqlite3.Connection, most: int) -> None:
    """Index so many of the titles and turns that wait for it, the newest first."""
    for table, text in _INDEXED:
        rows = connection.execute(f"{_waiting(table, text)} ORDER BY id DESC LIMIT ?", (most,)).fetchall()
        for number, words in rows:
            connection.execute(f"INSERT INTO {table}_grams (rowid, grams) VALUES (?, ?)", (number, grams_of(words)))
            connection.execute(f"DELETE FROM {table}_to_index WHERE id = ?", (number,))
        most -= len(rows)


def mark_for_merging(connection: sqlite3.Connection) -> None:
    """What was taken out is only marked as gone in FTS5's older segments, until these are written anew."""
    connection.execute("UPDATE index_state SET to_merge = 1")


def merge_some(connection: sqlite3.Connection) -> tuple[bool, bool]:
    """Write a little of the index anew, where something was taken out of it; whether there is more, and was any."""
    (to_merge,) = connection.execute("SELECT to_merge FROM index_state").fetchone()
    if not to_merge:
        return False, False
    has_more = False
    # A negative number begins to merge all segments into one, a positive one goes on with it.
    pages = -_MERGE_PAGES if to_merge == 1 else _MERGE_PAGES
    for table, _ in _INDEXED:
        before = connection.total_changes
        connection.execute(f"INSERT INTO {table}_grams ({table}_grams, rank) VALUES ('merge', ?)", (pages,))
        # SQLite's word for "nothing was left to do": https://sqlite.org/fts5.html#the_merge_command
        has_more = connection.total_changes - before >= 2 or has_more
    connection.execute("UPDATE index_state SET to_merge = ?", (2 if has_more else 0,))
    return has_more, True


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
    return tuple(Hit(conversations[found.conversation], found.turn, *_excerpt(found.text, terms)) for found in chosen)


def folded(text: str) -> str:
    """Text as it is compared: without case, accents or forms of presentation."""
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def grams_of(text: str) -> str:
    """The different pieces of one, two and three letters in `text`, between spaces."""
    grams: set[str] = set()
    for word in set(_SEPARATORS.split(folded(text))):
        for length in range(1, GRAM + 1):
            grams.update(word[at : at + length] for at in range(len(word) - length + 1))
    return " ".join(grams)


def _trigger(table: str, event: str, steps: str, condition: str = "") -> str:
    name = f"{table}_{event.split()[1].lower()}"
    return f"CREATE TRIGGER {name} {event} ON {table} {condition} BEGIN {steps} END"


def _create_grams(connection: sqlite3.Connection, table: str) -> None:
    # Without text, positions and sizes: they would take several times the room and are never asked for.
    connection.execute(
        f"CREATE VIRTUAL TABLE {table}_grams USING fts5"
        f" (grams, content = '', detail = none, columnsize = 0, tokenize = \"ascii tokenchars '{_LETTERS}'\")"
    )


def _terms_of(words: str) -> tuple[str, ...]:
    """What must all be there: words, and what stands between quotation marks as it is."""
    sound = words.encode("utf-8", "ignore").decode("utf-8")
    found = (" ".join((quoted or word).split()) for quoted, word in _TERMS.findall(folded(sound)))
    return tuple(dict.fromkeys(term for term in found if term))


def _query(terms: Sequence[str]) -> str | None:
    """What FTS5 is asked: the longest grams of each word. `None` where nothing in the terms is indexed."""
    grams: dict[str, None] = {}
    for word in (word for term in terms for word in _SEPARATORS.split(term) if word):
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


@lru_cache(maxsize=16)
def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Any of the terms, the longest first; the words of one may stand on two lines."""
    longest_first = sorted(terms, key=len, reverse=True)
    return re.compile("|".join(re.escape(term).replace(r"\ ", r"\s+") for term in longest_first))


def _waiting(table: str, text: str) -> str:
    """What is to be indexed of a table."""
    is_done = f" AND state <> '{TurnState.WRITING}'" if table == "turns" else ""
    return f"SELECT id, {text} FROM {table} WHERE id IN (SELECT id FROM {table}_to_index){is_done}"


def _excerpt(text: str, terms: Sequence[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The surroundings of what was found first, in one line, and where the terms are in it."""
    pattern = _pattern(tuple(terms))
    first = pattern.search(folded(text))
    at = 0 if first is None else _letter_at(text, first.start())
    begin, end = _begin_before(text, at), at + _AFTER
    inside = " ".join(text[begin:end].split())
    excerpt = f"{'…' if begin else ''}{inside}{'…' if end < len(text) else ''}"
    marks = (match.span() for match in pattern.finditer(folded(excerpt)))
    return excerpt, tuple(
        (_letter_at(excerpt, begin), _letter_at(excerpt, end - 1, after=True)) for begin, end in marks
    )


def _begin_before(text: str, at: int) -> int:
    """Where an excerpt around `at` begins: at a word, where there is one near."""
    if at <= _BEFORE:
        return 0
    begin = at - _BEFORE
    space = re.compile(r"\s\S").search(text, begin, at)
    return begin if space is None else space.start() + 1


def _letter_at(text: str, place: int, *, after: bool = False) -> int:
    """The letter at a place of the folded text, or what comes after it and its marks.

    Folding may make one letter of two, several of one, or nothing of a mark.
    """
    if text.isascii():
        return place + after
    ends = list(accumulate(len(folded(letter)) for letter in text))
    return bisect_right(ends, ends[bisect_right(ends, place)]) if after else bisect_right(ends, place)


class _Folding(dict[int, str]):
    """What each letter is folded to, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        letter = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", chr(code)).casefold())
        self[code] = _LEFT_OUT.sub("", letter).translate(_QUOTES)
        return self[code]


_FOLDED = _Folding()
