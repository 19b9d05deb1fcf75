"""The whole program: from the key that is pressed to the row that is kept, and out in good order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from desktop.app import App
from desktop.calls import Call
from desktop.conversations import TurnState
from desktop.model_choice import ModelPhase
from desktop.places import Places
from desktop.process_lock import ProcessLock
from desktop.single_instance import enter
from desktop.store import Store
from inference import (
    EngineFault,
    FinishReason,
    LocalEngine,
    Proxy,
    ProxyKind,
    RemoteModel,
    RemoteModelFailed,
    StateBudget,
    embedded_model,
)
from tests.desktop.exchanges import ask as ask_in
from tests.desktop.exchanges import saying
from tests.desktop.fakes import MODEL, ScriptedEngine
from tests.desktop.programs import programs
from tests.scripted_server import LlamaServer, Received, ScriptedServer, models, refusal

QUESTION = "What is a river? Answer in one short sentence."


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path / "data" / "conversations.sqlite3", tmp_path / "settings.toml", home=tmp_path)


@pytest.fixture
def start(qapp, qtbot, places, engine):
    """Starts a program with the scripted engine; all of them have left when the test is over."""

    def make_engine(emit, _states):
        engine.listeners.append(emit)
        return engine

    with programs(qapp, qtbot) as started:

        def start(
            model: Path | RemoteModel | None = None,
            make_engine=make_engine,
            embedded: Path | None = MODEL,
            **environment: str,
        ) -> App:
            return started.start(places, make_engine, embedded, model, environment)

        yield start


def ask(app: App, qtbot, question: str = QUESTION) -> None:
    """Type, and press Enter."""
    qtbot.keyClicks(app.window.composer.field, question)
    qtbot.keyClick(app.window.composer.field, Qt.Key.Key_Return)


def test_the_first_picture_names_the_model_before_it_is_loaded(qapp, qtbot, places, engine):
    app = App(qapp, places, lambda _emit, _states: engine, MODEL)
    qtbot.addWidget(app.window)
    assert app.window.opening.picker.words == "small"
    assert app.window.page.empty_state.words[0] == "small"
    assert engine.loads == []
    app.leave()


def test_a_prompt_that_comes_before_everything_is_loaded_is_answered_all_the_same(qapp, qtbot, places, engine):
    def make_engine(emit, _states):
        engine.listeners.append(emit)
        return engine

    app = App(qapp, places, make_engine, MODEL)
    qtbot.addWidget(app.window)
    app.painted.connect(partial(ask, app, qtbot))
    with qtbot.waitSignal(app.begun):
        app.show()
    engine.ready()
    engine.say("Water that runs.")
    engine.finish()
    qtbot.waitUntil(lambda: "Water that runs." in app.window.page.transcript.plain_text())
    assert app.window.page.transcript.plain_text().count(QUESTION) == 1
    assert len(engine.requests) == 1
    app.leave()


def test_the_model_is_loaded_after_the_window_is_painted(start, engine):
    app = start()
    assert app.window.isVisible()
    assert [config.path for config in engine.loads] == [MODEL]


def test_a_model_named_at_the_start_is_the_one_that_is_loaded(start, engine, tmp_path):
    start(model=tmp_path / "mine.gguf")
    assert [config.path for config in engine.loads] == [tmp_path / "mine.gguf"]


def test_a_file_that_is_no_model_is_said_and_the_usual_model_answers(start, engine, tmp_path):
    app = start(model=tmp_path / "notes.txt")
    assert [config.path for config in engine.loads] == [MODEL]
    assert len(app.window.board.notices) == 1


def test_a_reply_is_followed_from_the_key_to_the_row(start, engine, qtbot, places):
    app = start()
    engine.ready()
    ask(app, qtbot)
    engine.read(0, 20, batch_end=20, seconds=0.0)
    engine.read(20, 20, batch_end=20, seconds=0.1)
    engine.say("Water that ")
    qtbot.waitUntil(lambda: "Water that" in app.window.page.transcript.plain_text())
    engine.say("runs.")
    engine.finish()
    qtbot.waitUntil(lambda: not app.library.current.is_busy)
    assert QUESTION in app.window.page.transcript.plain_text()
    assert "Water that runs." in app.window.page.transcript.plain_text()
    assert app.window.speed_bar.figures == app.library.current.figures
    app.leave()
    store = Store(places.conversations)
    (conversation,) = store.conversations()
    reply = store.turns(conversation.head)[-1]
    assert (reply.message.content, reply.state) == ("Water that runs.", TurnState.COMPLETE)
    store.close()


def test_closing_in_the_middle_of_a_reply_keeps_half_of_it(start, engine, qtbot, places):
    app = start()
    engine.ready()
    ask(app, qtbot)
    engine.say("Water that ")
    app.window.close()
    assert engine.closed
    store = Store(places.conversations)
    (conversation,) = store.conversations()
    reply = store.turns(conversation.head)[-1]
    assert (reply.message.content, reply.state) == ("Water that ", TurnState.COMPLETE)
    assert reply.finish_reason is FinishReason.CANCELLED
    assert store.interrupted == 0
    store.close()


def test_what_is_typed_at_closing_is_there_at_the_next_start(start, qtbot):
    app = start()
    qtbot.keyClicks(app.window.composer.field, "half a thou")
    app.window.close()
    again = start()
    assert again.window.composer.text == "half a thou"


def test_a_reply_that_was_cut_off_is_shown_first_and_said(start, places, qtbot):
    before = Store(places.conversations)
    before.checkpoint(saying(ask_in(before).reply, "Because the water"))
    before.close()
    app = start()
    assert "Because the water" in app.window.page.transcript.plain_text()
    assert app.library.current.turns[-1].state is TurnState.INTERRUPTED
    assert len(app.window.board.notices) == 1


def test_a_fault_inside_the_engine_is_shown_in_place_and_reported(start, engine, qtbot, caplog):
    app = start()
    engine.ready()
    ask(app, qtbot)
    with qtbot.waitSignal(app.broke):
        engine.fail(EngineFault("ValueError: no", '  File "engine.py", line 1, in f\n'))
    qtbot.waitUntil(lambda: app.library.current.turns[-1].state is TurnState.FAILED)
    assert "Something went wrong inside Headwater's engine" in app.library.current.turns[-1].error
    qtbot.waitUntil(lambda: any("ValueError" in record.message for record in caplog.records))


def test_a_fault_in_asking_a_server_is_reported_too(start, qtbot):
    app = start()
    fault = EngineFault("ValueError: no", '  File "loop.py", line 1, in f\n')
    with qtbot.waitSignal(app.broke):
        app._bridge.post(RemoteModelFailed(RemoteModel("http://127.0.0.1:8080/v1"), fault))


def talk(app: App, qtbot, engine: ScriptedEngine, question: str, answer: str) -> None:
    ask(app, qtbot, question)
    engine.say(answer)
    engine.finish()
    qtbot.waitUntil(lambda: answer in app.window.page.transcript.plain_text())


def test_a_start_goes_on_where_the_last_one_was_read(start, engine, qtbot):
    app = start()
    engine.ready()
    talk(app, qtbot, engine, "Why do rivers bend?", "\n\n".join(f"Paragraph {number}." for number in range(200)))
    app.library.new()
    talk(app, qtbot, engine, "And lakes?", "They stay.")
    first = app.library.conversations()[-1].id
    app.library.open(first)
    app.window.resize(800, 500)
    QApplication.processEvents()
    bar = app.window.page.transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 3)
    QApplication.processEvents()
    place = app.window.page.place_words
    app.leave()
    again = start()
    again.window.resize(800, 500)
    QApplication.processEvents()
    assert again.library.current.conversation is not None
    assert again.library.current.conversation.id == first
    assert place
    assert again.window.page.place_words == place


@pytest.mark.parametrize(
    ("model", "fault", "is_opened"),
    [("", "Fatal Python error: Aborted", False), (str(MODEL), "Fatal Python error: Aborted", True), ("", "", True)],
    ids=["the window crashed", "the model crashed", "somebody ended it"],
)
def test_a_conversation_that_the_window_crashed_over_is_offered_and_not_opened_by_itself(
    start, places, engine, qtbot, model, fault, is_opened
):
    app = start()
    engine.ready()
    talk(app, qtbot, engine, "Why do rivers bend?", "They do.")
    number = app.library.current.conversation.id
    app.leave()
    runs = places.conversations.parent / "runs"
    (runs / "gone.json").write_text(json.dumps({"model": model, "conversation": number}))
    (runs / "gone.fault").write_text(fault)
    again = start()
    assert (again.library.current.conversation is not None) is is_opened
    offers = [notice for notice in again.window.board.notices if "Why do rivers bend?" in notice.text]
    assert len(offers) == (0 if is_opened else 1)


def test_everything_is_deleted_once_it_is_confirmed_and_the_program_ends(start, places, engine, qtbot, tmp_path):
    app = start()
    engine.ready()
    talk(app, qtbot, engine, "A secret that nobody may find", "It is kept.")
    (places.conversations.parent / "models").mkdir()
    (places.conversations.parent / "models" / "a.gguf").write_text("weights")
    damaged = f"{places.conversations.stem} damaged 2026-01-01 00.00.00{places.conversations.suffix}"
    (places.conversations.parent / damaged).write_text("A secret")  # kept since it was salvaged
    app.window.views.open_preferences()
    preferences = app.window.views.preferences
    assert not preferences.delete_button.isEnabled()
    qtbot.keyClicks(preferences.confirmation, "delete")
    with qtbot.waitSignal(app.left) as left:
        preferences.delete_button.click()
    assert left.args == [0]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a.gguf"]


def test_nothing_is_deleted_under_another_window(start, places, engine, qtbot):
    app = start()
    engine.ready()
    talk(app, qtbot, engine, "Why?", "Because.")
    other = ProcessLock(places.conversations.parent / "locks")
    app.later.upkeep.delete_everything()
    assert "Another window of Headwater is open" in app.window.board.notices[-1].text
    assert places.conversations.exists()
    other.close()


def test_another_budget_for_states_holds_at_once(start, engine):
    app = start()
    app.settings.save(replace(app.settings.current, kv_memory_megabytes=64, kv_disk_megabytes=0))
    assert engine.budgets == [StateBudget(64 << 20, 0)]


def test_requests_go_the_way_that_is_set_now(start):
    app = start()
    assert app._way_out() == Proxy()
    app.settings.save(replace(app.settings.current, proxy=ProxyKind.MANUAL, proxy_address="http://proxy:3128"))
    assert app._way_out() == Proxy(ProxyKind.MANUAL, "http://proxy:3128")


LOADED_BY_THE_APP = "import sys, desktop.app; print(*sorted(sys.modules))"


def test_nothing_heavy_is_imported_before_the_first_paint():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", LOADED_BY_THE_APP], env=environment, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"llama_cpp", "numpy", "jinja2", "markdown_it", "pygments", "httpx2", "openai", "asyncio"})


# With the real small model.


@pytest.fixture
def real(start):
    if embedded_model() is None:
        pytest.skip("the embedded model is not installed")
    return start(make_engine=LocalEngine, embedded=embedded_model())


@pytest.mark.model
@pytest.mark.parametrize("streaming", [True, False])
def test_the_real_model_answers_in_the_window(real, qtbot, places, streaming):
    window = real.window
    window.choices.streaming_switch.setChecked(streaming)
    ask(real, qtbot)  # while the model is still loading
    session = real.library.current
    grown: list[str] = []
    session.reply_grew.connect(lambda _turn, text: grown.append(text))
    qtbot.waitUntil(lambda: not session.is_busy, timeout=60_000)
    reply = session.turns[-1]
    assert reply.state is TurnState.COMPLETE
    assert reply.streamed is streaming
    assert "".join(grown) == (reply.message.content if streaming else "")
    assert reply.message.content.split()[0] in window.page.transcript.plain_text()
    assert real.models.state.phase is ModelPhase.READY

    figures = window.speed_bar.figures
    assert reply.usage is not None
    assert reply.timings is not None
    assert figures.prefill_rate == reply.timings.prefill_rate is not None
    assert figures.decode_rate == reply.timings.decode_rate is not None
    assert figures.ttft == reply.timings.ttft is not None
    assert figures.new_tokens == reply.usage.input_tokens
    assert figures.context_size == 4_096
    for words in ("tok/s", "4,096"):
        assert words in window.speed_bar.summary()

    ask(real, qtbot, "And a lake?")
    qtbot.waitUntil(lambda: not session.is_busy, timeout=60_000)
    second = session.turns[-1]
    assert second.usage is not None
    assert second.usage.cached_tokens == figures.context_used  # what was said to be held was
    real.window.close()
    store = Store(places.conversations)
    (conversation,) = store.conversations()
    assert store.turns(conversation.head) == session.turns
    trace = store.trace(reply.id)
    assert trace is not None
    assert len(trace.token_ids) == reply.usage.output_tokens
    assert trace.kept_ids == store.turns(conversation.head)[1].message.token_ids
    store.close()


@pytest.mark.model
def test_the_real_model_is_stopped_by_closing_and_half_a_reply_is_kept(real, qtbot, places):
    ask(real, qtbot, "Tell a very long story about a river.")
    session = real.library.current
    qtbot.waitUntil(lambda: session.activity.output_tokens > 5, timeout=60_000)
    real.window.close()
    store = Store(places.conversations)
    (conversation,) = store.conversations()
    reply = store.turns(conversation.head)[-1]
    assert reply.finish_reason is FinishReason.CANCELLED
    assert reply.message.content != ""
    store.close()


KILLED_IN_MID_REPLY = """
import json, sys, time
from pathlib import Path
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from desktop.app import App
from desktop.places import Places
from desktop.wishes import ReplyChoices
from inference import LocalEngine, embedded_model

