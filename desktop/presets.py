"""Named system prompts and samplings, for any conversation to take."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.keepsakes import Preset
from desktop.spoken import spoken
from desktop.store import Store, StoreError


class Presets(QObject):
    """Those that there are."""

    changed = Signal()
    deleted = Signal(object)  # Preset: `save` brings it back
    failed = Signal(str)  # a sentence for the person

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store

    def all(self) -> tuple[Preset, ...]:
        """In the order of their names."""
        try:
            return self._store.presets()
        except StoreError as error:
            self.failed.emit(spoken(error))
            return ()

    def save(self, preset: Preset) -> None:
        """Keep a preset, in place of one of the same name."""
        try:
            self._store.save_preset(preset)
        except StoreError as error:
            self.failed.emit(spoken(error))
        else:
            self.changed.emit()

    def delete(self, preset: Preset) -> None:
        """Have it no longer."""
        try:
            self._store.delete_preset(preset.name)
        except StoreError as error:
            self.failed.emit(spoken(error))
        else:
            self.changed.emit()
            self.deleted.emit(preset)
