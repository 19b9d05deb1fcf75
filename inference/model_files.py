"""The model files on this disk: what they say of themselves, and which can be chatted with.

What llama.cpp would end the process over is found here, by a file's header, before llama.cpp is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inference.errors import ModelError, ModelUnreadable, ModelUnsupported
from inference.gguf_header import MOST_LAYERS, GgufFacts, part_name, read_facts
from inference.model_names import display_name
from inference.sentences import Sentence, size_text

_MOST_EXPERTS = 1024  # llama.cpp aborts beyond
_ROPE_SCALINGS = ("none", "linear", "yarn", "longrope")

_EMBEDDING = Sentence("It turns text into embeddings and writes none.")
_PROJECTOR = Sentence("It is the projector of a model that sees; open the model itself.")
_SPEECH = Sentence("It makes sound, not text.")
_REFUSED_ARCHITECTURES = {
    "clip": _PROJECTOR,
    "mmproj": _PROJECTOR,
    "bert": _EMBEDDING,
    "nomic-bert": _EMBEDDING,
    "nomic-bert-moe": _EMBEDDING,
    "neo-bert": _EMBEDDING,
    "jina-bert-v2": _EMBEDDING,
    "jina-bert-v3": _EMBEDDING,
    "modern-bert": _EMBEDDING,
    "eurobert": _EMBEDDING,
    "gemma-embedding": _EMBEDDING,
    "llama-embed": _EMBEDDING,
    "t5encoder": _EMBEDDING,
    "t5": Sentence("It has an encoder of its own, which this engine does not run."),
    "wavtokenizer-dec": _SPEECH,
}
_REFUSED_TYPES = {
    "adapter": Sentence("It is an adapter for another model, not a model."),
    "mmproj": _PROJECTOR,
    "vocab": Sentence("It holds a vocabulary and no model."),
    "imatrix": Sentence("It holds measurements for quantising, not a model."),
}


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A model file as it describes itself, without loading it. Texts are "" and numbers 0 where it says nothing.

    `title` is the file's own name for the model, `size_label` its maker's word for its size ("135M"), `file_size` is in
    bytes over all its `parts`; `refusal` says why it cannot be chatted with.
    """

    path: Path
    name: str
    title: str
    architecture: str
    size_label: str
    quantisation: str
    parameters: int
    file_size: int
    parts: int
    training_context: int
    licence: str
    chat_template: str | None
    refusal: str = ""


def describe(path: Path) -> ModelFacts:
    """What the file at `path` says of itself. Reads its header: milliseconds, a third of a second for the largest
    vocabularies.

    Raises:
        ModelNotFound: there is no such file.
        ModelUnreadable: it is no GGUF file, its header is damaged, or a part of it is missing.
    """
    facts = read_facts(path)
    return ModelFacts(
        path=path,
        name=display_name(path),
        title=facts.title,
        architecture=facts.architecture,
        size_label=facts.size_label,
        quantisation=facts.quantisation,
        parameters=facts.parameters,
        file_size=facts.file_size,
        parts=len(facts.parts),
        training_context=facts.training_context,
        licence=facts.licence,
        chat_template=facts.chat_template,
        refusal=next(map(str, _refusals(facts)), ""),
    )


def check_file(path: Path) -> GgufFacts:
    """`read_facts` of a file that llama.cpp can be asked to load without harm.

    Raises:
        ModelNotFound: there is no such file.
        ModelUnreadable: it is no GGUF file, or damaged, or cut short.
        ModelUnsupported: it is no model that one can chat with.
    """
    facts = read_facts(path)
    for refusal in _refusals(facts):
        raise refusal
    return facts


def refusal_at_a_glance(facts: GgufFacts) -> str:
    """Why a file cannot be chatted with, as far as the head of its header tells; "" where it may well be."""
    kind = _REFUSED_TYPES.get(facts.text("general.type"), "")
    return kind or _REFUSED_ARCHITECTURES.get(facts.architecture, "")


def _refusals(facts: GgufFacts) -> Iterator[ModelError]:
    """All that speaks against a file, the most telling first."""
    for reason in _why_refused(facts):
        yield ModelUnsupported(facts.path, reason)
    for reason in _why_damaged(facts):
        yield ModelUnreadable(facts.path, reason)
    for part in facts.parts:
        if part.expected_size is not None and part.size < part.expected_size:
            expected, found = size_text(part.expected_size), size_text(part.size)
            reason = Sentence(
                "This file ends before its last tensor (expected {expected}, found {found}). Download it again.",
                expected=expected,
                found=found,
            )
            yield ModelUnreadable(part.path, reason)


def _why_refused(facts: GgufFacts) -> Iterator[str]:
    """Why a sound file is none to chat with."""
    if (kind := facts.text("general.type")) in _REFUSED_TYPES:
        yield _REFUSED_TYPES[kind]
    if facts.architecture in _REFUSED_ARCHITECTURES:
        yield _REFUSED_ARCHITECTURES[facts.architecture]
    number, count = (facts.metadata.get(f"split.{name}") for name in ("no", "count"))
    if isinstance(number, int) and isinstance(count, int) and number > 0:
        first = part_name(facts.path, 1, count)
        place = {"number": number + 1, "count": count}
        if first:
            yield Sentence(
                "It is part {number} of {count} of a model. Open the first one: {first}.", first=first, **place
            )
        else:
            yield Sentence("It is part {number} of {count} of a model. Open the first one.", **place)
    if not facts.tensor_count:
        yield _REFUSED_TYPES["vocab"]
    if facts.number("pooling_type") > 0:
        yield _EMBEDDING
    if facts.metadata.get(f"{facts.architecture}.attention.causal") is False:
        yield Sentence("It does not write one token after another.")
    if not facts.vocabulary_size:
        yield Sentence("It has no vocabulary.")


def _why_damaged(facts: GgufFacts) -> Iterator[str]:
    """What no model has, and llama.cpp aborts over."""
    layers, experts, used = (facts.number(name) for name in ("block_count", "expert_count", "expert_used_count"))
    if not 0 < layers <= MOST_LAYERS:
        claimed = {"layers": layers, "most": MOST_LAYERS}
        yield Sentence("It claims to have {layers:,} layers; 1 to {most} are possible.", **claimed)
    if facts.number("nextn_predict_layers") > layers:
        yield Sentence("It claims more layers for looking ahead than it has layers.")
    if experts > _MOST_EXPERTS or used > experts or (experts and not _uses_experts(facts)):
        yield Sentence("It claims to use {used:,} of {experts:,} experts.", used=used, experts=experts)
    if not _groups_fit(facts):
        yield Sentence("Its experts do not go into the groups it claims.")
    scaling = facts.metadata.get(f"{facts.architecture}.rope.scaling.type", "none")
    if scaling not in _ROPE_SCALINGS:
        yield Sentence("It names a position scaling that does not exist: {scaling}.", scaling=scaling)
    if facts.repeated_token is not None:
        yield Sentence("Its vocabulary lists {token!r} twice.", token=facts.repeated_token)


def _uses_experts(facts: GgufFacts) -> bool:
    by_layer = facts.by_layer.get(f"{facts.architecture}.expert_used_count", ())
    return 0 < max(by_layer, default=facts.number("expert_used_count")) <= facts.number("expert_count")


def _groups_fit(facts: GgufFacts) -> bool:
    experts, groups, used = (
        facts.number(name) for name in ("expert_count", "expert_group_count", "expert_group_used_count")
    )
    if groups <= 1:
        return groups == 0 or experts > groups
    return groups < experts and experts % groups == 0 and 0 < used < groups
