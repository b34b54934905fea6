"""What a run reads is recorded, also where an answer was remembered."""

import pytest

from helpers.remembered import remembering
from pagecost import catalogue, reads, studies
from pagecost.remembering import Memory, forget


def test_a_number_of_the_catalogue_is_recorded_under_its_name():
    disk = catalogue.device("hgst-7k1000-750gb")
    with reads.recorded() as names:
        disk.value("average_seek_read_s")
        disk.get("rotation_hz")
        disk.get("no_such_number")
    assert names == {"device:hgst-7k1000-750gb.average_seek_read_s", "device:hgst-7k1000-750gb.rotation_hz"}


def test_an_input_that_is_read_is_recorded_with_its_value():
    asked = studies.find("index_height").inputs({"seed": 3})
    with reads.recorded() as names:
        assert asked.seed == 3
    assert names == {"input:index_height.seed=3"}


def test_nothing_is_recorded_where_nobody_asks():
    assert not reads.are_recorded()
    reads.note(["device:none.none"])
    with reads.recorded() as names:
        pass
    assert names == set()


def test_a_recording_inside_another_is_part_of_it():
    with reads.recorded() as outer:
        reads.note(["a"])
        with reads.recorded() as inner:
            reads.note(["b"])
    assert (outer, inner) == ({"a", "b"}, {"b"})


def test_a_remembered_answer_has_read_what_its_computation_read():
    memory = Memory(1000)
    seen = []
    for _ in range(2):
        with reads.recorded() as names:
            memory.answer(("key",), lambda: reads.note(["device:a.b"]))
        seen.append(names)
    assert seen == [{"device:a.b"}] * 2


@pytest.mark.parametrize("study", ["block_size", "disk_arrays", "xml_transactions"])
def test_an_answer_asked_twice_has_read_the_same(study):
    chosen = studies.find(study)
    found = []
    for _ in range(2):
        with reads.recorded() as names:
            chosen.compute(chosen.inputs())
        found.append(names)
    assert found[0] == found[1]
    assert any(name.startswith("device:") for name in found[0])


def test_an_answer_that_another_test_has_kept_has_read_what_it_read(tmp_path):
    """Or a verdict of this run would rest on nothing, and count as evidence."""
    found = []
    for _ in range(2):
        with remembering(tmp_path, reuse=True), reads.recorded() as names:
            chosen = studies.find("block_size")
            chosen.compute(chosen.inputs())
        found.append(names)
        forget()
    assert list(tmp_path.iterdir()), "then nothing was taken from there"
    assert found[0] == found[1]
