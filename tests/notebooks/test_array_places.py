"""An array and two caches, drawn: as many accesses as the model makes, and as many pages as caches hold."""

import re

import pytest

from pagecost.errors import ModelError
from pagecost_app.notebook import array_places, whose_cache


def test_a_small_write_asks_as_many_disks_as_its_level_wants():
    drawn = array_places(4, read=2, write=5)
    assert "RAID-0: 1 write; RAID-1: 4 writes; RAID-5: 2 reads, then 2 writes" in repr(drawn)
    assert drawn.svg.count('class="way"') == 3
    assert drawn.svg.count('class="open"') == 1 + 4 + 2
    assert drawn.svg.count(">P<") == 6
    assert drawn.svg.count(">5<") == 1 + 4 + 1


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"disks": 2}, "3 to 5 disks can be drawn; got 2"),
        ({"disks": "four"}, "3 to 5 disks can be drawn; got 'four'"),
        ({"write": 6}, "pages 0 to 5 are in every array that is drawn; got 6"),
    ],
)
def test_an_array_that_cannot_be_drawn_is_refused_in_a_sentence(asked, sentence):
    with pytest.raises(ModelError, match=sentence):
        array_places(**asked)


def test_what_is_kept_twice_is_memory_that_holds_nothing_new():
    told = re.findall(r"(\d+) kept twice, (\d+) different ones in memory, (\d+) of 3000", repr(whose_cache()))
    (usual, direct, exclusive) = ([int(each) for each in row] for row in told)
    for twice, different, _ in (usual, exclusive):
        assert twice + different == 12 + 24
    assert direct[:2] == [0, 12]
    assert exclusive[0] == 0 < usual[0]
    assert exclusive[2] < usual[2] < direct[2]


def test_a_cache_larger_than_the_database_is_refused_in_a_sentence():
    with pytest.raises(ModelError, match="the buffer must hold 1 to 60 pages; got 61"):
        whose_cache(61)
