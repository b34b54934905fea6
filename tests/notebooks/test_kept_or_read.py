"""A page kept and read, drawn: bills that are as the rule's papers have them, and as many ticks as reads."""

import re

import pytest

from pagecost.errors import ModelError
from pagecost_app.notebook import kept_or_read
from pagecost_app.pictures.kept_or_read import SHARES


def test_the_page_of_1987_takes_its_share_of_a_mb_of_5000_dollars_and_each_of_its_reads_a_share_of_a_disk_of_30000():
    drawn = kept_or_read("1987 disk", page_bytes=1024)
    place, disk = 5000 / 1024, 30_000 / 15
    assert drawn.svg.count(f">{place:.2f} $ of memory<") == len(SHARES)
    for share in SHARES:
        assert f">{disk / (share * 409.6):.2f} $ of the drive<" in drawn.svg
    assert "6.83 min, 4.88 $ of the drive: either;" in repr(drawn)


def test_a_tick_is_a_read_and_bars_are_as_long_as_the_bills():
    rows = re.split(r">read once in<", kept_or_read("2018 flash").svg)[1:]
    bars = [
        [(float(x), float(wide)) for x, wide in re.findall(r'<rect x="(\S+)" y="\S+" width="(\S+)"', row)]
        for row in rows
    ]
    assert [len(row) - 3 for row in bars] == [16, 8, 4, 2, 1]
    for share, row in zip(SHARES, bars, strict=True):
        (_, place), (_, reads) = row[-2:]
        assert reads / place == pytest.approx(1 / share, rel=0.01)


def test_the_smaller_bill_is_in_bold():
    bold = re.findall(r'class="b">[^<]* (memory|drive)<', kept_or_read("2018 flash").svg)
    assert bold == ["memory", "memory", "drive", "drive"]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"pair": "1986 drum"}, "unknown year and device '1986 drum'; "),
        ({"page_bytes": 0}, "a page has at least one byte; got 0"),
        ({"page_bytes": "4 KiB"}, "a page has at least one byte; got '4 KiB'"),
    ],
)
def test_what_is_no_page_is_refused_in_a_sentence(asked, sentence):
    with pytest.raises(ModelError, match=sentence):
        kept_or_read(**asked)
