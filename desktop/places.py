"""Where the program keeps things."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from inference import EngineFiles

_NAME = "Headwater"
_CONVERSATIONS = "conversations.sqlite3"
_SETTINGS = "settings.toml"
_STATES = "kv-states"


@dataclass(frozen=True, slots=True)
class Places:
    """Files and folders of one person, or of one run that leaves nothing."""

    conversations: Path
    settings: Path
    states: Path | None = None  # KV states of conversations that were left; nowhere on disk without it
    engine: EngineFiles | None = None  # what the engine of this machine measures and logs; nowhere without it
    models: Path | None = None  # model files, where no other folder is chosen; beside the conversations without it
    home: Path | None = None  # where other programs keep their models; the person's own home without it

    @classmethod
    def usual(cls) -> Places:
        """Where this person's programs keep such things. What may be deleted at any time belongs into the cache."""
        from platformdirs import user_cache_path, user_config_path, user_data_path

        find = (user_data_path, user_config_path, user_cache_path)
        data, settings, cache = (folder(_NAME, appauthor=False) for folder in find)
        return cls(data / _CONVERSATIONS, settings / _SETTINGS, cache / _STATES, EngineFiles.usual())

    @classmethod
    def within(cls, folder: Path) -> Places:
        """All of them in one folder."""
        return cls(folder / _CONVERSATIONS, folder / _SETTINGS, folder / _STATES, EngineFiles.within(folder))

    @classmethod
    def passing(cls, folder: Path) -> Places:
        """In a folder that is soon gone: nothing is learned there for later."""
        return cls(folder / _CONVERSATIONS, folder / _SETTINGS)

    @property
    def data(self) -> Path:
        """The folder of the conversations, and of all that is kept beside them."""
        return self.conversations.parent

    @property
    def locks(self) -> Path:
        """By what is held in it, processes know of each other."""
        return self.data / "locks"

    @property
    def model_facts(self) -> Path:
        """What is known of model files."""
        return self.data / "models.json"
