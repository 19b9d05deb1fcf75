"""What the program shows and did not compute: icons, themes, texts. A package, so that wheels carry it."""

from pathlib import Path

_FOLDER = Path(__file__).parent


def text_of(folder: str, name: str) -> str:
    """The text of one of these files. By its path: to load importlib.resources takes longer than to read them all."""
    return (_FOLDER / folder / name).read_text(encoding="utf-8")
