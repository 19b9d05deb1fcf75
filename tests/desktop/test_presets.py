"""Presets are kept, and a deleted one can be brought back."""

from __future__ import annotations

from desktop.keepsakes import Preset
from desktop.presets import Presets
from inference import Sampling

SHORT = Preset("Short", "Answer in one sentence.", Sampling(temperature=0.2))


def test_a_preset_is_kept_until_it_is_deleted_and_comes_back(qapp, qtbot, store):
    presets = Presets(store)
    with qtbot.waitSignal(presets.changed):
        presets.save(SHORT)
    assert presets.all() == (SHORT,)
    with qtbot.waitSignal(presets.deleted) as deleted:
        presets.delete(SHORT)
    assert presets.all() == ()
    presets.save(*deleted.args)
    assert presets.all() == (SHORT,)


def test_what_cannot_be_kept_is_said(qapp, qtbot, tmp_path, store):
    import sqlite3

    presets = Presets(store)
    other = sqlite3.connect(tmp_path / "conversations.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for change in (presets.save, presets.delete):
        with qtbot.waitSignal(presets.failed) as failed, qtbot.assertNotEmitted(presets.changed):
            change(SHORT)
        assert failed.args[0]
    other.close()
