"""What tokens would cost elsewhere, at prices that the reader enters: an estimate, and nothing is built in."""

from __future__ import annotations

from dataclasses import dataclass

from inference.errors import InvalidRequest
from inference.events import Usage
from inference.sentences import Sentence

_PER = 1_000_000
_MOST = 1e9


@dataclass(frozen=True, slots=True)
class Prices:
    """Money per million tokens. `cached` is for input tokens that were read before; `currency` is a word, such as
    "EUR".

    Raises:
        InvalidRequest: a price below 0, or no number.
    """

    input: float = 0.0
    cached: float = 0.0
    output: float = 0.0
    currency: str = ""

    def __post_init__(self) -> None:
        for name in ("input", "cached", "output"):
            if not 0 <= getattr(self, name) <= _MOST:
                raise InvalidRequest(
                    Sentence("A price per million tokens is at least 0; got {price}.", price=getattr(self, name))
                )

    @property
    def are_given(self) -> bool:
        """Whether the reader has entered any."""
        return any((self.input, self.cached, self.output))

    def cost(self, usage: Usage) -> float:
        """What these tokens would cost; where it is not known which were cached, all count as read."""
        cached = usage.cached_tokens or 0
        return self.of(usage.input_tokens - cached, cached, usage.output_tokens)

    def of(self, read: int, cached: int, written: int) -> float:
        return (read * self.input + cached * self.cached + written * self.output) / _PER

    def text(self, cost: float) -> Sentence:
        """An amount with its currency; small ones to the digit that counts."""
        if cost >= 0.995 or not cost:
            amount = Sentence("{cost:,.2f}", cost=cost)
        else:
            amount = Sentence("{cost:.3g}", cost=cost) if cost >= 1e-4 else Sentence("{cost:.7f}", cost=cost)
        currency = self.currency.rstrip()
        return Sentence("{amount} {currency}", amount=amount, currency=currency) if currency else amount


NO_PRICES = Prices()
