"""A model that is let go of gives its memory back to the system, each time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, threading
from pathlib import Path
from inference import GenerationRequest, LocalEngine, Message, ModelConfig, Role, StateBudget, embedded_model

def held():
    lines = Path("/proc/self/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssFile"))) // 1024

ended = threading.Event()

def emit(event):
    if type(event).__name__ in ("GenerationFinished", "GenerationFailed", "ModelUnloaded"):
        ended.set()

engine, seen = LocalEngine(emit, StateBudget(0, 0, None)), []
config = ModelConfig(embedded_model(), context_size=4096)
for _ in range(3):
    for ask in (
        lambda: engine.generate(GenerationRequest(config, (Message(Role.USER, "word " * 300),), max_tokens=4)),
        engine.unload,
    ):
        ended.clear()
        ask()
        assert ended.wait(60)
        seen.append(held())
engine.close()
print(json.dumps(seen))
"""


@pytest.mark.model
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is looked up as Linux tells it")
def test_memory_is_returned_each_time_a_model_is_let_go_of():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    loaded, freed = seen[::2], seen[1::2]
    assert min(loaded) - max(freed) > 100, "megabytes; the file alone has a hundred"
    assert max(freed) - freed[0] < 15, "and nothing is left behind from one time to the next"
