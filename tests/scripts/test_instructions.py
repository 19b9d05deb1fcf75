"""What a processor of the promise does not know is found in what is shipped."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.instructions import newer_in, newer_of

ALLOWED = """
0000000000001139 <dot>:
    1139:\tpush   %rbp
    113a:\tvfmadd231ps %ymm2,%ymm1,%ymm0
    113f:\tvcvtph2ps %xmm15,%ymm3
    1144:\tpdep   %rax,%rbx,%rcx
    1149:\tcall   2000 <ggml_vec_dot_%zmm>
    114e:\txchg   %ax,%ax
"""


def test_what_was_promised_is_no_finding() -> None:
    assert not newer_of(ALLOWED.splitlines())


@pytest.mark.parametrize(
    "instruction",
    [
        "vpaddd %zmm2,%zmm1,%zmm0",
        "vmovdqu32 %ymm0,(%rax){%k1}",
        "vmovdqa64 %xmm17,%xmm1",
        "{vex} vpdpbusd %ymm2,%ymm1,%ymm0",
        "tdpbssd %tmm2,%tmm1,%tmm0",
        "kmovd  %eax,%k1",
        "aesenc %xmm1,%xmm0",
    ],
)
def test_what_is_newer_is_found_and_named(instruction: str) -> None:
    found = newer_of([f"    1139:\t{instruction}"])
    assert list(found) == [next(word for word in instruction.split() if not word.startswith("{"))]


@pytest.mark.skipif(not (shutil.which("cc") and shutil.which("objdump")), reason="nothing compiles here")
@pytest.mark.parametrize(("flags", "is_newer"), [("-mavx2", False), ("-mavx512f", True)])
def test_a_library_is_read_as_it_was_compiled(tmp_path: Path, flags: str, is_newer: bool) -> None:
    source = tmp_path / "sum.c"
    source.write_text("void add(float *a, float *b) { for (int i = 0; i < 1024; i++) a[i] += b[i]; }\n")
    command = [
        "cc",
        "-O3",
        flags,
        "-mprefer-vector-width=512",
        "-shared",
        "-fPIC",
        str(source),
        "-o",
        str(tmp_path / "l.so"),
    ]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this compiler knows no such processor")
    assert bool(newer_in(tmp_path / "l.so")) is is_newer
