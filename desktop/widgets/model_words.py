"""What is said of models, of those here and of those that could be: sizes, whether they fit, how far they are."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QCoreApplication, QDate, QLocale

import inference
from desktop import wording
from desktop.spoken import spoken
from desktop.widgets.cards import Card, Tone

if TYPE_CHECKING:
    from inference import Forecast, ShelfFacts, ShelfModel, ShelfSource, Suitability
    from inference.hub import CatalogueEntry, Download, HubModel, HubRepo, Offer

_GIGABYTE, _MEGABYTE = 10**9, 10**6


def size_words(size: float) -> str:
    """Bytes as a person reads them: 98.4 MB, 4.37 GB."""
    if size >= _GIGABYTE:
        return _tr("{size} GB").format(size=wording.decimals(size / _GIGABYTE, 2 if size < 10 * _GIGABYTE else 1))
    return _tr("{size} MB").format(size=wording.decimals(size / _MEGABYTE, 1 if size < 100 * _MEGABYTE else 0))


def fit_words(found: Suitability) -> tuple[str, Tone]:
    """Whether a model fits, and how fast it will write, as a sentence."""
    needed, free = wording.decimals(found.needed / _GIGABYTE, 1), wording.decimals(found.free / _GIGABYTE, 1)
    if not found.fits:
        words = _tr("Does not fit: needs about {needed} GB, {free} GB are free")
        return words.format(needed=needed, free=free), Tone.WARNING
    if found.words_a_second is None:
        return _tr("Fits: {needed} of {free} GB").format(needed=needed, free=free), Tone.GOOD
    words = _tr("Fits: {needed} of {free} GB; about {pace} words a second here")
    return words.format(needed=needed, free=free, pace=_pace(found.words_a_second)), Tone.GOOD


def forecast_words(forecast: Forecast) -> str:
    """What a model will take, part by part."""
    words = _tr(
        "Weights {weights} + KV cache {kv} + computing {compute} = {total}, of {free} free; {margin} are kept free"
    )
    return words.format(
        weights=size_words(forecast.weights),
        kv=size_words(forecast.kv),
        compute=size_words(forecast.compute),
        total=size_words(forecast.total),
        free=size_words(forecast.available),
        margin=size_words(forecast.margin),
    )


def card_of_model(model: ShelfModel, facts: ShelfFacts | None, used: float, found: Suitability | None) -> Card:
    """A model on this disk."""
    details = [_source_words(model.source)]
    if facts is not None:
        context = wording.whole(facts.training_context) if facts.training_context else ""
        details = [
            facts.quantisation,
            _tr("{context} tokens").format(context=context) if context else "",
            facts.licence,
            _source_words(model.source),
        ]
    if used:
        details.append(_tr("used {when}").format(when=day_words(datetime.fromtimestamp(used))))  # noqa: DTZ006 - the person's own
    note, tone = ("", Tone.QUIET) if found is None else fit_words(found)
    if facts is not None and (trouble := facts.trouble or facts.refusal):
        note, tone = spoken(trouble), Tone.ERROR if facts.trouble else Tone.WARNING
    parts = [part for part in details if part]
    return Card(str(model.path), model.name, " · ".join(parts), note, tone, size_words(model.size))


def card_of_entry(
    entry: CatalogueEntry, offer: Offer | None, found: Suitability, *, is_gone: bool, is_here: bool
) -> Card:
    """A model of the catalogue."""
    note, tone = fit_words(found)
    if is_here:
        note, tone = _tr("On this disk"), Tone.GOOD
    elif is_gone:
        note, tone = _tr("The Hub has it no longer"), Tone.WARNING
    model = offer.model if offer is not None else entry.model
    details = (_tr_text(entry.good_for), model.quantisation, entry.licence, _languages(entry.languages))
    return Card(
        entry.name, entry.name, " · ".join(part for part in details if part), note, tone, size_words(model.size)
    )


def card_of_repo(repo: HubRepo) -> Card:
    """A repository that a search found."""
    details = [
        _tr("1 download")
        if repo.downloads == 1
        else _tr("{count} downloads").format(count=wording.whole(repo.downloads)),
        _tr("1 like") if repo.likes == 1 else _tr("{count} likes").format(count=wording.whole(repo.likes)),
        _tr("changed {when}").format(when=day_words(repo.updated.astimezone())) if repo.updated else "",
    ]
    facts = [
        wording.parameters(repo.parameters) if repo.parameters else "",
        repo.architecture,
        repo.licence or _tr("no licence named"),
        "" if repo.is_for_chat else _tr("not made to chat"),
    ]
    tone = Tone.QUIET
    if repo.gated:
        facts.append(_tr("gated: its makers want to be asked first"))
        tone = Tone.WARNING
    return Card(repo.id, repo.id, " · ".join(filter(None, details)), " · ".join(filter(None, facts)), tone)


def card_of_file(model: HubModel, found: Suitability, download: Download | None, *, is_here: bool) -> Card:
    """A model of a repository."""
    details = [model.name]
    if len(model.files) > 1:
        details.append(_tr("{count} parts").format(count=len(model.files)))
    note, tone = fit_words(found)
    if model.is_projector:
        note, tone = _tr("A projector for pictures; no model of its own"), Tone.QUIET
    elif not model.is_whole:
        note, tone = _tr("A part of it is missing on the Hub"), Tone.WARNING
    elif is_here:
        note, tone = _tr("On this disk"), Tone.GOOD
    elif download is not None:
        note, tone = state_words(download), Tone.QUIET
    title = model.quantisation or model.name
    return Card(model.path, title, " · ".join(details), note, tone, size_words(model.size))


def card_of_download(download: Download) -> Card:
    """A download, with its bar."""
    state = inference.hub.DownloadState
    tone = {state.FAILED: Tone.ERROR, state.WAITING: Tone.WARNING, state.DONE: Tone.GOOD}.get(
        download.state, Tone.QUIET
    )
    size = _tr("{received} of {size}").format(received=size_words(download.received), size=size_words(download.size))
    fraction = None if download.state is state.DONE else download.received / max(1, download.size)
    return Card(download.id, download.name, download.repo, state_words(download), tone, size, fraction)


def state_words(download: Download) -> str:
    """How far a download is."""
    state = inference.hub.DownloadState
    match download.state:
        case state.QUEUED:
            return _tr("Comes after the others")
        case state.CHECKING:
            return _tr("Reading again what is here")
        case state.RUNNING if download.rate and download.seconds_left is not None:
            words = _tr("{rate}/s, {left} left")
            return words.format(rate=size_words(download.rate), left=time_words(download.seconds_left))
        case state.RUNNING:
            return _tr("Downloading")
        case state.WAITING:
            return spoken(download.reason)
        case state.PAUSED:
            return _tr("Paused")
        case state.DONE:
            return _tr("Whole: its checksum is the Hub's")
        case state.FAILED:
            return spoken(download.reason)
    assert_never(download.state)


def time_words(seconds: float) -> str:
    """A time still to come."""
    if seconds < 90:
        return _tr("{count} s").format(count=wording.remaining(seconds))
    if seconds < 5400:
        return _tr("{count} min").format(count=wording.remaining(seconds / 60))
    return _tr("{count} h").format(count=wording.decimals(seconds / 3600, 1))


def day_words(when: datetime) -> str:
    """A day with its month in letters, so that nobody takes the one for the other."""
    return QLocale().toString(QDate(when.year, when.month, when.day), _tr("d MMM yyyy"))


def _source_words(source: ShelfSource) -> str:
    kinds = inference.ShelfSource
    match source:
        case kinds.EMBEDDED:
            return _tr("comes with Headwater")
        case kinds.OURS:
            return _tr("Headwater's folder")
        case kinds.ADDED:
            return _tr("added folder")
        case _:
            return str(source)


def _languages(words: str) -> str:
    if words.isdigit():
        return _tr("{count} languages").format(count=words)
    return _tr_text(words)


def _pace(words_a_second: float) -> str:
    return wording.decimals(words_a_second, 0 if words_a_second >= 3 else 1)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Models", text)


def _tr_text(text: str) -> str:
    """A text of the catalogue."""
    return QCoreApplication.translate("Catalogue", text) if text else ""
