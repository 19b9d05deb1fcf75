"""One open conversation and the one generation it may have running."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, assert_never

from PySide6.QtCore import QObject, QTimer, Signal

import inference
from desktop.activity import Activity, Phase
from desktop.asking import Wishes, ask
from desktop.conversations import Attachment, Conversation, Totals, Turn, title_of
from desktop.figures import Figures, figures_of, figures_with
from desktop.model_choice import ModelChoice, ModelPhase, ModelState, name_of
from desktop.reply_keeper import ReplyKeeper
from desktop.shown_branch import Deletion, ShownBranch
from desktop.store import Store, StoreError
from inference import AnyModel, EngineClosed, RemoteModel, WindowPolicy

if TYPE_CHECKING:
    from desktop.remedies import Remedy
    from desktop.running_reply import RunningReply
    from inference import Sampling

__all__ = ["Activity", "ChatSession", "Figures", "Phase"]

CHECKPOINT_MILLISECONDS = 1_000
PROGRESS_MILLISECONDS = 100

_Result = TypeVar("_Result")


class ChatSession(QObject):
    """One open conversation. It decides; widgets show what it says and ask it.

    What one does with it answers whether it was done. Nothing but stopping is done while a reply is being made, and
    nothing where another window went on with the conversation, which is then said.
    """

    turn_added = Signal(object)  # Turn: the user's, then the reply, empty
    turns_replaced = Signal()  # the shown branch is another: show `turns` anew, keeping the reader's place
    reply_grew = Signal(int, str)  # turn id and the text to append; only while streaming is on
    thought_grew = Signal(int, str)  # the same of its reasoning
    turn_changed = Signal(object)  # Turn: final and whole
    turn_marked = Signal(object)  # Turn: pinned, or no longer
    messages_deleted = Signal(int)  # so many, which `undo` brings back
    activity_changed = Signal(object)  # Activity
    figures_changed = Signal(object)  # Figures
    title_changed = Signal(str)
    turns_left_out = Signal(object)  # Turn: the running reply, which is made without some of the turns before it
    remedies_changed = Signal(object)  # what can be done about the last turn as it ended: a tuple of Remedy
    window_policy_changed = Signal(object)  # WindowPolicy
    prompt_changed = Signal()  # the system prompt, or the sampling
    failed = Signal(str)  # a sentence that belongs to no turn

    def __init__(
        self,
        store: Store,
        engine: inference.Engine,
        models: ModelChoice,
        conversation: Conversation | None = None,
        parent: QObject | None = None,
        *,
        clock: Callable[[], float] = time.perf_counter,
        checkpoint_milliseconds: int = CHECKPOINT_MILLISECONDS,
        deletions: list[Deletion] | None = None,
    ) -> None:
        """`deletions` are those of messages that an earlier session of the conversation left to be brought back.

        Raises StoreError where the turns of the conversation cannot be read."""
        super().__init__(parent)
        self._store = store
        self._engine = engine
        self._models = models
        self._clock = clock
        self._conversation = conversation
        self._draft = store.new_draft if conversation is None else conversation.draft
        self._draft_is_kept = True
        self._has_said_why_not = False  # the draft cannot be kept
        self._draft_timer = QTimer(self, singleShot=True, interval=checkpoint_milliseconds)
        self._draft_timer.timeout.connect(self._keep_draft)
        self._branch = ShownBranch(store, conversation, deletions)
        self._wishes = _wishes_of(conversation)
        self._totals: Totals | None = None
        self._info = models.state.info
        self._running: RunningReply | None = None
        self._keeper = ReplyKeeper(store, self._growing, self.failed.emit, self, milliseconds=checkpoint_milliseconds)
        self._of_reply = self._last_figures()
        self._figures = self._current_figures()
        self._remedies = self._current_remedies()
        self._progress_timer = QTimer(self)
        self._progress_timer.setInterval(PROGRESS_MILLISECONDS)
        self._progress_timer.timeout.connect(self._show_activity)

    @property
    def conversation(self) -> Conversation | None:
        """`None` until the first prompt is sent: an empty conversation is not kept."""
        return self._conversation

    @property
    def is_temporary(self) -> bool:
        """Whether it is written nowhere."""
        return self._store.is_temporary

    @property
    def turns(self) -> tuple[Turn, ...]:
        """From the first to the last, a running reply with what is shown of it so far."""
        running = self._running
        return tuple(self._branch.turns) if running is None else (*self._branch.turns[:-1], running.shown_turn)

    @property
    def latest_turns(self) -> tuple[Turn, ...]:
        """The last of them: all where there are few, else more than a screen shows."""
        running = self._running
        return tuple(self._branch.latest) if running is None else (*self._branch.latest[:-1], running.shown_turn)

    def turns_before(self, turn_id: int, most: int) -> tuple[Turn, ...]:
        """So many of the turns before this one, as far as there are."""
        return tuple(self._attempt(lambda: self._branch.before(turn_id, most)) or ())

    @property
    def activity(self) -> Activity:
        return Activity() if self._running is None else self._running.activity

    @property
    def figures(self) -> Figures:
        return self._figures

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What can be done about the last turn, where it failed or did not come to its end."""
        return self._remedies

    @property
    def window_policy(self) -> WindowPolicy:
        """What is done when the conversation no longer fits the context window."""
        return self._wishes.window_policy

    @property
    def system_prompt(self) -> str:
        """What the model is told before everything else."""
        return self._wishes.system_prompt

    @property
    def sampling(self) -> Sampling | None:
        """How the next tokens are chosen; `None` where the model's own defaults hold."""
        return self._wishes.sampling

    @property
    def totals(self) -> Totals:
        """What the replies of this conversation have taken so far; as far as is known where they cannot be read."""
        if self._totals is None and self._conversation is not None:
            conversation = self._conversation.id
            self._totals = self._attempt(lambda: self._store.totals(conversation))
        return self._totals or Totals()

    @property
    def request_id(self) -> inference.RequestId | None:
        """Of the reply that is being made; `None` where there is none."""
        return None if self._running is None else self._running.request.id

    @property
    def is_busy(self) -> bool:
        """Whether a reply is being made."""
        return self._running is not None

    @property
    def is_settled(self) -> bool:
        """Whether nothing runs and nothing waits to be stored."""
        return self._running is None and self._keeper.is_settled and self._draft_is_kept

    @property
    def draft(self) -> str:
        """What was typed and not sent."""
        return self._draft

    def trace_of(self, turn_id: int) -> inference.Trace | None:
        """How a reply came about; `None` where that is not known."""
        return self._attempt(lambda: self._store.trace(turn_id))

    # Asking

    def send(
        self,
        text: str,
        *,
        streaming: bool,
        thinking: bool | None = None,
        attachments: Sequence[Attachment] = (),
    ) -> bool:
        """Ask the model. False when nothing was sent; what was typed must then stay where it is."""
        model = self._models.config
        if model is None or not (text.strip() or attachments) or not self._may_change():
            return False
        question = _whole_characters(text)
        exchange = self._attempt(
            lambda: self._store.begin_exchange(
                question,
                conversation=None if self._conversation is None else self._conversation.id,
                parent=self._branch.head,
                title=title_of(question) or title_of(attachments[0].name),
                model_name=self._name_of(model),
                model=model,
                streamed=streaming,
                window_policy=self._wishes.window_policy,
                attachments=attachments,
                system_prompt=self._wishes.system_prompt,
                sampling=self._wishes.sampling,
            )
        )
        if exchange is None:
            return False
        is_new = self._conversation is None
        self._conversation = exchange.conversation
        self._draft, self._draft_is_kept = "", True
        self._branch.add(exchange.question)
        if is_new:
            self.title_changed.emit(exchange.conversation.title)
        self.turn_added.emit(exchange.question)
        self._begin(exchange.reply, model, self._wishes, thinking=thinking)
        return True

    def regenerate(
        self,
        turn_id: int,
        *,
        streaming: bool,
        thinking: bool | None = None,
        model: AnyModel | None = None,
        sampling: Sampling | None = None,
    ) -> bool:
        """Have another reply written to the same question, by `model` and with `sampling` where they are given. The
        one before is kept on a branch of its own. `turn_id` is the reply's or the question's."""
        chosen, place = model or self._models.config, self._question_of(turn_id)
        if chosen is None or place is None or not self._may_change():
            return False
        length = len(self._branch.turns)
        reply = self._attempt(
            lambda: self._branch.begin_reply(place, chosen, self._name_of(chosen), streamed=streaming)
        )
        if reply is None:
            return False
        if len(self._branch.turns) < length:
            self.turns_replaced.emit()
        wishes = self._wishes if sampling is None else replace(self._wishes, sampling=sampling)
        self._begin(reply, chosen, wishes, thinking=thinking)
        return True

    def can_regenerate(self, turn_id: int) -> bool:
        """Whether there is a question to be answered once more."""
        return self._question_of(turn_id) is not None

    def edit_and_send(self, turn_id: int, text: str, *, streaming: bool, thinking: bool | None = None) -> bool:
        """Ask an earlier question in other words; the one before is kept, with all that came after it, on a branch of
        its own."""
        place, words = self._branch.place_of(turn_id), _whole_characters(text)
        if place is None or self._models.config is None or not self._may_change():
            return False
        question = self._branch.turns[place]
        if question.is_reply or not (words.strip() or question.attachments):
            return False
        if words != question.message.content:
            edited = self._edit(place, words)
            if edited is None:
                return False
            turn_id = edited.id
        return self.regenerate(turn_id, streaming=streaming, thinking=thinking)

    def edit_reply(self, turn_id: int, text: str) -> bool:
        """Have a reply say something else from now on; what it said before is kept, with all that came after it, on a
        branch of its own."""
        place, words = self._branch.place_of(turn_id), _whole_characters(text)
        if place is None or not words.strip() or not self._branch.turns[place].is_reply or not self._may_change():
            return False
        if words != self._branch.turns[place].message.content and self._edit(place, words) is None:
            return False
        self._show_what_follows()
        return True

    def continue_reply(self, turn_id: int, *, streaming: bool, thinking: bool | None = None) -> bool:
        """Have the last reply gone on with where it ended. It is kept as it was, on a branch of its own."""
        model = self._models.config
        if model is None or not self.can_continue(turn_id) or not self._may_change():
            return False
        begun = self._branch.turns[-1]
        reply = self._attempt(lambda: self._branch.begin_continuation(model, self._name_of(model), streamed=streaming))
        if reply is None:
            return False
        self._begin(reply, model, self._wishes, thinking=thinking, begun=begun)
        return True

    def can_continue(self, turn_id: int) -> bool:
        """Whether the turn is a last reply that can be gone on with by the model that answers now."""
        from desktop.remedies import can_go_on

        turns = self._branch.turns
        has_question = len(turns) > 1 and not turns[-2].is_reply
        return has_question and turns[-1].id == turn_id and can_go_on(turns[-1], self._models.config)

    def mend(self, remedy: Remedy, *, streaming: bool, thinking: bool | None = None) -> bool:
        """Do what was offered for the last turn, and ask again, or go on. False when nothing was asked."""
        from desktop.remedies import RemedyKind

        if remedy not in self._remedies or self.is_busy:
            return False
        match remedy.kind:
            case RemedyKind.LEAVE_OUT_OLDEST:
                self.set_window_policy(WindowPolicy.DROP_OLDEST)
            case RemedyKind.LARGER_WINDOW:
                self._models.use_window(remedy.context_size)
            case RemedyKind.TRY_AGAIN | RemedyKind.CHANGE_KEY:
                self._models.try_again()
            case RemedyKind.CONTINUE | RemedyKind.ASK:
                pass
            case _:
                assert_never(remedy.kind)
        last = self._branch.turns[-1].id
        if remedy.goes_on:
            return self.continue_reply(last, streaming=streaming, thinking=thinking)
        return self.regenerate(last, streaming=streaming, thinking=thinking)

    def stop(self) -> None:
        """End the running reply, or withdraw it where its turn has not come; what was written stays."""
        if self._running is not None:
            self._engine.cancel(self._running.request.id)

    # Branches, deleting, pinning

    def forks(self) -> Mapping[int, tuple[int, int]]:
        """The turns in whose place others stand too: which it is of them, counted from one, and of how many."""
        return self._branch.forks()

    def branches_of(self, turn_id: int) -> tuple[int, ...]:
        """The turn and those that stand in its place on other branches, oldest first."""
        return self._branch.siblings(turn_id)

    def show_branch(self, turn_id: int) -> bool:
        """Show the branch through this turn, and go on there from now on."""
        shown = self._attempt(lambda: self._branch.show(turn_id)) if self._may_change() else None
        if shown:
            self._show_other_branch()
        return bool(shown)

    def delete_message(self, turn_id: int) -> bool:
        """Delete one message; what came after it stands after the one before."""
        return self._delete(turn_id, self._branch.delete_message)

    def delete_from(self, turn_id: int) -> bool:
        """Delete a message and all that came after it, on whatever branch. Where it stood on one of several, another
        of them is shown."""
        return self._delete(turn_id, self._branch.delete_from)

    @property
    def can_undo(self) -> bool:
        """Whether something was deleted that can be brought back."""
        return bool(self._branch.deletions)

    @property
    def deletions(self) -> list[Deletion]:
        """What can be brought back, the last one last."""
        return self._branch.deletions

    def forget_deletions(self) -> None:
        """Nobody wants it back."""
        self._branch.deletions.clear()

    def undo(self) -> bool:
        """Bring back what was deleted last."""
        undone = self._attempt(self._branch.undo) if self.can_undo and self._may_change() else None
        if undone:
            self._show_other_branch()
        return bool(undone)

    def set_turn_pinned(self, turn_id: int, *, pinned: bool) -> bool:
        """Never leave this turn out of a full window; or do, as any other."""
        place = self._branch.place_of(turn_id)
        if place is None or self.is_busy:
            return False
        turn = self._attempt(lambda: self._branch.pin(place, pinned=pinned))
        if turn is not None:
            self.turn_marked.emit(turn)
        return turn is not None

    # What holds for the whole conversation

    def set_window_policy(self, policy: WindowPolicy) -> None:
        """Choose what is done from now on when the conversation no longer fits."""
        if policy is self._wishes.window_policy:
            return
        try:
            if self._conversation is not None:
                self._store.set_window_policy(self._conversation.id, policy)
        except StoreError as error:
            self.failed.emit(str(error))
            return
        self._wishes = replace(self._wishes, window_policy=policy)
        self.window_policy_changed.emit(policy)
        self._show_remedies()

    def set_prompt_and_sampling(self, system_prompt: str, sampling: Sampling | None) -> None:
        """Choose what the model is told before everything else, and how its next tokens are chosen."""
        changed = replace(self._wishes, system_prompt=_whole_characters(system_prompt), sampling=sampling)
        if changed == self._wishes:
            return
        try:
            if self._conversation is not None:
                self._store.set_prompt_and_sampling(self._conversation.id, changed.system_prompt, sampling)
        except StoreError as error:
            self.failed.emit(str(error))
            return
        self._wishes = changed
        self.prompt_changed.emit()

    def reread(self) -> None:
        """Learn what was done with the conversation from the list: it was renamed, pinned, put into a folder.

        Raises:
            StoreError: it cannot be read.
        """
        before = self._conversation
        for conversation in () if before is None else self._store.conversations_of([before.id]):
            self._conversation = conversation
            if before is not None and conversation.title != before.title:
                self.title_changed.emit(conversation.title)

    def set_draft(self, text: str) -> None:
        """Keep what is being typed."""
        if text == self._draft:
            return
        self._draft = text
        self._draft_is_kept = False
        self._keep_draft()

    @property
    def draft_attachments(self) -> tuple[Attachment, ...]:
        """What was attached to it; read anew each time."""
        return self._attempt(lambda: self._store.draft_attachments(self._place_of_draft)) or ()

    def set_draft_attachments(self, attachments: Sequence[Attachment]) -> None:
        """Keep what will go along with it."""
        self._attempt(lambda: self._store.set_draft_attachments(self._place_of_draft, attachments))

    @property
    def _place_of_draft(self) -> int | None:
        return None if self._conversation is None else self._conversation.id

    def flush(self) -> bool:
        """Store now what otherwise waits a moment; whether all of it could be."""
        is_kept = self._keeper.save()
        self._keep_draft()
        return is_kept and self._draft_is_kept

    # What the engine says

    def on_model(self, state: ModelState) -> None:
        """Another model, or the same one otherwise: other figures, and perhaps other remedies."""
        if state.phase is ModelPhase.LOADING and state.info is None:
            return  # what stands there is of the model before, until the new one is known
        self._info = state.info
        self._show_figures()
        self._show_remedies()

    def on_event(self, event: inference.Event) -> None:
        """Follow the engine; events of requests that are not this session's pass by."""
        running = self._running
        match event:
            case inference.ModelLoading(model, fraction):
                if running is not None and running.on_loading(model, fraction):
                    self._show_activity()
            case inference.ModelReady():
                if running is not None and running.on_ready():
                    self._show_activity()
            case inference.ModelUnloaded(model) if self._info is not None and self._info.config == model:
                self._info = None
                self._show_figures()
            case inference.ModelFailed() | inference.ModelUnloaded():
                pass
            case (
                inference.TurnsLeftOut()
                | inference.PrefillProgress()
                | inference.TextDelta()
                | inference.GenerationFinished()
                | inference.GenerationFailed()
            ):
                if running is not None and running.request.id == event.request:
                    self._on_generation(running, event)
            case inference.JobProgress() | inference.JobFinished() | inference.JobFailed():
                pass
            case _:
                assert_never(event)

    def _on_generation(self, running: RunningReply, event: inference.GenerationEvent) -> None:
        match event:
            case inference.TurnsLeftOut():
                running.on_left_out(event)
                self._keeper.grew()
                self.turns_left_out.emit(running.shown_turn)
            case inference.PrefillProgress():
                running.on_prefill(event)
                self._show_progress(running)
            case inference.TextDelta():
                running.on_delta(event)
                self._show_text(running, event)
                self._show_progress(running)
            case inference.GenerationFinished():
                self._end(running.finished(event), event.trace)
            case inference.GenerationFailed():
                self._end(running.failed(event), None)
            case _:
                assert_never(event)

    def _show_text(self, running: RunningReply, event: inference.TextDelta) -> None:
        if not event.text:
            return
        if running.streaming:
            grew = self.thought_grew if event.kind is inference.DeltaKind.REASONING else self.reply_grew
            grew.emit(running.turn_id, event.text)
        self._keeper.grew()

    def _show_progress(self, running: RunningReply) -> None:
        self._of_reply = running.figures
        self._show_activity()
        self._show_figures()

    # A reply's beginning and end

    def _begin(
        self,
        reply: Turn,
        model: AnyModel,
        wishes: Wishes,
        *,
        thinking: bool | None,
        begun: Turn | None = None,
    ) -> None:
        """Have `reply`, which is stored, written by the model."""
        asked = ask(self._branch.turns, model, wishes, thinking=thinking, begun=begun, is_private=self.is_temporary)
        request = self._models.as_recorded(asked.request)
        self._branch.add(reply)
        from desktop.running_reply import RunningReply

        running = RunningReply(request, asked.turns, reply, usual_rate=self._usual_rate(model), clock=self._clock)
        state = self._models.state
        if state.phase is ModelPhase.LOADING and state.config == model:
            running.activity = replace(running.activity, phase=Phase.LOADING, load_fraction=state.fraction)
        self._running = running
        self._keeper.begin()
        self._of_reply = Figures()
        self._show_remedies()
        if begun is None:
            self.turn_added.emit(reply)
        else:
            self.turns_replaced.emit()
        self._show_activity()
        self._show_figures()
        running.submit()
        try:
            self._engine.generate(request)
        except EngineClosed as error:
            self.on_event(inference.GenerationFailed(request.id, error))

    def _end(self, turn: Turn, trace: inference.Trace | None) -> None:
        self._branch.change(turn)
        self._running = None
        self._keeper.end(turn, trace)
        self._totals = None
        self._of_reply = figures_of(turn, trace)
        self.turn_changed.emit(turn)
        self._show_activity()
        self._show_figures()
        self._show_remedies()

    def _usual_rate(self, model: AnyModel) -> float | None:
        """At which this model read its last prompts: a server says itself how far it is, where it does."""
        if isinstance(model, RemoteModel):
            return None
        try:
            return self._store.prefill_rate(model.path)
        except StoreError:
            return None  # it is a help for the progress alone; what cannot be kept is said when it is kept

    def _name_of(self, model: AnyModel) -> str:
        state = self._models.state
        return state.name if model == state.config else name_of(model)

    # The shown branch

    def _question_of(self, turn_id: int) -> int | None:
        """Where the question stands that this turn answers, or is."""
        place = self._branch.place_of(turn_id)
        if place is None:
            return None
        question = place - 1 if self._branch.turns[place].is_reply else place
        return question if question >= 0 and not self._branch.turns[question].is_reply else None

    def _edit(self, place: int, words: str) -> Turn | None:
        edited = self._attempt(lambda: self._branch.edit(place, words))
        if edited is not None:
            self.turns_replaced.emit()
        return edited

    def _delete(self, turn_id: int, delete: Callable[[int], int]) -> bool:
        place = self._branch.place_of(turn_id)
        if place is None or not self._may_change():
            return False
        count = self._attempt(lambda: delete(place))
        if count is None:
            return False
        self._show_other_branch()
        self.messages_deleted.emit(count)
        return True

    def _attempt(self, do: Callable[[], _Result]) -> _Result | None:
        """Do it; where the store cannot, that is said and there is no result."""
        try:
            return do()
        except StoreError as error:
            self.failed.emit(str(error))
            return None

    def _may_change(self) -> bool:
        """Whether the conversation can be changed from here now; why not, is said."""
        if self.is_busy:
            return False
        self._keeper.save()
        if self._conversation is None:
            return True
        try:
            if self._store.conversation(self._conversation.id).head == self._branch.head:
                return True
            # An answer to what is shown would put what was said there out of sight.
            self.failed.emit(self._went_on_elsewhere())
        except StoreError as error:
            self.failed.emit(str(error))
        return False

    def _went_on_elsewhere(self) -> str:
        return self.tr(
            "This conversation went on in another window. Open it again from the list to see it; what you typed stays."
        )

    # Keeping

    def _growing(self) -> Turn | None:
        return None if self._running is None else self._running.turn

    def _keep_draft(self) -> None:
        """Where that fails it stays in this session, which stays until it can be kept. It is said once, and tried again
        about a second later."""
        if self._draft_is_kept or self._store.is_closed:
            return
        try:
            self._store.set_draft(None if self._conversation is None else self._conversation.id, self._draft)
            self._draft_is_kept, self._has_said_why_not = True, False
        except StoreError as error:
            if not self._has_said_why_not:
                self._has_said_why_not = True
                self.failed.emit(str(error))
            self._draft_timer.start()

    # Showing

    def _show_activity(self) -> None:
        activity = self.activity
        if not activity.moves:
            self._progress_timer.stop()
        elif not self._progress_timer.isActive():
            self._progress_timer.start()
        self.activity_changed.emit(activity)

    def _show_other_branch(self) -> None:
        self.turns_replaced.emit()
        self._show_what_follows()

    def _show_what_follows(self) -> None:
        """Another turn is the last: its figures, and what can be done about it."""
        self._of_reply = self._attempt(self._last_figures) or Figures()
        self._show_figures()
        self._show_remedies()

    def _show_figures(self) -> None:
        self._figures = self._current_figures()
        self.figures_changed.emit(self._figures)

    def _current_figures(self) -> Figures:
        return figures_with(self._of_reply, self._info, self._branch.last)

    def _last_figures(self) -> Figures:
        """The figures of the last turn, as it was stored."""
        last = self._branch.last
        return Figures() if last is None else figures_of(last, self._store.trace(last.id))

    def _show_remedies(self) -> None:
        remedies = self._current_remedies()
        if remedies != self._remedies:
            self._remedies = remedies
            self.remedies_changed.emit(remedies)

    def _current_remedies(self) -> tuple[Remedy, ...]:
        turns = self._branch.latest
        if not turns or self.is_busy:
            return ()
        from desktop.remedies import remedies_for

        return remedies_for(turns, self._info, self._models.config, self._wishes.window_policy)


def _wishes_of(conversation: Conversation | None) -> Wishes:
    if conversation is None:
        return Wishes()
    return Wishes(conversation.system_prompt, conversation.sampling, conversation.window_policy)


def _whole_characters(text: str) -> str:
    """Half a surrogate pair, as a broken clipboard brings it, can be neither stored nor tokenised."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
