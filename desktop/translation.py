"""The languages of the program, and what makes it speak one of them.

English is what the sources say; another language is a file in `resources/translations`, Qt's own kind, read as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QCoreApplication, QLocale, QObject, QTranslator

from resources import text_of

LANGUAGES = {"en": "English", "de": "Deutsch"}

_SOURCE_LANGUAGE = "en"


def language_for(chosen: str, preferred: Iterable[str]) -> str:
    """The language that was chosen, else the first of those the system prefers ("de-CH") that there is."""
    for name in (chosen, *preferred):
        language = name.replace("_", "-").partition("-")[0].lower()
        if language in LANGUAGES:
            return language
    return _SOURCE_LANGUAGE


def speak(application: QCoreApplication, chosen: str = "") -> None:
    """Have everything that is made from now on speak the language that was chosen, else the system's."""
    language = language_for(chosen, QLocale.system().uiLanguages())
    QLocale.setDefault(QLocale(language))  # number fields write and read numbers as the words around them do
    if language == _SOURCE_LANGUAGE:
        return
    for translator in (_of_qt(language, application), Translator(read_translations(language), application)):
        application.installTranslator(translator)


class Translator(QTranslator):
    """Knows texts by the context they are said in, and, where all contexts agree, in any other."""

    def __init__(self, texts: Mapping[tuple[str, str], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts = texts
        by_source: dict[str, set[str]] = {}
        for (_, source), translation in texts.items():
            by_source.setdefault(source, set()).add(translation)
        self._anywhere = {source: found.pop() for source, found in by_source.items() if len(found) == 1}

    def translate(self, context: str, source: str, _disambiguation: str | None = None, _number: int = -1) -> str:
        # Qt takes nothing at all, and not an empty text, for a text that is not known.
        return self._texts.get((context, source)) or self._anywhere.get(source)  # type: ignore[return-value]  # see above

    def isEmpty(self) -> bool:  # noqa: N802 - Qt's virtual
        return not self._texts


def read_translations(language: str) -> dict[tuple[str, str], str]:
    """The texts of a language, by context and English text; what is not translated yet is left out."""
    from xml.etree import ElementTree as ET  # only where there is something to be translated

    root = ET.fromstring(text_of("translations", f"{language}.ts"))  # noqa: S314 - a file of our own
    return {
        (context.findtext("name", ""), message.findtext("source", "")): translation
        for context in root.iter("context")
        for message in context.iter("message")
        if (translation := message.findtext("translation", ""))
    }


def _of_qt(language: str, parent: QObject) -> QTranslator:
    """What Qt itself says: in file choosers, in the menus of text fields, the names of keys."""
    from PySide6.QtCore import QLibraryInfo

    translator = QTranslator(parent)
    translator.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    return translator
