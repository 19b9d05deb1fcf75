from __future__ import annotations

from pathlib import Path

import pytest

from inference.hub.catalogue import CatalogueEntry, offered, read_catalogue
from inference.hub.hub import Hub
from inference.hub.links import read_link
from inference.hub_errors import HubUnreachable

ENTRY = CatalogueEntry("Small", "maker/small-GGUF", "small-Q4_K_M.gguf", 5, "mit", "English", "trying", "")


def test_the_catalogue_names_well_known_models_from_small_to_large():
    catalogue = read_catalogue()
    assert 10 <= len(catalogue.entries) <= 15
    sizes = [entry.size for entry in catalogue.entries]
    assert sizes == sorted(sizes)
    assert sizes[0] < 10**9 < sizes[-1] < 20 * 10**9
    assert catalogue.read_on.year >= 2026


@pytest.mark.parametrize("entry", read_catalogue().entries, ids=lambda entry: entry.name)
def test_each_entry_says_where_it_was_read(entry):
    link = read_link(entry.source.partition("/tree/")[0])
    assert link is not None
    assert link.repo == entry.repo
    assert entry.file.endswith(".gguf")
    assert entry.quantisation
    assert entry.licence
    assert entry.good_for
    assert entry.model.size == entry.size


def test_an_entry_that_the_hub_still_has_is_offered_as_it_is_there(hub, open_session):
    hub.add(ENTRY.repo, {"small-Q4_K_M.gguf": b"model", "small-Q8_0.gguf": b"larger"})
    offer = offered(ENTRY, Hub(open_session(hub)))
    assert offer is not None
    assert (offer.is_same_file, offer.model.size) == (True, 5)


def test_a_file_that_is_gone_is_replaced_by_the_nearest_quantisation(hub, open_session):
    hub.add(ENTRY.repo, {"small-Q4_K_S.gguf": b"near", "small-Q8_0.gguf": b"far"})
    offer = offered(ENTRY, Hub(open_session(hub)))
    assert offer is not None
    assert (offer.is_same_file, offer.model.quantisation) == (False, "Q4_K_S")


def test_an_entry_that_is_gone_is_not_offered(hub, open_session):
    assert offered(ENTRY, Hub(open_session(hub))) is None
    hub.add(ENTRY.repo, {"notes.txt": b"no model"})
    assert offered(ENTRY, Hub(open_session(hub))) is None


def test_a_hub_that_cannot_be_asked_is_said(hub, open_session):
    session = open_session(hub)
    hub.close()
    with pytest.raises(HubUnreachable):
        offered(ENTRY, Hub(session))


def test_files_of_the_catalogue_stay_inside_the_folder_for_models():
    assert all(not Path(entry.file).is_absolute() and ".." not in entry.file for entry in read_catalogue().entries)
