"""One open conversation and the one generation it may have running."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, assert_never

from PySide6.QtCore import QObject, Signal

import inference
from desktop.activity import Activity, Phase
from desktop.conversations import Conversation, title_of, whole_characters
from desktop.draft import Draft
from desktop.figures import Figures, figures_of
from desktop.model_choice import ModelChoice, ModelPhase, ModelState, name_of
from desktop.ongoing_reply import OngoingReply
from desktop.shown_branch import ShownBranch
from desktop.spoken import spoken
from desktop.standing import Standing
from desktop.store import Store, StoreError
from desktop.wishes import ReplyChoices, Wishes
from inference import AnyModel, EngineClosed, RemoteModel, WindowPolicy

if TYPE_CHECKING:
    from desktop.changes import Deletion, NewConversation
    from desktop.remedies import Remedy
    from desktop.turns import Attachment, ReplyOrigin, Totals, Turn
    from inference import Sampling

CHECKPOINT_MILLISECONDS = 1_000

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
    outdated = Signal(str)  # a sentence: what is shown is no longer how the conversation is

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
        self.draft = Draft(store, conversation, self.failed.emit, self, milliseconds=checkpoint_milliseconds)
        self._branch = ShownBranch(store, conversation, deletions)
        self._wishes = Wishes() if conversation is None else Wishes.of(conversation)
        self._totals: Totals | None = None
        self._ongoing = OngoingReply(store, self.failed.emit, self, checkpoint_milliseconds=checkpoint_milliseconds)
        self._standing = Standing(store, self._branch, models, self.figures_changed.emit, self.remedies_changed.emit)
        self._standing.remedies = self._standing.remedies_under(self._wishes.window_policy)
        self._connect()

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
        running = self._ongoing.running
        return tuple(self._branch.turns) if running is None else (*self._branch.turns[:-1], running.shown_turn)

    @property
    def latest_turns(self) -> tuple[Turn, ...]:
        """The last of them: all where there are few, else more than a screen shows."""
        running = self._ongoing.running
        return tuple(self._branch.latest) if running is None else (*self._branch.latest[:-1], running.shown_turn)

    def turns_before(self, turn_id: int, most: int) -> tuple[Turn, ...]:
        """So many of the turns before this one, as far as there are."""
        return tuple(self._attempt(lambda: self._branch.before(turn_id, most)) or ())

    @property
    def activity(self) -> Activity:
        return self._ongoing.activity

    @property
    def figures(self) -> Figures:
        return self._standing.figures

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What can be done about the last turn, where it failed or did not come to its end."""
        return self._standing.remedies

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
        if self._totals is None:
            from desktop.turns import Totals

            return Totals()
        return self._totals

    @property
    def request_id(self) -> inference.RequestId | None:
        """Of the reply that is being made; `None` where there is none."""
        running = self._ongoing.running
        return None if running is None else running.request.id

    @property
    def is_busy(self) -> bool:
        """Whether a reply is being made."""
        return self._ongoing.running is not None

    @property
    def is_settled(self) -> bool:
        """Whether nothing runs and nothing waits to be stored."""
        return self._ongoing.is_settled and self.draft.is_kept

    def trace_of(self, turn_id: int) -> inference.Trace | None:
        """How a reply came about; `None` where that is not known."""
        return self._attempt(lambda: self._store.trace(turn_id))

    # Asking

    def send(
        self,
        text: str,
        choices: ReplyChoices,
        *,
        attachments: Sequence[Attachment] = (),
    ) -> bool:
        """Ask the model. False when nothing was sent; what was typed must then stay where it is."""
        model = self._models.config
        if model is None or not (text.strip() or attachments) or not self._may_change():
            return False
        question = whole_characters(text)
        title = title_of(question) or title_of(attachments[0].name)
        exchange = self._attempt(
            lambda: self._store.begin_exchange(
                question,
                self._origin(model, choices),
                conversation=self._conversation_asked_in(title),
                parent=self._branch.head,
                attachments=attachments,
            )
        )
        if exchange is None:
            return False
        is_new = self._conversation is None
        self._conversation = exchange.conversation
        self.draft.begin_anew(exchange.conversation.id)
        self._branch.add(exchange.question)
        if is_new:
            self.title_changed.emit(exchange.conversation.title)
        self.turn_added.emit(exchange.question)
        self._begin(exchange.reply, model, self._wishes, choices)
        return True

    def regenerate(
        self,
        turn_id: int,
        choices: ReplyChoices,
        *,
        model: AnyModel | None = None,
        sampling: Sampling | None = None,
    ) -> bool:
        """Have another reply written to the same question, by `model` and with `sampling` where they are given. The
        one before is kept on a branch of its own. `turn_id` is the reply's or the question's."""
        chosen, place = model or self._models.config, self._branch.question_of(turn_id)
        if chosen is None or place is None or not self._may_change():
            return False
        length = len(self._branch.turns)
        reply = self._attempt(lambda: self._branch.begin_reply(place, self._origin(chosen, choices)))
        if reply is None:
            return False
        if len(self._branch.turns) < length:
            self.turns_replaced.emit()
        wishes = self._wishes if sampling is None else replace(self._wishes, sampling=sampling)
        self._begin(reply, chosen, wishes, choices)
        return True

    def can_regenerate(self, turn_id: int) -> bool:
        """Whether there is a question to be answered once more."""
        return self._branch.question_of(turn_id) is not None

    def edit_and_send(self, turn_id: int, text: str, choices: ReplyChoices) -> bool:
        """Ask an earlier question in other words; the one before is kept, with all that came after it, on a branch of
        its own."""
        place, words = self._branch.place_of(turn_id), whole_characters(text)
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
        return self.regenerate(turn_id, choices)

    def edit_reply(self, turn_id: int, text: str) -> bool:
        """Have a reply say something else from now on; what it said before is kept, with all that came after it, on a
        branch of its own."""
        place, words = self._branch.place_of(turn_id), whole_characters(text)
        if place is None or not words.strip() or not self._branch.turns[place].is_reply or not self._may_change():
            return False
        if words != self._branch.turns[place].message.content and self._edit(place, words) is None:
            return False
        self._show_what_follows()
        return True

    def continue_reply(self, turn_id: int, choices: ReplyChoices) -> bool:
        """Have the last reply gone on with where it ended. It is kept as it was, on a branch of its own."""
        model = self._models.config
        if model is None or not self.can_continue(turn_id) or not self._may_change():
            return False
        begun = self._branch.turns[-1]
        reply = self._attempt(lambda: self._branch.begin_continuation(self._origin(model, choices)))
        if reply is None:
            return False
        self._begin(reply, model, self._wishes, choices, begun=begun)
        return True

    def can_continue(self, turn_id: int) -> bool:
        """Whether the turn is a last reply that can be gone on with by the model that answers now."""
        from desktop.remedies import can_go_on

        turns = self._branch.turns
        has_question = len(turns) > 1 and not turns[-2].is_reply
        return has_question and turns[-1].id == turn_id and can_go_on(turns[-1], self._models.config)

    def mend(self, remedy: Remedy, choices: ReplyChoices) -> bool:
        """Do what was offered for the last turn, and ask again, or go on. False when nothing was asked."""
        from desktop.remedies import RemedyKind

        if remedy not in self.remedies or self.is_busy:
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
            return self.continue_reply(last, choices)
        return self.regenerate(last, choices)

    def stop(self) -> None:
        """End the running reply, or withdraw it where its turn has not come; what was written stays."""
        if self.request_id is not None:
            self._engine.cancel(self.request_id)

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
        changed = replace(self._wishes, window_policy=policy)
        if self._wish(changed, lambda conversation: self._store.set_window_policy(conversation, policy)):
            self.window_policy_changed.emit(policy)
            self._show_remedies()

    def set_prompt_and_sampling(self, system_prompt: str, sampling: Sampling | None) -> None:
        """Choose what the model is told before everything else, and how its next tokens are chosen."""
        prompt = whole_characters(system_prompt)
        changed = replace(self._wishes, system_prompt=prompt, sampling=sampling)
        if self._wish(
            changed, lambda conversation: self._store.set_prompt_and_sampling(conversation, prompt, sampling)
        ):
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

    def flush(self) -> bool:
        """Store now what otherwise waits a moment; whether all of it could be."""
        is_kept = self._ongoing.save()
        self.draft.keep()
        return is_kept and self.draft.is_kept

    @property
    def unkept(self) -> Turn | None:
        """The reply as it is now, where the store may have it otherwise."""
        return self._ongoing.unkept

    # What the engine says

    def on_model(self, state: ModelState) -> None:
        """Another model, or the same one otherwise: other figures, and perhaps other remedies."""
        if state.phase is ModelPhase.LOADING and state.info is None:
            return  # what stands there is of the model before, until the new one is known
        self._standing.set_model(state.info)
        self._standing.show_figures()
        self._show_remedies()

    def on_event(self, event: inference.Event) -> None:
        """Follow the engine; events of requests that are not this session's pass by."""
        if isinstance(event, inference.ModelUnloaded) and self._standing.is_by(event.model):
            self._standing.set_model(None)
            self._standing.show_figures()
        self._ongoing.on_event(event)

    def _on_progress(self, figures: Figures) -> None:
        self._standing.take(figures)
        self._standing.show_figures()

    # A reply's beginning and end

    def _begin(
        self,
        reply: Turn,
        model: AnyModel,
        wishes: Wishes,
        choices: ReplyChoices,
        *,
        begun: Turn | None = None,
    ) -> None:
        """Have `reply`, which is stored, written by the model."""
        from desktop.asking import ask  # nothing is asked before the first paint

        asked = ask(
            self._branch.turns,
            model,
            wishes,
            thinking=choices.thinking,
            begun=begun,
            is_private=self.is_temporary,
        )
        request = self._models.as_recorded(asked.request)
        self._branch.add(reply)
        from desktop.running_reply import RunningReply

        running = RunningReply(request, asked.turns, reply, usual_rate=self._usual_rate(model), clock=self._clock)
        state = self._models.state
        if state.phase is ModelPhase.LOADING and state.config == model:
            running.activity = replace(running.activity, phase=Phase.LOADING, load_fraction=state.fraction)
        self._ongoing.begin(running)
        self._standing.take(Figures())
        self._show_remedies()
        if begun is None:
            self.turn_added.emit(reply)
        else:
            self.turns_replaced.emit()
        self._ongoing.show_activity()
        self._standing.show_figures()
        running.submit()
        try:
            self._engine.generate(request)
        except EngineClosed as error:
            self.on_event(inference.GenerationFailed(request.id, error))

    def _on_ended(self, turn: Turn, trace: inference.Trace | None) -> None:
        self._branch.change(turn)
        self._ongoing.end(turn, trace)
        self._totals = None
        self._standing.take(figures_of(turn, trace))
        self.turn_changed.emit(turn)
        self._ongoing.show_activity()
        self._standing.show_figures()
        self._show_remedies()

    def _usual_rate(self, model: AnyModel) -> float | None:
        """At which this model read its last prompts: a server says itself how far it is, where it does."""
        if isinstance(model, RemoteModel):
            return None
        try:
            return self._store.prefill_rate(model.path)
        except StoreError:
            return None  # it is a help for the progress alone; what cannot be kept is said when it is kept

    def _origin(self, model: AnyModel, choices: ReplyChoices) -> ReplyOrigin:
        from desktop.turns import ReplyOrigin

        state = self._models.state
        name = state.name if model == state.config else name_of(model)
        return ReplyOrigin(model, name, choices.streaming)

    def _conversation_asked_in(self, title: str) -> int | NewConversation:
        """The one that is open; where there is none yet, a new one."""
        if self._conversation is not None:
            return self._conversation.id
        from desktop.changes import NewConversation

        return NewConversation(title, self._wishes)

    # The shown branch

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
            self.failed.emit(spoken(error))
            return None

    def _may_change(self) -> bool:
        """Whether the conversation can be changed from here now; why not, is said."""
        if self.is_busy:
            return False
        self._ongoing.save()
        if self._conversation is None:
            return True
        try:
            if self._store.conversation(self._conversation.id).head == self._branch.head:
                return True
            # An answer to what is shown would put what was said there out of sight.
            self.outdated.emit(self._went_on_elsewhere())
        except StoreError as error:
            self.failed.emit(spoken(error))
        return False

    def _went_on_elsewhere(self) -> str:
        return self.tr(
            "This conversation went on in another window. Open it again from the list to see it; what you typed stays."
        )

    def _wish(self, changed: Wishes, keep: Callable[[int], object]) -> bool:
        """Have replies made otherwise from now on; whether that is another wish, and could be kept."""
        if changed == self._wishes:
            return False
        try:
            if self._conversation is not None:
                keep(self._conversation.id)
        except StoreError as error:
            self.failed.emit(spoken(error))
            return False
        self._wishes = changed
        return True

    # Showing

    def _connect(self) -> None:
        ongoing = self._ongoing
        ongoing.grew.connect(self.reply_grew)
        ongoing.thought_grew.connect(self.thought_grew)
        ongoing.turns_left_out.connect(self.turns_left_out)
        ongoing.activity_changed.connect(self.activity_changed)
        ongoing.progressed.connect(self._on_progress)
        ongoing.ended.connect(self._on_ended)

    def _show_other_branch(self) -> None:
        self.turns_replaced.emit()
        self._show_what_follows()

    def _show_what_follows(self) -> None:
        """Another turn is the last: its figures, and what can be done about it."""
        self._attempt(self._standing.read_last_turn)
        self._standing.show_figures()
        self._show_remedies()

    def _show_remedies(self) -> None:
        self._standing.judge(None if self.is_busy else self._wishes.window_policy)
