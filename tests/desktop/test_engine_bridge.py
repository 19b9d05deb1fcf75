"""Events cross from an engine's thread to Qt's in their order, soon when somebody waits, and quietly otherwise."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QThread
from PySide6.QtWidgets import QApplication

from desktop.engine_bridge import EngineBridge
from desktop.file_reader import FileRead
from desktop.secrets import KeyPlace, KeysKept
from inference import (
    DeltaKind,
    EngineClosed,
    Event,
    FinishReason,
    GenerationFailed,
    GenerationFinished,
    ModelConfig,
    ModelLoading,
    PrefillProgress,
    RemoteModel,
    RemoteModelInfo,
    RemoteModelReady,
    RequestId,
    TextDelta,
    Timings,
    TokenCount,
    Trace,
    Usage,
)

ONE, TWO = RequestId("one"), RequestId("two")
CLOSED = EngineClosed()


class Listener(QObject):
    """Writes down what arrives and on which thread."""

    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.threads: set[QThread] = set()
        bridge.event_arrived.connect(self.take)

    def take(self, event: Event) -> None:
        self.events.append(event)
        self.threads.add(QThread.currentThread())


def delta(text: str, request: RequestId = ONE, count: int = 1, kind: DeltaKind = DeltaKind.ANSWER) -> TextDelta:
    return TextDelta(request, text, kind, count, 1.0 + count, 1.0)


def finished(request: RequestId = ONE) -> GenerationFinished:
    return GenerationFinished(request, "", FinishReason.STOP, "small", Usage(1, 0, 1), Timings(0, 0), Trace())


def failed(request: RequestId = ONE) -> GenerationFailed:
    return GenerationFailed(request, CLOSED)


def loading() -> ModelLoading:
    return ModelLoading(ModelConfig(Path("small.gguf")), 0.5)


def progress() -> PrefillProgress:
    return PrefillProgress(ONE, 0, 10, 0, 10, 0.0)


@pytest.fixture
def bridge(qapp):
    return EngineBridge()


@pytest.fixture
def listener(bridge):
    return Listener(bridge)


def on_another_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


@pytest.mark.parametrize("event", [delta("first"), finished(), failed(), loading(), progress()])
def test_what_somebody_waits_for_arrives_without_a_tick(bridge, listener, event):
    on_another_thread(lambda: bridge.post(event))
    assert listener.events == []
    QApplication.sendPostedEvents(bridge)
    assert listener.events == [event]
    assert listener.threads == {bridge.thread()}


def test_later_deltas_wait_for_the_frame_and_come_joined(bridge, listener, qtbot):
    bridge.post(delta("first"))
    QApplication.sendPostedEvents(bridge)
    for count, text in enumerate(("a", "b", "c"), 2):
        bridge.post(delta(text, count=count))
    QApplication.sendPostedEvents(bridge)
    assert listener.events == [delta("first")]
    qtbot.waitUntil(lambda: len(listener.events) == 2)
    assert listener.events[1] == delta("abc", count=4)


def test_the_timer_runs_only_while_text_is_written(bridge, listener):
    steps = [(progress(), False), (delta("a"), True), (delta("b", TWO), True), (finished(), True), (failed(TWO), False)]
    ticking = []
    for event, _ in steps:
        bridge.post(event)
        bridge.drain()
        ticking.append(bridge.is_ticking)
    assert ticking == [expected for _, expected in steps]


def test_text_of_different_replies_or_kinds_is_not_mixed(bridge, listener):
    events = [delta("a"), delta("b", TWO), delta("c", TWO, 2, DeltaKind.REASONING), delta("d", count=2)]
    for event in events:
        bridge.post(event)
    bridge.drain()
    assert listener.events == events


def test_an_end_overtakes_no_text(bridge, listener):
    for event in (delta("a"), delta("b", count=2), finished(), delta("c", TWO), failed(TWO)):
        bridge.post(event)
    bridge.drain()
    assert listener.events == [delta("ab", count=2), finished(), delta("c", TWO), failed(TWO)]


def test_a_slot_that_drains_again_sees_its_event_to_the_end_first(bridge, listener, qtbot):
    order = []

    class Nested(QObject):
        def take(self, event: Event) -> None:
            order.append(("begins", type(event)))
            bridge.drain()
            order.append(("ends", type(event)))

    nested = Nested()
    bridge.event_arrived.connect(nested.take)
    bridge.post(loading())
    bridge.post(finished())
    bridge.drain()
    assert order == [
        ("begins", ModelLoading),
        ("ends", ModelLoading),
        ("begins", GenerationFinished),
        ("ends", GenerationFinished),
    ]
    bridge.post(loading())
    QApplication.sendPostedEvents(bridge)
    assert len(listener.events) == 3  # it still wakes


def test_an_event_after_the_end_of_the_program_is_taken_quietly(qapp):
    bridge = EngineBridge()
    bridge.deleteLater()
    QCoreApplication.sendPostedEvents(bridge, QEvent.Type.DeferredDelete)
    bridge.post(finished())


EVENTS = st.lists(
    st.one_of(
        st.builds(delta, st.text(max_size=3), st.sampled_from([ONE, TWO]), st.integers(1, 9)),
        st.builds(finished, st.sampled_from([ONE, TWO])),
        st.builds(failed, st.sampled_from([ONE, TWO])),
        st.builds(loading),
        st.builds(progress),
    ),
    max_size=30,
)


def as_told(events: list[Event]) -> list[object]:
    """What a reader sees: neighbouring deltas of one reply are one piece of text."""
    told: list[object] = []
    for event in events:
        if isinstance(event, TextDelta) and told and isinstance(told[-1], tuple) and told[-1][0] == event.request:
            told[-1] = (event.request, told[-1][1] + event.text, event.output_tokens)
        elif isinstance(event, TextDelta):
            told.append((event.request, event.text, event.output_tokens))
        else:
            told.append(type(event))
    return told


@given(events=EVENTS, drains=st.sets(st.integers(0, 30)))
def test_whatever_is_posted_and_drained_when_nothing_is_lost_or_out_of_order(qapp, events, drains):
    bridge = EngineBridge()
    listener = Listener(bridge)
    for index, event in enumerate(events):
        bridge.post(event)
        if index in drains:
            bridge.drain()
    bridge.drain()
    assert as_told(listener.events) == as_told(events)


def test_a_stream_from_another_thread_arrives_whole(bridge, listener, qtbot):
    pieces = [f"{number} " for number in range(5_000)]

    def stream() -> None:
        for count, piece in enumerate(pieces, 1):
            bridge.post(delta(piece, count=count))
        bridge.post(finished())

    thread = threading.Thread(target=stream)
    thread.start()
    qtbot.waitUntil(lambda: bool(listener.events) and isinstance(listener.events[-1], GenerationFinished))
    thread.join()
    assert "".join(event.text for event in listener.events if isinstance(event, TextDelta)) == "".join(pieces)
    assert not bridge.is_ticking


def test_what_else_comes_from_other_threads_arrives_on_qts_each_in_its_place(qapp, qtbot):
    bridge = EngineBridge()
    model = RemoteModel("http://127.0.0.1:8080/v1", "big")
    posted = {
        bridge.server_answered: RemoteModelReady(RemoteModelInfo(model, "big"), ("big",)),
        bridge.counted: TokenCount(ModelConfig(Path("small.gguf")), "", 1, 2),
        bridge.keys_kept: KeysKept(KeyPlace.SESSION),
        bridge.file_read: FileRead(1, None, "It is a picture."),
    }
    for signal, value in posted.items():
        with qtbot.waitSignal(signal) as arrived:
            thread = threading.Thread(target=bridge.post, args=(value,))
            thread.start()
            thread.join()
        assert arrived.args == [value]
