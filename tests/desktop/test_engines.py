"""Each request goes to the engine that answers it, which is made when it is first needed."""

from __future__ import annotations

import pytest

from desktop.engines import Engines
from inference import EngineClosed, GenerationRequest, Message, ModelConfig, RemoteModel, Role
from tests.desktop.fakes import MODEL, ScriptedEngine

HERE = ModelConfig(MODEL)
THERE = RemoteModel("http://127.0.0.1:8080/v1", "big")


class Both:
    """The engines, and those that were made."""

    def __init__(self) -> None:
        self.local: list[ScriptedEngine] = []
        self.remote: list[ScriptedEngine] = []
        self.engines = Engines(self.make_local, self.make_remote)

    def make_local(self) -> ScriptedEngine:
        self.local.append(ScriptedEngine())
        return self.local[-1]

    def make_remote(self) -> ScriptedEngine:
        self.remote.append(ScriptedEngine())
        return self.remote[-1]


@pytest.fixture
def both():
    return Both()


def request(model: ModelConfig | RemoteModel) -> GenerationRequest:
    return GenerationRequest(model, (Message(Role.USER, "Hello"),))


def test_nothing_is_made_before_it_is_needed(both):
    both.engines.unload()
    both.engines.close()
    assert (both.local, both.remote) == ([], [])


def test_each_model_goes_to_its_own_engine(both):
    both.engines.load(HERE)
    both.engines.load(THERE)
    here, there = request(HERE), request(THERE)
    both.engines.generate(here)
    both.engines.generate(there)
    (local,), (remote,) = both.local, both.remote
    assert (local.loads, local.requests) == ([HERE], [here])
    assert (remote.loads, remote.requests) == ([THERE], [there])


def test_stopping_reaches_whichever_it_runs_in(both):
    both.engines.generate(request(HERE))
    there = request(THERE)
    both.engines.generate(there)
    both.engines.cancel(there.id)
    assert both.remote[0].cancelled == [there.id]


def test_unloading_is_for_the_model_of_this_machine(both):
    both.engines.load(HERE)
    both.engines.load(THERE)
    both.engines.unload()
    assert (both.local[0].unloads, both.remote[0].unloads) == (1, 0)


def test_states_are_forgotten_here_even_where_no_model_was_loaded_yet(both):
    both.engines.forget_states(["one"])
    assert both.local[0].forgotten == ["one"]


def test_what_was_made_is_closed_and_nothing_is_made_afterwards(both):
    both.engines.load(THERE)
    both.engines.close()
    assert both.remote[0].closed
    with pytest.raises(EngineClosed):
        both.engines.generate(request(HERE))
    assert both.local == []
