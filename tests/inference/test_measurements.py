import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.measurements import FileRecord, Measurements, Pace, Run, Threads, file_key
from inference.suitability import measured_pace
from tests.deep_types import assert_of_its_types
from tests.gguf_files import write_tiny_model
from tests.odd_values import damaged

RUN = Run("CPU", 0, 0, 4096, "f16", 100, 20, 3, 0)


def some_of_everything(path: Path | None, file: str = "a") -> Measurements:
    kept = Measurements(path)
    kept.add_run(file, RUN)
    kept.add_threads(file, Threads("CPU", 7, 4))
    kept.add_pace(file, Pace("CPU", 4, 9, 0.02))
    kept.know(file, "build automatic")
    return kept


def test_what_was_measured_is_there_in_the_next_process(tmp_path):
    path = tmp_path / "data" / "machine.json"
    some_of_everything(path).save()
    assert Measurements(path).of("a") == FileRecord(
        known=("build automatic",), runs=(RUN,), threads=(Threads("CPU", 7, 4),), paces=(Pace("CPU", 4, 9, 0.02),)
    )
    assert [file.name for file in path.parent.iterdir()] == ["machine.json"]


def test_without_a_path_it_is_kept_in_memory_alone():
    kept = some_of_everything(None)
    kept.save()
    assert kept.of("a").runs == (RUN,)
    assert kept.of("b") == FileRecord()


def test_a_newer_measurement_takes_the_place_of_one_like_it():
    kept = some_of_everything(None)
    newer = Run("CPU", 0, 0, 4096, "f16", 101, 21, 4, 0)
    other = Run("CPU", 0, 0, 8192, "f16", 101, 42, 8, 0)
    kept.add_run("a", newer)
    kept.add_run("a", other)
    kept.add_threads("a", Threads("CPU", 7, 5))
    kept.add_pace("a", Pace("CPU", 4, 9, 0.03))
    assert kept.of("a").runs == (newer, other)
    assert kept.of("a").threads == (Threads("CPU", 7, 5),)
    assert kept.of("a").paces == (Pace("CPU", 4, 9, 0.03),)


def test_what_is_doubted_is_not_known_until_it_is_again(tmp_path):
    path = tmp_path / "machine.json"
    kept = some_of_everything(path)
    kept.save()
    kept.doubt("a", "build automatic")
    kept.save()
    assert Measurements(path).of("a").known == ()
    kept.know("a", "build automatic")
    kept.save()
    assert Measurements(path).of("a").known == ("build automatic",)


def test_two_processes_do_not_undo_each_others_measurements(tmp_path):
    path = tmp_path / "machine.json"
    one, other = Measurements(path), Measurements(path)
    one.know("a", "x")
    other.know("b", "y")
    one.save()
    other.save()
    both = Measurements(path)
    assert (both.of("a").known, both.of("b").known) == (("x",), ("y",))


def test_no_list_grows_without_end(tmp_path):
    path = tmp_path / "machine.json"
    kept = Measurements(path)
    for number in range(100):
        kept.add_run("a", Run("CPU", context_size=number))
        kept.know("a", str(number))
    for number in range(300):
        kept.know(f"file {number}", "x")
    kept.save()
    again = Measurements(path)
    assert again.of("a") == FileRecord(), "the oldest of three hundred files"
    assert again.of("file 299").known == ("x",)
    assert len(json.loads(path.read_text())["files"]) == 200
    assert len(kept.of("file 299").known) == 1


