"""A repository of the Hub, and how those that a search finds are sorted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

# By the name of the architecture or of the repository: "qwen3moe", "8x7B", "30B-A3B".
_MIXTURE = re.compile(
    r"moe|mixtral|\d+x\d+(\.\d+)?b|-a\d+(\.\d+)?b\b|gpt-?oss|llama-?4\b|deepseek2|dbrx|grok", re.IGNORECASE
)


class HubOrder(StrEnum):
    """How what a search finds is sorted."""

    DOWNLOADS = "downloads"
    LIKES = "likes"
    RECENT = "last_modified"


@dataclass(frozen=True, slots=True)
class HubRepo:
    """A repository that holds GGUF files. Numbers are 0 and texts "" where the Hub says nothing.

    `licence` is its tag ("apache-2.0"), `gated` whether its makers want to be asked first, `commit` the version that
    this is; `parameters`, `architecture` and `training_context` are those of one of its files.
    """

    id: str
    downloads: int = 0
    likes: int = 0
    updated: datetime | None = None
    licence: str = ""
    gated: bool = False
    languages: tuple[str, ...] = ()
    architecture: str = ""
    parameters: int = 0
    training_context: int = 0
    commit: str = ""
    is_for_chat: bool = True  # as far as its task tells

    @property
    def is_mixture(self) -> bool:
        """Whether only some weights are read for each token, as far as its names tell."""
        return _MIXTURE.search(f"{self.architecture} {self.name}") is not None

    @property
    def owner(self) -> str:
        return self.id.partition("/")[0]

    @property
    def name(self) -> str:
        return self.id.partition("/")[2]