application = QApplication([])
app = App(application, Places(Path(sys.argv[1]), Path(sys.argv[2])), LocalEngine, embedded_model())
session = app.library.current

def tell(turn, text):
    print(json.dumps([time.monotonic(), turn, text]), flush=True)

def ask():
    session.send("Tell a very long story about a river and a hundred ships.", ReplyChoices(streaming=True))

session.reply_grew.connect(tell)
session.turn_changed.connect(ask, Qt.ConnectionType.QueuedConnection)  # a story that was too short
app.begun.connect(ask)
app.show()
application.exec()
"""
A_SECOND_AND_A_FRAME = 1.2


@pytest.mark.model
def test_a_program_killed_in_mid_reply_loses_the_last_second_of_it_at_most(start, qtbot, places):
    if embedded_model() is None:
        pytest.skip("the embedded model is not installed")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED_IN_MID_REPLY, str(places.conversations), str(places.settings)]
    shown: list[tuple[float, int, str]] = []  # of the reply that is running
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            piece = json.loads(line)
            shown = [*(before for before in shown if before[1] == piece[1]), piece]
            if shown[-1][0] - shown[0][0] > 2 * A_SECOND_AND_A_FRAME:
                break
        process.kill()
    long_shown = "".join(text for moment, _turn, text in shown if moment < shown[-1][0] - A_SECOND_AND_A_FRAME)
    app = start()
    *_, question, reply = app.library.current.turns
    assert question.message.content.startswith("Tell a very long story")
    assert reply.state is TurnState.INTERRUPTED
    assert long_shown != ""
    assert reply.message.content.startswith(long_shown)
    assert len(app.window.board.notices) == 1


CRASHES_WHILE_IT_IS_BUILT = """
import faulthandler, sys
from pathlib import Path
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QMainWindow
from desktop.app import App
from desktop.places import Places
from inference import LocalEngine