def test_the_newest_of_many_loads_are_kept():
    kept = Measurements()
    for number in range(100):
        kept.add_run("a", Run("CPU", context_size=number))
    assert [run.context_size for run in kept.of("a").runs] == list(range(76, 100))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[]",
        b"[" * 100_000,
        b'{"version": 2, "files": {"a": {"known": ["x"]}}}',
        b'{"version": 1}',
        b'{"version": 1, "files": []}',
        b'{"version": 1, "files": {"a": 7, "b": {"known": 3, "runs": {}}}}',
        b'{"version": 1, "files": {"a": {"paces": [{"device": "CPU", "threads": 1, "depth": 8, "seconds": NaN}]}}}',
        b'{"version": 1, "files": {"a": {"threads": [{"device": "CPU", "bound": -1, "best": 4}]}}}',
        b'{"version": 1, "files": {"a": {"threads": [{"device": "CPU", "bound": true, "best": 4}, {"bound": 1}]}}}',
        b"\xff\xfe\x00",
    ],
)
def test_a_damaged_file_counts_as_nothing_measured_and_is_written_anew(tmp_path, content):
    path = tmp_path / "machine.json"
    path.write_bytes(content)
    kept = Measurements(path)
    assert kept.of("a") == FileRecord()
    kept.know("c", "x")
    kept.save()
    assert Measurements(path).of("c").known == ("x",)


def test_what_is_sound_in_a_half_damaged_file_is_kept(tmp_path):
    path = tmp_path / "machine.json"
    some_of_everything(path).save()
    content = json.loads(path.read_text())
    content["files"]["a"]["runs"].append({"device": 7})
    content["files"]["a"]["known"].append(7)
    path.write_text(json.dumps(content))
    assert Measurements(path).of("a") == some_of_everything(None).of("a")


def test_a_disk_that_takes_nothing_loses_nothing_but_the_measurements(tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    kept = some_of_everything(in_the_way / "machine.json")
    kept.save()
    assert kept.of("a").runs == (RUN,)


def test_several_threads_may_measure_and_save_at_once(tmp_path):
    kept = Measurements(tmp_path / "machine.json")

    def work(number: int) -> None:
        for step in range(20):
            kept.add_run(f"file {number}", Run("CPU", context_size=step))
            kept.save()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    again = Measurements(tmp_path / "machine.json")
    assert all(len(again.of(f"file {number}").runs) == 20 for number in range(4))


def test_a_file_that_was_written_again_is_another_one(tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf")
    before = file_key(path)
    assert file_key(path) == before
    path.write_bytes(path.read_bytes() + b"more")
    assert file_key(path) != before


def test_a_file_that_is_gone_is_another_one_too(tmp_path):
    path = write_tiny_model(tmp_path / "x.gguf")
    before = file_key(path)
    path.unlink()
    assert file_key(path) != before


def test_every_part_of_a_model_counts(tmp_path):
    first = write_tiny_model(tmp_path / "x.gguf", tensors_per_part=8)
    before = file_key(first)
    last = tmp_path / "x-00003-of-00003.gguf"
    last.write_bytes(last.read_bytes() + b"more")
    assert file_key(first) != before


def written(folder: Path) -> object:
    some_of_everything(folder / "sound.json", "/models/a.gguf 1000 5").save()
    return json.loads((folder / "sound.json").read_text())


@given(st.data())
def test_whatever_damage_left_of_the_file_its_records_are_of_their_types(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    path = folder / "damaged.json"
    path.write_text(json.dumps(data.draw(damaged(written(folder)))))
    kept = Measurements(path)
    for record in kept.all().values():
        assert_of_its_types(record)
        assert all(each.seconds < 1e6 for each in record.paces), "which can be added up"
    pace, most = measured_pace(kept)
    assert pace is None or (pace < 1e26 and 0 < most < 1e8), "both can be written out"
    kept.know("a", "x")
    kept.save()
    assert Measurements(path).of("a") == kept.of("a")


@settings(max_examples=50, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["known", "runs", "threads", "paces", "device", "bound", "best"]), inner)
        ),
    )
)
def test_whatever_stands_in_the_file_a_record_comes_of_it(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "anything.json"
    path.write_text(json.dumps({"version": 1, "files": {"a": value}}))
    kept = Measurements(path)
    kept.know("a", "x")
    kept.save()
    assert Measurements(path).of("a") == kept.of("a")
