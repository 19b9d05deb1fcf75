"""Every word that was said is found, in every script; what is gone is not, and leaves nothing in the index."""

from __future__ import annotations

import re
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.hits import Hit
from desktop.store import Store
from desktop.store.grams import folded, grams_of
from tests.desktop.exchanges import answered, ask, saying


def found(store: Store, words: str) -> list[str]:
    """What is marked in each hit, the hits in their order."""
    return ["|".join(hit.excerpt[begin:end] for begin, end in hit.marks) for hit in store.search(words)]


def titles(store: Store, words: str) -> list[str]:
    return [hit.conversation.title for hit in store.search(words)]


@pytest.mark.parametrize(
    ("text", "words", "marked"),
    [
        ("Why do rivers bend?", "rivers", "rivers"),
        ("Why do rivers bend?", "RIVER", "river"),
        ("Why do rivers bend?", "ver", "ver"),
        ("Why do rivers bend?", "bend rivers", "rivers|bend"),
        ("Why do rivers\nbend?", '"rivers bend"', "rivers bend"),
        ("Why don't 'rivers bend'?", '"don\u2019t \'riv"', "don't 'riv"),
        ("Why do rivers bend?", "y", "y"),
        ("Why do rivers bend?", "wh", "Wh"),
        ("Is C++ faster?", "c++", "C++"),
        ("A (b) {c} ~d", "(b) {c}", "(b)|{c}"),
        ("don\u2019t say \u201cno\u201d", "don't", "don\u2019t"),
        ("Straße nach Überlingen", "STRASSE", "Straße"),
        ("Straße nach Überlingen", "uberl", "Überl"),
        ("cafe\u0301 noir", "café", "cafe\u0301"),
        ("中国的河流为什么弯曲", "河", "河"),
        ("中国的河流为什么弯曲", "河流", "河流"),
        ("中国的河流为什么弯曲", "为什么弯", "为什么弯"),
        ("日本語の「カタカナ」", "ｶﾀｶﾅ", "カタカナ"),
        ("한국어 문장", "국어", "국어"),
        ("ประเทศไทย", "เทศ", "เทศ"),
        ("שָׁלוֹם עולם", "שלום", "שָׁלוֹם"),
        ("مُحَمَّد", "محمد", "مُحَمَّد"),
        ("Почему реки", "РЕКИ", "реки"),
        ("हिन्दी में", "हिन्दी", "हिन्दी"),
        ("so 🏞️ and 👩‍👩‍👧", "🏞", "🏞️"),
        ("ﬁne ﬂow", "fine flow", "ﬁne|ﬂow"),
    ],
)
def test_a_word_is_found_as_people_type_it(store, text, words, marked):
    ask(store, "something else")
    answered(store, "q", text)
    assert found(store, words) == [marked]


@pytest.mark.parametrize(
    "words", ["", "  ", '""', "quux", "rivers quux", '"bend rivers"', "AND", "NEAR(", "*", "\0", "\ud800"]
)
def test_what_is_not_there_is_not_found_whatever_is_typed(store, words):
    answered(store, "q", "Why do rivers bend?")
    assert store.search(words) == ()


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_every_piece_of_every_word_is_found(words, data):
    store = Store(None)
    text = " ".join(words)
    answered(store, "q", text)
    pieces = [piece for piece in re.split(r"[\s\0-\x1f\x7f\"']+", folded(text)) if piece and piece != "q"]
    if pieces:
        piece = data.draw(st.sampled_from(pieces))
        begin = data.draw(st.integers(0, len(piece) - 1))
        end = data.draw(st.integers(begin + 1, len(piece)))
        (hit,) = store.search(piece[begin:end])
        assert hit.marks
        assert all(piece[begin:end] in folded(hit.excerpt[first:last]) for first, last in hit.marks)
    store.close()


def test_a_hit_says_where_it_is(store):
    exchange = answered(store, "Rivers", "They erode. " * 30 + "An oxbow lake\nstays behind, " + "and so on " * 30)
    (hit,) = store.search("oxbow")
    assert (hit.conversation.id, hit.turn) == (exchange.conversation.id, exchange.reply.id)
    begin, end = hit.marks[0]
    assert hit.excerpt[begin:end] == "oxbow"
    assert hit.excerpt.startswith("…")
    assert "An oxbow lake stays behind" in hit.excerpt
    assert hit.excerpt.endswith("…")
    assert store.search("rivers") == (Hit(store.conversation(exchange.conversation.id), None, "Rivers", ((0, 6),)),)


