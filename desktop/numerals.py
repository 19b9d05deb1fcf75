"""Numbers as they are written in English, without their units, and with as many digits as mean something."""

from __future__ import annotations


def whole(number: int) -> str:
    """A count: 1,204."""
    return f"{number:,}"


def rate(per_second: float) -> str:
    """A speed with three digits that mean something: 64.2, 168, 1,204."""
    return f"{per_second:.1f}" if per_second < 99.95 else f"{per_second:,.0f}"


def duration(seconds: float) -> str:
    """A measured time: 0.24, 3.14, 12.3, 248."""
    if seconds < 9.995:
        return f"{seconds:.2f}"
    return f"{seconds:.1f}" if seconds < 99.95 else f"{seconds:,.0f}"


def running(seconds: float) -> str:
    """A time that is still running: one decimal is all an eye can follow."""
    return f"{seconds:,.1f}" if seconds < 99.95 else f"{seconds:,.0f}"


def remaining(seconds: float) -> str:
    """A time still to come, never 0 before it is over."""
    return whole(max(1, round(seconds)))


def parameters(count: int) -> str:
    """The size of a model: 135M, 1.1B, 32B."""
    if count >= 9_950_000_000:
        return f"{count / 1e9:.0f}B"
    if count >= 999_500_000:
        return f"{count / 1e9:.1f}B"
    return f"{max(1, round(count / 1e6))}M"


def decimals(number: float, places: int) -> str:
    """A number with so many decimals: 4,096.5."""
    return f"{number:,.{places}f}"
