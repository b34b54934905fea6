"""One query alone: the way down an index is a chain, and no more is outstanding than the query has requests."""

import itertools

import numpy as np
import pytest

from pagecost import studies
from pagecost.operators import MANY, IndexSize, Size, index_scan, on_device, table_scan
from pagecost.operators.selection import ORDERS, UNSORTED, break_even

DRIVES = ("intel-x25-e", "samsung-970-pro-1tb", "intel-optane-p4800x-375gb")
DEPTHS = (1, 2, 16, 128, MANY)


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("rows", [1000, 100_000, 10_000_000])
def test_a_query_for_one_row_takes_as_long_as_its_reads_one_after_the_other_at_every_depth(drive, order, rows):
    index = IndexSize(Size(rows, 100, 4096))
    alone_s = float(on_device(drive, 4096, 1).run_s(1))
    for depth in DEPTHS:
        times = on_device(drive, 4096, depth)
        assert index_scan(index, 1 / rows, order).time_s(times) == pytest.approx((len(index.levels) + 1) * alone_s)
        assert index_scan(index, 0.0, order).time_s(times) == pytest.approx(len(index.levels) * alone_s)
        assert table_scan(index.table).time_s(times) == table_scan(index.table).time_s(on_device(drive, 4096, 1))


def test_one_row_of_a_thousand_is_scanned_for_on_a_drive_that_reads_the_table_sooner_than_three_pages():
    """By hand: 970 Pro, a page alone 66.7 µs, root, leaf and row 200 µs; the 25 pages of the table in 95 µs."""
    asked = {"rows": 1000, "selectivity": 1e-3, "devices": ("samsung-970-pro-1tb",)}
    study = studies.find("index_or_scan")
    for depth in (1, 32, MANY):
        ends = study.compute(study.inputs({**asked, "depth": depth})).tables["break_even"]
        assert ends["plan"].tolist() == ["table scan"]
        assert ends["index_s"] == pytest.approx([2 * 66.7e-6], rel=1e-3)
        assert ends["rows_s"] == pytest.approx([66.7e-6], rel=1e-3)
        assert ends["scan_s"] == pytest.approx([94.8e-6], rel=1e-3)


@pytest.mark.parametrize("drive", DRIVES)
def test_rows_are_fetched_side_by_side_as_far_as_their_number_and_the_depth_allow(drive):
    """So many reads of one query last as long as one alone, until there are as many as the drive needs for its rate."""
    index = IndexSize(Size(10_000_000, 100, 4096))
    alone_s, rated_s = float(on_device(drive, 4096, 1).run_s(1)), float(on_device(drive, 4096).run_s(1))
    for depth, rows in itertools.product(DEPTHS, (1, 2, 8, 64, 1000, 50_000)):
        phases = index_scan(index, rows / index.table.rows, UNSORTED).phases_s(on_device(drive, 4096, depth))
        at_once = rows if depth == MANY else min(depth, rows)
        assert phases["rows"] == pytest.approx(rows * max(alone_s / at_once, rated_s))


@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("order", ORDERS)
def test_a_query_for_more_rows_or_at_less_depth_is_never_faster(drive, order):
    index = IndexSize(Size(1_000_000, 100, 4096))
    shares = [10 ** (-7 + step / 4) for step in range(29)] if order != "merged" else [1e-6, 1e-5, 1e-4]
    found = []
    for depth in DEPTHS:
        found.append([index_scan(index, share, order).time_s(on_device(drive, 4096, depth)) for share in shares])
        assert all(one <= next_ * (1 + 1e-9) for one, next_ in itertools.pairwise(found[-1]))
    for deeper, less in itertools.pairwise(reversed(found)):
        assert all(one <= other * (1 + 1e-9) for one, other in zip(deeper, less, strict=True))


@pytest.mark.parametrize("depth", [1, MANY])
def test_where_it_is_not_known_how_long_a_read_takes_alone_the_study_says_so(depth):
    study = studies.find("index_or_scan")
    inputs = study.inputs({"devices": ("samsung-990-pro-1tb", "samsung-970-pro-1tb"), "depth": depth})
    notes = study.compute(inputs).notes
    assert [note for note in notes if "takes alone is not known" in note and "990 Pro" in note.title()]
    assert not [note for note in notes if "takes alone is not known" in note and "970 Pro" in note.title()]
    times = on_device("samsung-990-pro-1tb", 4096)
    assert times.run_s(1, at_once=1) == times.run_s(1)


def test_where_the_scan_is_faster_for_a_single_row_no_share_is_named():
    study = studies.find("index_or_scan")
    inputs = study.inputs({"rows": 1, "devices": ("intel-x25-e",)})
    found = study.describe(inputs, study.compute(inputs))
    assert str(found).startswith("The scan is the faster plan, for a single row, too.")
    assert "up to" in str(study.describe(study.inputs(), study.compute(study.inputs())))


@pytest.mark.parametrize("order", ORDERS)
def test_where_a_scan_is_faster_for_a_single_row_the_break_even_is_none_of_the_rows(order):
    """It was 1e-12 in the table, beside the sentence that the scan is always faster."""
    times = on_device("hgst-7k1000-750gb", 4096)
    assert break_even(IndexSize(Size(20, 100, 4096)), times, order) == 0
    study = studies.find("index_or_scan")
    inputs = study.Inputs(rows=20, order=order)
    result = study.compute(inputs)
    for table in ("break_even", "depths"):
        assert (result.tables[table]["selectivity"] == 0).all()
    assert any("0: the scan is faster for a single row, too" in note for note in result.notes)
    lines = study.explain(inputs, result)[2:]
    assert lines
    assert all(line.endswith("the scan is faster for a single row, too.") for line in lines)


def test_a_break_even_is_a_whole_row_at_least():
    """On a disk a thousand rows in 25 pages are scanned sooner than one is found by an index."""
    rows = 1000
    for device in ("hgst-7k1000-750gb", "intel-x25-e", "samsung-970-pro-1tb"):
        share = break_even(IndexSize(Size(rows, 100, 4096)), on_device(device, 4096))
        assert share == 0 or 1 / rows <= share <= 1


def test_a_query_for_no_row_has_its_row_too_and_reads_the_index_alone():
    study = studies.find("index_or_scan")
    inputs = study.Inputs(selectivity=0.0)
    result = study.compute(inputs)
    chosen = np.flatnonzero(result["chosen"])
    assert result["device"][chosen].tolist() == list(inputs.devices)
    assert (result["selectivity"][chosen] == 0).all()
    assert (result["index_s"][chosen] == result.tables["break_even"]["index_s"]).all()
    assert study.explain(inputs, result)[1].startswith("0 % of them: 0 pages of rows in 0 requests")