def test_the_title_goes_before_turns_whole_words_before_pieces_and_new_before_old(store):
    ask(store, "older title with bend")
    for title, text in [("a", "unbending"), ("b", "bending"), ("c", "to bend"), ("d", "to bend, too")]:
        answered(store, title, text)
    assert titles(store, "bend") == ["older title with bend", "d", "c", "b", "a"]


def test_a_long_conversation_is_one_hit_and_hides_no_other(store):
    ask(store, "an old river")
    last = answered(store, "long", "about a river")
    for _ in range(300):
        last = answered(store, "more of the river", "and more river", last)
    assert titles(store, "river") == ["an old river", "long"]


def test_as_many_hits_as_wanted_come(store):
    for number in range(7):
        ask(store, f"river {number}")
    assert len(store.search("river", 5)) == 5


def test_a_reply_is_found_once_it_is_written(store):
    exchange = ask(store, "q")
    store.checkpoint(saying(exchange.reply, "half a meander"))
    assert store.search("meander") == ()
    store.finish(saying(exchange.reply, "a whole meander"), None)
    assert store.search("meander") == ()  # it says still that it is being written
    answered(store, "other", "meander")
    assert titles(store, "meander") == ["other"]


def test_a_new_title_is_found_and_the_old_one_no_longer(store):
    exchange = ask(store, "q")
    store.rename(exchange.conversation.id, "Meanders")
    assert titles(store, "meanders") == ["Meanders"]
    store.rename(exchange.conversation.id, "Rivers")
    assert store.search("meanders") == ()


def test_what_was_deleted_is_not_found_until_it_is_restored(store):
    exchange = answered(store, "q", "meanders")
    assert len(store.search("meanders")) == 1
    store.delete([exchange.conversation.id])
    assert store.search("meanders") == ()
    store.restore([exchange.conversation.id])
    assert len(store.search("meanders")) == 1


def test_a_file_whose_index_was_made_by_other_rules_is_indexed_anew(store, path):
    answered(store, "q", "meanders")
    assert len(store.search("meanders")) == 1
    store.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE index_state SET made_by = 'otherwise'")
    connection.commit()
    connection.close()
    again = Store(path)
    assert len(again.search("meanders")) == 1
    again.purge([again.conversations()[0].id])
    again.close()
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO turns_grams (turns_grams) VALUES ('integrity-check')")
    connection.close()


def test_what_was_indexed_before_a_window_opened_is_searched_by_it(store, path):
    answered(store, "q", "meanders")
    other = Store(path)
    assert len(other.search("meanders")) == 1
    other.close()


def test_much_that_waits_is_indexed_little_by_little(path):
    store = Store(path)
    last = None
    for number in range(60):
        last = answered(store, f"question{number}", "answer", last)
    slices = 1
    while store.tidy():
        slices += 1
    assert slices > 5
    assert [hit.turn is None for hit in store.search("question0")] == [True]
    assert len(store.search("question31")) == 1
    store.close()


def test_a_search_goes_on_while_another_window_writes(path):
    store = Store(path, busy_seconds=0.01)
    answered(store, "q", "meanders")
    while store.tidy():
        pass
    ask(store, "not indexed yet")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert len(store.search("meanders")) == 1
    other.execute("ROLLBACK")
    other.close()
    store.close()


def grams_in_file(path) -> set[bytes]:
    """All that FTS5 keeps of its grams, page by page."""
    connection = sqlite3.connect(path)
    blocks = {block for (block,) in connection.execute("SELECT block FROM turns_grams_data")}
    connection.close()
    return blocks


def test_a_purged_turn_leaves_not_even_its_grams(store, path):
    answered(store, "q", "common words")
    gone = answered(store, "q", "жук")
    while store.tidy():
        pass
    assert any("ж".encode() in block for block in grams_in_file(path))
    store.purge([gone.conversation.id])
    assert any("ж".encode() in block for block in grams_in_file(path))  # marked as gone, no more
    while store.tidy():
        pass
    assert not any("ж".encode() in block for block in grams_in_file(path))
    assert len(store.search("common")) == 1


def test_grams_are_of_words_alone():
    assert set(grams_of("To be").split()) == {"t", "o", "to", "b", "e", "be"}
    assert grams_of('\0 " \n') == ""
