import subprocess
import sys

import pytest

from inference.configuration import ModelConfig
from inference.events import MemoryUse
from inference.llama.buffers import buffers_in
from inference.llama.devices import count_gpus, gpus_for, list_devices, pointers_to
from inference.machine import Device, DeviceKind
from tests.fakes import config

MIB = 1 << 20


def device(name: str, kind: DeviceKind) -> Device:
    return Device(name, name, kind, 1, 2)


CPU = device("CPU", DeviceKind.CPU)
BLAS = device("BLAS", DeviceKind.OTHER)
CUDA = tuple(device(f"CUDA{number}", DeviceKind.GPU) for number in range(2))
SHARED = tuple(device(f"Vulkan{number}", DeviceKind.INTEGRATED) for number in range(2))


@pytest.mark.parametrize(
    ("wanted", "there", "used"),
    [
        (None, (CPU,), ()),
        (None, (BLAS, CPU), ()),
        (None, (*CUDA, CPU), CUDA),
        (None, (*SHARED, *CUDA, CPU), CUDA),
        (None, (*SHARED, CPU), SHARED[:1]),
        ("CUDA1", (*CUDA, CPU), CUDA[1:]),
        ("Vulkan0", (*SHARED, *CUDA, CPU), SHARED[:1]),
        ("CPU", (*CUDA, CPU), ()),
        ("BLAS", (BLAS, CPU), ()),
    ],
)
def test_gpus_with_memory_of_their_own_come_first_and_a_wish_before_all(wanted, there, used):
    assert gpus_for(wanted, there) == used


def test_a_device_that_is_not_there_cannot_be_wished_for():
    with pytest.raises(LookupError):
        gpus_for("CUDA2", (*CUDA, CPU))


def test_the_library_lists_its_devices():
    names = [device.name for device in list_devices()]
    assert "CPU" in names
    assert len(names) == len(set(names))


def test_pointers_end_with_nothing():
    assert list(pointers_to(())) == [None]
    (processor,) = (device for device in list_devices() if device.name == "CPU")
    pointers = list(pointers_to((processor,)))
    assert len(pointers) == 2
    assert pointers[0]
    assert pointers[1] is None


def test_where_the_cpu_is_wanted_no_gpu_is_counted():
    assert count_gpus(ModelConfig(config().path, device="CPU")) == 0
    assert count_gpus(ModelConfig(config().path, gpu_layers=0)) == 0


def test_listing_devices_writes_nothing_to_the_terminal():
    program = "from inference.llama.devices import list_devices; list_devices()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""


LINES = """
load_tensors: offloaded 24/33 layers to GPU
load_tensors:   CPU_Mapped model buffer size =  1200.50 MiB
load_tensors:        CUDA0 model buffer size =  3400.00 MiB
llama_context:  CUDA_Host  output buffer size =     0.50 MiB
llama_kv_cache:        CPU KV buffer size =   128.00 MiB
llama_kv_cache:      CUDA0 KV buffer size =   384.00 MiB
llama_kv_cache:      CUDA0 KV buffer size =    16.00 MiB
llama_memory_recurrent:      CUDA0 RS buffer size =     4.00 MiB
sched_reserve:      CUDA0 compute buffer size =   300.00 MiB
sched_reserve:      CUDA0 compute buffer size =   304.00 MiB
sched_reserve:  CUDA_Host compute buffer size =    16.00 MiB
"""


def test_what_a_load_took_is_read_from_its_log():
    buffers = buffers_in(LINES.splitlines())
    assert buffers.use == MemoryUse(weights=round(4600.5 * MIB), kv=532 * MIB, compute=round((304 + 16 + 0.5) * MIB)), (
        "the KV caches add up, what is computed in was laid out twice"
    )
    assert buffers.on(["CUDA0"]) == (3400 + 400 + 4 + 304) * MIB
    assert buffers.on(["CPU"]) == round((1200.5 + 128) * MIB)
    assert buffers.on([]) == 0


def test_a_log_without_buffers_says_nothing_was_taken():
    assert buffers_in(["llama_context: n_ctx = 4096", ""]).use == MemoryUse(0, 0, 0)
