"""What can go wrong in the engine.

InferenceError                 the world's fault; str(error) is a sentence for the person
├── InvalidRequest             a request that makes no sense (also a ValueError)
├── ModelError                 something about a model file
│   ├── ModelNotFound          no such file
│   ├── ModelUnreadable        not a GGUF file, or damaged, or cut short
│   ├── ModelUnsupported       a file of a kind this engine cannot chat with
│   ├── OutOfMemory            the model or its KV cache does not fit
│   ├── DeviceNotFound         it was to run on a device that is not here
│   ├── ModelChanged           its file was to be written into while it was in use
│   └── ModelCrashed           llama.cpp died over it, in a process of its own where it was tried first
├── ServerError                something about a server (`server_errors`)
├── HubError                   something about the Hugging Face Hub, or a download (`hub_errors`)
├── ProcessorTooOld            this build of llama.cpp was made for newer processors
├── TemplateFailed             the model's chat template refused the conversation
├── GrammarRefused             a grammar or JSON schema that replies cannot be held to
├── PromptTooLong              the prompt alone does not fit the context window
├── GenerationBroke            llama.cpp refused to go on
├── MemoryShort                memory ran out in the middle of something
├── EngineClosed               the engine was closed first
└── EngineFault                our fault: an exception nobody foresaw, with its report

Each holds its facts as attributes and survives pickling: the facts are the constructor's arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from inference.sentences import Sentence, ended, size_text


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
        return Sentence("There is no model file at {path}. Check the path, or choose another model.", path=self.path)


class ModelUnreadable(ModelError):
    """Not a GGUF file, or a damaged one; `reason` says what is wrong with it."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence("{name} cannot be read as a model: {reason}", name=self.path.name, reason=self.reason)


class ModelChanged(ModelError):
    """Something was about to write into the file while it was in use, so what it was used for ended there."""

    def __str__(self) -> str:
        return Sentence(
            "Another program writes into {name}, so this ends here. When it is done, try again: the model is loaded"
            " anew.",
            name=self.path.name,
        )


class ProcessorTooOld(InferenceError):
    """This build of llama.cpp was made for newer processors; `lacking` names what this one does not have."""

    def __init__(self, lacking: tuple[str, ...]) -> None:
        super().__init__(lacking)
        self.lacking = lacking

    def __str__(self) -> str:
        names = ", ".join(name.upper() for name in self.lacking)
        return Sentence(
            "This processor lacks {names}, which this build of Headwater needs to run models. Choose a server's"
            " model, or build it from the source code: that fits the processor it is made on.",
            names=names,
        )


class ModelUnsupported(ModelError):
    """A sound file that this engine cannot chat with; `reason` says why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "{name} cannot be used for chat: {reason} Choose another model.", name=self.path.name, reason=self.reason
        )


class OutOfMemory(ModelError):
    """The model or its KV cache does not fit; `needed` is in bytes where known, `context_size` in tokens."""

    def __init__(self, path: Path, context_size: int | None = None, needed: int | None = None) -> None:
        super().__init__(path, context_size, needed)
        self.context_size = context_size
        self.needed = needed

    def __str__(self) -> str:
        size = {"name": self.path.name, "context_size": self.context_size, "needed": size_text(self.needed or 0)}
        match self.context_size is not None, self.needed is not None:
            case False, False:  # the weights alone are too much, and so below
                return Sentence(
                    "{name} does not fit into memory. Choose a smaller model, or close other programs and try again.",
                    **size,
                )
            case False, True:
                return Sentence(
                    "{name} does not fit into memory (about {needed} needed). Choose a smaller model, or close other"
                    " programs and try again.",
                    **size,
                )
            case True, False:
                return Sentence(
                    "{name} does not fit into memory with a context window of {context_size:,} tokens. Choose a smaller"
                    " window or a smaller model.",
                    **size,
                )
            case _:
                return Sentence(
                    "{name} does not fit into memory with a context window of {context_size:,} tokens (about"
                    " {needed} needed besides its weights). Choose a smaller window or a smaller model.",
                    **size,
                )


class DeviceNotFound(ModelError):
    """There is no device called `device`; `offered` are those that there are."""

    def __init__(self, path: Path, device: str, offered: tuple[str, ...] = ()) -> None:
        super().__init__(path, device, offered)
        self.device = device
        self.offered = offered

    def __str__(self) -> str:
        others = _either(self.offered) if self.offered else Sentence("another device")
        return Sentence(
            "{name} was to run on {device}, which is not here. Choose {others}.",
            name=self.path.name,
            device=self.device,
            others=others,
        )


class ModelCrashed(ModelError):
    """llama.cpp died over a file that was tried in a process of its own; this program goes on.

    `outcome` says how it ended, `lines` are the last it wrote. What may go better: a window of `smaller_context`
    tokens, or the CPU where `was_on_gpu`.
    """

    def __init__(
        self,
        path: Path,
        outcome: str,
        lines: tuple[str, ...] = (),
        smaller_context: int | None = None,
        was_on_gpu: bool = False,  # noqa: FBT001, FBT002 - unpickled by position
    ) -> None:
        super().__init__(path, outcome, lines, smaller_context, was_on_gpu)
        self.outcome = outcome
        self.lines = lines
        self.smaller_context = smaller_context
        self.was_on_gpu = was_on_gpu

    def __str__(self) -> str:
        said = Sentence(" Its last line: {line}.", line=self.lines[-1].rstrip(".")) if self.lines else ""
        ways = [Sentence("the CPU")] if self.was_on_gpu else []
        if self.smaller_context is not None:
            ways.append(Sentence("a window of {size:,} tokens", size=self.smaller_context))
        way = Sentence(" Try {ways}.", ways=_either(ways)) if ways else Sentence(" Choose another model.")
        return Sentence(
            "llama.cpp cannot run {name}: tried in a process of its own, {outcome}.{said}{way}",
            name=self.path.name,
            outcome=self.outcome,
            said=said,
            way=way,
        )


class TemplateFailed(InferenceError):
    """The chat template of a model refused the conversation; `reason` is the template's own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The model's chat template cannot render this conversation: {reason} Try another template or model.",
            reason=ended(self.reason),
        )


