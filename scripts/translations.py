"""Brings the files in resources/translations up to date: every text of the program's stands in each of them, and no
other. What is new there waits for its translation, marked as unfinished.

The files are Qt's own (.ts), so that Qt Linguist opens them; the program reads them as they are.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[1]
TRANSLATIONS = ROOT / "resources" / "translations"

_MARKED = {"tr": 0, "_tr": 0, "translate": 1}  # by the name that is called: which argument is the text
_EXAMPLES = "EmptyState"  # shows the texts of resources/texts/examples.toml
_SENTENCES = "Sentence"  # what is said without knowing Qt
_CATALOGUE = "Catalogue"  # in which those of resources/catalogue.toml are shown


@dataclass(frozen=True, slots=True, order=True)
class Text:
    """A text, and the class (or the context that is named) in which it is said."""

    context: str
    source: str


def texts_of_the_program(root: Path = ROOT) -> tuple[Text, ...]:
    """Every text that is shown, in the order of the files."""
    found = [text for path in sorted((root / "desktop").rglob("*.py")) for text in texts_in(path.read_text("utf-8"))]
    examples = tomllib.loads((root / "resources" / "texts" / "examples.toml").read_text("utf-8"))
    for kind in examples.values():
        found += [Text(_EXAMPLES, text) for text in (kind["about"], *kind["prompts"])]
    experiments = tomllib.loads((root / "resources" / "texts" / "lab.toml").read_text("utf-8"))
    found += [Text(_SENTENCES, text) for about in experiments.values() for text in about.values()]
    for model in tomllib.loads((root / "resources" / "catalogue.toml").read_text("utf-8"))["models"]:
        said = (model["good_for"], model["languages"])
        found += [Text(_CATALOGUE, text) for text in said if text and not text.isdigit()]
    for path in modules(root):
        found += [Text(_SENTENCES, source) for source in sentences_in(path.read_text("utf-8"))]
    return tuple(dict.fromkeys(found))


def modules(root: Path = ROOT) -> tuple[Path, ...]:
    """All of the program's."""
    return tuple(path for package in ("desktop", "inference") for path in sorted((root / package).rglob("*.py")))


def texts_in(source: str) -> Iterator[Text]:
    """The texts of one module."""
    tree = ast.parse(source)
    context_of_helper = next(_named_contexts(tree), "")
    yield from _texts_below(tree, "", context_of_helper)


def sentences_in(source: str) -> Iterator[str]:
    """The templates of the sentences that a module makes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and _called(node) == "Sentence":
            match node.args:
                case [ast.Constant(value=str(template)), *_]:
                    yield template
                case _:  # one that is made of what a file or another sentence says
                    pass


def read(path: Path) -> dict[Text, str]:
    """The translations in a file; an empty one is still to be made."""
    root = ET.fromstring(path.read_text("utf-8"))  # noqa: S314 - a file of our own
    return {
        Text(context.findtext("name", ""), message.findtext("source", "")): message.findtext("translation", "")
        for context in root.iter("context")
        for message in context.iter("message")
    }


def write(path: Path, language: str, translations: dict[Text, str]) -> None:
    """Write them in the order of their contexts."""
    root = ET.Element("TS", version="2.1", language=language, sourcelanguage="en")
    contexts: dict[str, ET.Element] = {}
    for text in sorted(translations):
        if text.context not in contexts:
            contexts[text.context] = ET.SubElement(root, "context")
            ET.SubElement(contexts[text.context], "name").text = text.context
        message = ET.SubElement(contexts[text.context], "message")
        ET.SubElement(message, "source").text = text.source
        translation = ET.SubElement(message, "translation")
        translation.text = translations[text]
        if not translations[text]:
            translation.set("type", "unfinished")
    ET.indent(root, "    ")
    body = ET.tostring(root, encoding="unicode")
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', "utf-8")


def main() -> int:
    """Bring all files up to date; returns how many translations are missing, at most 1."""
    texts, missing = texts_of_the_program(), 0
    for path in sorted(TRANSLATIONS.glob("*.ts")):
        known = read(path)
        by_source = {text.source: translation for text, translation in known.items() if translation}
        wanted = {text: known.get(text, "") or by_source.get(text.source, "") for text in texts}
        write(path, path.stem, wanted)
        for text in (text for text, translation in wanted.items() if not translation):
            missing += 1
            print(f"{path.name}: {text.context}: {text.source!r}")
    return min(missing, 1)


def _texts_below(node: ast.AST, context: str, context_of_helper: str) -> Iterator[Text]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and (name := _called(child)) in _MARKED:
            own = context_of_helper if name == "_tr" else context
            yield from (Text(own or context, source) for source in _strings_in(child, _MARKED[name]))
        inner = child.name if isinstance(child, ast.ClassDef) else context
        yield from _texts_below(child, inner, context_of_helper)


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _strings_in(call: ast.Call, place: int) -> Iterator[str]:
    """The text of a call; both where it says one or the other."""
    if len(call.args) > place:
        for node in ast.walk(call.args[place]):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
                yield node.value


def _named_contexts(tree: ast.AST) -> Iterator[str]:
    """The context that a module's own helper names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == "translate" and len(node.args) > 1:
            match node.args[0]:
                case ast.Constant(value=str(name)):
                    yield name
                case _:
                    pass


if __name__ == "__main__":
    sys.exit(main())
