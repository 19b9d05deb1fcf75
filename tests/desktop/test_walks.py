"""Whatever is done with a window, and in whatever order: what it shows is what is kept, and what it offers can be done.

As many walks are gone as HEADWATER_MOMENTS says, others with each HEADWATER_SEED: not in every run of the suite, as one
and the same walk depends on what the window's timers do meanwhile.
"""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from tests.desktop.walker import Walker
from tests.killing import seed

WALKS = int(os.environ.get("HEADWATER_MOMENTS", "0"))
STEPS = 60

pytestmark = [pytest.mark.long, pytest.mark.skipif(not WALKS, reason="HEADWATER_MOMENTS says how many")]


@pytest.mark.parametrize("number", range(max(1, WALKS)))
def test_wherever_one_goes_what_must_hold_does(qtbot, qapp, tmp_path: Path, number: int) -> None:
    font, palette = qapp.font(), qapp.palette()
    for name in ("notes.txt", "more.md"):
        (tmp_path / name).write_text("Rivers bend.", "utf-8")
    random = Random(f"{seed()} {number}")  # noqa: S311 - the same walk each time
    walker = Walker(qtbot, tmp_path, qapp)
    try:
        for step in walker.walk([random.getrandbits(32) for _ in range(STEPS)]):
            print(step)  # noqa: T201 - for whoever wants to go it again
    finally:
        walker.close()
        qapp.setFont(font)
        qapp.setPalette(palette)
