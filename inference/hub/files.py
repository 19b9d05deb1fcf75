"""The model files of a repository, put together: parts of one model, quantisations, projectors apart."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PART = re.compile(r"-(\d{5})-of-(\d{5})$")
# The word for a quantisation is the last of its kind in a name: Q4_K_M, IQ3_XXS, BF16, MXFP4, UD-Q4_K_XL.
_QUANTISATION = re.compile(
    r"(?:^|[-._])((?:UD-)?(?:I?Q\d+(?:_[A-Z0-9]+)*|TQ\d_\d|BF16|F16|F32|MXFP4(?:_MOE)?))(?=$|[-._])", re.IGNORECASE
)
_PROJECTORS = ("mmproj",)
_MATRICES = ("imatrix",)
MODEL_SUFFIX = ".gguf"
# Windows has them in every folder.
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\..*)?", re.IGNORECASE)
_FORBIDDEN = frozenset('\\:*?"<>|\0')


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository. `sha256` is the Hub's own figure; "" where it gives none."""

    path: str
    size: int  # bytes
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model of a repository as one file or several `parts`. `name` is what the file is called without its suffix."""

    name: str
    quantisation: str  # "" where its name tells none
    files: tuple[HubFile, ...]
    is_projector: bool = False
    is_whole: bool = True  # whether every part is there

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.size for file in self.files)

    @property
    def path(self) -> str:
        """Of the file that is opened: the first."""
        return self.files[0].path


def models_in(files: Iterable[HubFile]) -> tuple[HubModel, ...]:
    """Every model among `files`, the smallest first, projectors last. What is no model is left out."""
    groups: dict[str, list[tuple[int, int, HubFile]]] = {}
    for file in files:
        if not file.path.lower().endswith(MODEL_SUFFIX):
            continue
        stem = file.path[: -len(MODEL_SUFFIX)]
        if any(word in stem.rpartition("/")[2].lower() for word in _MATRICES):
            continue
        part = _PART.search(stem)
        number, count = (int(part[1]), int(part[2])) if part else (1, 1)
        groups.setdefault(stem[: part.start()] if part else stem, []).append((number, count, file))
    models = [_model(stem, parts) for stem, parts in groups.items()]
    return tuple(sorted(models, key=lambda model: (model.is_projector, model.size, model.name)))


def quantisation_of(name: str) -> str:
    """The quantisation that a file's name tells; "" where it tells none."""
    found = _QUANTISATION.findall(name)
    return found[-1].upper() if found else ""


def is_inside(path: str) -> bool:
    """Whether a file of this path can be put into a folder and stays inside it, on every system."""
    can_be = path.isprintable() and not set(path) & _FORBIDDEN
    return can_be and not leads_outside(path) and not any(_is_another(word) for word in path.split("/"))


def leads_outside(path: str) -> bool:
    """Whether a path is none within a folder, which no honest repository has."""
    return any(word in ("", ".", "..") for word in path.replace("\\", "/").split("/"))


def nearest(models: Iterable[HubModel], path: str) -> HubModel | None:
    """The model at `path`; where it is gone, the one of the same quantisation, else the one whose weights take about as
    many bits."""
    usable = [model for model in models if model.is_whole and not model.is_projector]
    wanted = quantisation_of(path.rpartition("/")[2])
    for model in usable:
        if path in (file.path for file in model.files):
            return model
    alike = [model for model in usable if wanted and model.quantisation == wanted]
    if alike:
        return alike[0]
    ranked = [model for model in usable if _bits(model.quantisation)]
    return min(ranked, key=lambda model: abs(_bits(model.quantisation) - (_bits(wanted) or 4.8)), default=None)


def _model(stem: str, parts: list[tuple[int, int, HubFile]]) -> HubModel:
    parts.sort(key=lambda part: part[0])
    name = stem.rpartition("/")[2]
    return HubModel(
        name=name,
        # Some repositories keep each quantisation in a folder of that name.
        quantisation=quantisation_of(name) or quantisation_of(stem.rpartition("/")[0].rpartition("/")[2]),
        files=tuple(file for _, _, file in parts),
        is_projector=any(word in name.lower() for word in _PROJECTORS),
        is_whole=[number for number, _, _ in parts] == list(range(1, parts[0][1] + 1)),
    )


def _bits(quantisation: str) -> float:
    """About how many bits a weight takes, to compare; 0 where the name tells nothing."""
    word = quantisation.removeprefix("UD-")
    match word:
        case "F32":
            return 32.0
        case "BF16" | "F16":
            return 16.0
        case _ if word.startswith("MXFP4"):
            return 4.25
    digits = re.search(r"\d+", word)
    if digits is None:
        return 0.0
    by_size = {"XXS": -0.4, "XS": -0.2, "S": 0.0, "M": 0.3, "L": 0.5, "XL": 0.6}
    return float(digits[0]) + 0.5 + by_size.get(word.rpartition("_")[2], 0.0)


def _is_another(name: str) -> bool:
    """Whether Windows opens something else under this name: a device, or what is called so without its end."""
    return _DEVICE.fullmatch(name) is not None or name.endswith((" ", "."))
