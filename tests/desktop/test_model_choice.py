"""The chosen model is followed from its choice to its first answer, or to the sentence that says why not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.conversations import FailureKind
from desktop.model_choice import RECENT_MODELS, ModelChoice, ModelPhase, ModelState
from desktop.model_ways import Way, WayKind
from desktop.settings import ModelWindow, Settings, SettingsFile
from inference import (
    DeviceNotFound,
    KeyRefused,
    KvType,
    ModelConfig,
    ModelCrashed,
    ModelNotFound,
    OutOfMemory,
    RemoteModel,
)
from tests.desktop.fakes import ScriptedEngine


@pytest.fixture
def settings(tmp_path):
    return SettingsFile(tmp_path / "settings.toml")


@pytest.fixture
def embedded(tmp_path):
    return model_file(tmp_path / "embedded.gguf")


@pytest.fixture
def models(qapp, engine, settings, embedded):
    return choice(engine, settings, embedded)


def choice(engine: ScriptedEngine, settings: SettingsFile, embedded: Path | None) -> ModelChoice:
    models = ModelChoice(engine, settings, embedded)
    engine.listeners.append(models.on_event)
    engine.remote_listeners.append(models.on_event)
    return models


def model_file(path: Path) -> Path:
    path.write_bytes(b"GGUF")
    return path


def test_the_embedded_model_is_loaded_at_first(models, engine, embedded):
    models.load()
    assert engine.loads == [ModelConfig(embedded)]
    assert models.state.phase is ModelPhase.LOADING
    assert models.config == ModelConfig(embedded)


def test_the_model_used_last_is_loaded_when_there_is_one(models, engine, settings, tmp_path):
    last = model_file(tmp_path / "last.gguf")
    settings.save(Settings(model=str(last), context_size=2048, threads=3))
    models.load()
    assert engine.loads == [ModelConfig(last, 2048, 3)]
    assert models.missing is None


def test_a_model_whose_file_is_gone_is_stood_in_for_and_come_back_to(models, engine, settings, embedded, tmp_path):
    gone = tmp_path / "gone.gguf"
    settings.save(Settings(model=str(gone)))
    models.load()
    assert engine.loads == [ModelConfig(embedded)]
    assert models.missing == gone
    engine.ready()
    assert settings.current.model == str(gone)
    models.choose(embedded)
    assert models.missing is None


def test_the_settings_say_how_a_file_is_loaded(models, engine, settings, embedded):
    settings.save(Settings(device="CUDA0", gpu_layers=12, kv_type=KvType.Q8_0, context_size=8192, threads=2))
    models.load()
    assert engine.loads == [ModelConfig(embedded, 8192, 2, 12, device="CUDA0", kv_type=KvType.Q8_0)]


def test_other_settings_hold_from_the_next_load_which_may_be_now(models, engine, settings, embedded):
    models.load()
    engine.ready()
    models.load_as_wished()
    assert engine.loads == [ModelConfig(embedded)]
    settings.save(replace(settings.current, threads=3))
    assert models.as_wished == ModelConfig(embedded, threads=3)
    assert models.config == ModelConfig(embedded)
    models.load_as_wished()
    assert engine.loads[-1] == ModelConfig(embedded, threads=3)
    engine.ready()
    assert models.as_wished is None


def test_after_a_crash_safer_ways_are_known_and_the_one_that_works_is_remembered(models, engine, settings, embedded):
    settings.save(Settings(device="CUDA0", gpu_layers=99))
    models.load()
    engine.fail_to_load(ModelCrashed(embedded, "it ended by signal 11", (), 2048, True))
    on_cpu, smaller = models.state.ways
    assert (on_cpu, smaller) == (Way(WayKind.ON_CPU), Way(WayKind.SMALLER_WINDOW, 2048))
    models.go(smaller)
    assert engine.loads[-1] == ModelConfig(embedded, 2048, gpu_layers=99, device="CUDA0")
    engine.fail_to_load(ModelCrashed(embedded, "it ended by signal 11", (), 1024, True))
    models.go(on_cpu)
    assert engine.loads[-1] == ModelConfig(embedded, 2048, device="CPU")
    engine.ready()
    assert models.as_wished is None
    again = choice(engine, settings, embedded)
    again.load()
    assert engine.loads[-1] == ModelConfig(embedded, 2048, device="CPU")


def test_too_little_memory_offers_half_the_window_or_another_try_and_a_missing_device_any_other(
    models, engine, settings, embedded
):
    models.load()
    engine.fail_to_load(OutOfMemory(embedded, 4096))
    assert models.state.ways == (Way(WayKind.SMALLER_WINDOW, 2048), Way(WayKind.AGAIN))
    engine.fail_to_load(OutOfMemory(embedded, 600))
    assert models.state.ways == (Way(WayKind.AGAIN),)
    settings.save(Settings(device="CUDA7"))
    models.choose(embedded)
    engine.fail_to_load(DeviceNotFound(embedded, "CUDA7", ("CPU",)))
    assert models.state.ways == (Way(WayKind.ANY_DEVICE),)
    models.go(models.state.ways[0])
    assert engine.loads[-1] == ModelConfig(embedded)


def test_without_any_model_nothing_is_loaded(qapp, engine, settings):
    models = choice(engine, settings, None)
    models.load()
    assert engine.loads == []
    assert models.state.phase is ModelPhase.NONE
    assert models.config is None
    assert models.state.name == ""


def test_loading_is_followed_until_the_model_is_ready(models, engine, embedded):
    states: list[ModelState] = []
    models.changed.connect(states.append)
    models.load()
    engine.loading(0.5)
    engine.ready(name="Embedded")
    assert [(state.phase, state.fraction) for state in states] == [
        (ModelPhase.LOADING, 0.0),
        (ModelPhase.LOADING, 0.5),
        (ModelPhase.READY, 1.0),
    ]
    assert states[0].name == "embedded"
    assert states[-1].name == "Embedded"


def test_a_model_that_cannot_be_loaded_says_why_and_answers_nothing(models, engine, embedded):
    models.load()
    engine.fail_to_load(ModelNotFound(embedded))
    assert models.state.phase is ModelPhase.FAILED
    assert models.state.error == f"There is no model file at {embedded}. Check the path, or choose another model."
    assert models.config is None


def test_a_failed_model_can_be_tried_again(models, engine, embedded):
    models.load()
    engine.fail_to_load(ModelNotFound(embedded))
    models.choose(embedded)
    assert len(engine.loads) == 2
    assert models.state.phase is ModelPhase.LOADING


def test_choosing_the_model_that_is_there_already_does_nothing(models, engine, embedded):
    models.load()
    engine.ready()
    models.choose(embedded)
    assert len(engine.loads) == 1
    assert models.state.phase is ModelPhase.READY


def test_what_happens_to_a_model_no_longer_chosen_is_not_shown(models, engine, embedded, tmp_path):
    models.load()
    first = engine.loads[-1]
    models.choose(tmp_path / "second.gguf")
    engine.loading(0.7, first)
    engine.ready(first)
    engine.unloaded(first)
    assert models.state.phase is ModelPhase.LOADING
    assert models.state.name == "second"
    assert models.state.fraction == 0.0


def test_an_ejected_model_is_freed_and_none_answers(models, engine, embedded):
    models.load()
    engine.ready()
    models.eject()
    engine.unloaded()
    assert engine.unloads == 1
    assert models.state.phase is ModelPhase.NONE
    assert models.config is None
    models.choose(embedded)
    assert models.state == ModelState(ModelPhase.LOADING, ModelConfig(embedded))


def test_a_model_ejected_while_it_loads_does_not_come_back(models, engine):
    models.load()
    models.eject()
    engine.ready()
    assert models.state.phase is ModelPhase.NONE


def test_a_model_that_the_engine_let_go_of_answers_the_next_prompt(models, engine, embedded):
    models.load()
    engine.ready()
    engine.unloaded()
    assert models.state.phase is ModelPhase.NONE
    assert models.config == ModelConfig(embedded)


def test_only_a_model_that_was_loaded_is_remembered(models, engine, settings, tmp_path):
    models.choose(tmp_path / "broken.gguf")
    assert settings.current.model == ""
    engine.fail_to_load(ModelNotFound(tmp_path / "broken.gguf"))
    models.choose(tmp_path / "good.gguf")
    engine.ready()
    assert settings.current.model == str(tmp_path / "good.gguf")
    assert settings.current.recent_models == (str(tmp_path / "good.gguf"),)


def test_going_back_to_the_embedded_model_is_remembered_too(models, engine, settings, embedded, tmp_path):
    models.choose(tmp_path / "good.gguf")
    engine.ready()
    models.choose(embedded)
    engine.ready()
    assert settings.current.model == ""
    assert settings.current.recent_models == (str(tmp_path / "good.gguf"),)


def test_the_latest_models_come_first_once_each_and_not_without_end(models, engine, settings, tmp_path):
    for name in [*(f"{number}.gguf" for number in range(RECENT_MODELS + 3)), "5.gguf"]:
        models.choose(tmp_path / name)
        engine.ready()
    recent = settings.current.recent_models
    assert len(recent) == len(set(recent)) == RECENT_MODELS
    assert recent[0] == str(tmp_path / "5.gguf")


def test_known_models_are_those_whose_files_are_still_there(models, settings, embedded, tmp_path):
    there = model_file(tmp_path / "there.gguf")
    settings.save(Settings(recent_models=(str(tmp_path / "gone.gguf"), str(there))))
    assert models.known_models() == (embedded, there)


def test_a_path_from_the_command_line_does_not_depend_on_the_folder_of_the_moment(models, engine):
    models.choose(Path("relative.gguf"))
    assert engine.loads[-1].path.is_absolute()


# A window of its own.


def test_a_larger_window_is_remembered_for_its_model_once_it_was_loaded(models, engine, settings, embedded, tmp_path):
    models.load()
    engine.ready()
    models.use_window(8192)
    assert engine.loads[-1] == ModelConfig(embedded, 8192)
    assert settings.current.windows == ()
    engine.ready()
    assert settings.current.windows == (ModelWindow(str(embedded), 8192),)
    again = choice(engine, settings, embedded)
    again.load()
    assert engine.loads[-1] == ModelConfig(embedded, 8192)
    other = model_file(tmp_path / "other.gguf")
    again.choose(other)
    assert engine.loads[-1] == ModelConfig(other)


def test_a_window_that_does_not_fit_into_memory_is_not_remembered(models, engine, settings, embedded):
    models.load()
    engine.ready()
    models.use_window(8192)
    engine.fail_to_load(OutOfMemory(embedded, 8192))
    assert settings.current.windows == ()
    models.choose(embedded)
    assert engine.loads[-1] == ModelConfig(embedded)


def test_what_failed_can_be_tried_again(models, engine, embedded):
    models.load()
    engine.fail_to_load(ModelNotFound(embedded))
    models.try_again()
    assert engine.loads == [ModelConfig(embedded)] * 2
    models.try_again()
    assert len(engine.loads) == 2


# Models of servers.

SERVER = RemoteModel("http://127.0.0.1:8080/v1", "big")


def test_a_servers_model_is_asked_about_and_is_ready_when_the_server_says_so(models, engine, settings):
    models.choose(SERVER)
    assert engine.loads == [SERVER]
    assert (models.state.phase, models.state.name, models.state.server) == (ModelPhase.LOADING, "big", "127.0.0.1:8080")
    assert models.config == SERVER
    engine.offer(SERVER, context_size=4096)
    assert models.state.phase is ModelPhase.READY
    assert settings.current.servers == (SERVER,)
    assert settings.current.use_server


def test_where_no_model_is_named_the_server_names_one(models, engine):
    models.choose(RemoteModel(SERVER.base_url))
    engine.offer(SERVER)
    assert models.config == SERVER


def test_the_server_used_last_answers_at_the_next_start(engine, settings, embedded, qapp):
    settings.save(Settings(servers=(SERVER,), use_server=True))
    choice(engine, settings, embedded).load()
    assert engine.loads == [SERVER]


def test_after_a_file_the_file_answers_at_the_next_start(models, engine, settings, embedded):
    models.choose(SERVER)
    engine.offer(SERVER)
    models.choose(embedded)
    engine.ready()
    assert not settings.current.use_server
    assert models.known_servers() == (SERVER,)


def test_a_server_that_fails_says_why_and_answers_nothing(models, engine):
    error = KeyRefused(SERVER.base_url, 401, False)
    models.choose(SERVER)
    engine.fail_to_reach(SERVER, error)
    assert (models.state.phase, models.state.error, models.config) == (ModelPhase.FAILED, str(error), None)
    assert models.state.failure is FailureKind.KEY_REFUSED


def test_what_a_server_says_of_another_model_does_not_matter(models, engine):
    models.choose(SERVER)
    engine.offer(RemoteModel(SERVER.base_url, "other"))
    engine.fail_to_reach(RemoteModel(SERVER.base_url), KeyRefused(SERVER.base_url, 401, False))
    assert models.state.phase is ModelPhase.LOADING


def test_what_was_loaded_is_among_the_known_ones_when_it_is_said(models, engine, tmp_path):
    path = model_file(tmp_path / "new.gguf")
    known: list[tuple[Path, ...]] = []
    models.changed.connect(lambda _: known.append(models.known_models()))
    models.choose(path)
    engine.ready()
    assert path in known[-1]


def test_models_in_the_chosen_folder_are_known_too(models, settings, embedded, tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    names = ("b.gguf", "a.gguf", "mmproj-a.gguf", "c-00001-of-00002.gguf", "c-00002-of-00002.gguf", "readme.txt")
    for name in names:
        model_file(folder / name)
    settings.save(Settings(models_folder=str(folder), recent_models=(str(folder / "b.gguf"),)))
    assert [path.name for path in models.known_models()] == [
        embedded.name,
        "b.gguf",
        "a.gguf",
        "c-00001-of-00002.gguf",
    ]
    settings.save(Settings(models_folder=str(tmp_path / "gone")))
    assert models.known_models() == (embedded,)