class Crash(QObject):
    def eventFilter(self, watched, event):
        if isinstance(watched, QMainWindow) and event.type() is QEvent.Type.ChildAdded:
            faulthandler._sigsegv()
        return False

application = QApplication([])
crash = Crash()
application.installEventFilter(crash)
App(application, Places(Path(sys.argv[1]), Path(sys.argv[2])), LocalEngine, None, watches=True)
"""


def test_a_crash_while_the_window_is_built_is_told_at_the_next_start(start, places):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", CRASHES_WHILE_IT_IS_BUILT, str(places.conversations), str(places.settings)]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGSEGV, ended.stderr
    app = start()
    assert [notice.text for notice in app.window.board.notices] == [
        "Headwater crashed when it ran last. What was said is kept."
    ]


@pytest.mark.model
def test_the_demonstration_prints_an_answer_and_every_figure_and_takes_a_picture(tmp_path):
    if embedded_model() is None:
        pytest.skip("the embedded model is not installed")
    picture = tmp_path / "shot.png"
    bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    environment = bare | {"PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "desktop", "--demo", str(picture)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (0, "")
    for words in ("Explain KV caching", "tok/s", "4,096", str(picture)):
        assert words in done.stdout
    assert QImage(str(picture)).width() > 400


# A real server, on loopback.


def test_a_server_answers_while_the_model_of_this_machine_is_still_loading(start, qtbot, places):
    reply = LlamaServer(("They ", "erode."), reasoning=("Hm, ", "water."), prefill_ms=0.1)
    with ScriptedServer(reply.answer(), models("big", "small")) as server:
        app = start()
        app.window.opening.server_action.trigger()
        panel = app.window.server_area.panel
        assert panel is not None
        panel.address_field.setText(server.url)
        panel.key_field.setText("secret")
        qtbot.keyClick(panel.key_field, Qt.Key.Key_Return)
        qtbot.waitUntil(panel.models.isVisible)
        panel.use_button.click()
        qtbot.waitUntil(lambda: app.models.state.phase is ModelPhase.READY)
        ask(app, qtbot)
        qtbot.waitUntil(lambda: "They erode." in app.window.page.transcript.plain_text())
        qtbot.waitUntil(lambda: not app.library.current.is_busy)
        assert {received.headers.get("authorization") for received in server.received} == {"Bearer secret"}
    reply_turn = app.library.current.turns[-1]
    assert reply_turn.message.reasoning == "Hm, water."
    assert reply_turn.remote == RemoteModel(server.url, "big")
    assert app.window.speed_bar.prefill.words.endswith("(40 new, 100 cached)")
    app.leave()
    assert "secret" not in places.settings.read_text()
    assert b"secret" not in places.conversations.read_bytes()


def test_a_server_that_is_named_at_the_start_gets_the_key_that_is_meant_for_it(start, qtbot):
    def chat(received: Received):
        allowed = received.headers.get("authorization") == "Bearer mine"
        return LlamaServer().answer() if allowed else refusal(401)

    with ScriptedServer(chat) as server:
        app = start(RemoteModel(server.url), HEADWATER_API_KEY="mine")
        qtbot.waitUntil(lambda: app.models.state.phase is ModelPhase.READY)
        ask(app, qtbot)
        qtbot.waitUntil(lambda: "Hello there." in app.window.page.transcript.plain_text())


def test_a_server_that_goes_away_is_said_in_place_and_asked_again_there(start, qtbot):
    answers = [refusal(503, "busy"), LlamaServer().answer()]
    with ScriptedServer(lambda _: answers.pop(0)) as server:
        app = start(RemoteModel(server.url))
        qtbot.waitUntil(lambda: app.models.state.phase is ModelPhase.READY)
        ask(app, qtbot)
        qtbot.waitUntil(lambda: "Try again" in app.window.page.transcript.plain_text())
        app.window.page.transcript.offer_taken.emit(0)
        qtbot.waitUntil(lambda: "Hello there." in app.window.page.transcript.plain_text())


@pytest.mark.model
@pytest.mark.skipif(embedded_model() is None, reason="the embedded model is not installed")
def test_a_draft_is_counted_with_the_real_vocabulary_and_the_counter_leaves_in_good_order(start, qtbot):
    app = start(make_engine=LocalEngine, embedded=embedded_model())
    qtbot.waitUntil(lambda: app.models.state.phase is ModelPhase.READY, timeout=60_000)
    qtbot.keyClicks(app.window.composer.field, "Why do rivers bend?")
    meter = app.window.composer.window_meter
    qtbot.waitUntil(lambda: meter.words.endswith(" of 4,096"), timeout=30_000)
    assert "+" in meter.words


# Another start, safe mode, and what is remembered of a run.


def test_another_start_brings_the_window_to_the_front_with_its_file(qapp, qtbot, places, engine, tmp_path):
    entrance = enter(places.conversations.parent / "locks", Call)
    assert entrance is not None
    engine_made = partial(lambda _emit, _states: engine)
    app = App(qapp, places, engine_made, MODEL, entrance=entrance)
    qtbot.addWidget(app.window)
    with qtbot.waitSignal(app.begun):
        app.show()
    qtbot.waitUntil((places.conversations.parent / "locks" / "door").exists)
    app.window.showMinimized()
    program = "import sys\nfrom desktop.__main__ import main\nsys.exit(main(sys.argv[1:]))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    words = ["--data-dir", str(places.conversations.parent), "mine.gguf"]
    with subprocess.Popen([sys.executable, "-c", program, *words], env=environment, cwd=tmp_path) as second:
        qtbot.waitUntil(lambda: engine.loads[-1].path == tmp_path / "mine.gguf", timeout=20_000)
        qtbot.waitUntil(lambda: second.poll() is not None, timeout=20_000)
    assert second.returncode == 0
    assert not app.window.isMinimized()
    app.leave()
    entrance.close()
    assert not (places.conversations.parent / "locks" / "door").exists()


def test_in_safe_mode_all_is_as_at_first_and_nothing_that_was_chosen_is_lost(start, qapp, qtbot, places, engine):
    before_that = start()
    engine.ready()
    talk(before_that, qtbot, engine, "Why do rivers bend?", "Because of water.")
    number = before_that.library.current.conversation.id
    before_that.window.close()  # with what it still has to keep of itself
    engine.loads.clear()
    places.settings.write_text(
        f'streaming = false\nmodel = "/models/large.gguf"\ndevice = "CUDA0"\nlast_conversation = {number}\n'
    )
    before = places.settings.read_text()
    app = App(qapp, places, lambda _emit, _states: engine, MODEL, safe=True)
    qtbot.addWidget(app.window)
    with qtbot.waitSignal(app.begun):
        app.show()
    assert [(config.path, config.device) for config in engine.loads] == [(MODEL, "CPU")]
    assert app.library.current.conversation is None
    assert app.window.choices.streaming_action.isChecked()
    assert "Safe mode" in app.window.board.notices[0].text
    app.window.choices.streaming_switch.click()
    assert not app.settings.current.streaming
    app.leave()
    assert places.settings.read_text() == before


def die_over(places: Places, model: Path) -> None:
    """As a program leaves it that was ended while this model was at work."""
    runs = places.conversations.parent / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    (runs / "gone.json").write_text(json.dumps({"model": str(model), "conversation": None}))


def test_a_model_that_the_program_died_over_twice_in_a_row_is_not_loaded_by_the_third_start(start, engine, places):
    for times in (1, 2):
        die_over(places, MODEL)
        start().leave()
        assert len(engine.loads) == (1 if times == 1 else 0)
        engine.loads.clear()
    again = start()
    assert engine.loads == []
    assert "ended twice in a row" in again.window.board.notices[0].text


def test_a_reply_that_comes_to_its_end_takes_a_death_back(start, engine, qtbot, places):
    die_over(places, MODEL)
    app = start()
    engine.ready()
    talk(app, qtbot, engine, "Why do rivers bend?", "Because of water.")
    app.leave()
    engine.loads.clear()
    die_over(places, MODEL)
    start()
    assert [config.path for config in engine.loads] == [MODEL]


def test_a_day_after_the_last_copy_a_new_one_is_made_by_itself(start, places, qtbot):
    app = start()
    app.library.new()
    backups = places.conversations.parent / "backups"
    qtbot.waitUntil(lambda: len(list(backups.glob("*.sqlite3"))) == 1, timeout=30_000)


def test_what_was_deleted_is_in_no_file_any_more_when_the_program_has_left(start, places, engine, qtbot):
    app = start()
    engine.ready()
    folder = places.conversations.parent
    qtbot.waitUntil(lambda: any((folder / "backups").glob("*.sqlite3")), timeout=30_000)  # which keeps it for days
    talk(app, qtbot, engine, "A secret that nobody may find", "It is kept.")
    app.library.delete([app.library.current.conversation.id])
    app.leave()
    assert [path.name for path in folder.rglob("*") if path.is_file() and b"secret" in path.read_bytes()] == []


def test_a_run_that_leaves_by_itself_leaves_no_note(start, places):
    app = start()
    assert any((places.conversations.parent / "runs").glob("*.json"))
    app.leave()
    assert not any((places.conversations.parent / "runs").iterdir())


def test_damaged_conversations_are_put_right_at_the_start_and_that_is_said(start, engine, qtbot, places):
    app = start()
    engine.ready()
    talk(app, qtbot, engine, "Why do rivers bend?", "Because of water.")
    app._store.backups.make()
    app.leave()
    whole = bytearray(places.conversations.read_bytes())
    whole[:4096] = bytes(4096)
    places.conversations.write_bytes(whole)
    again = start()
    assert "The conversations were damaged" in again.window.board.notices[0].text
    assert [conversation.title for conversation in again.library.conversations()] == ["Why do rivers bend?"]


CONFIDED = "what was said in confidence"


class Unclosable(ScriptedEngine):
    def close(self) -> None:
        raise ValueError(CONFIDED)


def test_a_fault_while_the_program_leaves_is_told_and_keeps_nothing_open(start, places, caplog, qtbot):
    app = start(make_engine=lambda _emit, _states: Unclosable())
    with qtbot.waitSignal(app.left):
        app.leave()
    assert "ValueError" in caplog.text
    assert CONFIDED not in caplog.text
    assert not any((places.conversations.parent / "runs").iterdir())
    assert not any((places.conversations.parent / "locks").glob("*.lock"))
