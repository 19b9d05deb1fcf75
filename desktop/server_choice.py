"""A server that is asked for its models, until one of them is chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

import inference
from desktop.conversations import FailureKind
from desktop.model_choice import ModelLoader
from desktop.remedies import failure_of
from desktop.secrets import KeyPlace, Keys, KeysKept
from desktop.spoken import spoken
from inference import InvalidRequest, RemoteModel, base_url_of

_THIS_MACHINE = ("localhost", "127.", "[::1]")


class ServerPhase(StrEnum):
    """How far the question is."""

    IDLE = "idle"
    ASKING = "asking"
    OFFERED = "offered"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ServerState:
    """What is known of the server. `keys_kept` says where a key for it is kept, once that is known."""

    phase: ServerPhase = ServerPhase.IDLE
    base_url: str = ""
    offered: tuple[str, ...] = ()
    error: str = ""
    wants_key: bool = False
    keys_kept: KeyPlace | None = None


class ServerChoice(QObject):
    """Asks one server at a time. Choosing one of its models is the model choice's business."""

    changed = Signal(object)  # ServerState

    def __init__(self, engine: ModelLoader, keys: Keys, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._keys = keys
        self._state = ServerState()
        self._key_is_new = False

    @property
    def state(self) -> ServerState:
        return self._state

    def begin(self) -> None:
        """Somebody is about to name a server."""
        self._become(ServerState(keys_kept=self._state.keys_kept))
        if self._state.keys_kept is None:
            self._keys.look_for_keyring()

    def ask(self, address: str, key: str = "") -> None:
        """Ask the server at this address for its models. Without a new key the one it had before goes along."""
        try:
            base_url = base_url_of(_whole(address))
        except InvalidRequest as error:
            self._fail(spoken(error))
            return
        self._key_is_new = bool(key.strip())
        if self._key_is_new:
            self._keys.use(base_url, key.strip())
        self._become(ServerState(ServerPhase.ASKING, base_url, keys_kept=self._state.keys_kept))
        self._engine.load(RemoteModel(base_url))

    def on_event(self, event: inference.RemoteModelEvent) -> None:
        """Take a server's answer, where it is this one's."""
        if self._state.phase is not ServerPhase.ASKING:
            return
        match event:
            case inference.RemoteModelReady(info, offered) if info.config.base_url == self._state.base_url:
                if self._key_is_new:
                    self._keys.keep(self._state.base_url)  # now that the server has taken it
                self._become(replace(self._state, phase=ServerPhase.OFFERED, offered=offered))
            case inference.RemoteModelFailed(model, error) if model == RemoteModel(self._state.base_url):
                self._fail(spoken(error), wants_key=failure_of(error).kind is FailureKind.KEY_REFUSED)
            case _:
                pass

    def on_keys_kept(self, kept: KeysKept) -> None:
        """Take where keys are kept."""
        self._become(replace(self._state, keys_kept=kept.place))

    def _fail(self, sentence: str, *, wants_key: bool = False) -> None:
        failed = replace(self._state, phase=ServerPhase.FAILED, offered=(), error=sentence, wants_key=wants_key)
        self._become(failed)

    def _become(self, state: ServerState) -> None:
        self._state = state
        self.changed.emit(state)


def _whole(address: str) -> str:
    """An address as it was meant: a scheme is mostly left out."""
    address = address.strip()
    if not address or "://" in address:
        return address
    return ("http://" if address.lower().startswith(_THIS_MACHINE) else "https://") + address
