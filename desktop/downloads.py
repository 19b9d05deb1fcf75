"""What is being fetched, for the window: the queue, made when it is first needed, and the machine kept awake for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

import inference
from desktop.errands import Errands, Post
from desktop.settings import Settings, SettingsFile
from desktop.spoken import spoken
from inference import HubError, InferenceError

if TYPE_CHECKING:
    from inference.hub import Download, Downloads, HubModel, HubRepo, HubSession

_LIST_NAME = "downloads.json"  # see inference.hub.LIST_NAME; asked for before anything of the Hub is loaded


class Holder(Protocol):
    """What holds off sleep."""

    def hold(self) -> None: ...
    def release(self) -> None: ...


class DownloadQueue(QObject):
    """Follows the downloads into the folder for models."""

    changed = Signal(object)  # Download
    removed = Signal(str)  # its id
    finished = Signal(object)  # Download that is a model now
    emptied = Signal()  # another folder's downloads are shown
    failed = Signal(str)  # a sentence

    def __init__(
        self,
        post: Callable[[Post], None],
        session: Callable[[], HubSession],
        folder: Callable[[], Path],
        settings: SettingsFile,
        holder: Holder,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._post = post
        self._errands = Errands(post)
        self._session = session
        self._folder = folder
        self._settings = settings
        self._holder = holder
        self._queue: Downloads | None = None
        self._shown: dict[str, Download] = {}
        self._aside: dict[str, bool] = {}  # ids of those that may be wanted back; whether they go on then
        self._is_closed = False
        settings.listen(self._on_settings)

    @property
    def all(self) -> tuple[Download, ...]:
        """Every download, in the order they are fetched in."""
        return tuple(download for download in self._shown.values() if download.id not in self._aside)

    def look(self) -> None:
        """Go on with what was not finished, if there is anything."""
        if self._queue is None and (self._folder() / _LIST_NAME).is_file():
            # What it takes is loaded in the background: a quarter of a second.
            self._errands.send("downloads", lambda _: inference.hub.Downloads, self._go_on, _never)

    def of_path(self, path: Path) -> Download | None:
        """The download that will be at this path."""
        return next((download for download in self._shown.values() if download.path == path), None)

    def add(self, repo: HubRepo, model: HubModel) -> Download:
        """Fetch a model; where downloads wait for a word, it waits."""
        download = self._open().add(repo, model, begins=not self._settings.current.downloads_wait)
        self.take_back(download.id)
        return download

    def pause(self, download_id: str) -> None:
        if self._queue is not None:
            self._queue.pause(download_id)

    def resume(self, download_id: str) -> None:
        if self._queue is not None:
            self._queue.resume(download_id)

    def remove(self, download_id: str) -> None:
        """Stop it and throw away what was fetched; one that is done stays on the disk."""
        if self._queue is None:
            return
        try:
            self._queue.remove(download_id)
        except HubError as error:
            self.failed.emit(spoken(error))

    def put_aside(self, download_id: str) -> Download | None:
        """Stop it and show it no longer, but keep what was fetched until `throw_out`; `None` where nothing is lost by
        removing it, which is done. If the program ends before, it is there again."""
        download = self._shown.get(download_id)
        if download is None or not download.received or download.state is inference.hub.DownloadState.DONE:
            self.remove(download_id)
            return None
        states = inference.hub.DownloadState
        self._aside[download_id] = download.state not in (states.PAUSED, states.FAILED)
        self.pause(download_id)
        self.removed.emit(download_id)
        return download

    def take_back(self, download_id: str) -> None:
        """Go on with one that was put aside, if it would."""
        goes_on = self._aside.pop(download_id, None)
        if goes_on is not None:
            self.changed.emit(self._shown[download_id])
            if goes_on:
                self.resume(download_id)

    def throw_out(self, download_id: str) -> None:
        """Throw away what was fetched of one that was put aside, if nobody took it back."""
        if self._aside.pop(download_id, None) is not None:
            self.remove(download_id)

    def close(self) -> None:
        """Stop, and keep what was fetched."""
        self._is_closed = True
        self._errands.close()
        if self._queue is not None:
            self._queue.close()
            self._queue = None
        self._holder.release()

    def _open(self) -> Downloads:
        if self._queue is None:
            queue_of: list[Downloads] = []
            take = partial(self._tell, queue_of)
            goes_on = not self._settings.current.downloads_wait
            queue = inference.hub.Downloads(self._folder(), self._session, take, goes_on=goes_on)
            queue_of.append(queue)
            self._queue = queue
            for download in queue.all:
                self._take(queue_of, download)
        return self._queue

    def _go_on(self, _loaded: type[Downloads]) -> None:
        if not self._is_closed:
            self._open()

    def _tell(self, queue_of: list[Downloads], told: Download | str) -> None:
        """On any thread."""
        self._post(Post(partial(self._take, queue_of, told)))

    def _take(self, queue_of: list[Downloads], told: Download | str) -> None:
        if self._is_closed or queue_of[:1] != [self._queue]:
            return  # of a folder that is no longer the one
        if isinstance(told, str):
            self._shown.pop(told, None)
            self._aside.pop(told, None)
            self.removed.emit(told)
        else:
            before = self._shown.get(told.id)
            self._shown[told.id] = told
            if told.id not in self._aside:
                self.changed.emit(told)
            done = inference.hub.DownloadState.DONE
            if told.state is done and (before is None or before.state is not done):
                self.finished.emit(told)
        self._hold_or_release()

    def _hold_or_release(self) -> None:
        if any(download.state.is_active for download in self._shown.values()):
            self._holder.hold()
        else:
            self._holder.release()

    def _on_settings(self, before: Settings, after: Settings) -> None:
        if after.models_folder == before.models_folder or self._is_closed:
            return
        if self._queue is not None:
            # It may wait a moment for the net; the window does not.
            threading.Thread(target=self._queue.close, name="old downloads", daemon=True).start()
            self._queue = None
        self._shown.clear()
        self._aside.clear()
        self._holder.release()
        self.emptied.emit()
        self.look()


def _never(_error: InferenceError) -> None:
    """To load a module is nothing that the world can refuse."""
