"""The parts of an SSD drawn over time: a box for what each did, one axis for all depths."""

import re

import pytest

from pagecost.errors import ModelError
from pagecost_app.notebook import dies_in_time


def test_each_read_has_a_box_for_cells_channel_and_interface_and_a_longer_run_is_longer():
    drawn = dies_in_time("intel-x25-e", depths=(1, 8), requests=16)
    kinds = re.findall(r'<rect [^>]*width="([^"]*)"[^>]*class="(one|two|box)"', drawn.svg)
    legends = 2
    assert {kind: len([each for each in kinds if each[1] == kind]) for kind in ("one", "two", "box")} == dict.fromkeys(
        ("one", "two", "box"), 2 * 16 + legends
    )
    ends = [float(x) for x in re.findall(r'<text x="([^"]*)" y="[^"]*" class="b e">', drawn.svg)]
    assert (ends[1] - 110) / (ends[0] - 110) == pytest.approx(523 / 1510, rel=0.01)
    assert "With 1 outstanding they take 1.51 ms" in repr(drawn)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"device": "nope"}, "unknown device 'nope'"),
        ({"device": "intel-dc-p3700-800gb"}, "are too many to be drawn; at most 24"),
        ({"depths": "8"}, "a queue depth must be a whole number; got '8'"),
        ({"depths": (1, 2, 3, 4)}, "queue depths can be drawn; got 4"),
        ({"depths": ()}, "queue depths can be drawn; got 0"),
        ({"depths": (0,)}, r"a queue depth must be 1\.\.256; got 0"),
        ({"requests": 1000}, r"1\.\.64 reads can be told one by one; got 1000"),
        ({"requests": True}, "requests must be a whole number; got True"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_a_sentence(asked, sentence):
    with pytest.raises(ModelError, match=sentence):
        dies_in_time(**asked)
