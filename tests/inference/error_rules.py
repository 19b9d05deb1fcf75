"""What must hold of every error, wherever it is defined."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from types import ModuleType

from inference.errors import InferenceError

WAYS = (
    *(
        "Accept",
        "Ask",
        "Change",
        "Check",
        "Choose",
        "Download",
        "Give",
        "Leave",
        "Load",
        "Make",
        "Start",
        "Try",
        "Wait",
    ),
    *("accept", "try again", "use that address", "Such addresses mostly end in"),
)


def check_that_it_survives_pickling(error: InferenceError) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - made a line above
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def check_that_it_reads_as_a_sentence(error: InferenceError) -> None:
    assert str(error)[0].isalnum()
    assert str(error).endswith(".")
    assert "\n" not in str(error)
    assert ".." not in str(error)


def check_that_it_says_what_to_do(error: InferenceError) -> None:
    assert any(way in str(error) for way in WAYS)


def check_that_all_are_read_and_drawn(module: ModuleType, read: Sequence[InferenceError], *bases: type) -> None:
    """Each but the `bases` is among those that are read, and all stand in the tree of the module's docstring."""
    kinds = {kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, InferenceError)}
    ours = {kind for kind in kinds if kind.__module__ == module.__name__}
    assert ours - {type(error) for error in read} == set(bases)
    assert [kind.__name__ for kind in ours if kind.__name__ not in (module.__doc__ or "")] == []
