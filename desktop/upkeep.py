"""What Preferences does beyond the settings: it asks for devices, forgets servers with their keys, ends all data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal

from desktop.devices import Devices, DevicesListed
from desktop.secrets import Keys, KeysKept
from desktop.settings import SettingsFile
from inference import RemoteModel


@dataclass(frozen=True, slots=True)
class Folders:
    """Where things are: conversations, settings, what was measured; and model files, unless another folder is
    chosen."""

    data: Path
    models: Path


class Upkeep(QObject):
    """Asks the machine and the keyring, and takes away what is not wanted any more."""

    devices_listed = Signal(object)  # tuple of Device
    keys_kept = Signal(object)  # KeyPlace
    deletion_wanted = Signal()  # of everything this program keeps; it ends with that

    def __init__(
        self,
        settings: SettingsFile,
        keys: Keys,
        folders: Folders,
        devices: Devices,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._keys = keys
        self._folders = folders
        self._devices = devices

    @property
    def data_folder(self) -> Path:
        return self._folders.data

    @property
    def models_folder(self) -> Path:
        """Where model files are put and looked for."""
        chosen = self._settings.current.models_folder
        return Path(chosen) if chosen else self._folders.models

    def look(self) -> None:
        """Find out what there is to compute on, and where keys are kept."""
        self._devices.look()
        self._keys.look_for_keyring()

    def remove_server(self, model: RemoteModel) -> None:
        """Know this model of a server no longer; with the last one of a server its key goes, too."""
        current = self._settings.current
        left = tuple(known for known in current.servers if known != model)
        still_used = current.use_server and bool(left) and current.servers[:1] != (model,)
        self._settings.save(replace(current, servers=left, use_server=still_used))
        if all(known.base_url != model.base_url for known in left):
            self._keys.forget(model.base_url)

    def open_data_folder(self) -> bool:
        """Show the folder where the system shows folders; whether it could."""
        from PySide6.QtGui import QDesktopServices

        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folders.data)))

    def delete_everything(self) -> None:
        """Have all conversations, settings and keys deleted, and the program end."""
        self.deletion_wanted.emit()

    def on_devices_listed(self, listed: DevicesListed) -> None:
        """Take what there is to compute on."""
        self.devices_listed.emit(listed.devices)

    def on_keys_kept(self, kept: KeysKept) -> None:
        """Take where keys are kept."""
        self.keys_kept.emit(kept.place)
