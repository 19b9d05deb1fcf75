"""What is kept is bounded by its size, and never anything but what would be made anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inference.recent import Recent


class Maker:
    """Spells a text in numbers, and counts how often it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def make(self, text: str, *, shifted: bool = False) -> tuple[int, ...]:
        self.asked.append(text)
        return tuple(ord(character) + shifted for character in text)


def test_the_same_is_made_once_and_other_arguments_anew() -> None:
    maker = Maker()
    recent = Recent(maker.make, 10_000)
    assert [recent("ab"), recent("ab"), recent("ab", shifted=True), recent("")] == [(97, 98), (97, 98), (98, 99), ()]
    assert recent("") == ()
    assert maker.asked == ["ab", "ab", ""]


def test_what_was_wanted_longest_ago_makes_room() -> None:
    maker = Maker()
    recent = Recent(maker.make, 10_000)
    for text in ("a" * 100, "b" * 100, "a" * 100, "c" * 100, "a" * 100, "b" * 100):
        recent(text)
    assert [text[0] for text in maker.asked] == ["a", "b", "c", "b"]


def test_what_is_too_large_by_itself_drives_out_nothing() -> None:
    maker = Maker()
    recent = Recent(maker.make, 10_000)
    recent("a")
    assert len(recent("b" * 1000)) == 1000
    recent("a")
    assert len(maker.asked) == 2


@given(st.lists(st.text(alphabet="ab", max_size=60), max_size=60), st.integers(0, 5000))
def test_it_never_outgrows_its_bound_and_gives_what_would_be_made(texts: list[str], most: int) -> None:
    recent = Recent(Maker().make, most)
    for text in texts:
        assert recent(text) == Maker().make(text)
        assert 0 <= recent.size <= most
