"""What the test of the package looks for is found where it is."""

from __future__ import annotations

import math
import struct
from pathlib import Path

from scripts.package_test import Checks, Failed, write_killer
from tests.gguf_files import write_tiny_model


def test_a_check_that_fails_does_not_keep_the_others_from_being_done(capsys) -> None:
    checks = Checks()

    def fail() -> None:
        raise Failed("too large")

    checks.do("sizes", fail)
    checks.do("the others", lambda: None)
    assert checks.status() == 1
    assert "FAILED: too large" in capsys.readouterr().out
    assert Checks().status() == 0


def test_the_file_that_ends_llama_cpp_differs_from_a_sound_one_in_one_value(tmp_path: Path) -> None:
    sound = write_tiny_model(tmp_path / "sound.gguf")
    write_killer(sound, tmp_path / "killer.gguf")
    before, after = sound.read_bytes(), (tmp_path / "killer.gguf").read_bytes()
    changed = [at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    begin = min(changed)  # the value is four bytes that begin at or before the first that differs
    assert changed[-1] - changed[0] < 4
    assert any(math.isnan(struct.unpack_from("<f", after, begin - back)[0]) for back in range(4))
