"""Opens the conversations, also where the file is damaged."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.process_lock import held_in
from desktop.store.faults import StoreDamaged, mark_of
from desktop.store.store import Store
from inference import Sentence

if TYPE_CHECKING:
    from desktop.store.salvage import Salvage


def open_store(path: Path) -> tuple[Store, Salvage | None]:
    """The conversations at `path`; where they are damaged, those of them that could be saved, and what became of the
    others.

    Raises:
        StoreError: they cannot be opened, or another window has the damaged file open.
    """
    if not mark_of(path).is_file():
        try:
            return Store(path), None
        except StoreDamaged:
            pass
    if held_in(path.parent / "locks"):
        raise StoreDamaged(
            Sentence(
                "The conversations in {path} are damaged, and another window has them open. Close it first.", path=path
            )
        )
    from desktop.store.salvage import salvage  # which hardly any start needs

    outcome = salvage(path)
    store = Store(path)
    with suppress(OSError):  # it is said once more, then
        mark_of(path).unlink(missing_ok=True)  # not before: who is killed until here is told at the next start
    return store, outcome
