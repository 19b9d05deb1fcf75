"""Whole sessions of the real program with the real model, watched from outside."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from inference import embedded_model

pytestmark = [pytest.mark.model, pytest.mark.long]

ROOT = Path(__file__).resolve().parents[2]

# In a network namespace of its own, with its counters at the end: the kernel has counted every attempt of anybody.
WATCHED = """
{python} -m scripts.session "$1" || exit 1
cat /proc/net/snmp /proc/net/snmp6 > "$1/counters"
"""
# What Python's own sockets are asked for, whatever comes of it.
RECORDER = """
import os, sys

def record(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"):
        at = str(arguments[1] if event in ("socket.connect", "socket.sendto") else arguments[0])
        with open(os.environ["RECORD"], "a") as file:
            file.write(f"{event} {at}\\n")

sys.addaudithook(record)
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory) -> Path:
    """A folder in which a session was had, without a network where one can be taken away."""
    if embedded_model() is None:
        pytest.skip("the embedded model is not installed")
    folder: Path = tmp_path_factory.mktemp("session")
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(RECORDER)
    (folder / "record").touch()
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(folder / "site"), *sys.path)),
        "QT_QPA_PLATFORM": "offscreen",
        "HOME": str(folder / "home"),
        "XDG_DATA_HOME": str(folder / "home" / "data"),
        "XDG_STATE_HOME": str(folder / "home" / "state"),
        "RECORD": str(folder / "record"),
    }
    (folder / "home").mkdir()
    script = WATCHED.format(python=sys.executable)
    command = ["unshare", "--net", "/bin/sh", "-c", script, "sh", str(folder)]
    if subprocess.run([*command[:2], "true"], capture_output=True, check=False).returncode:
        command = command[2:]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False, umask=0
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def counters(session) -> dict[str, int]:
    if os.geteuid() != 0:
        pytest.skip("needs the right to take the network away")
    found: dict[str, int] = {}
    lines = (session / "counters").read_text().splitlines()
    for names, values in pairwise(lines):
        head = names.partition(":")[0]
        if values.startswith(f"{head}:") and values.split()[-1].lstrip("-").isdigit():
            pairs = zip(names.split()[1:], values.split()[1:], strict=False)
            found |= {f"{head}{name}": int(value) for name, value in pairs if value.lstrip("-").isdigit()}
    found |= {line.split()[0]: int(line.split()[1]) for line in lines if line.startswith(("Ip6", "Udp6"))}
    return found


@pytest.mark.timeout(700)
def test_nothing_tries_to_reach_a_network_that_nobody_asked_for(session, counters):
    attempts = (
        "IpOutNoRoutes",
        "IpOutRequests",
        "TcpActiveOpens",
        "UdpOutDatagrams",
        "Ip6OutNoRoutes",
        "Udp6OutDatagrams",
    )
    assert {name: counters[name] for name in attempts} == dict.fromkeys(attempts, 0)


@pytest.mark.timeout(700)
def test_python_asks_for_no_address(session):
    asked = [
        line for line in (session / "record").read_text().splitlines() if "/" not in line
    ]  # paths are the desktop's
    assert asked == []


@pytest.mark.timeout(700)
def test_what_is_kept_is_its_owners_alone(session):
    ours = [session / "data", *(session / "home").rglob("Headwater")]  # others keep things in a home, too
    kept = [path for folder in ours for path in folder.rglob("*")]
    assert [path.relative_to(session) for path in kept if stat.S_IMODE(path.stat().st_mode) & 0o077] == []
    assert {"conversations.sqlite3", "models.json", "settings.toml", "llama.log"} <= {path.name for path in kept}


@pytest.mark.timeout(700)
def test_no_note_of_a_death_and_no_lock_is_left(session):
    assert list((session / "data" / "runs").iterdir()) == []
    assert [path.name for path in (session / "data" / "locks").iterdir() if path.suffix == ".lock"] == []
    assert (session / "exported.md").read_text()
    assert (session / "exported.json").read_text()
