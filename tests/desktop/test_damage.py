"""Damage to the conversations is mended by the start that meets it."""

from __future__ import annotations

import os
import subprocess
import sys

from desktop.store import Store
from tests.desktop.store.test_salvage import damage, fill, pages_of

STARTED = """
import sys
from desktop.__main__ import main

def prepare(app):
    def look():
        for notice in app.window.board.notices:
            print(notice.text)
        print(len(app.library.conversations()), "conversations", flush=True)
        app.window.close()
    app.begun.connect(look)

sys.exit(main(["--data-dir", sys.argv[1]], prepare))
"""


def test_damage_that_the_list_meets_costs_no_second_start(tmp_path):
    path = tmp_path / "conversations.sqlite3"
    store = Store(path)
    fill(store, range(150), exchanges=1)
    assert store.backups is not None
    store.backups.make()
    store.close()
    damage(path, [(place, 4096) for place in pages_of(path, "conversations")[-3:]])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", STARTED, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "The conversations were damaged." in done.stdout
    assert "150 conversations" in done.stdout