class GrammarRefused(InferenceError):
    """A grammar or JSON schema that replies cannot be held to; `reason` is its reader's own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The reply cannot be held to this grammar: {reason} Change it, or ask without it.",
            reason=ended(self.reason),
        )


class PromptTooLong(InferenceError):
    """The prompt needs more tokens than the context window holds; `droppable` messages could be left out of it."""

    def __init__(self, needed: int, context_size: int, droppable: int = 0) -> None:
        super().__init__(needed, context_size, droppable)
        self.needed = needed
        self.context_size = context_size
        self.droppable = droppable

    def __str__(self) -> str:
        if self.droppable:
            return Sentence(
                "This conversation needs {needed:,} tokens; the window holds {context_size:,}. Leave out the oldest"
                " turns, or use a larger window.",
                needed=self.needed,
                context_size=self.context_size,
            )
        return Sentence(
            "This conversation needs {needed:,} tokens; the window holds {context_size:,}. Shorten it, or use a larger"
            " window.",
            needed=self.needed,
            context_size=self.context_size,
        )


class GenerationBroke(InferenceError):
    """llama.cpp refused to go on in the middle of a generation; `reason` is its own word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return Sentence(
            "The engine could not go on: {reason} Try again; if that does not help, load the model anew.",
            reason=ended(self.reason),
        )


class EngineClosed(InferenceError):
    """The engine was closed before the request could be answered."""

    def __str__(self) -> str:
        return Sentence("The engine was closed before this could be answered. Ask again once it runs.")


class MemoryShort(InferenceError):
    """Memory ran out in the middle of something that was to be done."""

    def __str__(self) -> str:
        return Sentence(
            "There is too little memory to go on. Close other programs, then try again; if that does not help, start"
            " Headwater again."
        )


class EngineFault(InferenceError):
    """An exception nobody foresaw inside the engine; `report` is its traceback as text."""

    def __init__(self, summary: str, report: str) -> None:
        super().__init__(summary, report)
        self.summary = summary
        self.report = report

    def __str__(self) -> str:
        summary = self.summary.rstrip(".")
        return Sentence(
            "Something went wrong inside Headwater's engine: {summary}. Try again, and report it if it comes back.",
            summary=summary,
        )


def later_in_words(seconds: float | None) -> Sentence:
    """When to try again: "later", or "in 30 seconds"."""
    if seconds is None:
        return Sentence("later")
    return Sentence("in 1 second") if round(seconds) == 1 else Sentence("in {seconds:,.0f} seconds", seconds=seconds)


def _either(ways: Sequence[str]) -> str:
    """One of them: "the CPU or a window of 2,048 tokens"."""
    said = ways[0]
    for way in ways[1:]:
        said = Sentence("{one} or {other}", one=said, other=way)
    return said
