"""Of each phase of a model one thing is said, with the likeliest way out."""

from __future__ import annotations

import pytest

from desktop.settings import Settings
from desktop.widgets.notice import Notice, NoticeKind
from inference import (
    DeviceNotFound,
    MemoryShort,
    ModelChanged,
    ModelConfig,
    ModelCrashed,
    ModelNotFound,
    ModelUnreadable,
    OutOfMemory,
)
from tests.desktop.desk import Desk
from tests.desktop.fakes import MODEL


def only(desk: Desk) -> Notice:
    (notice,) = desk.window.board.notices
    return notice


@pytest.mark.parametrize(
    ("error", "action", "wished"),
    [
        (
            ModelCrashed(MODEL, "it ended by signal 11", (), 2048, True),
            "Run it on the CPU",
            ModelConfig(MODEL, device="CPU"),
        ),
        (
            ModelCrashed(MODEL, "it ended by signal 11", (), 2048),
            "Use a window of 2,048 tokens",
            ModelConfig(MODEL, 2048),
        ),
        (OutOfMemory(MODEL, 8192), "Use a window of 4,096 tokens", ModelConfig(MODEL, 4096)),
        (DeviceNotFound(MODEL, "CUDA0"), "Run it on what is here", ModelConfig(MODEL)),
    ],
)
def test_after_a_failed_load_the_safer_way_is_one_click_away(desk, error, action, wished):
    desk.settings.save(Settings(device="CUDA0" if isinstance(error, DeviceNotFound) else ""))
    window = desk.open(ready=False)
    desk.models.load()
    desk.engine.fail_to_load(error)
    notice = only(desk)
    assert (notice.text, notice.kind) == (str(error), NoticeKind.ERROR)
    assert notice.action_button.text() == action
    notice.action_button.click()
    assert desk.engine.loads[-1] == wished
    assert window.board.notices == ()


@pytest.mark.parametrize(
    ("error", "actions"),
    [
        (OutOfMemory(MODEL, 8192), ["Use a window of 4,096 tokens", "Try again", "Open another…"]),
        (OutOfMemory(MODEL, 512), ["Try again", "Open another…"]),
        (OutOfMemory(MODEL), ["Try again", "Open another…"]),
        (MemoryShort(), ["Try again", "Open another…"]),
        (ModelChanged(MODEL), ["Try again", "Open another…"]),
        (ModelNotFound(MODEL), ["Try again", "Open another…"]),
        (ModelUnreadable(MODEL, "the file ends early."), ["Try again", "Open another…"]),
    ],
)
def test_where_the_same_may_go_better_later_all_that_helps_is_offered_and_works(desk, error, actions):
    other = ModelConfig(MODEL.with_name("other.gguf"))
    desk.to_choose = other.path
    wished = {
        "Use a window of 4,096 tokens": ModelConfig(MODEL, 4096),
        "Try again": ModelConfig(MODEL),
        "Open another…": other,
    }
    desk.open(ready=False)
    for number, action in enumerate(actions):
        desk.models.choose(MODEL)
        desk.engine.fail_to_load(error)
        notice = only(desk)
        buttons = [notice.action_button, *notice.other_buttons]
        assert [button.text() for button in buttons] == actions
        buttons[number].click()
        assert desk.window.board.notices == ()
        assert desk.engine.loads[-1] == wished[action]


def test_a_model_that_failed_is_said_once(desk):
    window = desk.open(ready=False)
    desk.models.load()
    error = ModelUnreadable(MODEL, "the file ends early.")
    desk.engine.fail_to_load(error)
    assert only(desk).text == str(error)
    assert str(error) not in window.page.empty_state.words


def test_what_a_template_cannot_render_is_said_quietly(desk):
    desk.open(ready=False)
    desk.models.load()
    desk.engine.ready(warnings=("It renders no system prompt.", "It renders no second question."))
    notice = only(desk)
    assert notice.kind is NoticeKind.INFORMATION
    assert notice.text == "It renders no system prompt.\nIt renders no second question."


def test_a_model_whose_file_is_gone_is_named_with_what_answers_instead(desk, tmp_path):
    gone = tmp_path / "gone.gguf"
    desk.settings.save(Settings(model=str(gone)))
    desk.models.intend()
    window = desk.open(ready=False)
    assert only(desk).text == f"gone is no longer at {gone}. small answers instead."
    only(desk).close_button.click()
    desk.models.load()
    desk.engine.ready()
    assert window.board.notices == ()


def test_why_a_model_runs_where_it_does_is_said_beside_the_device(desk):
    window = desk.open(ready=False)
    desk.models.load()
    desk.engine.ready(device_note="CUDA0 has too little free memory.", threads_note="Two threads were faster.")
    for note in ("CUDA0 has too little free memory.", "Two threads were faster."):
        assert note in window.speed_bar.device.toolTip()
