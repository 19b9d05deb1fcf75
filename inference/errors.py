"""What can go wrong in the engine.

InferenceError                 the world's fault; str(error) is a sentence for the person
├── InvalidRequest             a request that makes no sense (also a ValueError)
├── ModelError                 something about a model file
│   ├── ModelNotFound          no such file
│   ├── ModelUnreadable        not a GGUF file, or damaged, or cut short
│   ├── ModelUnsupported       a file of a kind this engine cannot chat with
│   └── OutOfMemory            the model or its KV cache does not fit
├── TemplateFailed             the model's chat template refused the conversation
├── PromptTooLong              the prompt alone does not fit the context window
├── GenerationBroke            llama.cpp refused to go on
├── EngineClosed               the engine was closed first
└── EngineFault                our fault: an exception nobody foresaw, with its report

Each holds its facts as attributes and survives pickling: the facts are the constructor's arguments.
"""

from __future__ import annotations

from pathlib import Path


class InferenceError(Exception):
    """Something that went wrong; `str()` of it is one plain sentence for the person."""


class InvalidRequest(InferenceError, ValueError):
    """A request that makes no sense, whoever is asked."""


class ModelError(InferenceError):
    """Something about a model file; `path` names it."""

    def __init__(self, path: Path, *facts: object) -> None:
        super().__init__(path, *facts)
        self.path = path


class ModelNotFound(ModelError):
    """No file at `path`."""

    def __str__(self) -> str:
        return f"There is no model file at {self.path}."


class ModelUnreadable(ModelError):
    """Not a GGUF file, or a damaged one; `reason` says what is wrong with it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path.name} cannot be read as a model: {self.reason}"


class ModelUnsupported(ModelError):
    """A sound file that this engine cannot chat with; `reason` says why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path.name} cannot be used for chat: {self.reason}"


class OutOfMemory(ModelError):
    """The model or its KV cache does not fit; `needed` is in bytes where known, `context_size` in tokens."""

    def __init__(self, path: Path, context_size: int | None = None, needed: int | None = None) -> None:
        super().__init__(path, context_size, needed)
        self.context_size = context_size
        self.needed = needed

    def __str__(self) -> str:
        what = f"{self.path.name} does not fit into memory"
        if self.context_size is not None:
            what += f" with a context window of {self.context_size:,} tokens"
        if self.needed is not None:
            what += f" (about {self.needed / 1e9:.1f} GB needed)"
        return f"{what}. Choose a smaller window or a smaller model."


class TemplateFailed(InferenceError):
    """The chat template of a model refused the conversation; `reason` is the template's own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"The model's chat template cannot render this conversation: {self.reason}"


class PromptTooLong(InferenceError):
    """The prompt needs more tokens than the context window holds."""

    def __init__(self, needed: int, context_size: int) -> None:
        super().__init__(needed, context_size)
        self.needed = needed
        self.context_size = context_size

    def __str__(self) -> str:
        return (
            f"This conversation needs {self.needed:,} tokens; the window holds {self.context_size:,}. "
            "Shorten it, start a new one, or use a larger window."
        )


class GenerationBroke(InferenceError):
    """llama.cpp refused to go on in the middle of a generation; `reason` is its own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"The engine could not go on: {self.reason}"


class EngineClosed(InferenceError):
    """The engine was closed before the request could be answered."""

    def __str__(self) -> str:
        return "The engine was closed before this could be answered."


class EngineFault(InferenceError):
    """An exception nobody foresaw inside the engine; `report` is its traceback as text."""

    def __init__(self, summary: str, report: str) -> None:
        super().__init__(summary, report)
        self.summary = summary
        self.report = report

    def __str__(self) -> str:
        return f"Something went wrong inside Headwater's engine: {self.summary}"
