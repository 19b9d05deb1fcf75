"""Importing the engine is light: what is heavy is loaded with the first model."""

import subprocess
import sys

import pytest

HEAVY = ("llama_cpp", "numpy", "jinja2", "asyncio", "httpx2", "openai", "huggingface_hub", "PySide6", "sqlite3")


@pytest.mark.parametrize("statement", ["import inference", "from inference import *"])
def test_importing_the_engine_loads_nothing_heavy(statement: str) -> None:
    program = f"{statement}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert "inference" in loaded
    assert not set(HEAVY) & set(loaded)
