"""What a soak makes of its figures."""

from __future__ import annotations

from collections.abc import Callable

from scripts.soak import Figures, Soak

ByMinute = Callable[[int], int]


def soak_of(*figures: Figures) -> Soak:
    soak = Soak(60)
    soak.figures += figures
    return soak


def hour(
    megabytes: ByMinute,
    files: ByMinute = lambda _: 20,
    threads: ByMinute = lambda _: 5,
    timers: ByMinute = lambda _: 3,
) -> Soak:
    """One look a minute; every figure by the minute."""
    return soak_of(*(Figures(n, megabytes(n), files(n), threads(n), timers(n), 640, 3 * n) for n in range(61)))


def test_what_rises_at_first_and_then_stays_is_as_it_should_be() -> None:
    assert hour(lambda minute: 340 + 18 * min(minute, 5)).verdict() == []


def test_memory_that_goes_on_growing_is_found() -> None:
    assert hour(lambda minute: 400 + minute).verdict() == ["memory grew from 405 to 460 MB"]


def test_pipes_that_come_and_go_are_no_heap_even_where_some_are_there_at_the_end() -> None:
    assert hour(lambda _: 400, files=lambda minute: 29 if minute % 3 == 0 else 20).verdict() == []


def test_files_threads_and_timers_that_are_never_given_back_are_found() -> None:
    leak = hour(
        lambda _: 400, lambda minute: 20 + minute // 6, lambda minute: 5 + minute // 12, lambda minute: 3 + minute
    )
    assert leak.verdict() == ["files grew from 20 to 29", "threads grew from 5 to 9", "timers grew from 3 to 59"]
