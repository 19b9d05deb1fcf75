"""No damaged file ends the program that loads it, whatever becomes of the child that tried it first."""

import json
import os
import subprocess
import sys

import pytest

from tests.killing import seed

SHORT, LONG = 20, 300
SECONDS = 900


def load_damaged(count: int, folder) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.damaged_files", str(seed()), str(count), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, env=os.environ)
    story = f"seed {seed()}, status {done.returncode}:\n{done.stderr[-4000:]}"
    assert done.returncode == 0, story
    ends: dict[str, int] = json.loads(done.stdout)
    assert sum(ends.values()) == count, story
    return ends


def test_twenty_damaged_files_do_not_end_the_program(tmp_path):
    load_damaged(SHORT, tmp_path)


@pytest.mark.long
@pytest.mark.timeout(SECONDS + 60)
def test_three_hundred_damaged_files_do_not_end_the_program(tmp_path):
    ends = load_damaged(LONG, tmp_path)
    assert ends.get("loaded", 0) > 10, "some damage does no harm"
    assert ends.get("ModelUnreadable", 0) > 50
