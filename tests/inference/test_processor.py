"""A processor that is too old for the program is told by a sentence, not by a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from inference import ProcessorTooOld
from inference.processor import LEAST, PROMISED, check, refusal_to_start, what_is_lacking

NEW = "processor\t: 0\nmodel name\t: Some\nflags\t\t: fpu sse4_2 avx avx2 bmi1 bmi2 f16c fma avx512f\n\n"
OLD = "processor\t: 0\nmodel name\t: Some\nflags\t\t: fpu sse4_2 avx f16c\n\n"


@pytest.mark.parametrize(("words", "lacking"), [(NEW, ()), (OLD, ("avx2", "bmi1", "bmi2", "fma")), ("", ())])
def test_what_linux_says_of_its_processor_is_read(tmp_path: Path, words: str, lacking: tuple[str, ...]) -> None:
    (tmp_path / "cpuinfo").write_text(words)
    assert what_is_lacking("x86_64", "linux", tmp_path / "cpuinfo") == lacking


def test_what_a_window_needs_is_less_than_what_a_model_needs(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("flags\t\t: fpu ssse3 sse4_1 sse4_2 popcnt\n")
    assert what_is_lacking("x86_64", "linux", tmp_path / "cpuinfo") == PROMISED
    assert what_is_lacking("x86_64", "linux", tmp_path / "cpuinfo", LEAST) == ()


def test_a_processor_that_opens_no_window_is_told_by_a_sentence() -> None:
    assert refusal_to_start(lambda wanted: tuple(wanted[:1] + wanted[2:3])) == (
        "This processor lacks POPCNT, SSE4.2, which Headwater needs to start."
    )
    assert refusal_to_start(lambda wanted: ()) == ""


def test_where_nothing_can_be_told_nothing_is_refused(tmp_path: Path) -> None:
    assert what_is_lacking("x86_64", "linux", tmp_path / "nowhere") == ()


def test_other_kinds_of_processors_are_not_asked_for_what_x86_has(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("Features\t: fp asimd\n")
    assert what_is_lacking("aarch64", "linux", tmp_path / "cpuinfo") == ()


def test_a_program_that_others_compiled_says_what_is_lacking() -> None:
    with pytest.raises(ProcessorTooOld, match=r"lacks AVX2, FMA, which this build of Headwater needs"):
        check(frozen=True, look=lambda: ("avx2", "fma"))


def test_who_compiled_it_here_is_not_asked() -> None:
    check(frozen=False, look=lambda: PROMISED)
    check(look=lambda: PROMISED)
