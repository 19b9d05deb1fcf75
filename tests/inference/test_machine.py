import time
from pathlib import Path

import pytest

from inference import machine


def write(root: Path, name: str, text: str) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(
    ("cores", "allowed", "quota", "threads"),
    [
        (8, 8, None, 7),
        (8, 4, None, 3),
        (8, 8, 2.0, 1),
        (8, 8, 3.9, 2),
        (8, 8, 0.5, 1),
        (1, 1, None, 1),
        (2, 2, None, 1),
        (4, 64, 100.0, 3),
    ],
)
def test_one_core_of_those_that_may_be_used_is_left_free(cores, allowed, quota, threads):
    assert machine.threads_for(cores, allowed, quota) == threads


def test_this_machine_gets_at_least_one_thread_and_no_more_than_it_has_cores():
    assert 1 <= machine.default_threads() <= machine.physical_cores()


def test_without_control_groups_there_is_no_quota_and_the_memory_is_the_systems(tmp_path):
    assert machine.processor_quota(tmp_path) is None
    assert machine.available_memory(tmp_path) > 0


def test_a_quota_of_version_2_is_read(tmp_path):
    write(tmp_path, "proc/self/cgroup", "0::/user/app\n")
    write(tmp_path, "sys/fs/cgroup/user/app/cpu.max", "150000 100000\n")
    assert machine.processor_quota(tmp_path) == 1.5


def test_the_tightest_quota_of_a_group_and_those_around_it_counts(tmp_path):
    write(tmp_path, "proc/self/cgroup", "0::/user/app\n")
    write(tmp_path, "sys/fs/cgroup/user/app/cpu.max", "max 100000\n")
    write(tmp_path, "sys/fs/cgroup/user/cpu.max", "400000 100000\n")
    write(tmp_path, "sys/fs/cgroup/cpu.max", "800000 100000\n")
    assert machine.processor_quota(tmp_path) == 4.0


def test_a_container_that_sees_its_group_as_the_root_gets_its_quota(tmp_path):
    write(tmp_path, "proc/self/cgroup", "0::/docker/0123456789\n")
    write(tmp_path, "sys/fs/cgroup/cpu.max", "200000 100000\n")
    assert machine.processor_quota(tmp_path) == 2.0


def test_a_quota_of_version_1_is_read(tmp_path):
    write(tmp_path, "proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n")
    write(tmp_path, "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n")
    write(tmp_path, "sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n")
    assert machine.processor_quota(tmp_path) == 2.5


@pytest.mark.parametrize("text", ["", "max\n", "nonsense here\n", "-1 100000\n", "100000 0\n", "1 2 3\n"])
def test_a_quota_that_makes_no_sense_is_none(tmp_path, text):
    write(tmp_path, "proc/self/cgroup", "0::/\n")
    write(tmp_path, "sys/fs/cgroup/cpu.max", text)
    assert machine.processor_quota(tmp_path) is None


def test_no_quota_of_version_1_is_written_as_minus_one(tmp_path):
    write(tmp_path, "proc/self/cgroup", "5:cpu:/\n")
    write(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
    write(tmp_path, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
    assert machine.processor_quota(tmp_path) is None


def test_memory_ends_where_the_group_of_version_2_ends(tmp_path):
    write(tmp_path, "proc/self/cgroup", "0::/app\n")
    write(tmp_path, "sys/fs/cgroup/app/memory.max", "1048576\n")
    write(tmp_path, "sys/fs/cgroup/app/memory.current", "1000000\n")
    write(tmp_path, "sys/fs/cgroup/app/memory.stat", "anon 1\ninactive_file 500000\n")
    assert machine.available_memory(tmp_path) == 1048576 - 1000000 + 500000


def test_memory_ends_where_the_group_of_version_1_ends(tmp_path):
    write(tmp_path, "proc/self/cgroup", "4:memory:/app\n")
    write(tmp_path, "sys/fs/cgroup/memory/app/memory.limit_in_bytes", "1048576\n")
    write(tmp_path, "sys/fs/cgroup/memory/app/memory.usage_in_bytes", "1000000\n")
    assert machine.available_memory(tmp_path) == 48576


def test_a_group_without_a_memory_limit_leaves_what_the_system_has(tmp_path):
    write(tmp_path, "proc/self/cgroup", "4:memory:/\n0::/\n")
    write(tmp_path, "sys/fs/cgroup/memory/memory.limit_in_bytes", f"{2**63 - 4096}\n")
    write(tmp_path, "sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000\n")
    write(tmp_path, "sys/fs/cgroup/memory.max", "max\n")
    write(tmp_path, "sys/fs/cgroup/memory.current", "1000000\n")
    assert machine.available_memory(tmp_path) > 1000000


def test_a_group_over_its_limit_has_no_memory_left(tmp_path):
    write(tmp_path, "proc/self/cgroup", "0::/\n")
    write(tmp_path, "sys/fs/cgroup/memory.max", "1000\n")
    write(tmp_path, "sys/fs/cgroup/memory.current", "5000\n")
    assert machine.available_memory(tmp_path) == 0


def test_the_load_and_the_clock_are_numbers_or_unknown() -> None:
    load, clock = machine.load_average(), machine.clock_megahertz()
    assert load is None or load >= 0
    assert clock is None or clock > 0


def test_time_that_anybody_worked_goes_up_and_ours_is_a_part_of_it() -> None:
    before, own_before = machine.busy_seconds()
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
    after, own_after = machine.busy_seconds()
    assert after >= before
    assert own_after >= own_before + 0.03
