"""What else the machine did while something was measured."""

from __future__ import annotations

import time
from dataclasses import dataclass

from inference.machine import busy_seconds, clock_megahertz, load_average

DISTURBED = 0.5  # processors' worth of other work, from which on a run is called disturbed


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`load_average` over the minute before, the processors' clock, and how many of them were busy with other
    programs meanwhile. `None` where the system does not say."""

    load_average: float | None = None
    clock_megahertz: float | None = None
    others: float | None = None

    @property
    def is_disturbed(self) -> bool:
        """Whether other programs took enough to be felt."""
        return self.others is not None and self.others > DISTURBED


UNKNOWN = Surroundings()


class Watch:
    """Looks at the machine from its making to `stop`."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._everybody, self._own = busy_seconds()

    def stop(self) -> Surroundings:
        elapsed = time.monotonic() - self._began
        everybody, own = busy_seconds()
        # Systems count in hundredths of a second: of a shorter time, nothing can be said.
        others = None
        if elapsed >= 0.2:
            others = max(0.0, (everybody - self._everybody) - (own - self._own)) / elapsed
        return Surroundings(load_average(), clock_megahertz(), others)
