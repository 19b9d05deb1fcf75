"""Large blocks of memory that go back to the system as soon as nobody holds them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inference.blocks import block

PROGRAM = """
import random
from collections import deque
from pathlib import Path
from inference.blocks import block

def held():
    lines = Path("/proc/self/status").read_text().splitlines()
    return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(("RssAnon", "RssShmem")))

chance, blocks, small = random.Random(1), deque(), deque(maxlen=200)
before, most = held(), 0
for _ in range(200):
    data = block(chance.randrange(1 << 20, 12 << 20))
    data[::4096] = bytes(len(data[::4096]))
    blocks.append(data)
    small.append(bytes(chance.randrange(600, 40_000)))
    while sum(map(len, blocks)) > 32 << 20:
        blocks.popleft()
    most = max(most, held() - before - sum(map(len, blocks)) - sum(map(len, small)))
print(most)
"""


@pytest.mark.parametrize("size", [0, 1, 4096, 5_000_001])
def test_a_block_is_as_large_as_was_asked_for_and_can_be_written_to(size):
    data = block(size)
    assert len(data) == size
    content = os.urandom(size)
    data[:] = content
    assert data == content


@pytest.mark.parametrize("size", [1 << 62, 1 << 80])
def test_more_than_there_is_is_a_shortage_of_memory(size):
    with pytest.raises(MemoryError):
        block(size)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is looked up as Linux tells it")
def test_blocks_of_many_sizes_that_come_and_go_leave_no_holes():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 30e6, "bytes beyond those that are held"
