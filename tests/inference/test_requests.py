"""A request that exists makes sense."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import InvalidRequest
from inference.messages import Message, Role
from inference.requests import DEFAULT_SAMPLING, GenerationRequest, ModelConfig, Sampling

HELLO = (Message(Role.USER, "Hello"),)
MODEL = ModelConfig(Path("a.gguf"))


def test_sampling_fills_only_what_is_left_open() -> None:
    chosen = Sampling(temperature=0.0, seed=7).over(DEFAULT_SAMPLING)
    assert chosen == Sampling(0.0, top_k=40, top_p=0.95, min_p=0.05, repeat_penalty=1.1, seed=7)


@pytest.mark.parametrize("name", ["temperature", "top_k", "top_p", "min_p", "repeat_penalty", "seed"])
@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_a_value_outside_its_range_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(InvalidRequest, match=f"^{name} is at least"):
        Sampling(**{name: value})  # type: ignore[arg-type]  # wrong on purpose


@given(st.floats(0, 100), st.integers(0, 1000), st.floats(0, 1))
def test_every_value_inside_its_range_is_taken(temperature: float, top_k: int, top_p: float) -> None:
    assert Sampling(temperature, top_k, top_p).over(DEFAULT_SAMPLING).top_k == top_k


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": ()},
        {"messages": (Message(Role.ASSISTANT, "Hi"),)},
        {"max_tokens": 0},
        {"max_tokens": -5},
        {"stop": ("",)},
    ],
)
def test_a_request_that_makes_no_sense_cannot_be_made(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        GenerationRequest(**{"model": MODEL, "messages": HELLO, **wrong})  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("wrong", [{"context_size": 0}, {"threads": 0}, {"gpu_layers": -1}])
def test_a_config_that_makes_no_sense_cannot_be_made(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidRequest):
        ModelConfig(Path("a.gguf"), **wrong)


def test_a_request_survives_pickling_and_every_request_has_its_own_id() -> None:
    request = GenerationRequest(MODEL, HELLO)
    assert pickle.loads(pickle.dumps(request)) == request  # noqa: S301 - made a line above
    assert GenerationRequest(MODEL, HELLO).id != request.id
